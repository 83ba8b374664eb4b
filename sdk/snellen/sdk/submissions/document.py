"""JSON documents: an array of submissions, an object that has one, a saved report, or lines."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import msgspec

from snellen.grading.errors import SubmissionError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.scores import TOO_LONG, Outcome
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.files import display, open_binary, unreadable, without_mark
from snellen.sdk.submissions.lines import add_line, parse_leniently
from snellen.sdk.submissions.records import add_parsed
from snellen.sdk.values import NotJsonError, kind_of


class _Object(msgspec.Struct):
    """The two places in an object where submissions may be."""

    submissions: list[msgspec.Raw] | None = None
    scores: list[msgspec.Raw] | None = None


class _Elements(NamedTuple):
    """The elements, each as its JSON or already parsed, and whether a report was saved there."""

    values: Sequence[object]
    saved: bool


_decode = msgspec.json.Decoder(list[msgspec.Raw] | _Object).decode


def read_document(path: str, limits: Limits) -> Iterator[Batch]:
    """Read a JSON file.

    Rows of a saved report that are marked `missing` were never submitted, and are left out.
    """
    file = display(path)
    data = _content(path, file)
    if _is_lines(data):
        from snellen.sdk.submissions.jsonl import read_jsonl

        yield from read_jsonl(path, limits)
        return
    collector = Collector(limits, file, len(data))
    collector.bytes_read = len(data)
    elements = _elements(without_mark(data, file), file)
    add = _add_score if elements.saved else _add
    for row, element in enumerate(elements.values, 1):
        add(collector, element, row)
        if row % limits.chunk == 0:
            yield from collector.ready()
    yield from collector.rest()


def _is_lines(data: bytes) -> bool:
    """Whether it is JSON lines after all: more than one, the first of them an object."""
    first, _, rest = data.lstrip().partition(b"\n")
    if not first.startswith(b"{") or not rest.lstrip().startswith(b"{"):
        return False
    try:
        msgspec.json.decode(first)
    except NO_JSON:
        return False
    return True


def _content(path: str, file: str) -> bytes:
    with open_binary(path) as raw:
        try:
            return raw.read()
        except OSError as error:
            raise unreadable(file, error) from error


def _elements(data: bytes, file: str) -> _Elements:
    if not data.strip():
        raise SubmissionError("it is empty: it has no submissions", file=file)
    try:
        whole = _decode(data)
    except NO_JSON as fault:
        whole = _leniently(data, file, truncated="truncated" in str(fault))
    if isinstance(whole, list):
        return _Elements(cast("list[object]", whole), saved=False)
    if whole.submissions is not None:
        return _Elements(whole.submissions, saved=False)
    if whole.scores is not None:
        return _Elements(whole.scores, saved=True)
    raise SubmissionError(
        "it is an object without a list `submissions` or `scores`; give an array of submissions"
        " (one object a line goes into a .jsonl file)",
        file=file,
    )


def _leniently(data: bytes, file: str, *, truncated: bool) -> "list[object] | _PlainObject":
    """Parse what strict JSON can't be, so that only the faulty elements are lost."""
    try:
        whole = parse_leniently(data.decode("utf-8", "surrogateescape"))
    except NotJsonError as fault:
        if truncated:
            message = f"the file ends too early, it is {fault}; write or copy it again"
        elif "Extra data" in str(fault):
            message = f"it is {fault}; one object a line goes into a .jsonl file"
        else:
            message = f"it is {fault}; nothing in it can be trusted"
        raise SubmissionError(message, file=file) from fault
    if isinstance(whole, list):
        return cast("list[object]", whole)
    if not isinstance(whole, dict):
        raise SubmissionError(f"it is {kind_of(whole)}; give an array of submissions", file=file)
    parts = cast("dict[str, object]", whole)
    return _PlainObject(_list(parts.get("submissions")), _list(parts.get("scores")))


class _PlainObject(NamedTuple):
    """As `_Object`, of what is parsed already."""

    submissions: list[object] | None
    scores: list[object] | None


def _list(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None


def _add(collector: Collector, element: object, row: int) -> None:
    if isinstance(element, msgspec.Raw):
        add_line(collector, bytes(element), row)
    else:
        add_parsed(collector, element, row)


def _add_score(collector: Collector, element: object, row: int) -> None:
    """Add a row of a saved report as the submission that it was."""
    value: object = element
    withheld = False
    if isinstance(element, msgspec.Raw):
        try:
            value = msgspec.json.decode(element)
        except NO_JSON:
            add_line(collector, bytes(element), row)
            return
    if isinstance(value, dict):
        score = value = cast("dict[str, object]", value)
        outcome = score.get("outcome")
        if outcome == Outcome.MISSING:
            return
        if outcome == Outcome.ERROR and not score.get("error"):
            score["error"] = score.get("note") or "error"
        withheld = outcome == Outcome.UNPARSED and score.get("response") is None
    before = len(collector.responses)
    add_parsed(collector, value, row)
    if withheld and len(collector.responses) > before:
        # A report does not keep a response over the limit, only that there was one.
        collector.responses[-1] = TOO_LONG
