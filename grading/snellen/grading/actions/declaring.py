"""What an answer says of itself: `{"format": …, "space": …, "view": [w, h], "response": …}`."""

import json
from collections.abc import Mapping
from typing import NamedTuple, cast

from snellen.grading.actions.formats import Format, format_of
from snellen.grading.coordinates import HUNDRED, PIXELS, THOUSAND, UNIT, VIEW, CoordinateSpace
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.geometry import Size

SPACES: Mapping[str, CoordinateSpace] = {
    space.id: space for space in (UNIT, PIXELS, THOUSAND, VIEW, HUNDRED)
}
"""The spaces that an answer can declare, by their id."""

_FIELDS = frozenset({"format", "space", "view", "response"})
_LONGEST = 1_000_000
_LARGEST_SIDE = 1e6


class Declared(NamedTuple):
    """An answer, and what it or its user says of it.

    Attributes:
        response: The answer itself.
        format: Its format; None where none is declared.
        space: What its coordinates count; None where the format says it.
        view: The size of the image that the model saw, in pixels; None where none is declared.
    """

    response: object
    format: Format | None = None
    space: CoordinateSpace | None = None
    view: Size | None = None

    @property
    def counts(self) -> CoordinateSpace | None:
        """What its coordinates count, as far as that is declared."""
        if self.space is None and self.view is not None:
            return VIEW
        return self.space


class ReadAs(NamedTuple):
    """What a caller says of every answer of a run that says nothing itself.

    Attributes:
        format: A format's name; None: nothing.
        space: A space's id; None: the format's.
        view: The width and height of the image that the model saw, in pixels; None: unknown.
    """

    format: str | None = None
    space: str | None = None
    view: tuple[float, float] | None = None

    def checked(self) -> "ReadAs":
        """Return the same, with the format's own name.

        Raises:
            InputError: There is no such format or space, or the view is no size.
        """
        space_of(self.space)
        view_of(self.view)
        return self._replace(format=None if self.format is None else format_of(self.format).name)

    @property
    def words(self) -> str:
        """What a signature says: `qwen3-vl`, `space=thousand`, `view=1280x720`, with commas."""
        view = "" if self.view is None else f"view={self.view[0]:g}x{self.view[1]:g}"
        space = "" if self.space is None else f"space={self.space}"
        return ",".join(filter(None, (self.format, space, view)))

    def wrap(self, response: object) -> object:
        """Return a response that says so; one that declares something, or is empty, as it is."""
        if response is None or (isinstance(response, str) and not response.strip()):
            return response
        try:
            own = declared(response)
        except InputError:
            return response
        if own.format is not None or own.counts is not None:
            return response
        said = {"format": self.format, "space": self.space, "view": self.view and list(self.view)}
        return {**{name: value for name, value in said.items() if value}, "response": response}


def declared(response: object) -> Declared:
    """Return an answer with what it declares; an answer that declares nothing as it is.

    Declared is an object with `response` beside `format`, `space` or `view`, or with `format`
    "plain" and an action's fields; or the JSON text of one.

    Raises:
        InputError: It names an unknown format, space or field, or a view that is no size.
    """
    fields = _object(response)
    if fields is None or not _declares(fields):
        return Declared(response)
    name = fields.get("format")
    chosen = None if name is None else _format(name)
    space = space_of(fields.get("space"))
    view = view_of(fields.get("view"))
    if "response" in fields:
        unknown = sorted(fields.keys() - _FIELDS)
        if unknown:
            raise InputError(
                f"unknown field {unknown[0]!a} beside the response; known:"
                f" {', '.join(sorted(_FIELDS))}"
            )
        return Declared(fields["response"], chosen, space, view)
    inner = {key: value for key, value in fields.items() if key not in ("format", "space", "view")}
    return Declared(inner, chosen, space, view)


def undeclared(response: object) -> object:
    """Return an answer without what it declares, also where that is wrong.

    >>> undeclared({"format": "qwen", "response": "x"}), undeclared("y")
    ('x', 'y')
    """
    try:
        return declared(response).response
    except InputError:
        return response


def _declares(fields: Mapping[str, object]) -> bool:
    if "response" in fields:
        return any(name in fields for name in ("format", "space", "view"))
    return isinstance(fields.get("format"), str) and str(fields["format"]).lower() == "plain"


def _object(response: object) -> Mapping[str, object] | None:
    if isinstance(response, str):
        text = response.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
        text = text.strip()
        if not text.startswith("{") or len(text) > _LONGEST:
            return None
        if '"format"' not in text and '"response"' not in text:
            return None
        try:
            response = json.loads(text)
        except (ValueError, RecursionError):
            return None
    return cast("Mapping[str, object]", response) if isinstance(response, dict) else None


def _format(name: object) -> Format:
    if not isinstance(name, str):
        raise InputError(f"a format is named by a text, not {name!a:.60}")
    return format_of(name)


def space_of(name: object) -> CoordinateSpace | None:
    """Return a space by its id; None for none.

    Raises:
        InputError: There is no such space.
    """
    if name is None:
        return None
    if not isinstance(name, str) or name not in SPACES:
        raise UnknownNameError("space", str(name)[:60], SPACES)
    return SPACES[name]


def view_of(value: object) -> Size | None:
    """Return a size out of [width, height]; None for none.

    Raises:
        InputError: It is no size.
    """
    if value is None:
        return None
    sides = cast("list[object]", value) if isinstance(value, list | tuple) else []
    numbers = [
        side for side in sides if isinstance(side, int | float) and 0 < side <= _LARGEST_SIDE
    ]
    if len(numbers) != 2 or len(sides) != 2:
        raise InputError(f"view must be [width, height] in pixels, not {value!a:.60}")
    return Size(width=float(numbers[0]), height=float(numbers[1]))
