"""How an episode in a world of its own is scored: by its last state, its answer and its steps.

The response is the record that a server makes of an episode:

    {"status": "done", "answer": "17:30", "changes": {...}, "cost": 7, "limit": 15}

The rules are ours, as no published environment compares whole states; EQA is MMBench-GUI's (Wang et
al., 2025, section 3), over limits that may differ from item to item.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, cast

import msgspec
import numpy as np

from snellen.grading.metrics.efficiency import Episode
from snellen.grading.metrics.eqa import eqa, eqa_budget, eqa_exact
from snellen.grading.parse.answers import same_answer
from snellen.grading.protocols import base
from snellen.grading.protocols.golds import LARGEST, Changes, OutcomeGold, Positive


def _recorded(name: str, unit: str, field: str) -> base.Measure:
    def of(record: base.AnswerValue, _: base.Gold) -> float | None:
        return getattr(record, field)

    return base.Measure(name, unit, "lower", "episodes that say it", of)


Door = Literal["screen", "marks", "tree", "tools", "code", "url", "webmcp"]
"""The interfaces through which agents act in episodes."""

_Count = Annotated[float, msgspec.Meta(ge=0)] | None


class Costs(base.EpisodeRecord, frozen=True, kw_only=True):
    """How an episode was acted in and what that cost; no rule asks for it."""

    door: Door = base.SCREEN
    seconds: _Count = None  # how long it was open
    calls: _Count = None  # how many calls and requests it took
    image_tokens: _Count = None  # what its screenshots cost a model, estimated
    text_tokens: _Count = None  # what the texts that it returned cost a model, estimated


EPISODE_MEASURES = (
    _recorded("steps", "steps", "cost"),
    _recorded("seconds", "s", "seconds"),
    _recorded("image_tokens", "tokens", "image_tokens"),
    _recorded("calls", "calls", "calls"),
    _recorded("text_tokens", "tokens", "text_tokens"),
)
"""What is told of recorded episodes beside their success."""

EndedBy = Literal["submitted", "page", "limit", "abandoned"]
"""What ended an episode: its agent, the page itself, its limit of steps, or nobody."""


class Record(Costs, frozen=True):
    """What a server records of an episode.

    Attributes:
        status: How its agent ended it; None: it did not.
        reason: Why it is infeasible, by one of few codes.
        answer: What the agent answered.
        changes: How the world's state differs from its first; None: nobody knows.
        cost: How many steps it took.
        limit: How many it might take.
        end: What ended it.
    """

    status: Literal["done", "infeasible"] | None = None
    reason: str | None = None
    answer: Any = None
    changes: Changes | None = None
    cost: Annotated[float, msgspec.Meta(ge=0, le=LARGEST)] | None = None
    limit: Positive | None = None
    end: EndedBy = "submitted"

    @property
    def conditions(self) -> Mapping[str, str]:
        """The interface."""
        return {"door": self.door}


ABANDONED = base.Warned(
    "it was abandoned",
    "{n} of the episodes were abandoned: neither their agent nor the page nor the limit ended them."
    " They count as failures.",
)


def read_record(kind: type[Any]) -> Callable[[object, base.Context], base.Parsed]:
    """Return what reads an episode's record, given as JSON or as its text."""

    def read(response: object, _: base.Context) -> base.Parsed:
        try:
            record = (
                msgspec.json.decode(response, type=kind)
                if isinstance(response, str)
                else msgspec.convert(response, kind)
            )
        except (ValueError, RecursionError) as error:
            return base.unparsed(f"expected the record of an episode: {error}")
        return base.Parsed(record, None, ABANDONED.note if record.end == "abandoned" else "")

    return read


def with_eqa(
    metric: base.Metric, area: Callable[..., float] | None = None, most: float | None = None
) -> base.Metric:
    """Return a metric of episodes with the EQA of its primary value beside it.

    An item without an episode failed, and used up what it was allowed; so did an episode that
    does not say what it cost. One of no step at all is charged one.

    Args:
        metric: Its primary key is an episode's success, and its answers are records.
        area: From episodes to their EQA; None: the paper's grid.
        most: What no episode may cost more than, whatever its item allows.
    """
    index = metric.keys.index(metric.primary)

    def episodes(
        golds: Sequence[base.Gold], records: Sequence[base.AnswerValue | None]
    ) -> Sequence[Episode]:
        limits = [limit_of(gold, record, most) for gold, record in zip(golds, records, strict=True)]
        if None in limits:
            return []
        judge = metric.prepare(golds, base.AS_IS)
        given = [each for each, record in enumerate(records) if record is not None]
        judged = judge(np.array(given, dtype=np.int64), [records[each] for each in given])
        success = dict(zip(given, judged.values[:, index].tolist(), strict=True))
        return [
            Episode(success.get(each, 0.0), _cost(record, limit or 1.0), limit)
            for each, (record, limit) in enumerate(zip(records, limits, strict=True))
        ]

    clipped = partial(area or eqa, over_limit="clip")

    def corpus(
        golds: Sequence[base.Gold], records: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        played = episodes(golds, records)
        return {"eqa": clipped(played)} if played else {}

    return replace(metric, corpus=corpus, corpus_keys=("eqa",), episodes=episodes, area=clipped)


def limit_of(
    gold: base.Gold, record: base.AnswerValue | None, most: float | None = None
) -> float | None:
    """Return how many steps an episode was allowed; None where nobody says."""
    stated: float | None = gold.limit or (record.limit if record else None)
    if most is None or stated is None:
        return most or stated
    return min(most, stated)


def _cost(record: base.AnswerValue | None, limit: float) -> float:
    cost = None if record is None else record.cost
    return limit if cost is None else max(cost, 1.0)


def _judge(record: Record, gold: OutcomeGold, _: object) -> tuple[float, float, float]:
    """Return whether it succeeded, whether the state is as it should be, and the answer."""
    state = record.changes == (gold.changes or Changes())
    over = record.cost is not None and gold.limit is not None and record.cost > gold.limit
    if gold.reason:
        right = (record.status, record.reason) == ("infeasible", gold.reason)
    else:
        right = record.status != "infeasible" and _answers(record.answer, gold)
    # Who ends no episode says nothing, also where nothing is asked.
    said = right and record.end != "abandoned"
    return float(state and said and not over), float(state), float(said)


def _answers(answer: object, gold: OutcomeGold) -> bool:
    """Whether an answer is the one wanted, by its kind."""
    if gold.answer is None:
        return True
    if gold.kind is None:
        return _equals(answer, gold.answer)
    return same_answer(gold.kind, answer, gold.answer)


def _equals(answer: object, gold: object) -> bool:
    """Whether an answer is one without a kind: numbers by value, texts but for case and spaces."""
    if isinstance(gold, bool) or isinstance(answer, bool):
        return answer is gold
    if isinstance(gold, int | float):
        return _number(answer) == float(gold)
    if isinstance(gold, str):
        return isinstance(answer, str | int | float) and _plain(answer) == _plain(gold)
    if isinstance(gold, list):
        wanted = cast("list[object]", gold)
        if not isinstance(answer, list):
            return False
        several = cast("list[object]", answer)
        # Nobody is asked for an order.
        return sorted(map(_plain, several)) == sorted(map(_plain, wanted))
    return answer == gold


def _number(answer: object) -> float | None:
    if isinstance(answer, str):
        try:
            return float(answer.strip().replace(",", ""))
        except ValueError:
            return None
    return float(answer) if isinstance(answer, int | float) else None


def _plain(text: object) -> str:
    return " ".join(str(text).split()).casefold()


def _missed(record: Record, gold: OutcomeGold) -> list[str]:
    """Return what is missing in the last state, what is there in addition, and a wrong end."""
    lines: list[str] = []
    if record.changes is None:
        lines.append("missing: the last state")
    else:
        wanted, made = _facts(gold.changes or Changes()), _facts(record.changes)
        lines += [f"missing: {fact}" for fact in (wanted - made).elements()]
        lines += [f"extra: {fact}" for fact in (made - wanted).elements()]
    if record.end == "abandoned":
        lines.append("wrong end: it was abandoned")
    elif gold.reason and (record.status, record.reason) != ("infeasible", gold.reason):
        lines.append(f"wrong end: it can't be done, because of {gold.reason}")
    elif not gold.reason and record.status == "infeasible":
        lines.append("wrong end: it can be done")
    elif not gold.reason and not _answers(record.answer, gold):
        lines.append(f"wrong answer: {_json(record.answer)} and not {_json(gold.answer)}")
    if record.cost is not None and gold.limit is not None and record.cost > gold.limit:
        lines.append(f"wrong end: {record.cost:g} steps, and the limit is {gold.limit:g}")
    return lines


def _facts(changes: Changes) -> Counter[str]:
    """Return each change in a line: a path with its new value, what was added or removed."""
    return Counter(
        [
            *(f"{path} = {_json(after)}" for path, (_, after) in changes.changed.items()),
            *(f"{path} + {_json(one)}" for path, found in changes.added.items() for one in found),
            *(f"{path} - {_json(one)}" for path, found in changes.removed.items() for one in found),
        ]
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


_METRIC = replace(
    base.pairwise(
        "the whole state, and the answer", ("sr", "state", "said"), "sr", _judge, EPISODE_MEASURES
    ),
    missed=_missed,
)
_PARSER = base.Parser("an episode's record", read_record(Record), warned=(ABANDONED,))


def _protocol(task: str, name: str, special: str, area: Callable[..., float]) -> base.Protocol:
    return base.Protocol(
        task,
        name,
        2,
        "ours; EQA as MMBench-GUI Eq. 7-12",
        f"the final state has exactly the requested changes; {special}",
        _PARSER,
        base.AS_IS,
        with_eqa(_METRIC, area),
    )


def world_protocols(task: str) -> tuple[base.Protocol, ...]:
    """Return the protocols of a task whose episodes are judged by their last state."""
    return (
        _protocol(task, "paper", "EQA on 101 points u = m/100", eqa),
        _protocol(task, "exact", "EQA as the exact integral", eqa_exact),
        _protocol(task, "half_open", "EQA on 101 points u = m/101", partial(eqa, grid="half_open")),
        _protocol(task, "budget", "EQA by each task's own limit", eqa_budget),
    )
