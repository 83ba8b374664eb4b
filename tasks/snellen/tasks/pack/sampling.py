"""Drawing a stratified sample of a pack's items, as a pack."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from snellen.grading.errors import InputError, MetricError
from snellen.grading.stats.sampling import by_lot, proportional
from snellen.tasks.pack.copying import selected_manifest, write_selection
from snellen.tasks.pack.grouping import TASK, ItemName, names_of, values_of
from snellen.tasks.pack.layout import Manifest
from snellen.tasks.pack.reading import Pack, References, open_references

_Values = tuple[str | None, ...]


def draw_items(
    pack: Pack,
    references: References | None,
    items: int,
    *,
    by: Sequence[str] = (TASK,),
    each: bool = False,
    tasks: Collection[str] = (),
    seed: int = 0,
) -> dict[str, set[str]]:
    """Draw items of a pack, from each stratum in proportion to its size or as many, pairs whole.

    Every stratum gives something. Who is drawn hangs on the seed and the items' ids alone. What
    pairs leave over in one stratum, because half a pair is never drawn, another one may fill.

    Args:
        pack: The pack.
        references: Its references, where their tags are asked for; else None.
        items: How many, at most; all where there are no more.
        by: The tags whose combined values are the strata; `task` stands for the task.
        each: Whether so many are drawn of each stratum, or one pair where it is larger, and not
            of all together.
        tasks: Draw of these tasks alone; empty: of all.
        seed: Another one draws others.

    Returns:
        Task to item ids.

    Raises:
        InputError: The items are too few to draw from each stratum, no item has such a tag, or
            the halves of a pair lie in two strata.
    """
    columns = [values_of(pack, references, tag) for tag in by]
    strata: dict[_Values, dict[str, list[ItemName]]] = defaultdict(dict)
    homes: dict[str, _Values] = {}
    for task in tasks:
        pack.task(task)
    for place, name in enumerate(names_of(pack)):
        if tasks and name.task not in tasks:
            continue
        values = tuple(column[name] for column in columns)
        pair = pack.lines.heads[place].pair
        unit = f"{name.task} item {name.item}" if pair is None else f"{name.task} pair {pair}"
        if homes.setdefault(unit, values) != values:
            raise InputError(
                f"the halves of the pair {pair!r} lie in two strata, and are drawn together: leave"
                f" out of {', '.join(by)} what tells them apart"
            )
        strata[values].setdefault(unit, []).append(name)
    units = {unit: names for one in strata.values() for unit, names in one.items()}
    if each:
        return _found(
            units,
            [
                unit
                for own in strata.values()
                for unit in _fitting(own, max(items, min(map(len, own.values()))), seed)
            ],
        )
    labels = {values: f"{place} {values}" for place, values in enumerate(strata)}
    sizes = {labels[values]: sum(map(len, own.values())) for values, own in strata.items()}
    least = max((min(map(len, own.values())) for own in strata.values()), default=1)
    try:
        counts = proportional(sizes, min(items, sum(sizes.values())), least=least)
    except MetricError as error:
        raise InputError(f"{items:,} items by {', '.join(by)}: {error}") from None
    taken: list[str] = []
    for values, own in strata.items():
        taken += _fitting(own, counts[labels[values]], seed)
    room = min(items, sum(sizes.values())) - sum(len(units[unit]) for unit in taken)
    left = {unit: names for unit, names in units.items() if unit not in set(taken)}
    taken += _fitting(left, room, seed)
    return _found(units, taken)


def _found(units: dict[str, list[ItemName]], taken: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for unit in taken:
        for name in units[unit]:
            found.setdefault(name.task, set()).add(name.item)
    return found


def _fitting(units: dict[str, list[ItemName]], room: int, seed: int) -> list[str]:
    """Return the units that come first by lot, and fit."""
    found: list[str] = []
    for unit in by_lot(units, seed):
        if len(units[unit]) <= room:
            found.append(unit)
            room -= len(units[unit])
        if not room:
            break
    return found


def sample_pack(
    pack: Pack,
    items: int,
    folder: Path,
    *,
    by: Sequence[str] = (TASK,),
    each: bool = False,
    tasks: Collection[str] = (),
    seed: int = 0,
    key: str | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack of a stratified sample of another's items; see `draw_items`.

    Its references stay those of all the data, so that no score moves.

    Args:
        pack: The pack.
        items: How many, at most.
        folder: Where to; must not exist, or be empty.
        by: The tags whose combined values are the strata.
        each: Whether so many are drawn of each stratum.
        tasks: Draw of these tasks alone; empty: of all.
        seed: Another one draws others.
        key: Opens the references where they are sealed, and seals them again.
        watch: Told after each item how many are done.

    Raises:
        InputError: As `draw_items`; or the folder holds something, lies in the pack or can't be
            written.
        DataError: The references are sealed and the key is missing or another one; or an image
            is missing or was changed.
    """
    references = None if pack.manifest.references is None else open_references(pack, key)
    chosen = draw_items(pack, references, items, by=by, each=each, tasks=tasks, seed=seed)
    about = selected_manifest(pack, chosen)
    return write_selection(pack, chosen, folder, about=about, key=key, watch=watch)
