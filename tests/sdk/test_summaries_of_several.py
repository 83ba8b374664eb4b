"""What spans several tasks: averages, and what is lost from level to level."""

from pathlib import Path

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.sdk.analysis.published import beside_tables
from snellen.sdk.summaries import summarise
from snellen.tasks.benchmarks.visualwebbench.rules.average import SEVEN

GOLDS: dict[str, object] = {
    "web_caption": "Shoes",
    "heading_ocr": "Shoes",
    "webqa": ["Shoes"],
    "element_ocr": "Shoes",
    "element_ground": 0,
    "action_prediction": 0,
    "action_ground": 0,
}


def seventh(number: int, *, model: str | None = None, protocol: str = "official") -> sdk.Report:
    """Grade ten items of one of the seven tasks; `number` of them are right."""
    task = SEVEN[number]
    gold = GOLDS[task.rpartition("/")[2]]
    ids = [f"test/{place}" for place in range(10)]
    right = "A" if gold == 0 else "Shoes"
    answers = [
        {"item_id": one, "response": right if place < number else "zzz", "model": model}
        for place, one in enumerate(ids)
    ]
    return sdk.grade(answers, task=task, references=dict.fromkeys(ids, gold), protocol=protocol)


def test_the_seven_tasks_of_visualwebbench_make_its_average() -> None:
    (summary,) = summarise(seventh(number) for number in range(7))
    assert summary.result == pytest.approx(0.3, abs=1e-8)
    found = summary.value("average")
    assert found is not None
    assert (found.value, found.n) == (summary.result, 70)
    assert summary.tables[0].note == ""


def test_fewer_tasks_make_no_average_and_protocols_that_differ_are_told() -> None:
    (summary,) = summarise([seventh(4), seventh(5, protocol="robust")])
    assert summary.result is None
    assert summary.value("average") is None
    note = summary.tables[0].note
    assert note.startswith("The average is over seven tasks; not given: web_caption, heading_ocr,")
    assert note.endswith("The protocols differ: official, robust.")


def test_webqa_by_the_paper_goes_with_the_official_rules_of_the_others() -> None:
    reports = [
        seventh(number, protocol="paper" if number == 2 else "official") for number in (2, 3)
    ]
    (summary,) = summarise(reports)
    assert "protocols differ" not in summary.tables[0].note


def pointed(task: str, hits: list[bool]) -> sdk.Report:
    ids = [f"x/{place}" for place in range(len(hits))]
    answers = [
        {"item_id": one, "response": "(0.5, 0.5)" if hit else "(0.9, 0.9)"}
        for one, hit in zip(ids, hits, strict=True)
    ]
    tags = {one: {"platform": "windows", "data_type": "icon"} for one in ids}
    references = dict.fromkeys(ids, (0.4, 0.4, 0.6, 0.6))
    return sdk.grade(answers, task=task, references=references, tags=tags)


def test_basic_and_advanced_make_l2_with_both_averages() -> None:
    # BENCHMARKS' toy vector: 4 of 7 and 1 of 2.
    basic = pointed("mmbench-gui/l2_basic", [True] * 4 + [False] * 3)
    (summary,) = summarise([basic, pointed("mmbench-gui/l2_advanced", [True, False])])
    rows = {row[0]: row[1] for row in summary.tables[1].rows}
    assert rows["mean of basic and advanced"] == pytest.approx(0.53571429)
    assert rows["all answers pooled"] == pytest.approx(5 / 9)
    average = summary.value("average")
    assert average is not None
    assert average.value == rows["mean of basic and advanced"]


def episodes(task: str, limit: int, solved: int) -> sdk.Report:
    ids = [f"t{place}" for place in range(4)]
    answers = [
        {"item_id": one, "response": {"success": int(place < solved), "cost": limit}}
        for place, one in enumerate(ids)
    ]
    tags = {one: {"platform": "linux", "steps": f"{limit} steps"} for one in ids}
    references = {one: {"limit": limit} for one in ids}
    return sdk.grade(answers, task=task, references=references, tags=tags)


def test_levels_and_limits_make_the_table_of_what_is_lost(tmp_path: Path) -> None:
    runs = [
        episodes(f"mmbench-gui/{level}", limit, solved)
        for level, limit, solved in (("l3", 50, 4), ("l4", 50, 2), ("l3", 15, 3), ("l4", 15, 1))
    ]
    paths = [run.save(tmp_path / f"{number}.json") for number, run in enumerate(runs)]
    *own, lost = summarise(paths)
    assert [one.task for one in own] == [run.task for run in runs]
    tables = {table.title: table.rows for table in lost.tables}
    assert set(tables) == {
        "What is lost from L3 to L4 within 15 steps",
        "What is lost from L3 to L4 within 50 steps",
        "What is lost with fewer steps in L3",
        "What is lost with fewer steps in L4",
    }
    first, second = tables["What is lost from L3 to L4 within 50 steps"]
    assert (first[0], first[1], first[3]) == ("L3, 50 steps", 1.0, None)
    assert (second[0], second[1], second[3]) == ("L4, 50 steps", 0.5, 0.5)
    first, second = tables["What is lost with fewer steps in L4"]
    assert (first[0], second[0], second[3]) == ("L4, 50 steps", "L4, 15 steps", 0.25)


def platform_run(level: str, *, web: float | None) -> sdk.Report:
    """Grade four tasks of linux, all solved, and four of web: all run alike, or none."""
    success = {"linux": 1.0, "web": web}
    names = {f"{name}/{place}": name for name in success for place in range(4)}
    answers = [
        {"item_id": one, "response": {"success": success[name], "cost": 15}}
        for one, name in names.items()
        if success[name] is not None
    ]
    return sdk.grade(
        answers,
        task=f"mmbench-gui/{level}",
        references={one: {"limit": 15} for one in names},
        tags={one: {"platform": name, "steps": "15 steps"} for one, name in names.items()},
    )


def test_what_is_lost_is_told_for_each_policy_where_a_platform_was_not_run() -> None:
    runs = [platform_run("l3", web=1.0), platform_run("l4", web=None)]
    title = "What is lost from L3 to L4 within 15 steps, platforms that were not run"
    *_, lost = summarise(runs)
    found = {table.title: (table.rows[1][3], table.note) for table in lost.tables}
    assert found == {
        f"{title} left out": (0.0, "L4, 15 steps: web left out."),
        f"{title} counted 0": (0.5, "L4, 15 steps: web counted 0."),
    }
    *_, lost = summarise(runs, missing="zero")
    assert [table.title for table in lost.tables] == [f"{title} counted 0"]


def test_what_is_lost_is_of_all_attempts() -> None:
    answers = [
        {"item_id": "a", "response": {"success": attempt, "cost": 15}, "attempt": attempt}
        for attempt in (1, 0)
    ]
    l4 = sdk.grade(
        answers,
        task="mmbench-gui/l4",
        references={"a": {"limit": 15}},
        tags={"a": {"platform": "linux", "steps": "15 steps"}},
    )
    *_, lost = summarise([episodes("mmbench-gui/l3", 15, 4), l4])
    assert [row[1] for row in lost.tables[0].rows] == [1.0, 0.5]


def test_one_level_under_one_limit_loses_nothing_to_speak_of() -> None:
    (summary,) = summarise([episodes("mmbench-gui/l3", 15, 2)])
    assert summary.task == "mmbench-gui/l3"
    assert len(summary.tables) == 1


def test_reports_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(InputError, match="there are none"):
        summarise([])
    with pytest.raises(InputError, match=r"several models \(a, b\)"):
        summarise([seventh(0, model="a"), seventh(1, model="b")])
    with pytest.raises(InputError, match="two reports are of visualwebbench/webqa: give one"):
        summarise([seventh(2), seventh(2, protocol="robust")])
    with pytest.raises(InputError, match="two reports are of mmbench-gui/l3 within 15 steps"):
        summarise([episodes("mmbench-gui/l3", 15, 1), episodes("mmbench-gui/l3", 15, 2)])


def test_an_average_that_the_published_code_prints_otherwise_says_both() -> None:
    # Of five answers one is a full stop, which the published WebQA leaves out: 4/4, not 4/5.
    ids = [f"test/{place}" for place in range(5)]
    answers = [{"item_id": one, "response": "." if one == ids[0] else "Shoes"} for one in ids]
    webqa = sdk.grade(
        answers,
        task="visualwebbench/webqa",
        references={one: ["Shoes"] for one in ids},
        protocol="official",
    )
    own, printed = webqa.value, webqa.metrics[webqa.numbers.primary].as_published
    assert printed is not None
    assert printed > own
    others = [seventh(number) for number in range(7) if number != 2]
    (summary,) = summarise([*others, webqa])
    rest = sum(one.value for one in others)
    averages = [100 * (rest + value) / 7 for value in (printed, own)]
    told = (
        f"{100 * printed:.2f} for webqa, not {100 * own:.2f}: it leaves some out. The average of"
        f" what it would print is {averages[0]:.2f}, not {averages[1]:.2f}."
    )
    assert summary.tables[0].note.endswith(told)
    beside = beside_tables([*others, webqa], [summary])[0]
    assert beside.title == "visualwebbench, average, beside published results"
    assert told in beside.note
    (fewer,) = summarise([others[0], webqa])
    assert fewer.tables[0].note.endswith(f"not {100 * own:.2f}: it leaves some out.")
