"""What the rules of several implementations have in common, whichever benchmark they score."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from math import sqrt

import numpy as np

from snellen.grading.coordinates import Extent
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.models.scores import Outcome
from snellen.grading.parse.vocabularies import os_atlas
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.protocols import base, steps

ABSENT = frozenset({Outcome.MISSING, Outcome.ERROR})
UNREAD = frozenset({Outcome.UNPARSED, Outcome.EMPTY, Outcome.REFUSED})
KEYS = ("step", "type")
TAPS = (ActionType.CLICK, ActionType.LONG_PRESS)


def drops(
    dropped: Callable[[steps.StepGold], bool],
) -> base.Keep:
    """Make a rule that leaves out the steps of which a reference says so."""

    def keep(golds: Sequence[base.Gold], values: base.FloatArray) -> base.BoolArray:
        kept = np.array([not dropped(gold) for gold in golds], dtype=np.bool_)
        return np.repeat(kept[:, None], values.shape[1], axis=1)

    return keep


def by_episode(
    compare: steps.Compare, *, unread_loses: bool = False, holes_lose: bool = False
) -> base.Corpus:
    """Make the metrics of whole episodes, `EPISODES`.

    Args:
        compare: The comparison of one step; where the published code raises, its episode is lost.
        unread_loses: Whether a step in which nothing was read loses its episode, too.
        holes_lose: Whether an episode is lost that lacks a step, as where the step was dropped.
    """

    def corpus(
        golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        values = steps.judged(compare, answers, golds, len(KEYS))
        broken = [
            value is None or (unread_loses and answer is None)
            for value, answer in zip(values, answers, strict=True)
        ]
        for indexes in steps.episodes(golds) if holes_lose else ():
            if [golds[index].step for index in indexes] != list(range(len(indexes))):
                broken[indexes[0]] = True
        right = [value is not None and value[0] == 1 for value in values]
        return steps.episode_means(golds, right, broken=broken)

    return corpus


EPISODES = ("episode_success", "episode_progress")


def share(
    compare: steps.Compare,
    counted: Callable[[base.AnswerValue | None, steps.StepGold, Sequence[float]], bool],
    hit: Callable[[base.AnswerValue | None, steps.StepGold, Sequence[float]], bool],
) -> base.Corpus:
    """Make a share of hits among the steps that count, both by what was said and what it scored."""

    def corpus(
        golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        values = steps.judged(compare, answers, golds, len(KEYS))
        rows = [row for row in zip(answers, golds, values, strict=True) if row[2] is not None]
        of = sum(counted(answer, gold, value) for answer, gold, value in rows if value)
        hits = sum(hit(answer, gold, value) for answer, gold, value in rows if value)
        # None that counts: the published code divides by 0.
        return {"grounding": hits / of if of else 0.0}

    return corpus


def contains(text: str, other: str) -> bool:
    """Whether one text holds the other in lower case, so that an empty one is held by all."""
    first, second = text.lower().strip(), other.lower().strip()
    return first in second or second in first


def words_f1(words: Iterable[str], others: Iterable[str]) -> float:
    """Return the F1 of two sets of words, by the published sums.

    On their rounding it depends whether a half is above a half: 4 of 5 and of 11 words are.
    """
    given, expected = set(words), set(others)
    common = len(given & expected)
    if not common:
        return 0.0
    precision, recall = common / len(given), common / len(expected)
    return 2 * (precision * recall) / (precision + recall)


def pressed(kind: ActionType) -> ActionType:
    """Return a kind of action as the code that has one kind for all that is pressed knows it."""
    return ActionType.KEY if kind is ActionType.NAVIGATE else kind


def apart(point: Point, other: Point) -> float:
    """Return the distance of two points, in the space of both."""
    return sqrt((point[0] - other[0]) ** 2 + (point[1] - other[1]) ** 2)


def is_click(_: base.AnswerValue | None, gold: steps.StepGold, __: Sequence[float]) -> bool:
    """Whether the reference is a click."""
    return gold.action.type is ActionType.CLICK


def published(compare: steps.Compare) -> steps.Compare:
    """Return a comparison in which arithmetic that fails is a crash of the published code."""

    @wraps(compare)
    def compared(answer: steps.ReadStep, gold: steps.StepGold) -> Sequence[float]:
        try:
            return compare(answer, gold)
        except base.UnjudgeableError:
            raise
        except (OverflowError, ValueError):
            raise base.PublishedCrashError from None

    return compared


def within_140(given: Sequence[float], reference: str) -> bool:
    """Within 140 thousandths of a reference's first two numbers, edge included."""
    x, y = os_atlas.runs_of_digits(reference, 2)
    return sqrt((given[0] - x) ** 2 + (given[1] - y) ** 2) <= 140


def on_screen(point: Point, size: Extent) -> Point | None:
    """Return a point in fractions of the image; None for one that lies outside."""
    x, y = point[0] / size[0], point[1] / size[1]
    return (x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None


def rule(
    name: str,
    source: str,
    special: str,
    reads: str,  # what its parser reads
    own: Vocabulary,
    metric: str,  # what its comparison is called
    compare: steps.Compare,
    corpus: base.Corpus | None = None,
    keys: tuple[str, ...] = (),
    over: base.Denominator = base.ALL_ITEMS,
    crashes: Callable[[str], str] = lambda _: "",
    read: Callable[[str], Action | None] | None = None,
    write: Callable[[steps.StepGold], Sequence[object]] | None = None,
    *,
    task: str,
    version: int,
) -> base.Protocol:
    """Return a protocol of steps, as one row of a benchmark's table."""
    return base.Protocol(
        task,
        name,
        version,
        source,
        special,
        steps.step_parser(reads, own, crashes, read),
        base.AS_IS,
        steps.step_metric(metric, KEYS, compare, corpus, keys),
        over,
        write=write or steps.writes_step(own),
    )
