"""The page of an attempt: scores by benchmark, and every item with the agent's answer."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.grading.errors import MissingExtraError
from snellen.grading.report.figures import counted, figure
from snellen.grading.report.html import digest_of, stylesheet
from snellen.grading.stats.over_tasks import TaskMean, mean_over_tasks
from snellen.sdk.exam.taken import Row, Step, TakenExam

if TYPE_CHECKING:
    from jinja2 import Template

_FEW = 5
_SUBJECT = (
    r"(?:Question|Description|Task|Instruction):\s*(?P<s>.+?)\s*(?:\n\s*\n|\Z)",
    r"best matches the description: (?P<s>.+?)\n",
    r"complete the following task: (?P<s>.+?)\n",
    r"matches the following task: (?P<s>.+)",
    r"corresponding to the command \"(?P<s>.+?)\" \(",
    r"clicking using `pyautogui.click`:\n(?P<s>.+)",
    r"指令\W(?P<s>.+)",
    r"(?P<s>.+?)\n(?:You should|Please|Reply|Answer|The answer|\s*\n)",
)


class Mean(NamedTuple):
    """The mean over several tasks, each counted once."""

    items: int  # the number of items
    answered: int  # the number of items with an answer
    value: float | None  # the mean, 0..1; None if a task has no value
    low: float | None  # the lower end of its 95 % interval; None if it has none
    high: float | None  # the upper end
    blind: float | None  # the mean without the images; None if it is not known
    chance: float | None  # the mean of a random choice; None if it is not known of a task


def page_of(exam: TakenExam) -> bytes:
    """Return an attempt as one HTML file that runs no script and loads nothing."""
    report = exam.taken.report
    style = stylesheet() + (files("snellen.sdk.exam") / "page.css").read_text("utf-8")
    whole = mean_of(exam.rows)
    html = _template().render(
        digest=digest_of(style),
        style=style,
        exam=str(report["exam"]),
        agent=exam.agent,
        baseline=exam.baseline,
        blind=whole.blind is not None,
        whole={"score": percent(whole.value), "interval": interval(whole)},
        facts=list(_facts(exam, whole)),
        shows=what_it_shows(whole) if exam.baseline else _held_against(report),
        groups=list(_groups(exam)),
        summary=_summary(exam),
        signatures=[str(task["signature"]) for task in report["tasks"]],
        sections=list(_sections(exam.taken.steps)),
    )
    # UTF-8 can't encode a lone surrogate.
    return html.encode("utf-8", "backslashreplace")


def by_benchmark(exam: TakenExam) -> Iterator[tuple[str, Mean, Sequence[Row]]]:
    """Yield each benchmark with its mean and its tasks, in the report's order."""
    groups: dict[str, list[Row]] = {}
    for row in exam.rows:
        groups.setdefault(row.task.split("/")[0], []).append(row)
    for name, rows in groups.items():
        yield name, mean_of(rows), rows


def mean_of(rows: Sequence[Row]) -> Mean:
    """Return the mean over some tasks."""
    scores = [TaskMean(row.value, row.low, row.high) for row in rows if row.value is not None]
    whole = mean_over_tasks(scores) if scores and len(scores) == len(rows) else None
    return Mean(
        items=sum(row.items for row in rows),
        answered=sum(row.answered for row in rows),
        value=None if whole is None else whole.value,
        low=None if whole is None else whole.low,
        high=None if whole is None else whole.high,
        blind=_mean([row.blind for row in rows]),
        chance=_mean([row.chance for row in rows]),
    )


def what_it_shows(whole: Mean) -> str:
    """Return two sentences about the result of a demonstration."""
    if whole.value is None:
        return (
            "The agent took the whole exam over MCP. Its answers are graded elsewhere, where the"
            " references are."
        )
    seen = f"The agent scores {figure(whole.value)} % with the images"
    if whole.blind is not None:
        seen += f" and {figure(whole.blind)} % without"
        if whole.low is not None and whole.low > whole.blind:
            seen += ", so a score on this exam depends on looking at the screen"
    return (
        f"{seen}. A model that scores no more than {figure(whole.value)} % reads these screens no"
        " better than OCR with layout rules."
    )


def _held_against(report: Mapping[str, Any]) -> str:
    """Return a sentence on an attempt's total, beside the baseline agent's."""
    total: Mapping[str, Any] | None = report.get("total")
    if total is None:
        return "The answers are graded elsewhere, where the references are."
    text = f"The total is the {total['name']}"
    if total["baseline"] is None:
        return f"{text}."
    return (
        f"{text}. On the same items, the included baseline agent, which uses OCR and layout rules,"
        f" scores {figure(total['baseline'])} %."
    )


def subject(prompt: str) -> str:
    r"""Return the subject of a prompt: its question, description or instruction.

    >>> subject("You see a page. Reply at once.\n\nQuestion: What is it?")
    'What is it?'
    """
    for pattern in _SUBJECT:
        found = re.search(pattern, prompt, re.DOTALL)
        if found:
            return " ".join(found["s"].split())
    return " ".join(prompt.split())


def percent(value: float | None) -> str:
    """Write a share in percent with one decimal; a dash if there is none.

    >>> percent(0.5)
    '50.0'
    """
    return "\N{EN DASH}" if value is None else figure(value)


def interval(row: Row | Mean) -> str:
    """Write the interval of a row; empty if there is none, or fewer than 5 items."""
    if row.low is None or row.high is None or row.items < _FEW:
        return ""
    return f"{figure(row.low)} \N{EN DASH} {figure(row.high)}"


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _facts(exam: TakenExam, whole: Mean) -> Iterator[tuple[str, str, str]]:
    yield "Items", f"{whole.items:,}", f"{whole.answered:,} answered"
    if whole.blind is not None:
        yield "Blind", f"{figure(whole.blind)} %", "the same agent without the images"
    if whole.chance is not None:
        yield "Chance", f"{figure(whole.chance)} %", "a random choice"
    yield "Time", f"{exam.seconds:.0f} s", "both attempts" if exam.blind else "one attempt"


def _groups(exam: TakenExam) -> Iterator[dict[str, Any]]:
    for name, mean, rows in by_benchmark(exam):
        yield {
            "name": name,
            "bar": _bar(mean),
            "tasks": [
                {"task": row.task, "metric": row.metric, "anchor": _anchor(row.task), **_cells(row)}
                for row in rows
            ],
            **_cells(mean),
        }


def _cells(row: Row | Mean) -> dict[str, str]:
    return {
        "items": str(row.items),
        "answered": str(row.answered),
        "score": percent(row.value),
        "interval": interval(row),
        "blind": percent(row.blind),
        "chance": percent(row.chance),
    }


def _bar(mean: Mean) -> str:
    shapes = ['<rect y="0" width="100%" height="100%" rx="3" fill="var(--wash)"/>']
    if mean.value is not None:
        width = f"{100 * mean.value:.1f}%"
        shapes.append(f'<rect y="0" width="{width}" height="100%" rx="3" fill="var(--soft)"/>')
    if mean.low is not None and mean.high is not None:
        ends = f'x1="{100 * mean.low:.1f}%" x2="{100 * mean.high:.1f}%"'
        shapes.append(f'<line {ends} y1="50%" y2="50%" stroke="var(--accent)" stroke-width="2"/>')
    return f'<svg aria-hidden="true" focusable="false">{"".join(shapes)}</svg>'


def _summary(exam: TakenExam) -> str:
    steps, cost = exam.taken.steps, exam.taken.report["cost"]
    answered = sum(step.answer is not None for step in steps)
    return (
        f"{counted(len(steps), 'item')} in {exam.seconds:.0f} seconds, {answered:,} with an answer."
        f" {cost['calls']:,} calls of the exam's tools, {cost['image_bytes'] / 1e6:.1f} MB of"
        f" images. Mode: {exam.taken.report['mode']}."
    )


def _sections(steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    by_task = sorted(steps, key=lambda step: step.question.task)
    for task, group in groupby(by_task, lambda step: step.question.task):
        yield {"task": task, "anchor": _anchor(task), "steps": [_card(step) for step in group]}


def _card(step: Step) -> dict[str, str | None]:
    answer = step.answer
    return {
        "image": None if step.thumbnail is None else b64encode(step.thumbnail).decode(),
        "subject": subject(step.question.prompt),
        "prompt": step.question.prompt,
        "answer": answer if answer is None or isinstance(answer, str) else json.dumps(answer),
        "why": step.why,
        "note": step.note,
        "value": None if step.value is None else figure(step.value),
    }


def _anchor(task: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in task)


def _template() -> "Template":
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise MissingExtraError("this page", "html") from None

    text = (files("snellen.sdk.exam") / "page.html.j2").read_text("utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
