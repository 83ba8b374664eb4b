"""Raters' answers to a pack's items, graded and compared."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from snellen.annotate.agreement import THRESHOLD
from snellen.annotate.models import RaterAnswer, RaterReport
from snellen.annotate.report import rate as rate_task
from snellen.annotate.suspicion import COINCIDENCE
from snellen.grading.errors import DataError, InputError
from snellen.tasks.pack import seal
from snellen.tasks.pack.read import open_pack, open_references, task_data


def rate(
    answers: str | Path | Iterable[RaterAnswer],
    *,
    data: str | Path,
    task: str | None = None,
    protocol: str | None = None,
    key: str | Path | None = None,
    references: bool = True,
    threshold: float = THRESHOLD,
    coincidence: float = COINCIDENCE,
) -> RaterReport:
    """Grade and compare raters: the human ceiling, agreement, and suspicious references.

    Args:
        answers: The raters' answers, or a file of them from `snellen annotation report -o`.
        data: The folder of the pack.
        task: The task; None: the only one with answers.
        protocol: The protocol that grades them; None: the pack's.
        key: The file of the key of sealed references; None: `SNELLEN_PACK_KEY`.
        references: Whether to use the references; without them, only raters are compared.
        threshold: The share of the metric's best value from which two answers agree.
        coincidence: The probability that two wrong answers are equal.

    Raises:
        InputError: The file can't be read, or several tasks have answers and none is named.
        DataError: A line is not an answer, an item is not in the pack, or the references can't be
            opened.
        MetricError: No answer can be graded.
    """
    given = read_answers(Path(answers)) if isinstance(answers, str | Path) else list(answers)
    tasks = {answer.task for answer in given}
    if task is None and len(tasks) != 1:
        raise InputError(f"give the task: {', '.join(sorted(tasks)) or 'none was answered'}")
    chosen = task or next(iter(tasks))
    pack = open_pack(data)
    named = protocol or pack.task(chosen).protocol.partition("@")[0]
    secret = seal.find_key(None if key is None else Path(key), pack=pack.folder)
    return rate_task(
        task_data(pack, open_references(pack, secret), chosen),
        given,
        named,
        references=references,
        threshold=threshold,
        coincidence=coincidence,
    )


def read_answers(path: Path) -> list[RaterAnswer]:
    """Read what `snellen annotation report -o` wrote: an answer a line, as JSON.

    Raises:
        InputError: The file can't be read.
        DataError: A line is no answer.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise InputError(f"can't be read: {reason}", file=str(path)) from error
    found: list[RaterAnswer] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(RaterAnswer.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or None
            raise DataError(first["msg"], file=str(path), line=number, field=field) from None
    return found
