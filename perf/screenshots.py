"""Views of screenshots against plain Pillow: decode, cut, encode, each time anew.

The page is 2,000 by 4,000 pixels, text with pictures in it, a PNG of about 3 MB; the long page is
1,280 by 9,000. The same crop is taken both ways, and must hold the same pixels.
"""

import asyncio
import io
import statistics
import time
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from itertools import count

import numpy as np
from _timing import Row, options, race, show
from PIL import Image, ImageDraw, ImageFont

from snellen.server.screenshots.frames import Extent
from snellen.server.screenshots.requests import Format, ViewRequest
from snellen.server.screenshots.service import Screenshots, View
from snellen.server.screenshots.sources import Source

SEED = 20240601
CROP = (600, 300)
COLD, WARM = 0.060, 0.005
WORDS = ("settings", "account", "the", "price", "4.99", "order", "total", "sign", "in", "results")


def main() -> None:
    """Check that the pixels agree, then time them."""
    flags = options(__doc__ or "")
    rounds = flags.rounds or (3 if flags.quick else 15)
    page = draw_page(2000, 4000)
    long = draw_page(1280, 9000)
    data, long_data = as_png(page), as_png(long)
    print(f"a page of {len(data) / 1e6:.1f} MB, a long one of {len(long_data) / 1e6:.1f} MB")
    with asyncio.Runner() as runner:
        warm = Screenshots()
        warm.prepare()

        def look(shots: Screenshots, name: str, request: ViewRequest) -> View:
            bytes_of = {"page": data, "long": long_data}[name]
            return runner.run(shots.view(Source(name, "screen", lambda: bytes_of), request))

        def cold(name: str, request: ViewRequest) -> View:
            shots = Screenshots()
            try:
                return look(shots, name, request)
            finally:
                shots.close()

        check(page, cold)
        show(time_all(rounds, page, (data, long_data), cold, partial(look, warm)))
        verdicts(rounds, cold, partial(look, warm))
        sizes(cold, page)
        warm.close()


def time_all(
    rounds: int,
    page: Image.Image,
    files: tuple[bytes, bytes],
    cold: Callable[[str, ViewRequest], View],
    warm: Callable[[str, ViewRequest], View],
) -> list[Row]:
    """Time cold and warm crops, tiles and overviews; of the page's file and the long one's."""
    data, long_data = files
    rows: list[Row] = []
    for where, top in (("top", 300), ("middle", 1850), ("bottom", 3650)):
        box = (700, top, 700 + CROP[0], top + CROP[1])
        rows.append(
            race(
                f"cold crop, {where} of the page",
                lambda box=box: cold("page", ViewRequest(region=box)),
                lambda box=box: plain_crop(data, box),
                rounds=rounds,
            )
        )
    warm("page", ViewRequest())
    tops = count()

    def another() -> tuple[int, int, int, int]:
        # Each time another crop, so that it is cut and encoded, not remembered.
        top = 20 + next(tops) * 37 % 3600
        return (700, top, 700 + CROP[0], top + CROP[1])

    rows += [
        race(
            "warm crop, never seen before",
            lambda: warm("page", ViewRequest(region=another())),
            lambda: encode_png(page.crop(another())),
            rounds=rounds * 3,
        ),
        race(
            "the same view again",
            lambda: warm("page", ViewRequest()),
            lambda: plain_whole(data, (758, 1516)),
            rounds=rounds,
        ),
        race(
            "cold overview of the page",
            lambda: cold("page", ViewRequest()),
            lambda: plain_whole(data, (758, 1516)),
            rounds=rounds,
        ),
        race(
            "cold overview of the long page",
            lambda: cold("long", ViewRequest()),
            lambda: plain_whole(long_data, (223, 1568)),
            rounds=rounds,
        ),
        race(
            "cold tile 5 of the long page",
            lambda: cold("long", ViewRequest(tile=5)),
            lambda: plain_crop(long_data, (0, 3255, 1280, 4117)),
            rounds=rounds,
        ),
    ]
    return rows


def check(page: Image.Image, cold: Callable[[str, ViewRequest], View]) -> None:
    """Stop if a crop does not hold Pillow's pixels, or an overview not its size."""
    for box in ((700, 1850, 1300, 2150), (0, 0, 600, 300), (1400, 3700, 2000, 4000)):
        view = cold("page", ViewRequest(region=box, format=Format.PNG))
        found = Image.open(io.BytesIO(view.data)).convert("RGB")
        if found.tobytes() != page.crop(box).tobytes():
            raise SystemExit(f"{box}: the pixels differ")
    if cold("long", ViewRequest()).frame.shown != Extent(223, 1568):
        raise SystemExit("the overview has another size")


def verdicts(
    rounds: int,
    cold: Callable[[str, ViewRequest], View],
    warm: Callable[[str, ViewRequest], View],
) -> None:
    """Print what crops take of the processor, which a busy machine changes little."""
    tops = count()

    def crop(look: Callable[[str, ViewRequest], View], first: int, last: int) -> None:
        top = first + next(tops) * 997 % (last - first)
        look("page", ViewRequest(region=(700, top, 700 + CROP[0], top + CROP[1])))

    for work, target, run in (
        ("cold crop, anywhere", COLD, lambda: crop(cold, 0, 3700)),
        ("cold crop, in the last quarter", COLD, lambda: crop(cold, 3000, 3700)),
        ("warm crop, never seen before", WARM, lambda: crop(warm, 1, 3700)),
    ):
        spent = statistics.median(_processor(run) for _ in range(rounds * 2))
        said = "reached" if spent <= target else "missed"
        print(f"{work}: {spent * 1e3:.1f} ms of CPU, target {target * 1e3:g} ms: {said}")


def _processor(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def sizes(cold: Callable[[str, ViewRequest], View], page: Image.Image) -> None:
    """Print how large a few views are, beside Pillow's PNG."""
    for work, box in (("text", (720, 0, 2000, 860)), ("with a picture", (0, 0, 1280, 860))):
        view = cold("page", ViewRequest(region=box))
        theirs = len(encode_png(page.crop(box)))
        print(f"{work}: {view.media_type}, {len(view.data):,} bytes; Pillow's PNG {theirs:,}")


def plain_crop(data: bytes, box: tuple[int, int, int, int]) -> str:
    """Do with Pillow alone what a cold crop takes."""
    return encode_png_text(Image.open(io.BytesIO(data)).crop(box))


def plain_whole(data: bytes, size: tuple[int, int]) -> str:
    """Do with Pillow alone what an overview takes."""
    small = Image.open(io.BytesIO(data)).resize(size, Image.Resampling.LANCZOS)
    return encode_png_text(small)


def encode_png(image: Image.Image) -> bytes:
    """Encode with Pillow's fastest level of PNG."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def encode_png_text(image: Image.Image) -> str:
    """Encode as an answer carries it."""
    return b64encode(encode_png(image)).decode()


def as_png(image: Image.Image) -> bytes:
    """Encode as a browser does."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=6)
    return out.getvalue()


def draw_page(width: int, height: int) -> Image.Image:
    """Draw lines of text, and pictures with some noise in them."""
    draw = np.random.default_rng(SEED)
    image = Image.new("RGB", (width, height), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(14)
    for top in range(0, height, 20):
        pen.text((8, top), " ".join(draw.choice(WORDS, width // 60)), "#222233", font)
    pixels = np.asarray(image).copy()
    down, across = np.mgrid[0:250, 0 : width // 3]
    for place in range(height // 500):
        waves = [
            127 + 100 * np.sin(across / 40 + place),
            127 + 100 * np.cos(down / 30),
            127 + 80 * np.sin((across + down) / 50),
        ]
        picture = np.stack(waves, -1) + draw.normal(0, 5, (*down.shape, 3))
        top = place * 500
        pixels[top : top + 250, 30 : 30 + width // 3] = np.clip(picture, 0, 255)
    return Image.fromarray(pixels)


if __name__ == "__main__":
    main()
