"""Removing items from a pack: lists of items, and packs without them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from snellen.grading.errors import DataError, InputError
from snellen.tasks.corrections.overlay import Correction, correction_of, corrections_text
from snellen.tasks.pack.format import Built, Manifest, RemovedItem
from snellen.tasks.pack.read import Pack
from snellen.tasks.pack.transform import selected_manifest, without, write_selection

BY_HAND = "removed by hand"
"""The reason of an item if a list gives none."""


def removed_text(removed: Iterable[RemovedItem], source: str = "") -> str:
    """Return a list of items as corrections that exclude them; it tells nothing of references."""
    return corrections_text(
        Correction(task=one.task, item=one.item, reason=one.reason, exclude=True, source=source)
        for one in removed
    )


def read_removed(path: Path, pack: Pack) -> list[RemovedItem]:
    """Read a list of items to remove.

    A line is a correction that excludes an item, as JSON, or a task, an item's id and a reason,
    separated by tabs. The reason may be missing. A line may be an id alone if only one task has an
    item with this id. Empty lines and lines that begin with `#` are ignored.

    Raises:
        InputError: The file can't be read, or a line names an item that the pack does not have.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"can't read the list of items: {reason}", file=str(path)) from error
    homes: dict[str, list[str]] = {}
    for task, indexes in pack.index.items():
        for item_id in indexes:
            homes.setdefault(item_id, []).append(task)
    items: list[RemovedItem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            try:
                items.append(_read(line, homes, pack))
            except (DataError, InputError) as error:
                raise InputError(error.message, file=str(path), line=number) from None
    return items


def _read(line: str, homes: Mapping[str, list[str]], pack: Pack) -> RemovedItem:
    if line.startswith("{"):
        row = correction_of(line)
        if not row.exclude:
            raise InputError(f"it replaces the reference of {row.item}; it removes no item")
        task, rest = row.task, [row.item, row.reason]
    else:
        task, *rest = (part.strip() for part in line.split("\t", 2))
    if not rest:
        tasks = homes.get(task, [])
        if len(tasks) != 1:
            has = (
                f"is an item of {' and of '.join(tasks)}" if tasks else "is not an item of the pack"
            )
            raise InputError(f"{task!r} {has}; write the task, a tab, and the item's id")
        task, rest = tasks[0], [task]
    if task not in homes.get(rest[0], []):
        raise InputError(f"the pack {pack.name} has no item {rest[0]!r} of {task!r}")
    return RemovedItem(task=task, item=rest[0], reason=(rest[1] if rest[1:] else "") or BY_HAND)


def remove(
    pack: Pack,
    removed: Iterable[RemovedItem],
    folder: Path,
    *,
    key: str | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack without some of its items; the manifest lists them with the reasons.

    The other item of a pair is removed, too. The references of all the data are kept, so that the
    scores of the other items do not change.

    Args:
        pack: The pack.
        removed: The items to remove.
        folder: The folder to write; must not exist, or be empty.
        key: Decrypts sealed references, and seals them again.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: The pack does not have one of the items, no item is left, or the folder is not
            empty, is inside the pack or can't be written.
        DataError: The references are sealed and the key is missing or wrong, or an image is missing
            or was changed.
    """
    by_item = {(item.task, item.item): item for item in removed}
    if not by_item:
        raise InputError("the list has no item to remove")
    gone: dict[str, set[str]] = {}
    for task, item_id in by_item:
        gone.setdefault(task, set()).add(item_id)
    kept = without(pack, gone)
    log = list(by_item.values())
    for task, indexes in pack.index.items():
        for item_id in indexes:
            if item_id not in kept[task] and (task, item_id) not in by_item:
                reason = "the other half of its pair was removed"
                log.append(RemovedItem(task=task, item=item_id, reason=reason))
    built = pack.manifest.built or Built()
    about = selected_manifest(pack, kept).model_copy(
        update={"built": built.model_copy(update={"struck": (*built.struck, *log)})}
    )
    return write_selection(pack, kept, folder, about=about, key=key, watch=watch)
