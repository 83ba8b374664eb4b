"""Reports on raters: the only module of annotation that opens references, for organizers."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.annotate.models import RaterAnswer, RaterReport
from snellen.server.errors import ExamError
from snellen.server.store.tables.annotations import AnnotationMode
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import Pack, has_references, open_references, task_data


class RatedTask(NamedTuple):
    """A task that raters answered."""

    data: TaskData  # the task, with its references
    report: RaterReport  # the report on the raters

    def reference(self, item: str) -> Any:  # noqa: ANN401  # the published shape
        """Return an item's reference as plain values."""
        gold = self.data.golds[self.data.index[item]]
        try:
            return msgspec.to_builtins(gold)
        except TypeError:
            return {"|".join(pair): str(relation) for pair, relation in gold.items()}


def rated_tasks(
    pack: Pack, key: str | None, mode: AnnotationMode, answers: Sequence[RaterAnswer]
) -> Sequence[RatedTask]:
    """Return the reports on raters, task by task, under each task's protocol in the pack.

    Raises:
        ExamError: The pack has no references.
        SnellenError: The references can't be opened, or an answer can't be graded.
    """
    from snellen.annotate.report import rate

    if not has_references(pack):
        raise ExamError(
            f"the pack {pack.name} has no references: report from an export, where they are"
        )
    references = open_references(pack, key)
    found: list[RatedTask] = []
    for task in pack.index:
        own = [answer for answer in answers if answer.task == task and not answer.reason]
        if own:
            data = task_data(pack, references, task)
            rule = pack.task(task).protocol.partition("@")[0]
            given = [answer for answer in answers if answer.task == task]
            report = rate(data, given, rule, references=mode is AnnotationMode.CHECK)
            found.append(RatedTask(data, report))
    return found


class Rater:
    """Caches reports on raters until an answer changes.

    Args:
        key_of: Finds the key of a pack's references; None: they are readable.
    """

    def __init__(self, key_of: Callable[[Pack], str | None]) -> None:
        self._key_of = key_of
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[object, Sequence[RatedTask]]] = {}

    def __call__(
        self, name: str, pack: Pack, mode: AnnotationMode, answers: Sequence[RaterAnswer]
    ) -> Sequence[RatedTask]:
        """Return the reports on an annotation's raters; see `rated_tasks`."""
        now = tuple(answers)
        with self._lock:
            before = self._kept.get(name)
            if before is None or before[0] != now:
                before = now, rated_tasks(pack, self._key_of(pack), mode, answers)
                self._kept[name] = before
            return before[1]
