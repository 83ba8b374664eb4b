"""The page of an attempt in a store."""

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from snellen.sdk.exam.client import ExamItem
from snellen.sdk.exam.page import page_of
from snellen.sdk.exam.taken import AttemptLog, Step, TakenExam

if TYPE_CHECKING:
    from snellen.server.attempts.models import TaskAnswers
    from snellen.server.attempts.service import Service
    from snellen.server.store.tables.exams import Attempt

_SIDE = 480


def attempt_page(service: "Service", attempt: "Attempt") -> bytes:
    """Return a closed attempt as one HTML file: its total, its tasks and every item.

    Raises:
        ExamError: The attempt is open, of another exam, or the references are missing.
    """
    report = service.grade(attempt).model_dump(mode="json")
    steps = [step for part in service.export(attempt) for step in _steps(service, part)]
    log = AttemptLog(report, steps)
    name = attempt.model or attempt.caller
    return page_of(TakenExam(log, None, report["cost"]["seconds"], name))


def _steps(service: "Service", part: "TaskAnswers") -> Iterator[Step]:
    values = service.item_values(part)
    for item, submission, value in zip(part.items, part.submissions, values, strict=True):
        line = service.exam.line(part.task, item)
        question = ExamItem(item, part.task, line.item.prompt, line.item.answer_format.kind.value)
        yield Step(
            question,
            submission.response,
            submission.error or "",
            _thumbnail(service, part.task, item),
            value,
        )


def _thumbnail(service: "Service", task: str, item: str) -> bytes | None:
    """Return an item's first image as a small WebP; None: it has none."""
    from PIL import Image

    line = service.exam.line(task, item)
    if not line.item.images:
        return None
    pack = service.exam.packs_by_task[task]
    with Image.open(BytesIO(pack.image(line, line.item.images[0].name))) as image:
        small = image.convert("RGB")
        small.thumbnail((_SIDE, _SIDE * 4))
        written = BytesIO()
        small.save(written, "WEBP", quality=70)
    return written.getvalue()
