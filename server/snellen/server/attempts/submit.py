"""Submission of an answer, in a transaction: once, in its item's form, by its holder.

A client that lost the result of its call may repeat it: the same answer changes nothing, even after
the attempt was closed.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from string import ascii_uppercase
from types import MappingProxyType
from typing import cast

from pydantic import JsonValue
from sqlalchemy import Connection

from snellen.grading.models.items import AnswerKind
from snellen.grading.models.scores import Outcome
from snellen.grading.parse.envelope import answer_in
from snellen.grading.protocols.base import PublishedCrashError
from snellen.grading.protocols.table import protocol_of
from snellen.server.attempts.leases import check_held, item_row
from snellen.server.attempts.models import AnswerMeta, Receipt
from snellen.server.attempts.spaces import in_asked_space
from snellen.server.errors import ExamError, UnreadableAnswerError
from snellen.server.exam.spec import ExamSpec, Question
from snellen.server.store import queries
from snellen.server.store.queries import OpenItem
from snellen.server.store.statements import row_values
from snellen.server.store.tables.exams import AnswerRow, Attempt, Progress

MAX_DEPTH = 32
"""How deep the lists and objects of an answer may be nested; no item asks for more than six."""

MOST_CHARACTERS: Mapping[AnswerKind, int] = MappingProxyType(
    {
        # A program, or all text of a screen: ten times the longest existing reference.
        AnswerKind.TEXT: 65_536,
        AnswerKind.UI_TEXTS: 65_536,
        AnswerKind.RELATIONS: 65_536,
        AnswerKind.TOOL_CALL: 65_536,
        AnswerKind.BOXED_TEXTS: 131_072,
        # Every step of a long task.
        AnswerKind.EPISODE: 262_144,
        # Some models write their reasoning before the letter or number.
        AnswerKind.CHOICE: 16_384,
        AnswerKind.LABEL: 16_384,
        AnswerKind.POINT: 16_384,
        AnswerKind.BOX: 16_384,
        AnswerKind.ACTION: 16_384,
    }
)
"""How long an answer of each kind may be: longer ones are no answers, and take long to grade."""

_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_JSON = frozenset(
    {AnswerKind.UI_TEXTS, AnswerKind.BOXED_TEXTS, AnswerKind.EPISODE, AnswerKind.TOOL_CALL}
)


# Equal answers are equal texts.
_json_text = partial(json.dumps, sort_keys=True)


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """A submitted answer: its client, item, time, and the views of the item."""

    client: str
    item: str
    answer: JsonValue = field(repr=False)
    at: int
    meta: AnswerMeta


def submit(
    connection: Connection, spec: ExamSpec, attempt: Attempt, request: AnswerRequest
) -> Receipt | UnreadableAnswerError:
    """Store an answer.

    An answer that can't be read, and may be written again, is recorded as such; the error is
    returned, because raising it would undo that.

    Raises:
        ExamError: The answer can't be stored, the item is not this client's, no more answers to it
            are taken, or the attempt is closed.
    """
    row = item_row(connection, attempt.id, request.item)
    if not row.submissions:
        check_held(row, attempt, request.client, request.at)
    question = spec.question(row.task, row.item, attempt.secret, attempt.rules)
    answer = in_asked_space(question, request.answer, request.meta)
    number, most = row.submissions + 1, attempt.rules.submissions
    again, unreadable = False, None
    try:
        response = _json_text(read_answer(question, answer))
    except UnreadableAnswerError as error:
        unreadable = error
        response = _json_text(_unreadable(question, answer))
    if row.submissions:
        last = queries.LAST.one(connection, {"a": attempt.id, "p": row.place})
        again = (last.response, last.holder) == (response, request.client)
        if again:
            number = row.submissions
        else:
            check_held(row, attempt, request.client, request.at)
            if row.submissions >= most:
                raise ExamError(_used_up(most, request.item), field="item")
    if unreadable is not None and not again:
        rewritten = queries.REWRITTEN.one(connection, {"a": attempt.id, "p": row.place}).count
        if rewritten < attempt.rules.rewrites:
            _add(connection, row, request, response, number=-1 - rewritten)
            left = attempt.rules.rewrites - rewritten
            return UnreadableAnswerError(f"{unreadable.message}. {_rewrite(left)}", field="answer")
    if not again:
        _add(connection, row, request, response, number=number)
    answered = row.done + (0 if row.answered else 1)
    return Receipt(
        item=request.item,
        number=number,
        stored=request.answer,
        again=again,
        progress=Progress(answered=answered, open=row.total - answered),
        submissions_left=most - number,
    )


def _add(
    connection: Connection, row: OpenItem, request: AnswerRequest, response: str, *, number: int
) -> None:
    """Write an answer and count it; the first one of an item also counts for the attempt.

    One with a negative number, which may be written again, is not counted.
    """
    meta = {"space": request.meta.space, "view": request.meta.view}
    answer = AnswerRow(
        attempt=row.attempt,
        place=row.place,
        number=number,
        holder=request.client,
        given=_json_text(request.answer),
        response=response,
        meta=_json_text({name: value for name, value in meta.items() if value is not None}),
        at=request.at,
    )
    queries.ADD_ANSWER.run(connection, row_values(answer))
    if number < 0:
        return
    key = {"a": row.attempt, "p": row.place}
    queries.MARK_ANSWERED.run(connection, {**key, "n": number})
    if number == 1:
        queries.COUNT_ANSWERED.run(connection, key)


def _rewrite(left: int) -> str:
    if left == 1:
        return "Write it again, once: the next answer is kept as it is"
    return f"Write it again, at most {left} times: then an answer is kept as it is"


def _unreadable(question: Question, answer: JsonValue) -> JsonValue:
    """Return an answer that can't be read in the form in which it is graded: as it is.

    Among shuffled options, a letter that a protocol might still find would stand for another
    option, so such an answer is graded as an empty one.
    """
    if answer is None or question.shuffled is not None:
        return ""
    return answer


def read_answer(question: Question, answer: JsonValue) -> JsonValue:
    """Return an answer in the form in which it will be graded.

    Text is kept unchanged; the protocol parses it later. There are two exceptions. A choice among
    shuffled options must be a letter, which is mapped back to the original order. If the item
    requires JSON, the answer must be JSON, as a value or as text.

    Raises:
        UnreadableAnswerError: The answer is empty, or its task's parser can't read it.
        ExamError: The answer is too long or no strict JSON, so it can't be stored.
    """
    example = question.item.answer_format.example
    answer = cast("JsonValue", answer_in(answer))
    if answer is None or (isinstance(answer, str) and not answer.strip()):
        raise UnreadableAnswerError(
            f"the answer is empty; an answer looks like: {example}", field="answer"
        )
    _check_plain(answer, question.item.answer_format.kind)
    if question.shuffled is not None:
        return question.shuffled.original(_letter(answer, len(question.item.answer_format.options)))
    kind = question.item.answer_format.kind
    if isinstance(answer, str) and kind in _JSON:
        _check_plain(_json(answer, example), kind)
    parser = protocol_of(question.item.task, question.protocol).parser
    try:
        parsed = parser.read(answer, question.line.context)
    except PublishedCrashError:
        return answer  # it is for the protocol to say what that scores
    if parsed.outcome is Outcome.UNPARSED:
        raise UnreadableAnswerError(
            f"the answer is not in the item's form: {parsed.note or 'nothing could be read'};"
            f" an answer looks like: {example}",
            field="answer",
        )
    return answer


def _check_plain(answer: JsonValue, kind: AnswerKind) -> None:
    size, most = _size(answer, 0), MOST_CHARACTERS[kind]
    if size > most:
        raise ExamError(
            f"the answer is longer than {most:,} characters, the most that an answer of the kind"
            f" {kind.value!r} may have: it has {size:,}; send the answer alone",
            field="answer",
        )


def _size(value: JsonValue, depth: int) -> int:
    """Return the approximate length of an answer, or raise ExamError if it can't be stored."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ExamError(
                "the answer holds half a surrogate pair, which is no text", field="answer"
            ) from None
        return len(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ExamError("NaN and Infinity are no JSON", field="answer")
    if isinstance(value, int) and value.bit_length() > 1024:
        raise ExamError("a number in the answer is too large", field="answer")
    if not isinstance(value, list | dict):
        return 4
    if depth == MAX_DEPTH:
        raise ExamError(f"the answer is nested more than {MAX_DEPTH} levels deep", field="answer")
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return 2 + sum(1 + _size(part, depth + 1) for part in parts)


def _json(answer: str, example: str) -> JsonValue:
    try:
        return cast("JsonValue", json.loads(answer))
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        message = f"the answer is no JSON ({reason}); an answer looks like: {example}"
        raise UnreadableAnswerError(message, field="answer") from None


def _letter(answer: JsonValue, options: int) -> str:
    found = _LETTER.fullmatch(answer.strip()) if isinstance(answer, str) else None
    letter = found[1].upper() if found else ""
    if letter not in ascii_uppercase[:options] or not letter:
        raise UnreadableAnswerError(
            f"answer with one letter, A to {ascii_uppercase[options - 1]}, and nothing else",
            field="answer",
        )
    return letter


def _used_up(most: int, item: str) -> str:
    if most == 1:
        return f"item {item} has its answer, and only one is taken; go on with the next"
    return f"all {most} answers to item {item} are used; go on with the next"
