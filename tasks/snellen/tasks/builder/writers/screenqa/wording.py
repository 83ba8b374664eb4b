"""How a question is put and how a full sentence answers it, each in several wordings.

ScreenQA asks in English whatever the screen's language is; what the screen says is quoted.
"""

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType

from snellen.tasks.builder.questions.lookup import Kind, Lookup

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
        "pair": (
            "What is given for “{0}”?",
            "What does the screen say for “{0}”?",
            "What stands beside or below the label “{0}”?",
        ),
        "price": (
            "How much does “{0}” cost?",
            "What is the price of “{0}”?",
            "What does one pay for “{0}”?",
        ),
        "field": (
            "What is entered or selected in “{0}”?",
            "What does the field “{0}” hold?",
        ),
        "heading": (
            "What is the main heading of the screen?",
            "Which main heading does the screen have?",
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
        "pair": (
            "The {0} is {a}.",
            "{a} is given for {0}.",
            "For {0}, the screen says {a}.",
        ),
        "price": (
            "{0} costs {a}.",
            "The price of {0} is {a}.",
            "One pays {a} for {0}.",
        ),
        "field": (
            "{0} is set to {a}.",
            "The field {0} holds {a}.",
            "{a} is entered for {0}.",
        ),
        "heading": (
            "The main heading is {a}.",
            "{a} is the heading of the screen.",
        ),
    }
)

RATERS = 2
"""How many sentences answer a question, each in a wording of its own."""


def question_of(one: Lookup, random: Random) -> str:
    """Return a question for what a screen says, in a wording that is drawn."""
    return random.choice(_QUESTIONS[one.kind]).format(*one.names)


def sentences_of(one: Lookup, random: Random) -> Sequence[str]:
    """Return the answer as full sentences, in wordings that are drawn.

    >>> said = Lookup("price", ("Tea",), ("$3",), ())
    >>> sorted(sentences_of(said, Random(2)))
    ['One pays $3 for Tea.', 'Tea costs $3.']
    """
    fragments = dict(zip("abc", one.fragments, strict=False))
    chosen = random.sample(_SENTENCES[one.kind], RATERS)
    return [wording.format(*one.names, **fragments) for wording in chosen]
