"""Each rule speaks when the numbers support its sentence, and not when they nearly do."""

from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import norm

from snellen.grading.failures.tags import FailureTag
from snellen.grading.models.estimates import Breakdown, Cell, Chance, Estimate
from snellen.grading.models.reports import DataPin, MetricValue, PinVerdict, ProblemKind
from snellen.grading.models.scores import Outcome
from snellen.grading.report.advice import RULES, Rule, advise
from snellen.grading.report.faults import fault_advice
from snellen.grading.report.page import (
    CalibrationKind,
    CalibrationRow,
    Change,
    Difference,
    FailureCount,
    Page,
    PartShare,
    ProtocolValue,
)

MakePage = Callable[..., Page]
MakeEstimate = Callable[..., Estimate]


def rule(name: str) -> Rule:
    """Return a rule by its id."""
    return RULES[name]


def plain(text: str) -> str:
    """Write a sentence with plain spaces and hyphens."""
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


def row(value: float = 0.6, ceiling: float | None = None, **more: Any) -> dict[str, Any]:
    """Return the fields of a page whose primary metric is this."""
    estimate = more.pop("estimate", None)
    fields: dict[str, Any] = {"value": value, "value_answered": value, "as_published": value}
    fields.update(more)
    return {
        "metrics": {"f1": MetricValue(**fields)},
        "estimates": {} if estimate is None else {"f1": estimate},
        "ceiling": {} if ceiling is None else {"f1": ceiling},
    }


def test_a_page_of_which_nothing_is_known_but_the_number_gets_no_advice(
    bare_page: MakePage,
) -> None:
    assert advise(bare_page()) == ()


def test_advice_comes_in_the_order_of_the_rules(full_page: MakePage) -> None:
    said = [advice.rule for advice in advise(full_page())]
    assert said == [name for name in RULES if name in said]
    assert len(said) > 8


def test_a_run_that_mostly_failed_gets_only_advice_that_does_not_rest_on_its_answers(
    full_page: MakePage, make_estimate: MakeEstimate
) -> None:
    fields = row(0.0, 0.9, estimate=make_estimate(0.0))
    pin = DataPin(release="unknown", sha256="0" * 64, count=1, verdict=PinVerdict.DIFFERS)

    def said(errors: int) -> set[str]:
        outcomes = {Outcome.ERROR: errors, Outcome.ANSWERED: 300 - errors}
        page = full_page(outcomes=outcomes, data=pin, selected="ab" * 8, **fields)
        return {advice.rule for advice in advise(page)}

    assert said(300) == said(16) == {"incomplete", "other-data", "selected", "input-problems"}
    assert {"within-chance", "uncertain", "commonest-failure"} <= said(15)


def test_one_item_is_spoken_of_as_one(bare_page: MakePage) -> None:
    one = Estimate(value=0.6, items=1, clusters=1)
    page = bare_page(items=1, outcomes={Outcome.ERROR: 1}, selected="ab" * 8, **row(estimate=one))
    assert plain(rule("incomplete")(page)).startswith("1 of 1 answer is not there (1 failed)")
    assert "count 0" not in rule("incomplete")(page)
    assert rule("selected")(page).startswith("Only 1 selected item was graded")
    assert rule("without-interval")(page).startswith("1 independent group of items gives no")
    fault = FailureCount("extra-words", 1, "Too many words.", "Ask for fewer.")
    assert rule("commonest-failure")(bare_page(items=1, failures=(fault,), failed=1)) == ""


@pytest.mark.parametrize("error", [None, 0.0])
def test_where_all_values_are_equal_no_number_of_items_is_promised(
    bare_page: MakePage, make_estimate: MakeEstimate, error: float | None
) -> None:
    estimate = make_estimate(1.0, 0.2, 5, standard_error=error)
    assert rule("uncertain")(bare_page(items=5, **row(1.0, estimate=estimate))) == ""


def test_a_fault_that_another_rule_has_spoken_of_is_not_counted_again(
    bare_page: MakePage,
) -> None:
    failures = (
        FailureCount("unparsed", 18, "Not read.", "Read some."),
        FailureCount("near-target", 9, "Near.", "Zoom in."),
    )
    fields: dict[str, Any] = {"items": 40, "failures": failures, "failed": 30}
    unread = {Outcome.ANSWERED: 10, Outcome.UNPARSED: 30}
    said = rule("commonest-failure")(bare_page(outcomes=unread, **fields))
    assert plain(said) == (
        "Beside that, the commonest fault is `near-target`: 30 % of the 30 answers below full"
        " marks. Zoom in."
    )
    read = bare_page(outcomes={Outcome.ANSWERED: 40}, **fields)
    assert rule("commonest-failure")(read).startswith("The commonest fault is `unparsed`")


@pytest.mark.parametrize(
    ("value", "metric", "advice"),
    [
        (0.61, "f1", "Ask again, or report `kind@1` too."),
        (0.609, "f1", "Ask again."),
        (0.6, "f1", "Ask again."),
        (0.9, "rougeL", "Ask again."),
    ],
)
def test_a_fault_names_a_protocol_only_where_it_gains_a_point(
    bare_page: MakePage, value: float, metric: str, advice: str
) -> None:
    fault = FailureCount("format", 90, "Not read.", "Ask again, or report the robust protocol too.")
    others = (ProtocolValue("kind@1", metric, value, 0),)
    page = bare_page(failures=(fault,), failed=180, alternatives=others)
    assert rule("commonest-failure")(page).endswith(f"full marks. {advice}")
    unread = bare_page(outcomes={Outcome.UNPARSED: 300}, alternatives=others)
    assert ("kind@1" in rule("unread")(unread)) == ("kind@1" in advice)


def test_every_advice_that_reports_another_protocol_can_do_without(bare_page: MakePage) -> None:
    naming = [tag for tag in FailureTag if "report" in tag.advice]
    assert FailureTag.FORMAT in naming
    for tag in naming:
        found = fault_advice(bare_page(), FailureCount(tag, 1, tag.sentence, tag.advice))
        assert "report" not in found
        assert found.endswith(".")


def test_every_rule_can_speak(full_page: MakePage, make_estimate: MakeEstimate) -> None:
    spoken = {advice.rule for advice in advise(full_page())}
    pin = DataPin(release="unknown", sha256="0" * 64, count=1, verdict=PinVerdict.DIFFERS)
    one = Estimate(value=0.6, items=300, clusters=1)
    low = make_estimate(0.1, 0.05)
    spoken |= {
        advice.rule
        for page in (
            full_page(data=pin, selected="ab" * 8, **row(estimate=one)),
            full_page(
                outcomes={Outcome.ANSWERED: 200, Outcome.REFUSED: 100},
                **row(0.1, 0.12, estimate=low),
            ),
        )
        for advice in advise(page)
    }
    assert spoken == set(RULES)


def test_missing_answers_are_to_be_asked_again(bare_page: MakePage) -> None:
    outcomes = {Outcome.ANSWERED: 270, Outcome.MISSING: 20, Outcome.ERROR: 10}
    said = rule("incomplete")(bare_page(outcomes=outcomes, **row(value_answered=2 / 3)))
    assert plain(said) == (
        "30 of 300 answers are not there (20 missing, 10 failed) and count 0; over the answered"
        " alone it is 66.7 %. Ask for them again before quoting the number."
    )


def test_a_score_whose_interval_holds_chance_is_not_told_from_it(
    bare_page: MakePage, make_estimate: MakeEstimate
) -> None:
    chance = Chance(value=0.125, guess="one of 8 options at random")
    speak = rule("within-chance")
    inside = bare_page(chance=chance, **row(0.14, estimate=make_estimate(0.14, 0.02)))
    above = bare_page(chance=chance, **row(0.15, estimate=make_estimate(0.15, 0.02)))
    below = bare_page(chance=chance, **row(0.05, estimate=make_estimate(0.05, 0.02)))
    assert "does not differ from chance" in speak(inside)
    assert speak(above) == ""
    assert "lies below chance" in speak(below)
    assert speak(bare_page(chance=chance)) == ""


def test_unread_answers_name_the_protocol_that_reads_them(bare_page: MakePage) -> None:
    outcomes = {Outcome.ANSWERED: 264, Outcome.UNPARSED: 36}
    robust = ProtocolValue("robust@1", "f1", 0.612, 0)
    said = rule("unread")(bare_page(outcomes=outcomes, alternatives=(robust,), **row(0.5)))
    assert plain(said) == (
        "12 % of the answers could not be read under `official@1`; `robust@1` reads them all and"
        " gives 61.2 %: fix the form of the answers in the prompt first."
    )


def test_a_protocol_that_reads_more_and_gives_less_is_not_recommended(bare_page: MakePage) -> None:
    outcomes = {Outcome.ANSWERED: 264, Outcome.UNPARSED: 36}
    worse = ProtocolValue("robust@1", "f1", 0.4, 0)
    said = rule("unread")(bare_page(outcomes=outcomes, alternatives=(worse,), **row(0.5)))
    assert "robust" not in said
    assert "state the form" in said


def test_a_few_unread_answers_are_not_worth_a_sentence(bare_page: MakePage) -> None:
    outcomes = {Outcome.ANSWERED: 298, Outcome.UNPARSED: 2, Outcome.REFUSED: 2}
    assert rule("unread")(bare_page(outcomes=outcomes)) == ""
    assert rule("refused")(bare_page(outcomes=outcomes)) == ""


@pytest.mark.parametrize(("half", "items", "needed"), [(0.031, 900, "8,600"), (0.02, 500, "2,000")])
def test_half_the_width_takes_four_times_the_items(
    bare_page: MakePage, make_estimate: MakeEstimate, half: float, items: int, needed: str
) -> None:
    estimate = make_estimate(0.6, half, items)
    said = rule("uncertain")(bare_page(**row(estimate=estimate)))
    assert f"±{100 * half:.1f} points" in said
    assert f"about {needed} items" in said
    # The standard error of a mean falls with the root of the items: so many make it ±1 point.
    assert half * (items / int(needed.replace(",", ""))) ** 0.5 == pytest.approx(0.01, rel=0.01)


def test_an_interval_of_a_point_is_fine_enough(
    bare_page: MakePage, make_estimate: MakeEstimate
) -> None:
    assert rule("uncertain")(bare_page(**row(estimate=make_estimate(0.6, 0.0099)))) == ""


def test_clusters_say_as_much_as_fewer_items(
    bare_page: MakePage, make_estimate: MakeEstimate
) -> None:
    fields = row(estimate=make_estimate(0.6, 0.03, 300, clusters=100, design_effect=2.0))
    said = rule("hangs-together")(bare_page(clustered_by="screen", **fields))
    assert "the 300 items say as much as 150 independent ones" in said
    assert rule("hangs-together")(bare_page(**fields)) == ""


@pytest.mark.parametrize("cells", [2, 20])
def test_a_weak_cell_is_named_only_beyond_noise_and_the_number_of_cells(
    bare_page: MakePage, make_estimate: MakeEstimate, cells: int
) -> None:
    whole = make_estimate(0.6, 1.96 * 0.01, 3000)
    error = (0.01**2 + 0.02**2) ** 0.5
    limit = float(norm.ppf(1 - 0.05 / 2 / cells)) * error

    def said(gap: float) -> str:
        weak = Cell(name="weak", items=300, estimate=make_estimate(0.6 - gap, 1.96 * 0.02, 300))
        same = Cell(name="same", items=150, estimate=make_estimate(0.6, 1.96 * 0.02, 150))
        by = Breakdown(
            tag="platform",
            metric="f1",
            cells=(weak, *[same] * (cells - 1)),
            covered=3000,
            items=3000,
            least=10,
        )
        page = bare_page(items=3000, breakdowns=(by,), **row(estimate=whole))
        return rule("weakest-cell")(page)

    assert said(limit - 1e-6) == ""
    assert "`platform` = weak (300)" in said(limit + 1e-6)
    assert "add 2.0 points" in said(0.2)


def test_the_commonest_fault_comes_with_its_advice(bare_page: MakePage) -> None:
    failures = (
        FailureCount("extra-words", 30, "Too many words.", "Ask for fewer."),
        FailureCount("numbers-differ", 10, "Other numbers.", "Zoom in."),
    )
    said = rule("commonest-failure")(bare_page(failures=failures, failed=120))
    assert plain(said) == (
        "The commonest fault is `extra-words`: 25 % of the 120 answers below full marks."
        " Ask for fewer."
    )


def test_harm_needs_an_interval_without_zero(
    bare_page: MakePage, make_estimate: MakeEstimate
) -> None:
    before, after = make_estimate(0.8, 0.06), make_estimate(0.7, 0.06)
    speak = rule("harmed")
    sure = Change("color", before, after, make_estimate(-0.1, 0.04))
    unsure = Change("color", before, after, make_estimate(-0.1, 0.11))
    apart = Change("color", make_estimate(0.8, 0.04), make_estimate(0.7, 0.04))
    assert "falls from 80.0 % to 70.0 %" in plain(speak(bare_page(changes=(sure,))))
    assert "(R = 50)" in speak(bare_page(changes=(sure,)))
    worse = Change("color", make_estimate(0.8), make_estimate(0.4667), make_estimate(-0.3333))
    assert "(R = \N{MINUS SIGN}67)" in speak(bare_page(changes=(worse,)))
    assert speak(bare_page(changes=(unsure,))) == ""
    assert speak(bare_page(changes=(apart,))) != ""
    assert speak(bare_page(changes=(Change("color", before, after),))) == ""


def test_protocols_that_part_by_less_than_a_point_are_not_mentioned(bare_page: MakePage) -> None:
    shares = (PartShare("parser", 0.05, "a", "b"), PartShare("metric", -0.01, "c", "d"))
    wide = Difference("official@1", "robust@1", "f1", 0.6, 0.64, shares)
    narrow = Difference("official@1", "robust@1", "f1", 0.6, 0.609, shares)
    said = rule("protocols-part")(bare_page(differences=(narrow, wide)))
    assert "(+4.0 points; its parser alone +5.0)" in said
    assert rule("protocols-part")(bare_page(differences=(narrow,))) == ""


def test_at_the_raters_ceiling_points_say_little(
    bare_page: MakePage, make_estimate: MakeEstimate
) -> None:
    speak = rule("raters-reached")
    assert "says" not in speak(bare_page(**row(0.6, 0.7, estimate=make_estimate(0.6))))
    assert speak(bare_page(**row(0.6, 0.7, estimate=make_estimate(0.6)))) == ""
    assert "say little" in speak(bare_page(**row(0.69, 0.7, estimate=make_estimate(0.69))))
    assert "knows the references" in speak(bare_page(**row(0.8, 0.7, estimate=make_estimate(0.8))))


def test_a_score_stands_between_its_published_neighbours(
    bare_page: MakePage, make_estimate: MakeEstimate
) -> None:
    values = {"A": 0.3, "B": 0.585, "C": 0.65, "D": 0.9}
    rows = tuple(CalibrationRow(n, v, CalibrationKind.PUBLISHED) for n, v in values.items())
    speak = rule("among-published")
    said = plain(speak(bare_page(calibration=rows, **row(estimate=make_estimate(0.6)))))
    assert "between B (58.5 %) and C (65.0 %)" in said
    assert "holds 1 of them" in said
    assert "lowest is A" in speak(bare_page(calibration=rows, **row(0.2)))
    assert "highest is D" in speak(bare_page(calibration=rows, **row(0.95)))
    assert speak(bare_page()) == ""


def test_published_code_that_drops_or_crashes_is_said(bare_page: MakePage) -> None:
    speak = rule("published-drops")
    assert "no number" in speak(bare_page(crashed=3, **row(as_published=None)))
    assert "raises on 3" in speak(bare_page(crashed=3, **row(as_published=None)))
    assert "leaves answers out" in speak(bare_page(**row(as_published=0.62)))
    assert speak(bare_page(**row(as_published=0.6005))) == ""


def test_luck_is_the_difference_between_passing_once_and_always(bare_page: MakePage) -> None:
    speak = rule("inconsistent")
    assert "pass^4" in speak(bare_page(pass_at={1: 0.6, 4: 0.8}, pass_hat={1: 0.6, 4: 0.3}))
    assert speak(bare_page(pass_at={1: 0.6, 4: 0.63}, pass_hat={1: 0.6, 4: 0.58})) == ""


def test_problems_of_the_input_are_counted(bare_page: MakePage) -> None:
    counts = {ProblemKind.DUPLICATE: 2, ProblemKind.MALFORMED: 1}
    said = rule("input-problems")(bare_page(problem_counts=counts))
    assert said == "3 problems in the input (2 duplicate, 1 malformed): see the list below."
