"""Splitting a pack into parts that have no site in common."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.grading.stats.sampling import draw
from snellen.tasks.pack.copying import (
    check_outside,
    chosen_lines,
    fill,
    of_tasks,
    reference_lines,
    seal_key,
    selected_manifest,
)
from snellen.tasks.pack.folders import new_folder
from snellen.tasks.pack.grouping import SITE, ItemName, joined, values_of
from snellen.tasks.pack.layout import Manifest, PackReference, PackSource
from snellen.tasks.pack.reading import Pack, open_references
from snellen.tasks.pack.references import to_line

Parts = Mapping[str, float]
"""The parts' names to their shares, which add up to 1."""


def parts_of(text: str) -> dict[str, float]:
    """Read parts as they are written on a command line.

    >>> parts_of("train=0.8,test=0.2")
    {'train': 0.8, 'test': 0.2}

    Raises:
        InputError: A part has no name or no share, or the shares don't add up to 1.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        try:
            found[name] = float(share)
        except ValueError:
            raise InputError(f"a part is written as train=0.8, not {part.strip()!r}") from None
    check_parts(found)
    return found


def check_parts(parts: Parts) -> None:
    """Refuse parts that are no split.

    Raises:
        InputError: There is none, a name can't be a folder's, a share is not above 0, or they
            don't add up to 1.
    """
    for name, share in parts.items():
        if not name or not name.isascii() or not name.replace("-", "").isalnum():
            raise InputError(f"a part's name is of letters, digits and dashes, not {name!r}")
        if not 0 < share <= 1:
            raise InputError(f"the share of {name} must lie above 0 and not above 1, not {share:g}")
    if not parts or not math.isclose(sum(parts.values()), 1, abs_tol=1e-6):
        raise InputError(f"the parts' shares add up to {sum(parts.values()):g}, not to 1")


def split_items(
    groups: Sequence[Sequence[ItemName]], parts: Parts, seed: int
) -> dict[str, set[ItemName]]:
    """Share groups of items out, none of them to two parts, in sizes as near as possible.

    Part by part the number of items comes as near to its share as any choice of whole groups
    brings it: the sums that can be reached are worked out, not guessed. Among such choices, those
    are preferred in which large and small groups are shared out alike; which groups of one size go
    where is drawn by the seed, and then exchanged where that brings the tasks' own shares nearer.

    Args:
        groups: Items that must stay together.
        parts: Names to shares.
        seed: The same seed makes the same split.
    """
    left, items = list(groups), sum(map(len, groups))
    found: dict[str, set[ItemName]] = {}
    share_left, items_left = 1.0, items
    for name, share in list(parts.items())[:-1]:
        target = items_left * share / share_left
        taken = _taken(left, target, f"{seed} {name}", share / share_left)
        found[name] = {item for place in taken for item in left[place]}
        items_left -= len(found[name])
        share_left -= share
        left = [group for place, group in enumerate(left) if place not in taken]
    found[list(parts)[-1]] = {item for group in left for item in group}
    return found


def _taken(
    groups: Sequence[Sequence[ItemName]], target: float, seed: str, share: float
) -> set[int]:
    by_size: dict[int, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        by_size[len(group)].append(place)
    counts = _counts({size: len(places) for size, places in by_size.items()}, target, share)
    taken: set[int] = set()
    for size, places in by_size.items():
        lots = {
            f"{seed} {groups[place][0].task} {groups[place][0].item}": place for place in places
        }
        taken.update(lots[name] for name in draw(lots, counts[size], 0))
    return _balanced(groups, taken, by_size, share)


def _counts(sizes: Mapping[int, int], target: float, share: float) -> dict[int, int]:
    """Return how many groups of each size to take, so that their sum is nearest to the target.

    Sums are bits of one large number a size: bit n of `reached[k]` says whether the first k sizes
    can add up to n.
    """
    order = sorted(sizes)
    reached = [1]
    for size in order:
        sums, left, step = reached[-1], sizes[size], 1
        while left:
            step = min(step, left)
            sums |= sums << (size * step)
            left, step = left - step, step * 2
        reached.append(sums)
    total = sum(size * count for size, count in sizes.items())
    possible = (n for n in range(total + 1) if reached[-1] >> n & 1)
    goal = min(possible, key=lambda n: (abs(n - target), n))
    counts: dict[int, int] = {}
    for place in range(len(order) - 1, -1, -1):
        size = order[place]
        fitting = [
            count
            for count in range(min(sizes[size], goal // size) + 1)
            if reached[place] >> (goal - count * size) & 1
        ]
        counts[size] = min(fitting, key=lambda count: (abs(count - share * sizes[size]), count))
        goal -= counts[size] * size
    return counts


_ROUNDS = 4
_TRIED = 60


def _balanced(
    groups: Sequence[Sequence[ItemName]],
    taken: set[int],
    by_size: Mapping[int, Sequence[int]],
    share: float,
) -> set[int]:
    """Exchange groups of one size where that brings each task's share nearer."""
    tasks = [Counter(item.task for item in group) for group in groups]
    whole: Counter[str] = sum(tasks, Counter[str]())
    if len(whole) < 2:
        return taken
    have: Counter[str] = sum((tasks[place] for place in sorted(taken)), Counter[str]())

    def gain(going: int, coming: int) -> float:
        changed = tasks[going].keys() | tasks[coming].keys()
        before = after = 0.0
        for task in changed:
            wanted, now = share * whole[task], have[task]
            then = now - tasks[going][task] + tasks[coming][task]
            before += (now - wanted) ** 2 / whole[task]
            after += (then - wanted) ** 2 / whole[task]
        return before - after

    for _ in range(_ROUNDS):
        moved = False
        for places in by_size.values():
            others = [place for place in places if place not in taken][:_TRIED]
            for going in [place for place in places if place in taken and others]:
                gains = [gain(going, coming) for coming in others]
                best = gains.index(max(gains))
                if gains[best] > 1e-9:
                    taken.remove(going)
                    taken.add(others[best])
                    have.subtract(tasks[going])
                    have.update(tasks[others[best]])
                    others[best] = going
                    moved = True
        if not moved:
            break
    return taken


def split_pack(
    pack: Pack,
    parts: Parts,
    folder: Path,
    *,
    by: str = SITE,
    seed: int = 0,
    key: str | None = None,
    own_references: bool = False,
    watch: Callable[[int], None] = lambda _: None,
) -> dict[str, Manifest]:
    """Write a pack for each part, all or none; no site is in two of them.

    Nor is a screenshot, nor a pair. Each part's references are those of all the data, unless its
    own are asked for, so that no score moves: keep them to yourself, or sealed.

    Args:
        pack: The pack.
        parts: Names to shares, such as train: 0.8, test: 0.2.
        folder: Where a folder for each part goes; must not exist, or be empty.
        by: The tag whose values are sites; `site`: the tag of that name, or what the task says
            its independent groups are.
        seed: The same seed makes the same split.
        key: Opens the references where they are sealed, and seals them again.
        own_references: Give each part the references of its own items alone. A metric that is
            fitted on the references (TF-IDF) then scores otherwise than in the whole.
        watch: Told after each item how many are done.

    Raises:
        InputError: The parts are no split, no item has such a tag, a part would be empty, or the
            folder holds something, lies in the pack or can't be written.
        DataError: The references are sealed and the key is missing or another one; or an image
            is missing or was changed.
    """
    check_parts(parts)
    check_outside(folder, [pack])
    lines = reference_lines(pack, key)
    references = None if lines is None else open_references(pack, key)
    groups = joined(pack, values_of(pack, references, by))
    shared = split_items(groups, parts, seed)
    found: dict[str, Manifest] = {}
    done = 0
    with new_folder(folder) as room:
        for part, items in shared.items():
            chosen: dict[str, set[str]] = {}
            for name in items:
                chosen.setdefault(name.task, set()).add(name.item)
            if not items:
                raise InputError(
                    f"the part {part} would be empty: {len(groups)} groups by {by} can't be"
                    " shared out like this; ask for fewer parts, or for another tag"
                )
            about = selected_manifest(pack, chosen)
            name = f"{pack.name[: 63 - len(part)]}-{part.lower()}"
            about = about.model_copy(update={"name": name})
            kept = of_tasks(lines, {task.task for task in about.tasks})
            if own_references and kept is not None:
                kept = _own(kept, chosen)
            (room / part).mkdir()
            before = done
            found[part] = fill(
                room / part,
                chosen_lines(pack, chosen),
                about,
                kept,
                seal_key(pack, key),
                watch=lambda number, before=before: watch(before + number),
            )
            done += len(items)
    return found


def _own(lines: Sequence[bytes], chosen: Mapping[str, set[str]]) -> list[bytes]:
    found: list[bytes] = []
    for line in lines:
        words = json.loads(line)
        if "pin" in words:
            source = PackSource.model_validate(words)
            pin = source.pin.model_copy(update={"count": len(chosen[source.task])})
            found.append(to_line(source.model_copy(update={"pin": pin}).model_dump(mode="json")))
        else:
            reference = PackReference.model_validate(words)
            if reference.item_id in chosen[reference.task]:
                found.append(line)
    return found
