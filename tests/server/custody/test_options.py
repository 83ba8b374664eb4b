"""Options stand in another order in each attempt, and the report is that of the published order."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.protocols.table import gold_shape
from snellen.server.attempts.models import Caller
from snellen.server.attempts.service import Clock, Service
from snellen.server.exam.rules import Rules
from snellen.server.exam.spec import Exam, ExamSpec, lettered, listed, shuffle
from snellen.server.store.schema import open_store
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

PAGE = Path(__file__).parents[3] / "docs" / "custody.md"
ME = Caller()
SECRET = b"s" * 32
SHUFFLED = {
    "visualwebbench/action_prediction",
    "mmbench-gui/l1",
    "matrix/items",
    "gui-knowledge/perception",
    "gui-knowledge/prediction",
    "gui-knowledge/instruction",
}
"""The tasks whose options are shuffled; of the matrix the items that have options."""
PUBLISHED_PROMPTS = {
    "visualwebbench/action_prediction": "visualwebbench-action-prediction",
    "mmbench-gui/l1": "mmbench-gui-official-l1",
    "matrix/items": "snellen-matrix-steps-1",
}
# The miniature of GUI Knowledge Bench has too few options for one to move for certain.
ASKED = [(task, None) for task in sorted(SHUFFLED) if "knowledge" not in task] + sorted(
    PUBLISHED_PROMPTS.items()
)


@dataclass(frozen=True)
class Desk:
    """A task's data, and the service that gives an exam of it."""

    data: TaskData
    service: Service


@pytest.fixture
def desk(exams: Sequence[Any], tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Return what serves one task of the first exam, question by a prompt, by some rules."""
    closing: list[Callable[[], None]] = []

    def sit(task: str, prompt: str | None, **rules: object) -> Desk:
        folder = exams[0].key.parent / "data" / task.partition("/")[0]
        data = load_task(task, folder, prompt=prompt)
        name = f"pack{len(closing)}"
        write_pack([Part(data)], tmp_path / name, name=name, images=False)
        pack = open_pack(tmp_path / name)
        exam = Exam([pack], Rules.model_validate(rules), {name: open_references(pack)})
        database = open_store(tmp_path / f"{name}.sqlite")
        closing.append(database.close)
        # Chance is fixed: with few items all options may stay where they are.
        clock = Clock(random=Random(1).randbytes)
        return Desk(data, Service(exam, database, clock))

    yield sit
    for close in closing:
        close()


def right_place(data: TaskData, item: str) -> int:
    (letter, *_) = gold_shape(data.task).responses(data.golds[data.index[item]])
    return "ABCDEFGH".index(str(letter))


@pytest.mark.slow
@pytest.mark.parametrize(("task", "prompt"), ASKED)
async def test_an_attempt_with_shuffled_options_is_worth_what_its_answers_are(
    desk: Callable[..., Desk], task: str, prompt: str | None
) -> None:
    # An answer that can't be read is kept at once.
    at = desk(task, prompt, rewrites=0)
    attempt = (await at.service.start(ME)).attempt
    told: list[dict[str, object]] = []
    moved = 0
    for number in range(len(at.data)):
        leased = await at.service.lease(attempt, ME)
        item = at.data.item(leased.item.item)
        options = item.answer_format.options
        if item.answer_format.kind is not AnswerKind.CHOICE:
            await at.service.submit(attempt, ME, leased.item.opaque, "[]")
            told.append({"item_id": item.id, "response": "[]"})
            continue
        # Every second answer is right, and the others one after the right one.
        right = right_place(at.data, item.id)
        chosen = (right + number % 2) % len(options)
        shown = leased.question.item.answer_format.options
        assert sorted(shown) == sorted(options)
        letter = "ABCDEFGH"[shown.index(options[chosen])]
        moved += letter != "ABCDEFGH"[chosen]
        receipt = await at.service.submit(attempt, ME, leased.item.opaque, letter)
        assert receipt.stored == letter
        told.append({"item_id": item.id, "response": "ABCDEFGH"[chosen]})
    report = (await at.service.finish(attempt)).tasks[0]
    graded = sdk.grade(told, data=at.data, progress=False)
    assert moved
    assert report.value == graded.value
    assert 0 < graded.value < 1
    assert report.metrics == {key: metric.value for key, metric in graded.metrics.items()}


@pytest.mark.slow
def test_each_attempt_has_an_order_of_its_own(desk: Callable[..., Desk]) -> None:
    spec = desk("visualwebbench/action_prediction", None).service.exam
    task = "visualwebbench/action_prediction"
    orders: set[tuple[str, ...]] = set()
    for number in range(20):
        secret = bytes([number]) * 32
        first = spec.items([task], secret)[0]
        question = spec.question(first.task, first.item, secret)
        assert question.item.prompt != question.line.item.prompt
        orders.add(question.item.answer_format.options)
    assert len(orders) == 20


async def test_options_that_hold_line_breaks_are_one_line_each(desk: Callable[..., Desk]) -> None:
    at = desk("visualwebbench/action_prediction", None)
    attempt = (await at.service.start(ME)).attempt
    for _ in at.data.ids:
        leased = await at.service.lease(attempt, ME)
        await at.service.submit(attempt, ME, leased.item.opaque, "A")
        shown = leased.question.item
        lines = [line for line in shown.prompt.splitlines() if re.match(r"[A-H]\. ", line)]
        texts = [" ".join(option.split()) for option in shown.answer_format.options]
        assert [line[3:] for line in lines] == texts


def test_the_page_says_of_every_choice_whether_its_options_are_shuffled(
    exams: Sequence[Any],
) -> None:
    rows = dict(
        re.findall(r"^\| `([a-z0-9-]+/[a-z0-9_]+)` \| (yes|no)\b", PAGE.read_text("utf-8"), re.M)
    )
    choices = {
        spec.id
        for spec in TASKS.values()
        if spec.kind in (AnswerKind.CHOICE, AnswerKind.LABEL, AnswerKind.RELATIONS)
    }
    assert rows.keys() == choices | SHUFFLED
    assert {task for task, said in rows.items() if said == "yes"} == SHUFFLED
    packs = [open_pack(folder) for folder in exams[0].packs]
    spec = ExamSpec(packs)
    places = spec.items(tuple(TASKS), SECRET)
    shuffled = {
        place.task
        for place in places
        if spec.question(place.task, place.item, SECRET).shuffled is not None
    }
    assert shuffled == SHUFFLED


SPEAKING = ("All of the above", "Both A and B", "A and C", "B", "option D", "None of the options")


@pytest.mark.parametrize("option", SPEAKING)
def test_options_that_speak_of_others_keep_all_in_their_places(option: str) -> None:
    assert shuffle(choice(("Save", "Open", "Close", option)), SECRET) is None
    said = choice(("Save", "Open", "Close", "A button above the table"))
    assert shuffle(said, SECRET) is not None


def test_options_that_stand_in_the_prompt_twice_stay() -> None:
    options = ("Save", "Open")
    twice = choice(options).prompt + listed(options)
    assert shuffle(choice(options, twice), SECRET) is None
    assert shuffle(choice(options, f"Which of {listed(options)}?"), SECRET) is not None


def choice(options: tuple[str, ...], prompt: str | None = None) -> Item:
    form = AnswerFormat(kind=AnswerKind.CHOICE, example="B", options=options)
    question = f"Which?\n{lettered(options)}" if prompt is None else prompt
    return Item(id="x", task="mmbench-gui/l1", prompt=question, answer_format=form)
