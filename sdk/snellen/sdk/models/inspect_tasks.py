"""Every task for Inspect AI: `inspect eval snellen/screenspot_pro --model ... -T data=FOLDER`.

Inspect asks the model, with its providers, retries, limits and viewer; the messages, the protocol
and the numbers are snellen's. The entry point `inspect_ai` in pyproject.toml registers the tasks: a
task by its id (`snellen/screenqa_short`), and a benchmark of one task by its name
(`snellen/screenspot_pro`). References stay out of the log.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from snellen.grading.actions.declaring import ReadAs
from snellen.grading.errors import SnellenError
from snellen.grading.grade import OUTCOMES, Answers
from snellen.grading.models.runs import Run
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Protocol
from snellen.sdk.inputs.intake import Intake
from snellen.sdk.inputs.selection import Selection, select
from snellen.sdk.judges.task import judge
from snellen.sdk.local import choose, grade_answers
from snellen.sdk.models.settings import Ask, Decoding, Question
from snellen.sdk.recipes.pixels import data_url
from snellen.sdk.recipes.recipe import Recipe, chosen_recipe, reading, request
from snellen.sdk.report import Report
from snellen.sdk.submissions.kinds import said
from snellen.tasks.benchmarks.table import TASKS, benchmark_of, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.views import view

# No other item would be answered either: a wrong key, URL or model.
_SETUP = (401, 403, 404)
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
class Evaluation:
    """The questions of one evaluation, and the answers to them."""

    selection: Selection
    data: TaskData
    protocol: Protocol
    max_view_side: int | None = None
    blind: bool = False
    function: Ask | None = None  # asked instead of Inspect's model
    recipe: Recipe | None = None  # whose requests are sent, and who says how answers are read
    give_up_after: float = float("inf")  # items in a row without an answer
    failed: float = 0  # items in a row without an answer
    answered: bool = False
    fault: str = ""  # the last one
    rows: dict[tuple[str, int], dict[str, Any]] = field(
        default_factory=dict[tuple[str, int], dict[str, Any]]
    )

    def __post_init__(self) -> None:
        self._grader = self.selection.grader(self.protocol)
        self._read_as: dict[str, ReadAs] = {}

    def has(self, item: str, epoch: int) -> bool:
        """Whether there is an answer."""
        return "error" not in self.rows.get((item, epoch), {"error": None})

    def add(self, item: str, epoch: int, **what: object) -> None:
        """Keep an answer or an error; the first answer counts."""
        if "response" in what:
            what["response"] = self._declared(item, what["response"])
        if not self.has(item, epoch):
            self.rows[item, epoch] = {"item_id": item, "attempt": epoch - 1, **what}

    def question(self, item_id: str) -> Question:
        """Return what is shown of an item."""
        item = self.data.item(item_id)
        if self.blind:
            return Question(item, item.prompt)
        if self.recipe is not None:
            name = item.images[0].name
            made = request(item, self.data.image(item_id, name), self.recipe)
            return Question(item, item.prompt, {name: made.image}, made.messages)
        shown = {
            image.name: view(self.data.image(item_id, image.name), self.max_view_side)
            for image in item.images
        }
        return Question(item, item.prompt, shown)

    def judge(self, item: str, response: object) -> tuple[dict[str, float], Outcome, str | None]:
        """Return the metrics, the outcome and the note of an answer."""
        index = np.array([self.selection.index[item]])
        found = self._grader.batch(Answers(index, [0], [self._declared(item, response)]))
        values = dict(zip(self.protocol.metric.keys, map(float, found.values[0]), strict=True))
        return values, OUTCOMES[int(found.outcomes[0])], found.notes.get(0)

    def _declared(self, item_id: str, response: object) -> object:
        """Return an answer that says how the recipe reads it."""
        if self.recipe is None or not response:
            return response
        if item_id not in self._read_as:
            image = self.data.image(item_id, self.data.item(item_id).images[0].name)
            self._read_as[item_id] = reading(self.recipe, image)
        return self._read_as[item_id].wrap(response)

    def report(self, selection: Selection, run: Run | None = None) -> Report:
        """Grade the answers to the items of a selection."""
        intake = Intake(selection)
        answers = (batch for batch, _ in intake.batches(list(self.rows.values())))
        return grade_answers(answers, intake, self.protocol, run=run)

    def task(self, ids: Sequence[str], metadata: Mapping[str, Any], again: int = 0) -> Task:
        """Return Inspect's task of some items.

        Args:
            ids: The items.
            metadata: Of the log.
            again: How often an answer that the provider could not finish is asked for again.
        """
        return Task(
            dataset=MemoryDataset(
                [Sample(id=item, input=self.data.item(item).prompt) for item in ids],
                name=self.selection.task,
            ),
            solver=_ask(self, again),
            scorer=_judge(self),
            # A fault of one request is an error of its sample, not the end of the evaluation.
            fail_on_error=False,
            metadata=dict(metadata),
            config=GenerateConfig(
                **({} if self.recipe is None else Decoding.of(self.recipe).for_inspect)
            ),
        )


def inspect_task(
    name: str,
    data: str,
    prompt: str | None = None,
    protocol: str | None = None,
    split: str | None = None,
    images: str | None = None,
    max_view_side: int | None = None,
    blind: bool = False,
    recipe: str | None = None,
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
        recipe: The name of a recipe, whose request and decoding are sent.

    Raises:
        DataError: The data or its images can't be read.
        InputError: There is no such protocol, prompt, split or recipe.
    """
    sent = chosen_recipe(recipe, prompt=prompt, max_view_side=max_view_side, blind=blind)
    chosen = choose(name, protocol, None)
    loaded = load_task(name, data, split=split, images=images, prompt=prompt)
    selection = select(name, loaded)
    asked = Evaluation(selection, loaded, chosen, max_view_side, blind, recipe=sent)
    # Any answer's report has the signature.
    asked.add(selection.ids[0], 1, response="")
    signature = asked.report(selection).signature
    asked.rows.clear()
    about = {"signature": signature, "protocol": chosen.id}
    return asked.task(selection.ids, about if sent is None else {**about, "recipe": sent.signature})


@solver
def _ask(asked: Evaluation, again: int) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = str(state.sample_id)
        if asked.failed >= asked.give_up_after:
            raise UnfinishedError("not asked: the items before it had no answer")
        try:
            question = await asyncio.to_thread(asked.question, item)
            if asked.function is not None:
                text = await asked.function(question)
                if not isinstance(text, str):  # type: ignore[reportUnnecessaryIsInstance]
                    raise TypeError(f"the function must return text, not {type(text).__name__}")
                # Half a surrogate pair can't be stored.
                whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
                state.output = ModelOutput.from_content(str(state.model), whole)
            else:
                state = await _generated(state, generate, _messages(question), again)
        except Exception as error:
            asked.failed += 1
            if not asked.answered and getattr(error, "status_code", None) in _SETUP:
                asked.failed = asked.give_up_after
            asked.fault = str(error) or type(error).__name__
            asked.add(item, state.epoch, error=asked.fault)
            raise
        asked.failed, asked.answered = 0, True
        return state

    return solve


def _messages(question: Question) -> list[ChatMessage]:
    if question.messages:
        return [_turn(**message) for message in question.messages]
    shown: list[Content] = [ContentImage(image=data_url(sent)) for sent in question.images.values()]
    whole = [*shown, ContentText(text=question.prompt)] if shown else question.prompt
    return [ChatMessageUser(content=whole)]


def _turn(role: str, content: Sequence[Mapping[str, Any]]) -> ChatMessage:
    if role == "system":
        # Chat templates join the parts as they are; Inspect would join them with line breaks.
        return ChatMessageSystem(content="".join(part["text"] for part in content))
    return ChatMessageUser(
        content=[
            ContentText(text=part["text"])
            if part["type"] == "text"
            else ContentImage(image=part["image_url"]["url"])
            for part in content
        ]
    )


async def _generated(
    state: TaskState, generate: Generate, messages: list[ChatMessage], again: int
) -> TaskState:
    """Ask for an answer; again, if the provider says that it is not finished."""
    state.messages = list(messages)
    # A call of a tool is an answer; nothing is done for it.
    state = await generate(state, tool_calls="none")
    ended = _ended(state)
    if state.output.error or _BROKEN.search(ended):
        if again:
            return await _generated(state, generate, messages, again - 1)
        raise UnfinishedError(state.output.error or f"the answer ended with {ended!r}")
    if _WITHHELD.search(ended) and state.output.choices:
        # Inspect knows one of these words.
        state.output.choices[0].stop_reason = "content_filter"
    return state


def _ended(state: TaskState) -> str:
    """Return why the provider ended its last answer, in its own word; empty if it says nothing."""
    asked = [event for event in transcript().events if isinstance(event, ModelEvent)]
    reply = asked[-1].call.response if asked and asked[-1].call else None
    choices: Any = reply.get("choices") if isinstance(reply, dict) else None
    return str(choices[0].get("finish_reason") or "") if choices else state.output.stop_reason


def _judge(asked: Evaluation) -> Scorer:
    @metric
    def report() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float]:
            items = {row["item_id"] for row in asked.rows.values()}
            if any(str(score.sample_id) not in items for score in scores):
                # Of a retried evaluation, not all answers are here: the log has to be graded.
                return {}
            some = len(items) < len(asked.selection.ids)
            chosen = select(None, asked.data, items=items) if some else asked.selection
            return _numbers(asked.report(chosen))

        return compute  # type: ignore[return-value]  # a protocol with overloads

    @scorer(metrics=[report()], name=asked.protocol.name)
    def protocol() -> Scorer:
        async def judge(state: TaskState, target: Target) -> Score:
            response = said(state.output.model_dump(mode="json"))
            item = str(state.sample_id)
            asked.add(item, state.epoch, response=response)
            values, outcome, note = asked.judge(item, response)
            answer = response if isinstance(response, str) else state.output.completion
            about = {"outcome": outcome.value}
            if outcome in _UNSCORED:
                return Score.unscored(reason=outcome.value, answer=answer, metadata=about)
            return Score(value=values, answer=answer, explanation=note, metadata=about)

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
    def made(data: str, **options: Any) -> Task:  # noqa: ANN401  # those of inspect_task
        return inspect_task(task_id, data, **options)

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

REGISTERED["judge"] = task(name="judge")(judge)
