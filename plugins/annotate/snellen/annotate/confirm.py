"""A pack whose references are what raters confirmed, with the corrections."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from pydantic import JsonValue

from snellen.annotate.models import RatedItem, RaterAnswer, RaterReport
from snellen.annotate.report import published_of
from snellen.grading.errors import InputError
from snellen.grading.models.base import Closed, digest_of
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.corrections.overlay import Correction, digest_of_gold
from snellen.tasks.models import TaskData
from snellen.tasks.pack import transform
from snellen.tasks.pack.folders import new_folder
from snellen.tasks.pack.format import Built, Manifest, PackSource, RemovedItem
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.references import to_line

LEAST_RATERS = 2
"""How many raters must agree on a reference, if nobody says otherwise."""

_LEFT_OUT = "its raters do not agree on a reference"


class Confirmed(Closed):
    """A reference that raters confirmed.

    Attributes:
        task: The task's id.
        item_id: The item's id.
        gold: It, in the task's published form.
        raters: Whose answer it is.
        at: When the last of them answered, in milliseconds since 1970.
    """

    task: str
    item_id: str
    gold: JsonValue
    raters: tuple[str, ...]
    at: int


def confirmed(
    data: TaskData,
    report: RaterReport,
    answers: Sequence[RaterAnswer],
    *,
    raters: int = LEAST_RATERS,
    least: float = 0.5,
) -> Sequence[Confirmed]:
    """Return the references that raters confirmed.

    If the report asked the references, it is that of items whose own are probably wrong; else it is
    that of every item. Of groups that are equally large none is taken.

    Args:
        data: The task.
        report: How its raters did.
        answers: What they answered.
        raters: How many must agree.
        least: How probable it must be that an item's reference is wrong.

    Raises:
        DataError: An answer makes no reference.
    """
    given = {(each.item_id, each.rater): each for each in answers if each.task == data.task}
    found: list[Confirmed] = []
    for item in report.rated:
        group = _leading(item, raters)
        if not group or (item.wrong is not None and item.wrong < least):
            continue
        own = [given[item.item_id, rater] for rater in group]
        found.append(
            Confirmed(
                task=data.task,
                item_id=item.item_id,
                gold=msgspec.to_builtins(published_of(data, own)),
                raters=group,
                at=max(each.at for each in own),
            )
        )
    return found


def _leading(item: RatedItem, raters: int) -> tuple[str, ...]:
    first, *rest = item.others or ((),)
    tied = bool(rest) and len(rest[0]) == len(first)
    return () if tied or len(first) < raters else first


def write_confirmed(
    pack: Pack,
    found: Sequence[Confirmed],
    folder: Path,
    *,
    made: Sequence[str] = (),
    key: str | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> tuple[Manifest, Sequence[Correction]]:
    """Write a pack with confirmed references in the place of its own; return the corrections.

    Items and images are the same bytes. The manifest's version is one more, and the data's pin
    is another, so that every signature says which references it is of.

    Args:
        pack: The pack.
        found: The confirmed references.
        folder: Where to; must not exist, or be empty.
        made: The tasks whose references were made: their items without a confirmed one are left
            out.
        key: Opens the references where they are sealed, and seals them again.
        watch: Called after each item with how many are done.

    Raises:
        InputError: Nothing changes, no item is left, or the folder holds something, lies in the
            pack or can't be written.
        DataError: The references can't be opened, or an image is missing or was changed.
    """
    transform.check_outside(folder, [pack])
    by_item = {(one.task, one.item_id): one for one in found}
    gone = {
        task: {item for item in pack.index[task] if (task, item) not in by_item} for task in made
    }
    chosen = transform.without(pack, gone)
    about = transform.selected_manifest(pack, chosen)
    if any(gone.values()):
        removed = tuple(
            RemovedItem(task=task, item=item, reason=_LEFT_OUT)
            for task, places in pack.index.items()
            for item in places
            if item not in chosen[task]
        )
        built = about.built or Built()
        about = about.model_copy(
            update={"built": built.model_copy(update={"struck": (*built.struck, *removed)})}
        )
    tasks = {task.task for task in about.tasks}
    lines = transform.of_tasks(transform.reference_lines(pack, key), tasks) or []
    changed, changes = _changed(lines, by_item)
    if not changes:
        raise InputError("no reference changes: the raters confirm those that there are")
    about = about.model_copy(update={"version": pack.manifest.version + 1})
    with new_folder(folder) as room:
        sealed = transform.seal_key(pack, key)
        manifest = transform.fill(
            room, transform.chosen_lines(pack, chosen), about, changed, sealed, watch=watch
        )
        # What can't be read again must not be left there.
        open_references(open_pack(room), key)
    return manifest, changes


def _changed(
    lines: Sequence[bytes], by_item: Mapping[tuple[str, str], Confirmed]
) -> tuple[Sequence[bytes], Sequence[Correction]]:
    changes: dict[str, list[Correction]] = {}
    heads: dict[str, int] = {}
    written: list[bytes] = []
    for line in lines:
        said = json.loads(line)
        task = said["task"]
        if "pin" in said:
            heads[task] = len(written)
        elif one := by_item.get((task, said["item_id"])):
            shape = gold_shape(task)
            before, after = (digest_of_gold(shape.read(gold)) for gold in (said["gold"], one.gold))
            if before != after:
                # What was done to make the item is of the reference that it had.
                said |= {"gold": one.gold, "record": {"raters": one.raters, "at": one.at}}
                day = datetime.fromtimestamp(one.at / 1000, UTC).date()
                change = Correction(
                    task=task,
                    item=one.item_id,
                    reason=f"{len(one.raters)} raters give another answer.",
                    old=before,
                    new=one.gold,
                    source=f"an annotation by {', '.join(one.raters)}, {day}",
                )
                changes.setdefault(task, []).append(change)
        written.append(to_line(said))
    for task, own in changes.items():
        source = PackSource.model_validate_json(written[heads[task]])
        pin = DataPin(
            release="unknown",
            sha256=digest_of(
                {
                    "before": source.pin.sha256,
                    "changes": [[change.item, change.new] for change in own],
                }
            ),
            count=source.pin.count,
            verdict=PinVerdict.UNKNOWN,
            note=f"{len(own)} references are raters'",
        )
        known = source.model_copy(update={"pin": pin})
        written[heads[task]] = to_line(known.model_dump(mode="json"))
    return written, [change for own in changes.values() for change in own]
