"""How episodes are scored: L3 and L4 of MMBench-GUI.

Source: MMBench-GUI (Wang et al., 2025) section 3, whose code for these levels was never published;
and ScaleCUA's code (evaluation/MacOSArena/parse_results.py), which computes its own EQA.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated

import msgspec

from snellen.grading.metrics.efficiency import Episode, truncated
from snellen.grading.metrics.eqa import eqa, eqa_exact, eqa_linear
from snellen.grading.protocols import base
from snellen.grading.protocols.golds import LARGEST, Positive

PLATFORMS = MappingProxyType(
    {
        "os_windows": "windows",
        "os_mac": "macos",
        "os_linux": "linux",
        "os_ios": "ios",
        "os_android": "android",
        "os_web": "web",
    }
)
"""The platforms as the files write them, and as reports and the published tables do."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a response says of an episode: its success, what it cost and what it was allowed.

    A response need not say the cost, the limit or the platform.
    """

    success: bool | Annotated[float, msgspec.Meta(ge=0, le=1)]
    cost: Annotated[float, msgspec.Meta(ge=0, le=LARGEST)] | None = None
    limit: Positive | None = None
    platform: str | None = None


NO_COST = base.Warned(
    "it does not say its cost",
    "{n} of the episodes did not say their cost: each is charged its whole limit, and nobody knows"
    " whether it kept to it.",
)
OVER_LIMIT = base.Warned(
    "it took more than its limit, which is a failure",
    "{n} of the episodes took more than their limit: that is a failure, whatever they say.",
)
OTHER_LIMIT = base.Warned(
    "it says another limit than the item's, which counts",
    "{n} of the episodes said another limit than their item's, which is the one that counts.",
)
OTHER_PLATFORM = base.Warned(
    "it says another platform than the item's, which counts",
    "{n} of the episodes said another platform than their item's, which is the one that counts.",
)


def _noted(run: Run, context: base.Context) -> str:
    notes: list[str] = []
    if run.cost is None:
        notes.append(NO_COST.note)
    if run.limit is not None and context.limit is not None and run.limit != context.limit:
        notes.append(f"{OTHER_LIMIT.note} ({run.limit:g}, not {context.limit:g})")
    platform = run.platform and PLATFORMS.get(run.platform, run.platform)
    if platform and context.platform and platform != context.platform:
        notes.append(f"{OTHER_PLATFORM.note} ({run.platform!a}, not {context.platform!a})")
    return "; ".join(notes)


def _read_any_run(response: object, context: base.Context) -> base.Parsed:
    try:
        run = (
            msgspec.json.decode(response, type=Run)
            if isinstance(response, str)
            else msgspec.convert(response, Run)
        )
    except (ValueError, RecursionError) as error:
        return base.unparsed(f"expected {{success, cost, limit}}: {error}")
    return base.Parsed(run, None, _noted(run, context))


def _read_run(response: object, context: base.Context) -> base.Parsed:
    parsed = _read_any_run(response, context)
    if parsed.outcome is not None:
        return parsed
    cost: float | None = parsed.answer.cost
    if cost == 0:
        return base.unparsed("an episode costs more than 0")
    limit = _limit_of(parsed.answer, context.limit)
    if cost is None or limit is None or cost <= limit:
        return parsed
    over = f"{OVER_LIMIT.note} ({cost:g} of {limit:g})"
    return parsed._replace(note="; ".join(filter(None, (over, parsed.note))))


def _limit_of(run: Run, limit: float | None) -> float | None:
    # An item's own limit is the one that counts; an episode's is asked only where there is none.
    return run.limit if limit is None else limit


def success_within(run: Run, limit: float | None) -> float:
    """Return the success of an episode, which is 0 where it took more than its item's limit."""
    limit = _limit_of(run, limit)
    over = run.cost is not None and limit is not None and run.cost > limit
    return 0.0 if over else float(run.success)


def _metric(
    name: str, success: Callable[[base.AnswerValue, base.Gold], float], corpus: base.Corpus
) -> base.Metric:
    mean = base.pairwise(name, ("sr",), "sr", lambda run, gold, _normalize: (success(run, gold),))
    return replace(mean, corpus=corpus, corpus_keys=("eqa",))


def _one_limit(golds: Sequence[base.Gold], runs: Sequence[base.AnswerValue | None]) -> float | None:
    # The responses are asked only where no reference has a limit, and never contradict one.
    limits = {gold.limit for gold in golds} - {None}
    limits = limits or {run.limit for run in runs if run is not None} - {None}
    return limits.pop() if len(limits) == 1 else None


def _charged(run: base.AnswerValue | None, limit: float) -> Episode:
    # An item without an episode failed and used up what it was allowed. An episode that does not
    # say what it cost used that up too, as does one of cost 0, which only a mixture with
    # ScaleCUA's parser lets through to here.
    # One over the limit failed; EQA charges it the limit.
    if run is None:
        return Episode(0, limit, limit)
    return Episode(success_within(run, limit), run.cost or limit, limit)


def _episodes(
    golds: Sequence[base.Gold], runs: Sequence[base.AnswerValue | None]
) -> Sequence[Episode]:
    limit = _one_limit(golds, runs)
    return [] if limit is None else [_charged(run, limit) for run in runs]


def _by_paper(name: str, area: Callable[..., float]) -> base.Metric:
    def corpus(
        golds: Sequence[base.Gold], runs: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        episodes = _episodes(golds, runs)
        return {"eqa": area(episodes, over_limit="clip")} if episodes else {}

    metric = _metric(name, lambda run, gold: success_within(run, gold.limit), corpus)
    return replace(metric, episodes=_episodes)


# ScaleCUA allows a cost of 0, an Episode does not. The smallest float there is vanishes in the
# running sum, and as a share of a budget it is 0: the curve is the same to the last bit.
_NO_COST = math.ulp(0.0)


def _by_scalecua(name: str, limit: int, *, cut: bool) -> base.Metric:
    # Success is true or false in that code; partial credit counts here as what it is.
    def success(run: base.AnswerValue, _: base.Gold) -> float:
        return 0.0 if cut and (run.cost or 0) > limit else float(run.success)

    def corpus(
        _: Sequence[base.Gold], runs: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        episodes: Sequence[Episode] = [
            Episode(0, limit) if run is None else Episode(run.success, run.cost or _NO_COST)
            for run in runs
        ]
        return {"eqa": eqa_linear(truncated(episodes, limit) if cut else episodes, limit)}

    return _metric(name, success, corpus)


_PAPER = base.Parser(
    "an episode {success, cost, limit}",
    _read_run,
    warned=(OVER_LIMIT, OTHER_LIMIT, OTHER_PLATFORM, NO_COST),
)
_SCALECUA = base.Parser(
    "an episode {success, cost, limit}, whose cost may be 0",
    _read_any_run,
    warned=(OTHER_LIMIT, OTHER_PLATFORM, NO_COST),
)
_PARSE_RESULTS = "ScaleCUA evaluation/MacOSArena/parse_results.py"
_POOLED = "pooled over the platforms, in the data's order"
_CLIPPED = f"{_POOLED}; an episode over its item's limit failed, and is charged the limit"
_FILES = (
    f"EQA by linear interpolation, {_POOLED} (the code's: by path); only items with a response"
    " are in the published mean"
)

ONLINE = (
    base.Protocol(
        "mmbench-gui/l3",
        "paper",
        1,
        "MMBench-GUI Eq. 7-10",
        f"EQA on 101 points u = m/100, {_CLIPPED}",
        _PAPER,
        base.AS_IS,
        _by_paper("SR, and EQA on a closed grid", eqa),
    ),
    base.Protocol(
        "mmbench-gui/l3",
        "exact",
        1,
        "MMBench-GUI Eq. 12",
        f"EQA as the exact integral, which fits the published tables best, {_CLIPPED}",
        _PAPER,
        base.AS_IS,
        _by_paper("SR, and the EQA integral", eqa_exact),
    ),
    base.Protocol(
        "mmbench-gui/l3",
        "half_open",
        1,
        "a published summary of MMBench-GUI",
        f"EQA on 101 points u = m/101, {_CLIPPED}",
        _PAPER,
        base.AS_IS,
        _by_paper("SR, and EQA on a half-open grid", partial(eqa, grid="half_open")),
    ),
    base.Protocol(
        "mmbench-gui/l3",
        "scalecua_15",
        1,
        _PARSE_RESULTS,
        f"{_FILES}; 15 steps whatever the limit: what costs more failed, in SR too",
        _SCALECUA,
        base.AS_IS,
        _by_scalecua("SR and linear EQA of a run cut at 15 steps", 15, cut=True),
        base.DROP_FAILED,
    ),
    base.Protocol(
        "mmbench-gui/l3",
        "scalecua_50",
        1,
        _PARSE_RESULTS,
        f"{_FILES}; 50 steps a task whatever the limit, but no task is cut at them",
        _SCALECUA,
        base.AS_IS,
        _by_scalecua("SR and linear EQA within 50 steps a task", 50, cut=False),
        base.DROP_FAILED,
    ),
)
"""The protocols of L3; those of L4 are the same."""
