"""People's verdicts, and how far a judge agrees with them."""

import json
from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.sdk.judges.labels import agreement, labels_of

IDS = ("a", "b", "c", "Shop--3")


def written(tmp_path: Path, text: object, name: str = "labels.json") -> str:
    file = tmp_path / name
    file.write_text(text if isinstance(text, str) else json.dumps(text))
    return str(file)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l.json", {"a": 1, "b": "failure", "other": 1, "c": 2}),
        ("l.json", [{"task_id": "a", "label": True}, {"task_id": "b", "label": "0"}]),
        ("l.jsonl", '{"id": "a", "verdict": "success"}\n{"id": "b", "verdict": 0}\n'),
        ("l.csv", "id,human\na,1\nb,0\nc,\n"),
    ],
)
def test_labels_are_read_from_each_form(tmp_path: Path, name: str, text: object) -> None:
    assert labels_of(written(tmp_path, text, name), IDS) == {"a": 1.0, "b": 0.0}


def test_of_several_columns_one_is_named_and_two_means_not_executable(tmp_path: Path) -> None:
    rows = [
        {"task_id": "a", "Operator_human_label": "1", "SeeAct_human_label": "0"},
        {"task_id": "b", "Operator_human_label": "2", "SeeAct_human_label": "1"},
    ]
    path = written(tmp_path, rows)
    assert labels_of(path, IDS, "Operator_human_label") == {"a": 1.0}
    with pytest.raises(InputError, match=r"Operator_human_label, SeeAct_human_label.*-T label="):
        labels_of(path, IDS)


def test_a_folder_of_webvoyagers_may_be_named_whole(tmp_path: Path) -> None:
    assert labels_of(written(tmp_path, {"taskShop--3": 1}), IDS) == {"Shop--3": 1.0}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a", "label": "maybe"}], "label.*must be 1, 0.*not 'maybe'"),
        ([{"id": "a", "label": 0.5}], "not 0.5"),
        ([{"id": "a", "label": 1}, {"id": "a", "label": 0}], "a has two verdicts"),
        ([{"id": "x", "label": 1}], "no verdict in it is of a trajectory; compare 'Shop--3' and"),
        ([{"id": "a", "name": 1}], "no column is named like a verdict"),
        ([{"id": "a", "label": 1}, {"label": 1}], "the row has no id"),
    ],
)
def test_faulty_labels_are_refused(tmp_path: Path, rows: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        labels_of(written(tmp_path, rows), IDS)


def test_agreement_is_that_worked_by_hand() -> None:
    # 20 of both, 5 of the first alone, 10 of the second alone, 15 of neither: 0.7 agree, and
    # 0.5 x 0.6 + 0.5 x 0.4 = 0.5 is expected, so kappa is 0.4.
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    judge = {str(at): float(one) for at, (one, _) in enumerate(pairs)}
    people = {str(at): float(other) for at, (_, other) in enumerate(pairs)}
    found = agreement(judge | {"unlabeled": 1.0}, people | {"unjudged": 0.0})
    assert found == pytest.approx(
        {
            "labeled": 50,
            "agreement": 0.7,
            "kappa": 0.4,
            "false_positives": 5,
            "false_negatives": 10,
        }
    )


def test_kappa_is_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    judge = {str(at): float(at % 3 == 0) for at in range(40)}
    people = {str(at): float(at % 4 == 0) for at in range(40)}
    expected = metrics.cohen_kappa_score(list(judge.values()), list(people.values()))
    assert agreement(judge, people)["kappa"] == pytest.approx(expected)


def test_without_variety_there_is_no_kappa_and_without_pairs_no_share() -> None:
    found = agreement({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 1.0})
    assert "kappa" not in found
    assert found["agreement"] == 1
    assert agreement({"a": 1.0}, {"b": 1.0}) == {"labeled": 0}
