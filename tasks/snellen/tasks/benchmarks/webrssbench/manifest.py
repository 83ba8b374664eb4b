"""Read `webrssbench.json` or `webrssbench.jsonl`, snellen's own layout for all eight tasks.

WebRSSBench publishes scripts and no layout that holds references, so this one is ours:
docs/webrssbench.md describes it. A manifest is one row a page (or a marked element of a page);
JSON Lines are the same rows, one a line, without the object around them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias, cast

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.consensus import human_majority
from snellen.grading.models.base import NO_JSON
from snellen.grading.normalize import button
from snellen.grading.parse.regions import region
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, Rule, label
from snellen.tasks.benchmarks.webrssbench.rows import (
    NAMES,
    Difficulty,
    ImageFile,
    Mode,
    Question,
    images_of,
    pair_of,
)
from snellen.tasks.io.files import DEFAULT_SPLIT
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.rows import Pixels, Text, decoded, fault_of

FORMAT = "webrssbench/1"
FILES = ("webrssbench.json", "webrssbench.jsonl")

_Extent = Annotated[float, msgspec.Meta(ge=0)]

_SLACK = 1.001
"""How far a side may reach over the page's edge: a thousandth."""


class SizedImage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An image whose size the manifest states, in pixels."""

    path: Text
    width: Pixels
    height: Pixels


AnImage: TypeAlias = Text | SizedImage
"""A path, relative to the manifest; or a path with the image's size."""


class Crop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a page; `box` is left, top, width, height in the row's `space`."""

    name: Text
    image: AnImage
    box: tuple[_Extent, _Extent, _Extent, _Extent] | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True, tag_field="task", forbid_unknown_fields=True):
    """What every row has.

    Attributes:
        page: The page; a before/after pair shares it.
        site: The website, whose pages hang together.
        split: The split.
        element: The marked element, where a page has several questions.
        difficulty: easy, medium or hard.
        reference: The reference in the task's published shape.
        annotators: Instead of a reference: who said what. The answer of at least three, and of
            more than half, is the reference.
    """

    page: Text
    site: Text | None = None
    split: Text = DEFAULT_SPLIT
    element: Text | None = None
    difficulty: Difficulty | None = None
    reference: object = None
    annotators: dict[str, str] | None = None


class OneScreen(Row, frozen=True, kw_only=True):
    """A question about one screenshot."""

    image: AnImage


class PositionRow(OneScreen, frozen=True, kw_only=True, tag="position"):
    """How a page's crops lie to each other.

    Attributes:
        crops: The crops, in the order in which they are shown.
        space: What the boxes count: `unit`, fractions of the page, or `pixels` of it.
        rule: How boxes become relations if there is no reference.
    """

    crops: Annotated[list[Crop], msgspec.Meta(min_length=2)]
    space: Literal["unit", "pixels"] = "unit"
    rule: Rule = "projections"


class UiGroupingRow(OneScreen, frozen=True, kw_only=True, tag="ui_grouping"):
    """Which part of the page a marked element belongs to."""


class FormFillingRow(OneScreen, frozen=True, kw_only=True, tag="form_filling"):
    """What a user would type into a marked field."""


class HintTextRow(OneScreen, frozen=True, kw_only=True, tag="hint_text"):
    """Which hint a marked field would show."""


class SafetyRow(OneScreen, frozen=True, kw_only=True, tag="safety"):
    """Which button can't be undone; the reference `sorry` says that the page has none."""


class ColorRow(Row, frozen=True, kw_only=True, tag="color"):
    """The most important button, before and after colors were changed in up to three ways."""

    before: AnImage
    after: Annotated[dict[Mode, AnImage], msgspec.Meta(min_length=1)]


class TwoScreens(Row, frozen=True, kw_only=True):
    """A question about a page before and after it was perturbed."""

    before: AnImage
    after: AnImage


class TextRow(TwoScreens, frozen=True, kw_only=True, tag="text"):
    """What a marked button does, before and after its text was perturbed."""


class LayoutRow(TwoScreens, frozen=True, kw_only=True, tag="layout"):
    """What a page is for, before and after its layout was perturbed."""


AnyRow: TypeAlias = (
    PositionRow
    | UiGroupingRow
    | FormFillingRow
    | HintTextRow
    | ColorRow
    | TextRow
    | LayoutRow
    | SafetyRow
)


class _Task(msgspec.Struct, frozen=True):
    task: str
    page: object = None


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal["webrssbench/1"]
    rows: list[msgspec.Raw]


_TASK = msgspec.json.Decoder(_Task)


class _Place(NamedTuple):
    """Where a row stands: its number in a list, or its line; both count from 1.

    `page` is what the row says that it is about, as soon as that is known.
    """

    file: str
    number: int
    by_line: bool
    page: str = ""

    def __str__(self) -> str:
        return f"{'line' if self.by_line else 'row'} {self.number}"

    def error(self, message: str, field: str | None = None) -> DataError:
        """Return the error that this row does not fit."""
        about = f"page {self.page!r}" if self.page else ""
        if self.by_line:
            text = f"{about}: {message}" if about else message
            return DataError(text, file=self.file, line=self.number, field=field)
        where = ", ".join(filter(None, (f"row {self.number} (counted from 1)", about)))
        return DataError(f"{where}: {message}", file=self.file, field=field)


class _RawRow(NamedTuple):
    place: _Place
    data: bytes | msgspec.Raw


def manifest_in(path: Path) -> Path:
    """Return the manifest that a path is or holds.

    Raises:
        DataError: The folder holds none, or two.
    """
    if path.is_file():
        return path
    found = [path / name for name in FILES if (path / name).is_file()]
    if not found:
        raise DataError(f"holds neither {' nor '.join(FILES)}", file=str(path))
    if len(found) > 1:
        raise DataError(
            f"holds {' and '.join(FILES)}; give the one that is meant as path", file=str(path)
        )
    return found[0]


def read_manifest(name: str, path: Path) -> list[Question]:
    """Read all questions of one task from a manifest.

    Rows of other tasks are passed over; their fields are not looked at.

    Args:
        name: The task without the benchmark's name in front.
        path: The manifest.

    Raises:
        DataError: It can't be read, a row is not as documented, or no row is of this task.
    """
    questions: list[Question] = []
    others: dict[str, int] = {}
    for place, data in _raw_rows(path):
        try:
            head = _TASK.decode(data)
            if isinstance(head.page, str):
                place = place._replace(page=head.page)  # it is better known now
            if head.task != name:
                others[head.task] = others.get(head.task, 0) + 1
                if head.task not in NAMES:
                    raise place.error(
                        f"{head.task!r} is no task; known: {', '.join(NAMES)}", field="task"
                    )
                continue
            row: AnyRow = decoded(data, cast("type[AnyRow]", AnyRow))
        except msgspec.ValidationError as error:
            fault = fault_of(error, AnyRow)
            raise place.error(fault.what, fault.field) from None
        except NO_JSON as error:
            raise place.error(f"is no JSON: {error}") from None
        questions += _questions(row, place)
    if not questions:
        there = ", ".join(f"{task} ({count})" for task, count in others.items()) or "none at all"
        raise DataError(f"has no rows of the task {name!r}; there are: {there}", file=str(path))
    return questions


def _raw_rows(path: Path) -> Iterator[_RawRow]:
    text = read_json(path)
    if path.suffix == ".jsonl":
        for line in text.lines:
            yield _RawRow(_Place(text.file, line.line or 0, by_line=True), line.data)
        return
    manifest = text.decode(_Manifest, f'expected {{"format": "{FORMAT}", "rows": [...]}}')
    for number, row in enumerate(manifest.rows, 1):
        yield _RawRow(_Place(text.file, number, by_line=False), row)


def _questions(row: AnyRow, place: _Place) -> list[Question]:
    """Return what a row asks: one question, or a clean page's and each perturbed one's."""
    crops: Mapping[str, ImageFile] = {}
    value, source, unresolved = row.reference, "manifest" if row.reference is not None else "", ""
    strange: tuple[str, ...] = ()
    if value is not None and row.annotators is not None:
        raise place.error("give either reference or annotators", "annotators")
    if row.annotators is not None:
        value, unresolved = _agreed(row, place)
        strange = _strange(row)
        if unresolved and strange:
            unresolved += f"; {', '.join(strange)} name{'s' * (len(strange) == 1)} no class"
        source = "annotators"
    if isinstance(row, PositionRow):
        crops = _crops(row, place)
        if value is None:
            value = _labels(row, place)
            source = "boxes" if value is not None else ""
    screen = row.image if isinstance(row, OneScreen) else row.before
    question = Question(
        base=row.page if row.element is None else f"{row.page}/{row.element}",
        page=row.page,
        site=row.site or row.page,
        split=row.split,
        images=images_of(_image(screen), crops),
        place=str(place),
        value=value,
        source=source,
        unresolved=unresolved,
        strange=strange,
        difficulty=row.difficulty,
        element=row.element,
    )
    if isinstance(row, ColorRow):
        return pair_of(question, {mode: _image(image) for mode, image in row.after.items()})
    if isinstance(row, TextRow | LayoutRow):
        return pair_of(question, {None: _image(row.after)})
    return [question]


def _image(image: AnImage) -> ImageFile:
    if isinstance(image, str):
        return ImageFile(image)
    return ImageFile(image.path, image.width, image.height)


def _agreed(row: AnyRow, place: _Place) -> tuple[str | None, str]:
    """Return what the annotators agree on, and why there is nothing where they do not.

    Source: WebRSSBench appendix B.2: at least three of four.
    """
    if not isinstance(row, UiGroupingRow | ColorRow | SafetyRow):
        raise place.error("only buttons and regions are agreed on; give a reference", "annotators")
    form = _region_form if isinstance(row, UiGroupingRow) else button
    agreed = human_majority(row.annotators or {}, normalize=form)
    return agreed.answer, agreed.reason or ""


def _strange(row: Row) -> tuple[str, ...]:
    """Return the votes for a part of the page that name none of the six."""
    if not isinstance(row, UiGroupingRow):
        return ()
    votes = (row.annotators or {}).items()
    return tuple(f"{who} {vote!r}" for who, vote in votes if vote.strip() and not region(vote))


def _region_form(text: str) -> str:
    return region(text) or ""


def _crops(row: PositionRow, place: _Place) -> Mapping[str, ImageFile]:
    crops = {crop.name: _image(crop.image) for crop in row.crops}
    if len(crops) < len(row.crops):
        raise place.error("two crops have one name", "crops")
    return crops


def _check_inside(
    row: PositionRow, boxes: Mapping[str, PageBox], screen: ImageFile, place: _Place
) -> None:
    """Refuse boxes that do not lie on the page: their relations would be about something else."""
    unit = row.space == "unit"
    across, down = (1, 1) if unit else (screen.width, screen.height)
    for name, box in boxes.items():
        inside = box.x >= 0 and box.y >= 0
        # A side may miss the edge by what rounding takes.
        inside &= across is None or box.right <= across * _SLACK
        inside &= down is None or box.bottom <= down * _SLACK
        if not inside:
            hint = '; for pixels write "space": "pixels"' if unit else ""
            raise place.error(
                f"the box {[*box]} (left, top, width, height) of {name} reaches out of the page,"
                f" which is {across} x {down}{' in fractions' if unit else ' pixels'}{hint}",
                "crops",
            )


def _labels(row: PositionRow, place: _Place) -> dict[str, str] | None:
    """Return the relations that the boxes say; None where there are no boxes."""
    boxes = {crop.name: PageBox(*crop.box) for crop in row.crops if crop.box is not None}
    if not boxes:
        return None
    if len(boxes) < len(row.crops):
        lacking = [crop.name for crop in row.crops if crop.box is None]
        raise place.error(f"has boxes, but none of {', '.join(lacking)}", "crops")
    screen = _image(row.image)
    _check_inside(row, boxes, screen, place)
    # `centers` counts fractions and `projections` pixels.
    if (row.space == "pixels") != (row.rule == "projections"):
        if screen.width is None or screen.height is None:
            raise place.error(
                f"the rule {row.rule!r} on boxes in the space {row.space!r} needs the page's size;"
                " write image as {path, width, height}",
                "image",
            )
        by_pixels = row.rule == "projections"
        across, down = float(screen.width), float(screen.height)
        boxes = {
            name: box.scaled(across, down) if by_pixels else box.scaled(1 / across, 1 / down)
            for name, box in boxes.items()
        }
    return label(boxes, row.rule)
