"""Merging packs: the items of several packs in one, with their images and references."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from snellen.grading.errors import DataError, InputError
from snellen.grading.models.base import digest_of
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.tasks.pack.folders import new_folder
from snellen.tasks.pack.format import ITEMS, Built, Manifest, PackFile, PackSource, PackTask
from snellen.tasks.pack.read import Pack
from snellen.tasks.pack.references import to_line
from snellen.tasks.pack.transform import Line, check_outside, fill, reference_lines, seal_key

_FEW = 3


@dataclass(slots=True)
class _Task:
    """The collected data of one task.

    Attributes:
        spec: The task in the first pack.
        home: The first pack's name.
        lines: The lines by item id.
        sources: The sources of the references, one for each pack.
        golds: The lines of the references by item id.
    """

    spec: PackTask
    home: str
    lines: dict[str, Line] = field(default_factory=dict[str, Line])
    sources: list[PackSource] = field(default_factory=list[PackSource])
    golds: dict[str, bytes] = field(default_factory=dict[str, bytes])


def merge_packs(
    packs: Sequence[Pack],
    folder: Path,
    *,
    name: str,
    title: str = "",
    key: str | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack with all items of several packs.

    A task in several packs must have the same prompt, protocol and split. An item that is equal in
    two packs, byte for byte, is copied once, so that merging the parts of a split restores the
    whole. If the packs' references are of different data, the new pack has all of them, and a
    digest of its own; a metric that is fitted on the references (TF-IDF) is then fitted on all of
    them.

    Args:
        packs: At least two.
        folder: The folder to write; must not exist, or be empty.
        name: The name of the new pack.
        title: A line for people.
        key: Decrypts sealed references. If some are sealed, all of the new pack's are.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: Packs differ in a task's settings or have different items with one id; only some
            have references; or the folder is not empty, is inside a pack or can't be written.
        DataError: References are sealed and the key is missing or wrong, or an image is missing or
            was changed.
    """
    if len(packs) < 2:
        raise InputError("merging needs at least two packs")
    check_outside(folder, packs)
    with_gold = [pack for pack in packs if pack.manifest.references is not None]
    if with_gold and len(with_gold) < len(packs):
        bare = next(pack for pack in packs if pack.manifest.references is None)
        raise InputError(
            f"{bare.name} has no references but {with_gold[0].name} has: copy both with snellen"
            " pack split --without-references, or use the pack that was copied",
            file=str(bare.folder),
        )
    tasks: dict[str, _Task] = {}
    for pack in packs:
        _gather(pack, key, tasks)
    lines = [line for task in tasks.values() for line in _ordered(task)]
    about = _about(packs, tasks, name, title)
    secrets = [secret for pack in packs if (secret := seal_key(pack, key)) is not None]
    references = [line for task in tasks.values() for line in _references(task)]
    with new_folder(folder) as room:
        return fill(
            room,
            lines,
            about,
            references if with_gold else None,
            secrets[0] if secrets else None,
            watch=watch,
        )


def _gather(pack: Pack, key: str | None, tasks: dict[str, _Task]) -> None:
    for spec in pack.manifest.tasks:
        known = tasks.setdefault(spec.task, _Task(spec, pack.name))
        _check_same(known, spec, pack)
        clashes: list[str] = []
        for item_id, index in pack.index[spec.task].items():
            line = Line(pack, index)
            if known.lines.setdefault(item_id, line).data != line.data:
                clashes.append(item_id)
        _refuse(clashes, "items", spec.task, pack)
    clashing: dict[str, list[str]] = {}
    for line in reference_lines(pack, key) or ():
        words = json.loads(line)
        known = tasks.get(words["task"])
        if known is None:
            continue
        if "pin" in words:
            known.sources.append(PackSource.model_validate(words))
        elif known.golds.setdefault(words["item_id"], line) != line:
            clashing.setdefault(words["task"], []).append(words["item_id"])
    for task, ids in clashing.items():
        _refuse(ids, "references", task, pack)


def _check_same(known: _Task, spec: PackTask, pack: Pack) -> None:
    for what in ("protocol", "prompt", "split"):
        old, new = getattr(known.spec, what), getattr(spec, what)
        if old != new:
            raise InputError(
                f"{spec.task} has the {what} {old!r} in {known.home} and {new!r} in {pack.name}:"
                f" a pack has one {what} for a task; create {pack.name} again with --{what} {old}",
                file=str(pack.folder),
                field=what,
            )


def _refuse(clashes: Sequence[str], what: str, task: str, pack: Pack) -> None:
    if clashes:
        few = ", ".join(clashes[:_FEW]) + (", ..." if len(clashes) > _FEW else "")
        raise InputError(
            f"{len(clashes):,} {what} of {task} differ from an earlier pack's with the same ids:"
            f" {few}; remove them from one of the packs, or create it again with other ids",
            file=str(pack.folder),
        )


def _ordered(task: _Task) -> list[Line]:
    """Return a task's lines in the order of its references, if it has any."""
    order = {item_id: index for index, item_id in enumerate(task.golds)}
    return [
        task.lines[item_id] for item_id in sorted(task.lines, key=lambda one: order.get(one, 0))
    ]


def _references(task: _Task) -> list[bytes]:
    if not task.sources:
        return []
    source = task.sources[0].model_copy(update={"pin": _pin(task)})
    return [to_line(source.model_dump(mode="json")), *task.golds.values()]


def _pin(task: _Task) -> DataPin:
    """Return the source of the references: one pack's, if it has them all."""
    first = task.sources[0]
    for source in task.sources[1:]:
        for what in ("cluster", "by_rater"):
            if getattr(source, what) != getattr(first, what):
                raise DataError(
                    f"the packs' data of {first.task} differ in {what}: {getattr(first, what)!r}"
                    f" and {getattr(source, what)!r}; they can't be merged"
                )
    for source in task.sources:
        if source.pin.count == len(task.golds):
            return source.pin
    digests = sorted({source.pin.sha256 for source in task.sources})
    return DataPin(
        release="unknown",
        sha256=digests[0] if len(digests) == 1 else digest_of(digests),
        count=len(task.golds),
        verdict=PinVerdict.UNKNOWN,
    )


def _about(packs: Sequence[Pack], tasks: Mapping[str, _Task], name: str, title: str) -> Manifest:
    licences = dict.fromkeys(pack.manifest.licence for pack in packs if pack.manifest.licence)
    records = [pack.manifest.built for pack in packs]
    built = next(iter(records))
    if any(record != built for record in records):
        built = Built(parts=tuple(record or Built() for record in records))
    try:
        return Manifest(
            name=name,
            title=title,
            tasks=tuple(
                task.spec.model_copy(update={"items": len(task.lines)}) for task in tasks.values()
            ),
            files={ITEMS: PackFile(sha256="0" * 64, bytes=0)},
            images=0,
            image_bytes=0,
            canary="",
            licence="; ".join(licences),
            built=built,
        )
    except ValidationError:
        raise InputError(
            f"{name!r} is not valid as a pack's name: use lower-case letters, digits and dashes, at"
            " most 64",
            field="name",
        ) from None
