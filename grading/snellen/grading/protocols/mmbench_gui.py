"""How MMBench-GUI's four levels are scored.

Source: MMBench-GUI (Wang et al., 2025) and its repository; the code of L3 and L4 was never
published, so those follow the paper, or ScaleCUA's code.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import msgspec

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.metrics.efficiency import Episode, truncated
from snellen.grading.metrics.eqa import eqa, eqa_exact, eqa_linear
from snellen.grading.parse.choice import mmbench_gui_choice, robust_choice
from snellen.grading.parse.coordinates import mmbench_gui_point, to_unit_official
from snellen.grading.protocols.base import (
    AS_IS,
    DROP_FAILED,
    STOP_ON_CRASH,
    AnswerValue,
    Context,
    Corpus,
    Gold,
    Metric,
    Parsed,
    Parser,
    Protocol,
    PublishedCrashError,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.golds import (
    LARGEST,
    Positive,
    Target,
    is_in_fractions,
    without_unknowns,
)
from snellen.grading.protocols.texts import equal, not_text, text_parser

# ---- L1 ----------------------------------------------------------------------------------------

_LETTERS = 6


def _as_text(response: object) -> str | None:
    """Write a response as the published code does, `str(response)`; None where Python refuses."""
    try:
        return str(response)
    except (ValueError, RecursionError):
        return None


def _read_choice(response: object, _: Context) -> Parsed:
    text = _as_text(response)
    letter = None if text is None else mmbench_gui_choice(text)
    return unparsed("no option's letter in it") if letter is None else Parsed(letter)


_LETTER_HIT = equal("the right letter")

_L1 = (
    Protocol(
        "mmbench-gui/l1",
        "official",
        1,
        "MMBench-GUI utils/misc.py (six regular expressions)",
        "the first letter a-f that starts a line wins, even inside a word: an API failure is F;"
        " JSON is read as Python writes it",
        Parser("MMBench-GUI's letter parser", _read_choice),
        AS_IS,
        _LETTER_HIT,
    ),
    Protocol(
        "mmbench-gui/l1",
        "robust",
        1,
        "ours",
        "the last explicit choice; never the article; two choices are none",
        text_parser(
            "the last explicit choice among the offered letters",
            lambda text, context: robust_choice(text, context.options or _LETTERS),
            "no single option's letter in it",
        ),
        AS_IS,
        _LETTER_HIT,
    ),
)


# ---- L2 ----------------------------------------------------------------------------------------


def _read_point(response: object, context: Context) -> Parsed:
    text = _as_text(response)
    if text is None:
        return not_text(response)
    point = mmbench_gui_point(text)
    if point is None:
        return unparsed("no two numbers in it")
    if point.x <= 1 and point.y <= 1:
        return Parsed((point.x, point.y), None, "read as 0-1 because neither exceeds 1")
    if context.width is None or context.height is None:
        return unparsed("pixels, and the reference does not say the image's size")
    scaled = to_unit_official(point.x, point.y, context.width, context.height)
    return Parsed((scaled.x, scaled.y), None, "read as pixels because a coordinate exceeds 1")


def _unit_box(gold: Target) -> Ltrb:
    if is_in_fractions(gold.bbox):
        return gold.bbox
    if gold.image_size is None:
        raise MetricError("a box in pixels needs image_size beside it in the reference")
    left, top, right, bottom = without_unknowns(gold.bbox)
    width, height = gold.image_size
    box = (left / width, top / height, right / width, bottom / height)
    if not is_in_fractions(box):
        raise PublishedCrashError
    return box


def _point_hit(answer: AnswerValue, gold: Gold, _: object) -> tuple[float]:
    return (float(point_in_box(answer[0], answer[1], _unit_box(gold))),)


_L2 = Protocol(
    "mmbench-gui/l2_basic",
    "official",
    1,
    "MMBench-GUI benchmarks/l2_element_grounding.py",
    "takes the first two numbers, so the corner of a box; pixels when either exceeds 1. As shipped"
    " the default parser raises on every item, for it lacks `meta`; this is that parser as meant",
    Parser("the first two numbers", _read_point),
    AS_IS,
    pairwise("the point in the box, edges included", ("accuracy",), "accuracy", _point_hit),
    STOP_ON_CRASH,
)


# ---- L3 and L4 ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """What a response says of an episode: its success, what it cost and what it was allowed.

    A response need not say the cost or the limit.
    """

    success: bool | Annotated[float, msgspec.Meta(ge=0, le=1)]
    cost: Annotated[float, msgspec.Meta(ge=0, le=LARGEST)] | None = None
    limit: Positive | None = None


def _read_any_run(response: object, _: Context) -> Parsed:
    try:
        run = (
            msgspec.json.decode(response, type=Run)
            if isinstance(response, str)
            else msgspec.convert(response, Run)
        )
    except (ValueError, RecursionError) as error:
        return unparsed(f"expected {{success, cost, limit}}: {error}")
    return Parsed(run, None, "" if run.cost is not None else "it does not say its cost")


def _read_run(response: object, context: Context) -> Parsed:
    parsed = _read_any_run(response, context)
    if parsed.outcome is None and parsed.answer.cost == 0:
        return unparsed("an episode costs more than 0")
    return parsed


def _metric(name: str, success: Callable[[AnswerValue], float], corpus: Corpus) -> Metric:
    mean = pairwise(name, ("sr",), "sr", lambda run, _gold, _normalise: (success(run),))
    return replace(mean, corpus=corpus, corpus_keys=("eqa",))


def _one_limit(golds: Sequence[Gold], runs: Sequence[AnswerValue | None]) -> float | None:
    # The responses are asked only where no reference has a limit, and never contradict one.
    limits = {gold.limit for gold in golds} - {None}
    limits = limits or {run.limit for run in runs if run is not None} - {None}
    return limits.pop() if len(limits) == 1 else None


def _charged(run: AnswerValue | None, limit: float) -> Episode:
    # An item without an episode failed and used up what it was allowed. An episode that does not
    # say what it cost used that up too, as does one of cost 0, which only a mixture with
    # ScaleCUA's parser lets through to here.
    return Episode(0, limit) if run is None else Episode(run.success, run.cost or limit)


def _by_paper(name: str, area: Callable[..., float]) -> Metric:
    def corpus(golds: Sequence[Gold], runs: Sequence[AnswerValue | None]) -> Mapping[str, float]:
        limit = _one_limit(golds, runs)
        if limit is None:
            return {}
        return {"eqa": area([_charged(run, limit) for run in runs], limit, over_limit="clip")}

    return _metric(name, lambda run: float(run.success), corpus)


# ScaleCUA allows a cost of 0, an Episode does not. The smallest float there is vanishes in the
# running sum, and as a share of a budget it is 0: the curve is the same to the last bit.
_NO_COST = math.ulp(0.0)


def _by_scalecua(name: str, limit: int, *, cut: bool) -> Metric:
    # Success is true or false in that code; partial credit counts here as what it is.
    def success(run: AnswerValue) -> float:
        return 0.0 if cut and (run.cost or 0) > limit else float(run.success)

    def corpus(_: Sequence[Gold], runs: Sequence[AnswerValue | None]) -> Mapping[str, float]:
        episodes: Sequence[Episode] = [
            Episode(0, limit) if run is None else Episode(run.success, run.cost or _NO_COST)
            for run in runs
        ]
        return {"eqa": eqa_linear(truncated(episodes, limit) if cut else episodes, limit)}

    return _metric(name, success, corpus)


_PAPER = Parser("an episode {success, cost, limit}", _read_run)
_SCALECUA = Parser("an episode {success, cost, limit}, whose cost may be 0", _read_any_run)
_PARSE_RESULTS = "ScaleCUA evaluation/MacOSArena/parse_results.py"
_CLIPPED = "in the data's order; a cost over the limit counts as the limit"
_FILES = (
    "EQA by linear interpolation, in the data's order (the code's: by path); only items with a"
    " response are in the published mean"
)

_L3 = (
    Protocol(
        "mmbench-gui/l3",
        "paper",
        1,
        "MMBench-GUI Eq. 7-10",
        f"EQA on 101 points u = m/100, {_CLIPPED}",
        _PAPER,
        AS_IS,
        _by_paper("SR, and EQA on a closed grid", eqa),
    ),
    Protocol(
        "mmbench-gui/l3",
        "exact",
        1,
        "MMBench-GUI Eq. 12",
        f"EQA as the exact integral, which fits the published tables best, {_CLIPPED}",
        _PAPER,
        AS_IS,
        _by_paper("SR, and the EQA integral", eqa_exact),
    ),
    Protocol(
        "mmbench-gui/l3",
        "half_open",
        1,
        "a published summary of MMBench-GUI",
        f"EQA on 101 points u = m/101, {_CLIPPED}",
        _PAPER,
        AS_IS,
        _by_paper("SR, and EQA on a half-open grid", partial(eqa, grid="half_open")),
    ),
    Protocol(
        "mmbench-gui/l3",
        "scalecua_15",
        1,
        _PARSE_RESULTS,
        f"{_FILES}; 15 steps whatever the limit: what costs more failed, in SR too",
        _SCALECUA,
        AS_IS,
        _by_scalecua("SR and linear EQA of a run cut at 15 steps", 15, cut=True),
        DROP_FAILED,
    ),
    Protocol(
        "mmbench-gui/l3",
        "scalecua_50",
        1,
        _PARSE_RESULTS,
        f"{_FILES}; 50 steps a task whatever the limit, but no task is cut at them",
        _SCALECUA,
        AS_IS,
        _by_scalecua("SR and linear EQA within 50 steps a task", 50, cut=False),
        DROP_FAILED,
    ),
)


def _of(task: str, protocols: Sequence[Protocol]) -> tuple[Protocol, ...]:
    return tuple(replace(protocol, task=task) for protocol in protocols)


PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    "mmbench-gui/l1": _L1,
    "mmbench-gui/l2_basic": (_L2,),
    "mmbench-gui/l2_advanced": _of("mmbench-gui/l2_advanced", [_L2]),
    "mmbench-gui/l3": _L3,
    "mmbench-gui/l4": _of("mmbench-gui/l4", _L3),
}
