"""From a report to its page: what is gathered, and what is left out."""

import io
import itertools
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.items import Image as ItemImage
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.table import GOLDS, PROTOCOLS
from snellen.grading.report.facts import headline_facts
from snellen.grading.report.html import render_html
from snellen.grading.report.page import CalibrationKind, Page
from snellen.grading.report.render import metrics_table
from snellen.sdk.page.build import build_page, page_html
from snellen.sdk.page.items import shown
from snellen.sdk.page.thumbnails import ThumbnailBudget, shrink
from snellen.tasks.models import TaskData

REFERENCES = {"a": ["12 exercises", "12"], "b": ["<no answer>"], "c": ["Wall Sit"], "d": ["blue"]}


def graded(submissions: Any, task: str = "screenqa/short", **options: Any) -> sdk.Report:
    options.setdefault("references", REFERENCES)
    return sdk.grade(submissions, task=task, **options)


def said(**responses: object) -> list[dict[str, Any]]:
    return [{"item_id": item_id, "response": text} for item_id, text in responses.items()]


def picture(color: str, side: int = 900, suffix: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (side, side // 2), color).save(buffer, suffix)
    return buffer.getvalue()


def pictured(pictures: dict[str, bytes], count: int = 6, **tags: list[str]) -> TaskData:
    """Return data whose items go round the screens."""
    ids = [f"test/{number}" for number in range(count)]
    screens = [screen for screen, _ in zip(itertools.cycle(pictures), ids, strict=False)]

    def load(index: int, _: str) -> bytes:
        if not pictures[screens[index]]:
            raise DataError("there is no such picture")
        return pictures[screens[index]]

    return TaskData(
        task="screenqa/short",
        split="test",
        ids=ids,
        golds=Golds([["blue"]] * count),
        pin=DataPin(release="v0", sha256="0" * 64, count=count, verdict=PinVerdict.UNKNOWN),
        build_item=lambda index: Item(
            id=ids[index],
            task="screenqa/short",
            prompt=f"Look.\n\nQuestion: number {index}?",
            images=(ItemImage(name="screen"),),
            answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="red"),
        ),
        load_image=load,
        tags={
            "screen": screens,
            "half": ["left" if place < 3 else None for place in range(count)],
            **tags,
        },
        cluster="screen",
    )


def test_the_page_has_the_reports_numbers() -> None:
    report = graded([*said(a="12", b="none", c="wall"), {"item_id": "d", "error": "time-out"}])
    page = build_page(report)
    assert page.report.model_dump() == report.model_dump()
    assert report.provenance.protocol_name == "official@1"
    assert report.input.unanswered == 1
    assert page.title == "Answer in the fewest words (SQA-S)"


def test_items_come_worst_first_with_what_was_said() -> None:
    report = graded(
        [*said(a="12", b="<no answer>", c="wall"), {"item_id": "d", "error": "time-out"}]
    )
    rows = build_page(report).item_list.rows
    assert [row.item_id for row in rows] == ["d", "c", "a", "b"]
    assert [row.outcome for row in rows[:2]] == [Outcome.ERROR, Outcome.ANSWERED]
    assert rows[0].error == "time-out"
    assert (rows[1].answer, rows[1].values) == ("wall", pytest.approx((2 / 3, 0.0)))
    assert all(row.reference is None for row in rows)


@pytest.mark.slow
def test_references_are_there_when_asked_for() -> None:
    report = graded(said(a="12"))
    rows = {row.item_id: row for row in build_page(report, with_references=True).item_list.rows}
    assert rows["a"].reference == "12 exercises\n12"
    hidden = b"".join(page_html(report))
    assert b"Wall Sit" not in hidden
    assert b"Wall Sit" in b"".join(page_html(report, with_references=True))


def test_only_so_many_items_are_listed() -> None:
    page = build_page(graded(said(a="12", b="<no answer>", c="wall", d="x")), most_items=2)
    assert [row.item_id for row in page.item_list.rows] == ["d", "c"]
    assert page.report.provenance.cells == 4


def test_failures_are_counted_with_their_advice_and_missing_ones_too() -> None:
    page = build_page(graded(said(a="13 exercises", c="wall", d="blue")))
    counts = {failure.tag: failure.count for failure in page.failures}
    assert counts["missing"] == 1
    assert counts["numbers-differ"] == 1
    assert page.failed == 3
    named = {
        row.item_id: {page.failures[place].tag for place in row.failures}
        for row in page.item_list.rows
    }
    assert named["b"] == {"missing"}
    assert "numbers-differ" in named["a"]
    assert named["d"] == set()
    assert all(failure.sentence and failure.advice for failure in page.failures)


def test_other_protocols_are_those_that_grade_gives_and_the_shares_add_up() -> None:
    submissions = said(a="12.", b="No answer.", c="wall", d="$")
    report = graded(submissions)
    page = build_page(report)
    assert [other.name for other in page.alternatives] == [
        "robust@3",
        "multiui@1",
        "charset@1",
        "screensuite@1",
    ]
    for other in page.alternatives:
        again = graded(submissions, protocol=other.name)
        assert other.value == again.value
        assert other.unparsed == again.input.outcomes[Outcome.UNPARSED]
    assert page.differences
    for difference in page.differences:
        gap = difference.second_value - difference.first_value
        assert sum(share.share for share in difference.shares) == pytest.approx(gap, abs=1e-12)
    gaps = [abs(each.second_value - each.first_value) for each in page.differences]
    assert gaps == sorted(gaps, reverse=True)
    quiet = build_page(report, explain=False)
    assert (quiet.alternatives, quiet.differences) == ((), ())


def test_calibration_has_chance_and_published_rows_of_the_same_metric() -> None:
    report = graded(
        said(a="a shop"), task="visualwebbench/web_caption", references={"a": "a shop", "b": "x"}
    )
    rows = build_page(report).calibration
    assert rows[0].kind is CalibrationKind.RUN
    published = [row for row in rows if row.kind is CalibrationKind.PUBLISHED]
    assert len(published) > 10
    assert all(row.source and 0 <= row.value <= 1 for row in published)


def test_choices_are_shown_by_their_letter() -> None:
    report = graded(
        said(a="The answer is **(B)**", b="C"),
        task="visualwebbench/action_ground",
        references={"a": 1, "b": 3},
        protocol="robust",
    )
    rows = {row.item_id: row for row in build_page(report, with_references=True).item_list.rows}
    assert (rows["a"].parsed, rows["a"].reference) == ("B", "B")
    assert (rows["b"].parsed, rows["b"].reference) == (None, "D")


def test_before_and_after_are_paired_by_page() -> None:
    pages = [f"p{number}" for number in range(12)]
    references = {f"{page}/{state}": "Buy" for page in pages for state in ("before", "after")}
    tags = {
        item_id: {"page": item_id.partition("/")[0], "state": item_id.partition("/")[2]}
        for item_id in references
    }
    wrong = {f"p{number}/after" for number in range(5)}
    submissions = said(**{key: "no" if key in wrong else "Buy" for key in references})
    report = graded(
        submissions, task="webrssbench/color", references=references, tags=tags, cluster="page"
    )
    (change,) = build_page(report).changes
    assert (change.before.value, change.after.value) == (1.0, pytest.approx(7 / 12))
    assert change.difference is not None
    assert change.difference.value == pytest.approx(-5 / 12)
    assert change.difference.items == 12
    # A paired t interval by hand: five differences of -1 and seven of 0.
    assert change.difference.standard_error == pytest.approx((5 / 12 * 7 / 12 / 11) ** 0.5)


def test_episodes_make_a_recall_curve() -> None:
    # The worked example of docs/metrics: (1, 5) (0, 15) (1, 3) (1, 10) with a limit of 15.
    runs = {"a": (1, 5), "b": (0, 15), "c": (1, 3), "d": (1, 10)}
    report = graded(
        said(**{key: {"success": s, "cost": t} for key, (s, t) in runs.items()}),
        task="mmbench-gui/l3",
        references={key: {"limit": limit} for key, limit in zip(runs, [15] * 4, strict=True)},
    )
    (curve,) = build_page(report).curves
    assert [tuple(point) for point in curve.points] == [
        (0, 0),
        pytest.approx((1 / 12, 1 / 4)),
        pytest.approx((23 / 60, 1 / 2)),
        pytest.approx((11 / 20, 3 / 4)),
        (1, 3 / 4),
    ]
    assert curve.areas == {"exact EQA": pytest.approx(119 / 240), "eqa": pytest.approx(50 / 101)}
    assert curve.success_rate == 0.75


def test_a_failed_episode_says_what_the_checker_missed() -> None:
    gold = {"limit": 10, "answer": 5, "changes": {"changed": {"m.a": [1, 2], "m.b": [1, 3]}}}
    done = {"status": "done", "cost": 3, "answer": 5, "changes": gold["changes"]}
    other = {"changed": {"m.a": [1, 2], "m.b": [1, 4]}, "removed": {"m": [{"x": 1}]}}
    records = {
        "a": done,
        "b": {**done, "answer": 6, "changes": other},
        "c": {**done, "status": "infeasible", "reason": "conflict"},
        "d": {**done, "end": "abandoned"},
    }
    references = dict.fromkeys([*records, "without an answer"], gold)
    report = graded(said(**records), task="desk/l3", references=references)
    page = build_page(report, with_references=True)
    lines = {row.item_id: (row.reference or "").splitlines()[:-1] for row in page.item_list.rows}
    assert lines == {
        "a": [],
        "b": [
            "missing: m.b = 3",
            "extra: m.b = 4",
            'extra: m - {"x":1}',
            "wrong answer: 6 and not 5",
        ],
        "c": ["wrong end: it can be done"],
        "d": ["wrong end: it was abandoned"],
        "without an answer": [],
    }
    assert all(row.reference is None for row in build_page(report).item_list.rows)


def test_other_protocols_of_episodes_have_their_eqa() -> None:
    costs = {"a": 3, "b": 8}
    references = {key: {"limit": 10} for key in costs}

    def report(protocol: str) -> sdk.Report:
        run: dict[str, object] = {"status": "done", "changes": {}}
        given = said(**{key: {**run, "cost": cost} for key, cost in costs.items()})
        return graded(given, task="desk/l3", references=references, protocol=protocol)

    others = build_page(report("paper")).alternatives
    assert [other.name for other in others] == ["exact@2", "half_open@2", "budget@2"]
    assert [other.eqa for other in others] == [
        report(other.name).metrics["eqa"].value for other in others
    ]
    assert len({other.eqa for other in others}) > 1


def test_a_mean_reward_is_printed_on_its_own_scale() -> None:
    rewards = {"a": 1.0, "b": -0.5}
    references = {key: {"limit": 10, "page": "click-test"} for key in rewards}

    def report(protocol: str) -> sdk.Report:
        given = {
            key: {"reward": reward, "ended": True, "cost": 1} for key, reward in rewards.items()
        }
        return graded(
            said(**given), task="miniwob/episode", references=references, protocol=protocol
        )

    rows = {row[0]: row for row in metrics_table(report("raw")).written()}
    # Metric, value, interval, of the answered, as published.
    assert (rows["reward"][1], rows["reward"][4]) == ("62.50", "0.2500")
    assert (rows["raw_reward"][1], rows["raw_reward"][4]) == ("0.2500", "0.2500")
    published = next(
        fact for fact in headline_facts(build_page(report("raw"))) if fact.name == "as published"
    )
    assert published.value == "0.2500"
    others = {other.name: other for other in build_page(report("exact")).alternatives}
    assert (others["raw@1"].own_scale, others["cube@1"].own_scale) == (0.25, None)


def test_without_one_limit_there_is_no_curve() -> None:
    report = graded(
        said(a={"success": 1, "cost": 5}),
        task="mmbench-gui/l3",
        references={"a": {"limit": 15}, "b": {"limit": 50}},
    )
    assert build_page(report).curves == ()


@pytest.mark.slow
def test_a_report_without_scores_has_a_page_of_its_numbers() -> None:
    page = build_page(graded(said(a="12"), keep_scores=False))
    assert page.item_list.rows == ()
    assert (page.breakdowns, page.failures, page.alternatives) == ((), (), ())
    assert b"needs JavaScript" not in b"".join(page_html(graded(said(a="12"), keep_scores=False)))


def test_tags_that_group_items_are_broken_down_and_so_is_crowding() -> None:
    screens = {str(number): b"" for number in range(70)}
    parity = [str(number % 2) for number in range(100)]
    lone = pictured(screens, count=100, parity=parity)
    report = sdk.grade(said(**dict.fromkeys(lone.ids, "blue")), data=lone)
    by_parity, crowding = build_page(report).breakdowns
    assert (by_parity.tag, crowding.tag) == ("parity", "items with the same screen")
    assert [(cell.name, cell.items) for cell in crowding.cells] == [("1", 40), ("2", 60)]


def test_a_tag_without_two_values_to_show_is_named_and_not_drawn() -> None:
    data = pictured(
        {str(number): b"" for number in range(3)},
        count=90,
        small=[str(number // 9) for number in range(90)],
        single=["big"] * 85 + ["tiny"] * 5,
        many=[str(number) for number in range(90)],
        same=["one"] * 90,
        whole=[str(number % 2) for number in range(90)],
    )
    page = build_page(sdk.grade(said(**dict.fromkeys(data.ids, "blue")), data=data))
    # By screen each value is one cluster; all screens are equally crowded.
    assert [breakdown.tag for breakdown in page.breakdowns] == ["whole"]
    assert set(page.not_broken_down) == {"small", "single", "many"}


def album_of(budget: ThumbnailBudget, pictures: dict[str, bytes], count: int = 6) -> Page:
    data = pictured(pictures, count)
    report = sdk.grade(said(**dict.fromkeys(data.ids, "red")), data=data)
    return build_page(report, thumbnails=budget)


def test_items_have_a_small_picture_and_one_screen_is_embedded_once() -> None:
    pictures = {"one": picture("red"), "two": picture("blue", suffix="JPEG")}
    found = album_of(ThumbnailBudget(side=100, large_share=0), pictures).item_list
    assert [row.image for row in found.rows] == [0, 1, 0, 1, 0, 1]
    assert [row.question for row in found.rows[:1]] == ["Look.\n\nQuestion: number 0?"]
    for image, color in zip(found.images, ((255, 0, 0), (0, 0, 255)), strict=True):
        with Image.open(io.BytesIO(image.data)) as opened:
            assert (opened.format, opened.size) == ("WEBP", (100, 50))
            near = opened.convert("RGB").getpixel((50, 25))
        assert isinstance(near, tuple)
        assert all(abs(a - b) < 12 for a, b in zip(near, color, strict=True))


def test_the_budget_of_pictures_is_kept_and_what_is_left_out_is_counted() -> None:
    pictures = {
        str(number): picture(color) for number, color in enumerate(("red", "blue", "green"))
    }
    small = shrink(pictures["0"], 100, 60)
    assert small is not None
    room = 4 * -(-len(small) // 3) + 10
    budget = ThumbnailBudget(side=100, total=room, large_share=0)
    found = album_of(budget, pictures).item_list
    assert len(found.images) == 1
    assert sum(row.image is not None for row in found.rows) + found.left_out == 6
    assert album_of(ThumbnailBudget(total=0), pictures).item_list.images == ()


@pytest.mark.slow
def test_the_first_pictures_are_large_enough_to_read_until_their_share_is_spent() -> None:
    pictures = {str(n): picture(c, 2000) for n, c in enumerate(("red", "blue", "green"))}
    large = shrink(pictures["0"], 1280, 60)
    assert large is not None
    total = 10 * (4 * -(-len(large) // 3))
    found = album_of(ThumbnailBudget(total=total, large_share=0.15), pictures).item_list
    sizes: list[tuple[int, int]] = []
    for image in found.images:
        with Image.open(io.BytesIO(image.data)) as opened:
            sizes.append(opened.size)
    assert sizes == [(1280, 640), (320, 160), (320, 160)]
    assert sum(4 * -(-len(image.data) // 3) for image in found.images) <= total


def test_a_picture_that_can_not_be_read_is_counted_and_costs_no_item() -> None:
    pictures = {"gone": b"", "broken": b"no picture at all", "right": picture("red")}
    found = album_of(ThumbnailBudget(), pictures).item_list
    assert found.unreadable == 4
    assert [row.image for row in found.rows] == [None, None, 0, None, None, 0]


def test_without_pictures_none_are_asked_for() -> None:
    data = pictured({"one": b""})
    report = sdk.grade(said(**dict.fromkeys(data.ids, "red")), data=data)
    found = build_page(report, thumbnails=False).item_list
    assert (found.images, found.unreadable) == ((), 0)


EXAMPLES: list[tuple[GoldShape, object]] = [
    (golds.TEXT, "a blue shop"),
    (golds.TEXTS, ["12 exercises", "12"]),
    (golds.RATER_TEXTS, [["a", "b"], ["a"]]),
    (golds.RATER_BOXES, [[[[0, 0, 10, 10], "a"]]]),
    (golds.INDEX, 1),
    (golds.LETTER, "B"),
    (golds.TARGET_BOX, {"bbox": [0.1, 0.1, 0.3, 0.3], "image_size": [100, 100]}),
    (golds.TARGET_POINT, {"bbox": [0.1, 0.1, 0.3, 0.3], "image_size": [100, 100]}),
    (golds.TARGET_IN_IMAGE, {"bbox": [0.1, 0.1, 0.3, 0.3], "image_size": [100, 100]}),
    (golds.RELATIONS, {"crop_1|crop_2": "left"}),
    (golds.BUTTONS, ["Buy"]),
    (golds.REGION, "top"),
    (golds.EPISODE, {"limit": 15}),
    (
        golds.OUTCOME,
        {"changes": {"changed": {"mail/m1/folder": ["inbox", "archive"]}}, "limit": 20},
    ),
    (golds.PAGE_EPISODE, {"limit": 10}),
    (GOLDS["outcomes/run"], {"limit": 15}),
    (
        golds.STEP,
        {
            "action": {"type": "click", "point": [5, 5]},
            "image_size": [100, 200],
            "boxes": [[0, 0, 10, 10]],
            "nodes": [{"box": [0, 0, 10, 10], "text": "Save"}],
            "letters": "B",
        },
    ),
    (golds.TARGET_AREA, {"bbox": [10, 10, 30, 30], "image_size": [100, 100]}),
    (golds.ANY_AREA, {"bbox": [10, 10, 30, 30], "image_size": [100, 100]}),
    (golds.BOX_OR_POINT, {"bbox": [0.1, 0.1, 0.3, 0.3], "image_size": [100, 100], "boxed": True}),
    (GOLDS["gui-knowledge/prediction"], "B"),
    (GOLDS["matrix/items"], {"metric": "contains", "answer": "Q3"}),
    (
        GOLDS["webarena/verified"],
        {
            "sites": ["shopping"],
            "eval": [
                {
                    "evaluator": "AgentResponseEvaluator",
                    "results_schema": {"type": "array", "items": {"type": "string"}},
                    "expected": {
                        "task_type": "retrieve",
                        "status": "SUCCESS",
                        "retrieved_data": ["Desk lamp"],
                    },
                }
            ],
            "original": {
                "eval_types": ["string_match"],
                "reference_answers": {"must_include": ["desk lamp"]},
            },
        },
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol",
    [one for all_of in PROTOCOLS.values() for one in all_of],
    ids=lambda protocol: f"{protocol.task}-{protocol.id}",
)
def test_every_protocol_of_every_task_has_a_page(protocol: Protocol) -> None:
    shape = GOLDS[protocol.task]
    reference = next(example for each, example in EXAMPLES if each is shape)
    (right, *_) = shape.responses(shape.read(reference))
    report = graded(
        said(a=right, b="something else {"),
        task=protocol.task,
        references=dict.fromkeys("abc", reference),
        protocol=protocol.id,
    )
    page = build_page(report, with_references=True)
    rows = {row.item_id: row for row in page.item_list.rows}
    assert page.report.value == report.value
    assert rows["a"].answer == shown(right)
    assert rows["c"].outcome is Outcome.MISSING
    assert all(row.reference for row in rows.values())
    assert page.failed >= 1


def test_a_saved_page_is_the_page(tmp_path: Path) -> None:
    report = graded(said(a="12"))
    path = report.save(tmp_path / "report.html")
    assert path.read_bytes() == b"".join(page_html(report))


@pytest.mark.slow
@pytest.mark.realdata
def test_a_page_of_the_whole_test_split_keeps_to_its_size(screenqa_data: Path) -> None:
    data = sdk.load("screenqa/short", screenqa_data)
    submissions = [
        {"item_id": item_id, "response": f"It says {gold[0]}"}
        for item_id, gold in zip(data.ids, data.golds, strict=True)
        if isinstance(gold, list)
    ]
    report = sdk.grade(submissions, data=data, progress=False)
    assert sum(map(len, page_html(report))) < 3_000_000


def test_a_report_read_back_has_a_page_without_what_needs_the_data(tmp_path: Path) -> None:
    report = graded([*said(a="12", c="wall"), {"item_id": "d", "error": "time-out"}])
    page = build_page(sdk.load_report(report.save(tmp_path / "report.json")))
    assert page.report.metrics == report.metrics
    assert [(row.item_id, row.answer) for row in page.item_list.rows] == [
        ("b", None),
        ("d", None),
        ("c", "wall"),
        ("a", "12"),
    ]
    assert (page.failures, page.alternatives, page.differences) == ((), (), ())
    assert b"time-out" in b"".join(render_html(page))
