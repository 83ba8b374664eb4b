"""A page's facts as names and values: next to its headline, and about how the number was made."""

from dataclasses import dataclass
from typing import NamedTuple

from snellen.grading.models.scores import Outcome
from snellen.grading.report.figures import percent, points, small_share
from snellen.grading.report.page import Page
from snellen.grading.report.render import own_scale, printed_metric


class Fact(NamedTuple):
    """A name and a value, with a short note."""

    name: str
    value: str
    note: str = ""


class Group(NamedTuple):
    """Facts under one heading."""

    name: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """One outcome's segment of the bar, in percent of its width."""

    name: str
    count: int
    share: str
    start: float
    width: float


def headline_facts(page: Page) -> tuple[Fact, ...]:
    """Return the facts next to the headline: chance, lift, raters, and the other readings."""
    numbers, facts = page.report.numbers, list[Fact]()
    made_from, given = page.report.provenance, page.report.input
    headline, ceiling = numbers.headline, numbers.ceiling.get(numbers.primary)
    if numbers.chance is not None and page.report.lift is not None:
        facts.append(
            Fact(
                "chance",
                percent(numbers.chance.value),
                numbers.chance.guess,
            )
        )
        facts.append(Fact("lift over chance", points(page.report.lift), "percentage points"))
    if ceiling is not None:
        note = f"each against the others, {numbers.ceiling_items:,} items"
        facts.append(Fact("raters", percent(ceiling), note))
    if headline.value_answered is not None and given.unanswered:
        note = f"{made_from.cells - given.unanswered:,} of {made_from.cells:,}"
        facts.append(Fact("of the answered", percent(headline.value_answered), note))
    if printed := printed_metric(page.report):
        value = own_scale(numbers.metrics[printed].as_published)
        facts.append(Fact("as published", value, f"{printed}, on its own scale"))
    elif headline.as_published is None:
        facts.append(Fact("as published", "no number", "the published code crashes"))
    elif abs(headline.as_published - headline.value) >= 5e-4:
        note = "what the published code would print"
        if headline.published_over is not None:
            note += f", over {headline.published_over:,} of {made_from.cells:,}"
        facts.append(Fact("as published", percent(headline.as_published), note))
    facts += (
        Fact(f"mean {name}", f"{one.mean:,.1f} {one.unit}", f"{one.over}: {one.answers:,}")
        for name, one in numbers.measures.items()
    )
    attempts = f"{made_from.attempts} attempts each" if made_from.attempts > 1 else ""
    facts.append(
        Fact(
            "items",
            f"{made_from.items:,}",
            attempts or (made_from.split or ""),
        )
    )
    return tuple(facts)


def outcome_slices(page: Page) -> tuple[Slice, ...]:
    """Return the outcomes that occurred as segments of one bar."""
    slices: list[Slice] = []
    start = 0.0
    for outcome in Outcome:
        count = page.report.input.outcomes.get(outcome, 0)
        if count:
            width = 100 * count / page.report.provenance.cells
            slices.append(
                Slice(
                    outcome.value, count, small_share(width / 100), round(start, 4), round(width, 4)
                )
            )
            start += width
    return tuple(slices)


def groups(page: Page) -> tuple[Group, ...]:
    """Return the facts behind the number: model, decoding, cost, data, input."""
    given = page.report.input
    found = [Group("Data", _data_facts(page))]
    if page.report.provenance.run is not None:
        run, usage = page.report.provenance.run, page.report.provenance.run.usage
        side = "native" if run.max_view_side is None else f"{run.max_view_side:,} px at most"
        asked = (
            Fact("model", run.model),
            Fact("API", run.api),
            Fact("base URL", run.base_url or ""),
            Fact("prompt", run.prompt),
            Fact("images", side),
        )
        found.append(Group("Model", tuple(fact for fact in asked if fact.value)))
        decoding = tuple(Fact(name, str(value)) for name, value in run.decoding.items())
        if decoding:
            found.append(Group("Decoding", decoding))
        cost = (
            ("requests", usage.requests),
            ("repeated", usage.retries),
            ("from the cache", usage.cached),
            ("input tokens", usage.input_tokens),
            ("output tokens", usage.output_tokens),
        )
        spent = [Fact(name, f"{number:,}") for name, number in cost if number]
        if usage.seconds:
            spent.append(Fact("seconds of answering", f"{usage.seconds:,.1f}"))
        if spent:
            found.append(Group("Cost", tuple(spent)))
    counts = [Fact(kind.value, f"{count:,}") for kind, count in given.problem_counts.items()]
    if given.not_selected:
        counts.append(Fact("not selected", f"{given.not_selected:,}"))
    if counts:
        found.append(Group("Problems in the input", tuple(counts)))
    return tuple(found)


def _data_facts(page: Page) -> tuple[Fact, ...]:
    made_from = page.report.provenance
    data = made_from.data
    facts = (
        Fact("release", data.release),
        Fact("verdict", data.verdict.value),
        Fact("note", data.note),
        Fact("questions", f"{data.count:,}"),
        Fact("split", made_from.split or ""),
        Fact("selected", f"{made_from.items:,}" if made_from.subset else ""),
        Fact("SHA-256", data.sha256),
    )
    return tuple(fact for fact in facts if fact.value)
