"""Read one split of a VisualWebBench configuration from any layout."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.visualwebbench.format import (
    Layout,
    Row,
    Rows,
    check,
    item_ids,
    note_of,
    space_in,
)
from snellen.tasks.benchmarks.visualwebbench.release import CONFIGS
from snellen.tasks.data.pins import digest_of_files
from snellen.tasks.io.files import (
    DEFAULT_SPLIT,
    SplitFiles,
    by_split,
    checked,
    choose,
    contents,
    stem_of,
)
from snellen.tasks.io.images import ImageFiles, image_folder
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.parquet import GIVE_FOLDER, ParquetImages, read_part

_SUFFIXES = (".parquet", ".json", ".jsonl")
_PUBLISHED = "visualwebbench/VisualWebBench"


def find(config: str, path: Path, split: str | None) -> SplitFiles:
    """Find one split's files.

    Args:
        config: The configuration, such as `web_caption`.
        path: A folder of configurations, the folder of one, a folder with one file or one set of
            parts a configuration (`web_caption.parquet`), or one file.
        split: The split's name; None: `test` when there, else the only one. A file named after
            its configuration is the split `test`.

    Raises:
        DataError: Nothing is there, the split is open or twice there, or a part is missing.
        UnknownNameError: There is no such split.
    """
    found = _files(config, checked(path, f"a copy of {_PUBLISHED}"))
    if not found:
        raise DataError(
            f"there is no {config}/*.parquet, {config}/*.json or {config}/*.jsonl in it, and no"
            f" {config}.parquet, .json or .jsonl ({contents(path)}); give a copy of {_PUBLISHED}",
            file=str(path),
        )
    return choose(found, split, path)


def _files(config: str, path: Path) -> dict[str, SplitFiles]:
    if path.is_file():
        if path.suffix not in _SUFFIXES:
            raise DataError("expected a .parquet, .json or .jsonl file", file=str(path))
        name = DEFAULT_SPLIT if stem_of(path) in CONFIGS else stem_of(path)
        return {name: SplitFiles(name, (path,))}
    # The name as given: in a hub cache the files themselves are links to elsewhere.
    here = path.absolute().name
    if (path / config).is_dir():
        return by_split(_data_files(path / config))
    if here != config and here in CONFIGS:
        raise DataError(f"this task reads {config}, not {here}", file=str(path))
    if here == config:
        return by_split(_data_files(path))
    named = tuple(file for file in _data_files(path) if stem_of(file) == config)
    return {DEFAULT_SPLIT: SplitFiles(DEFAULT_SPLIT, named)} if named else {}


def _data_files(folder: Path) -> Iterable[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES and file.is_file())


_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def folder_images(folder: Path, column: str, rows: Sequence[Row]) -> ImageFiles:
    """Return what reads the screenshots of rows.

    A row that names its image's file is given that one; of the others, `column/id.png` (or .jpg,
    .jpeg, .webp) is looked for.

    Args:
        folder: Where the images are.
        column: `image`, or `raw_image` for screenshots without marks.
        rows: The rows.

    Raises:
        DataError: There is no such folder.
    """

    def paths(index: int, _: str) -> Sequence[str]:
        row = rows[index]
        given: str | None = getattr(row, column)
        return [given] if given else [f"{column}/{row.id}{suffix}" for suffix in _IMAGE_SUFFIXES]

    return ImageFiles(image_folder(folder, f"{column}/ID.png"), paths, column)


def _from_json(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split; its images are looked for beside the file.

    Raises:
        DataError: The file can't be read, or a row is not as documented.
    """
    path = files.paths[0]
    text = read_json(path)
    if path.suffix == ".jsonl":
        rows = [line.rows(layout.row) for line in text.lines]
    else:
        rows = text.rows(list[layout.row])
    check(layout, rows, text.file)
    space = space_in(layout, rows)
    return Rows(
        # Not the published files: their checksums are those of parquet.
        role=f"{layout.config}{path.suffix}",
        split=files.split,
        path=text.file,
        sha256=text.sha256,
        ids=item_ids(files.split, rows),
        rows=rows,
        load_image=folder_images(path.parent, layout.image, rows),
        space=space,
        note=note_of(rows, space),
    )


# In JSON these are the names of files; here they hold the images.
_IMAGES = ("image", "raw_image")


def _from_parquet(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split, all its parts, without the images.

    Raises:
        DataError: A file can't be read, or a row is not as documented.
        MissingExtraError: pyarrow is not installed.
    """
    parts = [read_part(path, layout.row, layout.config, _IMAGES) for path in files.paths]
    for part in parts:
        check(layout, part.rows, str(part.path))
    rows: list[Any] = [row for part in parts for row in part.rows]
    space = space_in(layout, rows)
    shown = all(layout.image in part.columns for part in parts)
    return Rows(
        role=layout.config,
        split=files.split,
        path=files.name,
        sha256=digest_of_files(files.paths),
        ids=item_ids(files.split, rows),
        rows=rows,
        load_image=ParquetImages(parts, layout.image) if shown else _no_column(layout, files),
        space=space,
        note=note_of(rows, space),
    )


def _no_column(layout: Layout, files: SplitFiles) -> Callable[[int, str], bytes] | None:
    if layout.image == "image":
        return None

    def refuse(_: int, __: str) -> bytes:
        raise DataError(
            f"there is no column {layout.image!r}, and the other image shows the candidates;"
            f" {GIVE_FOLDER} with {layout.image}/ID.png",
            file=files.name,
            field=layout.image,
        )

    return refuse


def read(layout: Layout, path: Path, split: str | None = None) -> Rows:
    """Read what one task needs of one split.

    Args:
        layout: What the task reads.
        path: A copy of the Hugging Face data set, one of its folders, a folder of files named
            after the configurations, or one file.
        split: The split's name; None: `test` when there, else the only one.

    Raises:
        DataError: It can't be read; references are never guessed.
        UnknownNameError: There is no such split.
        MissingExtraError: It is parquet and pyarrow is not installed.
    """
    files = find(layout.config, path, split)
    return (_from_parquet if files.parquet else _from_json)(layout, files)
