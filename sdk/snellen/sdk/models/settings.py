"""Which model is asked, with which parameters, and within which limits."""

import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, JsonValue
from pydantic.dataclasses import dataclass as checked

from snellen.grading.errors import InputError, SnellenError
from snellen.grading.models.items import Item
from snellen.sdk.recipes.recipe import Recipe
from snellen.tasks.views import View

Api = Literal["openai", "anthropic"]
_SET = ("model", "messages", "stream", "n")


@dataclass(frozen=True, slots=True)
class Question:
    """What a model sees of one item; it does not lead to the reference."""

    item: Item
    prompt: str  # the complete text
    images: Mapping[str, View] = field(default_factory=dict[str, View])  # as sent, by name
    # With a recipe: its messages, as in OpenAI's chat completions.
    messages: Sequence[Mapping[str, Any]] = ()


Ask = Callable[[Question], Awaitable[str]]
"""An async function that answers a question."""


@dataclass(frozen=True)
class Endpoint:
    """A model behind an HTTP API. The key and the headers are sent, and never written.

    Raises:
        InputError: The base URL is not an http or https URL, or has more than host and path.
    """

    base_url: str  # such as `http://localhost:8000/v1`, `https://api.anthropic.com`
    name: str  # the model's name there
    api: Api = "openai"  # chat completions, or Anthropic's Messages
    key: str | None = field(default=None, repr=False)  # None: OPENAI_API_KEY, ANTHROPIC_API_KEY
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        # The message omits the URL, which is in reports: these parts often hold a key.
        if parts.username or parts.password or parts.query or parts.fragment:
            raise InputError("give only scheme, host and path", field="base_url")
        if not re.fullmatch(r"https?://(\[.+\]|[^/:]+)(:\d+)?(/.*)?", self.base_url):
            raise InputError(f"{self.base_url!r} is not an http or https URL", field="base_url")

    def secret(self) -> str:
        """Return the key; a text that stands for none if there is none."""
        return self.key or os.environ.get(f"{self.api.upper()}_API_KEY", "").strip() or "none"


@checked(frozen=True)
class Decoding:
    """The decoding parameters. One that is None is not sent."""

    temperature: Annotated[float, Field(ge=0)] | None = 0.0
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = 1024
    seed: int | None = None
    stop: tuple[str, ...] = ()
    # More fields of the request, under the API's names.
    extra: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    def __post_init__(self) -> None:
        for name in _SET:
            if name in self.extra:
                raise InputError(f"{name!r} is set by snellen", field="extra")

    @classmethod
    def of(cls, recipe: Recipe) -> "Decoding":
        """Return a recipe's parameters; those that it does not have are not sent."""
        given: dict[str, Any] = {"temperature": None, "max_tokens": None}
        return cls(**given | recipe.decoding)

    @property
    def for_inspect(self) -> dict[str, Any]:
        """The parameters under the names of Inspect's `GenerateConfig`."""
        return {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "stop_seqs": list(self.stop) or None,
            "extra_body": dict(self.extra) or None,
        }

    def stated(self) -> dict[str, Any]:
        """Return the parameters that are sent, under the names used here."""
        own = {name: getattr(self, name) for name in ("temperature", "top_p", "max_tokens", "seed")}
        own["stop"] = list(self.stop) or None
        return {name: value for name, value in own.items() if value is not None} | dict(self.extra)


@checked(frozen=True)
class Limits:
    """The limits of an evaluation."""

    concurrency: Annotated[int, Field(ge=1)] = 8  # requests at a time
    retries: Annotated[int, Field(ge=0)] = 6  # of a request, after temporary faults
    timeout: Annotated[float, Field(gt=0)] = 600.0  # seconds for one answer
    # Seconds before the first retry, at most; twice as long before each further one.
    first_wait: Annotated[float, Field(ge=0)] = 0.5
    give_up_after: Annotated[int, Field(ge=1)] = 32  # items in a row without an answer


class EvaluationStoppedError(SnellenError):
    """The evaluation stopped before the last item; earlier answers are kept.

    Attributes:
        submissions: The earlier answers, which can be graded.
    """

    def __init__(self, message: str, submissions: Sequence[Mapping[str, object]] = ()) -> None:
        self.submissions = submissions
        super().__init__(message)
