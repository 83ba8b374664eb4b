"""What exported folders have in common: questions without references, and the judge's half."""

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from snellen.grading.errors import InputError
from snellen.tasks.pack import MANIFEST
from snellen.tasks.pack.folders import read_inside, write_hashed
from snellen.tasks.pack.format import IMAGES, ITEMS, REFERENCES, PackItem
from snellen.tasks.pack.read import Pack


class ExportCounts(NamedTuple):
    """How many questions were written, and how many files of images."""

    items: int
    images: int


def exported_references(pack: Pack, *, with_references: bool) -> str:
    """Return the file of the references that an export takes along.

    Args:
        pack: The pack.
        with_references: Whether references that are not sealed may be taken along.

    Raises:
        InputError: There are no references, or they are readable and not asked for.
    """
    kind = pack.manifest.references
    if kind is None:
        raise InputError(
            "the pack has no references, so nothing could verify its answers",
            file=str(pack.folder),
        )
    if kind == REFERENCES and not with_references:
        raise InputError(
            "its references are readable, and would be in the exported folder; seal the pack"
            " (snellen pack seal), or ask for them with --with-references",
            file=str(pack.folder),
        )
    return kind


def write_questions(pack: Pack, folder: Path, watch: Callable[[int], None]) -> ExportCounts:
    """Write what an agent sees: `questions.jsonl`, and the images.

    Args:
        pack: The pack.
        folder: The folder for them.
        watch: Called after each item with how many are done.

    Raises:
        DataError: A line or an image can't be read.
    """
    images: set[str] = set()
    questions = list(_questions(pack, folder, images, watch))
    write_file(folder / "questions.jsonl", b"".join(questions))
    return ExportCounts(len(questions), len(images))


def write_judged(pack: Pack, folder: Path, references: str) -> None:
    """Write what a judge needs of a pack: no images."""
    for part in (MANIFEST, ITEMS, references):
        write_file(folder / part, read_inside(pack.folder, part))


def template(name: str, **values: str) -> bytes:
    """Return a file of an export, with the values in the place of `$NAMES`."""
    text = (files("snellen.tasks.export") / "templates" / f"{name}.txt").read_text(encoding="utf-8")
    return (Template(text).substitute(values) if values else text).encode()


def write_file(path: Path, data: bytes) -> None:
    """Write a new file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_hashed(path, [data])


def _questions(
    pack: Pack, folder: Path, images: set[str], watch: Callable[[int], None]
) -> Iterator[bytes]:
    for done, line in enumerate(pack.lines, start=1):
        question = {
            "task": line.item.task,
            "item_id": line.item.id,
            "prompt": line.item.prompt,
            "images": dict(_images(pack, line, folder, images)),
            "answer_format": line.item.answer_format.model_dump(mode="json", exclude_none=True),
        }
        yield json.dumps(question, ensure_ascii=False).encode() + b"\n"
        watch(done)


def _images(
    pack: Pack, line: PackItem, folder: Path, written: set[str]
) -> Iterator[tuple[str, str]]:
    for image in line.item.images:
        place = line.images[image.name]
        path = f"{IMAGES}/{place.file}"
        if path not in written:
            written.add(path)
            write_file(folder / path, read_inside(pack.folder, path))
        yield image.name, path
