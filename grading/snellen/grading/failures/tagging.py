"""Failure tags of single responses, or of all responses of a run that missed the best value.

Only responses below the best value are parsed again. The protocol itself grades the readings that
"would score" according to a rule, all readings of a run in one batch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from snellen.grading.coordinates import PIXELS
from snellen.grading.errors import MetricError
from snellen.grading.failures import choices, spaces, texts
from snellen.grading.failures.clues import NO_CLUES, Clues, Failure
from snellen.grading.failures.forgiving import forgiving_answers, parsers_of
from snellen.grading.failures.tags import FailureTag
from snellen.grading.failures.wordings import Reword, rewording_of
from snellen.grading.grade import MAX_TEXT, OUTCOMES, Answers, Columns, Grader
from snellen.grading.metrics.taps import in_any
from snellen.grading.models.actions import POINTED, ActionType
from snellen.grading.models.scores import TOO_LONG, Outcome
from snellen.grading.parse.envelope import answer_in
from snellen.grading.pointing.text import read_json
from snellen.grading.protocols import base
from snellen.grading.protocols import golds as shapes
from snellen.grading.protocols.golds import GoldShape, StepGold
from snellen.grading.protocols.steps import ReadStep
from snellen.grading.protocols.table import GOLDS


def action_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a step by its first difference: its type, its target, its text."""
    answer: ReadStep | None = failure.answer
    if answer is None:
        return
    gold: StepGold = failure.gold
    given, action = answer.action.type, gold.action.type
    if given is action:
        yield from _alike(answer, gold)
    elif given is ActionType.FINISH:
        yield FailureTag.FINISHED_EARLY
    elif action is ActionType.FINISH:
        yield FailureTag.NEVER_FINISHED
    else:
        yield FailureTag.OTHER_ACTION


def _alike(answer: ReadStep, gold: StepGold) -> Iterator[FailureTag]:
    given, action = answer.action, gold.action
    if action.type in POINTED:
        yield from _placed(answer, gold)
    elif action.type is ActionType.SCROLL:
        if given.direction and given.direction.opposite is action.direction:
            yield FailureTag.SCROLL_REVERSED
    elif action.type is ActionType.OPEN_APP:
        yield from texts.near_text(given.app, [action.app])
    elif action.type in (ActionType.TYPE, ActionType.SELECT):
        yield from texts.near_text(given.text, [action.text])


def _placed(answer: ReadStep, gold: StepGold) -> Iterator[FailureTag]:
    point = answer.at(PIXELS, gold.image_size)
    if point is None or in_any(point, gold.boxes):
        return
    near = any(spaces.is_near(point, box) for box in gold.boxes)
    yield FailureTag.NEAR_TARGET if near else FailureTag.WRONG_TARGET


GAIN = 0.5
"""Another reading scores if it reaches the best value or gains this share of it."""

_OWN_WORDS = 0.5
"""From this worth, what opens like a refusal is what the page says ("Sorry, we're closed")."""

Rules: TypeAlias = Callable[[Failure], Iterator[FailureTag]]
Respace: TypeAlias = Callable[[Failure], Iterator[spaces.Respaced]]


class Items(NamedTuple):
    """The items of a task, as columns; contexts and clues have one entry per item, or are empty."""

    golds: Sequence[base.Gold]
    contexts: Sequence[base.Context] = ()
    clues: Sequence[Clues] = ()


class Tagged(NamedTuple):
    """The tags of one item in one attempt; none if no rule applies."""

    item: int
    attempt: int
    tags: tuple[FailureTag, ...]


class _Case(NamedTuple):
    """A failure with its item, attempt and values."""

    item: int
    attempt: int
    outcome: Outcome  # the outcome of the response
    value: float  # the value of the requested metric
    worth: float  # the value of the primary metric, as a share of the best value
    failure: Failure  # the input of the rules


class _Reading(NamedTuple):
    """Another answer to a case, and its tags if it scores."""

    case: int
    rank: int
    tags: tuple[FailureTag, ...]
    answer: base.AnswerValue


_BY_OUTCOME = {
    Outcome.MISSING: FailureTag.MISSING,
    Outcome.ERROR: FailureTag.ERROR,
    Outcome.EMPTY: FailureTag.EMPTY,
}

_PLACES = {tag: index for index, tag in enumerate(FailureTag)}

# By identity: two shapes can be equal in name.
_RULES: tuple[tuple[GoldShape, Rules], ...] = (
    (shapes.TEXTS, texts.text_tags),
    (shapes.TEXT, texts.text_tags),
    (shapes.BUTTONS, texts.button_tags),
    (shapes.RATER_TEXTS, texts.list_tags),
    (shapes.RATER_BOXES, texts.boxed_list_tags),
    (shapes.INDEX, choices.choice_tags),
    (shapes.LETTER, choices.choice_tags),
    (shapes.TARGET_POINT, spaces.place_tags),
    (shapes.TARGET_BOX, spaces.place_tags),
    (shapes.TARGET_IN_IMAGE, spaces.place_tags),
    (shapes.RELATIONS, choices.relation_tags),
    (shapes.REGION, choices.region_tags),
    (shapes.EPISODE, choices.episode_tags),
    (shapes.PAGE_EPISODE, choices.episode_tags),
    (shapes.STEP, action_tags),
)
_RESPACE: tuple[tuple[GoldShape, Respace], ...] = (
    (shapes.TARGET_POINT, spaces.respaced_point),
    (shapes.TARGET_IN_IMAGE, spaces.respaced_point),
    (shapes.TARGET_BOX, spaces.respaced_box),
    (shapes.RATER_BOXES, spaces.respaced_elements),
)
_DESCRIPTIONS: Mapping[str, Rules] = MappingProxyType(
    dict.fromkeys(
        ("webrssbench/text", "webrssbench/layout", "visualwebbench/web_caption"),
        texts.description_tags,
    )
)


def failure_tags(
    protocol: base.Protocol,
    response: object,
    gold: base.Gold,
    *,
    context: base.Context = base.NO_CONTEXT,
    clues: Clues = NO_CLUES,
    key: str | None = None,
) -> tuple[FailureTag, ...]:
    """Return why one response scored less than the best value; empty if it reached it.

    Args:
        protocol: The protocol.
        response: Text, or JSON in the shape of an answer; None is a missing response.
        gold: The reference.
        context: The item's context for parsers.
        clues: Further data about the item.
        key: The metric; None: the primary metric.

    Raises:
        MetricError: The protocol has no such metric.

    >>> from snellen.grading.protocols.table import protocol_of
    >>> failure_tags(protocol_of("screenqa/short"), "13 exercises", ["12 exercises"])
    (<FailureTag.NUMBERS_DIFFER: 'numbers-differ'>,)
    """
    given = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    columns = Grader.of(protocol, [gold], [context]).batch(given)
    found = list(
        tag_failures(protocol, Items([gold], [context], [clues]), [(given, columns)], key=key)
    )
    return found[0].tags if found else ()


def tag_failures(
    protocol: base.Protocol,
    items: Items,
    batches: Sequence[tuple[Answers, Columns]],
    *,
    key: str | None = None,
    below: float = 1.0,
) -> Iterator[Tagged]:
    """Tag every scored response whose value is below the protocol's best.

    Args:
        protocol: The protocol that scored the batches.
        items: The items that the batches' item indices refer to.
        batches: The answers and their columns. They contain no unanswered items.
        key: The metric; None: the primary metric.
        below: Responses below this share of the best value are tagged.

    Yields:
        One entry per failure, in the order of the batches; its tags in the order of `FailureTag`.

    Raises:
        MetricError: The protocol has no such metric.
    """
    metric = protocol.metric
    key = key or metric.primary
    if key not in metric.keys:
        raise MetricError(f"protocol {protocol.id} of {protocol.task} has no metric {key!r}")
    column = metric.keys.index(key)
    mark = below * metric.best
    cases = [case for batch in batches for case in _cases(protocol, items, *batch, column, mark)]
    shown = _shown(protocol, items, cases, column)
    rules = _rules_of(protocol.task)
    for number, case in enumerate(cases):
        yield Tagged(case.item, case.attempt, _tags(case, rules, shown.get(number, ())))


def _cases(
    protocol: base.Protocol,
    items: Items,
    answers: Answers,
    columns: Columns,
    column: int,
    mark: float,
) -> Iterator[_Case]:
    values = columns.values[:, column]
    primary = columns.values[:, protocol.metric.keys.index(protocol.metric.primary)]
    worths = primary / protocol.metric.best
    for row in np.flatnonzero(values < mark).tolist():
        item = int(answers.items[row])
        outcome = OUTCOMES[int(columns.outcomes[row])]
        response = answer_in(answers.responses[row])
        context = items.contexts[item] if items.contexts else base.NO_CONTEXT
        answer: base.AnswerValue | None = None
        if outcome not in _BY_OUTCOME and not _is_too_long(response):
            parsed = protocol.parser.read(response, context)
            answer = parsed.answer if parsed.outcome is None else None
        clues = items.clues[item] if items.clues else NO_CLUES
        gold = items.golds[item]
        failure = Failure(response, answer, gold, context, clues, protocol.write)
        attempt, value, worth = int(answers.attempts[row]), float(values[row]), float(worths[row])
        yield _Case(item, attempt, outcome, value, worth, failure)


def _shown(
    protocol: base.Protocol, items: Items, cases: Sequence[_Case], column: int
) -> dict[int, tuple[FailureTag, ...]]:
    """Grade the other readings of all cases; return the tags of the most likely that score."""
    respace = _of(_RESPACE, protocol.task)
    parsers, reword = parsers_of(protocol), rewording_of(protocol.task)
    readings = [
        reading
        for number, case in enumerate(cases)
        if case.outcome not in _BY_OUTCOME and not _is_too_long(case.failure.response)
        for reading in _readings(parsers, reword, number, case.failure, respace)
    ]
    if not readings:
        return {}
    indexes = np.array([cases[reading.case].item for reading in readings], dtype=np.int64)
    judge = Grader.of(protocol, items.golds, items.contexts).judge
    values = judge(indexes, [reading.answer for reading in readings]).values[:, column]
    best = protocol.metric.best
    shown: dict[int, list[_Reading]] = {}
    for reading, value in zip(readings, values.tolist(), strict=True):
        before = cases[reading.case].value
        if value > before and (value >= best or value - before >= GAIN * best):
            shown.setdefault(reading.case, []).append(reading)
    return {number: _likeliest(scoring) for number, scoring in shown.items()}


def _readings(
    parsers: Sequence[base.Parser],
    reword: Reword | None,
    number: int,
    failure: Failure,
    respace: Respace | None,
) -> Iterator[_Reading]:
    for answer in forgiving_answers(parsers, failure, reword):
        yield _Reading(number, spaces.AS_WRITTEN, (FailureTag.FORMAT,), answer)
    for rank, tags, response in respace(failure) if respace else ():
        if response is None:
            continue
        parsed = parsers[0].read(response, failure.context)
        if parsed.outcome is None and not spaces.is_same_place(parsed.answer, failure.answer):
            yield _Reading(number, rank, tags, parsed.answer)


def _likeliest(scoring: Sequence[_Reading]) -> tuple[FailureTag, ...]:
    rank = min(reading.rank for reading in scoring)
    return tuple(tag for reading in scoring if reading.rank == rank for tag in reading.tags)


def _tags(case: _Case, rules: Rules | None, shown: Sequence[FailureTag]) -> tuple[FailureTag, ...]:
    """Combine the tags of a case's outcome, its other readings and its task's rules."""
    if case.outcome in _BY_OUTCOME:
        return (_BY_OUTCOME[case.outcome],)
    found = set(shown)
    if not found:
        found.update(rules(case.failure) if rules else ())
        if case.outcome is Outcome.UNPARSED or case.failure.answer is None:
            found.add(_unread(case.failure.response))
        # "I cannot find the answer", and the safety task's "sorry", are answers.
        refused = case.outcome is Outcome.REFUSED and case.worth < _OWN_WORDS
        if refused and FailureTag.SAID_NO_ANSWER not in found:
            found = {FailureTag.REFUSED}
    return tuple(sorted(found, key=_PLACES.__getitem__))


def _unread(response: object) -> FailureTag:
    if _is_too_long(response):
        return FailureTag.TOO_LONG
    if isinstance(response, str):
        bare = response.strip()
        is_json = bare[:1] in {"{", "["} and read_json(bare) is not None
        return FailureTag.WRONG_SHAPE if is_json else FailureTag.UNPARSED
    return FailureTag.WRONG_SHAPE


def _is_too_long(response: object) -> bool:
    return response is TOO_LONG or (isinstance(response, str) and len(response) > MAX_TEXT)


_Value = TypeVar("_Value")


def _of(table: Sequence[tuple[GoldShape, _Value]], task: str) -> _Value | None:
    """Return the table's entry for a task's shape of references; None if there is none."""
    shape = GOLDS.get(task)
    return next((value for one, value in table if one is shape), None)


def _rules_of(task: str) -> Rules | None:
    return _DESCRIPTIONS.get(task) or _of(_RULES, task)
