"""What a question of WebRSSBench is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.rows import SCREEN, Split

BENCHMARK = "webrssbench"

NAMES = (
    "position",
    "ui_grouping",
    "form_filling",
    "hint_text",
    "color",
    "text",
    "layout",
    "safety",
)
"""The tasks without the benchmark's name in front."""

PAIRED = ("color", "text", "layout")
"""The tasks that ask the same of a page before and after a perturbation."""

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
Mode: TypeAlias = Literal["partial", "all", "low_contrast"]
"""How colors were changed: of some buttons, of all, or of the whole page to low contrast."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image in the data's folder: its path there and, where the data says it, its size."""

    path: str
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one page.

    Attributes:
        base: What names it within its split: the page, or the page and the marked element.
        page: The page; the questions of a pair share it.
        site: The website; the page where the data does not say.
        split: The split.
        images: The screenshot as `screen`, then crops by name.
        place: Where it was read, for messages: `row 3`.
        value: Its reference as published, not yet checked; None where there is none.
        source: Where that is from: `manifest`, `annotators` or `boxes`.
        unresolved: Why there is no reference, where somebody tried to make one.
        strange: The votes of annotators that name no class, each with who gave it.
        difficulty: easy, medium or hard, where the data says.
        state: `before` or `after`, where the question is one of a pair.
        mode: How colors were changed; None where they were not, or where nobody says.
        element: The marked element, where the page has several questions.
    """

    base: str
    page: str
    site: str
    split: str
    images: Mapping[str, ImageFile]
    place: str
    value: object = field(default=None, repr=False)
    source: str = ""
    unresolved: str = ""
    strange: tuple[str, ...] = ()
    difficulty: str | None = None
    state: str | None = None
    mode: str | None = None
    element: str | None = None

    @property
    def item_id(self) -> str:
        """`split/page`, then the element, the state and the mode, where it has them."""
        parts = [self.split, self.base]
        if self.state is not None:
            after_mode = self.state == "after" and self.mode is not None
            parts.append(f"{self.state}-{self.mode}" if after_mode else self.state)
        return "/".join(parts)

    @property
    def crops(self) -> tuple[str, ...]:
        """The names of its crops."""
        return tuple(name for name in self.images if name != SCREEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Split):
    """One split of one task, its references checked."""

    questions: Sequence[Question]  # the questions that have a reference
    golds: Golds  # their references, as `gold_shape(task).read` gives them
    left_out: Mapping[str, str]  # the ids of the questions without one, and why
    folder: Path  # what the images' paths start from


def images_of(
    screen: ImageFile, crops: Mapping[str, ImageFile] | None = None
) -> Mapping[str, ImageFile]:
    """Return a question's images by name, its screenshot first."""
    return MappingProxyType({SCREEN: screen, **(crops or {})})


def pair_of(question: Question, after: Mapping[str | None, ImageFile]) -> list[Question]:
    """Return the question on the clean page, then that on each perturbed one, by its mode.

    The clean page is asked about once, however many perturbations of it there are: it has no mode
    unless there is but one.
    """
    modes = list(after)
    before = replace(question, state="before", mode=modes[0] if len(modes) == 1 else None)
    return [
        before,
        *(
            replace(question, state="after", mode=mode, images=images_of(image))
            for mode, image in after.items()
        ),
    ]


def check_ids(questions: Sequence[Question], file: str) -> None:
    """Refuse two questions of one id.

    Raises:
        DataError: Two have one; the message names the places of both.
    """
    first: dict[str, Question] = {}
    for question in questions:
        other = first.setdefault(question.item_id, question)
        if other is not question:
            raise DataError(
                f"{other.place} and {question.place} have one id, {question.item_id!r}; where a"
                " page has several questions, tell them apart by 'element'",
                file=file,
            )


def images_in(folder: Path, questions: Sequence[Question]) -> ImageFiles:
    """Return what reads the images of questions.

    Raises:
        DataError: There is no such folder.
    """

    def paths(index: int, name: str) -> Sequence[str]:
        return [questions[index].images[name].path]

    return ImageFiles(image_folder(folder, "the images of the pages"), paths)


def check_paths(questions: Sequence[Question], file: str) -> None:
    """Refuse images that lie outside the data's folder.

    Raises:
        DataError: A path is absolute, or leads out of the folder.
    """
    for question in questions:
        for name, image in question.images.items():
            if not is_inside(image.path):
                raise DataError(
                    f"{question.place}: image {name!r} has the path {image.path!r}; write one"
                    " relative to the manifest, with /, that stays in its folder",
                    file=file,
                )
