"""Wrong references planted in an exam are found by raters who work through it, and replaced."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from snellen import sdk
from snellen.annotate.confirm import confirmed, write_confirmed
from snellen.annotate.models import RaterAnswer
from snellen.annotate.rated import RatedTask, rated_tasks
from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.server.store.schema import open_store
from snellen.server.store.tables.annotations import AnnotationMode
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

ITEMS, PLANTED, ACCURACY = 1000, 200, 0.9
RATERS = ("ada", "bob", "cy", "dan", "eve")
WORDS = (
    "amber",
    "birch",
    "coral",
    "dune",
    "ember",
    "fern",
    "gold",
    "heron",
    "iris",
    "jade",
    "kelp",
)
TASK = "screenqa/short"

pytestmark = [pytest.mark.slow]


class Planted(NamedTuple):
    """An exam of which some references are wrong.

    Attributes:
        pack: The exam.
        truths: The right answer to each item.
        wrong: The items whose references are wrong.
    """

    pack: Pack
    truths: Mapping[str, str]
    wrong: set[str]


def another(draw: Random, truth: str) -> str:
    """Return an error."""
    return draw.choice([word for word in WORDS if word != truth])


@pytest.fixture(params=[11, 12])
def draw(request: pytest.FixtureRequest) -> Random:
    return Random(request.param)


@pytest.fixture
def planted(tmp_path: Path, draw: Random) -> Planted:
    truths = [draw.choice(WORDS) for _ in range(ITEMS)]
    wrong = set(draw.sample(range(ITEMS), PLANTED))
    screens = tmp_path / "screenqa"
    (screens / "answers_and_bboxes").mkdir(parents=True)
    (screens / "short_answers").mkdir()
    rows = [
        {
            "image_id": number,
            "question": f"Which is {number}?",
            "ground_truth": [another(draw, truth) if number in wrong else truth],
        }
        for number, truth in enumerate(truths)
    ]
    (screens / "short_answers" / "test.json").write_text(json.dumps(rows))
    data = sdk.load(TASK, screens)
    write_pack([Part(data)], tmp_path / "pack", name="planted", images=False)
    by_id = dict(zip(data.ids, truths, strict=True))
    return Planted(open_pack(tmp_path / "pack"), by_id, {data.ids[number] for number in wrong})


@pytest.fixture
def service(tmp_path: Path, planted: Planted) -> Iterator[Annotations]:
    database = open_store(tmp_path / "exam.sqlite")
    found = Annotations([planted.pack], database)
    found.create(AnnotationPlan("checks", planted.pack, raters=2))
    yield found
    database.close()


def work(service: Annotations, planted: Planted, draw: Random) -> None:
    """Let raters come in any order and answer what waits for them, right nine times of ten."""
    waiting = [*RATERS]
    while waiting:
        rater = draw.choice(waiting)
        place = service.next_item("checks", rater)
        if place is None:
            waiting.remove(rater)
            continue
        truth = planted.truths[place.item]
        said = truth if draw.random() < ACCURACY else another(draw, truth)
        answer = RaterAnswer(task=TASK, item_id=place.item, rater=rater, given=said, at=1)
        service.take_over("checks", [answer])


def rated(service: Annotations, pack: Pack) -> RatedTask:
    (found,) = rated_tasks(pack, None, AnnotationMode.CHECK, service.answers("checks"))
    return found


def test_planted_references_are_found_with_three_raters_at_most_and_replaced(
    service: Annotations, planted: Planted, draw: Random, tmp_path: Path
) -> None:
    pack = planted.pack
    work(service, planted, draw)
    disputed = [(TASK, item.item_id) for item in rated(service, pack).report.disputed]
    assert service.extend("checks", disputed) == len(disputed)
    work(service, planted, draw)
    answers = service.answers("checks")
    counts = [sum(one.item_id == item for one in answers) for _, item in disputed]
    assert {*counts} == {3}
    assert len(answers) == 2 * ITEMS + len(disputed)
    task = rated(service, pack)
    found = {item.item_id for item in task.report.suspects()}
    assert len(found & planted.wrong) >= 0.95 * PLANTED
    assert len(found - planted.wrong) <= 0.02 * ITEMS
    # The human ceiling: right nine times of ten, against references right eight times of ten. Three
    # standard errors of a share over 1,000 items are 0.045.
    assert task.report.ceiling is not None
    assert task.report.ceiling.value == pytest.approx(0.9 * 0.8 + 0.1 * 0.2 / 10, abs=0.045)
    new = confirmed(task.data, task.report, answers)
    write_confirmed(pack, new, tmp_path / "new")
    golds = open_references(open_pack(tmp_path / "new")).golds[TASK]
    before = sum(planted.truths[item] in gold for item, gold in task_golds(pack).items())
    after = sum(planted.truths[item] in gold for item, gold in golds.items())
    assert before == ITEMS - PLANTED
    assert after >= ITEMS - 0.05 * PLANTED - len(found - planted.wrong)


def task_golds(pack: Pack) -> Mapping[str, list[str]]:
    """Return the references of the task, by item."""
    return open_references(pack).golds[TASK]
