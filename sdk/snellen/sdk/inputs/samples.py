"""Samples of a benchmark's items: saving and loading."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec
from pydantic import ValidationError

from snellen.grading.errors import InputError
from snellen.grading.models.base import NO_JSON, digest_of
from snellen.grading.models.reports import DataPin
from snellen.grading.models.samples import SampleDesign, Stratum
from snellen.grading.models.tags import TagColumn

FORMAT = "snellen-sample/1"

_Values = tuple[str | None, ...]


class _Stratum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    values: _Values
    core: bool
    items: int
    drawn: int
    units: int
    drawn_units: int
    ids: list[str]
    wholes: list[str | None]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal["snellen-sample/1"]
    task: str
    split: str
    release: str
    data_sha256: str
    by: list[str]
    whole: str | None
    allocation: str
    seed: int
    strata: list[_Stratum]
    sha256: str


@dataclass(frozen=True)
class Sample(Iterable[str]):
    """The items of a sample and its design; iterating gives their ids.

    Attributes:
        task: The task's id.
        split: The data's split.
        release: The release of the data.
        data_sha256: The digest of that data.
        allocation: A description of the number of items drawn from each stratum.
        design: The strata with their sizes, the seed and the digest.
        drawn: Each stratum's item ids, in the design's order.
        wholes: The unit of each of these items, such as its site, if whole units were drawn.
    """

    task: str
    split: str
    release: str
    data_sha256: str
    allocation: str
    design: SampleDesign
    drawn: Sequence[Sequence[str]] = field(repr=False)
    wholes: Sequence[TagColumn] = field(repr=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return sum(stratum.drawn for stratum in self.design.strata)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the drawn items, stratum by stratum."""
        return tuple(item_id for ids in self.drawn for item_id in ids)

    @property
    def weights(self) -> dict[str, float]:
        """The number of items that each item represents, by id: N_h / n_h of its stratum."""
        return {
            item_id: stratum.items / stratum.drawn
            for stratum, ids in zip(self.design.strata, self.drawn, strict=True)
            for item_id in ids
        }

    @property
    def sha256(self) -> str:
        """The digest of the file without this line."""
        return self.design.sha256

    def check(self, task: str, pin: DataPin) -> None:
        """Check that this is a sample of a task and its data.

        Raises:
            InputError: The task or the data differs.
        """
        if task != self.task:
            raise InputError(f"the sample is of {self.task}, not of {task}")
        if pin.sha256 != self.data_sha256:
            raise InputError(
                f"the sample was drawn from other data ({self.release}, sha256"
                f" {self.data_sha256[:16]}, not {pin.sha256[:16]}), and its weights hold for that"
                " alone; draw it again from this, by the same seed"
            )

    def joined(self, ids: Sequence[str], known: Mapping[str, TagColumn]) -> dict[str, TagColumn]:
        """Return the tags of drawn items, including the tags that define the strata.

        Raises:
            InputError: The items have a tag of the same name with another value.
        """
        given: dict[str, _Values] = {}
        for stratum, drawn, wholes in zip(self.design.strata, self.drawn, self.wholes, strict=True):
            for index, item_id in enumerate(drawn):
                whole = (wholes[index],) if self.design.whole else ()
                given[item_id] = (*stratum.values, *whole)
        names = [*self.design.by, *([self.design.whole] if self.design.whole else [])]
        found = dict(known)
        for index, name in enumerate(names):
            column = [given[item_id][index] for item_id in ids]
            for item_id, old, new in zip(ids, known.get(name, column), column, strict=True):
                if old != new:
                    raise InputError(
                        f"the sample was drawn with {name} {new!r} for item {item_id!r}, which now"
                        f" has {old!r}; draw it again"
                    )
            found[name] = column
        return found

    def save(self, path: str | Path) -> Path:
        """Write the file, atomically.

        Raises:
            InputError: The file can't be written.
        """
        target = Path(path)
        document = {**_content(self), "sha256": self.sha256}
        data = msgspec.json.format(msgspec.json.encode(document), indent=1)
        from snellen.sdk.files import write_atomically

        write_atomically(target, [data, b"\n"])
        return target


def load_sample(path: str | Path) -> Sample:
    """Read a sample that `save` wrote.

    Raises:
        InputError: The file can't be read, is not a sample, or was modified.
    """
    file = str(path)
    try:
        data = Path(path).read_bytes()
        found = msgspec.json.decode(data, type=_File)
    except OSError as error:
        raise InputError(f"can't read it: {error.strerror}", file=file) from error
    except NO_JSON as error:
        raise InputError(f"it is not a sample of items: {error}", file=file) from error
    content = msgspec.json.decode(data, type=dict[str, object])
    if content.pop("sha256") != digest_of(content):
        raise InputError("it was changed after it was drawn: its digest does not match", file=file)
    try:
        return sealed(_sample(found))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(
            f"it is not a sample of items: {field}: {first['msg']}", file=file
        ) from error


def _sample(found: _File) -> Sample:
    strata = tuple(
        Stratum(
            values=one.values,
            core=one.core,
            items=one.items,
            drawn=one.drawn,
            units=one.units,
            drawn_units=one.drawn_units,
        )
        for one in found.strata
    )
    return Sample(
        task=found.task,
        split=found.split,
        release=found.release,
        data_sha256=found.data_sha256,
        allocation=found.allocation,
        design=SampleDesign(
            by=tuple(found.by), whole=found.whole, seed=found.seed, sha256="", strata=strata
        ),
        drawn=[one.ids for one in found.strata],
        wholes=[one.wholes for one in found.strata],
    )


def sealed(sample: Sample) -> Sample:
    """Return a sample whose design contains the digest of the rest."""
    design = sample.design.model_copy(update={"sha256": digest_of(_content(sample))})
    return replace(sample, design=design)


def _content(sample: Sample) -> dict[str, object]:
    design = sample.design
    return {
        "format": FORMAT,
        "task": sample.task,
        "split": sample.split,
        "release": sample.release,
        "data_sha256": sample.data_sha256,
        "by": design.by,
        "whole": design.whole,
        "allocation": sample.allocation,
        "seed": design.seed,
        "strata": [
            {**stratum.model_dump(), "ids": list(ids), "wholes": list(wholes)}
            for stratum, ids, wholes in zip(design.strata, sample.drawn, sample.wholes, strict=True)
        ],
    }
