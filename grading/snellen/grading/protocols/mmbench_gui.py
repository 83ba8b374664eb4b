"""How MMBench-GUI's four levels are scored.

Source: MMBench-GUI (Wang et al., 2025) and its repository; the code of L3 and L4 was never
published, so those follow the paper.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import msgspec

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import point_in_box
from snellen.grading.metrics.efficiency import Episode, truncated
from snellen.grading.metrics.eqa import eqa, eqa_exact, eqa_linear
from snellen.grading.parse.choice import mmbench_gui_choice, robust_choice
from snellen.grading.parse.coordinates import mmbench_gui_point, to_unit_official
from snellen.grading.protocols.base import (
    AS_IS,
    AnswerValue,
    Context,
    Corpus,
    Gold,
    Metric,
    Parsed,
    Parser,
    Protocol,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.texts import not_text

_LETTERS = 6


def _read_choice(response: object, _: Context) -> Parsed:
    if not isinstance(response, str):
        return not_text(response)
    letter = mmbench_gui_choice(response)
    return unparsed("no option's letter in it") if letter is None else Parsed(letter)


def _read_choice_robustly(response: object, context: Context) -> Parsed:
    if not isinstance(response, str):
        return not_text(response)
    letter = robust_choice(response, context.options or _LETTERS)
    return unparsed("no single option's letter in it") if letter is None else Parsed(letter)


_LETTER_HIT = pairwise(
    "the right letter",
    ("accuracy",),
    "accuracy",
    lambda answer, gold, _: (float(answer == gold),),
)

_L1 = (
    Protocol(
        "mmbench-gui/l1",
        "official",
        1,
        "MMBench-GUI utils/misc (six regular expressions)",
        "the first letter a-f that starts a line wins, even inside a word: an API failure is F",
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
        Parser("the last explicit choice among the offered letters", _read_choice_robustly),
        AS_IS,
        _LETTER_HIT,
    ),
)


def _read_point(response: object, context: Context) -> Parsed:
    # A JSON list of numbers is read as the text that a model would have written.
    text = repr(cast("object", response)) if isinstance(response, (list, tuple)) else response
    if not isinstance(text, str):
        return not_text(text)
    point = mmbench_gui_point(text)
    if point is None:
        return unparsed("no two numbers in it")
    if point.x <= 1 and point.y <= 1:
        return Parsed((point.x, point.y), None, "read as 0-1 because neither exceeds 1")
    if context.width is None or context.height is None:
        return unparsed("pixels, and the reference does not say the image's size")
    scaled = to_unit_official(point.x, point.y, context.width, context.height)
    return Parsed((scaled.x, scaled.y), None, "read as pixels because a coordinate exceeds 1")


def _point_hit(answer: AnswerValue, gold: Gold, _: object) -> tuple[float]:
    left, top, right, bottom = gold.bbox
    if not all(0 <= side <= 1 for side in gold.bbox):
        if gold.image_size is None:
            raise MetricError("a box in pixels needs image_size beside it in the reference")
        width, height = gold.image_size
        # The published code tolerates -1 as 0 on this path only.
        left, top, right, bottom = (max(side, 0.0) for side in gold.bbox)
        left, right, top, bottom = left / width, right / width, top / height, bottom / height
    return (float(point_in_box(answer[0], answer[1], (left, top, right, bottom))),)


def _l2(task: str) -> tuple[Protocol, ...]:
    return (
        Protocol(
            task,
            "official",
            1,
            "MMBench-GUI L2 default parser",
            "takes the first two numbers; pixels when either exceeds 1; the corner of a box",
            Parser("the first two numbers", _read_point),
            AS_IS,
            pairwise("the point in the box, edges included", ("accuracy",), "accuracy", _point_hit),
        ),
    )


class _Run(msgspec.Struct, frozen=True):
    success: float
    cost: float
    limit: float | None = None


def _read_episode(response: object, _: Context) -> Parsed:
    try:
        run = msgspec.convert(response, _Run)
        limit = None if run.limit is None else _plain(run.limit)
        return Parsed(Episode(run.success, _plain(run.cost), limit))
    except (msgspec.ValidationError, MetricError) as error:
        return unparsed(f"expected {{success, cost, limit}}: {error}")


def _plain(number: float) -> float | int:
    # Whole numbers become integers, so that the grid is compared exactly.
    return int(number) if float(number).is_integer() else number


def _episodes(
    golds: Sequence[Gold], answers: Sequence[AnswerValue | None]
) -> tuple[list[Episode], float | int]:
    limits = {
        _plain(limit)
        for gold, answer in zip(golds, answers, strict=True)
        for limit in (gold.limit, None if answer is None else answer.limit)
        if limit is not None
    }
    if len(limits) != 1:
        raise MetricError(
            "EQA needs one limit for all episodes, in the references or the responses;"
            f" found {sorted(limits) or 'none'}"
        )
    limit = limits.pop()
    # An item without an episode failed and used up what it was allowed.
    return [Episode(0, limit, limit) if one is None else one for one in answers], limit


def _corpus(
    area: Callable[[list[Episode], float | int], float],
) -> Corpus:
    def whole(golds: Sequence[Gold], answers: Sequence[AnswerValue | None]) -> Mapping[str, float]:
        episodes, limit = _episodes(golds, answers)
        return {"eqa": area(episodes, limit)}

    return whole


def _sr(name: str, area: Callable[[list[Episode], float | int], float]) -> Metric:
    return Metric(
        name,
        ("sr",),
        "sr",
        pairwise(name, ("sr",), "sr", lambda answer, gold, _: (float(answer.success),)).prepare,
        _corpus(area),
    )


_EPISODE = Parser("an episode {success, cost, limit}", _read_episode)


def _l34(task: str) -> tuple[Protocol, ...]:
    return (
        Protocol(
            task,
            "paper",
            1,
            "MMBench-GUI Eq. 7-10",
            "EQA on 101 points u = m/100, episodes in the data's order",
            _EPISODE,
            AS_IS,
            _sr("SR, and EQA on a closed grid", lambda runs, limit: eqa(_own(runs), limit)),
        ),
        Protocol(
            task,
            "exact",
            1,
            "MMBench-GUI Eq. 12",
            "EQA as the exact integral; the reading that fits the published tables best",
            _EPISODE,
            AS_IS,
            _sr("SR, and the EQA integral", lambda runs, limit: eqa_exact(_own(runs), limit)),
        ),
        Protocol(
            task,
            "half_open",
            1,
            "a published summary of MMBench-GUI",
            "EQA on 101 points u = m/101",
            _EPISODE,
            AS_IS,
            _sr(
                "SR, and EQA on a half-open grid",
                lambda runs, limit: eqa(_own(runs), limit, grid="half_open"),
            ),
        ),
        Protocol(
            task,
            "scalecua",
            1,
            "ScaleCUA evaluation/MacOSArena/parse_results.py",
            "EQA by linear interpolation; a success after the limit counts as a failure",
            _EPISODE,
            AS_IS,
            _sr(
                "SR, and EQA by linear interpolation",
                lambda runs, limit: eqa_linear(truncated(_own(runs), limit), limit),
            ),
        ),
    )


def _own(episodes: Sequence[Episode]) -> list[Episode]:
    # One limit holds for all; an episode's own copy of it says nothing more.
    return [Episode(one.success, one.cost) for one in episodes]


PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    "mmbench-gui/l1": _L1,
    "mmbench-gui/l2_basic": _l2("mmbench-gui/l2_basic"),
    "mmbench-gui/l2_advanced": _l2("mmbench-gui/l2_advanced"),
    "mmbench-gui/l3": _l34("mmbench-gui/l3"),
    "mmbench-gui/l4": _l34("mmbench-gui/l4"),
}
