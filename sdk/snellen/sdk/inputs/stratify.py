"""Stratified samples of a benchmark's items: drawing them.

Core strata keep all their items. From the others a share or a fixed number is drawn, which depends
only on a seed and the items' ids.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from snellen.grading.errors import DataError, InputError, MetricError, UnknownNameError
from snellen.grading.models.samples import SampleDesign, Stratum, stratum_name
from snellen.grading.models.tags import TagColumn
from snellen.grading.stats.sampling import LEAST, draw, fixed, neyman, proportional
from snellen.sdk.inputs.samples import Sample, sealed
from snellen.sdk.inputs.tags import Tags, read_tags
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData

_Values = tuple[str | None, ...]


def stratify(
    data: TaskData | str | Path,
    *,
    by: str | Sequence[str],
    n: int | None = None,
    each: int | None = None,
    core: Iterable[str] = (),
    whole: str | None = None,
    seed: int = 0,
    deviations: Mapping[str, float] | None = None,
    least: int = LEAST,
    task: str | None = None,
    split: str | None = None,
    tags: Tags | None = None,
) -> Sample:
    """Draw a stratified sample of a task's items.

    The selection depends only on the seed and the items' ids: not on their order, nor on the items
    of other strata.

    Args:
        data: The result of `sdk.load`, or the published folder or file.
        by: The tag, or the tags whose combined values are the strata.
        n: The total number of items to draw from the strata that are not core, allocated in
            proportion to their sizes.
        each: Instead of `n`: the number of items from each of them.
        core: The strata that keep all their items: a value of one of the tags, such as
            `perception`, or `tag=value` if several tags have that value.
        whole: A tag whose values are drawn as units, such as `site`: all items of a value or none.
            The number of items is then approximate.
        seed: The same seed draws the same items.
        deviations: With `n`: the standard deviation of the values in each stratum, by its name
            (`perception x L1`; if two strata would have the same name, all are named as JSON
            lists), from an earlier run. The items are then allocated by size times deviation.
        least: With `n`: the minimum number of items per stratum; a smaller stratum is drawn whole.
            Use at least two: the variance of a single item is unknown.
        task: The task's id, if the data is a path.
        split: As for `load`.
        tags: More tags for the items, as for `grade`.

    Raises:
        InputError: Neither or both of `n` and `each` were given, they are not possible, or a unit
            would lie in several strata.
        UnknownNameError: There is no such tag, or no stratum with such a value.
        DataError: The data can't be read.
    """
    loaded = _loaded(data, task, split)
    columns: Mapping[str, TagColumn] = loaded.tags
    if tags is not None:
        columns = read_tags(tags, loaded.ids, loaded.tags).joined(loaded.tags)
    names = [by] if isinstance(by, str) else list(by)
    if not names:
        raise InputError("by= is empty; name the tags of the strata")
    for name in [*names, *([whole] if whole else [])]:
        if name not in columns:
            raise UnknownNameError("tag of these items", name, columns)
    if len(set(names)) < len(names):
        raise InputError(f"by= names a tag twice: {', '.join(names)}")
    strata = _strata(loaded.ids, [columns[name] for name in names])
    kept = _core(strata, names, core)
    wholes = dict(zip(loaded.ids, columns[whole], strict=True)) if whole else None
    labels = _labels(strata)
    others = {labels[values]: len(ids) for values, ids in strata.items() if values not in kept}
    try:
        counts, allocation = _counts(others, n, each, deviations, least)
    except MetricError as error:
        raise InputError(str(error)) from None
    drawn = {
        values: _draw(ids, counts.get(labels[values]), wholes, seed, least if each is None else 1)
        for values, ids in strata.items()
    }
    if wholes is not None:
        _check_wholes(strata, wholes, str(whole))
    design = SampleDesign(
        by=tuple(names),
        whole=whole,
        seed=seed,
        sha256="",
        strata=tuple(
            Stratum(
                values=values,
                core=values in kept,
                items=len(ids),
                drawn=len(drawn[values]),
                units=_units(ids, wholes),
                drawn_units=_units(drawn[values], wholes),
            )
            for values, ids in strata.items()
        ),
    )
    return sealed(
        Sample(
            task=loaded.task,
            split=loaded.split,
            release=loaded.pin.release,
            data_sha256=loaded.pin.sha256,
            allocation=allocation,
            design=design,
            drawn=list(drawn.values()),
            wholes=[
                [] if wholes is None else [wholes[item_id] for item_id in ids]
                for ids in drawn.values()
            ],
        )
    )


def _loaded(data: TaskData | str | Path, task: str | None, split: str | None) -> TaskData:
    if isinstance(data, TaskData):
        if task is not None and task != data.task:
            raise InputError(f"the data was loaded for {data.task}, not for {task}")
        return data
    if task is None:
        raise InputError("the task is missing: give the items' task, such as task='screenqa/short'")
    return load_task(task, data, split=split)


def _strata(ids: Sequence[str], columns: Sequence[TagColumn]) -> dict[_Values, list[str]]:
    """Return each stratum's ids, sorted; the strata in the order of their values."""
    found: dict[_Values, list[str]] = {}
    for item_id, values in zip(ids, zip(*columns, strict=True), strict=True):
        found.setdefault(values, []).append(item_id)
    if not found:
        raise DataError("there are no items to draw from")
    order = sorted(found, key=lambda values: [(value is None, value or "") for value in values])
    return {values: sorted(found[values]) for values in order}


def _core(
    strata: Mapping[_Values, object], names: Sequence[str], core: Iterable[str]
) -> frozenset[_Values]:
    if isinstance(core, str):
        raise InputError(f"core= takes a list of values, not the text {core!r}")
    kept: set[_Values] = set()
    for asked in core:
        fitting = {
            (index, value)
            for values in strata
            for index, value in enumerate(values)
            if value is not None and asked in (value, f"{names[index]}={value}")
        }
        if not fitting:
            known = sorted({str(value) for values in strata for value in values})
            raise UnknownNameError(f"value of {' or '.join(names)}", asked, known)
        if len({index for index, _ in fitting}) > 1:
            raise InputError(f"several tags have the value {asked!r}; write {names[0]}={asked}")
        kept |= {v for v in strata if any(v[index] == value for index, value in fitting)}
    return frozenset(kept)


def _counts(
    sizes: Mapping[str, int],
    n: int | None,
    each: int | None,
    deviations: Mapping[str, float] | None,
    least: int,
) -> tuple[dict[str, int], str]:
    if not sizes:
        return {}, "all items"
    if (n is None) == (each is None):
        raise InputError(
            "give the number of items to draw: either n=, in total, or each=, per stratum"
        )
    if each is not None:
        return fixed(sizes, each), f"{each} of each stratum"
    total = n or 0
    if deviations is not None:
        found = neyman(sizes, deviations, total, least=least)
        return found, f"{total} in proportion to size times deviation"
    return proportional(sizes, total, least=least), f"{total} in proportion to size"


def _draw(
    ids: Sequence[str],
    count: int | None,
    wholes: Mapping[str, str | None] | None,
    seed: int,
    least: int,
) -> list[str]:
    """Draw a number of items, approximately if in whole units; None keeps all."""
    if count is None:
        return list(ids)
    if wholes is None:
        return draw(ids, count, seed)
    units: dict[str, list[str]] = {}
    for item_id in ids:
        whole = wholes[item_id]
        units.setdefault(f"item {item_id}" if whole is None else f"of {whole}", []).append(item_id)
    wanted = (2 * count * len(units) + len(ids)) // (2 * len(ids))
    kept = draw(units, max(min(least, len(units)), wanted), seed)
    return sorted(item_id for unit in kept for item_id in units[unit])


def _units(ids: Sequence[str], wholes: Mapping[str, str | None] | None) -> int:
    if wholes is None:
        return len(ids)
    alone = sum(wholes[item_id] is None for item_id in ids)
    return alone + len({wholes[item_id] for item_id in ids} - {None})


def _check_wholes(
    strata: Mapping[_Values, Sequence[str]], wholes: Mapping[str, str | None], tag: str
) -> None:
    homes: dict[str, _Values] = {}
    for values, ids in strata.items():
        for whole in (wholes[item_id] for item_id in ids):
            if whole is not None and homes.setdefault(whole, values) != values:
                raise InputError(
                    f"{tag} {whole!r} has items in the strata {stratum_name(homes[whole])!r} and"
                    f" {stratum_name(values)!r}, and can't be drawn whole; make strata of a tag"
                    f" that each {tag} has one value of, or draw items"
                )


def _labels(strata: Iterable[_Values]) -> dict[_Values, str]:
    """Return unique names of the strata."""
    names = {values: stratum_name(values) for values in strata}
    if len(set(names.values())) == len(names):
        return names
    return {values: json.dumps(values, ensure_ascii=False) for values in names}
