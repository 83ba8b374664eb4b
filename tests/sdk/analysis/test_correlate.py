"""`correlate`: between tasks, with numbers from outside, and over published tables."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from snellen import sdk
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.markdown import plain_text
from snellen.grading.models.reports import (
    DataPin,
    Input,
    MetricValue,
    Numbers,
    PinVerdict,
    Provenance,
    Report,
)
from snellen.grading.models.runs import Run
from snellen.grading.models.scores import Outcome
from snellen.sdk.analysis.correlate import Correlations, correlate
from snellen.tasks.published.tables import published_table

X = {"a": 0.1, "b": 0.35, "c": 0.4, "d": 0.8, "e": 0.7}
Y = {"a": 0.2, "b": 0.1, "c": 0.5, "d": 0.9, "e": 0.4}
Z = {"a": 0.9, "b": 0.8, "d": 0.1, "e": 0.3, "f": 0.5}


def table(**columns: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Turn columns round: model to column to number."""
    models = dict.fromkeys(model for values in columns.values() for model in values)
    return {
        model: {name: values[model] for name, values in columns.items() if model in values}
        for model in models
    }


def report(
    task: str,
    value: float,
    model: str | None = None,
    outcomes: dict[Outcome, int] | None = None,
    **changes: Any,
) -> Report:
    metric = MetricValue(value=value, value_answered=value, as_published=value)
    other = MetricValue(value=1 - value, value_answered=None, as_published=None)
    made_from: dict[str, Any] = {
        "task": task,
        "protocol": "official",
        "protocol_version": 1,
        "items": 8,
        "run": None if model is None else Run(model=model, api="function", prompt="plain"),
        "data": DataPin(release="v1.2", sha256="a" * 64, count=8, verdict=PinVerdict.KNOWN),
    }
    return Report(
        numbers=Numbers(primary="f1", metrics={"f1": metric, "wrong": other}),
        provenance=Provenance(**(made_from | changes)),
        input=Input(outcomes=outcomes or {Outcome.ANSWERED: 8}),
    )


def csv_file(folder: Path, text: str) -> Path:
    path = folder / "other.csv"
    path.write_text(text, encoding="utf-8")
    return path


def spearman_by_all_orders(first: Sequence[float], second: Sequence[float]) -> Any:
    """Spearman's rho, with the share of all orders in which it is as far from 0."""
    spearman: Any = scipy.stats.spearmanr
    found = spearman(first, second).statistic
    orders = [spearman(first, order).statistic for order in permutations(second)]
    far = sum(abs(one) >= abs(found) - 1e-12 for one in orders)
    return SimpleNamespace(statistic=found, pvalue=far / len(orders))


_WITNESSES: list[tuple[str, Any]] = [
    ("pearson", scipy.stats.pearsonr),
    ("spearman", spearman_by_all_orders),
    ("kendall", scipy.stats.kendalltau),
]


@pytest.mark.parametrize(("method", "witness"), _WITNESSES)
def test_each_pair_is_correlated_over_the_models_that_both_columns_have(
    method: Any, witness: Any
) -> None:
    columns = {"x": X, "y": Y, "z": Z}
    found = correlate(table(**columns), method=method)
    assert found.models == ("a", "b", "c", "d", "e", "f")
    assert found.columns == {"x": 5, "y": 5, "z": 5}
    assert [(pair.first, pair.second, pair.n) for pair in found.pairs] == [
        ("x", "y", 5),
        ("x", "z", 4),
        ("y", "z", 4),
    ]
    for first, second in combinations(columns, 2):
        both = sorted(columns[first].keys() & columns[second].keys())
        expected = witness(
            [columns[first][model] for model in both], [columns[second][model] for model in both]
        )
        pair = found.of(second, first)
        assert pair.coefficient == pytest.approx(expected.statistic, abs=1e-12)
        assert pair.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_the_interval_of_pearson_is_fishers_as_scipy_has_it() -> None:
    pair = correlate(table(x=X, y=Y), level=0.9).of("x", "y")
    expected = scipy.stats.pearsonr(list(X.values()), list(Y.values())).confidence_interval(0.9)
    assert pair.interval is not None
    assert pair.interval.level == 0.9
    assert (pair.interval.low, pair.interval.high) == pytest.approx((expected.low, expected.high))


def test_what_only_one_of_two_columns_has_is_listed() -> None:
    pair = correlate(table(x=X, z=Z)).of("x", "z")
    assert (pair.only_first, pair.only_second) == (("c",), ("f",))


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6, unique=True), min_size=2, max_size=5)
)
def test_p_is_corrected_over_all_pairs_by_holm(rows: list[list[float]]) -> None:
    found = correlate(
        {
            str(model): {str(name): row[model] for name, row in enumerate(rows)}
            for model in range(6)
        },
        method="spearman",
    )
    ps = [pair.p for pair in found.pairs if pair.p is not None]
    for pair in found.pairs:
        assert pair.p is not None
        assert pair.adjusted is not None
        # Holm written from its definition: the largest, over the smaller ones, of p times what is
        # left to test.
        steps = [p * sum(other >= p for other in ps) for p in ps if p <= pair.p]
        slow = min(1.0, max(steps))
        assert pair.adjusted == pytest.approx(slow)
        assert pair.adjusted >= pair.p


def test_three_models_have_a_coefficient_without_an_interval() -> None:
    short = {model: X[model] for model in "abc"}
    pair = correlate(table(x=short, y=Y)).of("x", "y")
    assert pair.n == 3
    assert pair.coefficient is not None
    assert pair.interval is None
    assert pair.note == "no interval: 3 models are too few"


@pytest.mark.parametrize(
    ("common", "said"), [("ab", "2 models"), ("a", "1 model"), ("", "no models")]
)
def test_two_models_or_fewer_have_no_coefficient(common: str, said: str) -> None:
    far = {model: Y[model] for model in common} | {"far": 0.1, "farther": 0.2}
    pair = correlate(table(x=X, y=far)).of("x", "y")
    assert (pair.n, pair.coefficient, pair.p, pair.adjusted) == (len(common), None, None, None)
    assert pair.note == f"{said} in common: a coefficient says nothing of so few"


def test_a_perfect_agreement_has_no_interval_and_says_so() -> None:
    pair = correlate(table(x=X, y={model: 2 * value for model, value in X.items()})).of("x", "y")
    assert pair.coefficient == pytest.approx(1)
    assert (pair.interval, pair.note) == (None, "no interval is defined here")


def test_a_column_that_does_not_vary_is_left_out_with_the_reason() -> None:
    found = correlate(table(x=X, y=Y, flat=dict.fromkeys(X, 0.5), lone={"a": 1.0}))
    assert found.columns == {"x": 5, "y": 5}
    assert found.left_out == {
        "flat": "all of its 5 models have the same number",
        "lone": "it has 1 of the two models that a correlation needs at least",
    }
    with pytest.raises(UnknownNameError, match=r"no column correlated \(all of its 5 models"):
        found.of("flat", "x")


def test_a_column_that_does_not_vary_over_the_models_in_common_has_no_coefficient() -> None:
    half = {"a": 0.5, "b": 0.5, "c": 0.5, "f": 0.1}
    pair = correlate(table(x=X, half=half)).of("x", "half")
    assert pair.coefficient is None
    assert pair.note == "half is the same for all models in common"


def test_reports_know_their_model_and_their_task() -> None:
    reports = [
        report(task, value, model)
        for task, column in (("screenqa/short", X), ("screenqa/complex", Y))
        for model, value in column.items()
    ]
    found = correlate(reports)
    assert found.columns == {"screenqa/short": 5, "screenqa/complex": 5}
    assert found.pairs[0].coefficient == correlate(table(x=X, y=Y)).pairs[0].coefficient
    turned = correlate(reports, metric="wrong")
    assert turned.pairs[0].coefficient == pytest.approx(found.pairs[0].coefficient)
    assert found.notes == ()


def test_graded_answers_are_named_by_a_mapping() -> None:
    tasks = {"screenqa/short": X, "screenqa/complex": Y}
    named = {model: [report(task, column[model]) for task, column in tasks.items()] for model in X}
    assert correlate(named).pairs == correlate(
        [report(task, value, model) for task, column in tasks.items()
         for model, value in column.items()]
    ).pairs  # fmt: skip


def test_a_mapping_may_hold_one_report_a_model_beside_numbers_from_outside() -> None:
    named = {model: report("screenqa/short", value) for model, value in X.items()}
    found = correlate(named, external={model: {"other": value} for model, value in Y.items()})
    assert found.of("screenqa/short", "other").n == 5


def test_what_sdk_grade_returns_can_be_correlated() -> None:
    references = {"a": ["12"], "b": ["blue"], "c": ["Wall Sit"]}

    def graded(*right: str) -> sdk.Report:
        answers = [
            {"item_id": item, "response": references[item][0] if item in right else "wrong"}
            for item in references
        ]
        return sdk.grade(answers, task="screenqa/short", references=references)

    named = {"one": graded(), "two": graded("a"), "three": graded("a", "b"), "four": graded("b")}
    outside = {
        "one": {"other": 1},
        "two": {"other": 2},
        "three": {"other": 3},
        "four": {"other": 2},
    }
    assert correlate(named, external=outside).pairs[0].coefficient == pytest.approx(1)


def test_mixed_protocols_and_missing_answers_are_noted() -> None:
    reports = [
        report("screenqa/short", 0.1, "a"),
        report("screenqa/short", 0.3, "b", protocol="robust"),
        report("screenqa/short", 0.2, "c", {Outcome.ANSWERED: 7, Outcome.MISSING: 1}),
    ]
    outside = {"a": {"other": 1.0}, "b": {"other": 2.0}, "c": {"other": 4.0}}
    found = correlate(reports, external=outside)
    asked = "prompt:plain|view:native|decoding:44136fa355b3678a|snellen:"
    assert found.notes == (
        "screenqa/short was graded in 2 ways, which need not compare:"
        f" data:v1.2:sha256:{16 * 'a'}|protocol:official@1|n:8|{asked};"
        f" data:v1.2:sha256:{16 * 'a'}|protocol:robust@1|n:8|{asked}",
        "answers are missing, and count as 0, in: screenqa/short of c",
    )
    page = found.to_markdown()
    assert all(note in str(found) and plain_text(note) in page for note in found.notes)


@pytest.mark.parametrize(
    ("reports", "error", "message"),
    [
        ([report("screenqa/short", 0.5)], InputError, "the model of report 1 is unknown"),
        (report("screenqa/short", 0.5), InputError, "a correlation is over models"),
        (5, InputError, "not one int"),
        ([7], InputError, "the model of report 1 is unknown"),
        ({"a": ["saved.json"]}, InputError, "saved.json: can't read it"),
        ({"a": 0.5}, InputError, "model 'a': expected a report, not float"),
        (
            [report("screenqa/short", 0.5, "a"), report("screenqa/short", 0.6, "a")],
            InputError,
            "model 'a' has two reports on screenqa/short; give one",
        ),
        (
            {"a": {"x": 1.0}, "b": [report("screenqa/short", 0.5)]},
            InputError,
            "bare numbers for some models and reports for others",
        ),
        ({"a": {"x": "much"}}, InputError, "reports['a']['x']': 'much' is not a number"),
        ({"a": {"x": math.inf}}, InputError, "'inf' is not a number"),
        ({"a": {"x": True}}, InputError, "true and false are not numbers"),
        ([], InputError, "two columns of numbers that vary; there are 0"),
        (table(x=X), InputError, "two columns of numbers that vary; there are 1"),
        (
            table(x=X, flat=dict.fromkeys(X, 1.0)),
            InputError,
            "there are 1 (left out: flat: all of its 5 models have the same number)",
        ),
    ],
)
def test_what_can_not_be_correlated_is_an_error_that_says_why(
    reports: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        correlate(reports)
    assert message in str(caught.value).replace('"', "'")


def test_an_unknown_method_or_metric_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'pearson'"):
        correlate(table(x=X, y=Y), method="pearsons")  # pyright: ignore[reportArgumentType]  # the point
    with pytest.raises(UnknownNameError, match="no metric of screenqa/short 'f2'"):
        correlate([report("screenqa/short", 0.5, "a")], metric="f2")
    with pytest.raises(InputError, match="metric= is for reports"):
        correlate(table(x=X, y=Y), metric="f1")


def test_external_numbers_come_from_a_file(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'model,Mind,"Sum, of all"\na,10,1\n\nb,20,\nc,30,3\nd,55,9\nz,1,2\n')
    found = correlate(table(x=X), external=path)
    assert found.columns == {"x": 5, "Mind": 5, "Sum, of all": 4}
    pair = found.of("x", "Mind")
    assert (pair.n, pair.only_first, pair.only_second) == (4, ("e",), ("z",))
    expected = np.corrcoef([0.1, 0.35, 0.4, 0.8], [10, 20, 30, 55])[0, 1]
    assert pair.coefficient == pytest.approx(expected)


def test_external_numbers_come_from_lines_of_json_dicts_or_a_frame(tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl

    rows = [{"model": model, "other": value} for model, value in Y.items()]
    path = tmp_path / "other.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    expected = correlate(table(x=X, other=Y)).pairs
    for source in (path, str(path), rows, pd.DataFrame(rows), pl.DataFrame(rows)):
        assert correlate(table(x=X), external=source).pairs == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,m\na,1\nb,high\n", "other.csv, line 3, field 'm': 'high' is not a number"),
        ("model,m\na,1\nb,38%\n", "line 3, field 'm': '38%' is not a number"),
        ("model,m\na,1\nb,nan\n", "line 3, field 'm': 'nan' is not a number"),
        ("model,m\na,1\na,1\n", "line 3, field 'model': 'a' is also on line 2; keep one"),
        ("model,m\n,1\n", "line 2, field 'model': the model's name is empty"),
        ("name,m\na,1\n", "other.csv: the first column must be model, and each further one"),
        ("model,x\na,1\nb,2\n", "the columns 'x' are on both sides; rename them"),
        ("model,m\nA,1\nB,2\n", "no model is on both sides: the reports have 'a', 'b', 'c', 'd'"),
        ("model,m\na,1,2\n", "other.csv, line 2: the row has 3 cells, the header 2"),
        ("model,m\n", "other.csv: it has no rows"),
    ],
)
def test_a_fault_in_a_file_is_an_error_that_names_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        correlate(table(x=X), external=csv_file(tmp_path, text))
    assert message in str(caught.value)


def test_the_columns_of_a_published_table_correlate() -> None:
    cells = published_table("VisualWebBench table 1").cells
    found = correlate(cells)
    assert len(found.pairs) == 28
    pair = found.of("web_caption", "action_ground")
    expected = scipy.stats.pearsonr(
        [row["web_caption"] for row in cells.values()],
        [row["action_ground"] for row in cells.values()],
    )
    assert pair.n == 22
    assert pair.coefficient == pytest.approx(expected.statistic)
    assert pair.coefficient == pytest.approx(0.71, abs=0.005)


def test_a_matrix_is_a_square_with_ones_on_its_diagonal() -> None:
    found = correlate(table(x=X, y=Y, far={"g": 0.1, "h": 0.2}))
    square = found.matrix()
    assert list(square) == ["x", "y", "far"]
    assert square["x"]["y"] == square["y"]["x"] == found.of("x", "y").coefficient
    assert square["x"]["x"] == 1
    assert square["far"]["x"] is None


def test_a_column_has_no_pair_with_itself_or_with_what_is_not_there() -> None:
    found = correlate(table(x=X, y=Y))
    with pytest.raises(InputError, match="a column can't be compared with itself: 'x'"):
        found.of("x", "x")
    with pytest.raises(UnknownNameError, match="no column 'q'"):
        found.of("x", "q")


def test_text_puts_the_strongest_first_and_markdown_says_the_same() -> None:
    found = correlate(table(x=X, y=Y, z=Z, far={"g": 0.1, "h": 0.2}, flat={"a": 1.0, "b": 1.0}))
    lines = str(found).splitlines()
    assert lines[0].startswith("x ~ z: -0.97 [-1.00 to -0.20] n=4 p=0.079")
    assert lines[-1] == "flat is left out: all of its 2 models have the same number"
    page = found.to_markdown()
    assert "| x ~ z | 4 | -0.97 | -1.00 to -0.20 | 0.079 |  |" in page
    assert "| x ~ far | 0 | - |  |  | no models in common:" in page
    assert "- flat is left out: all of its 2 models have the same number." in page


def test_it_is_saved_as_csv_json_or_markdown(tmp_path: Path) -> None:
    import csv

    found = correlate(table(x=X, z=Z))
    with found.save(tmp_path / "found.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["coefficient"]) == found.pairs[0].coefficient
    assert (row["only_first"], row["only_second"], row["n"]) == ("c", "f", "4")
    text = found.save(str(tmp_path / "found.json")).read_text(encoding="utf-8")
    assert Correlations.model_validate_json(text) == found
    page = found.save(tmp_path / "found.md").read_text(encoding="utf-8")
    assert page == found.to_markdown()
    with pytest.raises(InputError, match=r"can't save correlations as '.png'; use one of .json"):
        found.save(tmp_path / "found.png")


def test_a_file_of_the_form_of_a_printed_comparison_is_all_that_is_needed(tmp_path: Path) -> None:
    # A benchmark's own table beside another benchmark's numbers for the same models.
    cells = published_table("VisualWebBench table 1").cells
    lines = [f"{model},{index}" for index, model in enumerate(cells)]
    path = csv_file(tmp_path, "\n".join(["model,Other benchmark", *lines]))
    found = correlate(cells, external=path)
    assert found.of("web_caption", "Other benchmark").n == 22
