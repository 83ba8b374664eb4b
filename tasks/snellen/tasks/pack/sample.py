"""Drawing a stratified sample of a pack's items as a new pack."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from snellen.grading.errors import InputError, MetricError
from snellen.grading.stats.sampling import draw_groups, proportional
from snellen.tasks.models import TaskData
from snellen.tasks.pack.format import Manifest
from snellen.tasks.pack.groups import PAIR, TASK, ItemName, names_of, values_of
from snellen.tasks.pack.read import Pack, References, open_references
from snellen.tasks.pack.transform import selected_manifest, write_selection

_Values = tuple[str | None, ...]


class _Group(NamedTuple):
    """Items that are drawn together: a pair, or a single item."""

    task: str
    kind: Literal["pair", "item"]
    name: str


_Groups = dict[_Group, list[ItemName]]


def _group(task: str, item: str, pair: str | None) -> _Group:
    return _Group(task, "item", item) if pair is None else _Group(task, "pair", pair)


def draw_task(data: TaskData, size: int, seed: int = 0) -> Sequence[str]:
    """Return the ids of up to `size` random items of a task, in the data's order, with whole pairs.

    The same seed draws the same items of a task here, of its pack and in an exam. At least one item
    is drawn, or one pair if there are no single items.

    Args:
        data: The task.
        size: The maximum number of items.
        seed: The seed of the draw.
    """
    column = data.tags.get(PAIR)
    groups: dict[_Group, list[str]] = {}
    for row, item_id in enumerate(data.ids):
        pair = None if column is None else column[row]
        groups.setdefault(_group(data.task, item_id, pair), []).append(item_id)
    drawn = {item for group in draw_groups(groups, size, seed) for item in groups[group]}
    return [item_id for item_id in data.ids if item_id in drawn]


def draw_items(
    pack: Pack,
    references: References | None,
    size: int,
    *,
    by: Sequence[str] = (TASK,),
    each: bool = False,
    tasks: Collection[str] = (),
    seed: int = 0,
) -> dict[str, set[str]]:
    """Draw items of a pack, with whole pairs, from strata in proportion to size or equally.

    Every stratum gives at least one item. The draw depends only on the seed and the items' ids. If
    pairs, which are never divided, leave room in one stratum, another stratum may fill it.

    Args:
        pack: The pack.
        references: Its references, if their tags are needed; else None.
        size: The maximum number of items; all if there are fewer.
        by: The tags whose combined values are the strata; `task` is the task.
        each: Draw this many of each stratum, or one pair if it is larger, instead of the total.
        tasks: The tasks to draw from; empty for all.
        seed: The seed of the draw.

    Returns:
        The item ids by task.

    Raises:
        InputError: There are too few items to draw from each stratum, no item has such a tag, or
            the items of a pair are in two strata.
    """
    strata = _strata(pack, references, by, tasks)
    drawn: dict[str, set[str]] = {}

    def draw(groups: _Groups, room: int) -> int:
        names = [name for group in draw_groups(groups, room, seed) for name in groups.pop(group)]
        for name in names:
            drawn.setdefault(name.task, set()).add(name.item)
        return len(names)

    if each:
        for groups in strata.values():
            draw(groups, size)
        return drawn
    labels = {values: f"{index} {values}" for index, values in enumerate(strata)}
    sizes = {labels[values]: sum(map(len, groups.values())) for values, groups in strata.items()}
    least = max((min(map(len, groups.values())) for groups in strata.values()), default=1)
    size = min(size, sum(sizes.values()))
    try:
        counts = proportional(sizes, size, least=least)
    except MetricError as error:
        raise InputError(f"{size:,} items by {', '.join(by)}: {error}") from None
    room = size - sum(draw(groups, counts[labels[values]]) for values, groups in strata.items())
    rest = {
        group: names
        for groups in strata.values()
        for group, names in groups.items()
        if len(names) <= room
    }
    draw(rest, room)
    return drawn


def _strata(
    pack: Pack, references: References | None, by: Sequence[str], tasks: Collection[str]
) -> dict[_Values, _Groups]:
    """Return the items of each stratum, in groups that are drawn together."""
    for task in tasks:
        pack.task(task)
    columns = [values_of(pack, references, tag) for tag in by]
    strata: dict[_Values, _Groups] = defaultdict(dict)
    homes: dict[_Group, _Values] = {}
    for line, name in enumerate(names_of(pack)):
        if tasks and name.task not in tasks:
            continue
        values = tuple(column[name] for column in columns)
        group = _group(*name, pack.lines.heads[line].pair)
        if homes.setdefault(group, values) != values:
            raise InputError(
                f"the items of the pair {group.name!r} are drawn together but are in two strata:"
                f" omit the tag in which they differ from {', '.join(by)}"
            )
        strata[values].setdefault(group, []).append(name)
    return strata


def sample_pack(
    pack: Pack,
    size: int,
    folder: Path,
    *,
    by: Sequence[str] = (TASK,),
    each: bool = False,
    tasks: Collection[str] = (),
    seed: int = 0,
    key: str | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack with a stratified sample of another pack's items; see `draw_items`.

    The references of all the data are kept, so that scores do not change.

    Args:
        pack: The pack.
        size: The maximum number of items.
        folder: The folder to write; must not exist, or be empty.
        by: The tags whose combined values are the strata.
        each: Draw this many of each stratum, instead of the total.
        tasks: The tasks to draw from; empty for all.
        seed: The seed of the draw.
        key: Decrypts sealed references, and seals them again.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: As for `draw_items`; or the folder is not empty, is inside the pack or can't be
            written.
        DataError: The references are sealed and the key is missing or wrong, or an image is missing
            or was changed.
    """
    references = None if pack.manifest.references is None else open_references(pack, key)
    chosen = draw_items(pack, references, size, by=by, each=each, tasks=tasks, seed=seed)
    about = selected_manifest(pack, chosen)
    return write_selection(pack, chosen, folder, about=about, key=key, watch=watch)
