"""Splitting a pack into parts without common sites."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.grading.stats.sampling import random_order
from snellen.tasks.pack import transform
from snellen.tasks.pack.folders import new_folder
from snellen.tasks.pack.format import Manifest, PackReference, PackSource
from snellen.tasks.pack.groups import SITE, ItemName, joined, values_of
from snellen.tasks.pack.read import Pack, open_references
from snellen.tasks.pack.references import to_line

Parts = Mapping[str, float]
"""The shares by the parts' names; they add up to 1."""


def parts_of(text: str) -> dict[str, float]:
    """Read parts as written on a command line.

    >>> parts_of("train=0.8,test=0.2")
    {'train': 0.8, 'test': 0.2}

    Raises:
        InputError: A part has no name or no share, or the shares don't add up to 1.
    """
    parts: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        try:
            parts[name] = float(share)
        except ValueError:
            raise InputError(f"a part is written as train=0.8, not {part.strip()!r}") from None
    check_parts(parts)
    return parts


def check_parts(parts: Parts) -> None:
    """Refuse parts that are not a valid split.

    Raises:
        InputError: There is no part, a name is not valid for a folder, a share is not above 0, or
            the shares do not add up to 1.
    """
    for name, share in parts.items():
        if not name or not name.isascii() or not name.replace("-", "").isalnum():
            raise InputError(
                f"a part's name may only have letters, digits and dashes, not {name!r}"
            )
        if not 0 < share <= 1:
            raise InputError(
                f"the share of {name} must be greater than 0 and at most 1, not {share:g}"
            )
    if not parts or not math.isclose(sum(parts.values()), 1, abs_tol=1e-6):
        raise InputError(f"the parts' shares add up to {sum(parts.values()):g}, not to 1")


def split_items(
    groups: Sequence[Sequence[ItemName]], parts: Parts, seed: int
) -> dict[str, set[ItemName]]:
    """Distribute groups of items to parts so that each task has its shares.

    The groups are placed one by one, the largest first and equal ones in random order. Each goes to
    the part that it brings closest to its share of all tasks in the group and of all items.

    Args:
        groups: Items that must stay together.
        parts: The shares by name.
        seed: The seed of the order.
    """
    names = {f"{group[0].task} {group[0].item}": group for group in groups}
    order = sorted(random_order(names, seed), key=lambda name: -len(names[name]))
    totals = _counts(item for group in groups for item in group)
    targets = {part: {key: share * totals[key] for key in totals} for part, share in parts.items()}
    counts = {part: Counter[str]() for part in parts}
    items: dict[str, set[ItemName]] = {part: set() for part in parts}
    for name in order:
        added = _counts(names[name])

        def cost(part: str, added: Counter[str] = added) -> float:
            """Return the increase of the squared deviations from the targets, in their units."""
            return sum(
                count * (2 * (counts[part][key] - targets[part][key]) + count) / targets[part][key]
                for key, count in added.items()
            )

        part = min(parts, key=cost)
        counts[part] += added
        items[part].update(names[name])
    return items


def _counts(items: Iterable[ItemName]) -> Counter[str]:
    """Count items by task, and all items under the empty name."""
    counts = Counter(item.task for item in items)
    counts[""] = counts.total()
    return counts


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

    Screenshots and pairs are not divided either. Each part has the references of all the data,
    unless its own are requested, so that scores do not change. Keep them private, or sealed.

    Args:
        pack: The pack.
        parts: The shares by name, such as train: 0.8, test: 0.2.
        folder: The folder for the parts' folders; must not exist, or be empty.
        by: The tag whose values are sites; `site` is the tag of that name, or the task's
            independent groups.
        seed: The seed of the split.
        key: Decrypts sealed references, and seals them again.
        own_references: Whether each part gets only the references of its own items. A metric that
            is fitted on the references (TF-IDF) then gives other scores than for the whole.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: The parts are not a valid split, no item has such a tag, a part would be empty,
            or the folder is not empty, is inside the pack or can't be written.
        DataError: The references are sealed and the key is missing or wrong, or an image is missing
            or was changed.
    """
    check_parts(parts)
    transform.check_outside(folder, [pack])
    lines = transform.reference_lines(pack, key)
    references = None if lines is None else open_references(pack, key)
    groups = joined(pack, values_of(pack, references, by))
    shared = split_items(groups, parts, seed)
    manifests: dict[str, Manifest] = {}
    done = 0
    with new_folder(folder) as room:
        for part, items in shared.items():
            chosen: dict[str, set[str]] = {}
            for name in items:
                chosen.setdefault(name.task, set()).add(name.item)
            if not items:
                raise InputError(
                    f"the part {part} would be empty: {len(groups)} groups by {by} can't be"
                    " distributed like this; use fewer parts, or another tag"
                )
            about = transform.selected_manifest(pack, chosen)
            name = f"{pack.name[: 63 - len(part)]}-{part.lower()}"
            about = about.model_copy(update={"name": name})
            kept = transform.of_tasks(lines, {task.task for task in about.tasks})
            if own_references and kept is not None:
                kept = _own(kept, chosen)
            (room / part).mkdir()
            before = done
            manifests[part] = transform.fill(
                room / part,
                transform.chosen_lines(pack, chosen),
                about,
                kept,
                transform.seal_key(pack, key),
                watch=lambda number, before=before: watch(before + number),
            )
            done += len(items)
    return manifests


def _own(lines: Sequence[bytes], chosen: Mapping[str, set[str]]) -> list[bytes]:
    own_lines: list[bytes] = []
    for line in lines:
        words = json.loads(line)
        if "pin" in words:
            source = PackSource.model_validate(words)
            pin = source.pin.model_copy(update={"count": len(chosen[source.task])})
            own_lines.append(
                to_line(source.model_copy(update={"pin": pin}).model_dump(mode="json"))
            )
        else:
            reference = PackReference.model_validate(words)
            if reference.item_id in chosen[reference.task]:
                own_lines.append(line)
    return own_lines
