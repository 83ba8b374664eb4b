"""A judge's profile: its prompts, settings and decoding, from the file `NAME.toml` beside this."""

import re
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
)

from snellen.grading.errors import DataError, InputError
from snellen.sdk.recipes.pixels import Pixels, data_url
from snellen.sdk.recipes.recipe import Published
from snellen.tasks.views import view

_HERE = "snellen.sdk.judges"
_PLACES = re.compile(r"\{\{(\w+)\}\}")
# The published `encode_image`: Pillow's JPEG, of its default quality.
_JPEG = Pixels(mode="RGB", encode="JPEG", quality=75)

Ask = Callable[[list[ChatMessage]], Awaitable[str]]
"""A call of the model: messages in, the reply's text out."""


class Profile(Published, frozen=True, kw_only=True):
    """A published judge.

    Attributes:
        settings: The numbers that a user can set, with the published values.
        decoding: Fields of Inspect's `GenerateConfig`.
        prompts: The texts; `{{name}}` stands for what differs between trajectories.
    """

    settings: dict[str, int]
    decoding: dict[str, Any]
    prompts: dict[str, str]

    def text(self, prompt: str, **values: str) -> str:
        """Return a prompt with its values in place."""
        # In one pass: a task may hold such braces itself.
        return _PLACES.sub(lambda match: values[match[1]], self.prompts[prompt])

    def signature(self, settings: Mapping[str, int]) -> str:
        """Return its name, version and changed settings: `judge:webvoyager@1+screenshots:15`."""
        changed = [
            f"+{name}:{value}" for name, value in settings.items() if value != self.settings[name]
        ]
        return f"judge:{self.name}@{self.version}{''.join(changed)}"

    def set(self, **given: int) -> dict[str, int]:
        """Return the settings with some replaced.

        Raises:
            InputError: There is no such setting, or its value is no whole number of at least 1.
        """
        for name, value in given.items():
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                raise InputError(f"{self.name} has no such setting; it has: {known}", field=name)
            if type(value) is not int or value < 1:
                raise InputError(f"must be a whole number of at least 1, not {value!r}", field=name)
        return {**self.settings, **given}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's decision on one trajectory."""

    value: float | None  # 1 success, 0 failure; None: the reply has no verdict
    reply: str  # the last one
    calls: int
    about: dict[str, Any] = field(default_factory=dict[str, Any])  # more for the log


@cache
def profile(name: str) -> Profile:
    """Return a profile by the name of its file."""
    text = files(_HERE).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.convert({"name": name, **tomllib.loads(text)}, Profile)


def turns(system: str, *parts: str | ContentImage) -> list[ChatMessage]:
    """Return the messages of one call: a system prompt, and the user's parts in order."""
    shown = [ContentText(text=part) if isinstance(part, str) else part for part in parts]
    return [ChatMessageSystem(content=system), ChatMessageUser(content=[*shown])]


def picture(
    path: Path, detail: Literal["auto", "high"] = "auto", jpeg: bool = False
) -> ContentImage:
    """Return a screenshot as it is sent.

    Args:
        path: Its file.
        detail: The detail that the script asks for.
        jpeg: Whether the script encodes it again as JPEG.

    Raises:
        InputError: It can't be read.
    """
    try:
        data = path.read_bytes()
        return ContentImage(image=data_url(_JPEG.view(data) if jpeg else view(data)), detail=detail)
    except DataError as error:
        raise InputError(error.message, file=str(path)) from None
    except OSError as error:
        raise InputError(f"it can't be read: {error.strerror or error}", file=str(path)) from None


def status(reply: str) -> float | None:
    """Return the verdict after `Status:`: 1 for success, 0 for failure, None for neither.

    As published, text with both is a success. Source: Online-Mind2Web `src/utils.py`,
    `extract_predication`, which makes a failure of neither.
    """
    _, *after = reply.lower().split("status:")
    if not after:
        return None
    return 1.0 if "success" in after[0] else 0.0 if "fail" in after[0] else None
