from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.stats.multiplicity import benjamini_hochberg, holm

PS = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(PS, st.floats(0.001, 0.999))
def test_holm_rejects_what_its_steps_reject(ps: list[float], alpha: float) -> None:
    # Holm 1979: from the smallest p up, stop at the first above alpha / (tests left).
    rejected = [False] * len(ps)
    for done, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[index] * (len(ps) - done) > alpha:
            break
        rejected[index] = True
    assert (holm(ps) <= alpha).tolist() == rejected


@given(PS)
def test_benjamini_hochberg_is_its_definition(ps: list[float]) -> None:
    count, found = len(ps), benjamini_hochberg(ps)
    for p, adjusted in zip(ps, found, strict=True):
        larger = [other for other in ps if other >= p]
        expected = min(other * count / sum(one <= other for one in ps) for other in larger)
        assert adjusted == pytest.approx(min(expected, 1.0))


def test_worked_values() -> None:
    assert holm([0.02, 0.01, 0.03, 0.005]) == pytest.approx([0.04, 0.03, 0.04, 0.02])
    assert benjamini_hochberg([0.02, 0.01, 0.04, 0.005]) == pytest.approx(
        [0.08 / 3, 0.02, 0.04, 0.02]
    )


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
@given(ps=PS)
def test_correcting_never_lowers_p_and_keeps_the_order(
    correct: Callable[[list[float]], NDArray[np.float64]], ps: list[float]
) -> None:
    adjusted = correct(ps)
    assert (adjusted >= np.array(ps) * (1 - 1e-15)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(ps, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_one_p_stays_and_none_stays_none(
    correct: Callable[[list[float]], NDArray[np.float64]],
) -> None:
    assert correct([0.3]).tolist() == [0.3]
    assert correct([]).tolist() == []


@pytest.mark.parametrize("ps", [[1.1], [-0.1], [float("nan")], [[0.1]]])
def test_what_is_no_row_of_probabilities_is_an_error(ps: list[float]) -> None:
    with pytest.raises(MetricError, match="p-value"):
        holm(ps)
    with pytest.raises(MetricError, match="p-value"):
        benjamini_hochberg(ps)
