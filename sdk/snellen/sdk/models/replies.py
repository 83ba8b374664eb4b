"""The common parts of the HTTP APIs: requests' bodies, replies, and errors in replies."""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TypeVar, cast

import msgspec

from snellen.grading.models.base import NO_JSON
from snellen.sdk.models.faults import Fault
from snellen.tasks.views import View

_REPEATABLE = frozenset({408, 409, 425, 429})
_NEVER = frozenset({501, 505})
_SETUP = frozenset({401, 403, 404, 405, 407})
_THROTTLED = frozenset({429, 503, 529})
_SPENT = ("insufficient_quota", "billing_not_active")
_FILTERED = ("content_filter", "content_policy_violation")
_READ = 20_000
_SHOWN = 300
_BOM = b"\xef\xbb\xbf"

_Reply = TypeVar("_Reply")


@lru_cache(maxsize=32)
def base64_of(view: View) -> str:
    """Return an image's bytes as base64; questions on one screenshot share it."""
    return base64.b64encode(view.data).decode("ascii")


def body_of(fields: Mapping[str, object]) -> bytes:
    """Return a request's body.

    A lone surrogate, which UTF-8 can't encode, is replaced by a replacement character.
    """
    try:
        return msgspec.json.encode(fields)
    except UnicodeEncodeError:
        return json.dumps(_fixed(fields), ensure_ascii=False).encode()


def reply_of(content: bytes, kind: type[_Reply]) -> _Reply:
    """Read a reply's body.

    Raises:
        Fault: It is not JSON, or does not match the API's schema; a retry may succeed.
    """
    content = content.removeprefix(_BOM)
    try:
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.ValidationError:
            raise
        except NO_JSON:
            # Python's parser accepts a lone surrogate, which can be the end of a cut answer.
            plain: object = json.loads(content.decode("utf-8", "replace"))
            return msgspec.convert(_fixed(plain), kind)
    except msgspec.ValidationError as error:
        raise _formless(error, content) from None
    except (ValueError, RecursionError):
        message = f"the reply is not JSON; it begins {_start(content)}"
    raise Fault(message, passing=True)


def part_of(value: object, kind: type[_Reply], content: bytes) -> _Reply:
    """Convert a part of a reply's body that was read without a schema.

    Raises:
        Fault: It does not match the API's schema; a retry may succeed.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _formless(error, content) from None


def count_of(value: object) -> int | None:
    """Return a number of tokens from a number or text; None if it is not a count.

    >>> count_of(7), count_of("7"), count_of(7.0), count_of(-1), count_of(None)
    (7, 7, 7, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return int(number) if number >= 0 and number.is_integer() else None


def word_of(value: object) -> str | None:
    """Return a text field such as `finish_reason`; None if it is not a text, or empty."""
    return value if isinstance(value, str) and value else None


def says_error(error: object) -> bool:
    """Whether a reply's `error` is not empty; some servers send an empty one with an answer."""
    fields = fields_of(error)
    return any(fields.values()) if fields else bool(error)


def fault_within(error: object) -> Fault:
    """Return the fault of an `error` within a reply of status 200.

    Some gateways report a fault of the server behind them in this way, with its status as the
    code.
    """
    code = count_of(fields_of(error).get("code"))
    status = code if code is not None and 400 <= code < 600 else 502
    return fault_of(status, {}, msgspec.json.encode({"error": error}))


def filtered(content: bytes) -> str | None:
    """Return the code of an error of a content filter; None if it is another error."""
    code = _error_text(content)[1]
    return code if code in _FILTERED else None


def fields_of(value: object) -> Mapping[str, object]:
    """Return an object field such as `usage`; an empty mapping if it is not an object."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _formless(error: msgspec.ValidationError, content: bytes) -> Fault:
    return Fault(
        f"the reply is not of the API's form: {error}; it begins {_start(content)}", passing=True
    )


def fault_of(
    status: int, headers: Mapping[str, str], content: bytes, now: datetime | None = None
) -> Fault:
    """Return the fault of a reply without an answer.

    The message contains the server's text, which may include keys: see `Secrets` and `short`.

    Args:
        status: The HTTP status.
        headers: The headers, by name in lower case.
        content: The body.
        now: The time for the comparison with a Retry-After date; None: the clock's.
    """
    message, code = _error_text(content)
    if 300 <= status < 400:
        target = headers.get("location", "elsewhere").partition("?")[0]
        return Fault(
            f"HTTP {status}: the server points to {target}; give that URL",
            status=status,
            setup=True,
        )
    spent = code in _SPENT
    passing = (status in _REPEATABLE or status >= 500) and status not in _NEVER and not spent
    wait = retry_after(headers, now or datetime.now(UTC))
    return Fault(
        f"HTTP {status}{': ' if message else ''}{message}",
        status=status,
        passing=passing,
        throttled=passing and (status in (429, 529) or (status in _THROTTLED and wait is not None)),
        setup=status in _SETUP or spent,
        retry_after=wait if passing else None,
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the wait that a server requests, in seconds, from `retry-after-ms` or `retry-after`.

    The latter contains seconds or a date (RFC 9110 §10.2.3).

    >>> midnight = datetime(2030, 1, 1, tzinfo=UTC)
    >>> retry_after({"retry-after": "2"}, midnight)
    2.0
    >>> retry_after({"retry-after": "Tue, 01 Jan 2030 00:00:09 GMT"}, midnight)
    9.0
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    aware = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


class _ErrorBody(msgspec.Struct):
    error: object = None
    message: object = None
    detail: object = None
    code: object = None
    type: object = None


def _error_text(content: bytes) -> tuple[str, str]:
    """Return the message and code of an error's body: `{"error": {"message": ...}}` or similar."""
    try:
        body = msgspec.json.decode(content.removeprefix(_BOM), type=_ErrorBody)
        if not isinstance(body.error, str | None):
            body = msgspec.convert(body.error, _ErrorBody)
    except NO_JSON:
        return (_start(content) if content.strip() else ""), ""
    code = str(body.code or body.type or "")
    for text in (body.message, body.detail, body.error):
        if isinstance(text, str):
            return text[:_READ], code
    return _start(content), code


def _start(content: bytes) -> str:
    return repr(content[:_READ].decode("utf-8", "replace").strip())


def short(text: str) -> str:
    """Return a message in one line, cut to the maximum length.

    Call this last, because a key that is cut in half can't be found and hidden.
    """
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def fixed(text: str) -> str:
    """Return a text with a replacement character for every lone surrogate."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fixed(value: object) -> object:
    """Return JSON with a replacement character for every lone surrogate."""
    if isinstance(value, str):
        return fixed(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {_fixed(key): _fixed(part) for key, part in pairs}
    if isinstance(value, list | tuple):
        return [_fixed(part) for part in cast("Sequence[object]", value)]
    return value
