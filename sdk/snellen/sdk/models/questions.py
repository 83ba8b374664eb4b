"""Question: everything that a model sees of one item."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from pydantic import JsonValue

from snellen.grading.errors import DataError
from snellen.grading.models.items import Item
from snellen.tasks.models import TaskData
from snellen.tasks.views import View, view

_SHARED_VIEWS = 32

REFUSED = "[I cannot.]"
"""The text that replaces an answer withheld by the API's filter; it is graded as a refusal."""


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that a model sees of one item; it does not lead to the reference.

    Attributes:
        item: The public item.
        prompt: The complete text to send.
        images: Its images in the form in which they are sent, by name, in the item's order.
    """

    item: Item
    prompt: str
    images: Mapping[str, View] = field(default_factory=dict[str, View])


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer to one question.

    Attributes:
        text: The answer itself, without reasoning.
        input_tokens: The API's count; None if not stated.
        output_tokens: The API's count; None if not stated.
        finish_reason: The API's reason for the end of the answer.
        cut: Whether it was cut at max_tokens.
        refused: Whether the API reports a refusal by the model or a filter.
        fixed: Whether characters were replaced because the reply had invalid bytes.
    """

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    finish_reason: str | None = None
    cut: bool = False
    refused: bool = False
    fixed: bool = False

    def meta(self) -> dict[str, JsonValue]:
        """Return the metadata to save with the text: known values, and flags that are set."""
        known: dict[str, JsonValue] = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "finish_reason": self.finish_reason,
            "cut": self.cut or None,
            "refused": self.refused or None,
            "fixed": self.fixed or None,
        }
        return {key: value for key, value in known.items() if value is not None}


Model = Callable[[Question], Awaitable[str]]
"""An async function that answers a question."""


class Questions(Protocol):
    """The questions for a model."""

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the questions, under which answers are saved, in order."""
        ...

    async def make(self, item_id: str) -> Question:
        """Return the question of an id.

        Raises:
            DataError: One of its images can't be read.
        """
        ...


class ItemQuestions:
    """The questions of a task's items, with images of a stated size or without."""

    def __init__(
        self,
        data: TaskData,
        ids: Sequence[str],
        *,
        with_images: bool,
        max_view_side: int | None,
    ) -> None:
        self.ids = ids
        self._data = data
        self._with_images = with_images
        self._max_side = max_view_side
        # Questions about the same screenshot are consecutive, so they share its view.
        self._native: Callable[[bytes], View] = lru_cache(_SHARED_VIEWS)(view)
        self._scaled: Callable[[bytes], asyncio.Future[View]] = lru_cache(_SHARED_VIEWS)(
            self._start_scaling
        )

    async def make(self, item_id: str) -> Question:
        """Return the question of an item.

        Raises:
            DataError: One of its images can't be read.
        """
        item = self._data.item(item_id)
        if not (self._with_images and item.images):
            return Question(item, item.prompt)
        images = {image.name: await self._view(item_id, image.name) for image in item.images}
        return Question(item, item.prompt, images)

    async def _view(self, item_id: str, name: str) -> View:
        try:
            data = self._data.image(item_id, name)
            if self._max_side is None:
                # Reading a header takes less time than a switch to a thread.
                return self._native(data)
            return await asyncio.shield(self._scaled(data))
        except DataError as error:
            message = f"image {name!r} of {item_id}: {error.message}"
            raise DataError(message, file=error.file) from None

    def _start_scaling(self, data: bytes) -> asyncio.Future[View]:
        return asyncio.ensure_future(asyncio.to_thread(view, data, self._max_side))
