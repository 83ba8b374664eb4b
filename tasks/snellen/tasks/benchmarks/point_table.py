"""A pointing benchmark as a table: which columns hold what, and nothing else to write.

`snellen.tasks.benchmarks.point_rows` reads such tables. It is imported when one is loaded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.grading.guesses import RandomPoint
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Place, Release, RowSign, Signs
from snellen.tasks.prompts import Prompt

if TYPE_CHECKING:
    from snellen.grading.protocols.base import Protocol
    from snellen.grading.protocols.golds import GoldShape

NONE: Mapping[str, Any] = MappingProxyType({})
_LOAD = late("snellen.tasks.benchmarks.point_rows:load")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of a table whose rows are elements to point at.

    Attributes:
        box: The column of a box, as a list or a text of four numbers; or the columns of the four.
        extents: Whether a box is x, y, width, height; else left, top, right, bottom.
        any_order: Whether a box may have any of its corners first.
        shape: The column that says of each row whether `box` is a `bbox` (x, y, width, height), a
            `polygon` (x and y of each corner), or a `refusal`; empty: all are boxes.
        loose: Whether `box` may be written in any way: four numbers, nested or not, an object of
            them, a polygon of more corners, or nothing (or four zeros) where nothing is to be
            found. An empty or inverted box is then kept, and never hit.
        boxed: The column that says of each row whether a `point` in its box is asked for, or the
            box (`bbox`); empty: the table says it of all.
        space: What a box counts; None: fractions if all boxes of a split lie within 0..1, else
            pixels.
        instruction: The column of what to point at; of several the first has to be there, and
            they are joined by colons.
        id: The column of the item's id; empty: the item is named after its split and its row.
        image: The column of the path of its screenshot; empty: rows do not name one.
        size: The column of the screenshot's width and height, or the columns of the two; empty:
            they are read of the image.
        fractions: The column of the same box in fractions, of which the size follows.
        sizes: Returns the size of a screenshot by its path; `size` then need not be there.
        others: The columns of the same instruction in other words, which prompts may ask with.
        tags: The columns that are tags of an item; one that is not there, or is empty, is none.
        values: Columns that have to be there, with their values; none: any text.
        named: Columns, and what their tags are called, where they are not called like them.
    """

    box: str | tuple[str, str, str, str] = "bbox"
    extents: bool = False
    any_order: bool = False
    shape: str = ""
    loose: bool = False
    boxed: str = ""
    space: Space | None = None
    instruction: str | tuple[str, ...] = "instruction"
    id: str = ""
    image: str = ""
    size: str | tuple[str, ...] = ()
    fractions: str = ""
    sizes: Callable[[str], tuple[float, float] | None] | None = None
    others: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    named: tuple[tuple[str, str], ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """The columns of what to point at."""
        named = self.instruction
        return (named,) if isinstance(named, str) else named

    @property
    def required(self) -> tuple[str, ...]:
        """The columns that every table of this layout has."""
        named = (self.id, self.image, self.asked[0], self.fractions, self.shape, self.boxed)
        sides = self.box, () if self.sizes else self.size
        groups = ((one,) if isinstance(one, str) else one for one in sides)
        values = (name for name, _ in self.values)
        return tuple(filter(None, (*named, *(name for group in groups for name in group), *values)))


class PointPrompt(NamedTuple):
    """A prompt, what it says that coordinates count, and a made-up answer to it."""

    prompt: Prompt
    space: Space | None  # None: it does not say
    example: str
    column: str = ""  # the one of `Columns.others` that it asks with; empty: the instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class PointTable:
    """A task that asks for a point, as the table that holds its items.

    Attributes:
        task: The task's id.
        title: What it asks, in a line.
        layouts: The published layout, and those of public copies; a file has one of them.
        files: Patterns of its files below the published folder, the likeliest first.
        split: The name of the only split; empty: files are named after their splits. Where there
            are refusals there is a split `targets` besides, without them.
        whole: Whether the files of a folder are one split.
        parts: The splits that are a file each, and what that may be called; `split` is all of them.
            Each row's is its tag `platform`, and its id begins with it.
        begins: What the screenshots of a part begin with, by which the rows are told of a file
            under another name.
        refuses: Raises on the rows of a file that are another benchmark's, by task and file.
        copied: What a note says of a file in another layout than the first; empty: just that.
        ids: What ids begin with where no column has them; empty: the split's name.
        asks: What is asked for: a point in the box, or the box.
        refused: Whether nothing that is asked for is there: a refusal is right of all items.
        groups: The file beside it that lists items by group, which are their tag `groups`.
        above: How many folders above the file's own the folders of screenshots are in.
        images: The folders of screenshots; one is looked for by its path, then by its name alone.
        images_in: The column of screenshots in parquet; empty: they are files.
        asked: Prompts of its own, before those that every task of points has.
        spaces: What those that every task has ask for; the first is what its protocol reads.
        question: How those put the question; empty: as they always do.
        shown: The tags that an agent is shown.
        by: The tags by which a summary breaks its reports down.
    """

    task: str
    title: str
    layouts: Sequence[Columns]
    files: Sequence[str]
    split: str = ""
    whole: bool = False
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    begins: Mapping[str, str] = field(default_factory=dict[str, str])
    refuses: Callable[[str, str, Sequence[Any]], None] | None = None
    copied: str = ""
    ids: str = ""
    asks: AnswerKind = AnswerKind.POINT
    refused: bool = False
    groups: str = ""
    above: int = 0
    images: Sequence[str] = ()
    images_in: str = ""
    asked: Sequence[PointPrompt] = ()
    spaces: Sequence[Space] = (Space.UNIT, Space.PIXELS)
    question: str = ""
    shown: Sequence[str] = ()
    by: tuple[str, ...] = ()

    @property
    def inside(self) -> tuple[str, ...]:
        """The columns that hold screenshots."""
        return (self.images_in,) if self.images_in else ()


def signs_of(tables: Sequence[PointTable]) -> Signs:
    """Return by what tables are recognized: the columns of their layouts, in their files."""
    return Signs(
        rows=[
            RowSign(table.task, frozenset((*layout.required, *layout.tags, *table.inside)))
            for table in tables
            for layout in table.layouts
        ],
        folders=[
            f"{pattern}{ending}"
            for table in tables
            for pattern in table.files
            for ending in ("", ".gz")
        ],
    )


def pointing_benchmark(
    tables: Sequence[PointTable],
    place: Place,
    releases: tuple[Release, ...] = (),
    signs: Signs | None = None,
    protocols: Mapping[str, tuple["Protocol", ...]] = NONE,
    golds: "Mapping[str, GoldShape]" = NONE,
) -> Benchmark:
    """Return a benchmark whose tasks are tables of elements to point at.

    Args:
        tables: Its tasks.
        place: Where it is published; its name is the benchmark's.
        releases: The releases that are known of it; their role is the name of the task, or of the
            benchmark.
        signs: By what its files are recognized; None: by the columns of its layouts, in the files
            that its patterns find.
        protocols: The rules by task; not given for a benchmark of snellen's own, which has them in
            `snellen.grading.protocols`.
        golds: The shapes of references, as `protocols`.
    """
    return Benchmark(
        name=place.benchmark,
        protocols=protocols,
        golds=golds,
        tasks=tuple(
            TaskSpec(table.task, table.title, AnswerKind.POINT, "accuracy", RandomPoint(), table.by)
            for table in tables
        ),
        load=partial(_LOAD, tables, place, releases),
        place=place,
        releases=releases,
        signs=signs or signs_of(tables),
    )
