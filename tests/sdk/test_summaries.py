"""A report's summary: the vectors of the papers, through the public door, and read back."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from snellen import sdk
from snellen.grading.errors import InputError, MetricError
from snellen.grading.protocols.worlds.automation import Automation
from snellen.grading.table import Summary
from snellen.tasks.benchmarks.webrssbench.rules.before_after import Shift
from snellen.tasks.benchmarks.webrssbench.rules.tables import (
    GroupingScore,
    PositionScore,
    SafetyScore,
)

Result = TypeVar("Result")
Tags = Mapping[str, Mapping[str, str]]


def graded(
    task: str,
    references: Mapping[str, object],
    said: Mapping[str, object],
    tags: Tags | None = None,
    **options: Any,
) -> sdk.Report:
    answers = [{"item_id": item_id, "response": text} for item_id, text in said.items()]
    given = None if tags is None else dict(tags)
    return sdk.grade(answers, task=task, references=references, tags=given, **options)


def read_back(report: sdk.Report, folder: Path) -> sdk.Report:
    return sdk.load_report(report.save(folder / "report.json"))


def cells(summary: Summary, number: int = 0) -> dict[object, Sequence[object]]:
    return {row[0]: row[1:] for row in summary.tables[number].rows}


def only(summary: Summary, kind: type[Result]) -> Result:
    (one,) = cast("tuple[object, ...]", summary.result)
    assert isinstance(one, kind)
    return one


# ---- MMBench-GUI -------------------------------------------------------------------------------

# BENCHMARKS' vector of L1: windows m = 4, 5, 6 with hits 1, 0, 1; macos m = 4, 5 with hits 0, 1.
QUESTIONS = [
    ("windows", 4, True),
    ("windows", 5, False),
    ("windows", 6, True),
    ("macos", 4, False),
    ("macos", 5, True),
]


def level_1(**options: Any) -> sdk.Report:
    ids = [f"easy/{number}" for number in range(len(QUESTIONS))]
    return graded(
        "mmbench-gui/l1",
        dict.fromkeys(ids, "A"),
        {one: "A" if hit else "B" for one, (_, _, hit) in zip(ids, QUESTIONS, strict=True)},
        {
            one: {"platform": platform, "options": str(options), "difficulty": "easy"}
            for one, (platform, options, _) in zip(ids, QUESTIONS, strict=True)
        },
        **options,
    )


def test_l1_is_scored_in_the_three_ways(tmp_path: Path) -> None:
    for report in (level_1(), read_back(level_1(), tmp_path)):
        summary = report.summary()
        weighted, plain, eq3 = (cells(summary, number)["easy"] for number in range(3))
        # windows, macos, all, questions
        assert weighted == pytest.approx((95 / 143, 16 / 31, 13411 / 22165, 5))
        assert plain == pytest.approx((2 / 3, 1 / 2, 0.6, 5))
        # Eq. 3 has a column more, for what can be reached.
        ceiling = (143 / 180 * 3 + 31 / 40 * 2) / 5
        assert eq3 == pytest.approx((19 / 36, 2 / 5, 143 / 300, ceiling, 5))
        found = summary.value("weighted_accuracy", "easy x macos")
        assert found is not None
        assert (found.value, found.n) == (pytest.approx(16 / 31), 2)


def pointed(task: str, hits: Sequence[tuple[str, str, int]]) -> sdk.Report:
    """Grade points: platform, kind of element, and 1, 0 or -1 for no point."""
    ids = [f"x/{number}" for number in range(len(hits))]
    words = {1: "(0.5, 0.5)", 0: "(0.9, 0.9)", -1: "nowhere"}
    return graded(
        task,
        dict.fromkeys(ids, (0.4, 0.4, 0.6, 0.6)),
        {one: words[hit] for one, (_, _, hit) in zip(ids, hits, strict=True)},
        {
            one: {"platform": platform, "data_type": element}
            for one, (platform, element, _) in zip(ids, hits, strict=True)
        },
    )


BASIC = [
    ("windows", "icon", 1),
    ("windows", "icon", 0),
    ("windows", "icon", -1),
    ("windows", "text", 1),
    ("macos", "icon", 0),
    ("macos", "text", 1),
    ("macos", "text", 1),
]
ADVANCED = [("windows", "icon", 0), ("windows", "text", 1)]


def test_one_kind_of_l2_has_its_platforms_and_elements_and_no_average() -> None:
    summary = pointed("mmbench-gui/l2_basic", BASIC).summary()
    assert cells(summary) == {
        "basic, icon": (pytest.approx(1 / 3), 0.0, 0.25, 4, 1),
        "basic, text": (1.0, 1.0, 1.0, 3, 0),
        "basic, both": (0.5, pytest.approx(2 / 3), pytest.approx(4 / 7), 7, 1),
    }
    assert len(summary.tables) == 1
    assert summary.value("average", task="mmbench-gui/l2") is None


# BENCHMARKS' V6: (1, 5) (0, 15) (1, 3) (1, 10) within 15 steps.
RUNS = [(1, 5), (0, 15), (1, 3), (1, 10)]
EQA = {
    "paper": 50 / 101,
    "exact": 119 / 240,
    "half_open": 199 / 404,
    "budget": 9 / 20,
    "expected": 81 / 160,
}


def episodes(
    runs: Sequence[tuple[int, int] | None] = RUNS,
    *,
    task: str = "mmbench-gui/l3",
    limit: int = 15,
    platforms: str = "linux",
    steps: bool = True,
    **options: Any,
) -> sdk.Report:
    ids = [f"t{number}" for number in range(len(runs))]
    names = platforms.split() * (1 if " " in platforms else len(runs))
    said = {
        one: {"success": run[0], "cost": run[1]}
        for one, run in zip(ids, runs, strict=True)
        if run is not None
    }
    more = {"steps": f"{limit} steps"} if steps else {}
    tags = {one: {"platform": name, **more} for one, name in zip(ids, names, strict=True)}
    return graded(task, {one: {"limit": limit} for one in ids}, said, tags, **options)


@pytest.mark.parametrize("protocol", ["paper", "exact", "half_open"])
def test_l3_has_every_reading_of_eqa_and_is_quoted_in_its_protocols_own(
    protocol: str, tmp_path: Path
) -> None:
    report = episodes(protocol=protocol)
    for each in (report, read_back(report, tmp_path)):
        summary = each.summary()
        run = only(summary, Automation)
        for reading, area in EQA.items():
            assert run.average.eqa[reading] == pytest.approx(area), reading  # pyright: ignore[reportArgumentType]  # keys of the table above
        found = summary.value("eqa", "15 steps")
        assert found is not None
        assert found.value == pytest.approx(EQA[protocol]) == each.metrics["eqa"].value


def test_a_platform_that_was_not_run_is_shown_both_ways_unless_one_is_asked_for() -> None:
    report = episodes([(1, 5), None, (0, 15), (1, 5)], platforms="linux web linux linux")
    both = cells(report.summary())
    assert both["web"] == (None,) * 8
    assert both["average, web left out"][0] == pytest.approx(2 / 3)
    assert both["average, web counted 0"][0] == pytest.approx(2 / 4)
    assert report.summary().value("sr", "15 steps") is None
    zero = report.summary(missing="zero")
    assert "average, web left out" not in cells(zero)
    found = zero.value("sr", "15 steps")
    assert found is not None
    assert (found.value, found.n) == (0.5, 4)


def test_a_smaller_limit_fails_the_episodes_that_took_more() -> None:
    summary = episodes(limit=50).summary(limit=5)
    assert cells(summary)["average"][0] == pytest.approx(2 / 4)
    assert summary.tables[0].note == "Episodes of more than 5 steps have failed."
    assert summary.tables[0].title == "L3 within 5 steps"


def test_several_limits_ask_for_one() -> None:
    ids = {"a": {"limit": 15}, "b": {"limit": 50}}
    said = {one: {"success": 1, "cost": 5, **limit} for one, limit in ids.items()}
    tags = {one: {"platform": "linux"} for one in ids}
    report = graded("mmbench-gui/l3", ids, said, tags)
    with pytest.raises(InputError, match=r"several limits of steps \(15, 50\): give limit=15"):
        report.summary()
    assert cells(report.summary(limit=50))["average"][0] == 1.0


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_limit_of_no_steps_is_refused(limit: float) -> None:
    with pytest.raises(InputError, match="limit= must be a number of steps greater than 0"):
        episodes().summary(limit=limit)


def test_a_larger_limit_does_not_relabel_a_run() -> None:
    report = episodes(limit=15)
    with pytest.raises(
        InputError, match=r"limited to 15 steps: their results within 50 are unknown"
    ):
        report.summary(limit=50)
    beside = report.beside(limit=50)
    assert {group.value for group in beside.groups if group.part} == {None}
    assert any("limited to 15 steps" in note for note in beside.notes)


def attempted(*attempts: Sequence[tuple[int, int] | None], platforms: str) -> sdk.Report:
    """Grade several attempts at the same tasks, within 15 steps."""
    ids = [f"t{number}" for number in range(len(attempts[0]))]
    answers = [
        {"item_id": one, "response": {"success": run[0], "cost": run[1]}, "attempt": number}
        for number, runs in enumerate(attempts)
        for one, run in zip(ids, runs, strict=True)
        if run is not None
    ]
    return sdk.grade(
        answers,
        task="mmbench-gui/l3",
        references={one: {"limit": 15} for one in ids},
        tags={
            one: {"platform": name, "steps": "15 steps"}
            for one, name in zip(ids, platforms.split(), strict=True)
        },
    )


def test_attempts_are_averaged_wherever_a_number_stands_for_the_run(tmp_path: Path) -> None:
    first, second = [(1, 5)] * 4, [(0, 15)] * 4
    report = attempted(first, second, platforms="linux linux web web")
    assert report.value == 0.5
    # The second attempt solves nothing, so that every number is half the first's.
    alone = episodes(first, platforms="linux linux web web").summary()
    for each in (report, read_back(report, tmp_path)):
        summary = each.summary()
        rows = cells(summary)
        assert [rows[name][0] for name in ("linux", "web", "average")] == [0.5, 0.5, 0.5]
        assert (rows["attempt 1"][0], rows["attempt 2"][0]) == (1.0, 0.0)
        for part in ("15 steps", "15 steps x linux", "15 steps x web"):
            for metric in ("sr", "eqa"):
                both, best = summary.value(metric, part), alone.value(metric, part)
                assert both is not None, part
                assert best is not None, part
                assert best.value > 0, part
                assert both.value == pytest.approx(best.value / 2), part
        assert only(summary, Automation).average.n == 4
    beside = {group.part: group.value for group in report.beside().groups if group.metric == "sr"}
    assert beside["15 steps"] == beside["15 steps x linux"] == 0.5


def test_a_platform_that_one_attempt_did_not_run_is_shown_both_ways() -> None:
    report = attempted([(1, 5), (1, 5)], [(0, 15), None], platforms="linux web")
    rows = cells(report.summary())
    assert (rows["linux"][0], rows["web"][0]) == (0.5, 1.0)
    assert (rows["average, web left out"][0], rows["average, web counted 0"][0]) == (0.5, 0.5)
    assert (rows["attempt 2, web left out"][-1], rows["attempt 2, web counted 0"][-1]) == (1, 2)


def test_several_attempts_count_their_answers_and_name_their_items_once() -> None:
    answers = [
        {"item_id": "easy/0", "response": letter, "attempt": attempt}
        for attempt, letter in enumerate("AB")
    ]
    tags = {"easy/0": {"platform": "windows", "options": "4", "difficulty": "easy"}}
    report = sdk.grade(answers, task="mmbench-gui/l1", references={"easy/0": "A"}, tags=tags)
    summary = report.summary()
    assert cells(summary)["easy"] == (0.5, 0.5, 2)
    assert summary.tables[0].note == "Counts are of answers, 2 attempts an item."
    assert {one.n for one in summary.values} == {1}


# ---- WebRSSBench -------------------------------------------------------------------------------


def test_positions_are_counted_by_pair_and_by_page() -> None:
    references = {
        "p": {"crop_1|crop_2": "left"},
        "q": {"crop_1|crop_2": "left", "crop_1|crop_3": "top", "crop_2|crop_3": "top"},
    }
    left = "crop_1 is at the [left] of crop_2"
    tags = {"p": {"pairs": "1", "difficulty": "easy"}, "q": {"pairs": "3", "difficulty": "hard"}}
    summary = graded("webrssbench/position", references, {"p": left, "q": left}, tags).summary()
    assert cells(summary) == {
        "easy": (1.0, 1.0, 1.0, 1, 1),
        "hard": (pytest.approx(1 / 3), pytest.approx(1 / 3), 0.0, 1, 3),
        "all": (0.5, pytest.approx(2 / 3), 0.5, 2, 4),
    }
    found = summary.result
    assert isinstance(found, dict)
    assert isinstance(found["all"], PositionScore)


def test_ui_grouping_has_its_classes_and_the_macro_f1(tmp_path: Path) -> None:
    golds = {"a": "main", "b": "main", "c": "top", "d": "left"}
    said = {"a": "main content area", "b": "main content area", "c": "main", "d": "no idea"}
    tags = {one: {"region": region} for one, region in golds.items()}
    report = graded("webrssbench/ui_grouping", golds, said, tags)
    for each in (report, read_back(report, tmp_path)):
        found = each.summary().result
        assert isinstance(found, GroupingScore)
        # F1 of main 2*2/(3+2), of top and left 0; three classes have items.
        assert (found.accuracy, found.macro_f1, found.unread) == (0.5, pytest.approx(0.8 / 3), 1)
        assert each.value == found.accuracy


def test_safety_counts_refusals_and_false_alarms(tmp_path: Path) -> None:
    golds = {"a": "Delete", "b": "Close", "c": "Wipe", "d": "Erase", "e": "sorry", "f": "sorry"}
    said = {"a": "Delete", "b": "Help", "c": "sorry", "e": "Buy", "f": "sorry"}
    tags = {one: {"dangerous": "no" if gold == "sorry" else "yes"} for one, gold in golds.items()}
    report = graded("webrssbench/safety", golds, said, tags, protocol="robust")
    for each in (report, read_back(report, tmp_path)):
        found = each.summary().result
        assert isinstance(found, SafetyScore)
        counts = (found.hits, found.wrong, found.refused, found.unanswered, found.false_alarms)
        assert counts == (1, 1, 1, 1, 1)
        assert (found.recall, found.precision, found.false_alarm_rate) == (0.25, 1 / 3, 0.5)


def paired(task: str, said: Mapping[str, str], reference: str, **options: Any) -> sdk.Report:
    tags = {
        one: {"pair": one.split("/")[0], "state": one.split("/")[1], "site": one.split("/")[0]}
        for one in said
    }
    return graded(task, dict.fromkeys(said, reference), said, tags, **options)


FLIPS = {
    "a/before": "Buy",
    "a/after": "Buy",
    "b/before": "Buy",
    "b/after": "Menu",
    "c/before": "Help",
    "c/after": "Buy",
    "d/before": "Buy",
    "d/after": "Menu",
}


def test_a_perturbation_shows_what_broke_and_what_was_fixed(tmp_path: Path) -> None:
    report = paired("webrssbench/color", FLIPS, "Buy")
    for each in (report, read_back(report, tmp_path)):
        summary = each.summary()
        robust = only(summary, Shift).robustness
        assert (robust.before, robust.after, robust.delta) == (0.75, 0.5, 0.25)
        assert (robust.r, robust.r_clamped, robust.unchanged) == (-25.0, 0.0, 0.25)
        assert robust.sensitivity == pytest.approx(1 / 3)
        assert cells(summary, 1)["pooled"][:4] == (1, 2, 1, 0)
        drop, unchanged = summary.value("drop"), summary.value("unchanged")
        assert drop is not None
        assert unchanged is not None
        assert (drop.value, unchanged.value) == (0.25, 0.25)


def test_of_free_texts_it_is_the_likeness_that_stands_beside_the_paper() -> None:
    texts = {"a/before": "adds to the basket", "a/after": "adds to the basket!"}
    summary = paired("webrssbench/text", texts, "Adds to the basket").summary()
    unchanged = summary.value("unchanged")
    assert unchanged is not None
    assert 0.8 < unchanged.value < 1
    layout = paired("webrssbench/layout", texts, "adds to the basket").summary().value("unchanged")
    assert layout is not None
    assert layout.value == pytest.approx(1.0)


def test_a_page_without_its_other_half_is_an_error() -> None:
    report = paired("webrssbench/color", {"a/before": "Buy"}, "Buy")
    with pytest.raises(MetricError, match="no other half"):
        report.summary()


# ---- every task --------------------------------------------------------------------------------


def test_a_task_of_means_has_its_metrics_and_needs_no_scores() -> None:
    report = graded("screenqa/short", {"a": ["12"]}, {"a": "12"}, keep_scores=False)
    summary = report.summary()
    assert cells(summary)["f1"][0] == 1.0
    assert summary.values[0].n == 1


def test_what_a_summary_lacks_is_said() -> None:
    report = graded("mmbench-gui/l1", {"a": "A"}, {"a": "A"})
    with pytest.raises(InputError, match="needs the tag 'difficulty', which these items lack"):
        report.summary()
    with pytest.raises(InputError, match="did not keep: grade with keep_scores=True"):
        level_1(keep_scores=False).summary()


@pytest.mark.parametrize(
    ("task", "gold", "said"),
    [("mmbench-gui/l1", "A", "A"), ("mmbench-gui/l3", {}, {"success": 1, "cost": 5})],
)
def test_a_report_without_scores_says_so_before_anything_else(
    task: str, gold: object, said: object
) -> None:
    report = graded(task, {"a": gold}, {"a": said}, keep_scores=False)
    with pytest.raises(InputError, match=f"the summary of {task} is made of the items' scores"):
        report.summary()
