"""What decides a task of WebArena, and the answers that it makes right."""

import json
import re
from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlencode

import msgspec

from snellen.tasks.benchmarks.webarena.rules.requests import STEP, Request, RequestCheck
from snellen.tasks.benchmarks.webarena.rules.strings import Original
from snellen.tasks.benchmarks.webarena.rules.values import Json, Schema, is_pattern, matches


class Expected(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer that a task expects.

    Attributes:
        task_type: retrieve, mutate or navigate.
        status: One of `STATUSES`.
        retrieved_data: What is to be retrieved; a list in it holds alternatives.
    """

    task_type: str
    status: str
    retrieved_data: list[Any] | msgspec.UnsetType | None = msgspec.UNSET


class ResponseCheck(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="evaluator",
    tag="AgentResponseEvaluator",
):
    """The expected answer, the types of its data, and whether their order counts."""

    expected: Expected
    results_schema: dict[str, Any]
    ordered: bool = False


class WebTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """What decides a task.

    Attributes:
        sites: The sites that it is about: gitlab, map, reddit, shopping, ...
        eval: WebArena-Verified's checks; the first is of the answer.
        original: WebArena's own `eval`; None: its file is not beside the data.
    """

    sites: tuple[str, ...]
    eval: tuple[ResponseCheck | RequestCheck, ...]
    original: Original | None = None

    @property
    def response(self) -> ResponseCheck:
        """The check of the answer."""
        return next(one for one in self.eval if isinstance(one, ResponseCheck))

    @property
    def requests(self) -> Sequence[RequestCheck]:
        """The checks of requests."""
        return [one for one in self.eval if isinstance(one, RequestCheck)]


def responses(gold: WebTask) -> Sequence[object]:
    """Write an answer that is right: the first alternatives, and a log with every request."""
    check = gold.response
    data = check.expected.retrieved_data
    response = {
        "task_type": check.expected.task_type,
        "status": check.expected.status,
        "retrieved_data": _example(data, check.results_schema) if isinstance(data, list) else None,
    }
    if not gold.requests:
        return [response]
    sites = {f"__{name.upper()}__": f"http://{name.replace('_', '-')}.test" for name in gold.sites}
    wanted = [one.expected for one in gold.requests if not one.should_not_exist]
    network = [_entry(one, sites) for one in wanted or [Request("http://other.test/")]]
    return [{"agent_response": response, "network": network, "environments": sites}]


def _example(value: Json, schema: Schema | None = None) -> Json:
    """Return a value that is right: of alternatives the first, of a pattern a simple text."""
    schema = schema or {}
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {
            name: _example(each, properties.get(name))
            for name, each in cast("dict[str, Any]", value).items()
        }
    if isinstance(value, list):
        several = cast("list[Any]", value)
        if schema.get("type") == "array":
            return [_example(each, schema.get("items")) for each in several]
        return _example(several[0], schema)
    return simplest(value) if is_pattern(value) else value


_GROUPS = ((r"\((?:\?:)?[^()]*\)[?*]", ""), (r"\((?:\?:)?([^()|]*)[^()]*\)", r"\1"))
_SIMPLER = (
    *((r"\(\?![^)]*\)", ""), (r"\(\?=\.\*([^)]*)\)", r"\1")),
    *_GROUPS * 3,
    *((r"\|.*", ""), (r"\[\.\\s\]\+|\\s\+", " "), (r"\\d\+", "1"), (r"(?<!\\)\.[+*]", "x")),
    *((r"(?:\\.|\[[^]]*\]|.)[*?]", ""), (r"\\(.)", r"\1")),
)


def simplest(pattern: str) -> str:
    r"""Return a simple text of a pattern; the pattern itself if none is found.

    >>> simplest(r"^__X__/\d+/(a|b)-.*$"), simplest(r"^#?\s*0*170$")
    ('__X__/1/a-x', '170')
    """
    text = pattern[1:-1]
    for part, simple in _SIMPLER:
        text = re.sub(part, simple, text)
    return text if matches(pattern, text) else pattern


def _entry(wanted: Request, sites: dict[str, str]) -> Json:
    """Write a request as a HAR has it."""

    def placed(text: str) -> str:
        for name, url in sites.items():
            text = text.replace(name, url)
        return text

    url = placed(_example(wanted.url))
    if wanted.query_params is not None:
        query = {name: _example(value) for name, value in wanted.query_params.items()}
        url = f"{url.partition('?')[0]}?{urlencode(query)}"
    headers = {"Accept": "text/html"} | {
        name: placed(_example(value)) for name, value in (wanted.headers or {}).items()
    }
    request: dict[str, Any] = {
        "method": wanted.http_method,
        "url": url,
        "headers": [{"name": name, "value": value} for name, value in headers.items()],
    }
    if wanted.post_data:
        request["postData"] = _json(wanted.post_data)
    response: dict[str, Any] = {"status": wanted.response_status}
    if wanted.response_content:
        response["content"] = _json(wanted.response_content)
    if wanted.response_cookies:
        response["cookies"] = [
            {"name": name, "value": _example(value)}
            for name, value in wanted.response_cookies.items()
        ]
    return {"request": request, "response": response}


def _json(fields: dict[str, Any]) -> dict[str, str]:
    """Write fields, whose names may be paths, as JSON."""
    root: dict[str, Any] = {}
    for name, value in fields.items():
        path = name.removeprefix("$.") if name.startswith("$.^") else name
        if is_pattern(path):
            root[simplest(path)] = _example(value)
        elif name.startswith("$"):
            _place(root, list(STEP.finditer(name, 1)), value)
        else:
            root[name] = _example(value)
    return {"mimeType": "application/json", "text": json.dumps(root)}


def _place(inside: Json, steps: Sequence[re.Match[str]], value: Json) -> None:
    """Put a value where a JSONPath leads."""
    step, *rest = steps
    empty: Json = [] if rest and not (rest[0]["name"] or rest[0]["quoted"]) else {}
    key = step["name"] or step["quoted"]
    if key:
        if rest:
            _place(inside.setdefault(key, empty), rest, value)
        else:
            inside[key] = value if isinstance(value, list) else _example(value)
        return
    if step["field"]:
        # Each of the values stands in a row of its own.
        for each in value:
            inside.append({step["field"]: json.loads(step["value"])})
            _place(inside[-1], rest, each)
        return
    index = int(step["place"])
    inside += [{} for _ in range(len(inside), index + 1)]
    _place(inside[index], rest, value)
