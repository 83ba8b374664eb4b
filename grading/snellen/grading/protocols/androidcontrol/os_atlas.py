"""OS-Atlas: a click within 14 % of the screen, and first words of texts."""

from collections.abc import Sequence
from math import sqrt

from snellen.grading.coordinates import PIXELS, THOUSAND
from snellen.grading.models.actions import ActionType
from snellen.grading.parse.vocabularies.os_atlas import (
    OS_ATLAS,
    runs_of_digits,
    written,
    written_after_marker,
)
from snellen.grading.protocols.androidcontrol.parts import HIGH
from snellen.grading.protocols.base import (
    AS_IS,
    Denominator,
    Protocol,
    PublishedCrashError,
    UnjudgeableError,
)
from snellen.grading.protocols.step_rules import KEYS, TAPS, is_click, share, words_f1
from snellen.grading.protocols.steps import (
    ReadStep,
    StepGold,
    in_space,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

_TYPED = (ActionType.TYPE, ActionType.OPEN_APP)


def within_140(given: Sequence[int], reference: str) -> bool:
    """Within 140 thousandths of a reference's first two numbers, edge included.

    Raises:
        OverflowError: No float holds the distance.
    """
    x, y = runs_of_digits(reference, 2)
    return sqrt((given[0] - x) ** 2 + (given[1] - y) ** 2) <= 140


def _os_atlas(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    given = written_after_marker(text_in(OS_ATLAS, answer, gold.image_size)) or ""
    reference = written(in_space(gold.action, PIXELS, THOUSAND, gold.image_size)) or ""
    tokens, expected = given.split(), reference.split()
    if not expected:
        raise UnjudgeableError(f"OS-Atlas has no action {gold.action.type.value}")
    if not tokens:
        raise PublishedCrashError
    if tokens[0] != expected[0]:
        return 0.0, 0.0
    if gold.action.type in TAPS:
        return float(_near(given, reference)), 1.0
    if given == reference:
        return 1.0, 1.0
    if gold.action.type not in _TYPED:
        return 0.0, 1.0
    if len(tokens) < 2 or len(expected) < 2:
        raise PublishedCrashError
    # The second words alone are compared, so that the first word of a text decides.
    first, other = tokens[1].lower().split(), expected[1].lower().split()
    return float(words_f1(first, other) > 0.5), 1.0


def _near(given: str, reference: str) -> bool:
    try:
        numbers = runs_of_digits(given, 2)
    except ValueError:
        return False
    try:
        return len(numbers) == 2 and within_140(numbers, reference)
    except OverflowError:
        raise PublishedCrashError from None


def _os_atlas_crash(text: str) -> str:
    after = written_after_marker(text)
    if after is None or after.split():
        return ""
    return "nothing after the marker: the published code raises"


OS_ATLAS_RULE = Protocol(
    HIGH,
    "os-atlas",
    2,
    "OS-Atlas bad0840, the evaluation of AndroidControl; UI-TARS and UI-R1 say the same rule",
    "a click within 14 % of the screen, whatever its shape; typed text and apps are compared by"
    " their first word; an empty answer ends the run",
    step_parser("OS-Atlas's, after `actions:`", OS_ATLAS, _os_atlas_crash),
    AS_IS,
    step_metric(
        "within 140 thousandths; the first words; else equal text",
        KEYS,
        _os_atlas,
        share(
            _os_atlas,
            lambda answer, gold, value: is_click(answer, gold, value) and value[1] == 1,
            lambda answer, gold, value: is_click(answer, gold, value) and value[0] == 1,
        ),
        ("grounding",),
    ),
    Denominator("one item that raises ends the run", stops_on_crash=True),
    write=writes_step(OS_ATLAS),
)
