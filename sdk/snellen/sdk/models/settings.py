"""Settings of a model's run: decoding and limits."""

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
    """The decoding parameters; a parameter that is None is not sent.

    Attributes:
        temperature: 0 is as deterministic as the server allows. Some models do not accept it.
        top_p: The probability mass of nucleus sampling.
        max_tokens: The maximum length of an answer. If a model uses another name for it: None here,
            and that name in `extra`.
        seed: The seed, for APIs that accept one.
        stop: Texts that end an answer.
        extra: Further fields of the request, under the API's names.
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
            raise InputError(
                f"it must be greater than 0 and at most 1, not {self.top_p}", field="top_p"
            )
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InputError(f"it must be at least 1, not {self.max_tokens}", field="max_tokens")
        if isinstance(self.stop, str):
            raise InputError(f"it must be a tuple of texts, such as ({self.stop!r},)", field="stop")
        taken = sorted(_OURS & self.extra.keys())
        if taken:
            raise InputError(f"{taken[0]!r} is set by snellen", field="extra")
        try:
            msgspec.json.encode(self.extra)
        except (TypeError, ValueError) as error:
            raise InputError(f"it must be JSON: {error}", field="extra") from None

    def stated(self) -> dict[str, JsonValue]:
        """Return the parameters that are not None, under the names used here."""
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
    """The limits of a run.

    Attributes:
        concurrency: The maximum number of requests at a time.
        requests_per_minute: The maximum rate, evenly spaced; None: as fast as answers arrive.
        tokens_per_minute: The maximum of input and output tokens, spaced by the mean of earlier
            answers.
        retries: The maximum number of retries of a request after temporary faults.
        timeout: The maximum duration of one answer, in seconds.
        connect_timeout: The maximum time to connect, in seconds.
        first_wait: The maximum wait before the first retry, in seconds. Each wait is random, from 0
            up to twice the maximum of the previous one. A server's Retry-After takes precedence.
        longest_wait: The maximum wait; if a server requests a longer one, the run stops.
        give_up_after: The run stops after this number of consecutive items without an answer, and
            if all items are errors.
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
    """The fields of `Asking`, as keyword arguments."""

    name: str | None
    max_view_side: int | None
    decoding: Decoding | None
    limits: Limits
    run: str | Path | None
    cache: bool | str | Path | None
    progress: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The settings of a model's run, independent of the questions.

    Attributes:
        name: The model's name, for a base URL; for a function, its name in the report.
        max_view_side: Scale images down so that no side is longer, in pixels; None sends them
            unchanged.
        decoding: The decoding parameters; None: `Decoding()`. For a function: the parameters that
            it uses, for the record.
        limits: Concurrency, rates, retries and timeouts.
        run: A folder that saves each answer at once; None: answers stay in memory.
        cache: True, False or the cache's file. None: only for a hosted API (https) at temperature
            0.
        progress: Show the progress on standard error; None: on a terminal.
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
