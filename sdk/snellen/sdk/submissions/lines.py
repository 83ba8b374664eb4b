"""From lines of JSON to rows: fast for what is right, exact for what is wrong."""

import codecs
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import compress
from typing import Annotated, Any, TypeAlias, cast

import msgspec

from snellen.grading.models.base import NO_JSON
from snellen.grading.models.reports import ProblemKind
from snellen.sdk.submissions import records
from snellen.sdk.submissions.batch import Collector
from snellen.sdk.submissions.trajectories import is_trajectory
from snellen.sdk.values import NotJsonError, is_nested_too_deep

_FLAT = frozenset((str, int, float, bool, type(None)))
_CONTAINERS = frozenset((list, dict))


class _Meta(msgspec.Struct, gc=False):
    """Any object; msgspec checks that it is one and builds nothing of what is in it."""


class _Row(msgspec.Struct, gc=False):
    """The fields of a submission, in the only types that need no second look."""

    item_id: str
    response: Any = msgspec.UNSET
    attempt: Annotated[int, msgspec.Meta(ge=0, le=records.MAX_ATTEMPT)] | None = 0
    error: str | None = None
    model: str | None = None
    meta: _Meta | None = None
    task: Any = None


_Decode: TypeAlias = Callable[[bytes], _Row]

_decode: _Decode = msgspec.json.Decoder(_Row).decode


@cache
def _decoder(other: tuple[tuple[str, str], ...]) -> _Decode:
    """Return what decodes lines in which some fields, ours first, have another name."""
    fields = [
        (one.name, one.type) if one.required else (one.name, one.type, one.default)
        for one in msgspec.structs.fields(_Row)
    ]
    row = msgspec.defstruct("_NamedRow", fields, rename=dict(other), gc=False)
    return msgspec.json.Decoder(cast("type[_Row]", row)).decode


def _decode_of(collector: Collector, lines: Iterable[bytes]) -> _Decode:
    """Return what decodes a source's lines, the first of which decides what fields are called."""
    if collector.names is None:
        for line in lines:
            try:
                first = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
            except NO_JSON:
                continue
            if not records.is_episode(first) and not _is_trajectory(collector, first):
                records.name_fields(collector, list(first))
            break
    other = None if collector.names is None else collector.names.other
    if other and "task" in other.values():
        # Nothing is called so: the field holds something else here.
        other = {**other, "task": "\0"}
    return _decoder(tuple(other.items())) if other else _decode


def _is_trajectory(collector: Collector, first: Mapping[str, msgspec.Raw]) -> bool:
    if collector.limits.recorded is None:
        return False
    image = msgspec.json.decode(first["image"]) if "image" in first else None
    return is_trajectory(first, image)


def add_lines(collector: Collector, data: bytes, first: int, *, last: bool) -> int:
    """Add a block of whole lines.

    Args:
        collector: Takes the rows and the problems.
        data: The lines, each with its line feed; the last may lack it.
        first: The number of the first line.
        last: Whether the file ends with them, without a line feed.

    Returns:
        How many lines there were.
    """
    if not data:
        return 0
    lines = data.removesuffix(b"\n").split(b"\n")
    decode = _decode_of(collector, lines)
    rows = _rows(data, lines, collector.limits.max_response_chars, decode)
    if rows is None:
        end = first + len(lines) - 1
        for line, text in enumerate(lines, first):
            add_line(collector, text, line, last=last and line == end)
        return len(lines)
    numbers: Sequence[int] = range(first, first + len(rows))
    if any(row.task is not None for row in rows):
        here = [not collector.is_elsewhere(row.task) for row in rows]
        rows, numbers = list(compress(rows, here)), list(compress(numbers, here))
    collector.item_ids += [row.item_id for row in rows]
    collector.responses += [row.response for row in rows]
    collector.attempts += [row.attempt or 0 for row in rows]
    collector.errors += [row.error or None for row in rows]
    collector.models += [row.model or None for row in rows]
    collector.lines += numbers
    return len(lines)


def add_line(collector: Collector, data: bytes, line: int, *, last: bool = False) -> None:
    """Add one record, or say what is wrong with it; a blank line is neither.

    Args:
        collector: Takes the row or the problem.
        data: The JSON of one record.
        line: Its line or row.
        last: Whether the file ends with it, without a line feed.
    """
    data = data.strip().removeprefix(codecs.BOM_UTF8)
    if not data:
        return
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        cut = last and fault.reason == "unexpected end of data"
        reason = f"not UTF-8 (byte {data[fault.start]:#04x} at byte {fault.start + 1})"
        _report(collector, f"{reason}; save the file as UTF-8", line, truncated=cut)
        return
    try:
        row = _decode_of(collector, (data,))(data)
    except NO_JSON as fault:
        # The same text after a lone surrogate, but the lenient parser gets past that.
        cut = last and "truncated" in str(fault)
        _add_faulty(collector, text, line, truncated=cut)
        return
    if collector.is_elsewhere(row.task):
        return
    response = row.response
    if response is msgspec.UNSET:
        response = None
        if not row.error:
            records.report_missing_response(collector, line)
    elif records.report_deep_response(collector, response, line):
        return
    elif len(data) > collector.limits.max_response_chars:
        response = records.limited(collector, response, line)
    collector.add(
        row.item_id, response, row.attempt or 0, row.error or None, row.model or None, line
    )


def parse_leniently(text: str) -> object:
    """Parse JSON with Python's parser, which takes NaN and half surrogate pairs too.

    Raises:
        NotJsonError: It is no JSON all the same; the message says where.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        place = f"column {fault.colno}" if fault.lineno == 1 else f"line {fault.lineno}"
        raise NotJsonError(f"not JSON ({fault.msg} at {place})") from fault
    except RecursionError as fault:
        raise NotJsonError("not usable (nested too deep)") from fault
    except ValueError as fault:
        raise NotJsonError("not usable (a number in it is too long)") from fault


def _rows(
    data: bytes, lines: Sequence[bytes], limit: int, decode: _Decode
) -> Sequence[_Row] | None:
    """Decode lines that are all right, or return None where any needs a second look."""
    if max(map(len, lines)) > limit:
        return None
    try:
        if not data.isascii():
            # msgspec does not look into the strings that it skips.
            data.decode()
        rows = [decode(line) for line in lines]
    except NO_JSON:
        return None
    kinds: set[type[object]] = {type(row.response) for row in rows}
    if kinds <= _FLAT:
        return rows
    if not kinds <= _FLAT | _CONTAINERS:
        return None
    deep = any(is_nested_too_deep(row.response) for row in rows)
    return None if deep else rows


def _add_faulty(collector: Collector, text: str, line: int, *, truncated: bool) -> None:
    try:
        value = parse_leniently(text)
    except NotJsonError as fault:
        _report(collector, f"{fault}; write one JSON object on one line", line, truncated=truncated)
        return
    records.add_parsed(collector, value, line)


def _report(collector: Collector, message: str, line: int, *, truncated: bool) -> None:
    if truncated:
        collector.fault(
            ProblemKind.TRUNCATED,
            f"the file ends in the middle of this line, {message}; the line was skipped",
            line,
        )
    else:
        collector.fault(ProblemKind.MALFORMED, f"{message}; the line was skipped", line)
