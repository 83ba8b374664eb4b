"""Sources: an item's image, from the pack's folder."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.server.errors import ExamError
from snellen.server.screenshots.service import Screenshots
from snellen.server.screenshots.sources import image_source
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.write import Part, write_pack

Encode = Callable[..., bytes]


@pytest.fixture
def screen(encoded: Encode) -> bytes:
    return encoded(Image.new("RGB", (60, 90), "teal"))


@pytest.fixture
def pack(screen: bytes, tmp_path: Path) -> Pack:
    """Return a pack of one question."""
    folder = tmp_path / "short_answers"
    folder.mkdir()
    rows = [{"image_id": 5, "question": "What is it?", "ground_truth": ["teal"]}]
    (folder / "test.json").write_text(json.dumps(rows))
    images = tmp_path / "images"
    images.mkdir()
    (images / "5.png").write_bytes(screen)
    data = load_task("screenqa/short", tmp_path, split="test", images=images)
    write_pack([Part(data)], tmp_path / "pack", name="one")
    return open_pack(tmp_path / "pack")


def line(pack: Pack, number: int) -> PackItem:
    return pack.lines[number]


async def test_a_file_of_the_pack_is_shown(pack: Pack, screen: bytes) -> None:
    source = image_source(pack, line(pack, 0), "screen")
    assert source.digest == sha256(screen).hexdigest()
    assert source.load() == screen
    shots = Screenshots()
    view = await shots.view(source)
    assert view.view_id() == "screen 0,0,60,90 of 60x90 at 60x90"
    shots.close()


async def test_a_file_that_was_changed_is_no_view(pack: Pack) -> None:
    source = image_source(pack, line(pack, 0), "screen")
    for path in pack.folder.rglob("*.png"):
        path.write_bytes(b"another")
    shots = Screenshots()
    with pytest.raises(DataError, match=r"does not match its digest|bytes"):
        await shots.view(source)
    shots.close()


def test_an_image_that_the_item_has_not_is_refused_with_those_that_it_has(
    pack: Pack,
) -> None:
    with pytest.raises(ExamError, match="no image 'after'; this item has: screen") as caught:
        image_source(pack, line(pack, 0), "after")
    assert line(pack, 0).item.id not in str(caught.value)
