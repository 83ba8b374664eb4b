import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import TOO_LONG, Outcome, Score
from snellen.sdk.submissions import Batch, read

ROWS = [{"item_id": "a", "response": "x"}, {"item_id": "b", "response": ["y"], "attempt": 1}]


def parse(folder: Path, content: object, **options: Any) -> Batch:
    path = folder / "answers.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(json.dumps(content))
    (batch,) = read(path, **options)
    return batch


@pytest.mark.parametrize("content", [ROWS, {"note": 1, "submissions": ROWS}])
def test_an_array_or_an_object_that_has_one_is_read(tmp_path: Path, content: object) -> None:
    batch = parse(tmp_path, content)
    assert (batch.item_ids, batch.responses, batch.attempts) == (["a", "b"], ["x", ["y"]], [0, 1])
    assert list(batch.lines) == [1, 2]
    assert batch.bytes_read == batch.bytes_total == (tmp_path / "answers.json").stat().st_size


def test_a_faulty_element_is_named_by_its_row_and_the_others_stay(tmp_path: Path) -> None:
    batch = parse(tmp_path, [ROWS[0], 7, {"item_id": 5}, ROWS[1]])
    assert (batch.item_ids, list(batch.lines)) == (["a", "b"], [1, 4])
    assert [(problem.kind, problem.line) for problem in batch.problems] == [
        (ProblemKind.MALFORMED, 2),
        (ProblemKind.WRONG_TYPE, 3),
    ]


@pytest.mark.parametrize(
    "element",
    [
        b'{"item_id": "c", "response": NaN}',
        b'{"item_id": "c", "response": "\\ud83d"}',
        b'{"item_id": "c", "response": "caf\xe9"}',
        b'{"item_id": "c", "response": "x", "meta": {"score": Infinity}}',
        b'{"item_id": "c", "response": 1e999}',
    ],
)
@pytest.mark.parametrize("shape", [b"[%s]", b'{"submissions": [%s]}', b'{"scores": [%s]}'])
def test_an_element_that_is_not_strict_json_loses_only_itself(
    tmp_path: Path, element: bytes, shape: bytes
) -> None:
    good = json.dumps(ROWS[0]).encode()
    batch = parse(tmp_path, shape % b", ".join([good, element, good]))
    assert (batch.item_ids, list(batch.lines)) == (["a", "a"], [1, 3])
    (problem,) = batch.problems
    assert (problem.kind, problem.line) == (ProblemKind.MALFORMED, 2)


def test_json_lines_under_the_wrong_name_are_read(tmp_path: Path) -> None:
    lines = b'{"item_id": "a", "response": "x"}\n{"item_id": "b", "response": "y"}\n'
    batch = parse(tmp_path, lines)
    assert (batch.item_ids, batch.responses) == (["a", "b"], ["x", "y"])


WHOLE = json.dumps(ROWS).encode()
OBJECTS: list[object] = [ROWS[0], {"submissions": 5}, {}, {"scores": None}]
EMPTY: list[object] = [[], {"submissions": []}, {"scores": []}]
LISTS = "an object without a list `submissions` or `scores`"
# fmt: off
REFUSED: list[tuple[object, str]] = [
    *((WHOLE[:cut], r"the file ends too early, .*copy it again")
      for cut in (1, 5, 30, -10, -2, -1)),
    *((content, "it is not (JSON|usable)")
      for content in (b"[1, 2", b"nonsense", b"[1,,2]", b"[" * 10**6, b"\xff[]")),
    *((content, LISTS) for content in OBJECTS),
    *((content, f"it is {kind}; give an array of submissions")
      for content, kind in ((5, "a number"), ("x", "text"), (None, "null"))),
    *((content, "it has no submissions") for content in EMPTY),
]
# fmt: on


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_what_is_no_array_of_submissions_is_refused(
    tmp_path: Path, content: object, message: str
) -> None:
    with pytest.raises(SubmissionError, match=message) as caught:
        parse(tmp_path, content)
    assert caught.value.file == str(tmp_path / "answers.json")


def test_long_responses_are_replaced(tmp_path: Path) -> None:
    batch = parse(
        tmp_path,
        [{"item_id": "a", "response": "xxxx"}, {"item_id": "b", "response": [1, 2]}],
        max_response_chars=3,
    )
    assert batch.responses == [TOO_LONG, TOO_LONG]


def test_batches_are_cut_by_the_chunk(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(ROWS * 3))
    assert [list(batch.lines) for batch in read(path, chunk=4)] == [[1, 2, 3, 4], [5, 6]]


def score(item_id: str, outcome: Outcome, **fields: Any) -> dict[str, Any]:
    value = Score(item_id=item_id, outcome=outcome, value=0.0, metrics={"f1": 0.0}, **fields)
    return value.model_dump(mode="json")


def test_a_saved_report_gives_back_what_was_submitted(tmp_path: Path) -> None:
    scores = [
        score("a", Outcome.ANSWERED, response="x", attempt=1, model="m"),
        score("b", Outcome.MISSING),
        score("c", Outcome.ERROR, error="time-out"),
        score("d", Outcome.ERROR, note="broke"),
        score("e", Outcome.EMPTY),
    ]
    batch = parse(tmp_path, {"task": "screenqa/short", "scores": scores})
    assert batch.item_ids == ["a", "c", "d", "e"]
    assert batch.responses == ["x", None, None, None]
    assert batch.attempts == [1, 0, 0, 0]
    assert batch.errors == [None, "time-out", "broke", None]
    assert batch.models == ["m", None, None, None]
    assert (list(batch.lines), batch.problems) == ([1, 3, 4, 5], [])


def test_faulty_rows_of_a_saved_report_are_named(tmp_path: Path) -> None:
    batch = parse(tmp_path, b'{"scores": [{"item_id": "a", "response": 1}, 5, {"x": "\xff"}]}')
    assert batch.item_ids == ["a"]
    assert [problem.line for problem in batch.problems] == [2, 3]
