"""The images of a pack over REST."""

import io
import json
import resource
import shutil
import struct
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from snellen.server.challenge.boards import Boards
from snellen.server.exam.file import ExamFile
from snellen.server.host import Host, open_challenge, open_exam
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Access
from snellen.server.http.api.api import rest_app
from snellen.server.http.auth import Tokens
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

MIB = 1 << 10
"""Of what getrusage counts in: KiB."""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a copy of the sample."""
    return Path(shutil.copytree(exam_folder("wireframes"), tmp_path / "pack"))


@pytest.fixture
def opening(pack: Path, store: Path) -> Iterator[Callable[[], Host]]:
    """Return a function that opens the copy."""
    opened: list[Host] = []

    def start() -> Host:
        file = ExamFile(name="sample", packs=(str(pack),))
        opened.append(open_exam(Settings((pack,), store, file=file)))
        return opened[-1]

    yield start
    for host in opened:
        host.close()


@asynccontextmanager
async def rest(host: Host, pack: Path, store: Path) -> AsyncGenerator[httpx2.AsyncClient]:
    file = ExamFile(name="sample", packs=(str(pack),))
    challenge = open_challenge(Settings((pack,), store, file=file), host)
    access = Access(Tokens(host.database), guarded=False)
    transport = httpx2.ASGITransport(rest_app(Actions(challenge, Boards(challenge), access)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http


def first(pack: Path) -> tuple[str, dict[str, object]]:
    """Return the id of the first item of a pack, and its image."""
    line = json.loads((pack / "items.jsonl").read_text().splitlines()[0])
    (image,) = line["images"].values()
    return line["item"]["id"], image


def exchange(pack: Path, body: bytes) -> None:
    """Have a pack's first image be another one, which whoever made the pack put there."""
    _, image = first(pack)
    (pack / "images" / str(image["file"])).write_bytes(body)
    lines = (pack / "items.jsonl").read_text()
    lines = lines.replace(str(image["sha256"]), sha256(body).hexdigest())
    lines = lines.replace(f'"bytes":{image["bytes"]}', f'"bytes":{len(body)}')
    (pack / "items.jsonl").write_text(lines)
    manifest = json.loads((pack / "manifest.json").read_text())
    known = {"sha256": sha256(lines.encode()).hexdigest(), "bytes": len(lines.encode())}
    manifest["files"]["items.jsonl"] = known
    (pack / "manifest.json").write_text(json.dumps(manifest))


def bomb() -> bytes:
    """A PNG of a few bytes that says it has 50,000 x 50,000 pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + crc

    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1 << 20))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def pixels(body: bytes) -> bytes:
    return Image.open(io.BytesIO(body)).convert("RGB").tobytes()


@pytest.mark.parametrize("damage", ["other size", "other bytes", "none"])
async def test_an_image_that_is_not_the_packs_is_not_shown(
    pack: Path, store: Path, opening: Callable[[], Host], damage: str
) -> None:
    item, image = first(pack)
    file = pack / "images" / str(image["file"])
    if damage == "none":
        file.unlink()
    else:
        body = file.read_bytes()
        file.write_bytes(body[:-1] + (b"" if damage == "other size" else bytes([body[-1] ^ 1])))
    async with rest(opening(), pack, store) as http:
        shown = await http.get("/exams/sample/image", params={"item": item})
        assert shown.status_code == 404
        assert shown.json()["detail"] == "the image 'screen' can't be shown"


async def test_only_the_pixels_of_an_image_are_sent(
    pack: Path, store: Path, opening: Callable[[], Host]
) -> None:
    item, image = first(pack)
    body = (pack / "images" / str(image["file"])).read_bytes()
    said = PngInfo()
    said.add_text("answer", "the answer is 42")
    told = io.BytesIO()
    Image.open(io.BytesIO(body)).save(told, "PNG", pnginfo=said)
    exchange(pack, told.getvalue() + b"behind the end: 42 is the answer")
    async with rest(opening(), pack, store) as http:
        shown = await http.get("/exams/sample/image", params={"item": item})
        assert shown.headers["content-type"] == "image/png"
        assert pixels(shown.content) == pixels(body)
        assert b"answer" not in shown.content
        same = {"If-None-Match": shown.headers["etag"]}
        again = await http.get("/exams/sample/image", params={"item": item}, headers=same)
        assert again.status_code == 304


async def test_a_jpeg_stays_one_without_what_it_says_of_itself(
    pack: Path, store: Path, opening: Callable[[], Host]
) -> None:
    exif = Image.Exif()
    exif[0x010E] = "the answer is 42"
    told = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(told, "JPEG", exif=exif, comment=b"answer")
    exchange(pack, told.getvalue())
    item, _ = first(pack)
    async with rest(opening(), pack, store) as http:
        shown = await http.get("/exams/sample/image", params={"item": item})
    assert shown.headers["content-type"] == "image/jpeg"
    assert b"answer" not in shown.content
    assert Image.open(io.BytesIO(shown.content)).size == (256, 256)


async def test_an_image_bomb_is_refused_by_its_size_and_takes_no_memory(
    pack: Path, store: Path, opening: Callable[[], Host]
) -> None:
    exchange(pack, bomb())
    await check_refused(pack, store, opening())


async def check_refused(pack: Path, store: Path, host: Host) -> None:
    item, _ = first(pack)
    async with rest(host, pack, store) as http:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        shown = await http.get("/exams/sample/image", params={"item": item})
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert shown.status_code == 404
    assert "50000 x 50000 px are 2,500,000,000, at most 50,000,000" in shown.json()["detail"]
    assert after - before < 50 * MIB
