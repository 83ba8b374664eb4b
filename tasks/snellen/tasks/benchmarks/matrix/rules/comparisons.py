"""What each metric of the matrix takes for right, and how it compares an answer with that."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from snellen.grading.errors import DataError, MetricError
from snellen.grading.metrics.boxes import Ltrb, iou, point_in_box
from snellen.grading.metrics.code import CodeExecutor, spec_match
from snellen.grading.metrics.relations import pair_accuracy
from snellen.grading.metrics.rouge_words import word_rouge
from snellen.grading.metrics.squad import exact_match, token_f1
from snellen.grading.metrics.text import multiset_f1
from snellen.grading.metrics.tool_calls import same_json, tool_call
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import NO_CONTEXT, AnswerValue, Normalize
from snellen.grading.words import words
from snellen.tasks.benchmarks.matrix.rules import reading as reading
from snellen.tasks.benchmarks.matrix.rules.golds import (
    AnlsSettings,
    Call,
    CodeSettings,
    MatrixGold,
    NumberSettings,
    SpecSettings,
    converted,
    each,
    letters_of,
    texts_of,
)
from snellen.tasks.benchmarks.matrix.rules.numbers import Amount, amount, is_number, near

Accepted: TypeAlias = Any
"""What answers to an item are compared with: each metric makes its own of the gold."""

# ---- Texts -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters of the accepted options."""

    letters: tuple[str, ...]


def accept_texts(gold: MatrixGold, _: object) -> tuple[str, ...]:
    """Return the accepted texts."""
    return texts_of(gold)


def accept_choice(gold: MatrixGold, _: object) -> _Letters | tuple[str, ...]:
    """Return the accepted options' letters, or the accepted texts where there are no options."""
    return _Letters(letters_of(gold)) if gold.options else texts_of(gold)


def choice(answer: AnswerValue, accepted: Accepted, normalize: Normalize) -> float:
    """Score 1 for an accepted option's letter, or for an accepted text."""
    if isinstance(accepted, _Letters):
        return float(answer.strip().upper() in accepted.letters)
    return exact_match(answer, accepted, normalize)


def right_choices(_: MatrixGold, accepted: Accepted) -> Sequence[object]:
    """Return what is right: letters, or texts where there are no options."""
    return accepted.letters if isinstance(accepted, _Letters) else accepted


def all_accepted(_: MatrixGold, accepted: Accepted) -> Sequence[object]:
    """Return what is accepted: each of it is a right response."""
    return accepted


def word_f1(answer: AnswerValue, accepted: Accepted, normalize: Normalize) -> float:
    """Score the words that two texts share, or 1 for equal ones."""
    # Two texts of which normalizing leaves nothing are equal, although they share no word.
    return max(token_f1(answer, accepted, normalize), exact_match(answer, accepted, normalize))


def rouge_l(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score the longest common subsequence of words, the best over the accepted texts."""
    given = words(answer).split()
    return max(word_rouge(given, words(text).split()).rougeL for text in accepted)


@dataclass(frozen=True, slots=True)
class _Similar:
    texts: tuple[str, ...]
    threshold: float


def accept_similar(gold: MatrixGold, settings: AnlsSettings) -> _Similar:
    """Return the accepted texts and the least similarity that counts."""
    return _Similar(texts_of(gold), settings.threshold)


# ---- Lists -------------------------------------------------------------------------------------


def accept_lists(gold: MatrixGold, _: object) -> tuple[tuple[str, ...], ...]:
    """Return the accepted lists; an empty one means that nothing is to be named."""
    shape = "a list of texts, or a list of such lists of which any is right"
    found = converted(gold.answer, list[str | list[str]], "answer", shape)
    lists = [one for one in found if isinstance(one, list)]
    texts = [one for one in found if isinstance(one, str)]
    if lists and texts:
        raise DataError(f"expected {shape}; it mixes texts and lists", field="answer")
    return tuple(map(tuple, lists)) if lists else (tuple(texts),)


def list_f1(answer: AnswerValue, accepted: Accepted, normalize: Normalize) -> float:
    """Score the entries that two lists share, the best over the accepted lists."""
    given = [normalize(text) for text in answer]
    return max(_one_list_f1(given, [normalize(text) for text in wanted]) for wanted in accepted)


def _one_list_f1(given: list[str], wanted: list[str]) -> float:
    return multiset_f1(given, wanted) if given or wanted else 1.0


def as_lists(_: MatrixGold, accepted: Accepted) -> Sequence[object]:
    """Return the accepted lists as JSON."""
    return [list(one) for one in accepted]


# ---- Numbers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Amounts:
    amounts: tuple[Amount, ...]
    relative: float
    absolute: float


def accept_numbers(gold: MatrixGold, settings: NumberSettings) -> _Amounts:
    """Return the accepted amounts, each in every spelling of its unit."""
    shape = "a number, a text such as '12 %', or a list of these"
    given = converted(each(gold.answer), list[float | str], "answer", shape)
    units = (settings.unit,) if isinstance(settings.unit, str) else settings.unit
    amounts = [one for value in given for one in _amounts(value, units, shape)]
    return _Amounts(tuple(amounts), settings.relative, settings.absolute)


def _amounts(value: float | str, units: Sequence[str], shape: str) -> list[Amount]:
    found = amount(value) if isinstance(value, str) else Amount(value)
    if not isinstance(found, Amount) or not is_number(found.value):
        raise DataError(f"expected {shape}; {value!r} has {found}", field="answer")
    if not units:
        return [found]
    if found.unit:
        raise DataError(f"{value!r} has a unit; leave it out here or in settings", field="answer")
    return [one for unit in units for one in _in_unit(found.value, unit)]


def _in_unit(value: float, unit: str) -> list[Amount]:
    """Return a value in a unit; in one such as "million euros", in that and in euros."""
    one = amount(f"1 {unit}")
    if not isinstance(one, Amount):
        return [Amount(value, unit)]
    if one.value == 1:
        return [Amount(value, one.unit or unit)]
    return [Amount(value, unit), Amount(value * one.value, one.unit)]


def number(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score 1 for an amount near enough to an accepted one."""
    return float(
        any(
            near(answer, one, relative=accepted.relative, absolute=accepted.absolute)
            for one in accepted.amounts
        )
    )


def as_numbers(_: MatrixGold, accepted: Accepted) -> Sequence[object]:
    """Return the accepted amounts as text."""
    return [f"{one.value!r} {one.unit}".strip() for one in accepted.amounts]


# ---- Places ------------------------------------------------------------------------------------


def accept_relations(gold: MatrixGold, _: object) -> object:
    """Return the relation of every pair, as the task position of WebRSSBench does."""
    try:
        return golds.RELATIONS.read(gold.answer, field="answer")
    except DataError as error:
        raise DataError(error.message, field="answer") from None


def relation(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score the share of the pairs whose relation is right."""
    return pair_accuracy(answer, accepted).accuracy


def point(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score 1 for a point in the box."""
    return float(point_in_box(answer[0], answer[1], accepted))


def box(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score the overlap of two boxes."""
    try:
        return iou(answer, accepted)
    except MetricError:
        # A box whose area no float can hold; a response must not end a grade.
        return 0.0


def center(_: MatrixGold, accepted: Ltrb) -> Sequence[object]:
    """Return the box's center as a point."""
    return [[(accepted[0] + accepted[2]) / 2, (accepted[1] + accepted[3]) / 2]]


# ---- Documents, calls, steps -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spec:
    """A JSON document and how near its numbers must be."""

    document: object
    settings: SpecSettings


def spec(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score the leaves that two documents share."""
    settings = accepted.settings
    return spec_match(
        answer.value, accepted.document, relative=settings.relative, absolute=settings.absolute
    ).score


def accept_calls(gold: MatrixGold, _: object) -> tuple[dict[str, Any], ...]:
    """Return the accepted calls as JSON."""
    shape = "a call {name, arguments}, or a list of calls of which any is right"
    calls = converted(each(gold.answer), list[Call], "answer", shape)
    return tuple(call.plain() for call in calls)


def call(answer: AnswerValue, accepted: Accepted, _: Normalize) -> float:
    """Score the arguments of a call, the best over the accepted calls."""
    return max(tool_call(answer, wanted).arguments for wanted in accepted)


def accept_document(gold: MatrixGold, settings: SpecSettings) -> Spec:
    """Return the document; null is none."""
    if gold.answer is None:
        raise DataError("expected a JSON document; null is not an answer", field="answer")
    return Spec(gold.answer, settings)


def accept_steps(gold: MatrixGold, _: object) -> tuple[str | dict[str, Any], ...]:
    """Return the steps, calls as JSON."""
    shape = "a list of steps, each a text or a call {name, arguments}"
    steps = converted(gold.answer, list[str | Call], "answer", shape)
    if not steps or "" in steps:
        raise DataError(f"expected {shape}; there is none, or one is empty", field="answer")
    return tuple(step.plain() if isinstance(step, Call) else step for step in steps)


def steps(answer: AnswerValue, accepted: Accepted, normalize: Normalize) -> float:
    """Score the share of right steps, of the longer list's length."""
    right = sum(
        _same_step(given, wanted, normalize)
        for given, wanted in zip(answer, accepted, strict=False)
    )
    return right / max(len(answer), len(accepted))


def _same_step(given: object, wanted: str | Mapping[str, Any], normalize: Normalize) -> bool:
    if isinstance(wanted, str):
        return isinstance(given, str) and normalize(given) == normalize(wanted)
    read = reading.read_call(given, NO_CONTEXT)
    return read.outcome is None and same_json(read.answer, dict(wanted))


def whole(gold: MatrixGold, _: object) -> Sequence[object]:
    """Return the answer as the gold has it."""
    return [gold.answer]


# ---- Code --------------------------------------------------------------------------------------


def accept_program(gold: MatrixGold, settings: CodeSettings) -> CodeSettings:
    """Return how a program is judged."""
    converted(gold.answer, str, "answer", "a program that is right, as text")
    if (settings.tests is None) == (settings.prints is None):
        raise DataError(
            "code needs one of tests (Python that imports the program as `answer`) and prints"
            " (what the program prints)",
            field="settings",
        )
    return settings


def not_run(_: AnswerValue, _accepted: object, _normalize: Normalize) -> float:
    """Raise MetricError: no program is judged by looking at it."""
    raise MetricError("programs are judged by running them: give the protocol an executor")


def passes(program: reading.Program, accepted: CodeSettings, executor: CodeExecutor) -> float:
    """Return 1 where a program does what is asked, else 0.

    With tests, they are the program that is run and the candidate's is the module `answer` beside
    them: it passes when they end by themselves with status 0, having printed a mark at their end.
    A candidate shares their process, so a hostile one can read them and print the mark itself;
    whatever they kept secret it could read as well. With `prints`, the candidate's is run alone
    and what it prints is compared outside of the sandbox, space at the ends of lines aside: there
    is nothing to read and nothing to fake.

    Raises:
        ExecutionError: It could not be run, which is no answer's fault.
    """
    if accepted.tests is None:
        ran = executor.run(program.code)
        return float(ran.ok and _lines(ran.stdout) == _lines(accepted.prints or ""))
    mark = hashlib.sha256(accepted.tests.encode()).hexdigest()
    ran = executor.run(f"{accepted.tests}\nprint('\\n{mark}')\n", files={"answer.py": program.code})
    # A candidate that ends the process itself never gets here.
    return float(ran.ok and ran.stdout.rstrip().endswith(mark))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
