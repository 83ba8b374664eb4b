"""What ScreenQA's files hold, whichever container they come in.

The layout is documented in the README of github.com/google-research-datasets/screen_qa; the
Hugging Face mirrors hold the same references under `screen_id` instead of `image_id`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from snellen.grading.models.golds import Golds
from snellen.grading.models.items import Image
from snellen.tasks.io.rows import SCREEN, Pixels, Split, Text, misfit

_Bounds = tuple[float, float, float, float]
_Truth = TypeVar("_Truth")


# gc=False: these hold no cycles, and a split has hundreds of thousands of them.
class FullAnswer(msgspec.Struct, gc=False):
    """One rater's full sentence."""

    full_answer: str


class ElementText(msgspec.Struct, gc=False):
    """What one UI element says."""

    text: str


class ElementBox(msgspec.Struct, gc=False):
    """What one UI element says, and its left, top, right and bottom."""

    text: str
    bounds: _Bounds


class ElementTexts(msgspec.Struct, gc=False):
    """One rater's UI elements, as texts."""

    ui_elements: list[ElementText]


class ElementBoxes(msgspec.Struct, gc=False):
    """One rater's UI elements, as texts and boxes."""

    ui_elements: list[ElementBox]


class JsonRow(msgspec.Struct, Generic[_Truth], gc=False):
    """One question of a JSON file; the first release does not state sizes."""

    image_id: Annotated[int, msgspec.Meta(ge=0)]
    question: Text
    ground_truth: _Truth
    image_width: Pixels | None = None
    image_height: Pixels | None = None


class MirrorRow(msgspec.Struct, Generic[_Truth], gc=False):
    """One question of a mirror's parquet file."""

    screen_id: Annotated[str, msgspec.Meta(pattern=r"^[0-9]+\Z")]
    question: Text
    ground_truth: _Truth


Texts = Annotated[list[str], msgspec.Meta(min_length=1)]
FullAnswers = Annotated[list[FullAnswer], msgspec.Meta(min_length=1)]
RaterTexts = Annotated[list[ElementTexts], msgspec.Meta(min_length=1)]
RaterBoxes = Annotated[list[ElementBoxes], msgspec.Meta(min_length=1)]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one task's references are published and what they look like there.

    The types leave out the fields that the task does not need: those are neither read nor
    checked.

    Attributes:
        folder: The folder of the repository.
        mirror: The Hugging Face mirror that holds the same references as parquet.
        truth: The msgspec type of one row's `ground_truth`.
        gold: From one row's `ground_truth` to the published shape of the task's reference.
        by_rater: Whether each element of `ground_truth` is one rater's.
        boxed: Whether the golds hold boxes.
    """

    folder: str
    mirror: str
    truth: Any
    gold: Callable[[Any], list[Any]]
    by_rater: bool = False
    boxed: bool = False

    @property
    def row(self) -> type[JsonRow[Any]]:
        """The type of a row of a JSON file."""
        return JsonRow[self.truth]

    @property
    def mirror_row(self) -> type[MirrorRow[Any]]:
        """The type of a row of a mirror's parquet file."""
        return MirrorRow[self.truth]


def _full_answers(raters: Sequence[FullAnswer]) -> list[str]:
    return [rater.full_answer for rater in raters]


def _texts(raters: Sequence[ElementTexts]) -> list[list[str]]:
    return [[element.text for element in rater.ui_elements] for rater in raters]


# Tuples of atoms, unlike lists, drop out of the garbage collector's rounds.
def _boxes(raters: Sequence[ElementBoxes]) -> list[list[tuple[_Bounds, str]]]:
    return [[(element.bounds, element.text) for element in rater.ui_elements] for rater in raters]


def _same(texts: list[str]) -> list[str]:
    return texts


_ANSWERS = ("answers_and_bboxes", "RICO-ScreenQA")

SHORT = Layout("short_answers", "RICO-ScreenQA-Short", Texts, _same)
COMPLEX = Layout("complex_qa", "RICO-ScreenQA-Complex", Texts, _same)
LONG = Layout(*_ANSWERS, FullAnswers, _full_answers, by_rater=True)
UI_CONTENTS = Layout(*_ANSWERS, RaterTexts, _texts, by_rater=True)
UI_CONTENTS_BOXES = Layout(*_ANSWERS, RaterBoxes, _boxes, by_rater=True, boxed=True)
LAYOUTS = (SHORT, COMPLEX, LONG, UI_CONTENTS, UI_CONTENTS_BOXES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Split):
    """One split as columns, in file order.

    Attributes:
        image_ids: RICO's number of each question's screenshot, in decimal.
        questions: The questions.
        golds: The references in their published shape.
        images: What is known of each screenshot; questions on one share it.
    """

    image_ids: Sequence[str]
    questions: Sequence[str]
    golds: Golds
    images: Sequence[Image]


@lru_cache(maxsize=256)
def screen(width: int | None = None, height: int | None = None) -> Image:
    """Return the one image of an item; a split has but a few sizes, so they are shared."""
    return Image(name=SCREEN, width=width, height=height)


def check_boxes(golds: Iterable[Sequence[Any]], file: str) -> None:
    """Refuse boxes whose sides are out of order.

    Raises:
        DataError: A box ends before it begins, or has a side that is no number.
    """
    for row, raters in enumerate(golds):
        for elements in raters:
            for bounds, _ in elements:
                left, top, right, bottom = bounds
                if not (-inf < left <= right < inf and -inf < top <= bottom < inf):
                    raise misfit(
                        f"the box {list(bounds)} is not [left, top, right, bottom] in order",
                        file,
                        row,
                        "ground_truth.ui_elements.bounds",
                    )


def item_ids(split: str, image_ids: Iterable[str]) -> list[str]:
    """Return `split/image/number`, the number counting an image's questions from 0.

    >>> item_ids("test", ["5", "5", "10"])
    ['test/5/0', 'test/5/1', 'test/10/0']
    """
    asked: dict[str, int] = {}
    ids: list[str] = []
    for image_id in image_ids:
        number = asked.get(image_id, 0)
        asked[image_id] = number + 1
        ids.append(f"{split}/{image_id}/{number}")
    return ids
