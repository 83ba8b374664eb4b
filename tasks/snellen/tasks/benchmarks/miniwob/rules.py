"""How episodes of MiniWoB++ are scored: by the reward that the page itself gave, and many rules.

A page says between -1 and 1 how well its task was done, before it takes off for time. What a
harness calls a success is its own rule; all are computed here from the same stored episodes.
Sources: MiniWoB++ (Liu et al., 2018); BrowserGym 0.14, EvalScope and cube-harness.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import msgspec

from snellen.grading.protocols import base, worlds
from snellen.grading.protocols.golds import LARGEST, PAGE_EPISODE, GoldShape, Positive

EPISODE = "miniwob/episode"


class Record(worlds.Costs, frozen=True):
    """What is stored of an episode.

    Attributes:
        reward: The page's raw reward; None: it is no number, or the page has not ended.
        ended: Whether the page ended the episode.
        cost: The inputs that it took; None: unknown.
        limit: The inputs that it was allowed.
        end: Why it ended.
        time: How time passed in its page: only with inputs, or as it does.
        status: What the agent said of it, such as `done`; no rule asks.
        reason: Why the agent takes it for infeasible; no rule asks.
        answer: What it answered; no rule asks.
    """

    reward: Annotated[float, msgspec.Meta(ge=-1, le=1)] | None
    ended: bool
    cost: Annotated[float, msgspec.Meta(ge=0, le=LARGEST)] | None = None
    limit: Positive | None = None
    end: Literal["submitted", "page", "limit", "abandoned"] | None = None
    time: Literal["stepped", "real"] | None = None
    status: str | None = None
    reason: str | None = None
    answer: object = None

    @property
    def conditions(self) -> Mapping[str, str]:
        """The interface, and how time passed if it is known: `stepped` or `real`."""
        return {"door": self.door} | ({} if self.time is None else {"time": self.time})

    @property
    def success(self) -> float:
        """1 where the page was satisfied: what fails then, failed by its steps."""
        return float(self.ended and self.reward is not None and self.reward >= _EXACT)


NOT_FINITE = base.Warned(
    "its page gave a reward that is no number",
    "{n} of the episodes ended with a reward that is no number: it counts as 0.",
)
NO_COST = base.Warned(
    "it does not say its cost",
    "{n} of the episodes did not say their cost: each is charged its whole limit, and nobody knows"
    " whether it kept to it.",
)
OTHER_LIMIT = base.Warned(
    "it says another limit than the item's, which counts",
    "{n} of the episodes said another limit than their item's, which is the one that counts.",
)


_RECORD = worlds.read_record(Record)


def _read(response: object, context: base.Context) -> base.Parsed:
    parsed = _RECORD(response, context)
    if parsed.outcome is not None:
        return parsed
    record = parsed.answer
    notes = [parsed.note] if parsed.note else []
    if record.cost is None:
        notes.append(NO_COST.note)
    if record.ended and record.reward is None:
        notes.append(NOT_FINITE.note)
    if record.limit is not None and context.limit is not None and record.limit != context.limit:
        notes.append(f"{OTHER_LIMIT.note} ({record.limit:g}, not {context.limit:g})")
    return base.Parsed(record, None, "; ".join(notes))


# Sums in a page's own code need not be exact.
_EXACT = 1 - 1e-9

Passes = Callable[[float], bool]


def _passed(record: Record, limit: float | None, passes: Passes) -> float:
    within = limit is None or record.cost is None or record.cost <= limit
    return float(within and record.ended and record.reward is not None and passes(record.reward))


def _success(name: str, passes: Passes, steps: int | None = None) -> base.Metric:
    """Make the metric of a rule.

    Args:
        name: What it is called.
        passes: Which raw rewards are successes, of episodes that the page ended.
        steps: The most that the harness allows; what takes more failed.
    """
    return worlds.with_eqa(
        base.pairwise(
            name,
            ("sr",),
            "sr",
            lambda record, gold, _: (
                _passed(record, worlds.limit_of(gold, record, steps), passes),
            ),
            worlds.EPISODE_MEASURES,
        ),
        most=steps,
    )


def _reward(name: str, not_ended: float) -> base.Metric:
    """Make the metric of the reward itself, which intervals and comparisons take from 0 to 1.

    Args:
        name: What it is called.
        not_ended: The raw reward of an episode that the page did not end.
    """

    def raw(record: Record | None) -> float:
        if record is None:
            # A missing item counts as little as one can, under any rule.
            return -1.0
        return (record.reward or 0.0) if record.ended else not_ended

    def corpus(
        _: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        return {"raw_reward": math.fsum(map(raw, answers)) / len(answers)}

    mean = base.pairwise(
        name,
        ("reward",),
        "reward",
        lambda record, _, __: ((1 + raw(record)) / 2,),
        worlds.EPISODE_MEASURES,
    )
    return replace(mean, corpus=corpus, corpus_keys=("raw_reward",), printed="raw_reward")


_PARSER = base.Parser(
    "an episode {reward, ended, cost}",
    _read,
    warned=(NO_COST, NOT_FINITE, OTHER_LIMIT, worlds.ABANDONED),
)


def _protocol(name: str, source: str, special: str, metric: base.Metric) -> base.Protocol:
    return base.Protocol(EPISODE, name, 1, source, special, _PARSER, base.AS_IS, metric)


def _above(reward: float) -> bool:
    return reward > 0


_RAW = "MiniWoB++ (Liu et al., 2018)"

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    EPISODE: (
        _protocol(
            "browsergym",
            "BrowserGym 0.14",
            "a success is a raw reward above 0 within 10 steps; an episode that the page did not"
            " end failed",
            _success("SR where the reward is above 0 within 10 steps, and EQA", _above, 10),
        ),
        _protocol(
            "evalscope",
            "EvalScope",
            "a success is a raw reward above 0 within 20 steps",
            _success("SR where the reward is above 0 within 20 steps, and EQA", _above, 20),
        ),
        _protocol(
            "cube",
            "cube-harness",
            "a success is a raw reward above 0, in as many steps as the item allows",
            _success("SR where the reward is above 0, and EQA", _above),
        ),
        _protocol(
            "half",
            "BrowserGym's open question: `shouldn't it be 0.5?`",
            "a success is a raw reward of 0.5 or more, in as many steps as the item allows",
            _success("SR where the reward is 0.5 or more, and EQA", lambda reward: reward >= 0.5),
        ),
        _protocol(
            "exact",
            "ours",
            "a success is a raw reward of 1, in as many steps as the item allows; out of reach on"
            " circle-center and most seeds of find-midpoint",
            _success("SR where the reward is 1, and EQA", lambda reward: reward >= _EXACT),
        ),
        _protocol(
            "raw",
            _RAW,
            "`raw_reward` is the mean raw reward, -1 to 1, and `reward` the same from 0 to 1; an"
            " episode that the page did not end counts 0 of -1 to 1, a missing one -1",
            _reward("the raw reward, 0 if not ended", 0.0),
        ),
        _protocol(
            "raw_timeout",
            _RAW,
            "as `raw`; an episode that the page did not end counts -1, as in the original"
            " environment, where time runs out",
            _reward("the raw reward, -1 if not ended", -1.0),
        ),
    )
}
GOLDS: Mapping[str, GoldShape] = {EPISODE: PAGE_EPISODE}
