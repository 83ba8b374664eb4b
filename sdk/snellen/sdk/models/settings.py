"""How a model is asked: decoding, and the limits that asking keeps to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TypedDict

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import InputError

_OURS = frozenset({"model", "messages", "stream", "n"})


@dataclass(frozen=True, slots=True)
class Decoding:
    """How answers are drawn from a model; what is None is not sent.

    Attributes:
        temperature: 0 is as deterministic as the server can be. Some models take none at all.
        top_p: The nucleus to draw from.
        max_tokens: An answer is cut after so many. For models that want it under another name:
            None here, and that name in `extra`.
        seed: For APIs that take one.
        stop: Texts that end an answer.
        extra: Further fields of the request, as the API names them.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = 1024
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature < float("inf"):
            raise InputError(f"it must be at least 0, not {self.temperature}", field="temperature")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError(f"it must lie in (0, 1], not be {self.top_p}", field="top_p")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InputError(f"it must be at least 1, not {self.max_tokens}", field="max_tokens")
        if isinstance(self.stop, str):
            raise InputError(f"it takes several texts: ({self.stop!r},)", field="stop")
        taken = sorted(_OURS & self.extra.keys())
        if taken:
            raise InputError(f"{taken[0]!r} is set by snellen", field="extra")
        try:
            msgspec.json.encode(self.extra)
        except (TypeError, ValueError) as error:
            raise InputError(f"it must be JSON: {error}", field="extra") from None

    def stated(self) -> dict[str, JsonValue]:
        """Return what is not None, by the names used here."""
        known: dict[str, JsonValue] = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "stop": list(self.stop) or None,
        }
        return {key: value for key, value in known.items() if value is not None} | dict(self.extra)


@dataclass(frozen=True, slots=True)
class Limits:
    """What asking keeps to.

    Attributes:
        concurrency: At most so many requests at a time.
        requests_per_minute: At most so many, evenly spaced; None: as fast as answers come.
        tokens_per_minute: Input and output together, spaced by what answers took so far.
        retries: A request is repeated at most so often after faults that may pass.
        timeout: Seconds for one whole answer.
        connect_timeout: Seconds to reach the server.
        first_wait: Seconds before a first repetition, at most: each wait is drawn from 0 up to
            twice the bound of the one before. A server's Retry-After goes before it.
        longest_wait: No wait is longer; a server that asks for more stops the run.
        give_up_after: So many items in a row without an answer stop the run, and so do errors of
            all items.
    """

    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    retries: int = 6
    timeout: float = 600.0
    connect_timeout: float = 10.0
    first_wait: float = 0.5
    longest_wait: float = 300.0
    give_up_after: int = 32

    def __post_init__(self) -> None:
        for name in ("concurrency", "give_up_after"):
            if getattr(self, name) < 1:
                raise InputError(f"it must be at least 1, not {getattr(self, name)}", field=name)
        for name in ("retries", "first_wait", "longest_wait"):
            if not (getattr(self, name) >= 0 and isfinite(getattr(self, name))):
                raise InputError(f"it must be at least 0, not {getattr(self, name)}", field=name)
        for name in ("requests_per_minute", "tokens_per_minute", "timeout", "connect_timeout"):
            value = getattr(self, name)
            if value is not None and not (value > 0 and isfinite(value)):
                raise InputError(f"it must be more than 0, not {value}", field=name)


class AskingOptions(TypedDict, total=False):
    """The fields of `Asking`, as keyword arguments of what asks a model."""

    name: str | None
    max_view_side: int | None
    decoding: Decoding | None
    limits: Limits
    run: str | Path | None
    cache: bool | str | Path | None
    progress: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a model is asked, whatever is asked.

    Attributes:
        name: The model's name, for a base URL; for a function, what it is called in the report.
        max_view_side: Scale images down so that no side is longer, in pixels; None sends them
            as they are.
        decoding: How answers are drawn; `Decoding()` when None. For a function: what it does,
            to be recorded.
        limits: Concurrency, rates, retries and time-outs.
        run: A folder that keeps the answers as they come; None: they live in memory.
        cache: True, False or the cache's file. None: only for a hosted API (https) that is asked at
            temperature 0.
        progress: Show how far it is on standard error; None: on a terminal.
    """

    name: str | None = None
    max_view_side: int | None = None
    decoding: Decoding | None = None
    limits: Limits = field(default_factory=Limits)
    run: str | Path | None = None
    cache: bool | str | Path | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        side = self.max_view_side
        if side is not None and side < 1:
            raise InputError(f"it must be at least 1, not {side}", field="max_view_side")
