"""A call of a tool: its arguments, and what becomes known of it until its line in the log."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from snellen.grading.models.base import Closed
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Format
from snellen.server.logs import fault, log, short

if TYPE_CHECKING:
    from mcp.types import InitializeRequestParams

    from snellen.server.attempts.models import Caller, Lease
    from snellen.server.episodes.service import Episodes
    from snellen.server.host import Host
    from snellen.server.screenshots.requests import Limits
    from snellen.server.screenshots.service import View
    from snellen.server.store.tables.exams import Attempt

_WITHOUT_WEBP = re.compile(r"llama|lm.?studio", re.IGNORECASE)
"""Software whose models can't read WebP. llama.cpp decodes images with stb_image (llama.cpp#15542),
and some versions leave out what they can't decode without an error; ollama and LM Studio use it."""

MAX_NAME = 64


@dataclass(slots=True)
class Call:
    """A call of a tool, or the reading of a resource. It is logged and traced even if it fails.

    The last fields are set while it runs, when they are known.

    Attributes:
        tool: The tool; for an application's tool, its action once this is known.
        caller_name: The caller, as the transport reports it.
        arguments: The arguments, as received.
        introduced: How the client's software introduced itself; None: it did not.
        address: The address of the exam's pages; empty: it has none.
        host: The exam.
        attempt: Its attempt; None until the attempt is known to be the caller's.
        item: The item's id in the attempt.
        place: The item's index in the attempt.
        views: The returned images.
        fault: The name of an image that can't be shown, a fault of the exam.
    """

    tool: str
    caller_name: str
    arguments: Mapping[str, Any]
    introduced: "InitializeRequestParams | None" = None
    address: str = ""
    host: "Host" = field(init=False)
    attempt: "Attempt | None" = None
    item: str | None = None
    place: int | None = None
    views: "list[View]" = field(default_factory=list["View"])
    fault: str | None = None
    _start: int = field(default_factory=time.perf_counter_ns)

    def caller(self, client: str = "main") -> "Caller":
        """Return the caller with one of its clients."""
        from snellen.server.attempts.models import Caller

        return Caller(self.caller_name, client)

    async def find(self, handle: str) -> "Attempt":
        """Return the attempt of a handle, if it is the caller's."""
        service = self.host.service
        self.attempt = await service.database.off_loop(
            lambda: service.attempt(handle.strip(), self.caller_name)
        )
        return self.attempt

    def limits(self) -> "Limits":
        """Return the limits of the attempt's views."""
        from snellen.server.screenshots.requests import MOST_SIDE, Limits

        assert self.attempt is not None
        rules = self.attempt.rules
        form, known = rules.format, self.introduced
        if form is Format.AUTO and known and _WITHOUT_WEBP.search(known.client_info.name):
            form = Format.PNG
        return Limits(max_side=min(rules.max_view_side, MOST_SIDE), format=form)

    @property
    def episodes(self) -> "Episodes":
        """The episodes of interactive items.

        Raises:
            ExamError: The exam has no interactive items.
        """
        if self.host.episodes is None:
            raise ExamError("this exam has no interactive items")
        return self.host.episodes

    def about(self, lease: "Lease") -> None:
        """Set the item of the call."""
        self.item, self.place = lease.item.opaque, lease.item.place

    def end(self, outcome: str, error: Exception | None = None) -> None:
        """Log and trace the call.

        Args:
            outcome: `ok`, `refused` or `failed`.
            error: The error that ended it; None: there was none, or its arguments were wrong.
        """
        microseconds = (time.perf_counter_ns() - self._start) // 1000
        refusal = isinstance(error, ExamError)
        if error is not None and (not refusal or error.__cause__ is not None):
            # The caller's message does not contain the cause, which the organizer needs.
            log().error("fault", tool=self.tool, **fault(error))
        handle = self.arguments.get("attempt")
        line: dict[str, Any] = {
            "tool": self.tool,
            "outcome": outcome,
            "caller": self.caller_name,
            "attempt": short(handle) if isinstance(handle, str) else None,
            "item": self.item,
            "image_bytes": sum(len(view.data) for view in self.views) or None,
            "us": microseconds,
            "error": [type(error).__name__] if refusal else None,
        }
        log().info("call", **{name: value for name, value in line.items() if value is not None})
        if self.attempt is not None:
            self._trace(self.attempt, microseconds, outcome)

    def _trace(self, attempt: "Attempt", microseconds: int, outcome: str) -> None:
        from snellen.server.attempts.models import CallTrace

        detail: dict[str, Any] = {} if outcome == "ok" else {"outcome": outcome}
        client = self.arguments.get("client")
        if isinstance(client, str):
            detail["client"] = client
        if self.fault is not None:
            detail["fault"] = self.fault
        if self.views:
            detail["views"] = [view.view_id() for view in self.views]
        trace = CallTrace(
            self.tool,
            microseconds,
            place=self.place,
            image_bytes=sum(len(view.data) for view in self.views),
            image_tokens=sum(view.tokens for view in self.views),
            detail=detail,
        )
        self.host.service.trace(attempt, trace)


def unquoted(value: object) -> object:
    """Parse a list that a client sent as text."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # refused by the type check
    return value


def _looked_up(value: object) -> object:
    """Replace lone surrogates, which can't be encoded; the value is then not found."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


LookedUp = Annotated[str, BeforeValidator(_looked_up)]
Handle = Annotated[LookedUp, Field(max_length=200)]
AttemptHandle = Annotated[Handle, Field(description="Handle from start_attempt")]
ItemId = Annotated[LookedUp, Field(max_length=MAX_NAME)]
ItemArgument = Annotated[ItemId, Field(description="Item id")]
ClientName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
ClientArgument = Annotated[
    ClientName,
    Field(description="Your name for this context; another context takes another name"),
]
Tasks = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=100)]


class Arguments(Closed):
    """The arguments of a tool; null or an empty text for one that has a default is the default.

    Clients in strict mode send null for every argument that they leave out, others empty texts.
    """

    @model_validator(mode="before")
    @classmethod
    def _without_unset(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        fields = cls.model_fields
        return {
            name: value
            for name, value in cast("Mapping[str, object]", given).items()
            if value not in (None, "") or name not in fields or fields[name].is_required()
        }


_UNREAD = {"title", "$ref", "anyOf", "maxLength", "minLength", "pattern", "prefixItems"}


def schema(model: type[Closed]) -> dict[str, Any]:
    """Return an argument class's JSON schema without titles, nulls and null defaults.

    Language models do not need these.
    """
    raw = model.model_json_schema()
    properties = cast("dict[str, dict[str, Any]]", raw.get("properties", {}))
    plain: dict[str, Any] = {
        "type": "object",
        "properties": {name: plain_schema(known) for name, known in properties.items()},
    }
    if required := raw.get("required"):
        plain["required"] = required
    return {**plain, "additionalProperties": False}


def plain_schema(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return an argument's schema without what `schema` leaves out."""
    kept = {
        key: value
        for key, value in known.items()
        if key not in _UNREAD and not (key == "default" and value is None)
    }
    if "prefixItems" in known:
        kept["items"] = dict(known["prefixItems"][0])
    choices = [choice for choice in known.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        return {**plain_schema(choices[0]), **kept}
    if choices:
        kept["anyOf"] = choices
    if isinstance(kept.get("items"), Mapping):
        kept["items"] = plain_schema(kept["items"])
    return kept


def said(error: ValidationError, tool: str, model: type[Closed]) -> str:
    """Return the message for wrong arguments, with the tool's arguments but no values."""
    known = list(model.model_fields)
    wrong: list[str] = []
    for found in error.errors(include_url=False, include_input=False, include_context=False):
        path = ".".join(str(part) for part in found["loc"])[:80]
        if found["type"] == "extra_forbidden":
            close = get_close_matches(path, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            wrong.append(f"there is no argument {path!r}{hint}")
        elif found["type"] == "missing" and len(found["loc"]) == 1:
            wrong.append(f"the argument {path!r} is missing")
        else:
            wrong.append(f"{path}: {found['msg']}")
    taken = f"{tool} takes {', '.join(known)}" if known else f"{tool} takes no arguments"
    return f"{'; '.join(dict.fromkeys(wrong))}. {taken}."
