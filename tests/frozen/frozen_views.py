"""The pixels of views: whole, tiles, parts reduced and enlarged, of every kind of image."""

import asyncio
import io
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image

from snellen.server.screenshots.requests import Format, Limits, ViewRequest
from snellen.server.screenshots.service import Screenshots
from snellen.server.screenshots.sources import Source
from snellen.tasks.samples import exam_folder

MODES = ("1", "L", "LA", "P", "RGB", "RGBA")
REQUESTS = {
    "whole": ViewRequest(format=Format.PNG),
    "tile 2": ViewRequest(tile=2, format=Format.PNG),
    "reduced": ViewRequest(region=(3, 5, 1210, 1490), max_side=300, format=Format.PNG),
    "enlarged": ViewRequest(region=(11, 7, 211, 107), zoom=2.5, format=Format.PNG),
}


def views(_: Path) -> dict[str, object]:
    """Return the size and the digest of the pixels of each view."""
    return asyncio.run(_views())


async def _views() -> dict[str, object]:
    shots, found = Screenshots(Limits(max_bytes=1 << 30)), dict[str, object]()
    for name, data in _images():
        source = Source(sha256(data).hexdigest(), "screen", lambda data=data: data)
        for what, request in REQUESTS.items():
            view = await shots.view(source, request)
            with Image.open(io.BytesIO(view.data)) as image:
                pixels = image.convert("RGB").tobytes()
            found[f"{name}: {what}"] = [view.width, view.height, sha256(pixels).hexdigest()[:16]]
    shots.close()
    return found


def _images() -> Iterator[tuple[str, bytes]]:
    """Yield noise of each mode, larger than two tiles, and a screenshot of an included exam."""
    noise = np.random.default_rng(5).integers(0, 256, (3_100, 1_300, 4), dtype=np.uint8)
    colors = Image.fromarray(noise, "RGBA")
    for mode in MODES:
        out = io.BytesIO()
        flat = colors if mode in ("LA", "RGBA") else colors.convert("RGB")
        (flat.quantize(200) if mode == "P" else flat.convert(mode)).save(out, "PNG")
        yield f"noise {mode}", out.getvalue()
    out = io.BytesIO()
    colors.convert("RGB").save(out, "WEBP", lossless=True)
    yield "noise WebP", out.getvalue()
    screens = sorted((exam_folder("sample") / "images").rglob("*.png"))
    for screen in screens:
        with Image.open(screen) as image:
            long = image.height > 1_500 and image.width > 1_210
        if long:
            yield screen.name[:12], screen.read_bytes()
            return
