"""The wording of questions: in the page's language, or in English with sentences as answers.

VisualWebBench and the matrix use the page's language. ScreenQA uses English for all screens, in
several wordings; texts of the screen are quoted.
"""

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from snellen.build.questions.arithmetic import Series, series_of
from snellen.build.questions.facts import Pairs, Prices, Table, facts_of
from snellen.build.questions.lookup import Kind, Lookup, lookups
from snellen.build.questions.templates import Templates
from snellen.build.questions.text import language_of
from snellen.build.questions.variants import variants
from snellen.build.snapshots import Snapshot

_FEWEST_NAMES = 5
_CURRENCIES = "$€£¥₹"

_QUESTIONS: Mapping[Kind, Sequence[str]] = MappingProxyType(
    {
        "cell": (
            "What does the table show under “{1}” for “{0}”?",
            "What is listed as “{1}” for “{0}”?",
            "Which entry does “{0}” have in the column “{1}”?",
        ),
        "row": (
            "What are the “{1}” and the “{2}” of “{0}”?",
            "Which “{1}” and which “{2}” are listed for “{0}”?",
        ),
        "reverse": (
            "Which “{2}” has “{0}” under “{1}”?",
            "For which “{2}” does the table show “{0}” under “{1}”?",
        ),
        "pair": (
            "What is given for “{0}”?",
            "What does the screen say for “{0}”?",
            "Which value belongs to the label “{0}”?",
        ),
        "price": (
            "How much does “{0}” cost?",
            "What is the price of “{0}”?",
            "What does one pay for “{0}”?",
        ),
        "field": ("What is entered or selected in “{0}”?", "What does the field “{0}” hold?"),
        "hint": (
            "Which hint does the empty field “{0}” show?",
            "What does the hint in the field “{0}” say?",
        ),
        "action": (
            "What is written on the button or link under the heading “{0}”?",
            "Which button or link belongs to “{0}”?",
        ),
        "chart": (
            "Which value does the chart show for “{0}”?",
            "What does the chart give for “{0}”?",
        ),
        "current": (
            "Which entry is marked as the current one in the menu that has the entry “{0}”?",
            "In the menu with the entry “{0}”, which entry is highlighted?",
        ),
        "next": (
            "Which entry comes right after “{0}” in the menu?",
            "In the menu, what stands directly after “{0}”?",
        ),
        "first": (
            "Which entry comes first in the list under the heading “{0}”?",
            "What is the first entry of the list under “{0}”?",
        ),
        "last": (
            "Which entry comes last in the list under the heading “{0}”?",
            "What is the last entry of the list under “{0}”?",
        ),
        "section": (
            "What is the next heading below the heading “{0}”?",
            "Which heading follows the heading “{0}”?",
        ),
        "caption": ("What is the caption of “{0}”?", "Which caption does “{0}” have?"),
        "heading": (
            "What is the main heading of the screen?",
            "Which main heading does the screen have?",
        ),
        "phone": (
            "Which phone number does the screen show?",
            "What is the phone number on the screen?",
        ),
        "email": (
            "Which e-mail address does the screen show?",
            "What is the e-mail address on the screen?",
        ),
    }
)

_SENTENCES: Mapping[Kind, Sequence[str]] = MappingProxyType(
    {
        "cell": (
            "The {1} of {0} is {a}.",
            "{0} has {a} as its {1}.",
            "For {0}, {a} is listed under {1}.",
        ),
        "row": (
            "The {1} and {2} of {0} are {a} and {b}.",
            "{0} has the {1} {a} and the {2} {b}.",
            "For {0}, the table lists {a} as {1} and {b} as {2}.",
        ),
        "reverse": ("{a} has {0} under {1}.", "The {2} with {0} as its {1} is {a}."),
        "pair": (
            "The value of {0} is {a}.",
            "{a} is given for {0}.",
            "For {0}, the screen says {a}.",
        ),
        "price": ("{0} costs {a}.", "The price of {0} is {a}.", "One pays {a} for {0}."),
        "field": ("{0} is set to {a}.", "The field {0} holds {a}.", "{a} is entered for {0}."),
        "hint": ("The field {0} shows the hint {a}.", "{a} is the hint in the field {0}."),
        "action": (
            "The button or link under {0} says {a}.",
            "{a} is written on the button or link of {0}.",
        ),
        "chart": ("The chart shows {a} for {0}.", "{a} is the value of {0} in the chart."),
        "current": (
            "{a} is marked as the current entry of the menu that has {0}.",
            "In the menu that has {0}, {a} is the current entry.",
        ),
        "next": ("{a} comes right after {0}.", "After {0}, the menu has {a}."),
        "first": ("{a} is the first entry under {0}.", "The list under {0} begins with {a}."),
        "last": ("{a} is the last entry under {0}.", "The list under {0} ends with {a}."),
        "section": ("{a} is the next heading below {0}.", "The heading {0} is followed by {a}."),
        "caption": ("The caption of {0} is {a}.", "{0} has the caption {a}."),
        "heading": ("The main heading is {a}.", "{a} is the heading of the screen."),
        "phone": ("The phone number is {a}.", "{a} is the phone number that the screen shows."),
        "email": ("The e-mail address is {a}.", "{a} is the e-mail address that the screen shows."),
    }
)

RATERS = 2
"""The number of sentences that answer a question, each with its own wording."""


class Question(NamedTuple):
    """A question in the page's language, the forms of its answer, and the answer's element."""

    kind: str
    text: str
    answers: Sequence[str]
    element: int | None


def questions_of(snapshot: Snapshot, templates: Templates) -> Sequence[Question]:
    """Return a page's questions in its language: about single facts and extremes."""
    language = language_of(snapshot.screen)
    facts = [
        Question(
            lookup.kind,
            text,
            # Some protocols respect case and punctuation, so only equal forms are removed.
            variants(lookup.fragments[0], language, same=str),
            next(iter(lookup.elements), None),
        )
        for lookup in lookups(snapshot)
        if (text := _text_of(lookup, templates)) is not None
    ]
    extremes = [
        question
        for series in series_of(snapshot, templates)
        for question in _extremes(snapshot, series, templates)
    ]
    return [*facts, *extremes]


def _text_of(lookup: Lookup, templates: Templates) -> str | None:
    names = lookup.names
    match lookup.kind:
        case "cell":
            return templates.lookup.format(row=names[0], column=names[1])
        case "reverse":
            return templates.reverse.format(value=names[0], column=names[1], key=names[2])
        case "pair":
            return templates.pair.format(label=names[0])
        case "price":
            return templates.price.format(name=names[0])
        case "phone":
            return templates.phone
        case "email":
            return templates.email
        case "field":
            return templates.field.format(label=names[0])
        case "hint":
            return templates.hint.format(label=names[0])
        case "action":
            return templates.action.format(label=names[0])
        case "chart" | "next" | "first" | "last" | "section" | "caption" | "current":
            return str(getattr(templates, lookup.kind)).format(label=names[0])
        case "row" | "heading":
            return None


def _extremes(snapshot: Snapshot, series: Series, templates: Templates) -> Sequence[Question]:
    table = bool(series.column)
    if len(series.figures) < _FEWEST_NAMES or (not table and _has_other_prices(snapshot, series)):
        return []
    kinds = ("highest", "lowest") if table else ("dearest", "cheapest")
    return [
        Question(
            kind,
            getattr(templates, kind).format(key=series.key, column=series.column),
            [figure.name],
            figure.name_element,
        )
        for kind, pick in zip(kinds, (max, min), strict=True)
        if (figure := series.extreme(pick)) is not None
    ]


def _has_other_prices(snapshot: Snapshot, series: Series) -> bool:
    """Whether the page may show other prices."""
    facts = facts_of(snapshot.captured.facts)
    screen = snapshot.screen
    shown = [
        screen.elements[element]
        for figure in series.figures
        for element in (figure.element, figure.name_element)
    ]
    return (
        any(isinstance(fact, Table | Pairs) for fact in facts)
        or sum(isinstance(fact, Prices) for fact in facts) > 1
        or any(
            not any(screen.nested(element, other) for other in shown)
            for element in screen.elements
            if any(sign in element.own for sign in _CURRENCIES)
        )
    )


def english_question(lookup: Lookup, random: Random) -> str:
    """Return a question in English about a fact of a screen, in a random wording."""
    return random.choice(_QUESTIONS[lookup.kind]).format(*lookup.names)


def english_sentences(lookup: Lookup, random: Random) -> Sequence[str]:
    """Return the answer as full sentences in English, in random wordings.

    >>> price = Lookup("price", ("Tea",), ("$3",), ())
    >>> sorted(english_sentences(price, Random(2)))
    ['One pays $3 for Tea.', 'Tea costs $3.']
    """
    fragments = dict(zip("abc", lookup.fragments, strict=False))
    chosen = random.sample(_SENTENCES[lookup.kind], RATERS)
    sentences = (wording.format(*lookup.names, **fragments) for wording in chosen)
    # A name or an answer may end with a period.
    return [f"{sentence[:-2]}." if sentence.endswith("..") else sentence for sentence in sentences]
