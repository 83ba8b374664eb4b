"""The numbers of every task under every protocol, and the signatures of their reports.

Each task is graded twice: on its miniature, which is loaded like the published files, and on the
references of its `golden.json`, given in memory. The answers are right ones in every
form that a protocol of the task asks for, changed ones, wrong ones and strange ones, so that most
rules are used: each answer is one attempt at its item.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from miniatures import references, written
from stored import digest

from snellen import sdk
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import PROTOCOLS, gold_shape
from snellen.sdk.report import Report

CHANGES = (
    "The answer is {}.",
    "Answer: {}",
    "**{}**",
    '{{"answer": "{}"}}',
    "<think>0, 0</think>{}",
    "```\n{}\n```",
    "{0} or {0}",
    "I can't see it, but I guess {}",
)
FACTORS = (0.5, 0.9, 0.98, 1.02, 1.05, 1.12, 1.2, 2)
"""What the numbers of a right answer are multiplied by: a limit lies between two of them."""

STRANGE: tuple[Any, ...] = (
    "",
    "<no answer>",
    "I'm sorry, but I can't help with that.",
    "B",
    "(C) left",
    "0",
    "1,000",
    "(0.5, 0.3)",
    "click(x=100, y=20)",
    "[10, 20, 300, 400]",
    "<|box_start|>(120,40)<|box_end|>",
    "crop_1 is at the [left] of crop_2",
    '{"action_type": "click", "x": 20, "y": 30}',
    '{"success": 0, "cost": 3}',
    "the quick brown fox",
    "中文测试",
    None,
    True,
    3.5,
    [],
    [1, 2],
    [0.1, 0.2, 0.3, 0.4],
    ["a", "b"],
    [[[0, 0, 5, 5], "a"]],
    {"x": 1, "y": 2},
    {"success": True, "cost": 5},
    {"success": 0.5, "cost": 1000},
)


class Graded(NamedTuple):
    """A report, and its task, protocol and kind of data as a name."""

    name: str
    report: Report


def graded(folder: Path, benchmarks: Sequence[str] = ()) -> Iterator[Graded]:
    """Yield the reports of every task, or of those of some benchmarks, under every protocol."""
    given = references()
    folders: dict[str, Path] = {}
    for task in PROTOCOLS:
        benchmark = task.partition("/")[0]
        if benchmarks and benchmark not in benchmarks:
            continue
        if benchmark not in folders:
            (folder / benchmark).mkdir()
            folders[benchmark] = written(benchmark, folder / benchmark)
        data = sdk.load(task, folders[benchmark])
        answers = list(answers_of(task, data.ids, list(data.golds)))
        reports = sdk.explain(answers, task=task, data=data).reports
        yield from (Graded(f"{task} {name}, data", report) for name, report in reports.items())

        by_id = {f"item-{number}": gold for number, gold in enumerate(given[task])}
        golds = [gold_shape(task).read(gold) for gold in by_id.values()]
        answers = list(answers_of(task, list(by_id), golds))
        reports = sdk.explain(answers, task=task, references=by_id).reports
        yield from (Graded(f"{task} {name}, memory", report) for name, report in reports.items())


def numbers(folder: Path, *benchmarks: str) -> dict[str, object]:
    """Return the numbers of the tasks under all protocols."""
    return {each.name: summary(each.report) for each in graded(folder, benchmarks)}


def signatures(folder: Path, *benchmarks: str) -> dict[str, object]:
    """Return the signatures of the tasks under all protocols."""
    return {each.name: signature(each.report) for each in graded(folder, benchmarks)}


def answers_of(task: str, ids: Sequence[str], golds: Sequence[Gold]) -> Iterator[dict[str, Any]]:
    """Yield answers to items; of one item an attempt is missing, of another one failed."""
    right = [_right(task, gold) for gold in golds]
    for index, item in enumerate(ids):
        first = right[index][0]
        text = first if isinstance(first, str) else json.dumps(first)
        changed = [change.format(text) for change in CHANGES]
        wrong = right[(index + 1) % len(right)][0]
        near = [_scaled(first, factor) for factor in FACTORS]
        responses = [*right[index], wrong, *changed, *_worded(text), *near, *STRANGE]
        for attempt, response in enumerate(responses[index == 1 :]):
            yield {"item_id": item, "attempt": attempt, "response": response}
        if index == 1:
            last = len(responses) - 1
            yield {"item_id": item, "attempt": last, "response": None, "error": "timeout"}


def _worded(text: str) -> list[str]:
    """Return a text in other letters and order, with some letters wrong, and with words lost."""
    words = text.split()
    # From the end, where JSON has what is typed.
    wrong = [re.sub(r"[a-z]", "x", text[::-1], count=count)[::-1] for count in (1, 2, 3)]
    lost = [" ".join(words[:-1]), " ".join(words[: len(words) // 2])]
    return [text.upper(), text.swapcase(), " ".join(reversed(words)), *wrong, *lost, text[1:]]


def _scaled(response: Any, factor: float) -> Any:
    """Return a response with its numbers multiplied."""

    def scale(match: re.Match[str]) -> str:
        return f"{float(match[0]) * factor:.4g}"

    number = r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])"
    if isinstance(response, str):
        return re.sub(number, scale, response)
    return json.loads(re.sub(number, scale, json.dumps(response)))


def _right(task: str, gold: Gold) -> list[Any]:
    shape = gold_shape(task)
    # The published form is the first one, whichever protocol is the default.
    published = (protocol for protocol in PROTOCOLS[task] if not protocol.is_ours)
    first = next(published, PROTOCOLS[task][0])
    others = [protocol for protocol in PROTOCOLS[task] if protocol is not first]
    forms = [protocol.write or shape.responses for protocol in (first, *others)]
    found = [response for write in forms for response in write(gold)]
    return list({json.dumps(response, default=str): response for response in found}.values())


def summary(report: Report) -> str:
    """Return a report's score, and the digests of its items' scores and of its other numbers."""
    columns = report.scores.columns()
    scores = digest(
        columns.keys,
        columns.values.tolist(),
        columns.outcomes.tolist(),
        columns.crashed.tolist(),
    )
    numbers = report.numbers.model_dump(mode="json")
    metrics = digest(numbers.pop("metrics"), report.input.crashed)
    measures = numbers.pop("measures", None)
    measured = f" measures {digest(measures)}" if measures else ""
    published = numbers.pop("as_published", None)
    measured += f" published {digest(published)}" if published else ""
    return f"{report.value:.6f} items {scores} metrics {metrics} rest {digest(numbers)}{measured}"


def signature(report: Report) -> str:
    """Return a report's signature, without what changes with another version of a package.

    That is the version of snellen, and the digest of a parquet file that a test writes.
    """
    parts = [part for part in report.signature.split("|") if not part.startswith("snellen:")]
    text = "|".join(parts)
    file = report.provenance.data.path
    if file is not None and any(Path(file).rglob("*.parquet")):
        return re.sub(r"sha256:\w+", "sha256:parquet", text, count=1)
    return text
