"""How stored outcomes are counted: the environment's own verdict, as it was stored.

OSWorld and its relatives store a score from 0 to 1, often a partial one, and publish its mean;
MobileWorld, WebArena and others count full scores alone. Both are computed here, side by side.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from snellen.grading.protocols import base
from snellen.grading.protocols.golds import LARGEST, EpisodeGold, GoldShape

RUN = "outcomes/run"

_Amount = Annotated[float, msgspec.Meta(ge=0, le=LARGEST)]


class Verdict(msgspec.Struct, frozen=True):
    """What is stored of an episode.

    Attributes:
        score: The verdict: true or false, or a score whose full value is 1.
        success: Whether it succeeded, where that is stored beside a score; None: by the score.
        steps: How many steps it took; None: not stored.
        cost: What it cost, in US dollars; None: not stored.
    """

    score: bool | Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
    success: bool | None = None
    steps: _Amount | None = None
    cost: _Amount | None = None


ABOVE = base.Warned(
    "its score is above 1, and counts as 1",
    "{n} of the scores are above 1, and count as 1: if they are percentages, divide them by 100.",
)


def _read(response: object, _: base.Context) -> base.Parsed:
    try:
        said = msgspec.json.decode(response) if isinstance(response, str) else response
        verdict = msgspec.convert(said, Verdict)
    except (ValueError, RecursionError) as error:
        return base.unparsed(f"expected {{score, steps, cost}}: {error}")
    return base.Parsed(verdict, None, ABOVE.note if verdict.score > 1 else "")


def _judge(verdict: Verdict, _: base.Gold, __: base.Normalize) -> tuple[float, float]:
    """Return whether the score is full, and the score between 0 and 1.

    >>> _judge(Verdict(0.5), None, str), _judge(Verdict(True), None, str)
    ((0.0, 0.5), (1.0, 1.0))
    """
    score = float(verdict.score)
    success = score >= 1 if verdict.success is None else verdict.success
    return float(success), min(max(score, 0.0), 1.0)


def _stored(name: str, unit: str) -> base.Measure:
    def of(verdict: base.AnswerValue, _: base.Gold) -> float | None:
        return getattr(verdict, name)

    return base.Measure(name, unit, "lower", "episodes that say it", of)


PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    RUN: (
        base.Protocol(
            RUN,
            "stored",
            1,
            "ours",
            "`success` is 1 for a stored success or a full score (1 or more), else 0; `partial` is"
            " the score between 0 and 1; an exception and a lacking verdict are errors",
            base.Parser("a stored verdict {score, steps, cost}", _read, warned=(ABOVE,)),
            base.AS_IS,
            base.pairwise(
                "the stored verdict, full and partial",
                ("success", "partial"),
                "success",
                _judge,
                (_stored("steps", "steps"), _stored("cost", "USD")),
            ),
        ),
    )
}
GOLDS: Mapping[str, GoldShape] = {
    RUN: GoldShape(
        "an object {limit} (or null)",
        EpisodeGold | None,
        lambda value: value or EpisodeGold(),
        lambda _: [{"score": 1}],
    )
}
