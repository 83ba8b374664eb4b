"""Every task for Inspect AI: `inspect eval snellen/screenspot_pro --model ... -T data=FOLDER`.

Inspect asks the model, with its providers, retries, limits and viewer; the messages, the protocol
and the numbers are snellen's. The entry point `inspect_ai` in pyproject.toml registers the tasks: a
task by its id (`snellen/screenqa_short`), and a benchmark of one task by its name
(`snellen/screenspot_pro`). References stay out of the log.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from snellen.grading.errors import SnellenError
from snellen.grading.models.scores import Outcome
from snellen.sdk.data.selection import select
from snellen.sdk.local import grade
from snellen.sdk.report import Report
from snellen.sdk.scoring import choose
from snellen.sdk.submissions.kinds import said
from snellen.tasks.benchmarks.table import TASKS, benchmark_of, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.views import view

_UNSCORED = (Outcome.MISSING, Outcome.ERROR)
# What servers say, with HTTP 200, of an answer that they could not finish, or that they withheld.
_BROKEN = re.compile(r"error|abort|cancel|insufficient_system_resource", re.IGNORECASE)
_WITHHELD = re.compile(
    r"content_filter|safety|recitation|prohibited_content|blocklist|spii|sensitive|refusal",
    re.IGNORECASE,
)


class UnfinishedError(SnellenError):
    """The provider reports that it could not finish an answer: a fault, not an answer."""


@dataclass
class _Run:
    """The answers of one evaluation, as `grade` takes them."""

    data: TaskData
    protocol: str
    ids: Sequence[str]
    rows: dict[tuple[str, int], dict[str, Any]] = field(
        default_factory=dict[tuple[str, int], dict[str, Any]]
    )

    def add(self, item: str, epoch: int, **what: object) -> None:
        self.rows[item, epoch] = {"item_id": item, "attempt": epoch - 1, **what}

    def report(self, rows: Sequence[Mapping[str, Any]], items: Iterable[str] | None) -> Report:
        """Grade answers to some items; None: to all."""
        return grade(rows, data=self.data, protocol=self.protocol, items=items, progress=False)

    def whole(self) -> Report:
        """Grade all answers, to the items that were asked."""
        rows = list(self.rows.values())
        asked = dict.fromkeys(row["item_id"] for row in rows)
        return self.report(rows, None if len(asked) == len(self.ids) else asked)


def inspect_task(
    name: str,
    data: str,
    prompt: str | None = None,
    protocol: str | None = None,
    split: str | None = None,
    images: str | None = None,
    max_view_side: int | None = None,
    blind: bool = False,
) -> Task:
    """Return a task for Inspect: our messages, our protocol, and a report's numbers as metrics.

    Args:
        name: The task's id, such as `screenqa/short`.
        data: The published folder or file, or a pack's folder.
        prompt: The name of one of the task's prompts; None: its first one.
        protocol: The protocol; None: the task's default.
        split: The split of the data; None: `test` if there is one.
        images: A folder of images, if the data does not contain them.
        max_view_side: Scale images down so that no side is longer, in pixels.
        blind: Whether no image is sent.

    Raises:
        DataError: The data or its images can't be read.
        InputError: There is no such protocol, prompt or split.
    """
    chosen = choose(name, protocol, None)
    loaded = load_task(name, data, split=split, images=images, prompt=prompt)
    ids = select(name, loaded).ids
    run = _Run(loaded, chosen.name, ids)
    # Any answer's report has the signature.
    signed = run.report([{"item_id": ids[0], "response": ""}], items=None)
    return Task(
        dataset=MemoryDataset(
            [Sample(id=item, input=loaded.item(item).prompt) for item in ids], name=name
        ),
        solver=_ask(run, max_view_side, blind),
        scorer=_judge(run),
        # A fault of one request is an error of its sample, not the end of the evaluation.
        fail_on_error=False,
        metadata={"signature": signed.signature, "protocol": chosen.id},
    )


@solver
def _ask(run: _Run, max_view_side: int | None, blind: bool) -> Solver:
    def message(item_id: str) -> ChatMessageUser:
        item = run.data.item(item_id)
        if blind or not item.images:
            return ChatMessageUser(content=item.prompt)
        shown: list[ContentImage | ContentText] = []
        for image in item.images:
            sent = view(run.data.image(item_id, image.name), max_view_side)
            body = b64encode(sent.data).decode("ascii")
            shown.append(ContentImage(image=f"data:{sent.media_type};base64,{body}"))
        return ChatMessageUser(content=[*shown, ContentText(text=item.prompt)])

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = str(state.sample_id)
        try:
            state.messages = [await asyncio.to_thread(message, item)]
            # A call of a tool is an answer; nothing is done for it.
            state = await generate(state, tool_calls="none")
            ended = _ended(state)
            if state.output.error or _BROKEN.search(ended):
                raise UnfinishedError(state.output.error or f"the answer ended with {ended!r}")
            if _WITHHELD.search(ended) and state.output.choices:
                # Inspect knows one of these words.
                state.output.choices[0].stop_reason = "content_filter"
        except Exception as error:
            run.add(item, state.epoch, error=str(error) or type(error).__name__)
            raise
        return state

    return solve


def _ended(state: TaskState) -> str:
    """Return why the provider ended its last answer, in its own word; empty if it says nothing."""
    asked = [event for event in transcript().events if isinstance(event, ModelEvent)]
    reply = asked[-1].call.response if asked and asked[-1].call else None
    choices: Any = reply.get("choices") if isinstance(reply, dict) else None
    return str(choices[0].get("finish_reason") or "") if choices else state.output.stop_reason


def _judge(run: _Run) -> Scorer:
    @metric
    def report() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float]:
            return _numbers(run.whole())

        return compute  # type: ignore[return-value]  # a protocol with overloads

    @scorer(metrics=[report()], name=run.protocol)
    def protocol() -> Scorer:
        async def judge(state: TaskState, target: Target) -> Score:
            response = said(state.output.model_dump(mode="json"))
            item = str(state.sample_id)
            run.add(item, state.epoch, response=response)
            (found,) = run.report([{"item_id": item, "response": response}], [item]).scores
            answer = response if isinstance(response, str) else state.output.completion
            about = {"outcome": found.outcome.value}
            if found.outcome in _UNSCORED:
                return Score.unscored(reason=found.outcome.value, answer=answer, metadata=about)
            return Score(
                value=dict(found.metrics), answer=answer, explanation=found.note, metadata=about
            )

        return judge

    return protocol()


def _numbers(report: Report) -> dict[str, float]:
    """Return the metrics of a report with their intervals."""
    found: dict[str, float] = {}
    for key, value in report.metrics.items():
        found[key] = value.value
        estimate = report.numbers.estimates.get(key)
        if estimate is not None and estimate.interval is not None:
            found |= {f"{key}_low": estimate.interval.low, f"{key}_high": estimate.interval.high}
    return found


def _register(name: str, task_id: str) -> Callable[..., Task]:
    def made(
        data: str,
        prompt: str | None = None,
        protocol: str | None = None,
        split: str | None = None,
        images: str | None = None,
        max_view_side: int | None = None,
        blind: bool = False,
    ) -> Task:
        return inspect_task(
            task_id, data, prompt, protocol, split, images, max_view_side, blind=blind
        )

    return task(name=name)(made)


def _named(text: str) -> str:
    return re.sub(r"\W", "_", text)


REGISTERED: dict[str, Callable[..., Task]] = {}
"""The functions that make the tasks, by the names under which Inspect knows them."""

for _id in TASKS:
    REGISTERED[_named(_id)] = _register(_named(_id), _id)
    _benchmark = benchmark_of(_id)
    if len(_benchmark.tasks) == 1:
        REGISTERED[_named(_benchmark.name)] = _register(_named(_benchmark.name), _id)
