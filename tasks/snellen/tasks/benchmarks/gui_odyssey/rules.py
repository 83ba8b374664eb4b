"""How GUI-Odyssey's steps are scored, by each public implementation that could be run.

An answer is `CLICK: (x, y)`, `SCROLL: UP` and its like. Points count thousandths of the screen.
The official rule compares texts: what follows the first colon up to the next, so that the times
10:45 and 10:30 are one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from snellen.grading.coordinates import PIXELS, THOUSAND
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies import os_atlas
from snellen.grading.parse.vocabularies.base import Vocabulary, as_point, whole
from snellen.grading.parse.vocabularies.literals import python_literal
from snellen.grading.protocols import base, step_rules, steps
from snellen.grading.protocols.agentcpm_steps import common_mode, thousandths
from snellen.grading.protocols.golds import STEP, GoldShape, StepGold
from snellen.grading.protocols.gui_r1_steps import GUI_R1
from snellen.grading.protocols.robust_steps import robust_steps

# ---- Answers -------------------------------------------------------------------------------------

_POINTED = {"CLICK": ActionType.CLICK, "LONG_PRESS": ActionType.LONG_PRESS}
_PRESSED = {"PRESS_HOME": "home", "PRESS_BACK": "back", "PRESS_RECENT": "recent"}
_ENDED = {"COMPLETE": "success", "IMPOSSIBLE": "infeasible", "INCOMPLETE": "infeasible"}


class Decoded(NamedTuple):
    """An answer as the published code decodes it: its kind, and a text or a Python value."""

    name: str
    info: object


def decoded(text: str) -> Decoded:
    """Return the part before the first colon, and the one up to the next.

    What follows a click's colon is a Python expression, which the published code evaluates; here
    it has to be a literal.

    Raises:
        ValueError: A click's is none.

    Source: GUI-Odyssey fefcbe9, `simple_decode`.

    >>> decoded("CLICK: (1, 2)"), decoded("TYPE: 10:45")
    (Decoded(name='CLICK', info=(1, 2)), Decoded(name='TYPE', info='10'))
    """
    name, *parts = text.split(":", 2)
    name, info = name.strip(), parts[0].strip() if parts else ""
    return Decoded(name, python_literal(info) if parts and name in _POINTED else info)


def read_kind(text: str) -> Action | None:
    """Read an action of which the kind alone has to be known."""
    name = text.partition(":")[0].strip()
    if name in _POINTED:
        # One whose point is none has a right type, whatever the reference is.
        try:
            point = as_point(decoded(text).info)
        except ValueError:
            point = None
        return Action(_POINTED[name], point=point)
    after = text.partition(":")[2].strip()
    if name == "TYPE":
        return Action(ActionType.TYPE, text=after)
    if name == "SCROLL":
        # The finger's direction.
        finger = direction_of(after)
        return Action(ActionType.SCROLL, direction=finger and finger.opposite)
    if name in _PRESSED:
        return Action(ActionType.NAVIGATE, button=_PRESSED[name])
    if name in _ENDED:
        return Action(ActionType.FINISH, status=_ENDED[name])
    return None


def _read(text: str) -> Action | None:
    action = read_kind(text)
    if action is None or action.type not in (*_POINTED.values(), ActionType.SCROLL):
        return action
    return None if action.point is None and action.direction is None else action


def _write(action: Action) -> str | None:
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS if action.point:
            x, y = whole(action.point)
            return f"{action.type.upper()}: ({x}, {y})"
        case ActionType.TYPE:
            return f"TYPE: {action.text}"
        case ActionType.SCROLL if action.direction:
            return f"SCROLL: {action.direction.opposite.upper()}"
        case ActionType.NAVIGATE if f"PRESS_{action.button.upper()}" in _PRESSED:
            return f"PRESS_{action.button.upper()}"
        case ActionType.FINISH:
            return "IMPOSSIBLE" if action.status == "infeasible" else "COMPLETE"
        case _:
            return None


ODYSSEY = Vocabulary("gui-odyssey", THOUSAND, _read, _write, "GUI-Odyssey fefcbe9")


HIGH, LOW = "gui-odyssey/high", "gui-odyssey/low"
_CATEGORIES = 6


def _reference(gold: StepGold) -> str:
    return ODYSSEY.write(steps.in_space(gold.action, PIXELS, THOUSAND, gold.image_size)) or ""


def _box(gold: StepGold) -> Sequence[float] | None:
    """Return the first box of a reference in thousandths: whole numbers, as they were published."""
    if not gold.boxes:
        return None
    left, top, right, bottom = gold.boxes[0]
    low, high = thousandths((left, top), gold), thousandths((right, bottom), gold)
    return low and high and (*low, *high)


# ---- official ----------------------------------------------------------------------------------


def _official(*, boxes: bool) -> steps.Compare:
    def compare(answer: steps.ReadStep, gold: StepGold) -> Sequence[float]:
        reference = decoded(_reference(gold))
        try:
            given = decoded(steps.text_in(ODYSSEY, answer, gold.image_size))
        except ValueError:
            # It counts as `invalid`, which is no failure of the action's type.
            return 0.0, 1.0
        if given.name != reference.name:
            return 0.0, 0.0
        info, expected = given.info, reference.info
        match gold.action.type:
            case ActionType.CLICK | ActionType.LONG_PRESS:
                target = thousandths(gold.action.point, gold)
                right = _clicked(info, target or (), _box(gold) if boxes else None)
            case ActionType.TYPE:
                right = _alike(str(info), str(expected))
            case ActionType.SCROLL:
                right = str(info).lower() == str(expected).lower()
            case _:
                right = True
        return float(right), 1.0

    return compare


def _alike(text: str, other: str) -> bool:
    return text in other or other in text or Levenshtein.normalized_similarity(text, other) >= 0.5


def _clicked(info: object, target: Sequence[float], box: Sequence[float] | None) -> bool:
    """Whether a value is a point in a box, or within 14 % in fractions along each axis.

    It is whatever Python and NumPy make of the value: one number stands for both coordinates, and
    of a longer list the first two can lie in the box. What raises there is wrong.
    """
    try:
        value: Any = python_literal(info.strip()) if isinstance(info, str) else info
        if box and box[0] <= value[0] <= box[2] and box[1] <= value[1] <= box[3]:
            return True
        with np.errstate(all="ignore"):
            apart = np.asarray(value) / 1000 - np.asarray(target) / 1000
            return bool(np.linalg.norm(apart) <= 0.14)
    except (TypeError, ValueError, ArithmeticError, LookupError):
        return False


def _sets(compare: steps.Compare) -> base.Corpus:
    """Make what is printed over sets: whole episodes, typed text, and the mean of categories."""
    whole = step_rules.by_episode(compare)

    def corpus(
        golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        rows = steps.judged(compare, answers, golds, len(step_rules.KEYS))
        found = dict(whole(golds, answers))
        typed = [
            row[0]
            for gold, row in zip(golds, rows, strict=True)
            if row and row[1] and gold.action.type is ActionType.TYPE
        ]
        found["text"] = fmean(typed) if typed else 0.0
        groups: dict[str, list[float]] = {}
        for gold, row in zip(golds, rows, strict=True):
            groups.setdefault(gold.group, []).append(row[0] if row else 0.0)
        if len(groups) == _CATEGORIES:
            found["category_mean"] = fmean(
                round(100 * fmean(values), 2) / 100 for values in groups.values()
            )
        return found

    return corpus


_WITH_BOXES, _WITHOUT = _official(boxes=True), _official(boxes=False)
_SETS = (*step_rules.EPISODES, "text", "category_mean")
_OFFICIAL = base.Protocol(
    HIGH,
    "official",
    2,
    "GUI-Odyssey fefcbe9, of July 2025",
    "a point in the element's box or within 14 % of the screen, whatever its shape; typed text by"
    " containment or half of its letters, up to its first colon; a click whose point can't be read"
    " has a right type; missing answers are dropped",
    steps.step_parser(
        "what stands before and after the first colon; a point as a literal",
        ODYSSEY,
        reads=read_kind,
    ),
    base.AS_IS,
    steps.step_metric(
        "the box or 14 % in fractions; text contains, or half its letters",
        step_rules.KEYS,
        _WITH_BOXES,
        _sets(_WITH_BOXES),
        _SETS,
    ),
    base.Denominator("drops failed responses", drops=step_rules.ABSENT),
    write=steps.writes_step(ODYSSEY),
)
_FIRST = replace(
    _OFFICIAL,
    id="official-2024",
    source="GUI-Odyssey of 2024, before its data had boxes",
    special="like `official`, but only by the distance",
    metric=steps.step_metric(
        "14 % in fractions; text contains, or half its letters",
        step_rules.KEYS,
        _WITHOUT,
        _sets(_WITHOUT),
        _SETS,
    ),
)

# ---- os-atlas ----------------------------------------------------------------------------------


def _os_atlas(answer: steps.ReadStep, gold: StepGold) -> Sequence[float]:
    size = gold.image_size
    given = (
        os_atlas.written_after_marker(steps.text_in(os_atlas.OS_ATLAS_FINGERS, answer, size)) or ""
    ).strip()
    written = (
        os_atlas.OS_ATLAS_FINGERS.write(steps.in_space(gold.action, PIXELS, THOUSAND, size)) or ""
    )
    reference = os_atlas.written_after_marker(written) or ""
    if given.split(" ")[0].strip(":") != reference.split(" ")[0]:
        return 0.0, 0.0
    match gold.action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS:
            right = _near(given, reference)
        case ActionType.TYPE:
            right = step_rules.words_f1(given.lower().split(), reference.lower().split()) > 0.5
        case ActionType.SCROLL:
            right = given == reference
        case _:
            right = True
    return float(right), 1.0


def _near(given: str, reference: str) -> bool:
    """Whether exactly two numbers are near the reference; any other count is the point (0, 0)."""
    try:
        numbers = os_atlas.runs_of_digits(given, 3)
    except ValueError:
        raise base.PublishedCrashError from None
    try:
        return step_rules.within_140(numbers if len(numbers) == 2 else (0, 0), reference)
    except OverflowError:
        return False


_OS_ATLAS = replace(
    _FIRST,
    id="os-atlas",
    source="OS-Atlas bad0840, the evaluation of GUI-Odyssey",
    special="a click within 14 % of the screen; typed text by the words that it shares, the word"
    " TYPE among them; a scroll by equal text; all else by its type",
    parser=steps.step_parser("OS-Atlas's, after `actions:`", os_atlas.OS_ATLAS_FINGERS),
    metric=steps.step_metric(
        "within 140 thousandths; shared words above a half", step_rules.KEYS, _os_atlas
    ),
    denominator=base.Denominator(
        "drops failed responses; one item that raises ends the run",
        drops=step_rules.ABSENT,
        stops_on_crash=True,
    ),
    write=steps.writes_step(os_atlas.OS_ATLAS_FINGERS),
)

# ---- agentcpm, guievalkit, gui-r1 --------------------------------------------------------------

_AGENTCPM, _GUIEVALKIT = (
    replace(protocol, version=3) for protocol in common_mode(HIGH, "", "; RECENT is read as HOME")
)

_ALL = (
    robust_steps(HIGH),
    _OFFICIAL,
    _FIRST,
    _OS_ATLAS,
    _AGENTCPM,
    _GUIEVALKIT,
    GUI_R1,
)
PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    task: tuple(replace(protocol, task=task) for protocol in _ALL) for task in (HIGH, LOW)
}
GOLDS: Mapping[str, GoldShape] = {HIGH: STEP, LOW: STEP}
