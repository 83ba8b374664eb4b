"""The service: views of images, from any number of tasks, with words beside them."""

import asyncio
import base64
import io
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent, Region, read_frame
from snellen.server.screenshots.requests import Format, Limits, ViewRequest
from snellen.server.screenshots.service import (
    LOSSLESS_BYTES,
    Screenshots,
    View,
    encode,
    image_tokens,
)
from snellen.server.screenshots.sources import Source
from snellen.tasks.samples import exam_folder

Encode = Callable[..., bytes]


class Counted:
    """An image's bytes, and how often they were read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads = 0

    def __call__(self) -> bytes:
        self.reads += 1
        return self.data

    @property
    def source(self) -> Source:
        return Source(sha256(self.data).hexdigest(), "screen", self)


@pytest.fixture
async def shots() -> AsyncIterator[Screenshots]:
    service = Screenshots()
    yield service
    service.close()


@pytest.fixture
def long_page(page_png: bytes) -> Counted:
    return Counted(page_png)


def opened(view: View) -> Image.Image:
    image = Image.open(io.BytesIO(view.data))
    image.load()
    assert image.size == (view.width, view.height)
    assert Image.MIME[image.format or ""] == view.media_type
    return image.convert("RGB")


@pytest.mark.slow
async def test_a_long_page_comes_as_an_overview_that_says_how_to_read_it(
    shots: Screenshots, long_page: Counted
) -> None:
    view = await shots.view(long_page.source)
    assert opened(view).size == (223, 1568)
    assert (view.full, view.region) == (Extent(1280, 9000), Region(0, 0, 1280, 9000))
    assert view.words() == (
        "Whole screenshot, 1280 x 9000 px, shown at 223 x 1568 (1 view pixel = 5.7399 image"
        " pixels). In image pixels: x = x_view * 5.7399, y = y_view * 5.7398. Tiles 1-11 show it"
        " at full size, from top to bottom: tile=1 is columns 0-1280, rows 0-862, tile=11 is"
        " columns 0-1280, rows 8138-9000."
    )
    assert view.view_id() == "screen 0,0,1280,9000 of 1280x9000 at 223x1568"


@pytest.mark.slow
async def test_its_tiles_put_together_are_the_page(
    shots: Screenshots, long_page: Counted, page: Image.Image
) -> None:
    whole = Image.new("RGB", page.size)
    first = await shots.view(long_page.source, ViewRequest(tile=1))
    for number in range(1, first.plan.grid.count + 1):
        view = await shots.view(long_page.source, ViewRequest(tile=number))
        assert len(base64.b64encode(view.data)) <= 1_000_000
        whole.paste(opened(view), (view.region.left, view.region.top))
    assert whole.tobytes() == page.tobytes()


async def test_a_tile_says_which_it_is_and_names_the_next(
    shots: Screenshots, long_page: Counted
) -> None:
    view = await shots.view(long_page.source, ViewRequest(tile=2))
    assert view.words() == (
        "Tile 2 of 11: columns 0-1280, rows 813-1675 of 1280 x 9000 px, shown at full size,"
        " 1280 x 862. In image pixels: x = x_view, y = 813 + y_view. Next: tile=3."
    )
    last = await shots.view(long_page.source, ViewRequest(tile=11))
    assert "Next" not in last.words()


async def test_a_region_enlarged_says_so(shots: Screenshots, long_page: Counted) -> None:
    request = ViewRequest(region=(0, 0, 0.1, 0.01), space=Space.UNIT, zoom=4)
    view = await shots.view(long_page.source, request)
    assert view.words() == (
        "Part of the screenshot: columns 0-128, rows 0-90 of 1280 x 9000 px, shown at 512 x 360"
        " (1 view pixel = 0.25 image pixels). In image pixels: x = x_view * 0.25,"
        " y = y_view * 0.25."
    )
    assert opened(view).size == (512, 360)


async def test_an_image_that_fits_needs_no_further_words(
    shots: Screenshots, noise: Image.Image, encoded: Encode
) -> None:
    view = await shots.view(Counted(encoded(noise)).source)
    assert opened(view).tobytes() == noise.tobytes()
    assert view.words() == (
        "Whole screenshot, 120 x 300 px, shown at full size, 120 x 300."
        " View pixels are image pixels."
    )


@pytest.mark.parametrize("box", [(0, 0, 600, 300), (640, 4000, 1280, 4500), (7, 8991, 9, 9000)])
async def test_a_point_seen_in_a_view_is_found_on_the_image(
    shots: Screenshots, long_page: Counted, page: Image.Image, box: tuple[int, int, int, int]
) -> None:
    view = await shots.view(long_page.source, ViewRequest(region=box, zoom=2))
    frame = read_frame(view.view_id())
    picture = opened(view)
    for x in range(0, picture.width, 37):
        for y in range(0, picture.height, 41):
            there = frame.to_image(x + 0.5, y + 0.5)
            inside = frame.region
            assert inside.left <= there.x < inside.right
            assert inside.top <= there.y < inside.bottom
    expected = page.crop(box).resize(picture.size, Image.Resampling.LANCZOS)
    assert picture.tobytes() == expected.tobytes()


async def test_limits_can_be_set_for_a_call(shots: Screenshots, long_page: Counted) -> None:
    narrow = Limits(max_side=512, max_pixels=200_000)
    view = await shots.view(long_page.source, None, narrow)
    assert max(view.width, view.height) == 512
    tile = await shots.view(long_page.source, ViewRequest(tile=1), narrow)
    assert tile.frame.shown == tile.region.extent
    assert max(tile.frame.shown) <= 512


async def test_the_base64_is_that_of_the_bytes(shots: Screenshots, long_page: Counted) -> None:
    import base64

    view = await shots.view(long_page.source, ViewRequest(tile=3))
    assert base64.b64decode(view.base64, validate=True) == view.data


# ---- once ------------------------------------------------------------------------------------


async def test_many_who_ask_at_once_have_it_read_and_made_once(
    shots: Screenshots, long_page: Counted
) -> None:
    views = await asyncio.gather(*(shots.view(long_page.source) for _ in range(64)))
    assert long_page.reads == 1
    assert len({id(view) for view in views}) == 1


async def test_many_different_views_at_once_decode_the_page_once(
    shots: Screenshots, long_page: Counted
) -> None:
    requests = [ViewRequest(tile=11, format=form) for form in Format] + [ViewRequest()]
    await asyncio.gather(*(shots.view(long_page.source, request) for request in requests))
    assert long_page.reads == 1


async def test_a_second_look_reads_nothing(shots: Screenshots, long_page: Counted) -> None:
    first = await shots.view(long_page.source, ViewRequest(tile=1))
    assert await shots.view(long_page.source, ViewRequest(tile=1)) is first
    await shots.view(long_page.source, ViewRequest(region=(0, 0, 100, 100)))
    for number in (5, 11, 2):
        await shots.view(long_page.source, ViewRequest(tile=number))
    assert long_page.reads == 1


@pytest.mark.slow
async def test_what_is_kept_stays_within_the_budgets(long_page: Counted) -> None:
    shots = Screenshots(page_budget=50_000_000, view_budget=400_000)
    for number in range(1, 12):
        await shots.view(long_page.source, ViewRequest(tile=number))
    assert 0 < shots.weight.pages <= 50_000_000
    assert 0 < shots.weight.views <= 400_000
    shots.close()


async def test_a_page_that_no_budget_holds_is_shown_all_the_same(long_page: Counted) -> None:
    shots = Screenshots(page_budget=0, view_budget=0)
    for number in (1, 11):
        await shots.view(long_page.source, ViewRequest(tile=number))
    assert shots.weight == (0, 0)
    shots.close()


@pytest.mark.slow
async def test_a_page_that_no_budget_holds_is_decoded_once_for_who_looks_at_the_same_time(
    encoded: Encode,
) -> None:
    shots = Screenshots(Limits(max_bytes=4 << 20), page_budget=0)
    screen = Counted(encoded(Image.effect_noise((2_000, 2_000), 120)))
    slow = ViewRequest(format=Format.PNG)
    quick = [ViewRequest(region=(0, 0, 64, 64 + more)) for more in range(4)]
    await asyncio.gather(*(shots.view(screen.source, request) for request in (slow, *quick)))
    assert screen.reads == 1
    shots.close()


async def test_who_gives_up_does_not_take_the_view_from_the_others(
    shots: Screenshots, noise: Image.Image, encoded: Encode
) -> None:
    begun, go = Event(), Event()
    data = encoded(noise)

    def slow() -> bytes:
        begun.set()
        go.wait()
        return data

    source = Source("slow", "screen", slow)
    first = asyncio.create_task(shots.view(source))
    second = asyncio.create_task(shots.view(source))
    await asyncio.to_thread(begun.wait)
    first.cancel()
    go.set()
    assert opened(await second).tobytes() == noise.tobytes()
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_prepared_or_not_views_are_the_same(long_page: Counted) -> None:
    prepared, plain = Screenshots(), Screenshots()
    prepared.prepare()
    request = ViewRequest(tile=4)
    one, two = [await each.view(long_page.source, request) for each in (prepared, plain)]
    assert one == two
    prepared.close()
    plain.close()


# ---- what goes wrong -------------------------------------------------------------------------


async def test_a_request_out_of_the_image_says_its_size(
    shots: Screenshots, long_page: Counted
) -> None:
    with pytest.raises(ExamError, match="the image is 1280 x 9000 px"):
        await shots.view(long_page.source, ViewRequest(region=(0, 0, 1281, 10)))


async def test_a_broken_image_is_said_to_all_who_ask_and_asked_for_again(
    shots: Screenshots,
) -> None:
    broken = Counted(b"no image at all")
    found = await asyncio.gather(
        *(shots.view(broken.source) for _ in range(5)), return_exceptions=True
    )
    assert [type(error) for error in found] == [DataError] * 5
    broken.data = b""
    with pytest.raises(DataError, match="0 bytes that are no PNG"):
        await shots.view(Source("broken", "screen", broken))


class Blocked:
    """Images that can't be read before the others were shown."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.go = Event()
        self.begun: list[str] = []

    def source(self, name: str) -> Source:
        def load() -> bytes:
            self.begun.append(name)
            self.go.wait(60)
            return self.data

        return Source(name, "screen", load)


async def test_a_caller_with_many_images_leaves_a_thread_to_the_others(
    shots: Screenshots, encoded: Encode
) -> None:
    png = encoded(Image.new("RGB", (60, 90), "teal"))
    blocked = Blocked(png)
    many = [
        asyncio.create_task(shots.view(blocked.source(str(number)), caller="greedy"))
        for number in range(16)
    ]
    # Who gives up does not get another thread before the view is made.
    await asyncio.sleep(0)
    many[0].cancel()
    other = await shots.view(Counted(png).source, caller="modest")
    assert (other.width, other.height) == (60, 90)
    assert len(blocked.begun) <= 2
    blocked.go.set()
    found = await asyncio.gather(*many, return_exceptions=True)
    assert sum(isinstance(view, View) for view in found) == 15
    assert sorted(blocked.begun, key=int) == [str(number) for number in range(16)]


async def test_a_source_that_fails_is_no_view(shots: Screenshots) -> None:
    def fail() -> bytes:
        raise DataError("can't read the image: gone")

    with pytest.raises(DataError, match="gone"):
        await shots.view(Source("gone", "screen", fail))


# ---- what it costs, and that it is always the same -------------------------------------------


@pytest.mark.parametrize(
    ("shown", "tokens"),
    [
        (Extent(1568, 733), 1533),
        (Extent(1092, 1092), 1590),
        (Extent(10, 10), 1),
        (Extent(1, 1568), 49),
        (Extent(32, 32), 2),
    ],
)
def test_tokens_are_the_larger_of_the_published_rules(shown: Extent, tokens: int) -> None:
    assert image_tokens(shown) == tokens


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize(
    ("size", "region", "side"),
    [((3_001, 4_007), None, 400), ((4_007, 1_501), (11, 7, 3_990, 1_499), 333)],
)
async def test_a_large_region_is_scaled_as_pillow_scales_it(
    shots: Screenshots,
    encoded: Encode,
    mode: str,
    size: tuple[int, int],
    region: tuple[int, int, int, int] | None,
    side: int,
) -> None:
    seed = Image.effect_noise((61, 83), 120).convert("RGB").resize(size).convert(mode)
    request = ViewRequest(region=region, max_side=side, format=Format.PNG)
    view = await shots.view(Counted(encoded(seed)).source, request)
    part = seed.crop(region) if region else seed
    expected = part.resize((view.width, view.height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    assert opened(view).tobytes() == expected.convert("RGB").tobytes()


_PEAK = """
import asyncio, io, sys
from PIL import Image
from snellen.server.screenshots.requests import ViewRequest
from snellen.server.screenshots.service import Screenshots
from snellen.server.screenshots.sources import Source
from pathlib import Path

async def main():
    shots = Screenshots()
    source = Source("large", "screen", Path(sys.argv[1]).read_bytes)
    requests = [ViewRequest(max_side=side) for side in (1000, 999, 998)]
    await asyncio.gather(*(shots.view(source, request) for request in requests))
    shots.close()

asyncio.run(main())
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux's /proc")
@pytest.mark.parametrize(("form", "most"), [("PNG", 600), ("WEBP", 900)])
def test_the_largest_image_takes_not_much_more_than_its_decoder(
    form: str, most: int, encoded: Encode, tmp_path: Path
) -> None:
    path = tmp_path / "large"
    image = Image.effect_noise((70, 70), 120).convert("RGBA").resize((7_000, 7_000), 0)
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    path.write_bytes(encoded(image, form))
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert int(done.stdout) < most * 1024


LIMIT = 750_000


def decoded(data: bytes, media_type: str) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    assert Image.MIME[image.format or ""] == media_type
    return image


def photograph(width: int, height: int, spread: int = 256) -> Image.Image:
    pixels = np.random.default_rng(3).integers(0, spread, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.mark.parametrize("count", [1, 2, 3, 17, 255, 256])
def test_few_colors_make_a_png_that_loses_nothing(count: int) -> None:
    draw = np.random.default_rng(count)
    colors = draw.integers(0, 256, (count, 3), dtype=np.uint8)
    image = Image.fromarray(colors[draw.integers(0, count, (90, 70))])
    found = encode(image, Format.AUTO, LIMIT)
    assert decoded(found.data, "image/png").convert("RGB").tobytes() == image.tobytes()
    assert found.media_type == "image/png"


def test_text_of_one_ink_is_a_png_half_as_large_as_pillow_makes_it(
    page: Image.Image, encoded: Encode
) -> None:
    tile = page.crop((0, 0, 800, 862))
    found = encode(tile, Format.AUTO, LIMIT)
    assert decoded(found.data, "image/png").convert("RGB").tobytes() == tile.tobytes()
    assert len(found.data) * 2 < len(encoded(tile, compress_level=1))


def test_text_of_many_inks_loses_nothing_either(page: Image.Image) -> None:
    tile = page.crop((0, 0, 1280, 862))
    found = encode(tile, Format.AUTO, LIMIT)
    assert decoded(found.data, "image/webp").convert("RGB").tobytes() == tile.tobytes()


@pytest.mark.slow
def test_a_flat_screen_with_text_is_smaller_than_a_png(encoded: Encode) -> None:
    sizes: list[tuple[int, int]] = []
    for file in sorted((exam_folder("wireframes") / "images").rglob("*.png")):
        with Image.open(file) as screen:
            image = screen.convert("RGB")
        found = encode(image, Format.AUTO, LIMIT)
        assert decoded(found.data, found.media_type).convert("RGB").tobytes() == image.tobytes()
        sizes.append((len(found.data), len(encoded(image, compress_level=6))))
    assert len(sizes) == 10
    assert all(ours < plain for ours, plain in sizes)


def test_many_colors_make_a_lossless_webp_while_that_is_small() -> None:
    image = photograph(100, 100)
    found = encode(image, Format.AUTO, LIMIT)
    assert found.media_type == "image/webp"
    assert decoded(found.data, found.media_type).convert("RGB").tobytes() == image.tobytes()


def test_a_large_photograph_becomes_a_jpeg_with_its_colors_at_full_resolution() -> None:
    image = photograph(900, 700, spread=40)
    found = encode(image, Format.AUTO, LIMIT)
    assert found.media_type == "image/jpeg"
    assert len(found.data) < len(encode(image, Format.WEBP, 10 * LIMIT).data)
    layers = vars(decoded(found.data, found.media_type))["layer"]
    assert {layer[1:3] for layer in layers} == {(1, 1)}


def test_a_png_that_is_too_large_becomes_a_jpeg() -> None:
    image = photograph(900, 700, spread=40)
    whole = encode(image, Format.PNG, 10 * LIMIT)
    assert whole.media_type == "image/png"
    found = encode(image, Format.PNG, len(whole.data) - 1)
    assert found == encode(image, Format.JPEG, LIMIT)


def test_grey_stays_grey(noise: Image.Image) -> None:
    grey = noise.convert("L")
    found = encode(grey, Format.AUTO, LIMIT)
    image = decoded(found.data, "image/png")
    assert (image.mode, image.tobytes()) == ("L", grey.tobytes())


@pytest.mark.parametrize("form", [Format.PNG, Format.WEBP, Format.JPEG])
def test_the_format_that_is_asked_for_is_made(form: Format, noise: Image.Image) -> None:
    found = encode(noise, form, LIMIT)
    image = decoded(found.data, f"image/{form}")
    assert found.media_type == f"image/{form}"
    if form is not Format.JPEG:
        assert image.convert("RGB").tobytes() == noise.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("form", [Format.AUTO, Format.WEBP, Format.JPEG])
def test_what_is_too_large_is_made_smaller_by_quality(form: Format) -> None:
    image = photograph(1000, 1000)
    free = encode(image, Format.JPEG, 10 * LIMIT)
    assert len(free.data) > LOSSLESS_BYTES
    tight = encode(image, form, LOSSLESS_BYTES)
    assert len(tight.data) <= LOSSLESS_BYTES
    assert decoded(tight.data, tight.media_type).size == (1000, 1000)


@pytest.mark.parametrize("form", Format)
def test_what_can_not_be_made_small_enough_is_refused_with_what_to_do(form: Format) -> None:
    with pytest.raises(ExamError, match=rf"as {form}, at most 10,000 are sent: ask for a smaller"):
        encode(photograph(600, 600), form, 10_000)


@pytest.mark.parametrize("form", Format)
def test_the_same_pixels_give_the_same_bytes(form: Format, noise: Image.Image) -> None:
    assert encode(noise, form, LIMIT) == encode(noise.copy(), form, LIMIT)
