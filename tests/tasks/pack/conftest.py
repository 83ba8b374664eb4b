"""Small data of every task, and packs made from it."""

import json
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from miniatures import written
from PIL import Image

from snellen.grading.protocols.names import OWN
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.write import Part, write_pack


@pytest.fixture(scope="session")
def every_benchmark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each benchmark's published data in miniature, three items or more of each task."""
    return {name: written(name, tmp_path_factory.mktemp(name)) for name in OWN}


def png(color: str, size: tuple[int, int] = (40, 60), form: str = "PNG") -> bytes:
    out = BytesIO()
    Image.new("RGB", size, color).save(out, form)
    return out.getvalue()


ROWS: list[dict[str, Any]] = [
    {"image_id": image, "question": f"What is {n}?", "ground_truth": [f"gold {image} {n}", "gold"]}
    for image in (5, 9)
    for n in range(3)
]
LoadShort = Callable[..., TaskData]
MakePack = Callable[..., Pack]


@pytest.fixture
def load_short(tmp_path: Path) -> LoadShort:
    """Load six ScreenQA questions about two screenshots, a red one and a blue one."""

    def load(rows: list[dict[str, Any]] = ROWS, folder: str = "data") -> TaskData:
        root = tmp_path / folder
        (root / "short_answers").mkdir(parents=True, exist_ok=True)
        (root / "images").mkdir(exist_ok=True)
        (root / "short_answers" / "test.json").write_text(json.dumps(rows))
        (root / "images" / "5.png").write_bytes(png("red"))
        (root / "images" / "9.jpg").write_bytes(png("blue", form="JPEG"))
        return load_task("screenqa/short", root, images=root / "images")

    return load


@pytest.fixture
def make_pack(load_short: LoadShort, tmp_path: Path) -> MakePack:
    """Make a pack of these questions, by default in the folder `pack`."""

    def make(folder: str = "pack", data: TaskData | None = None, **options: Any) -> Pack:
        items = options.pop("items", None)
        part = Part(load_short() if data is None else data, items)
        write_pack([part], tmp_path / folder, name="demo", **options)
        return open_pack(tmp_path / folder)

    return make


Tree = Callable[[Path], dict[str, bytes]]


@pytest.fixture
def tree() -> Tree:
    """Return the content of a folder: bytes by path."""

    def read(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return read


Rehash = Callable[..., None]


@pytest.fixture
def rehash() -> Rehash:
    """Write a file of a pack and its digest into the manifest, like a forger."""

    def write(pack: Path, name: str, data: bytes) -> None:
        (pack / name).write_bytes(data)
        manifest = json.loads((pack / "manifest.json").read_text())
        manifest["files"][name] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
        (pack / "manifest.json").write_text(json.dumps(manifest))

    return write
