"""The reference of one item of the matrix: the answer, the metric it names, and its settings."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb

_Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
_Tolerance = Annotated[float, msgspec.Meta(ge=0, le=1e300)]
_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Side = Annotated[float, msgspec.Meta(gt=0, le=1e9)]


class MatrixGold(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"passing": "pass"},
):
    """What is right for one item of the matrix, as its file says it.

    Attributes:
        metric: The name of the item's metric.
        answer: In the shape that the metric takes.
        options: The options' texts, A first.
        passing: From which score on the item counts as correct (`pass` in a file); None: the
            metric's own mark.
        settings: The metric's settings.
    """

    metric: _Text
    answer: Any
    options: tuple[_Text, ...] = ()
    passing: _Share | None = None
    settings: dict[str, Any] = {}


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a metric that has none."""


class NumberSettings(Settings, frozen=True):
    """How near a number must be, and in which unit it is (its spellings)."""

    relative: _Tolerance = 1e-9
    absolute: _Tolerance = 0.0
    unit: _Text | tuple[_Text, ...] = ()


class SpecSettings(Settings, frozen=True):
    """How near the numbers of a spec must be."""

    relative: _Tolerance = 0.01
    absolute: _Tolerance = 1e-9


class AnlsSettings(Settings, frozen=True):
    """From which similarity on a text counts at all."""

    threshold: _Share = 0.5


class PlaceSettings(Settings, frozen=True):
    """Width and height in pixels, where the reference is in pixels; else it is in 0..1."""

    image_size: tuple[_Side, _Side] | None = None


class CodeSettings(Settings, frozen=True):
    """How a program is judged: by tests that import it as `answer`, or by what it prints."""

    tests: _Text | None = None
    prints: str | None = None


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call."""

    name: _Text
    arguments: dict[str, Any] = {}

    def plain(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"name": self.name, "arguments": self.arguments}


_Made = TypeVar("_Made")


def converted(value: object, kind: type[_Made], field: str, shape: str) -> _Made:
    """Turn a JSON value into a type.

    Raises:
        DataError: It does not fit; names the field and the shape that was expected.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise DataError(f"expected {shape}; {error}", field=field) from None


def each(value: object) -> list[object]:
    """Return a list as it is, and anything else as a list of itself.

    Raises:
        DataError: The list is empty.
    """
    if not isinstance(value, list):
        return [value]
    if not value:
        raise DataError("the list is empty, so no answer is correct", field="answer")
    return cast("list[object]", value)


def texts_of(gold: MatrixGold) -> tuple[str, ...]:
    """Return the accepted texts of a gold whose answer is one text or a list of them.

    Raises:
        DataError: It is neither, or a text is blank.
    """
    shape = f"a text, or a list of texts, for {gold.metric}"
    texts = converted(each(gold.answer), list[str], "answer", shape)
    if any(not text.strip() for text in texts):
        raise DataError("an accepted text is blank", field="answer")
    return tuple(texts)


def letters_of(gold: MatrixGold) -> tuple[str, ...]:
    """Return the letters of the accepted options, each named by its letter or its text.

    Raises:
        DataError: An answer is no option, or is one option's letter and another's text.
    """
    letters = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(gold.options)])
    by_text = {_form(text): letter for letter, text in zip(letters, gold.options, strict=True)}
    return tuple(_letter(text, letters, by_text) for text in texts_of(gold))


def _letter(text: str, letters: tuple[str, ...], by_text: Mapping[str, str]) -> str:
    letter = text.strip().upper()
    said = by_text.get(_form(text))
    if letter not in letters:
        if said is None:
            raise DataError(
                f"{text!r} is not an option: give a letter, A to {letters[-1]} or an option's text",
                field="answer",
            )
        return said
    if said not in (None, letter):
        raise DataError(
            f"{text!r} is the letter of one option and the text of option {said}: reword the"
            " options",
            field="answer",
        )
    return letter


def check_options(options: tuple[str, ...]) -> None:
    """Check that options can be told apart and be lettered.

    Raises:
        DataError: There is one only, there are more than 26, or two say the same.
    """
    if options and not 2 <= len(options) <= 26:
        raise DataError(f"expected 2 to 26 options, not {len(options)}", field="options")
    forms = [_form(option) for option in options]
    for index, form in enumerate(forms):
        if not form:
            raise DataError("an option is blank", field="options")
        if form in forms[:index]:
            raise DataError(f"two options have the text {options[index]!r}", field="options")


def _form(text: str) -> str:
    return " ".join(text.split()).casefold()


def unit_box(gold: MatrixGold, settings: PlaceSettings) -> Ltrb:
    """Return a gold's box in fractions of the image.

    Raises:
        DataError: It is no box, or it leaves the image.
    """
    width, height = settings.image_size or (1.0, 1.0)
    shape = "a box [left, top, right, bottom]"
    left, top, right, bottom = converted(gold.answer, Ltrb, "answer", shape)
    box = (left / width, top / height, right / width, bottom / height)
    if not (0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1):
        how = f"an image of {width:g} x {height:g} pixels" if settings.image_size else "0..1"
        raise DataError(
            f"{[left, top, right, bottom]} is not a box [left, top, right, bottom] inside {how};"
            " a box in pixels needs settings {image_size: [width, height]}",
            field="answer",
        )
    return box
