"""Reading the tables that a pointing benchmark declares (`PointTable`)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.models.reports import DataPin
from snellen.grading.protocols.golds import AreaTarget, BoxOrPoint, Target, is_in_fractions
from snellen.tasks.benchmarks.grounding import (
    COPIED,
    EXAMPLES,
    GroundingRow,
    Size,
    checked_rows,
    grounding_data,
    point_prompts,
)
from snellen.tasks.benchmarks.loading import task_in
from snellen.tasks.benchmarks.point_table import Columns, PointPrompt, PointTable
from snellen.tasks.data.pins import GZIP, digest_of_files, pin
from snellen.tasks.data.release import Place, Release
from snellen.tasks.io.boxes import outside_note
from snellen.tasks.io.files import SplitFiles, by_split, choose, default_split, find_files, stem_of
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.parquet import ParquetImages, Part
from snellen.tasks.io.rows import SCREEN, Text, misfit
from snellen.tasks.io.tables import read_table
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

TARGETS = "targets"
CORNERS = (
    ("left", "top", "right", "bottom"),
    ("x1", "y1", "x2", "y2"),
    ("x0", "y0", "x1", "y1"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
)
EXTENTS = (("x", "y", "width", "height"), ("x", "y", "w", "h"), ("left", "top", "width", "height"))
"""What the four numbers of a box are called, as fields or as columns."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NAMED = 10
_PART = "platform"
_Extent = Annotated[float, msgspec.Meta(gt=0, le=1e6)]


def load(
    tables: Sequence[PointTable],
    place: Place | None,
    releases: Sequence[Release],
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load a split of a task that is declared as a table.

    Args:
        tables: The tasks of the benchmark.
        place: Where it is published; None: nowhere.
        releases: The releases that are known of it.
        task: The task's id.
        path: The published folder, or one of its files.
        split: The split's name; None: `test` when there, else the only one.
        images: A folder of screenshots, by the paths of the rows, or else by the numbers of the
            items (`17.png`); None: those inside the file, or beside it.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read, a row is not as declared, an id is there twice, or boxes
            in fractions and in pixels are in one split.
        MissingExtraError: It is parquet, and pyarrow is not installed.
        UnknownNameError: There is no such task, split or prompt.
    """
    table = task_in({each.task: each for each in tables}, task, task.partition("/")[0])
    prompts = {asked.prompt: asked for asked in _asked(table)}
    asked = prompts[prompt_of(tuple(prompts), prompt)]
    column = asked.column
    only = split == TARGETS and any(layout.shape or layout.loose for layout in table.layouts)
    read = read_points(table, place, releases, path, None if only else split, images)
    rows = [row for row in read.rows if not only or not _refused(row)]
    return grounding_data(
        task,
        TARGETS if only else read.split,
        rows,
        pin=read.pin,
        prompt=asked.prompt,
        asked_in=asked.space,
        example=asked.example,
        images=read.images,
        question=(lambda index: _other(rows[index], column)) if column else None,
        shown=table.shown,
        kind=table.asks,
    )


def _other(row: GroundingRow, column: str) -> str:
    if not row.others[column]:
        raise DataError(f"the item {row.id} has no {column}", field=column)
    return row.others[column]


class Points(NamedTuple):
    """One split of a table, as it was read.

    Attributes:
        split: The split's name.
        rows: Its elements.
        pin: Which release it is, with a note of boxes that were cut.
        images: The bytes of a row's screenshot; None: there are none.
    """

    split: str
    rows: Sequence[GroundingRow]
    pin: DataPin
    images: Callable[[int, str], bytes] | None


def read_points(
    table: PointTable,
    place: Place | None,
    releases: Sequence[Release],
    path: str | Path,
    split: str | None,
    images: str | Path | None,
) -> Points:
    """Read a split of a table; arguments and errors are those of `load`."""
    benchmark, _, part_of = table.task.partition("/")
    files = _files(table, Path(path), split, place.name if place else benchmark)
    layouts = {_row_type(layout): layout for layout in table.layouts}
    parts = [read_table(file, tuple(layouts), table.inside) for file in files.paths]
    rows: list[GroundingRow] = []
    counted = Counter[str]()
    for part in parts:
        found = list(_rows(part, layouts, table, files.split, len(rows)))
        if table.refuses:
            table.refuses(table.task, str(part.path), found)
        rows += _in_parts(table, found, part.path, files.split, counted) if table.parts else found
    rows, clipped = _checked(rows, parts, layouts)
    kept = [index for index, row in enumerate(rows) if _is_of(row, table, files.split)]
    rows = [rows[index] for index in kept]
    twice = [item for item, count in Counter(row.id for row in rows).items() if count > 1]
    if twice:
        what = f"the id {twice[0]!r} is there twice, so answers can't be told apart"
        raise DataError(what, file=files.name, field=table.layouts[0].id)
    known = {release.role for release in releases}
    role = part_of if part_of in known else benchmark
    folder, digest = files.paths[0].parent, digest_of_files(files.paths)
    used = (layouts[type(row)] for part in parts for row in part.rows[:1])
    copied = any(columns is not table.layouts[0] for columns in used)
    release = pin(role, files.split, folder, digest, len(rows), () if copied else releases)
    known = release.note if place or releases else f"{len(rows):,} questions"
    copy = f"{len(rows):,} questions; {table.copied or COPIED}" if copied else known
    note = "; ".join(filter(None, (copy, outside_note(clipped), *_loose_notes(rows))))
    return Points(
        files.split,
        rows,
        release.model_copy(update={"note": note}),
        _images(table, parts, rows, kept, Path(images) if images else None),
    )


def _asked(table: PointTable) -> Iterator[PointPrompt]:
    yield from table.asked
    name = f"snellen-{table.task.partition('/')[0]}"
    prompts = point_prompts(name, table.spaces)
    for prompt, space in zip(prompts, table.spaces, strict=True):
        asked = replace(prompt, question=table.question or prompt.question)
        yield PointPrompt(asked, space, EXAMPLES[space])


def _files(table: PointTable, path: Path, split: str | None, published: str) -> SplitFiles:
    if table.parts:
        return _files_of_parts(table, path, split, published)
    files = find_files(path, table.files, published)
    if not table.split:
        return choose(by_split(files), split, path)
    if split not in (None, table.split):
        raise UnknownNameError(f"split of {table.task}", str(split), (table.split,))
    if table.whole:
        return SplitFiles(table.split, tuple(files))
    found = by_split(files)
    if len(found) > 1:
        names = ", ".join(file.name for file in files)
        raise DataError(f"there are several of them: {names}; give one of them", file=str(path))
    return SplitFiles(table.split, choose(found, None, path).paths)


def _files_of_parts(table: PointTable, path: Path, split: str | None, published: str) -> SplitFiles:
    if path.is_file():
        there = [part] if (part := _part_of_file(table, path)) else []
    else:
        there = [part for part, names in table.parts.items() if _is_any(path, names)]
    one = path.is_file() or 0 < len(there) < len(table.parts)
    if split not in (None, table.split, *table.parts):
        known = there if one and there else (*table.parts, table.split)
        raise UnknownNameError(f"split of {table.task}", str(split), known)
    split = split or (default_split(there, path) if one and there else table.split)
    if path.is_file():
        return SplitFiles(split, (path,))
    if whole := [file for pattern in table.files for file in sorted(path.glob(pattern))]:
        return SplitFiles(split, choose(by_split(whole), None, path).paths)
    wanted = table.parts if split == table.split else (split,)
    found = [find_files(path, table.parts[part], published)[0] for part in wanted]
    return SplitFiles(split, tuple(found))


def _is_any(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / f"{name}{end}").is_file() for name in names for end in ("", GZIP))


def _part_of_file(table: PointTable, file: Path) -> str:
    named = ((part, stem_of(Path(each))) for part, names in table.parts.items() for each in names)
    return next((part for part, stem in named if file.name.startswith(stem)), "")


def _in_parts(
    table: PointTable, rows: Iterable[GroundingRow], file: Path, split: str, counted: Counter[str]
) -> Iterator[GroundingRow]:
    of_file = _part_of_file(table, file)
    for row in rows:
        begun = (part for begin, part in table.begins.items() if row.image.startswith(begin))
        part = of_file or next(begun, split)
        tags = {_PART: part, **row.tags}
        yield replace(row, id=f"{part}/{counted[part]}", tags=tags)
        counted[part] += 1


def _is_of(row: GroundingRow, table: PointTable, split: str) -> bool:
    return not table.parts or split in (table.split, row.tags[_PART])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Area(GroundingRow):
    polygon: tuple[float, ...] = ()
    refused: bool = False

    def target(self, size: Size | None) -> AreaTarget:
        return AreaTarget(self.box, size, self.polygon, self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loose(_Area):
    """An area whose box may be empty or inverted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box(GroundingRow):
    def target(self, size: Size | None) -> Target:
        return Target(self.box, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoxOrPoint(GroundingRow):
    def target(self, size: Size | None) -> BoxOrPoint:
        return BoxOrPoint(self.box, size, self.boxed)


def _refused(row: GroundingRow) -> bool:
    return isinstance(row, _Area) and row.refused


def _never_hit(row: GroundingRow) -> bool:
    """Whether a box of a loose column is empty or inverted."""
    left, top, right, bottom = row.box
    return isinstance(row, _Loose) and not row.refused and (right <= left or bottom <= top)


def _loose_notes(rows: Sequence[GroundingRow]) -> Iterator[str]:
    never = [row.id for row in rows if _never_hit(row)]
    if never:
        more = ", ..." if len(never) > _NAMED else ""
        ids = f"{', '.join(never[:_NAMED])}{more}"
        yield f"right boxes that are empty or inverted and never hit: {len(never)} ({ids})"
    refused = sum(isinstance(row, _Loose) and row.refused for row in rows)
    if refused:
        yield f"items without a box, of which a refusal is right: {refused}"


# ---- rows ----------------------------------------------------------------------------------------


class _Entry(msgspec.Struct):
    id: str


class _Classification(msgspec.Struct):
    classified: dict[str, list[_Entry]]


def _groups(beside: Path, name: str) -> Mapping[str, str]:
    """Return each item's groups, joined by a plus; nothing without the file."""
    file = beside.with_name(name or beside.name)
    if not name or not file.is_file():
        return {}
    found: dict[str, list[str]] = {}
    read = read_json(file).decode(_Classification, "expected {classified: {group: [..]}}")
    for group, named in read.classified.items():
        for item in named:
            found.setdefault(item.id, []).append(group)
    return {item: " + ".join(groups) for item, groups in found.items()}


@cache
def _row_type(columns: Columns) -> type[msgspec.Struct]:
    """Return the type of a row: what it reads, and of each column whether it has to be there."""
    box, size = columns.box, columns.size
    kind: Any = list[float] if columns.shape else Any if columns.loose else Ltrb | str
    required: dict[str, Any] = {
        columns.id: int | Text,
        columns.image: Text,
        columns.fractions: Text,
        columns.asked[0]: str,
        **({box: kind} if isinstance(box, str) else dict.fromkeys(box, float)),
        columns.shape: Literal["bbox", "polygon", "refusal"],
        columns.boxed: Literal["point", "bbox"],
        **{name: Literal[values] if values else str for name, values in columns.values},
    }
    sizes: dict[str, Any] = (
        {size: tuple[_Extent, _Extent] | None}
        if isinstance(size, str)
        else dict.fromkeys(size, _Extent | None)
    )
    others = (*columns.tags, *columns.asked, *columns.others)
    tag: Any = Any if columns.loose else int | str
    optional: list[tuple[str, Any, Any]] = [
        (name, tag, "") for name in others if name not in required
    ]
    if columns.sizes:
        optional += [(name, kind, None) for name, kind in sizes.items()]
    else:
        required |= sizes
    if columns.loose and isinstance(box, str):
        # A refusal may have no box at all.
        del required[box]
        optional.append((box, Any, None))
    fields = [(name, kind) for name, kind in required.items() if name]
    return msgspec.defstruct("Row", [*fields, *optional], frozen=True)


_Layouts = dict[type[msgspec.Struct], Columns]


def _rows(
    part: Part, layouts: _Layouts, table: PointTable, split: str, before: int
) -> Iterator[GroundingRow]:
    ids, groups = table.ids or split, _groups(part.path, table.groups)
    for number, row in enumerate(part.rows):
        columns, file = layouts[type(row)], str(part.path)
        image: str = getattr(row, columns.image) if columns.image else ""
        if image and not is_inside(image):
            raise misfit(f"{image!r} is no path below the images", file, number, columns.image)
        item = str(getattr(row, columns.id)) if columns.id else f"{ids}/{before + number}"
        kind, more_of, box = GroundingRow, dict[str, Any](), (0.0, 0.0, 0.0, 0.0)
        if columns.shape:
            kind = _Area
            box, more_of = _shape(row, columns, f"item {item}", file, number)
        elif table.refused:
            kind = _Loose
            more_of["refused"] = True
        elif columns.loose:
            kind = _Loose
            box, more_of = _loose(row, columns, f"item {item}", file, number)
        else:
            box = _box(row, columns, file, number)
        if table.asks is AnswerKind.BOX:
            kind = _Box
        if columns.boxed:
            kind, more_of = _BoxOrPoint, {"boxed": getattr(row, columns.boxed) == "bbox"}
        named = dict(columns.named)
        tags = {named.get(name, name): _tag(getattr(row, name)) for name in columns.tags}
        yield kind(
            id=item,
            instruction=": ".join(filter(None, (getattr(row, name) for name in columns.asked))),
            box=box,
            image=image,
            size=_size(row, columns, box, file, number) or (columns.sizes and columns.sizes(image)),
            tags={**tags, "groups": groups.get(item, "")} if table.groups else tags,
            others={name: str(getattr(row, name) or "") for name in columns.others},
            **more_of,
        )


def _box(row: msgspec.Struct, columns: Columns, file: str, number: int) -> Ltrb:
    if isinstance(columns.box, str):
        left, top, right, bottom = _four(row, columns.box, file, number)
    else:
        left, top, right, bottom = (getattr(row, name) for name in columns.box)
    if columns.extents:
        right, bottom = left + right, top + bottom
    if columns.any_order:
        (left, right), (top, bottom) = sorted((left, right)), sorted((top, bottom))
    return left, top, right, bottom


def _shape(
    row: msgspec.Struct, columns: Columns, item: str, file: str, number: int
) -> tuple[Ltrb, dict[str, Any]]:
    column, kind = str(columns.box), getattr(row, columns.shape)
    numbers: tuple[float, ...] = tuple(getattr(row, column))
    if kind == "refusal":
        return (0.0, 0.0, 0.0, 0.0), {"refused": True}
    if kind == "bbox":
        if len(numbers) != 4:
            what = f"{item}: a box has x, y, width, height, not {len(numbers)} numbers"
            raise misfit(what, file, number, column)
        x, y, width, height = numbers
        return (x, y, x + width, y + height), {}
    if len(numbers) < 4 or len(numbers) % 2:
        what = f"{item}: a polygon has x and y of each corner, not {len(numbers)} numbers"
        raise misfit(what, file, number, column)
    across, down = numbers[::2], numbers[1::2]
    return (min(across), min(down), max(across), max(down)), {"polygon": numbers}


def _tag(value: object) -> str:
    if isinstance(value, list):
        return " + ".join(map(str, cast("list[object]", value)))
    return "" if value is None else str(value)


def numbers_of(value: object) -> list[float] | None:
    """Return the numbers of a box or a polygon in any usual form; None if it is none.

    >>> numbers_of([[1, 2], [3, 4]]), numbers_of("(1, 2, 3, 4)"), numbers_of(None)
    ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [])
    >>> numbers_of({"x": 1, "y": 2, "width": 3, "height": 4})
    [1.0, 2.0, 4.0, 6.0]
    """
    if value is None or isinstance(value, str):
        return [float(each) for each in _NUMBER.findall(value or "")]
    if isinstance(value, dict):
        fields = cast("Mapping[str, object]", value)
        for names in (*CORNERS, *EXTENTS):
            if fields.keys() >= set(names):
                numbers = numbers_of([fields[name] for name in names])
                return _from_extents(numbers) if numbers and names in EXTENTS else numbers
        return None
    if isinstance(value, list | tuple):
        found: list[float] = []
        for each in cast("Sequence[object]", value):
            inner = [float(each)] if isinstance(each, int | float) else numbers_of(each)
            if inner is None:
                return None
            found += inner
        return found
    return None


def _from_extents(numbers: Sequence[float]) -> list[float]:
    x, y, width, height = numbers
    return [x, y, x + width, y + height]


def _loose(
    row: msgspec.Struct, columns: Columns, item: str, file: str, number: int
) -> tuple[Ltrb, dict[str, Any]]:
    names = (columns.box,) if isinstance(columns.box, str) else columns.box
    values = [getattr(row, name) for name in names]
    numbers = numbers_of(values)
    if numbers is None or len(numbers) % 2 or len(numbers) == 2 or not all(map(isfinite, numbers)):
        what = f"{item}: expected a box, a polygon, or nothing for a refusal, not {values[0]!r}"
        raise misfit(what, file, number, names[0])
    if not any(numbers):
        return (0.0, 0.0, 0.0, 0.0), {"refused": True}
    if len(numbers) > 4:
        across, down = numbers[::2], numbers[1::2]
        return (min(across), min(down), max(across), max(down)), {"polygon": tuple(numbers)}
    left, top, right, bottom = _from_extents(numbers) if columns.extents else numbers
    if columns.any_order:
        (left, right), (top, bottom) = sorted((left, right)), sorted((top, bottom))
    return (left, top, right, bottom), {}


def _four(row: msgspec.Struct, column: str, file: str, number: int) -> Ltrb:
    value: Ltrb | str = getattr(row, column)
    if not isinstance(value, str):
        return value
    numbers = [float(each) for each in _NUMBER.findall(value)]
    if len(numbers) != 4:
        raise misfit(f"{value!r} is no box of four numbers", file, number, column)
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _size(row: msgspec.Struct, columns: Columns, box: Ltrb, file: str, number: int) -> Size | None:
    if columns.fractions:
        _, _, right, bottom = _four(row, columns.fractions, file, number)
        if not (0 < right <= 1 and 0 < bottom <= 1):
            what = "is no box in fractions of the image"
            raise misfit(what, file, number, columns.fractions)
        return float(round(box[2] / right)), float(round(box[3] / bottom))
    if isinstance(columns.size, str):
        return getattr(row, columns.size)
    width, height = (getattr(row, name) for name in columns.size) if columns.size else (None, None)
    return (width, height) if width and height else None


# ---- what boxes count ----------------------------------------------------------------------------


def _checked(
    rows: Sequence[GroundingRow], parts: Sequence[Part], layouts: _Layouts
) -> tuple[list[GroundingRow], list[str]]:
    """Return rows whose boxes can be right answers, and the ids of those whose boxes were cut."""
    used = [layouts[type(row)] for part in parts for row in part.rows[:1]]
    if not used:
        return [], []
    field = used[0].box if isinstance(used[0].box, str) else used[0].box[0]
    shown = [row for row in rows if not (isinstance(row, _Loose) and _unlike(row))]
    space = used[0].space or _space_of(shown, str(parts[0].path), field)
    cut = [_cut(row) for row in rows] if space is Space.UNIT else list(rows)
    start = 0
    for part in parts:
        end = start + len(part.rows)
        # Errors name a row by its place in its own file.
        shown = cut[start:end]
        _ = list(checked_rows(shown, str(part.path), boxes_in=space, field=field, passed=_unlike))
        start = end
    return cut, [row.id for row, one in zip(rows, cut, strict=True) if one.box != row.box]


def _unlike(row: GroundingRow) -> bool:
    """Whether a row has no box that has to look like those of the others."""
    return _refused(row) or _never_hit(row)


def _space_of(rows: Sequence[GroundingRow], file: str, field: str) -> Space:
    within = [_nearly_in_fractions(row.box) for row in rows]
    if any(within) and not all(within):
        odd = within.index(not within[0])
        raise DataError(
            f"row {odd + 1} has its box in another space than row 1: {list(rows[odd].box)} and"
            f" {list(rows[0].box)}",
            file=file,
            field=field,
        )
    return Space.UNIT if all(within) else Space.PIXELS


def _nearly_in_fractions(box: Ltrb) -> bool:
    # A box in fractions may reach a little outside its image.
    return is_in_fractions(box) or (max(box) < 1.5 and min(box) > -0.5)


def _cut(row: GroundingRow) -> GroundingRow:
    if not _nearly_in_fractions(row.box):
        return row
    # No answer lies outside the image, so what is cut off decides nothing.
    left, top, right, bottom = (min(1.0, max(0.0, side)) for side in row.box)
    return replace(row, box=(left, top, right, bottom))


# ---- images --------------------------------------------------------------------------------------


def _images(
    table: PointTable,
    parts: Sequence[Part],
    rows: Sequence[GroundingRow],
    kept: Sequence[int],
    folder: Path | None,
) -> Callable[[int, str], bytes] | None:
    if folder is None and table.images_in and table.images_in in parts[0].columns:
        inside = ParquetImages(parts, table.images_in)
        return lambda index, name: inside(kept[index], name)
    home = parts[0].path.absolute().parents[table.above]
    root = home if folder is None else image_folder(folder, "the screenshots")
    below = [f"{name}/" if name else "" for name in dict.fromkeys((*table.images, ""))]

    def paths(index: int, name: str) -> list[str]:
        image = rows[index].image
        names = dict.fromkeys((image, PurePosixPath(image).name))
        names = names if image else (f"{index}.png", f"{index}.jpg")
        return [f"{each}{named}" for each in below for named in names]

    files = ImageFiles(root, paths, table.layouts[0].image or table.images_in)
    there = folder is not None or any(
        files.file(index, SCREEN).is_file() for index in range(len(rows))
    )
    return files if there else None
