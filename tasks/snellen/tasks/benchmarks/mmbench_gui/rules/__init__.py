"""How MMBench-GUI's four levels are scored: questions and pointing here, episodes beside it.

Source: MMBench-GUI (Wang et al., 2025) and its repository.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from snellen.grading.parse.choice import mmbench_gui_choice, robust_choice
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import ReadPoint, mmbench_gui_point, to_unit_official
from snellen.grading.protocols import base, golds, pointing, spaces
from snellen.grading.protocols.golds import GoldShape, is_in_fractions
from snellen.grading.protocols.texts import equal, not_text, ours, text_parser
from snellen.tasks.benchmarks.mmbench_gui.rules.online import ONLINE

# ---- L1 ----------------------------------------------------------------------------------------

_LETTERS = 6


def _read_choice(response: object, _: base.Context) -> base.Parsed:
    # The published code, too, writes JSON as Python does.
    text = as_python_text(response)
    letter = None if text is None else mmbench_gui_choice(text)
    return base.unparsed("no option's letter in it") if letter is None else base.Parsed(letter)


_LETTER_HIT = equal("the right letter")

_L1 = (
    base.Protocol(
        "mmbench-gui/l1",
        "robust",
        3,
        "ours",
        "reads the last explicit choice, never the article; two choices are not an answer",
        ours(
            text_parser(
                "the last explicit choice among the offered letters",
                lambda text, context: robust_choice(text, context.options or _LETTERS),
                "no single option's letter in it",
            )
        ),
        base.AS_IS,
        _LETTER_HIT,
    ),
    base.Protocol(
        "mmbench-gui/l1",
        "official",
        1,
        "MMBench-GUI utils/misc.py (six regular expressions)",
        "reads the first letter a-f that starts a line, even inside a word: an API "
        "failure is F; reads JSON as Python writes it",
        base.offered(base.Parser("MMBench-GUI's letter parser", _read_choice), _LETTERS),
        base.AS_IS,
        _LETTER_HIT,
    ),
)


# ---- L2 ----------------------------------------------------------------------------------------


def _first_two(response: object, _: base.Context) -> ReadPoint | str:
    text = as_python_text(response)
    if text is None:
        return not_text(response).note
    return mmbench_gui_point(text) or "no two numbers in it"


def _by_size(point: pointing.OurPoint | ReadPoint, context: base.Context) -> base.Parsed:
    return _guessed(point.x, point.y, context)


def _guessed(x: float, y: float, context: base.Context) -> base.Parsed:
    if x <= 1 and y <= 1:
        return spaces.placed(base.Parsed((x, y), None, "read as 0-1 because neither exceeds 1"))
    note = "read as pixels because a coordinate exceeds 1"
    if context.width is None or context.height is None:
        return spaces.placed(base.Parsed(spaces.InPixels((x, y)), None, note))
    scaled = to_unit_official(x, y, context.width, context.height)
    return spaces.placed(base.Parsed((scaled.x, scaled.y), None, note))


def _point_hit(answer: base.AnswerValue, gold: base.Gold, normalize: object) -> tuple[float]:
    if not is_in_fractions(spaces.unit_box(gold)):
        raise base.PublishedCrashError
    return spaces.point_hit(answer, gold, normalize)


_L2 = base.Protocol(
    "mmbench-gui/l2_basic",
    "official",
    1,
    "MMBench-GUI benchmarks/l2_element_grounding.py",
    "reads the first two numbers, which is the corner of a box; pixels if "
    "either exceeds 1. The published default parser raises on every item, "
    "because `meta` is missing; this is the intended parser",
    pointing.pointed(
        "the first two numbers",
        base.Split("pixels above one", _first_two, _by_size),
        spaces.NOWHERE,
    ),
    base.AS_IS,
    spaces.point_metric("the point in the box, edges included", _point_hit),
    base.STOP_ON_CRASH,
    write=pointing.writes("({x}, {y})"),
)
_L2_ROBUST = base.Protocol(
    "mmbench-gui/l2_basic",
    "robust",
    3,
    "ours",
    "reads the point that a human reader would identify as the answer, or the "
    "center of a box; recognizes percentages, other numbers as in official. If "
    "the prompt states the space, use `unit`, `pixels` or `thousand`, which do "
    "not guess",
    pointing.our_points(
        "the point that is the answer",
        _by_size,
        "pixels above one",
    ),
    base.AS_IS,
    spaces.POINT_IN_IMAGE,
)


_L2_ALL = (
    _L2_ROBUST,
    pointing.takes_declared(_L2),
    *pointing.declared_points("mmbench-gui/l2_basic"),
)


def _of(task: str, protocols: Sequence[base.Protocol]) -> tuple[base.Protocol, ...]:
    return tuple(replace(protocol, task=task) for protocol in protocols)


PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    "mmbench-gui/l1": _L1,
    "mmbench-gui/l2_basic": _L2_ALL,
    "mmbench-gui/l2_advanced": _of("mmbench-gui/l2_advanced", _L2_ALL),
    "mmbench-gui/l3": ONLINE,
    "mmbench-gui/l4": _of("mmbench-gui/l4", ONLINE),
}

GOLDS: Mapping[str, GoldShape] = {
    "mmbench-gui/l1": golds.LETTER,
    "mmbench-gui/l2_basic": golds.TARGET_IN_IMAGE,
    "mmbench-gui/l2_advanced": golds.TARGET_IN_IMAGE,
    "mmbench-gui/l3": golds.EPISODE,
    "mmbench-gui/l4": golds.EPISODE,
}
