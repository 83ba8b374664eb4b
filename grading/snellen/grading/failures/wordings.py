"""Other wordings of the same answer: "not shown" for `<no answer>`, "option 3" for C.

For tags only: no protocol uses them, and they do not affect scores.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from snellen.grading.protocols import golds as shapes
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.table import GOLDS
from snellen.grading.protocols.texts import NO_ANSWER

Reword: TypeAlias = Callable[[str], str | None]

_LONGEST = 160
# A quick check, because every wrong answer of a run is tested and few contain a denial.
_HINTS = ("no", "n't", "n\u2019t", "n/a", "n.a", "na", "un", "null", "indeterminate", "can not")
_MARKS = re.compile(r"[^\w'/]+")

_SCREEN = (
    r"(?:(?:current|provided|given|app|mobile|web|phone|above) )?"
    r"(?:screen ?shot|screen|image|picture|page|webpage|photo|interface|ui|app|context|text|view)"
)
_WHERE = (
    rf"(?: (?:anywhere|here|(?:(?:on|in|from|by|within|based on|using) (?:the |this )?{_SCREEN})))*"
)
_THING = (
    r"(?:(?:the |this |that |any |an |such )?"
    r"(?:(?:requested|required|relevant|specific|exact|correct) )?"
    r"(?:answer|information|info|data|details?|question|value)|it|this|that)"
)
_DONE = (
    r"(?:available|applicable|shown|displayed|visible|mentioned|provided|given|specified|stated"
    r"|present|found|listed|indicated|included|known|answerable|determinable|possible|sure)"
)
_FIND = (
    r"(?:determine|find|answer|tell|know|locate|identify|infer|say)"
    r"(?: (?:what|which|who|when|where|how|whether|if)\b.*)?"
)
_CANNOT = r"(?:cannot|can't|can not|could not|couldn't)"
_DOES_NOT = r"(?:does not|doesn't|do not|don't|did not|didn't)"
_DENIAL = re.compile(
    rf"(?:(?:i'?m |i am )?sorry (?:but )?|unfortunately )?(?:"
    # none, N/A, unknown
    r"n ?/? ?a|none|nothing|null|unknown|unanswerable|unavailable|unspecified|undetermined|unclear"
    r"|indeterminate|undefined"
    # (the answer is) not shown (on the screen), cannot be determined (from the image)
    rf"|(?:{_THING} )?(?:is |are |was )?(?:not|never|isn't|aren't|wasn't)"
    rf" (?:\w+ly )?{_DONE}(?: \w+)?{_WHERE}"
    rf"|(?:{_THING} (?:is |are )?)(?:unknown|unavailable|unspecified|unclear|missing){_WHERE}"
    rf"|(?:{_THING} )?{_CANNOT} be "
    rf"(?:determined|found|answered|inferred|seen|read|identified|known|located){_WHERE}"
    # there is no answer, no information is given
    rf"|(?:there (?:is|are|was) |i see )?no (?:such |relevant |specific )?"
    rf"(?:answer|information|info|data|mention|details?)"
    rf"(?: (?:is |was )?{_DONE}| (?:about|of|on|for|to)\b.*)?{_WHERE}"
    rf"|there is no (?:[\w'-]+ ){{1,4}}(?:{_DONE} )?(?:on|in) (?:the |this )?{_SCREEN}"
    rf"|there (?:isn't|is not) (?:an|any|enough|such) (?:answer|information|info|data)\b.*"
    # the screen does not show this; it does not say
    rf"|(?:(?:the |this )?{_SCREEN}|it) {_DOES_NOT} (?:\w+ly )?"
    r"(?:show|display|mention|contain|provide|specify|include|give|indicate|say|state|have)\b.*"
    # unable to determine, I cannot find it, I don't know
    rf"|(?:i'?m |i am )?(?:unable|not able) to (?:{_FIND}|see|read)(?: .*)?"
    rf"|i (?:{_CANNOT}|{_DOES_NOT}) {_FIND}(?: {_THING})?{_WHERE}"
    r")",
)
_OPTION = re.compile(
    r"[\W_]*(?:the\s+)?(?:(?:option|choice|answer|box|element|number|label|no\.)\W{0,3})?"
    r"#?(\d{1,2})[\W_]*",
    re.IGNORECASE,
)
_LAST = 26


def denies_answer(text: str) -> bool:
    """Whether a text says in other words than `<no answer>` that there is no answer.

    It uses a list of English phrases, which must match the whole text.

    >>> denies_answer("The answer is not shown on this screen."), denies_answer("N/A")
    (True, True)
    >>> denies_answer("None of them"), denies_answer("No"), denies_answer("not logged in")
    (False, False, False)
    """
    if len(text) > _LONGEST:
        return False
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return False
    plain = _MARKS.sub(" ", lowered.replace("\u2019", "'")).strip(" '/_")
    return _DENIAL.fullmatch(plain) is not None


def no_answer(text: str) -> str | None:
    """Return `<no answer>` for a text that says so in other words."""
    return NO_ANSWER if denies_answer(text) else None


def numbered_option(text: str) -> str | None:
    """Return the letter of an option that is given by its number, from 1.

    >>> numbered_option("Option 3"), numbered_option("(3)"), numbered_option("3 of them")
    ('C', 'C', None)
    """
    found = _OPTION.fullmatch(text) if len(text) < _LONGEST else None
    number = int(found[1]) if found else 0
    return chr(ord("A") + number - 1) if 1 <= number <= _LAST else None


_REWORDS: tuple[tuple[GoldShape, Reword], ...] = (
    (shapes.TEXTS, no_answer),
    (shapes.RATER_TEXTS, no_answer),
    (shapes.RATER_BOXES, no_answer),
    (shapes.INDEX, numbered_option),
    (shapes.LETTER, numbered_option),
)


def rewording_of(task: str) -> Reword | None:
    """Return the function that rewords a task's answers for the protocol, or None."""
    own = GOLDS.get(task)
    return next((reword for shape, reword in _REWORDS if shape is own), None)
