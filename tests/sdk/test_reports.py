"""What a report says beyond its numbers: intervals, chance, tags; and reading it back."""

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.scores import Outcome
from snellen.grading.stats.bootstrap import bootstrap_mean
from snellen.grading.stats.summary import estimate
from snellen.sdk.scored import intake_of
from snellen.sdk.stored import reopen, retagged

DATA = Path(__file__).parents[2] / "examples" / "screen_qa"
ANSWERS = Path(__file__).parents[2] / "examples" / "answers.jsonl"
REFERENCES = {f"{page}/{number}": ["blue"] for page in "pqrs" for number in range(4)}


def example(**options: Any) -> sdk.Report:
    return sdk.grade(ANSWERS, task="screenqa/short", data=DATA, **options)


def pages(right: int = 9, **options: Any) -> sdk.Report:
    """Grade 16 questions on four pages; the first `right` of them are answered rightly."""
    answers = [
        {"item_id": item_id, "response": "blue" if number < right else "red"}
        for number, item_id in enumerate(REFERENCES)
    ]
    return sdk.grade(answers, task="visualwebbench/webqa", references=REFERENCES, **options)


PAGE_TAGS = {
    item_id: {"page": item_id[0], "site": "abab"["pqrs".index(item_id[0])]}
    for item_id in REFERENCES
}


def test_every_metric_has_an_estimate_clustered_by_screenshot() -> None:
    report = example()
    assert report.numbers.clustered_by == "image_id"
    for key, metric in report.metrics.items():
        assert report.numbers.estimates[key].value == metric.value
        assert report.numbers.estimates[key].items == 8
        assert report.numbers.estimates[key].clusters == len({*report.tags["image_id"]})
        assert report.numbers.estimates[key].interval is not None


def test_an_estimate_is_of_each_items_mean_over_its_attempts() -> None:
    answers = [
        {"item_id": "a", "response": "x", "attempt": 0},
        {"item_id": "a", "response": "no", "attempt": 1},
        {"item_id": "b", "response": "x", "attempt": 1},
        {"item_id": "c", "response": "x", "attempt": 0},
        {"item_id": "c", "response": "x", "attempt": 1},
    ]
    report = sdk.grade(answers, task="screenqa/short", references={key: ["x"] for key in "abc"})
    assert report.item_values().tolist() == [0.5, 0.5, 1.0]
    assert report.numbers.estimates["f1"] == estimate([0.5, 0.5, 1.0])


def test_the_estimates_are_the_same_with_and_without_kept_scores() -> None:
    assert example(keep_scores=False).numbers.estimates == example().numbers.estimates


def test_without_a_clustering_tag_every_item_is_its_own_group() -> None:
    report = pages()
    assert report.numbers.clustered_by == "item"
    assert report.clusters() is None
    assert report.numbers.estimates["f1"].clusters == 16


def test_a_tag_can_be_named_to_cluster_by() -> None:
    alone, grouped = pages(), pages(tags=PAGE_TAGS, cluster="page")
    assert grouped.numbers.clustered_by == "page"
    assert grouped.numbers.estimates["f1"].clusters == 4
    # Two pages are all right and one all wrong: the groups make the number less sure.
    errors = [report.numbers.estimates["f1"].standard_error or 0 for report in (alone, grouped)]
    assert errors[1] > 1.5 * errors[0]
    assert example(cluster="item").numbers.estimates["f1"].clusters == 8


def test_an_unknown_tag_to_cluster_by_is_an_error_that_names_the_tags() -> None:
    with pytest.raises(UnknownNameError, match="image_id"):
        example(cluster="screenshot")


def test_a_report_states_chance_and_the_lift_over_it() -> None:
    report = example()
    assert report.numbers.chance is not None
    # Two of the eight questions have "<no answer>" among their references.
    assert report.numbers.chance.value == 0.25
    assert report.numbers.chance.guess == "<no answer> to every item"
    assert report.lift == pytest.approx(0.6 - 0.25)


def test_a_tag_breaks_the_primary_metric_down() -> None:
    found = pages(tags=PAGE_TAGS).by("page", least=1)
    values = [
        (cell.name, cell.items, cell.estimate and cell.estimate.value) for cell in found.cells
    ]
    assert found.metric == "f1"
    assert [name for name, _, _ in values] == ["p", "q", "r", "s"]
    assert [items for _, items, _ in values] == [4, 4, 4, 4]
    assert [value for _, _, value in values] == pytest.approx([1, 1, 1 / 4, 0], abs=1e-8)


def test_crossed_tags_make_a_cell_for_each_combination() -> None:
    found = pages(tags=PAGE_TAGS).by("site", "page", least=1)
    assert found.tag == "site x page"
    assert [cell.name for cell in found.cells] == ["a x p", "a x r", "b x q", "b x s"]


def test_an_unknown_tag_or_metric_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="question_word"):
        example().by("question_words")
    with pytest.raises(UnknownNameError, match="exact_match"):
        example().by("image_id", metric="exact")


def test_a_breakdown_needs_the_scores() -> None:
    with pytest.raises(InputError, match="keep_scores"):
        example(keep_scores=False).by("image_id")


def test_selected_items_keep_their_tags() -> None:
    report = example(items=["test/5/1", "test/5/0"])
    assert list(report.scores.ids) == ["test/5/0", "test/5/1"]
    assert list(report.tags["image_id"]) == ["5", "5"]


def test_a_saved_report_is_read_back_whole(tmp_path: Path) -> None:
    report = example()
    again = sdk.load_report(report.save(tmp_path / "report.json"))
    assert again.model_dump() == report.model_dump()
    assert list(again.scores) == list(report.scores)
    assert dict(again.tags) == dict(report.tags)
    assert again.by("image_id", least=1) == report.by("image_id", least=1)
    assert (
        again.save(tmp_path / "again.json").read_bytes() == (tmp_path / "report.json").read_bytes()
    )


def test_attempts_missing_cells_and_texts_over_the_limit_are_read_back(tmp_path: Path) -> None:
    answers: list[dict[str, Any]] = [
        {"item_id": "a", "response": "x", "attempt": 3, "model": "m"},
        {"item_id": "b", "response": "x" * 1_048_577, "attempt": 0},
        {"item_id": "b", "error": "time-out", "attempt": 3},
    ]
    report = sdk.grade(answers, task="screenqa/short", references={"a": ["x"], "b": ["y"]})
    again = sdk.load_report(report.save(tmp_path / "report.json"))
    assert list(again.scores) == list(report.scores)
    assert again.scores.attempts == (0, 3)
    outcomes = [score.outcome for score in again.scores]
    assert outcomes == [Outcome.MISSING, Outcome.ANSWERED, Outcome.UNPARSED, Outcome.ERROR]
    regraded = sdk.regrade(again, references={"a": ["x"], "b": ["y"]}, protocol="official")
    assert regraded.input.outcomes == report.input.outcomes


def test_a_report_read_back_can_be_graded_again(tmp_path: Path) -> None:
    report = example()
    again = sdk.load_report(report.save(tmp_path / "report.json"))
    assert (
        sdk.regrade(again, protocol="robust").metrics
        == sdk.regrade(report, protocol="robust").metrics
    )


_DAMAGES: list[tuple[Callable[[Any], object], str]] = [
    (lambda report: report["scores"].pop(), "8 items x 1 attempts"),
    (lambda report: report["scores"].append(report["scores"][0]), "different scores"),
    (lambda report: report["scores"][0]["metrics"].pop("f1"), "lacks the metric 'f1'"),
    (lambda report: report["scores"][0].update(outcome="fine"), "damaged"),
    (lambda report: report["provenance"].pop("items"), "items"),
    (lambda report: report.update(format="snellen-report/9"), "snellen-report/9"),
    (lambda report: report["tags"]["image_id"].pop(), "tags.image_id"),
]


@pytest.mark.parametrize(("change", "message"), _DAMAGES)
def test_a_damaged_report_is_an_error_that_says_what_is_wrong(
    tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    path = example().save(tmp_path / "report.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        sdk.load_report(path)
    assert str(path) in str(caught.value)


def test_what_is_no_report_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[1, 2]", encoding="utf-8")
    for name in ("other.json", "absent.json"):
        with pytest.raises(InputError, match=name):
            sdk.load_report(tmp_path / name)


def test_the_csv_has_a_column_a_tag(tmp_path: Path) -> None:
    lines = example().save(tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].endswith(",note,image_id,question_word,no_answer")
    assert lines[1].endswith(",5,how many,none")


def test_no_cell_of_a_csv_is_a_formula(tmp_path: Path) -> None:
    answers = [
        {"item_id": "a", "response": '=HYPERLINK("http://x")', "model": "@m"},
        {"item_id": "=b", "error": "+1+1"},
    ]
    references = {"a": ["x"], "=b": ["x"]}
    report = sdk.grade(answers, task="screenqa/short", references=references)
    with report.save(tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["response"] for row in rows] == ['\'=HYPERLINK("http://x")', ""]
    assert (rows[0]["model"], rows[1]["item_id"], rows[1]["error"]) == ("'@m", "'=b", "'+1+1")
    assert [row["f1"] for row in rows] == ["0.0", "0.0"]


def test_a_report_knows_its_model_where_all_submissions_name_one(tmp_path: Path) -> None:
    said = [{"item_id": "a", "response": "x", "model": "m"}, {"item_id": "b", "response": "x"}]
    options: dict[str, Any] = {"task": "screenqa/short", "references": {"a": ["x"], "b": ["x"]}}
    named = sdk.grade([{**line, "model": "m"} for line in said], **options)
    assert named.model == "m"
    assert sdk.load_report(named.save(tmp_path / "r.json")).model == "m"
    assert sdk.grade(said, **options).model is None
    assert sdk.grade(said, keep_scores=False, **options).model is None


def test_a_saved_report_can_be_given_more_tags_and_other_groups(tmp_path: Path) -> None:
    path = pages().save(tmp_path / "report.json")
    found = retagged(sdk.load_report(path), tags=PAGE_TAGS, cluster="page")
    graded = pages(tags=PAGE_TAGS, cluster="page")
    assert found.model_dump() == graded.model_dump()
    assert found.by("site") == graded.by("site")
    assert retagged(found, cluster="item").numbers.estimates == pages().numbers.estimates


def test_tags_and_groups_outlive_another_grading(tmp_path: Path) -> None:
    tags = {
        item_id: {"kind": "odd" if int(item_id[-1]) % 2 else "even"}
        for item_id in example().scores.ids
    }
    report = example(tags=tags, cluster="kind")
    saved = sdk.load_report(report.save(tmp_path / "report.json"))
    for again in (sdk.regrade(report), sdk.regrade(saved)):
        assert again.numbers.clustered_by == "kind"
        assert again.numbers.estimates == report.numbers.estimates
        assert again.by("kind", least=1) == report.by("kind", least=1)


def test_a_saved_report_is_reopened_with_its_questions_while_its_data_is_there(
    tmp_path: Path,
) -> None:
    copy = shutil.copytree(DATA, tmp_path / "data")
    report = sdk.grade(ANSWERS, task="screenqa/short", data=copy)
    path = report.save(tmp_path / "report.json")
    found = reopen(path)
    assert intake_of(found) is not None
    assert found.metrics == report.metrics
    shutil.rmtree(copy)
    alone = reopen(path)
    assert intake_of(alone) is None
    assert alone.metrics == report.metrics
    assert intake_of(reopen(path, data=DATA)) is not None


def test_a_bootstrap_interval_is_drawn_by_the_reports_groups() -> None:
    report = pages(tags=PAGE_TAGS, cluster="page")
    found = report.bootstrap(draws=2_000, seed=1)
    assert found == bootstrap_mean(report.item_values(), report.clusters(), draws=2_000, seed=1)
    assert (
        found.high - found.low
        > pages().bootstrap(draws=2_000).high - pages().bootstrap(draws=2_000).low
    )


def test_a_reopened_report_keeps_its_numbers_when_its_data_has_changed(tmp_path: Path) -> None:
    references = tmp_path / "references.json"
    references.write_text(json.dumps(REFERENCES))
    answers = [{"item_id": item_id, "response": "blue"} for item_id in REFERENCES]
    report = sdk.grade(answers, task="visualwebbench/webqa", references=references)
    path = report.save(tmp_path / "report.json")
    assert intake_of(reopen(path)) is not None
    references.write_text(json.dumps({**REFERENCES, "p/0": ["red"]}))
    found = reopen(path)
    assert found.metrics == report.metrics
    assert found.signature == report.signature
    assert intake_of(found) is None
    assert found.provenance.data.note.endswith("the data has changed since")
    with pytest.raises(InputError, match="against other data"):
        reopen(path, references=references)


def test_a_reopened_report_is_told_of_data_that_is_gone(tmp_path: Path) -> None:
    copy = shutil.copytree(DATA, tmp_path / "data")
    path = sdk.grade(ANSWERS, task="screenqa/short", data=copy).save(tmp_path / "report.json")
    shutil.rmtree(copy)
    assert reopen(path).provenance.data.note.endswith("the data was not found again")


def test_options_that_need_scores_are_refused_on_a_report_without_them(tmp_path: Path) -> None:
    path = example(keep_scores=False).save(tmp_path / "report.json")
    assert reopen(path).metrics == example().metrics
    with pytest.raises(InputError, match="without scores"):
        reopen(path, cluster="item")


def test_another_embedder_is_never_put_in_place_of_the_one_that_was_used(tmp_path: Path) -> None:
    answers = [{"item_id": "a", "response": "a search field"}]
    options: dict[str, Any] = {"task": "webrssbench/hint_text", "references": {"a": "Search"}}
    report = sdk.grade(answers, **options)
    path = report.save(tmp_path / "report.json")
    assert sdk.regrade(report).metrics == report.metrics
    content = json.loads(path.read_text(encoding="utf-8"))
    content["provenance"]["embedder"] = "other"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="embedder:other"):
        sdk.regrade(path, references=options["references"])


def test_coverage_is_said_to_be_of_all_items_where_some_were_selected() -> None:
    tags = {"test/5/0": {"kind": "a"}}
    report = example(tags=tags, items=["test/5/0", "test/5/1"])
    assert report.input.tag_coverage.endswith("(Of all items, before some were selected.)")


def test_a_tag_can_not_take_the_name_that_means_no_groups() -> None:
    with pytest.raises(InputError, match="'item'"):
        example(tags={"test/5/0": {"item": "a"}})


# ---- on a terminal and in a notebook -----------------------------------------------------------


def formatter(report: object) -> str:
    """Show an object as a notebook does."""
    return getattr(report, "_repr_html_")()  # noqa: B009  # the name that notebooks look for


def test_a_report_prints_as_on_the_command_line() -> None:
    report = sdk.grade(
        [{"item_id": "a", "response": "12"}, {"item_id": "b", "error": "timeout"}],
        task="screenqa/short",
        references={"a": ["12"], "b": ["<7>"]},
    )
    lines = str(report).splitlines()
    assert lines[0].split() == [
        "metric",
        "value",
        "95",
        "%",
        "interval",
        "answered",
        *["as", "published"],
    ]
    assert "2 items: 1 answered, 1 error" in lines
    assert lines[-1] == report.signature
    assert repr(report) == "<Report of screenqa/short by official@1: f1 50.00 over 2 items>"
    page = formatter(report)
    assert page.startswith("<table><thead>")
    assert "&lt;no answer&gt;" in page


PROBLEMS: dict[str, tuple[dict[str, str], str]] = {
    "an unknown id": ({"item_id": "zzz", "response": "x"}, "no item 'zzz'"),
    "a second, other answer": ({"item_id": "a", "response": "y"}, "line 3, field 'item_id': item"),
    "no id": ({"response": "x"}, "item_id is missing"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_of_the_input_are_printed_listed_and_warned_of_once(name: str) -> None:
    row, reason = PROBLEMS[name]
    rows = [{"item_id": "a", "response": "x"}, {"item_id": "b", "response": "y"}, row]
    with pytest.warns(sdk.InputWarning) as seen:
        report = sdk.grade(rows, task="screenqa/short", references={"a": ["x"], "b": ["y"]})
    assert len(seen) == 1
    for said in (str(report), formatter(report), "\n".join(report.warnings), str(seen[0].message)):
        assert "1 problem in the input" in said
        assert reason.replace("'", "&#x27;") in said or reason in said


def test_a_unit_that_explains_a_low_score_is_the_first_line() -> None:
    boxes = {str(number): [0.1 * number, 0.8, 0.1 * number + 0.05, 0.85] for number in range(3)}
    answers = {item: f"({1000 * box[0] + 20:.0f}, 820)" for item, box in boxes.items()}
    report = sdk.grade(answers, task="screenspot-v2/point", protocol="unit", references=boxes)
    assert report.value == 0.0
    first, *rest = str(report).splitlines()
    assert first.startswith("Read as thousandths of the image")
    assert first not in rest


def test_a_metric_is_a_number_by_its_key() -> None:
    report = pages()
    assert report[report.numbers.primary] == report.value
    with pytest.raises(UnknownNameError, match="Known"):
        report["f7"]


def test_every_cell_of_a_breakdown_prints_a_number() -> None:
    report = pages(tags=PAGE_TAGS)
    lines = str(report.by("page")).splitlines()
    assert lines[0].split()[0] == "page"
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["p", "100.00"],
        ["q", "100.00"],
        ["r", "25.00"],
        ["s", "0.00"],
    ]
    assert "left blank" in str(report.by("page", least=10))


def test_a_report_shows_its_own_names_alone() -> None:
    names = dir(
        sdk.grade(
            [{"item_id": "a", "response": "1"}], task="screenqa/short", references={"a": ["1"]}
        )
    )
    assert {"save", "scores", "to_frame", "metrics", "numbers"} <= set(names)
    assert not [
        name for name in names if name.startswith(("model_", "parse_", "_")) or name == "json"
    ]


def test_a_reports_scores_are_a_frame() -> None:
    report = sdk.grade(
        [{"item_id": "a", "response": "1"}, {"item_id": "b", "response": "2"}],
        task="screenqa/short",
        references={"a": ["1"], "b": ["1"]},
    )
    frame = report.to_frame()
    assert frame["item_id"].tolist() == ["a", "b"]
    assert frame["f1"].tolist() == [1.0, 0.0]
    assert report.to_dict()["signature"] == report.signature


def test_loaded_data_is_short_to_show() -> None:
    data = sdk.load("screenqa/short", "examples/screen_qa")
    assert repr(data) == "<TaskData of screenqa/short: 8 items of test, unknown>"


def test_a_measure_is_said_with_its_unit_wherever_the_score_is(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    target = {"bbox": [100, 100, 300, 200], "image_size": [1000, 800]}
    report = sdk.grade(
        [{"item_id": "a", "response": "(200, 170)"}, {"item_id": "b", "response": "no"}],
        task="showdown/clicks",
        references={"a": target, "b": target},
        protocol="robust",
    )
    said = "mean 20.0 px, median 20.0 px (lower is better, no part of the score); points on images"
    assert f"distance: {said}" in str(report)
    assert said in report.save(tmp_path / "r.md").read_text()
    assert "<dt>mean distance</dt><dd>20.0 px<" in report.save(tmp_path / "r.html").read_text()
    again = sdk.load_report(report.save(tmp_path / "r.json"))
    assert again.numbers.measures == report.numbers.measures
    assert "distance" not in again.metrics
    # Each answer has its own, where it is defined.
    assert [score.measures for score in again.scores or ()] == [{"distance": 20.0}, {}]
    assert again.to_frame()["distance"].fillna(-1).tolist() == [20.0, -1]
    header, first, second = report.save(tmp_path / "r.csv").read_text().splitlines()
    place = header.split(",").index("distance")
    assert (first.split(",")[place], second.split(",")[place]) == ("20.0", "")


@pytest.mark.slow
def test_without_the_extra_html_the_page_is_plain_and_has_the_numbers(tmp_path: Path) -> None:
    code = """
import sys
from importlib.machinery import PathFinder
found = PathFinder.find_spec
away = ("altair", "jinja2", "vl_convert")
PathFinder.find_spec = lambda name, *rest: None if name in away else found(name, *rest)
from snellen import sdk
from snellen.grading.errors import SnellenError
report = sdk.grade("examples/answers.jsonl", task="screenqa/short", data="examples/screen_qa")
print(report.save(sys.argv[1]).read_text())
try:
    report.save(sys.argv[1], with_references=True)
except SnellenError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.html")],
        check=True,
        capture_output=True,
        text=True,
    )
    page, _, refused = done.stdout.partition("</html>")
    assert '<td class="figure">60.00</td>' in page
    assert "pip install &#x27;snellen[html]&#x27; for the whole page" in page
    assert "snellen[html]" in refused
