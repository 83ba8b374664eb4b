import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.code import Execution, pass_rate, spec_match

SPEC = {
    "type": "bar",
    "title": "Sales by quarter",
    "series": [{"label": "2023", "values": [10, 20, 30.5, 0]}],
}
documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def changed(**fields: object) -> dict[str, Any]:
    return {**SPEC, **fields}


def ended(status: int) -> Execution:
    return Execution(status == 0, status, "", "", False, None, 0.1)


def test_the_pass_rate_counts_runs_that_ended_well() -> None:
    assert pass_rate([ended(0), ended(1), ended(0), ended(0)]) == 0.75
    assert pass_rate([False]) == 0.0
    assert pass_rate(iter([True, ended(0)])) == 1.0


def test_the_pass_rate_of_nothing_is_not_defined() -> None:
    with pytest.raises(MetricError, match="no runs"):
        pass_rate([])


def test_runs_that_differ_only_in_time_are_equal() -> None:
    assert Execution(True, 0, "", "", False, None, 0.1) == Execution(
        True, 0, "", "", False, None, 0.2
    )


@given(document=documents)
def test_every_document_matches_itself(document: object) -> None:
    match = spec_match(document, document)
    assert match.equal
    assert match.score == 1.0
    assert spec_match(json.loads(json.dumps(document)), document).equal


@given(a=documents, b=documents)
def test_scores_are_in_range_and_one_only_without_differences(a: object, b: object) -> None:
    match = spec_match(a, b)
    assert 0.0 <= match.score <= 1.0
    assert (match.score == 1.0) == match.equal
    assert spec_match(a, b, relative=0, absolute=0).score == pytest.approx(
        spec_match(b, a, relative=0, absolute=0).score, abs=1e-15
    )


@pytest.mark.parametrize(
    ("prediction", "score", "differences"),
    [
        (SPEC, 1.0, ()),
        (changed(title="  Sales by\u00a0quarter "), 1.0, ()),
        (changed(title="Sales"), 6 / 7, ("title",)),
        ({k: v for k, v in SPEC.items() if k != "title"}, 6 / 7, ("title",)),
        (changed(extra=1), 7 / 8, ("extra",)),
        (changed(series=[]), 2 / 8, None),
        (
            changed(series=[{"label": "2023", "values": [20, 10, 30.5, 0]}]),
            5 / 7,
            ("series[0].values[0]", "series[0].values[1]"),
        ),
        (changed(series=[{"label": "2023", "values": [10.1, 19.8, 30.4, 0]}]), 1.0, ()),
        (
            changed(series=[{"label": "2023", "values": [10, 20, 30.5, 0.1]}]),
            6 / 7,
            ("series[0].values[3]",),
        ),
        (changed(type=True), 6 / 7, ("type",)),
        ("bar", 0.0, None),
        (None, 0.0, None),
    ],
)
def test_agreement_is_the_share_of_leaves(
    prediction: object, score: float, differences: tuple[str, ...] | None
) -> None:
    match = spec_match(prediction, SPEC)
    assert match.score == pytest.approx(score)
    if differences is not None:
        assert match.differences == differences


@pytest.mark.parametrize(
    ("prediction", "reference", "equal"),
    [
        (101, 100, True),
        (99, 100, True),
        (101.01, 100, False),
        (-101, -100, True),
        (1e-9, 0, True),
        (1e-8, 0, False),
        (1, 1.0, True),
        (1, True, False),
        (True, 1, False),
        (0, None, False),
        ("1", 1, False),
        (float("nan"), 1, False),
        (float("inf"), 1, False),
        (10**400, 1, False),
        ("ｂａｒ", "bar", True),
        ("Bar", "bar", False),
        ([], {}, False),
        ([], [], True),
        ({"a.b": 1}, {"a": {"b": 1}}, False),
        ({"0": 1}, [1], False),
        ((1, 2), [1, 2], True),
    ],
)
def test_leaves_agree_by_kind_and_tolerance(
    prediction: object, reference: object, equal: bool
) -> None:
    assert spec_match(prediction, reference).equal is equal


@pytest.mark.slow
def test_a_prediction_may_nest_as_deep_as_it_likes() -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    assert spec_match(deep, SPEC).score == 0.0


@pytest.mark.parametrize(
    ("prediction", "reference", "complaint"),
    [
        (1, {"a": [float("inf")]}, r"the reference's a\[0\] is not a finite number"),
        (1, 10**400, "the reference's value is not a finite number"),
        ({1: 2}, {}, "1 is not a JSON key"),
        ({"a": b"x"}, {}, "a bytes is not a JSON value"),
    ],
)
def test_what_is_no_json_is_refused(prediction: object, reference: object, complaint: str) -> None:
    with pytest.raises(MetricError, match=complaint):
        spec_match(prediction, reference)


@pytest.mark.parametrize("tolerance", [{"relative": -0.1}, {"absolute": float("nan")}])
def test_tolerances_are_zero_or_more(tolerance: dict[str, float]) -> None:
    with pytest.raises(MetricError, match="tolerance must be 0 or more"):
        spec_match(1, 1, **tolerance)
