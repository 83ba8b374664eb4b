"""A protocol is a parser, a normalizer, a metric and a denominator under a name and a version.

The four parts of two protocols of one task can be exchanged one by one: that is how the
difference between two published numbers is explained (see `snellen.grading.explain`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.models.scores import Outcome
from snellen.grading.normalize import identity

if TYPE_CHECKING:
    from snellen.grading.metrics.efficiency import Episode

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

# JSON edges: a reference in its task's published shape (`snellen.grading.protocols.golds` says
# which), and an answer in the shape that its parser makes.
Gold: TypeAlias = Any
AnswerValue: TypeAlias = Any
Normalize: TypeAlias = Callable[[str], str]


class PublishedCrashError(Exception):
    """The published code raises on this item; the item's value is 0 and it is counted apart."""


class UnjudgeableError(MetricError):
    """An answer can't be held against its reference, by no fault of its own: an error, not a 0."""


class Context(NamedTuple):
    """What a parser may know of an item: nothing of its gold.

    `options` counts the lettered options; `width` and `height` are pixels of the original
    image; `names` are the regions that a relation can be about; `form` is the form of answer that
    is asked for, where a task's items differ in it, and `texts` are what the options say. `limit`
    is the most that an episode may cost, and `platform` where it is played.
    """

    options: int | None = None
    width: float | None = None
    height: float | None = None
    names: tuple[str, ...] = ()
    form: str = ""
    texts: tuple[str, ...] = ()
    limit: float | None = None
    platform: str | None = None


NO_CONTEXT = Context()


class Parsed(NamedTuple):
    """What a parser read: the answer, or the outcome that stands for none; and what it guessed.

    `crashed` says, where nothing was read, that the published code raises on the response. Where
    that depends on the reference, `compared` is what the published code compares with it: the
    metric is asked whether it raises, and nothing else.
    """

    answer: AnswerValue
    outcome: Outcome | None = None
    note: str = ""
    crashed: bool = False
    compared: AnswerValue = None


def unparsed(note: str, *, crashed: bool = False, compared: AnswerValue = None) -> Parsed:
    """Say that nothing could be read, why, and whether the published code raises on it."""
    return Parsed(None, Outcome.UNPARSED, note, crashed, compared)


class Warned(NamedTuple):
    """A note of which a report says how many answers have it.

    `note` is what the answer's note holds; `says` is the report's warning, with `{n}` in it.
    """

    note: str
    says: str


class Split(NamedTuple):
    """The halves of a parser of points: which numbers are the answer, and what they count.

    Attributes:
        unit: What the numbers count, in a few words.
        find: Returns a response's point; where there is none, None or the reason; or what is
            parsed, where the response itself says what it counts.
        place: Brings a point into the space in which it is compared.
    """

    unit: str
    find: Callable[[object, Context], Any]
    place: Callable[[Any, Context], Parsed]


@dataclass(frozen=True, slots=True)
class Parser:
    """From a raw response (text or JSON) to an answer.

    `read` must take any object and never raise. `plain` says that it hands text through as it
    is, so that a batch need not call it. `warned` are the notes that a report counts. `split` are
    the halves of a parser of points.
    """

    name: str
    read: Callable[[object, Context], Parsed]
    plain: bool = False
    warned: tuple[Warned, ...] = ()
    split: Split | None = None


SCREEN = "screen"
"""The usual interface of an episode: a signature names another one."""


class EpisodeRecord(msgspec.Struct, frozen=True):
    """An episode that a server recorded, as a parser reads it."""

    @property
    def conditions(self) -> Mapping[str, str]:
        """The conditions that a signature states: `door`, the interface; `time`, how it passed."""
        return {}


NOT_OFFERED = "names an option that was not offered"
"""The note of an answer beyond the item's options: it can't be right."""

OUTSIDE = "lies outside the image"
"""The note of a point or box that isn't on the image: it can't be right."""


def offered(parser: Parser, options: int) -> Parser:
    """Return a parser of choices that notes one beyond the options, which it reads all the same.

    Args:
        parser: Reads an option's letter, or its number counted from 0.
        options: How many there are where the item does not say.
    """

    def read(response: object, context: Context) -> Parsed:
        parsed = parser.read(response, context)
        answer = parsed.answer
        if answer is None:
            return parsed
        number = ord(answer) - ord("A") if isinstance(answer, str) else answer
        if number < (context.options or options):
            return parsed
        return parsed._replace(note="; ".join(filter(None, (parsed.note, NOT_OFFERED))))

    return Parser(parser.name, read)


@dataclass(frozen=True, slots=True)
class Normalizer:
    """What is done to both texts before they are compared."""

    name: str
    apply: Normalize


AS_IS = Normalizer("none", identity)


class Judged(NamedTuple):
    """What a judge made of some answers.

    Attributes:
        values: Metric values, rows x keys.
        crashed: Where the published code raises; None: nowhere.
        failed: Rows that could not be judged at all, with the reason: errors, not answers.
    """

    values: FloatArray
    crashed: BoolArray | None = None
    failed: Mapping[int, str] | None = None


Judge: TypeAlias = Callable[[IntArray, Sequence[AnswerValue]], Judged]


class Measure(NamedTuple):
    """A number of an answer that is no score: it has a unit, no bound, and is never the primary.

    Attributes:
        name: What reports call it.
        unit: What it counts: `px`, `s`, `steps`.
        better: Whether the `lower` or the `higher` one is better.
        over: The answers that have it, in a few words. Other answers and missing ones are left
            out of its mean, never counted as 0.
        of: Takes an answer as its parser read it, and its gold; None where it is not defined.
    """

    name: str
    unit: str
    better: Literal["lower", "higher"]
    over: str
    of: Callable[[AnswerValue, Gold], float | None]


Corpus: TypeAlias = Callable[[Sequence[Gold], Sequence[AnswerValue | None]], Mapping[str, float]]
Episodes: TypeAlias = Callable[[Sequence[Gold], Sequence[AnswerValue | None]], "Sequence[Episode]"]


@dataclass(frozen=True, slots=True)
class Metric:
    """How an answer compares with its gold.

    Attributes:
        name: What protocol tables call it.
        keys: The keys of an item's values.
        primary: The key that `score.value` is.
        prepare: Takes all golds and the normalizer once and returns the judge: a function, safe
            to call from several threads, of item indices and answers.
        corpus: For what is no mean over items (EQA): takes every item's gold and answer in the
            data's order, None if there is no answer, and returns a value for every one of
            `corpus_keys`, or for none where they are not defined.
        corpus_keys: The keys that `corpus` adds.
        episodes: Where EQA is an area under a curve of recall: takes the same and returns what
            the curve is of, each with its limit; nothing where EQA is not defined.
        area: The EQA of these episodes.
        best: What a perfect answer scores in the primary key.
        embedder: The name of the embedder that it rests on; signatures state it. Empty: none.
        runs_code: Whether it runs the programs among the answers; signatures state it.
        measures: What is told beside the values.
        printed: The key that the published code prints in place of the primary one, on a scale of
            its own. Empty: the primary one.
        missed: Says of an answer and its gold what keeps it from being right, a line each.
    """

    name: str
    keys: tuple[str, ...]
    primary: str
    prepare: Callable[[Sequence[Gold], Normalizer], Judge]
    corpus: Corpus | None = None
    corpus_keys: tuple[str, ...] = ()
    episodes: Episodes | None = None
    area: "Callable[[Sequence[Episode]], float] | None" = None
    best: float = 1.0
    embedder: str = ""
    runs_code: bool = False
    measures: tuple[Measure, ...] = ()
    printed: str = ""
    missed: Callable[[AnswerValue, Gold], Sequence[str]] | None = None


Keep: TypeAlias = Callable[[Sequence[Gold], FloatArray], BoolArray]


@dataclass(frozen=True, slots=True)
class Denominator:
    """Which items the published mean is over, and whether a crash stops the run.

    Attributes:
        name: What protocol tables call it.
        drops: The outcomes whose items are left out.
        drops_crashed: Whether items on which the published code raises are left out.
        stops_on_crash: Whether one such item ends the run, which then prints nothing.
        keep: For a rule over the references or over the whole set: takes every item's gold and
            the values of one attempt (items x keys, 0 where nothing was scored) and returns, of
            the same shape, whether the published mean of each key is over the item.
    """

    name: str
    drops: frozenset[Outcome] = frozenset()
    drops_crashed: bool = False
    stops_on_crash: bool = False
    keep: Keep | None = None


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
        normalizer: What is done to texts.
        metric: The comparison.
        denominator: What the published mean divides by.
        write: How a reference is written as the answers that it makes right, where the protocol
            wants another form than `GoldShape.responses` (another coordinate space).
    """

    task: str
    id: str
    version: int
    source: str
    special: str
    parser: Parser
    normalizer: Normalizer
    metric: Metric
    denominator: Denominator = ALL_ITEMS
    write: Callable[[Gold], Sequence[object]] | None = None

    @property
    def name(self) -> str:
        """The id with its version, as signatures write it: `official@1`."""
        return f"{self.id}@{self.version}"

    @property
    def is_ours(self) -> bool:
        """Whether it follows no paper and no public code."""
        return self.source == "ours"


Compare: TypeAlias = Callable[[AnswerValue, Gold, Normalize], Sequence[float]]


def pairwise(
    name: str,
    keys: tuple[str, ...],
    primary: str,
    compare: Compare,
    measures: tuple[Measure, ...] = (),
) -> Metric:
    """Make a metric out of a comparison of one answer with one gold.

    Args:
        name: What the metric is called in protocol tables.
        keys: The metric's keys, in the order in which `compare` returns their values.
        primary: The key that `score.value` is.
        compare: Takes the answer, the gold and the normalizer; raises PublishedCrashError where
            the published code raises, and UnjudgeableError where what is known of the item does
            not suffice.
        measures: What is told beside the values.
    """
    prepare = partial(_prepare_pairwise, compare, len(keys))
    return Metric(name, keys, primary, prepare, measures=measures)


def _prepare_pairwise(
    compare: Compare, width: int, golds: Sequence[Gold], normalizer: Normalizer
) -> Judge:
    apply = normalizer.apply

    def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
        values = np.zeros((len(answers), width), dtype=np.float64)
        crashed = np.zeros(len(answers), dtype=np.bool_)
        failed: dict[int, str] = {}
        for row, (item, answer) in enumerate(zip(items.tolist(), answers, strict=True)):
            try:
                values[row] = compare(answer, golds[item], apply)
            except PublishedCrashError:
                crashed[row] = True
            except UnjudgeableError as error:
                failed[row] = str(error)
        return Judged(values, crashed if crashed.any() else None, failed or None)

    return judge
