"""MMBench-GUI L1 and L2 against the worked vectors of the reference sheet."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.weighted_choice import (
    Accuracy,
    ChoiceOutcome,
    GroundingCell,
    Instruction,
    grounding_summary,
    plain,
    weighted_eq3,
    weighted_normalized,
)

# Section 4.1: win m = 4, 5, 6 with hits 1, 0, 1; mac m = 4, 5 with hits 0, 1.
VECTOR = [
    ChoiceOutcome("win", 4, True),
    ChoiceOutcome("win", 5, False),
    ChoiceOutcome("win", 6, True),
    ChoiceOutcome("mac", 4, False),
    ChoiceOutcome("mac", 5, True),
]
# Section 4.2, the toy vector.
TOY = [
    GroundingCell("win", "basic", "icon", (1, 0, -1)),
    GroundingCell("win", "basic", "text", (1,)),
    GroundingCell("mac", "basic", "icon", (0,)),
    GroundingCell("mac", "basic", "text", (1, 1)),
    GroundingCell("win", "advanced", "icon", (0,)),
    GroundingCell("win", "advanced", "text", (1,)),
]
# MMBench-GUI L2 table, InternVL3-72B: basic, advanced accuracy and count per platform. The count
# of Android advanced is 355, which the accuracies require, not the printed 335.
INTERNVL3 = {
    "windows": ((70.11, 271), (42.64, 272)),
    "macos": ((75.65, 345), (52.31, 346)),
    "linux": ((59.16, 191), (41.33, 196)),
    "ios": ((93.63, 314), (80.61, 330)),
    "android": ((92.7, 356), (78.59, 355)),
    "web": ((90.65, 310), (65.91, 308)),
}
OUTCOMES = st.lists(
    st.builds(
        ChoiceOutcome, st.sampled_from(["win", "mac", "web"]), st.integers(2, 6), st.booleans()
    ),
    min_size=1,
)
CELLS = st.lists(
    st.builds(
        GroundingCell,
        st.sampled_from(["win", "mac"]),
        st.sampled_from(["basic", "advanced"]),
        st.sampled_from(["icon", "text"]),
        st.lists(st.sampled_from([1, 0, -1]), max_size=5).map(tuple),
    ),
    min_size=1,
).filter(lambda cells: any(cell.outcomes for cell in cells))


def test_plain_scores_are_accuracies() -> None:
    result = plain(VECTOR)
    assert result.by_platform["win"].score == 2 / 3
    assert result.by_platform["mac"].score == 1 / 2
    assert result.level.score == 0.6


def test_normalized_scores_divide_by_the_attainable_maximum() -> None:
    result = weighted_normalized(VECTOR)
    assert result.by_platform["win"].score == float(Fraction(95, 143))
    assert result.by_platform["mac"].score == float(Fraction(16, 31))
    assert result.level.score == float(Fraction(13411, 22165))
    assert round(result.level.score, 6) == 0.605053


def test_eq3_scores_are_not_normalized() -> None:
    result = weighted_eq3(VECTOR)
    assert result.by_platform["win"].score == float(Fraction(19, 36))
    assert result.by_platform["win"].ceiling == float(Fraction(143, 180))
    assert result.by_platform["mac"].score == float(Fraction(2, 5))
    assert result.by_platform["mac"].ceiling == float(Fraction(31, 40))
    assert result.level.score == float(Fraction(143, 300))


def test_platforms_come_by_name_with_their_counts() -> None:
    result = plain(VECTOR)
    assert [(name, p.n) for name, p in result.by_platform.items()] == [("mac", 2), ("win", 3)]
    assert result.level.n == 5


def test_the_published_score_is_above_the_ceiling_of_eq3() -> None:
    # Section 4.1: 83.57 on easy iOS with at most six options.
    everything_right = weighted_eq3([ChoiceOutcome("ios", 6, True)] * 115)
    assert everything_right.level.score == everything_right.level.ceiling < 0.8357


@given(OUTCOMES)
def test_all_right_is_the_ceiling_and_all_wrong_is_zero(outcomes: list[ChoiceOutcome]) -> None:
    for protocol in (plain, weighted_normalized, weighted_eq3):
        best = protocol([o._replace(hit=True) for o in outcomes]).level
        worst = protocol([o._replace(hit=False) for o in outcomes]).level
        assert best.score == best.ceiling
        assert worst.score == 0
        assert 0 <= protocol(outcomes).level.score <= best.ceiling
    assert plain(outcomes).level.ceiling == weighted_normalized(outcomes).level.ceiling == 1


@given(OUTCOMES)
def test_with_equal_option_counts_normalizing_gives_the_accuracy(
    outcomes: list[ChoiceOutcome],
) -> None:
    same = [o._replace(options=4) for o in outcomes]
    assert weighted_normalized(same) == plain(same)
    assert weighted_eq3(same).level.score == pytest.approx(plain(same).level.score * 3 / 4)


@given(OUTCOMES)
def test_a_level_is_the_mean_of_its_platforms_by_count(outcomes: list[ChoiceOutcome]) -> None:
    assert plain(outcomes).level.score == sum(o.hit for o in outcomes) / len(outcomes)
    for protocol in (weighted_normalized, weighted_eq3):
        result = protocol(outcomes)
        total = sum(p.score * p.n for p in result.by_platform.values())
        assert result.level.score == pytest.approx(total / len(outcomes))


def test_a_level_without_questions_or_choices_is_an_error() -> None:
    for protocol in (plain, weighted_normalized, weighted_eq3):
        with pytest.raises(MetricError, match="the score of no questions is not defined"):
            protocol([])
        with pytest.raises(MetricError, match="a choice needs two options or more, not 1"):
            protocol([ChoiceOutcome("win", 1, True)])


def test_the_toy_vector_of_grounding_is_met() -> None:
    # Section 4.2: 57.142857, 50, 53.571429, 55.555556.
    result = grounding_summary(TOY)
    assert result.basic == Accuracy(hits=4, errors=1, n=7)
    assert result.advanced == Accuracy(hits=1, errors=0, n=2)
    assert (Accuracy(4, 1, 7).score, Accuracy(1, 0, 2).score) == (4 / 7, 0.5)
    assert result.average == pytest.approx(0.53571429, abs=1e-8)
    assert result.pooled == Accuracy(hits=5, errors=1, n=9)
    assert round(result.pooled.score, 8) == 0.55555556


def test_the_toy_vector_has_these_icons_texts_and_platforms() -> None:
    result = grounding_summary(TOY)
    assert result.icon == Accuracy(hits=1, errors=1, n=5)
    assert result.text == Accuracy(hits=4, errors=0, n=4)
    assert list(result.by_platform["basic"]) == ["mac", "win"]
    win = result.by_platform["basic"]["win"]
    assert win.icon == Accuracy(hits=1, errors=1, n=3)
    assert win.text == Accuracy(hits=1, errors=0, n=1)
    assert win.total == Accuracy(hits=2, errors=1, n=4)
    assert list(result.by_platform["advanced"]) == ["win"]


def test_a_platform_without_texts_has_none() -> None:
    result = grounding_summary([GroundingCell("web", "basic", "icon", (1, 0))])
    assert result.by_platform["basic"]["web"].text is None
    assert result.text is None
    assert result.by_platform["basic"]["web"].total.score == 0.5


def test_a_run_of_one_kind_of_instruction_has_no_average() -> None:
    result = grounding_summary([GroundingCell("web", "advanced", "text", (1,))])
    assert result.basic is None
    assert result.average is None
    assert "basic" not in result.by_platform
    assert result.pooled.score == 1.0


def test_an_unreadable_reply_counts_as_much_as_a_miss() -> None:
    missed = grounding_summary([GroundingCell("web", "basic", "icon", (1, 0))])
    unread = grounding_summary([GroundingCell("web", "basic", "icon", (1, -1))])
    assert missed.pooled.score == unread.pooled.score
    assert unread.pooled.errors == 1


def test_internvl3s_published_average_is_the_pooled_one() -> None:
    # Section 7.4: 72.20 is printed; pooling gives 72.204, the mean of two 72.26.
    kinds: tuple[Instruction, ...] = ("basic", "advanced")
    cells: list[GroundingCell] = []
    for platform, columns in INTERNVL3.items():
        for kind, (percent, n) in zip(kinds, columns, strict=True):
            hits = round(percent * n / 100)
            cells.append(GroundingCell(platform, kind, "icon", (1,) * hits + (0,) * (n - hits)))
    result = grounding_summary(cells)
    assert result.pooled.n == 3594
    assert result.pooled.score == pytest.approx(0.72204, abs=5e-5)
    assert result.average == pytest.approx(0.7226, abs=5e-5)


@pytest.mark.slow
@given(CELLS)
def test_the_counts_of_a_summary_add_up(cells: list[GroundingCell]) -> None:
    result = grounding_summary(cells)
    for parts in ((result.basic, result.advanced), (result.icon, result.text)):
        assert sum(part.n for part in parts if part) == result.pooled.n
        assert sum(part.hits for part in parts if part) == result.pooled.hits
    rows = [row for table in result.by_platform.values() for row in table.values()]
    assert sum(row.total.n for row in rows) == result.pooled.n
    assert 0 <= result.pooled.score <= 1


@given(CELLS)
def test_the_order_and_cutting_of_cells_does_not_matter(cells: list[GroundingCell]) -> None:
    singles = [
        GroundingCell(c.platform, c.instruction, c.element, (outcome,))
        for c in cells
        for outcome in c.outcomes
    ]
    assert grounding_summary(singles[::-1]) == grounding_summary(cells)


def test_no_replies_or_other_outcomes_are_an_error() -> None:
    with pytest.raises(MetricError, match="the grounding accuracy of no replies is not defined"):
        grounding_summary([GroundingCell("web", "basic", "icon", ())])
    with pytest.raises(MetricError, match="an outcome is 1, 0 or -1, not 2"):
        GroundingCell("web", "basic", "icon", (1, 2))
