"""`sdk.grade` and `sdk.score`, through the public door."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import DataError, InputError, SubmissionError, UnknownNameError
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import Outcome
from snellen.sdk.scored import intake_of

pytestmark = pytest.mark.compat

REFERENCES = {"a": ["12 exercises", "12"], "b": ["<no answer>"], "c": ["Wall Sit"], "d": ["blue"]}


def grade(submissions: Any, **options: Any) -> sdk.Report:
    return sdk.grade(submissions, task="screenqa/short", references=REFERENCES, **options)


def answers(**responses: object) -> list[dict[str, Any]]:
    return [{"item_id": item_id, "response": said} for item_id, said in responses.items()]


def test_one_response_is_scored_as_the_readme_says() -> None:
    score = sdk.score("screenqa/short", response="12", reference=["12 exercises", "12"])
    assert score.metrics == {"exact_match": 1.0, "f1": 1.0}
    assert score.value == 1.0
    assert score.outcome is Outcome.ANSWERED


@pytest.mark.parametrize(
    ("doors", "said"),
    [
        ([None, None], ""),
        (["screen", None], ""),
        (["tools", "tools"], "tools"),
        (["tools", None], "screen+tools"),
        ([None, "window"], ""),
    ],
)
def test_episodes_by_tools_are_said_in_the_signature(
    doors: list[str | None], said: str, tmp_path: Path
) -> None:
    records = [
        {"status": "done", "cost": 2} | ({"door": door} if door is not None else {})
        for door in doors
    ]
    given = [
        {"item_id": f"l3-{number}", "response": record} for number, record in enumerate(records)
    ]
    report = sdk.grade(given, task="desk/l3", data=written("desk", tmp_path))
    assert report.provenance.door == said
    assert (f"|door:{said}|" if said else "|n:3|snellen:") in report.signature


def test_the_value_divides_by_every_selected_item() -> None:
    report = grade(answers(a="12", c="wall"))
    assert report.provenance.items == 4
    assert report.metrics["f1"].value == pytest.approx((1 + 2 / 3) / 4, abs=1e-15)
    assert report.metrics["f1"].value_answered == pytest.approx((1 + 2 / 3) / 2, abs=1e-15)
    assert report.metrics["exact_match"].value == 0.25
    assert report.value == report.metrics["f1"].value


def test_outcomes_are_counted_apart_and_add_up() -> None:
    report = grade(
        [
            {"item_id": "a", "response": "  "},
            {"item_id": "b", "response": "I'm sorry, I can't see that."},
            {"item_id": "c", "error": "time-out", "response": "Wall Sit"},
        ]
    )
    assert report.input.outcomes == {
        Outcome.ANSWERED: 0,
        Outcome.UNPARSED: 0,
        Outcome.EMPTY: 1,
        Outcome.REFUSED: 1,
        Outcome.MISSING: 1,
        Outcome.ERROR: 1,
    }
    assert report.input.incomplete
    assert report.value == 0


def test_an_error_is_never_scored_even_beside_a_right_response() -> None:
    report = grade([{"item_id": "c", "error": "time-out", "response": "Wall Sit"}])
    assert report.scores.of("c")[0].value == 0
    assert report.metrics["f1"].value_answered is None


def test_a_complete_set_of_answers_is_not_incomplete() -> None:
    report = grade(answers(a="12", b="<no answer>", c="Wall Sit", d="blue"))
    assert not report.input.incomplete
    assert report.value == 1.0


def test_an_outcome_label_does_not_alter_the_number_of_the_protocol() -> None:
    # The published rule: two texts that normalize to nothing match exactly, with F1 0.
    score = sdk.score("screenqa/short", response="", reference=["$"])
    assert score.outcome is Outcome.EMPTY
    assert score.metrics == {"exact_match": 1.0, "f1": 0.0}


def test_a_response_of_the_wrong_type_is_unparsed_and_scores_nothing() -> None:
    score = sdk.score("screenqa/short", response=12, reference=["12"])
    assert score.outcome is Outcome.UNPARSED
    assert score.value == 0
    assert "expected text" in score.note


def test_scores_stand_in_the_order_of_the_items_with_missing_ones() -> None:
    report = grade(answers(d="blue", a="twelve"))
    assert [score.item_id for score in report.scores] == ["a", "b", "c", "d"]
    assert [score.outcome for score in report.scores][1:3] == [Outcome.MISSING] * 2
    assert report.scores[-1].value == 1.0
    assert [score.response for score in report.scores[::3]] == ["twelve", "blue"]
    with pytest.raises(IndexError):
        report.scores[4]
    with pytest.raises(KeyError):
        report.scores.of("z")


def test_scores_can_be_dropped() -> None:
    report = grade(answers(a="12"), keep_scores=False)
    assert report.value == 0.25
    with pytest.raises(sdk.SnellenError, match="keep_scores"):
        _ = report.scores


def test_the_first_of_two_responses_counts_and_the_second_is_named() -> None:
    report = grade([*answers(a="12", d="blue"), {"item_id": "a", "response": "13"}])
    assert report.scores.of("a")[0].response == "12"
    (problem,) = report.input.problems
    assert problem.kind is ProblemKind.DUPLICATE
    assert problem.line == 3
    assert report.input.problem_counts == {ProblemKind.DUPLICATE: 1}


def test_unknown_items_are_named_and_the_known_ones_graded() -> None:
    report = grade(answers(a="12", z="?"))
    assert report.metrics["f1"].value == 0.25
    assert [problem.kind for problem in report.input.problems] == [ProblemKind.UNKNOWN_ITEM]


def test_no_known_item_at_all_stops_the_grading() -> None:
    with pytest.raises(SubmissionError, match="none of the 2 item ids is one of screenqa/short's"):
        grade(answers(y="12", z="?"))


def test_no_submission_at_all_stops_the_grading() -> None:
    with pytest.raises(SubmissionError):
        grade([])


@pytest.mark.parametrize("protocol", ["official", "lmms-eval", "official-qwen"])
def test_letters_beyond_the_options_are_noted_and_counted(protocol: str) -> None:
    answers = [{"item_id": name, "response": letter} for name, letter in ("aK", "bB", "cZ")]
    report = sdk.grade(
        answers,
        task="visualwebbench/action_prediction",
        references=dict.fromkeys("abc", 1),
        protocol=protocol,
    )

    notes = [score.note for score in report.scores]
    assert notes == ["names an option that was not offered", "", notes[0]]
    assert report.input.warnings == (
        "2 answers can't be right: each names an option that was not offered",
    )


def test_a_report_says_why_answers_could_not_be_judged() -> None:
    references: dict[str, object] = {
        name: {"bbox": [10, 20, 30, 40], "image_size": [100, 100]} if name == "d" else [1, 2, 3, 4]
        for name in "abcd"
    }
    said = [{"item_id": name, "response": "(0.2, 0.3)"} for name in "abd"]
    report = sdk.grade(
        [*said, {"item_id": "c", "error": "time-out"}],
        task="visualwebbench/element_ground_point",
        references=references,
        protocol="unit",
    )
    assert report.input.incomplete
    assert (report.input.outcomes[Outcome.ANSWERED], report.input.outcomes[Outcome.ERROR]) == (1, 3)
    assert report.input.warnings == (
        "2 answers could not be judged, and count as errors: a box in pixels needs image_size"
        " beside it in the reference to be held against fractions: load the data with its images",
    )


def test_items_select_a_subset_and_the_signature_says_so() -> None:
    whole = grade(answers(a="12", b="no"))
    part = grade(answers(a="12", b="no"), items=["a"])
    assert part.provenance.items == 1
    assert part.value == 1.0
    assert part.input.not_selected == 1
    assert not part.input.problems
    assert "|items:sha256:" in part.signature
    assert "|items:" not in whole.signature
    with pytest.raises(UnknownNameError, match="nowhere"):
        grade(answers(a="12"), items=["a", "nowhere"])
    with pytest.raises(InputError):
        grade(answers(a="12"), items="a")


def test_the_signature_names_all_that_the_number_depends_on() -> None:
    task, data, protocol, n, version = grade(answers(a="12")).signature.split("|")
    assert task == "screenqa/short"
    assert data.startswith("data:references:sha256:")
    assert protocol == "protocol:official@1"
    assert n == "n:4"
    assert version.startswith("snellen:")


def test_several_attempts_share_one_denominator() -> None:
    rows = [
        {"item_id": "a", "attempt": 0, "response": "12"},
        {"item_id": "a", "attempt": 7, "response": "no"},
        {"item_id": "c", "attempt": 7, "response": "Wall Sit"},
    ]
    report = grade(rows)
    assert report.provenance.attempts == 2
    assert report.value == 2 / 8
    assert report.input.outcomes[Outcome.MISSING] == 5
    # a and c pass one of two attempts each, b and d none.
    assert report.numbers.pass_at == {1: 0.25, 2: 0.5}
    assert report.numbers.pass_hat == {1: 0.25, 2: 0.0}
    assert [score.attempt for score in report.scores.of("a")] == [0, 7]
    assert "|attempts:2|" in report.signature


Rows = list[dict[str, Any]]


def as_models(rows: Rows) -> list[sdk.Submission]:
    return [sdk.Submission(**row) for row in rows]


def as_pandas(rows: Rows) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def as_polars(rows: Rows) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


@pytest.mark.parametrize("make", [list, iter, as_models, as_pandas, as_polars])
def test_submissions_come_in_any_shape(make: Callable[[Rows], Any]) -> None:
    report = grade(make(answers(a="12", c="Wall Sit")))
    assert report.value == 0.5


def test_answers_may_be_named_by_key_or_by_their_place() -> None:
    assert grade({"a": "12", "c": "Wall Sit"}).value == 0.5
    ordered = grade(["12", "nothing", "Wall Sit", None])
    assert ordered.value == 0.5
    assert ordered.input.outcomes[Outcome.MISSING] == 1
    with pytest.raises(SubmissionError, match="2 answers without ids for 4 items"):
        grade(["12", "nothing"])


def test_an_id_may_omit_the_split(tmp_path: Path) -> None:
    rows = [{"image_id": 5, "question": "How many?", "ground_truth": ["12"]}]
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(rows))
    data = sdk.load("screenqa/short", tmp_path)
    assert sdk.grade({"5/0": "12"}, data=data).value == 1
    assert sdk.grade({"test/5/0": "12"}, data=data).value == 1


@pytest.mark.parametrize("number", [12, 12.0])
def test_a_number_is_an_answer_to_a_question_about_a_text(number: float) -> None:
    report = grade([{"item_id": "a", "response": number}])
    assert report.value == 0.25
    assert "1 answers are numbers, and were read as texts" in report.input.warnings
    assert not report.input.problems


def test_a_benchmarks_name_lists_its_tasks() -> None:
    with pytest.raises(UnknownNameError) as found:
        sdk.grade([], task="screenqa", references={"a": ["b"]})
    assert "screenqa/short" in str(found.value)
    assert "mind2web" not in str(found.value)


def test_a_file_is_read_line_by_line_and_bad_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"item_id": "a", "response": "12"}\nnot json\n{"item_id": "d", "response": [3]}\n'
    )
    report = grade(path)
    assert report.value == 0.25
    assert report.input.outcomes[Outcome.UNPARSED] == 1
    malformed, wrong = report.input.problems
    assert (malformed.kind, malformed.line, malformed.file) == (ProblemKind.MALFORMED, 2, str(path))
    assert (wrong.kind, wrong.line, wrong.field) == (ProblemKind.WRONG_TYPE, 3, "response")


def test_a_response_over_the_limit_is_named_and_not_graded() -> None:
    report = grade(answers(a="12 " * 400_000, d="blue"))
    assert report.input.outcomes[Outcome.UNPARSED] == 1
    assert report.input.problem_counts == {ProblemKind.TOO_LONG: 1}
    assert report.metrics["f1"].value == 0.25


def test_a_response_over_the_limit_stays_unparsed_when_graded_again(tmp_path: Path) -> None:
    report = grade(answers(a="12 " * 400_000, d="blue"))
    assert report.scores.of("a")[0].response is None
    assert sdk.regrade(report).input.outcomes == report.input.outcomes
    saved = report.save(tmp_path / "report.json")
    assert sdk.regrade(saved, references=REFERENCES).input.outcomes == report.input.outcomes


@pytest.mark.slow
def test_attempt_numbers_that_number_no_attempts_are_refused() -> None:
    ids = [str(number) for number in range(20_000)]
    rows = ({"item_id": item_id, "attempt": n, "response": "x"} for n, item_id in enumerate(ids))
    with pytest.raises(SubmissionError, match="different attempts"):
        sdk.grade(rows, task="screenqa/short", references={key: ["x"] for key in ids})


def test_data_and_references_exclude_one_another() -> None:
    with pytest.raises(InputError, match=r"either data .--data., the published folder or the name"):
        sdk.grade(answers(a="12"), task="screenqa/short")
    with pytest.raises(InputError, match="the task is missing"):
        sdk.grade(answers(a="12"), references=REFERENCES)


def test_a_reference_of_the_wrong_shape_is_named() -> None:
    with pytest.raises(DataError, match=r"references\['a'\].*list of accepted texts"):
        sdk.grade(answers(a="12"), task="screenqa/short", references={"a": "12"})


def test_an_unknown_task_or_protocol_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'screenqa/short'"):
        sdk.score("screenqa/shot", response="", reference=[""])
    with pytest.raises(UnknownNameError, match="did you mean 'official'"):
        sdk.score("screenqa/short", response="", reference=[""], protocol="oficial")


def test_a_protocol_can_be_named_with_its_version() -> None:
    assert grade(answers(a="12"), protocol="robust@3").provenance.protocol == "robust"
    with pytest.raises(UnknownNameError):
        grade(answers(a="12"), protocol="robust@99")


def test_stored_answers_are_graded_again_from_the_report() -> None:
    report = grade([*answers(a="12", b="No answer", c="sit"), {"item_id": "d", "error": "gone"}])
    again = sdk.regrade(report, protocol="robust")
    direct = grade(
        [*answers(a="12", b="No answer", c="sit"), {"item_id": "d", "error": "gone"}],
        protocol="robust",
    )
    assert again.model_dump() == direct.model_dump()
    assert again.metrics["f1"].value > report.metrics["f1"].value


def test_stored_answers_are_graded_again_from_a_saved_report(tmp_path: Path) -> None:
    report = grade([*answers(a="12", b="No answer"), {"item_id": "d", "error": "gone"}])
    saved = report.save(tmp_path / "report.json")
    with pytest.raises(InputError, match="give references= again"):
        sdk.regrade(saved)
    again = sdk.regrade(saved, references=REFERENCES)
    assert again.metrics == report.metrics
    assert again.input.outcomes == report.input.outcomes


def test_a_saved_report_holds_the_numbers_and_no_reference(tmp_path: Path) -> None:
    report = grade(answers(a="12", c="wrong"))
    saved = json.loads(report.save(tmp_path / "report.json").read_text())
    assert saved["numbers"]["metrics"]["f1"]["value"] == report.value
    assert saved["signature"] == report.signature
    assert [row["item_id"] for row in saved["scores"]] == ["a", "b", "c", "d"]
    assert "Wall Sit" not in json.dumps(saved)


def test_reports_are_saved_as_csv_and_markdown_too(tmp_path: Path) -> None:
    report = grade(answers(a='12, "twelve"\n'))
    rows = report.save(tmp_path / "report.csv").read_text()
    assert rows.startswith("item_id,attempt,model,outcome,exact_match,f1,response,error,note")
    assert '"12, ""twelve""\n"' in rows
    page = report.save(tmp_path / "report.md").read_text()
    assert report.signature in page
    assert "| f1 |" in page


def test_nothing_half_written_is_left_when_a_report_can_not_be_saved(tmp_path: Path) -> None:
    report = grade(answers(a="12"), keep_scores=False)
    with pytest.raises(InputError, match=r"\.json, \.csv, \.md"):
        report.save(tmp_path / "report.xlsx")
    with pytest.raises(InputError, match="keep_scores"):
        report.save(tmp_path / "report.csv")
    with pytest.raises(InputError, match="can't write there"):
        report.save(tmp_path / "nowhere" / "report.json")
    assert not list(tmp_path.iterdir())


def test_several_threads_may_share_one_prepared_grader() -> None:
    protocol = sdk.protocol_of("screenqa/short")
    grader = Grader.of(protocol, list(REFERENCES.values()))
    responses = ["12", "<no answer>", "wall", "red"] * 500
    batch = Answers(np.array([0, 1, 2, 3] * 500), [0] * 2000, responses)
    alone = grader.batch(batch).values
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(grader.batch, [batch] * 8))
    assert all(np.array_equal(alone, columns.values) for columns in together)


@pytest.mark.slow
def test_a_progress_bar_is_shown_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers.jsonl"
    lines = (f'{{"item_id": "a", "attempt": {n}, "response": "12"}}\n' for n in range(40_000))
    path.write_text("".join(lines))
    assert grade(path, progress=True).provenance.attempts == 40_000
    assert "grading" in capsys.readouterr().err
    grade(path, progress=False)
    assert capsys.readouterr().err == ""


def test_what_a_protocol_reads_can_be_asked_for_without_scoring() -> None:
    read = sdk.read("mmbench-gui/l1", response="Based on the page, D", protocol="official")
    assert (read.answer, read.outcome) == ("B", Outcome.ANSWERED)
    robust = sdk.read("mmbench-gui/l1", response="Based on the page, D")
    assert robust.answer == "D"
    lost = sdk.read("screenqa/ui_contents_boxes", response=[[[0, 5, 1, 2], "upside down"]])
    assert lost.outcome is Outcome.ANSWERED
    assert "inverted" in lost.note
    guessed = sdk.read("mmbench-gui/l2_basic", response="(0.2, 0.4)", protocol="official")
    assert "0-1" in guessed.note
    assert sdk.read("screenqa/short", response="x" * 2_000_000).outcome is Outcome.UNPARSED
    assert sdk.read("screenqa/short", response=None).outcome is Outcome.MISSING


def test_the_signature_names_the_embedder_that_a_similarity_rests_on() -> None:
    rows = [{"item_id": "a", "response": "Enter your e-mail"}]
    references = {"a": "Enter your e-mail address"}
    report = sdk.grade(
        rows, task="webrssbench/hint_text", references=references, embedder="char-ngram"
    )
    assert 0.5 < report.value < 1
    assert "|embedder:char-ngram" in report.signature
    with pytest.raises(sdk.SnellenError, match="uses no embedder"):
        grade(answers(a="12"), embedder="char-ngram")


def test_references_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "references.json"
    path.write_text(json.dumps(REFERENCES))
    report = sdk.grade(answers(a="12"), task="screenqa/short", references=path)
    assert report.signature == grade(answers(a="12")).signature
    saved = report.save(tmp_path / "report.json")
    assert sdk.regrade(saved).metrics == report.metrics
    path.write_text("[]")
    with pytest.raises(DataError, match=r"references\.json: expected one JSON object"):
        sdk.grade(answers(a="12"), task="screenqa/short", references=path)
    with pytest.raises(DataError, match="can't read it"):
        sdk.grade(answers(a="12"), task="screenqa/short", references=tmp_path / "nowhere.json")


def test_any_python_value_can_be_scored_and_what_is_no_json_is_unparsed() -> None:
    boxes = [((0, 0, 10, 10), "a")]
    found = sdk.score("screenqa/ui_contents_boxes", response=boxes, reference=[boxes])
    assert found.metrics == {"bbox_f1": 1.0, "exact_match": 1.0, "f1": 1.0}
    pair = sdk.score("screenqa/ui_contents", response=("a", "b"), reference=[["a", "b"]])
    assert pair.value == 1.0
    for response in ([[[float("nan"), 0, 0, 10], "a"]], {"a"}, b"a", "\ud800"):
        lost = sdk.score("screenqa/ui_contents_boxes", response=response, reference=[boxes])
        assert (lost.outcome, lost.value) == (Outcome.UNPARSED, 0.0)
        assert lost.note


def test_an_inverted_box_is_named_and_matches_nothing() -> None:
    report = sdk.grade(
        [{"item_id": "a", "response": [[[10, 0, 0, 10], "x"]]}],
        task="screenqa/ui_contents_boxes",
        references={"a": [[[[0, 0, 10, 10], "x"]]]},
    )
    assert report.input.outcomes[Outcome.ANSWERED] == 1
    assert report.scores[0].value == 0
    assert "inverted" in report.scores[0].note


def test_grading_again_against_other_references_keeps_the_question() -> None:
    rows = [
        *answers(a="12", b="no", c=None),
        {"item_id": "a", "attempt": 1, "response": "x" * 2_000_000},
    ]
    report = grade(rows, items=["a", "c"], pass_mark=0.5)
    again = sdk.regrade(report, references=REFERENCES)
    assert again.signature == report.signature
    assert "|pass:0.5|" in again.signature
    assert (again.provenance.items, again.provenance.attempts, again.provenance.pass_mark) == (
        2,
        2,
        0.5,
    )
    assert again.input.outcomes == report.input.outcomes
    assert again.metrics == report.metrics
    with pytest.raises(InputError, match="is of screenqa/short"):
        sdk.regrade(report, task="screenqa/complex")


def test_selecting_items_moves_no_score() -> None:
    references = {"a": "an online shop for shoes", "b": "a shop of local news", "c": "shop"}
    rows = [{"item_id": "a", "response": "shop shoes"}]
    options: dict[str, Any] = {"task": "webrssbench/layout", "references": references}
    whole = sdk.grade(rows, **options).scores.of("a")[0].value
    assert sdk.grade(rows, items=["a"], **options).value == whole


def test_no_repr_shows_a_reference() -> None:
    report = grade(answers(a="?"))
    intake = intake_of(report)
    assert intake is not None
    for shown in (repr(report), repr(intake.selection), str(report.scores[0])):
        assert "Wall Sit" not in shown
        assert "12 exercises" not in shown


@pytest.mark.parametrize("references", [["a"], {1: ["x"]}, {}])
def test_references_that_are_no_mapping_are_refused(references: Any) -> None:
    with pytest.raises(InputError, match="references"):
        sdk.grade(answers(a="12"), task="screenqa/short", references=references)


def test_regions_are_referred_to_by_any_published_name() -> None:
    for name in ("top", "top bar", "top sidebar", "Top"):
        score = sdk.score("webrssbench/ui_grouping", response="top sidebar", reference=name)
        assert score.value == 1.0
    with pytest.raises(DataError, match="is none of"):
        sdk.score("webrssbench/ui_grouping", response="top", reference="nowhere")
    pair = {"crop_1|crop_2": "Top Left"}
    said = "crop_1 is at the [top-left] of crop_2"
    assert sdk.score("webrssbench/position", response=said, reference=pair).value == 1.0


def test_the_attainable_maximum_names_the_items_that_no_answer_can_match() -> None:
    found = sdk.attainable(task="screenqa/short", references={"a": ["12"], "b": ["$"]})
    assert (found.best, found.below) == (1.0, (1,))
    assert found.metrics == {"exact_match": 1.0, "f1": 0.5}
