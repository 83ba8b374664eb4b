"""The selected items of a task and their references."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec
import numpy as np

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.grade import Grader
from snellen.grading.models.base import NO_JSON, digest_of
from snellen.grading.models.golds import Golds
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.models.samples import SampleDesign
from snellen.grading.protocols import base
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import (
    AreaTarget,
    EpisodeGold,
    PageEpisodeGold,
    StepGold,
    Target,
)
from snellen.grading.protocols.table import gold_shape
from snellen.sdk.inputs.samples import Sample
from snellen.sdk.inputs.tags import NO_TAGS, Tagging, Tags
from snellen.sdk.values import plain
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData

if TYPE_CHECKING:
    from snellen.sdk.submissions.known import Known, KnownItem
    from snellen.tasks.corrections.overlay import Corrections


@dataclass(frozen=True)
class Selection:
    """The selected items of one task, as columns.

    Attributes:
        task: The task's id.
        ids: The selected item ids, in the data's order.
        golds: Their references, in the published shape.
        contexts: Their contexts for parsers, or empty.
        raters: Their references by rater, or empty.
        tagging: Their tags and groups.
        data: The loaded data; None for references given in memory.
        pin: The identity of the data.
        split: The split's name, or None for references given in memory.
        whole: The selection from which `items=` selected these; None if all items are selected.
        indexes: The indices of the selected items in the whole.
        sample: The stratified sample of the selected items, if they are one.
    """

    task: str
    ids: Sequence[str]
    golds: Golds
    contexts: Sequence[Context] = field(repr=False)
    raters: Golds
    pin: DataPin
    split: str | None = None
    whole: "Selection | None" = field(default=None, repr=False)
    indexes: Sequence[int] = field(default=(), repr=False)
    tagging: Tagging = field(default=NO_TAGS, repr=False)
    data: TaskData | None = field(default=None, repr=False)
    sample: SampleDesign | None = None

    def __post_init__(self) -> None:
        if not self.ids:
            raise DataError(f"{self.task} has no items to grade", file=self.pin.path)

    def grader(self, protocol: base.Protocol) -> Grader:
        """Prepare a protocol for the selected items.

        It is prepared for the whole set, so that the selection does not change the score of an item
        (TF-IDF weighs words by all references).
        """
        if self.whole is not None:
            indexes = np.array(self.indexes, dtype=np.int64)
            return replace(self.whole.grader(protocol), indexes=indexes)
        if self.data is not None:
            return self.data.grader(protocol)
        return Grader.of(protocol, self.golds, self.contexts)

    def exists(self, item_id: str) -> bool:
        """Whether there is such an item, selected or not."""
        return item_id in (self.index if self.whole is None else self.whole.index)

    @property
    def digest(self) -> str | None:
        """The first 16 digits of the digest of the selected ids; None if all are selected."""
        return None if self.whole is None else digest_of(sorted(self.ids))[:16]

    def known(self) -> "Known":
        """Return all items, selected or not, for joining rows that have no id of ours."""
        from snellen.sdk.submissions.known import Known

        whole = self.whole or self
        images = whole.tagging.tags.get("image", ())
        # Of the others, data has the references alone.
        there = None if whole.data is None else whole.data.selected
        indexes = range(len(whole.ids)) if there is None else [whole.index[one] for one in there]
        return Known(
            [_known_item(whole, index, str(images[index]) if images else "") for index in indexes]
        )

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each selected item, by id."""
        if self.data is not None and self.ids is self.data.ids:
            return self.data.index
        return {item_id: index for index, item_id in enumerate(self.ids)}


def _known_item(selection: Selection, index: int, image: str) -> "KnownItem":
    from snellen.sdk.submissions.known import KnownItem

    gold, instruction = selection.golds[index], ""
    if selection.data is not None and isinstance(gold, Target | StepGold):
        prompt = selection.data.build_item(index).prompt
        instruction = next(
            (prompt.rpartition(mark)[2] for mark in _ASKED if mark in prompt), instruction
        )
    found = KnownItem(selection.ids[index], image, instruction)
    if isinstance(gold, StepGold):
        point = gold.action.point
        return found._replace(
            image=image or f"{gold.episode}_{gold.step}",
            box=() if point is None else tuple(point),
            size=gold.image_size,
            action=gold.action.type,
            detail=str(
                gold.action.text
                or gold.action.app
                or gold.action.button
                or gold.action.direction
                or ""
            ),
            same=(gold.action, gold.image_size, gold.boxes),
        )
    if isinstance(gold, EpisodeGold):
        return found._replace(episode="page" if isinstance(gold, PageEpisodeGold) else "task")
    if not isinstance(gold, Target):
        return found
    plain = not isinstance(gold, AreaTarget) or not (gold.polygon or gold.refused)
    return found._replace(box=gold.bbox if plain else (), size=gold.image_size, same=gold)


_ASKED = ("\nNow: ", "Instruction: ", "\n\nGoal: ", "指令：")  # noqa: RUF001  # Chinese
"""What stands before the instruction in a task's prompts."""

REFERENCES = "references"
"""What a data pin calls references that were given instead of published data."""

Data = str | Path | TaskData


class Labelled(Protocol):
    """A Series of pandas: values by their labels."""

    def to_dict(self) -> dict[Any, Any]:
        """Return the values by their labels."""
        ...


References = Mapping[str, object] | Labelled | str | Path


def select(
    task: str | None,
    data: Data | None = None,
    references: References | None = None,
    split: str | None = None,
    items: Iterable[str] | None = None,
    *,
    tags: Tags | None = None,
    cluster: str | None = None,
) -> Selection:
    """Load the items and references, and select the requested items.

    Args:
        task: The task's id; may be None if `data` is already loaded.
        data: The published folder or file, the name of an included exam, or the result of
            `sdk.load`.
        references: Instead of data: item ids to references in the published shape, or a JSON
            file of them.
        split: The split of the data, if it has several.
        items: The ids to keep, or a sample; None keeps all.
        tags: More tags for the items, as for `snellen.sdk.inputs.tags.read_tags`.
        cluster: The tag whose values are the independent groups; `item`: every item is its own
            group; None: the task's default.

    Raises:
        InputError: Both or neither of data and references were given, an item is unknown, or the
            tags can't be read or joined.
        UnknownNameError: There is no such tag to cluster by.
        DataError: The data can't be read.
    """
    if (data is None) == (references is None):
        raise InputError(
            "give what to grade against: either data (--data), the published folder or the name of"
            " an included exam, or references (--references), item ids to references"
        )
    if references is not None:
        whole = _from_references(task, references)
    else:
        whole = _from_data(task, data, split)
    if tags is not None or cluster is not None:
        whole = replace(whole, tagging=whole.tagging.extended(whole.ids, tags, cluster))
    if items is None and whole.data is not None:
        items = whole.data.selected
    return whole if items is None else _narrow(whole, items)


def _from_data(task: str | None, data: Data | None, split: str | None) -> Selection:
    if isinstance(data, TaskData):
        if task is not None and task != data.task:
            raise InputError(f"the data was loaded for {data.task}, not for {task}")
        loaded = data
    else:
        if task is None or data is None:
            raise InputError(
                "the task is missing: give the answers' task, such as task='screenqa/short'"
                " (--task screenqa/short)"
            )
        gold_shape(task)
        loaded = load_task(task, data, split=split)
    pin = loaded.pin
    if pin.path is not None:
        # An absolute path, so that a saved report finds its data from any folder.
        pin = pin.model_copy(update={"path": str(Path(pin.path).absolute())})
    return Selection(
        task=loaded.task,
        ids=loaded.ids,
        golds=loaded.golds,
        contexts=loaded.contexts,
        raters=loaded.raters,
        pin=pin,
        split=loaded.split,
        tagging=Tagging(loaded.tags, loaded.cluster),
        data=loaded,
    )


def _from_references(task: str | None, references: References) -> Selection:
    if task is None:
        raise InputError(
            "the task is missing: give the references' task, such as task='screenqa/short'"
        )
    shape = gold_shape(task)
    path = Path(references) if isinstance(references, str | Path) else None
    given = _read_references(path) if path is not None else _mapping_of(references)
    if not given:
        raise InputError("references has no items", file=None if path is None else str(path))
    golds = [
        shape.read(plain(reference), field=f"references[{item_id!r}]")
        for item_id, reference in given.items()
    ]
    tagging = Tagging()
    if isinstance(golds[0], StepGold) and all(gold.episode for gold in golds):
        # The steps of an episode depend on each other, as in loaded data.
        tagging = Tagging({"episode": [gold.episode for gold in golds]}, "episode")
    return Selection(
        task=task,
        ids=list(given),
        golds=Golds(golds),
        contexts=[shape.context(gold) for gold in golds],
        raters=Golds(),
        pin=DataPin(
            release=REFERENCES,
            sha256=digest_of(plain(dict(given))),
            count=len(golds),
            verdict=PinVerdict.UNKNOWN,
            path=None if path is None else str(path.absolute()),
        ),
        tagging=tagging,
    )


def _mapping_of(given: object) -> Mapping[str, object]:
    """Return references by item id; a caller without a type checker may pass anything."""
    if not isinstance(given, Mapping) and hasattr(given, "to_dict"):
        given = cast("Labelled", given).to_dict()
    keys = cast("Mapping[object, object]", given).keys() if isinstance(given, Mapping) else [None]
    if not all(isinstance(key, str) for key in keys):
        raise InputError("references must map item ids, as text, to references")
    return cast("Mapping[str, object]", given)


def _read_references(path: Path) -> dict[str, object]:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except OSError as error:
        raise DataError(f"can't read it: {error.strerror}", file=str(path)) from error
    except NO_JSON as error:
        raise DataError(
            f"expected one JSON object, item ids to references; {error}", file=str(path)
        ) from error
    return found


def with_corrections(selection: Selection, corrections: "Corrections") -> Selection:
    """Return the selected items with corrected references, less those that are excluded.

    Raises:
        InputError: The references were given instead of data, the data is corrected already, or no
            item is left, or items of a sample are excluded.
    """
    if selection.data is None:
        raise InputError("corrections are for data; correct the references that you give instead")
    data = corrections.of(selection.data)
    whole = replace(selection.whole or selection, data=data, golds=data.golds)
    known = set(whole.ids if data.selected is None else data.selected)
    kept = [item_id for item_id in selection.ids if item_id in known]
    gone = len(selection.ids) - len(kept)
    if gone and selection.sample is not None:
        raise InputError(
            f"the corrections {corrections.name} exclude {gone} items of the sample: draw another"
        )
    if selection.whole is None and not gone:
        return whole
    found = _narrow(whole, kept)
    return replace(found, sample=selection.sample, tagging=selection.tagging) if not gone else found


def _narrow(whole: Selection, items: Iterable[str]) -> Selection:
    if isinstance(items, str):
        raise InputError(f"items= takes a list of item ids, not the text {items!r}")
    if isinstance(items, Sample):
        items.check(whole.task, whole.pin)
    wanted = set(items)
    if not wanted:
        raise InputError("items= has no item ids")
    unknown = sorted(wanted - whole.index.keys())
    if unknown:
        raise UnknownNameError(
            f"item of {whole.task} ({len(unknown)} of {len(wanted)} asked for are unknown)",
            unknown[0],
            [*whole.ids[:3], "..."],
        )
    indexes = sorted(whole.index[item_id] for item_id in wanted)
    ids, tagging = [whole.ids[index] for index in indexes], whole.tagging.narrowed(indexes)
    if isinstance(items, Sample):
        tagging = replace(tagging, tags=items.joined(ids, tagging.tags))
    return Selection(
        task=whole.task,
        ids=ids,
        golds=whole.golds.at(indexes),
        contexts=[whole.contexts[index] for index in indexes] if whole.contexts else (),
        raters=whole.raters.at(indexes) if whole.raters else Golds(),
        pin=whole.pin,
        split=whole.split,
        whole=whole,
        indexes=indexes,
        tagging=tagging,
        data=whole.data,
        sample=items.design if isinstance(items, Sample) else None,
    )
