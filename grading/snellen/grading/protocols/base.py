"""A protocol is a parser, a normaliser, a metric and a denominator under a name and a version.

The four parts of two protocols of one task can be exchanged one by one: that is how the
difference between two published numbers is explained (see `snellen.grading.explain`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.grading.models.scores import Outcome
from snellen.grading.normalise import identity

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

# JSON edges: a reference in its task's published shape (`snellen.grading.protocols.golds` says
# which), and an answer in the shape that its parser makes.
Gold: TypeAlias = Any
AnswerValue: TypeAlias = Any
Normalise: TypeAlias = Callable[[str], str]


class PublishedCrashError(Exception):
    """The published code raises on this item; the item's value is 0 and it is counted apart."""


class Context(NamedTuple):
    """What a parser may know of an item: nothing of its gold.

    `options` counts the lettered options; `width` and `height` are pixels of the original
    image; `names` are the regions that a relation can be about.
    """

    options: int | None = None
    width: float | None = None
    height: float | None = None
    names: tuple[str, ...] = ()


NO_CONTEXT = Context()


class Parsed(NamedTuple):
    """What a parser read: the answer, or the outcome that stands for none; and what it guessed.

    `crashed` says, where nothing was read, that the published code raises on the response.
    """

    answer: AnswerValue
    outcome: Outcome | None = None
    note: str = ""
    crashed: bool = False


def unparsed(note: str, *, crashed: bool = False) -> Parsed:
    """Say that nothing could be read, why, and whether the published code raises on it."""
    return Parsed(None, Outcome.UNPARSED, note, crashed)


@dataclass(frozen=True, slots=True)
class Parser:
    """From a raw response (text or JSON) to an answer.

    `read` must take any object and never raise. `plain` says that it hands text through as it
    is, so that a batch need not call it.
    """

    name: str
    read: Callable[[object, Context], Parsed]
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Normaliser:
    """What is done to both texts before they are compared."""

    name: str
    apply: Normalise


AS_IS = Normaliser("none", identity)


class Judged(NamedTuple):
    """Metric values, rows x keys, and the rows on which the published code raises."""

    values: FloatArray
    crashed: BoolArray | None = None


Judge: TypeAlias = Callable[[IntArray, Sequence[AnswerValue]], Judged]


Corpus: TypeAlias = Callable[[Sequence[Gold], Sequence[AnswerValue | None]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Metric:
    """How an answer compares with its gold.

    Attributes:
        name: What protocol tables call it.
        keys: The keys of an item's values.
        primary: The key that `score.value` is.
        prepare: Takes all golds and the normaliser once and returns the judge: a function, safe
            to call from several threads, of item indices and answers.
        corpus: For what is no mean over items (EQA): takes every item's gold and answer in the
            data's order, None where there is no answer, and returns a value for every one of
            `corpus_keys`, or for none where they are not defined.
        corpus_keys: The keys that `corpus` adds.
        best: What a perfect answer scores in the primary key.
        embedder: The name of the embedder that it rests on; signatures state it. Empty: none.
    """

    name: str
    keys: tuple[str, ...]
    primary: str
    prepare: Callable[[Sequence[Gold], Normaliser], Judge]
    corpus: Corpus | None = None
    corpus_keys: tuple[str, ...] = ()
    best: float = 1.0
    embedder: str = ""


@dataclass(frozen=True, slots=True)
class Denominator:
    """Which items the published mean is over, and whether a crash stops the run."""

    name: str
    drops: frozenset[Outcome] = frozenset()
    drops_crashed: bool = False
    stops_on_crash: bool = False


ALL_ITEMS = Denominator("all items")
DROP_CRASHED = Denominator("drops items that raise", drops_crashed=True)
DROP_FAILED = Denominator(
    "drops failed responses", drops=frozenset({Outcome.MISSING, Outcome.ERROR})
)
STOP_ON_CRASH = Denominator("one item that raises ends the run", stops_on_crash=True)


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way of scoring one task.

    Attributes:
        task: The task's id.
        id: The protocol's name within the task.
        version: Goes up when a number can change.
        source: The paper section or published file that it follows.
        special: One line on what is special about it.
        parser: From response to answer.
        normaliser: What is done to texts.
        metric: The comparison.
        denominator: What the published mean divides by.
    """

    task: str
    id: str
    version: int
    source: str
    special: str
    parser: Parser
    normaliser: Normaliser
    metric: Metric
    denominator: Denominator = ALL_ITEMS

    @property
    def name(self) -> str:
        """The id with its version, as signatures write it: `official@1`."""
        return f"{self.id}@{self.version}"


Compare: TypeAlias = Callable[[AnswerValue, Gold, Normalise], Sequence[float]]


def pairwise(name: str, keys: tuple[str, ...], primary: str, compare: Compare) -> Metric:
    """Make a metric out of a comparison of one answer with one gold.

    Args:
        name: What the metric is called in protocol tables.
        keys: The metric's keys, in the order in which `compare` returns their values.
        primary: The key that `score.value` is.
        compare: Takes the answer, the gold and the normaliser; raises PublishedCrashError where
            the published code raises.
    """
    return Metric(name, keys, primary, partial(_prepare_pairwise, compare, len(keys)))


def _prepare_pairwise(
    compare: Compare, width: int, golds: Sequence[Gold], normaliser: Normaliser
) -> Judge:
    apply = normaliser.apply

    def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
        values = np.zeros((len(answers), width), dtype=np.float64)
        crashed = np.zeros(len(answers), dtype=np.bool_)
        for row, (item, answer) in enumerate(zip(items.tolist(), answers, strict=True)):
            try:
                values[row] = compare(answer, golds[item], apply)
            except PublishedCrashError:
                crashed[row] = True
        return Judged(values, crashed if crashed.any() else None)

    return judge
