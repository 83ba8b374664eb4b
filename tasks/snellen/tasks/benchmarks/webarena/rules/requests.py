"""The requests of a browser, as HAR or Playwright record them, against those that a task expects.

Source: WebArena-Verified 1.2.3 (ServiceNow/webarena-verified 6473f72):
`core/evaluation/evaluators/network_event_evaluator.py`, `data_types/url.py`, `types/tracing.py`,
`core/utils/`. The site's address stands in the references as `__GITLAB__`.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from functools import lru_cache
from typing import Any, TypeAlias, cast
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit, urlunsplit

import msgspec

from snellen.grading.protocols.base import UnjudgeableError
from snellen.tasks.benchmarks.webarena.rules.values import (
    STRING,
    Json,
    Reading,
    SchemaError,
    Value,
    is_pattern,
    same,
)

Fields: TypeAlias = Mapping[str, Any]

_ASSETS = (
    *(".css", ".js", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".woff", ".woff2", ".ttf", ".ico"),
    ".webp",
)
_WEB = ("http", "https", "ftp", "ftps")
_SAFE_PATH = "~:/#[]@!$&'()*+,;="
_SAFE_QUERY = "~:/?[]@!$'()*+,;="
_ENCODED = re.compile(r"[A-Za-z0-9_-]{4,}={0,2}")
STEP = re.compile(
    r"\.(?P<name>[A-Za-z_][\w-]*)|\[(?P<place>\d+)\]|\['(?P<quoted>[^']*)'\]"
    r"|\[\?\(@\.(?P<field>\w+) *== *(?P<value>[^)]*)\)\]"
)


class Request(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a request has to be; None: anything.

    Attributes:
        url: Its address, or alternatives; a regular expression between ^ and $.
        headers: By name, in any case.
        query_params: In place of those of the address.
        post_data: By name, by JSONPath ($.note.note), or by a pattern of names.
        response_content: Of the response's JSON, by the same.
        response_status: The response's status.
        http_method: The method.
        response_cookies: Of the response, by name.
    """

    url: str | list[str]
    headers: dict[str, Any] | None = None
    query_params: dict[str, list[str]] | None = None
    post_data: dict[str, Any] | None = None
    response_content: dict[str, Any] | None = None
    response_status: int = 200
    http_method: str = "GET"
    response_cookies: dict[str, Any] | None = None


class RequestCheck(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="evaluator",
    tag="NetworkEventEvaluator",
):
    """One expected request, and how it is looked for.

    Attributes:
        expected: The request.
        last_event_only: Whether the last one to its address counts, or any.
        ignored_query_params: Names of parameters that don't count.
        ignored_query_params_patterns: Patterns of such names.
        decode_base64_query: Whether a part of the path may hold parameters in base64.
        query_params_schema: The types of parameters.
        post_data_schema: The types of posted data.
        ignored_post_data_params_patterns: Patterns of names of posted data that don't count.
        should_not_exist: Whether no request to the address may have been made.
    """

    expected: Request
    last_event_only: bool = True
    ignored_query_params: tuple[str, ...] | None = None
    ignored_query_params_patterns: tuple[str, ...] | None = None
    decode_base64_query: bool = False
    query_params_schema: dict[str, Any] | None = None
    post_data_schema: dict[str, Any] | None = None
    ignored_post_data_params_patterns: tuple[str, ...] | None = None
    should_not_exist: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One request of a log, and its response.

    Attributes:
        url: The address.
        method: The method.
        headers: Of the request, by their name in lower case.
        posted: A HAR's `postData`.
        status: Of the response.
        content: A HAR's `content` of the response.
        cookies: Of the response, decoded, by name.
    """

    url: str
    method: str
    headers: Mapping[str, str]
    posted: Json
    status: Json
    content: Json
    cookies: Mapping[str, str]

    @property
    def navigates(self) -> bool:
        """Whether it opened a page."""
        headers = {name: value.lower() for name, value in self.headers.items()}
        accept = headers.get("accept", "")
        if self.method != "GET":
            return False
        if "sec-fetch-user" not in headers:
            return accept.startswith("text/html")
        said = tuple(headers.get(f"sec-fetch-{name}") for name in ("dest", "mode", "user"))
        return said == ("document", "navigate", "?1") and "text/html" in accept


def events_of(entries: Sequence[Any]) -> tuple[Event, ...]:
    """Return the requests of a log that are no style, script, image or font.

    Args:
        entries: Of a HAR's `log.entries`, or the lines of a Playwright trace.

    Raises:
        UnjudgeableError: An entry is no request, or there is none.
    """
    found: list[Event] = []
    for index, entry in enumerate(entries):
        fields = fields_of(entry)
        if "type" in fields:
            if fields["type"] != "resource-snapshot":
                continue
            fields = fields_of(fields.get("snapshot"))
        request, response = (fields_of(fields.get(name)) for name in ("request", "response"))
        url = request.get("url")
        if not isinstance(url, str):
            raise UnjudgeableError(f"network[{index}] has no request.url: is it a HAR's entry?")
        if is_asset(url):
            continue
        found.append(
            Event(
                url,
                str(request.get("method", "GET")),
                {name.lower(): value for name, value in _pairs(request.get("headers"))},
                request.get("postData"),
                response.get("status"),
                response.get("content"),
                {name: unquote(value) for name, value in _pairs(response.get("cookies"))},
            )
        )
    if not entries:
        raise UnjudgeableError("the network log has no entries")
    return tuple(found)


def fields_of(value: object) -> Fields:
    """Return an object's fields; none of anything else."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def _pairs(rows: object) -> Iterator[tuple[str, str]]:
    for row in map(fields_of, cast("list[object]", rows) if isinstance(rows, list) else ()):
        yield str(row.get("name", "")), str(row.get("value", ""))


def is_asset(url: str) -> bool:
    """Whether an address is of a style, a script, an image or a font."""
    return _split(url).path.endswith(_ASSETS)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        # An address that is none, such as http://[, is a path and equals no other.
        return SplitResult("", "", url, "", "")


@dataclass(frozen=True, slots=True)
class Sites:
    """Where the sites of a task are: `__GITLAB__` to addresses, the first of which is used."""

    addresses: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, names: Sequence[str], said: Fields, events: Sequence[Event]) -> "Sites":
        """Return the sites by the run's configuration, or by its first requests, as published.

        Args:
            names: The sites of the task: gitlab, map, reddit, ...
            said: The `environments` of a configuration: site to {urls}; may be empty.
            events: The requests.
        """
        known: dict[str, Sequence[str]] = {}
        for name, value in said.items():
            urls: object = fields_of(value).get("urls", value)
            several = cast("list[object]", urls) if isinstance(urls, list) else [urls]
            known[name.strip("_").lower()] = [url for url in several if isinstance(url, str)]
        if not all(known.get(name) for name in names) and events:
            known = {}
            for index, name in enumerate(names):
                parts = _split(events[min(index, len(events) - 1)].url)
                end = "/admin" if name == "shopping_admin" else ""
                known[name] = [f"{parts.scheme}://{parts.netloc}{end}"]
        return cls({f"__{name.upper()}__": known.get(name, ()) for name in names})

    def rendered(self, text: str, *, strict: bool = False) -> str:
        """Return an address with the site's own in place of its name."""
        for name, urls in self.addresses.items():
            if text.startswith(name) and urls:
                return text.replace(name, urls[0])
        if strict:
            raise SchemaError(f"the address of {text.split('/')[0]} is not known")
        return text

    def named(self, text: str) -> str:
        """Return a text with the site's name in place of its address."""
        longest = sorted(
            self.addresses.items(), key=lambda one: max(map(len, one[1]), default=0), reverse=True
        )
        for name, urls in longest:
            for url in urls:
                if url in text:
                    return text.replace(url.rstrip("/"), name)
        return text


@lru_cache(maxsize=65_536)
def _canonical(url: str) -> str:
    """Return an address as the package url-normalize 2.2 writes it: one case, encoding and path."""
    url = url.strip().replace("#!", "?_escaped_fragment_=").rstrip("&? ")
    scheme, _, rest = url.partition(":") if ":" in url[:7] else ("https", "", url)
    parts = _split(f"{scheme}://{rest.lstrip('/')}" if scheme.lower() in _WEB else url)
    netloc = parts.netloc.lower()
    default = {"http": ":80", "https": ":443"}.get(parts.scheme)
    netloc = netloc.removesuffix(default) if default else netloc
    kept: list[str] = []
    steps = quote(unquote(parts.path), _SAFE_PATH).split("/")
    for step in steps:
        if step == "..":
            kept = kept[:-1] if len(kept) > 1 else kept
        elif step not in ("", ".") or (not step and not kept):
            kept.append(step)
    path = "/".join([*kept, ""] if steps[-1] in ("", ".", "..") else kept) or "/"
    pairs = [part.partition("=") for part in parts.query.split("&") if part]
    query = "&".join(
        f"{_quoted(name)}={_quoted(value)}" if value else _quoted(name) for name, _, value in pairs
    )
    return urlunsplit((parts.scheme, netloc, path, query, quote(unquote(parts.fragment), "~=")))


def _quoted(text: str) -> str:
    return quote(unquote(text), _SAFE_QUERY)


@dataclass(frozen=True, slots=True)
class Address:
    """An address: what stands before its parameters, and these."""

    base: str
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def is_path_of(self, other: "Address", sites: Sites) -> bool:
        """Whether both have the same path, or the other one has that of this pattern."""
        if is_pattern(self.base):
            pattern = f"^{sites.rendered(self.base[1:-1])}$"
            return re.match(pattern, sites.rendered(other.base)) is not None
        return self.base.lower().rstrip("/") == other.base.lower().rstrip("/")

    def has_query_of(self, other: "Address") -> bool:
        """Whether the first value of every parameter is the same; none is as good as empty."""
        for name in self.query.keys() | other.query.keys():
            one, two = (_first(side.query.get(name)) for side in (self, other))
            if isinstance(one, Value):
                if not one.equals(two, fixed=False):
                    return False
            elif is_pattern(one):
                if not re.match(one, str(two)):
                    return False
            elif one != two:
                return False
        return True


def _first(values: Json) -> Json:
    if isinstance(values, list | tuple):
        values = next(iter(cast("Sequence[Any]", values)), "")
    return "" if values is None else values


class RequestQuery:
    """One expected request, looked for in a log.

    Args:
        check: What is expected.
        sites: Where the sites are.
        fixed: As of `Reading`.
    """

    def __init__(self, check: RequestCheck, sites: Sites, *, fixed: bool = False) -> None:
        self.check = check
        self.expected = check.expected
        self.sites = sites
        self.fixed = fixed
        self._reference = Reading(strict=True, fixed=fixed, clean=sites.named)
        self._answer = Reading(strict=False, fixed=fixed, clean=sites.named)

    def succeeds(self, events: Sequence[Event], *, navigates: bool, anywhere: bool = False) -> bool:
        """Whether the log has the request, or has none to its address if there should be none.

        Args:
            events: The requests.
            navigates: Whether the task is to open a page: the last page opened counts, then.
            anywhere: Whether any request counts, not only the last.

        Raises:
            SchemaError: A reference can't be read.
        """
        wanted = self._wanted()
        found = self._candidates(events, navigates=navigates)
        if self.check.should_not_exist:
            return not found
        opens = navigates and self.expected.http_method == "GET"
        last = (self.check.last_event_only or opens) and not anywhere
        chosen = found[-1:] if last else found
        return any(self._is(wanted, event) for event in chosen)

    def _candidates(self, events: Sequence[Event], *, navigates: bool) -> list[Event]:
        if navigates and self.expected.http_method == "GET":
            return [event for event in events if event.navigates]
        urls = self._addresses(self.expected.url, strict=True)
        headers = self.expected.headers or {}
        referers = self._addresses(headers["referer"], strict=True) if "referer" in headers else ()
        return [
            event
            for event in events
            if event.method.lower() == self.expected.http_method.lower()
            and self._leads(urls, event.url)
            and self._leads(referers, event.headers.get("referer", "").lower())
        ]

    def _leads(self, wanted: Sequence[Address], url: str) -> bool:
        if not wanted or not url:
            return True
        own = self._addresses(url, strict=False)[0]
        return any(one.is_path_of(own, self.sites) for one in wanted)

    def _addresses(
        self,
        urls: str | Sequence[str],
        *,
        strict: bool,
        query: Mapping[str, Sequence[str]] | None = None,
    ) -> list[Address]:
        several = [urls] if isinstance(urls, str) else urls
        return [self._address(url, strict=strict, query=query) for url in several]

    def _address(
        self, url: str, *, strict: bool, query: Mapping[str, Sequence[str]] | None
    ) -> Address:
        url = url.strip()
        if is_pattern(url):
            return Address(url, {} if query is None else self._query(query, strict=strict))
        url = url.rstrip("/")
        if url.startswith("__"):
            url = self.sites.rendered(url, strict=strict)
        parts = _split(self.sites.named(_canonical(url)))
        path = parts.path
        if query is None:
            sources: list[str] = []
            if self.check.decode_base64_query:
                path, sources = _decoded_path(path)
            joined = "&".join((*sources, parts.query.strip()) if parts.query else sources)
            query = {
                unquote(name): [unquote(value) for value in values]
                for name, values in parse_qs(joined, keep_blank_values=True).items()
            }
        start = f"{parts.scheme}://{parts.netloc}" if parts.scheme else ""
        end = f"#{parts.fragment}" if parts.fragment else ""
        return Address(f"{start}{path}{end}", self._query(query, strict=strict))

    def _query(self, query: Mapping[str, Sequence[str]], *, strict: bool) -> Mapping[str, Any]:
        check = self.check
        kept = {
            name: sorted(value.lower().strip() for value in values)
            for name, values in query.items()
            if name not in (check.ignored_query_params or ())
            and not _named(name, check.ignored_query_params_patterns, re.IGNORECASE)
        }
        if not check.query_params_schema:
            return kept
        reading = self._reference if strict else self._answer
        return reading.object(kept, check.query_params_schema)

    def _wanted(self) -> Fields:
        """Return the expected request, normalized."""
        expected, reading = self.expected, self._reference
        return {
            "url": self._addresses(expected.url, strict=True, query=expected.query_params),
            "headers": {
                name: self._header(name, value, strict=True)
                for name, value in (expected.headers or {}).items()
            },
            "post_data": self._posted(expected.post_data, reading),
            "cookies": {
                name: reading.single(value, STRING)
                for name, value in (expected.response_cookies or {}).items()
            },
        }

    def _is(self, wanted: Fields, event: Event) -> bool:
        expected = self.expected
        if event.method != expected.http_method:
            return False
        if event.status != expected.response_status:
            return False
        own = self._addresses(event.url, strict=False)[0]
        if not any(
            one.is_path_of(own, self.sites) and one.has_query_of(own) for one in wanted["url"]
        ):
            return False
        return (
            all(self._has_header(name, value, event) for name, value in wanted["headers"].items())
            and self._has_posted(wanted["post_data"], event)
            and self._has_content(event)
            and all(
                name in event.cookies
                and value.equals(self._answer.single(event.cookies[name], STRING), fixed=self.fixed)
                for name, value in wanted["cookies"].items()
            )
        )

    def _header(self, name: str, value: Json, *, strict: bool) -> Json:
        if name in ("redirect_url", "referer") and value:
            return self._addresses(value, strict=strict)
        reading = self._reference if strict else self._answer
        return reading.single(self.sites.named(value) if isinstance(value, str) else value, STRING)

    def _has_header(self, name: str, wanted: Json, event: Event) -> bool:
        given = event.headers.get(name.lower())
        if given is None:
            return False
        own = self._header(name, given, strict=False)
        if isinstance(wanted, Value):
            return wanted.equals(own, fixed=self.fixed)
        return any(
            one.is_path_of(own[0], self.sites) and one.has_query_of(own[0]) for one in wanted
        )

    def _posted(self, posted: Fields | None, reading: Reading) -> Fields | None:
        if not posted:
            return None
        patterns = self.check.ignored_post_data_params_patterns
        kept = {name: value for name, value in posted.items() if not _named(name, patterns)}
        return reading.object(kept, self.check.post_data_schema or {}) or None

    def _has_posted(self, wanted: Fields | None, event: Event) -> bool:
        if wanted is None:
            return True
        posted = content_of(event.posted)
        if not posted:
            return False
        patterns = self.check.ignored_post_data_params_patterns
        posted = {name: value for name, value in posted.items() if not _named(name, patterns)}
        given = {name: extracted(posted, name.strip()) for name in wanted}
        own = self._answer.object(given, self.check.post_data_schema or {})
        return same(wanted, own, extra=True, fixed=self.fixed)

    def _has_content(self, event: Event) -> bool:
        wanted = self.expected.response_content
        if not wanted:
            return True
        content = content_of(event.content)
        if not content:
            return False
        given = {name: extracted(content, name.strip()) for name in wanted}
        return same(wanted, given, extra=True)


def _named(name: str, patterns: Sequence[str] | None, flags: re.RegexFlag = re.NOFLAG) -> bool:
    return any(re.search(pattern, name, flags) for pattern in patterns or ())


def _decoded_path(path: str) -> tuple[str, list[str]]:
    """Return a path without the parts that are parameters in base64, and these."""
    kept: list[str] = []
    found: list[str] = []
    for part in path.split("/"):
        query = ""
        if _ENCODED.fullmatch(part):
            try:
                query = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode()
            except ValueError:
                query = ""
        if "=" in query and unquote(query).strip():
            found.append(unquote(query).strip().lstrip("?&"))
        elif part:
            kept.append(part)
    start, end = ("/" if path.startswith("/") else ""), ("/" if path.endswith("/") else "")
    return f"{start}{'/'.join(kept)}{end if kept else ''}", found


def content_of(content: Json) -> Fields | None:
    """Return what was posted, or answered, by name; None where it is of no known type."""
    if not isinstance(content, dict):
        return None
    fields = cast("Fields", content)
    kind, text = str(fields.get("mimeType", "")), fields.get("text", "")
    if not isinstance(text, str) or not text:
        return None
    if "application/x-www-form-urlencoded" in kind:
        return {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}
    if "application/json" in kind:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return cast("Fields", value) if isinstance(value, dict) else None
    if "multipart/form-data" in kind:
        return _parts(text, kind)
    return None


def _parts(text: str, kind: str) -> Fields | None:
    """Return the fields of a form in parts."""
    boundary = re.search(r"boundary=([^;\s]+)", kind)
    if boundary is None:
        return None
    found: dict[str, str] = {}
    for part in text.replace("\r\n", "\n").split(f"--{boundary[1]}"):
        head, mark, body = part.strip().partition("\n\n")
        message = Message()
        for line in head.splitlines():
            name, _, value = line.partition(":")
            message[name] = value.strip()
        name = message.get_param("name", header="content-disposition")
        if mark and isinstance(name, str):
            found[name] = body.rstrip("\n")
    return found


def extracted(data: Fields, path: str) -> Json:
    r"""Return the value at a name, a JSONPath or a pattern of names; None if there is none.

    Of JSONPath are read `.name`, `['name']`, `[0]` and `[?(@.name == value)]`, whose results are
    always a list. Where nothing is there, texts are read as JSON and looked through again.

    >>> extracted({"a": {"b": [1, 2]}}, "$.a.b[1]"), extracted({"n_2[x]": 3}, r"$.^n_\d\[x\]$")
    (2, 3)
    """
    pattern = path.removeprefix("$.") if path.startswith("$.^") else path
    if is_pattern(pattern):
        found = [value for name, value in data.items() if re.match(pattern, name)]
        return found[0] if len(found) == 1 else found or None
    if not path.startswith("$"):
        return data.get(path)
    found = _walked(data, path) or _walked(_opened(data), path)
    return found[0] if len(found) == 1 and "?(" not in path else found or None


def _walked(data: Json, path: str) -> list[Any]:
    found: list[Any] = [data]
    index = 1
    while index < len(path):
        step = STEP.match(path, index)
        if step is None:
            raise SchemaError(f"the path {path!r} can't be read")
        index = step.end()
        found = [value for one in found for value in _stepped(one, step)]
    return found


def _stepped(value: Json, step: re.Match[str]) -> Sequence[Any]:
    name = step["quoted"] if step["name"] is None else step["name"]
    if name is not None:
        fields = cast("Fields", value if isinstance(value, dict) else {})
        return [fields[name]] if name in fields else []
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    if step["place"] is not None:
        return rows[int(step["place"]) :][:1]
    wanted = json.loads(step["value"].replace("'", '"'))
    return [
        row
        for row in rows
        if isinstance(row, dict) and cast("Fields", row).get(step["field"]) == wanted
    ]


def _opened(data: Json) -> Json:
    """Return data with the JSON in its texts read."""
    if isinstance(data, dict):
        return {name: _opened_text(value) for name, value in cast("Fields", data).items()}
    return [_opened(each) for each in cast("list[Any]", data)] if isinstance(data, list) else data


def _opened_text(value: Json) -> Json:
    if not isinstance(value, str):
        return _opened(value)
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
