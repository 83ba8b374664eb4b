"""Of an image its pixels go out, and nothing that its file says beside them."""

import io
import json
import secrets
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ImageContent, TextContent
from PIL import Image, PngImagePlugin

from snellen.server.exam.rules import Mode, Rules
from snellen.server.host import LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.write import Part, write_pack

MARKER = f"gold{secrets.token_hex(12)}"
VIEWS: list[Mapping[str, object]] = [
    {},
    {"format": "png"},
    {"format": "jpeg"},
    {"format": "webp"},
    {"region": [0, 0, 20, 20]},
    {"tile": 1},
]


def notes(kind: str) -> dict[str, Any]:
    """Return what a file of a kind can say beside its pixels."""
    exif = Image.Exif()
    exif[0x010E] = MARKER
    words = MARKER.encode()
    if kind == "PNG":
        texts = PngImagePlugin.PngInfo()
        texts.add_text("Comment", MARKER)
        texts.add_itxt("Title", MARKER)
        return {"pnginfo": texts, "exif": exif, "icc_profile": words}
    if kind == "JPEG":
        return {"comment": words, "exif": exif, "icc_profile": words}
    return {"exif": exif, "icc_profile": words, "xmp": words}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a pack with a noted image of each kind."""
    data, images = tmp_path / "data", tmp_path / "images"
    (data / "short_answers").mkdir(parents=True)
    images.mkdir()
    # RICO's screenshots are called .jpg or .png, whatever is in them.
    kinds = {"PNG": "png", "JPEG": "jpg", "WEBP": "png"}
    rows = [
        {"image_id": number, "question": f"What is {number}?", "ground_truth": [MARKER]}
        for number in range(len(kinds))
    ]
    (data / "short_answers" / "test.json").write_text(json.dumps(rows))
    for number, (kind, ending) in enumerate(kinds.items()):
        out = io.BytesIO()
        Image.new("RGB", (60, 80), (200, 30, 60 * number)).save(out, kind, **notes(kind))
        file = out.getvalue() + MARKER.encode()
        assert MARKER.encode() in file
        (images / f"{number}.{ending}").write_bytes(file)
    loaded = load_task("screenqa/short", data, images=images)
    write_pack([Part(loaded)], tmp_path / "pack", name="noted")
    return tmp_path / "pack"


async def test_what_files_of_images_say_stays_here(pack: Path, tmp_path: Path) -> None:
    kept = b"".join(path.read_bytes() for path in (pack / "images").rglob("*.*"))
    assert MARKER.encode() in kept
    settings = Settings((pack,), tmp_path / "exam.sqlite", Rules(mode=Mode.DEFERRED))
    opening = LazyHost(lambda: open_exam(settings))
    seen: set[str] = set()
    async with Client(ExamServer(opening).server) as client:
        started = told(await client.call_tool("start_attempt", {}))
        handle = {"attempt": started["attempt"]}
        for number in range(started["items"]):
            given = await client.call_tool("get_item", {**handle, "client": str(number)})
            item = {**handle, "item": told(given)["item"], "client": str(number)}
            for view in VIEWS:
                shown = await client.call_tool("get_screenshot", {**item, **view})
                seen |= {image.mime_type for image in check(shown)}
            check(given)
    await opening.close()
    assert seen == {"image/png", "image/jpeg", "image/webp"}


def told(result: CallToolResult) -> dict[str, Any]:
    (text,) = [one.text for one in result.content if isinstance(one, TextContent)]
    assert not result.is_error, text
    return json.loads(text)


def check(result: CallToolResult) -> list[ImageContent]:
    """Look for the marker in a result and return its images."""
    told(result)
    assert MARKER not in result.model_dump_json()
    images = [one for one in result.content if isinstance(one, ImageContent)]
    assert images
    for image in images:
        data = b64decode(image.data)
        assert MARKER.encode() not in data
        assert not Image.open(io.BytesIO(data)).getexif()
    return images
