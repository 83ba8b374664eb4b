"""`sdk.compare` and `report.compare`: differences between runs, item by item."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.comparisons import Verdict
from snellen.grading.report.comparison import is_corrected, remarks, sentence
from snellen.grading.stats.paired import paired_difference, t_test
from snellen.sdk.stored import retagged

ITEMS = [f"{page}/{number}" for page in range(60) for number in range(3)]
REFERENCES = dict.fromkeys(ITEMS, 3)
TAGS = {item_id: {"page": item_id.partition("/")[0]} for item_id in ITEMS}


def run(accuracy: float, seed: int, items: list[str] = ITEMS, **options: Any) -> sdk.Report:
    """Answer each item rightly with a probability."""
    rng = random.Random(seed)
    answers = [
        {"item_id": item_id, "response": "D" if rng.random() < accuracy else "A"}
        for item_id in items
    ]
    return sdk.grade(
        answers,
        task="visualwebbench/element_ground",
        references={item_id: REFERENCES[item_id] for item_id in items},
        tags={item_id: TAGS[item_id] for item_id in items},
        cluster="page",
        **options,
    )


def test_a_planted_difference_is_found_and_said_in_a_sentence() -> None:
    found = run(0.5, 1).compare(run(0.75, 2))
    assert found.verdict is Verdict.BETTER
    assert found.clusters == 60
    assert sentence(found).startswith("run #2 is better than run: +")


def test_the_difference_is_the_paired_clustered_one() -> None:
    first, second = run(0.5, 1), run(0.6, 2)
    found = first.compare(second)
    values = first.item_values(), second.item_values()
    assert found.difference.value == pytest.approx(second.value - first.value, abs=1e-15)
    expected = paired_difference(*values, first.clusters())
    assert found.difference.standard_error == expected.standard_error
    assert found.tests[0].p == t_test(*values, first.clusters())
    apart = values[1] - values[0]
    assert (found.wins, found.losses) == (int((apart > 0).sum()), int((apart < 0).sum()))


def test_what_both_runs_took_is_compared_item_by_item() -> None:
    def outcomes(*steps: float | None) -> sdk.Report:
        rows = [
            {"task_id": f"a/{number}", "success": True, "steps": taken}
            for number, taken in enumerate(steps)
        ]
        return sdk.grade(rows, task="outcomes/run")

    (found,) = sdk.compare({"tree": outcomes(3, 5, None, 8), "screen": outcomes(10, 20, 4, 8)})
    (cost,) = found.costs
    assert (cost.measure, cost.items, cost.first) == ("steps", 3, pytest.approx(16 / 3))
    assert cost.difference == paired_difference([3, 5, 8], [10, 20, 8], bounds=None)
    assert "steps             3   5.3    12.7        +7.3  -11.3 to +26.0" in str(found)


def test_a_run_compared_with_itself_differs_nowhere() -> None:
    report = run(0.5, 1)
    found = report.compare(report)
    assert found.verdict is Verdict.UNDECIDED
    assert found.difference.value == 0
    assert list(found.changes) == []
    assert all(test.p == 1 for test in found.tests)


def test_turning_a_comparison_round_turns_its_signs() -> None:
    first, second = run(0.5, 1), run(0.75, 2)
    there, back = first.compare(second), second.compare(first)
    assert there.difference.value == -back.difference.value
    assert [test.p for test in there.tests] == pytest.approx([test.p for test in back.tests])
    assert [change.item_id for change in there.gained] == [change.item_id for change in back.lost]
    assert (there.verdict, back.verdict) == (Verdict.BETTER, Verdict.WORSE)


def test_the_changed_items_are_those_whose_values_differ() -> None:
    first, second = run(0.5, 1), run(0.75, 2)
    found = first.compare(second)
    before, after = first.item_values(), second.item_values()
    differing = [ITEMS[place] for place in np.flatnonzero(before != after)]
    assert sorted(change.item_id for change in found.changes) == sorted(differing)
    assert len(found.gained) == found.wins
    assert len(found.lost) == found.losses


def test_several_runs_are_compared_pair_by_pair_with_corrected_p_values() -> None:
    found = sdk.compare({"a": run(0.5, 1), "b": run(0.75, 2), "c": run(0.52, 3)})
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    ps = [one.tests[0].p for one in found]
    adjusted = [one.tests[0].adjusted for one in found]
    assert all(after >= before for before, after in zip(ps, adjusted, strict=True))
    assert min(adjusted) == pytest.approx(3 * min(ps))
    alone = sdk.compare({"a": run(0.5, 1), "b": run(0.75, 2)})
    assert alone[0].tests[0].adjusted == alone[0].tests[0].p


def test_a_baseline_is_compared_with_every_other_run() -> None:
    runs = {"a": run(0.5, 1), "b": run(0.75, 2), "c": run(0.52, 3)}
    found = sdk.compare(runs, baseline="b")
    assert [(one.first, one.second) for one in found] == [("b", "a"), ("b", "c")]
    with pytest.raises(UnknownNameError, match="'d'"):
        sdk.compare(runs, baseline="d")


def test_saved_reports_are_called_by_their_files(tmp_path: Path) -> None:
    files = [run(0.5, seed).save(tmp_path / f"seed{seed}.json") for seed in (1, 2)]
    found = sdk.compare(files)
    assert (found[0].first, found[0].second) == ("seed1", "seed2")
    assert found[0].difference == run(0.5, 1).compare(run(0.5, 2)).difference


def test_only_the_items_that_both_have_are_compared_and_the_rest_is_counted() -> None:
    found = run(0.5, 1).compare(run(0.5, 2, ITEMS[30:]))
    assert (found.items, found.only_first, found.only_second) == (150, 30, 0)
    assert "different data" in found.note


def test_missing_answers_and_other_protocols_are_noted() -> None:
    answers = [{"item_id": ITEMS[0], "response": "D"}]
    options: dict[str, Any] = {
        "task": "visualwebbench/element_ground",
        "references": REFERENCES,
    }
    few = sdk.grade(answers, protocol="official", **options)
    other = sdk.grade(
        [{"item_id": item, "response": "D"} for item in ITEMS], protocol="robust", **options
    )
    note = few.compare(other).note
    assert "different protocols (official@1 and robust@" in note
    assert "the first run lacks 179 response(s)" in note


def test_runs_of_different_tasks_or_without_common_items_are_refused() -> None:
    other = sdk.grade(
        [{"item_id": "x", "response": "D"}],
        task="visualwebbench/action_ground",
        references={"x": 3},
    )
    with pytest.raises(InputError, match="visualwebbench/action_ground"):
        run(0.5, 1).compare(other)
    with pytest.raises(InputError, match="share no item"):
        run(0.5, 1, ITEMS[:90]).compare(run(0.5, 1, ITEMS[90:]))
    with pytest.raises(InputError, match="two or more"):
        sdk.compare([run(0.5, 1)])


def test_comparisons_are_saved_as_json_csv_and_markdown(tmp_path: Path) -> None:
    found = sdk.compare({"a": run(0.5, 1), "b": run(0.75, 2)})
    content = json.loads(found.save(tmp_path / "c.json").read_bytes())
    assert content[0]["difference"]["value"] == found[0].difference.value
    assert len(content[0]["changes"]) == len(found[0].changes)
    with found.save(tmp_path / "c.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item_id"] for row in rows] == [change.item_id for change in found[0].changes]
    page = found.save(tmp_path / "c.md").read_text(encoding="utf-8")
    assert sentence(found[0]) in page
    with pytest.raises(InputError, match=r"\.json, \.csv, \.md"):
        found.save(tmp_path / "c.txt")


def test_each_pair_is_compared_on_the_items_that_the_two_have() -> None:
    runs = {"a": run(0.5, 1), "b": run(0.75, 2), "few": run(0.5, 3, ITEMS[:60])}
    both, first_few, second_few = sdk.compare(runs)
    assert both.items == 180
    assert both.difference == runs["a"].compare(runs["b"]).difference
    assert (first_few.items, first_few.only_first, first_few.only_second) == (60, 120, 0)
    assert second_few.only_first == 120
    assert "left out: 120 only in a" in [*remarks(first_few)]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    files: list[Path] = []
    for number, folder in enumerate(("old", "new")):
        (tmp_path / folder).mkdir()
        files.append(run(0.5, number).save(tmp_path / folder / "report.json"))
    found = sdk.compare(files)[0]
    assert (found.first, found.second) == ("old/report", "new/report")


def test_no_run_is_lost_to_another_of_its_name() -> None:
    found = sdk.compare([run(0.5, seed) for seed in range(3)])
    assert [(one.first, one.second) for one in found] == [
        ("run", "run #2"),
        ("run", "run #3"),
        ("run #2", "run #3"),
    ]


def test_what_is_no_run_is_refused() -> None:
    with pytest.raises(InputError, match="not int"):
        sdk.compare({"a": run(0.5, 1), "b": 3})  # pyright: ignore[reportArgumentType]  # the point


def test_runs_with_other_numbers_of_attempts_are_not_compared_by_wins_and_losses() -> None:
    def attempts(count: int, seed: int) -> sdk.Report:
        rng = random.Random(seed)
        answers = [
            {"item_id": item, "response": "D" if rng.random() < 0.5 else "A", "attempt": attempt}
            for attempt in range(count)
            for item in ITEMS
        ]
        return sdk.grade(answers, task="visualwebbench/element_ground", references=REFERENCES)

    found = attempts(1, 1).compare(attempts(4, 2))
    assert {test.name for test in found.tests} == {"t", "permutation"}
    assert "different numbers of attempts (not said and 4)" in found.note


def test_the_same_attempts_in_another_order_are_the_same_run() -> None:
    rng = random.Random(1)
    options: dict[str, Any] = {
        "task": "screenqa/short",
        "references": {item: ["a b c"] for item in ITEMS},
    }
    answers: list[dict[str, Any]] = [
        {"item_id": item, "response": rng.choice(["a", "a b", "x", "a b c"]), "attempt": attempt}
        for item in ITEMS
        for attempt in range(3)
    ]
    turned = [{**answer, "attempt": (answer["attempt"] + 1) % 3} for answer in answers]
    found = sdk.grade(answers, **options).compare(sdk.grade(turned, **options))
    assert (found.wins, found.losses, len(found.changes)) == (0, 0, 0)


def test_the_coarser_groups_of_two_runs_count_whichever_comes_first() -> None:
    fine = sdk.regrade(run(0.5, 1))
    coarse = run(0.6, 2)
    alone = retagged(fine, cluster="item")
    assert alone.compare(coarse).clusters == coarse.compare(alone).clusters == 60


def test_a_comparison_says_what_it_rests_on(tmp_path: Path) -> None:
    first, second = run(0.5, 1), run(0.75, 2)
    found = sdk.compare({"a": first, "b": second}, seed=7)[0]
    assert (found.first_signature, found.second_signature) == (first.signature, second.signature)
    assert found.clustered_by == "page"
    assert found.made_with == (
        "1 comparison(s), correction holm; level 0.95; 10,000 draws from seed 7"
    )


def test_a_corrected_verdict_beside_an_interval_without_0_says_that_it_is_for_one() -> None:
    found = sdk.compare({str(seed): run(0.5 + 0.02 * seed, seed) for seed in range(6)})
    said = [sentence(one) for one in found if is_corrected(one)]
    assert said
    assert all("for this comparison alone" in text for text in said)


def test_equal_differences_say_that_their_interval_has_no_spread() -> None:
    (found,) = sdk.compare([run(0.0, 1), run(1.0, 1)])
    assert "differences are +1, so the interval has no spread" in found.note
    (found,) = sdk.compare([run(0.4, 1), run(0.7, 2)])
    assert "no spread" not in found.note


def test_cells_set_the_runs_beside_each_other_by_the_values_of_a_tag() -> None:
    first, second = run(0.4, 1), run(0.7, 2)
    (found,) = sdk.compare({"a": first, "b": second}, by=["page"])
    assert [cell.name for cell in found.cells] == [f"{page}" for page in range(60)]
    assert {cell.tag for cell in found.cells} == {"page"}
    for cell, one, other in zip(
        found.cells,
        first.by("page", least=1).cells,
        second.by("page", least=1).cells,
        strict=True,
    ):
        assert one.estimate is not None
        assert other.estimate is not None
        assert (cell.name, cell.items) == (one.name, one.items)
        assert cell.first == pytest.approx(one.estimate.value)
        assert cell.second == pytest.approx(other.estimate.value)
        assert cell.wins - cell.losses == pytest.approx(3 * (cell.second - cell.first))
    assert sum(cell.wins for cell in found.cells) == found.wins
    assert sum(cell.losses for cell in found.cells) == found.losses


def test_cells_are_of_the_items_that_both_runs_have(tmp_path: Path) -> None:
    (found,) = sdk.compare([run(0.5, 1), run(0.5, 1, ITEMS[:7])], by=["page"])
    assert [cell.items for cell in found.cells] == [3, 3, 1]
    saved = sdk.compare([run(0.5, 1), run(0.9, 2)], by=["page"]).save(tmp_path / "found.md")
    assert "| page | items | run | run #2 | difference | gained | lost |" in saved.read_text()


def test_a_tag_that_no_run_has_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="tag"):
        sdk.compare([run(0.5, 1), run(0.5, 2)], by=["template"])


def test_two_runs_may_be_given_one_by_one_and_print_as_a_table() -> None:
    one, other = run(0.4, 1), run(0.8, 2)
    found = sdk.compare(one, other, by=[])
    assert found[0] == sdk.compare([one, other])[0]
    said, head, first, second, *_ = str(found).splitlines()
    assert "is better than" in said or "no difference" in said
    assert head.split() == ["run", found[0].metric]
    assert first.split()[-1] == f"{100 * found[0].first_value:.2f}"
    assert second.split()[-1] == f"{100 * found[0].second_value:.2f}"
    assert repr(found) == str(found) == str(one.compare(other))
