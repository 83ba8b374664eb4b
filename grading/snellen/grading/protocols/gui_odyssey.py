"""How GUI-Odyssey's steps are scored, by each public implementation that could be run.

Points count thousandths of the screen. The official rule compares texts: what follows the first
colon up to the next, so that the times 10:45 and 10:30 are one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from rapidfuzz.distance import Levenshtein

from snellen.grading.coordinates import PIXELS, THOUSAND
from snellen.grading.metrics.text import set_f1
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.parse.vocabularies.agentcpm import AGENTCPM, GUIEVALKIT
from snellen.grading.parse.vocabularies.gui_r1 import GUI_R1
from snellen.grading.parse.vocabularies.odyssey import ODYSSEY
from snellen.grading.parse.vocabularies.os_atlas import first_point
from snellen.grading.protocols.androidcontrol.gui_r1 import GUI_R1_RULE
from snellen.grading.protocols.base import (
    AS_IS,
    AnswerValue,
    Corpus,
    Denominator,
    Gold,
    Parser,
    Protocol,
)
from snellen.grading.protocols.golds import STEP, GoldShape, StepGold
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.step_rules import (
    ABSENT,
    EPISODES,
    KEYS,
    TAPS,
    UNREAD,
    apart,
    by_episode,
    contains,
)
from snellen.grading.protocols.steps import (
    Compare,
    Said,
    in_space,
    judged,
    moved,
    step_metric,
    step_parser,
    writes_step,
)

HIGH, LOW = "gui-odyssey/high", "gui-odyssey/low"
_CATEGORIES = 6


def _thousandths(point: Point | None, gold: StepGold) -> Point | None:
    """Return a reference's point in thousandths: whole numbers, as they were published."""
    found = moved(point, PIXELS, THOUSAND, gold.image_size)
    return found and (round(found[0], 6), round(found[1], 6))


def _given(answer: Said, gold: StepGold) -> str:
    if answer.format == ODYSSEY.name:
        return answer.text
    action = in_space(answer.action, answer.space, THOUSAND, gold.image_size)
    return ODYSSEY.write(action) or ""


def _reference(gold: StepGold) -> str:
    return ODYSSEY.write(in_space(gold.action, PIXELS, THOUSAND, gold.image_size)) or ""


def _near(answer: Said, gold: StepGold) -> bool:
    """Within 14 % in fractions of the screen along each axis, edges included."""
    point = answer.at(THOUSAND, gold.image_size)
    target = _thousandths(gold.action.point, gold)
    if point is None or target is None:
        return False
    return apart((point[0] / 1000, point[1] / 1000), (target[0] / 1000, target[1] / 1000)) <= 0.14


def _in_box(answer: Said, gold: StepGold) -> bool:
    point = answer.at(THOUSAND, gold.image_size)
    if point is None or not gold.boxes:
        return False
    left, top, right, bottom = gold.boxes[0]
    low, high = _thousandths((left, top), gold), _thousandths((right, bottom), gold)
    if low is None or high is None:
        return False
    return low[0] <= point[0] <= high[0] and low[1] <= point[1] <= high[1]


# ---- official ----------------------------------------------------------------------------------


def _parted(text: str) -> tuple[str, str]:
    parts = text.split(":")
    return parts[0].strip(), parts[1].strip() if len(parts) > 1 else ""


def _official(*, boxes: bool) -> Compare:
    def compare(answer: Said, gold: StepGold) -> Sequence[float]:
        (name, info), (action, expected) = _parted(_given(answer, gold)), _parted(_reference(gold))
        if name != action:
            return 0.0, 0.0
        match gold.action.type:
            case ActionType.CLICK | ActionType.LONG_PRESS:
                right = _near(answer, gold) or (boxes and _in_box(answer, gold))
            case ActionType.TYPE:
                alike = Levenshtein.normalized_similarity(info, expected) >= 0.5
                right = info in expected or expected in info or alike
            case ActionType.SCROLL:
                right = info.lower() == expected.lower()
            case _:
                right = True
        return float(right), 1.0

    return compare


def _malformed(text: str) -> Action | None:
    """Read an answer whose kind can be told and nothing else: a right type, and a wrong step."""
    kind = {"CLICK": ActionType.CLICK, "LONG_PRESS": ActionType.LONG_PRESS}.get(_parted(text)[0])
    return None if kind is None else Action(kind)


def _read(text: str) -> Action | None:
    published = ODYSSEY.published
    return (published and published(text)) or _malformed(text)


_READS = replace(ODYSSEY, published=_read)


def _sets(compare: Compare) -> Corpus:
    """Make what is printed over sets: whole episodes, typed text, and the mean of categories."""
    whole = by_episode(compare)

    def corpus(golds: Sequence[Gold], answers: Sequence[AnswerValue | None]) -> Mapping[str, float]:
        rows = judged(compare, answers, golds, len(KEYS))
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
_SETS = (*EPISODES, "text", "category_mean")
_PARSER = Parser("the text before and after the first colon", step_parser("", _READS).read)
_OFFICIAL = Protocol(
    HIGH,
    "official",
    1,
    "GUI-Odyssey fefcbe9, of July 2025",
    "a point in the element's box or within 14 % of the screen, whatever its shape; typed text by"
    " containment or half of its letters, up to its first colon; missing answers are dropped",
    _PARSER,
    AS_IS,
    step_metric(
        "the box or 14 % in fractions; text contains, or half its letters",
        KEYS,
        _WITH_BOXES,
        _sets(_WITH_BOXES),
        _SETS,
    ),
    Denominator("drops failed responses", drops=ABSENT),
    write=writes_step(ODYSSEY),
)
_FIRST = replace(
    _OFFICIAL,
    id="official-2024",
    source="GUI-Odyssey of 2024, before its data had boxes",
    special="like `official`, but only by the distance",
    metric=step_metric(
        "14 % in fractions; text contains, or half its letters",
        KEYS,
        _WITHOUT,
        _sets(_WITHOUT),
        _SETS,
    ),
)

# ---- os-atlas ----------------------------------------------------------------------------------


def _os_atlas(answer: Said, gold: StepGold) -> Sequence[float]:
    given, reference = _given(answer, gold).strip(), _reference(gold)
    tokens, expected = given.split(), reference.split()
    if not tokens or tokens[0].replace(":", "") != expected[0].replace(":", ""):
        return 0.0, 0.0
    if gold.action.type in TAPS:
        target = first_point(reference)
        point = first_point(given) if _two_numbers(given) else (0.0, 0.0)
        near = point is not None and target is not None and apart(point, target) <= 140
        return float(near), 1.0
    if gold.action.type is ActionType.TYPE:
        words, others = given.lower().split(), reference.lower().split()
        return float(set_f1(words, others) > 0.5), 1.0
    if gold.action.type is ActionType.SCROLL:
        return float(given == reference), 1.0
    return 1.0, 1.0


def _two_numbers(text: str) -> bool:
    return sum(part.isdigit() for part in _digits(text)) == 2


def _digits(text: str) -> list[str]:
    return "".join(letter if letter.isdigit() else " " for letter in text[:10_000]).split()


_OS_ATLAS = replace(
    _FIRST,
    id="os-atlas",
    source="OS-Atlas bad0840, the evaluation of GUI-Odyssey",
    special="a click within 14 % of the screen; typed text by the words that it shares, the word"
    " TYPE among them; a scroll by equal text; all else by its type",
    metric=step_metric("within 140 thousandths; shared words above a half", KEYS, _os_atlas),
)

# ---- agentcpm, guievalkit, gui-r1 --------------------------------------------------------------


def _common(answer: Said, gold: StepGold) -> Sequence[float]:
    given, action = answer.action, gold.action
    if given.type is not action.type:
        return 0.0, 0.0
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS:
            right = _near(answer, gold)
        case ActionType.TYPE:
            right = contains(given.text, action.text)
        case ActionType.SCROLL:
            right = given.direction is action.direction
        case ActionType.NAVIGATE:
            # References that press RECENT become HOME when the data is converted.
            right = given.button == {"recent": "home"}.get(action.button, action.button)
        case _:
            right = True
    return float(right), 1.0


_AGENTCPM = replace(
    _FIRST,
    id="agentcpm",
    source="AgentCPM-GUI acbaf50, its common mode",
    special="a click within 14 %; text by containment; RECENT is taken for HOME, and the two ways"
    " to end are one",
    parser=step_parser("AgentCPM-GUI's JSON, by its schema", AGENTCPM),
    metric=step_metric(
        "14 % in fractions; text contains", KEYS, _common, by_episode(_common), EPISODES
    ),
    write=writes_step(AGENTCPM),
)
_GUIEVALKIT = replace(
    _AGENTCPM,
    id="guievalkit",
    source="guievalkit d5e954e, its common mode",
    special="as `agentcpm`, and an answer that is none of its actions leaves every denominator",
    parser=step_parser("guievalkit's JSON", GUIEVALKIT),
    denominator=Denominator(
        "drops answers that are no action, and steps without one", drops=ABSENT | UNREAD
    ),
    write=writes_step(GUIEVALKIT),
)

_ALL = (
    _OFFICIAL,
    robust_steps(HIGH),
    _FIRST,
    _OS_ATLAS,
    _AGENTCPM,
    _GUIEVALKIT,
    replace(GUI_R1_RULE, write=writes_step(GUI_R1)),
)
PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    task: tuple(replace(protocol, task=task) for protocol in _ALL) for task in (HIGH, LOW)
}
GOLDS: Mapping[str, GoldShape] = {HIGH: STEP, LOW: STEP}
