"""The service of views: decode once, cut, scale, encode, and describe the view."""

import asyncio
import io
import sys
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import WeakValueDictionary

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Format
from snellen.server.screenshots.frames import Extent, Frame, Region, factor
from snellen.server.screenshots.pages import decode, probe
from snellen.server.screenshots.requests import Limits, Plan, ViewRequest, make_plan
from snellen.server.screenshots.shelf import Shelf
from snellen.server.screenshots.sources import Source
from snellen.tasks.memory import return_freed_memory

if TYPE_CHECKING:
    from PIL.Image import Image

# Far larger images are first reduced by a whole number, to no less than twice the size: that is
# twice as fast and can't be seen. Else a view is scaled as `snellen.tasks.views` scales.
_GAP = 2.0
_LARGE_PIXELS = 12_000_000
"""One image above it is decoded at a time: that takes up to seven bytes a pixel."""


@dataclass(frozen=True, slots=True)
class View:
    """An image as it is sent, and what it shows."""

    data: bytes = field(repr=False)  # the encoded bytes
    base64: str = field(repr=False)  # the same as text
    media_type: str  # what they are, such as `image/png`
    plan: Plan  # the region, the sizes and the tiles

    @property
    def frame(self) -> Frame:
        """How it lies on its image."""
        return self.plan.frame

    @property
    def width(self) -> int:
        """In pixels, of `data`."""
        return self.frame.shown.width

    @property
    def height(self) -> int:
        """In pixels, of `data`."""
        return self.frame.shown.height

    @property
    def region(self) -> Region:
        """What is shown, in pixels of the whole image."""
        return self.frame.region

    @property
    def full(self) -> Extent:
        """The size of the whole image."""
        return self.frame.full

    @property
    def tokens(self) -> int:
        """What it costs a model to look at, estimated."""
        return image_tokens(self.frame.shown)

    def view_id(self) -> str:
        """Return what is recorded with an answer: `frames.read_frame` reads it."""
        return self.frame.id

    def words(self) -> str:
        """Say what is shown, how to reckon its coordinates, and how to see more."""
        return " ".join(filter(None, (_shown(self.plan), self.frame.mapping(), _more(self.plan))))

    def brief_words(self) -> str:
        """Say how to reckon its coordinates, and which tiles there are; empty at full size."""
        if self.frame.whole and self.frame.shown == self.full:
            return ""
        tiles = self.plan.grid.count if self.plan.tile is None and self.frame.whole else 0
        return self.frame.mapping() + (f" Tiles 1-{tiles} are at full size." if tiles > 1 else "")


class Weight(NamedTuple):
    """Bytes kept: of decoded pages, and of encoded views."""

    pages: int
    views: int


class Screenshots:
    """Views of images, for any number of tasks and threads.

    Decoded pages and encoded views are cached (least recently used), each within a budget of bytes.
    Callers wait for a view that is already being made. Pixels are processed on a few separate
    threads, so that the event loop stays free. No caller can use all threads.

    Args:
        limits: The default limits of a view.
        page_budget: The bytes of decoded pixels to keep.
        view_budget: The bytes of encoded views to keep, including their base64.
        threads: The number of threads; a caller can use all but one.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        page_budget: int = 128 << 20,
        view_budget: int = 64 << 20,
        threads: int = 3,
    ) -> None:
        return_freed_memory()
        self.limits = limits or Limits()
        self._pages: Shelf[str, Image] = Shelf(page_budget, _image_bytes)
        self._views: Shelf[tuple[str, str, ViewRequest, Limits], View] = Shelf(
            view_budget, lambda view: len(view.data) + len(view.base64)
        )
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="screenshots")
        self._each = max(1, threads - 1)
        self._callers: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._one_large = Lock()
        # A page that no budget holds must not be decoded beside itself.
        self._in_use: WeakValueDictionary[str, Image] = WeakValueDictionary()

    @property
    def weight(self) -> Weight:
        """The bytes that are kept."""
        return Weight(self._pages.weight, self._views.weight)

    def prepare(self) -> None:
        """Load what views need, on a thread: the first view is then no slower than the others."""
        self._pool.submit(_load)

    async def view(
        self,
        source: Source,
        request: ViewRequest | None = None,
        limits: Limits | None = None,
        caller: str = "",
    ) -> View:
        """Return a view of an image.

        The same request gives the same bytes, independent of earlier views.

        Args:
            source: The image.
            request: The part to show; None: the whole image.
            limits: The limits of the view; None: the service's.
            caller: The caller, who can use all threads but one.

        Raises:
            ExamError: The request is not valid for this image; the message says what to do.
            DataError: The image can't be read.
        """
        request, limits = request or ViewRequest(), limits or self.limits
        key = (source.digest, source.name, request, limits)
        held = self._views.held(key)
        if held is not None:
            return held
        turns = self._callers.setdefault(caller, asyncio.Semaphore(self._each))
        await turns.acquire()
        future = asyncio.wrap_future(
            self._views.start(key, lambda: self._make(source, request, limits), self._pool.submit)
        )
        # A caller that gives up has its thread until the view is made.
        future.add_done_callback(lambda _: turns.release())
        # Cancelling one caller must not cancel the view for others that wait for it.
        return await asyncio.shield(future)

    def close(self) -> None:
        """Finish the views that are being made, and end the threads."""
        self._pool.shutdown()

    def _make(self, source: Source, request: ViewRequest, limits: Limits) -> View:
        def read() -> "Image":
            used = self._in_use.get(source.digest)
            if used is not None:
                return used
            data = source.load()
            size = probe(data)
            large = size.width * size.height > _LARGE_PIXELS
            with self._one_large if large else nullcontext():
                page = decode(data)
            self._in_use[source.digest] = page
            return page

        page = self._pages.get(source.digest, read)
        made = make_plan(source.name, Extent(*page.size), request, limits)
        image = _scaled(page, made.frame.region, made.frame.shown)
        # What is stored never goes out: a file may hold more than its pixels, in many places.
        form = limits.format if request.format is Format.AUTO else request.format
        encoded = encode(image, form, limits.max_bytes)
        return View(encoded.data, b64encode(encoded.data).decode(), encoded.media_type, made)


def _image_bytes(image: "Image") -> int:
    """Return what Pillow keeps of an image: a byte a pixel of grey, four of RGB."""
    return image.width * image.height * (1 if image.mode == "L" else 4)


def image_tokens(shown: Extent) -> int:
    """Estimate the tokens of an image: the larger of two published rules.

    Anthropic: width times height / 750 (docs, "Vision"). OpenAI: a token for each patch of 32 by
    32 pixels (docs, "Images and vision"), without the factors of single models.

    >>> image_tokens(Extent(1280, 862))
    1472
    """
    return max(
        ceil(shown.width * shown.height / 750), ceil(shown.width / 32) * ceil(shown.height / 32)
    )


def text_tokens(text: str) -> int:
    """Estimate the tokens of a text: four characters each (OpenAI and Google, "Tokens").

    >>> text_tokens("A step makes at most one change.")
    8
    """
    return ceil(len(text) / 4)


def _load() -> None:
    """Make one small view of each kind."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (8, 8), "white").save(out, "PNG")
    page = decode(out.getvalue())
    for form in Format:
        encode(page, form, sys.maxsize)


def _scaled(page: "Image", region: Region, shown: Extent) -> "Image":
    """Return a region of an image at another size, as `crop` and `resize` with a gap have it.

    What is reduced is not copied before.
    """
    from PIL.Image import Resampling

    box = (region.left, region.top, region.right, region.bottom)
    size = region.extent
    across = int(size.width / shown.width / _GAP) or 1
    down = int(size.height / shown.height / _GAP) or 1
    if (across, down) != (1, 1):
        part = page.reduce((across, down), box)
        inside = (0, 0, size.width / across, size.height / down)
        return part.resize(shown, Resampling.LANCZOS, inside)
    part = page.crop(box)
    return part if size == shown else part.resize(shown, Resampling.LANCZOS)


def _shown(plan: Plan) -> str:
    frame = plan.frame
    if frame.whole:
        what = f"Whole screenshot, {frame.full} px"
    elif plan.tile is not None:
        what = f"Tile {plan.tile} of {plan.grid.count}: {frame.region} of {frame.full} px"
    else:
        what = f"Part of the screenshot: {frame.region} of {frame.full} px"
    if frame.shown == frame.region.extent:
        return f"{what}, shown at full size, {frame.shown}."
    scale = factor((frame.scale_x * frame.scale_y) ** 0.5)
    return f"{what}, shown at {frame.shown} (1 view pixel = {scale} image pixels)."


def _more(plan: Plan) -> str:
    if plan.tile is None:
        return plan.grid.words() if plan.frame.whole else ""
    return f"Next: tile={plan.tile + 1}." if plan.tile < plan.grid.count else ""


_Colors = list[tuple[int, tuple[int, int, int]]]

LOSSLESS_BYTES = 400_000
"""Up to here clients pass an image on as it is; larger ones some turn into a JPEG themselves."""
MOST_COLORS = 256
_QUALITIES = (90, 80, 65, 50, 35, 20)

_PNG: dict[str, Any] = {"format": "PNG", "compress_level": 1}
# Method 0 is both faster and smaller than a PNG on photographs, where the next methods take five
# times as long. On flat surfaces with text method 1 is the faster one, and makes files of a
# tenth of the size.
_WEBP: dict[str, Any] = {"format": "WEBP", "lossless": True, "quality": 20}
_FLAT_COLORS = 1 << 14


@dataclass(frozen=True, slots=True)
class Encoded:
    """An encoded image; `media_type` is such as `image/png`."""

    data: bytes = field(repr=False)
    media_type: str


def encode(image: "Image", form: Format, max_bytes: int) -> Encoded:
    """Encode an image; the same pixels give the same bytes.

    `auto` is a PNG where a palette holds all colors, as of most text: nothing is lost, it is the
    smallest, and every client takes it. Else it is lossless WebP, as long as that stays under
    400,000 bytes; else, photographs, the smaller of that and a JPEG of quality 90 with its
    colors at full resolution. A PNG that is too large is such a JPEG, too. A lossy image that is
    too large is encoded again at a lower quality.

    Args:
        image: The pixels, grey or RGB.
        form: How to encode them.
        max_bytes: The most bytes.

    Raises:
        ExamError: It can't be made as small as that.
    """
    smallest: Encoded | None = None
    for encoded in _tries(image, form):
        if smallest is None or len(encoded.data) < len(smallest.data):
            smallest = encoded
        if len(smallest.data) <= _aim(encoded, form, max_bytes):
            return smallest
    size = len(smallest.data) if smallest else 0
    raise ExamError(
        f"this view is {size:,} bytes as {form}, at most {max_bytes:,} are sent: ask for a"
        " smaller region or max_side, or for format=auto",
        field="format",
    )


def _tries(image: "Image", form: Format) -> Iterator[Encoded]:
    if form in (Format.PNG, Format.AUTO):
        few = _paletted(image)
        if few is not None or form is Format.PNG:
            yield _saved(image if few is None else few, "image/png", _PNG)
    if form in (Format.WEBP, Format.AUTO):
        flat = image.getcolors(_FLAT_COLORS) is not None
        yield _saved(image, "image/webp", {**_WEBP, "method": 1 if flat else 0})
    if form is Format.WEBP:
        for quality in _QUALITIES:
            options = {"format": "WEBP", "quality": quality, "method": 0}
            yield _saved(image, "image/webp", options)
    if form is not Format.WEBP:
        for quality in _QUALITIES:
            options = {"format": "JPEG", "quality": quality, "subsampling": 0}
            yield _saved(image, "image/jpeg", options)


def _aim(encoded: Encoded, form: Format, max_bytes: int) -> int:
    """How small an encoding must be for no other to be tried."""
    lossless = encoded.media_type != "image/jpeg"
    return min(LOSSLESS_BYTES, max_bytes) if form is Format.AUTO and lossless else max_bytes


def _paletted(image: "Image") -> "Image | None":
    """Return the same pixels with a palette, or None where 256 colors don't hold them.

    Pillow's own ways to a palette look for colors that are near.
    """
    if image.mode == "L":
        return image
    colors = image.getcolors(MOST_COLORS)
    if colors is None:
        return None
    import numpy as np
    from PIL import Image

    # One number a pixel: red, green, blue and a byte that is left out, from the lowest up.
    pixels = np.frombuffer(image.tobytes("raw", "RGBX"), dtype="<u4") & 0xFFFFFF
    known = np.sort(np.array([_number(color) for _, color in cast("_Colors", colors)], dtype="<u4"))
    # A place for every color there is; only the pages of memory that are touched cost anything.
    table = np.empty(1 << 24, dtype=np.uint8)
    table[known] = np.arange(len(known), dtype=np.uint8)
    few = Image.frombytes("P", image.size, table[pixels].tobytes())
    few.putpalette(known.view(np.uint8).reshape(-1, 4)[:, :3].tobytes())
    return few


def _number(color: tuple[int, int, int]) -> int:
    red, green, blue = color
    return red | green << 8 | blue << 16


def _saved(image: "Image", media_type: str, options: dict[str, Any]) -> Encoded:
    out = io.BytesIO()
    image.save(out, **options)
    return Encoded(out.getvalue(), media_type)


_WHOLE_BUDGET = 64 << 20
_JPEG = b"\xff\xd8"


class WholeImages:
    """Whole images in their own size, encoded again; the last ones are kept.

    A file may hold more than its pixels: text chunks, bytes behind the end, color profiles and all
    frames but the first do not go out. What was a JPEG is a JPEG of quality 90, everything else a
    PNG with the same pixels. One is made at a time.

    Args:
        budget: The bytes to keep.
    """

    def __init__(self, budget: int = _WHOLE_BUDGET) -> None:
        self._kept: Shelf[str, Encoded] = Shelf(budget, lambda encoded: len(encoded.data))
        self._one = Lock()

    def get(self, source: Source) -> Encoded:
        """Return an image; call it on a thread.

        Raises:
            DataError: The image can't be read, is damaged or too large.
        """
        return self._kept.get(source.digest, lambda: self._make(source))

    def _make(self, source: Source) -> Encoded:
        data = source.load()
        with self._one:
            form = Format.JPEG if data.startswith(_JPEG) else Format.PNG
            return encode(decode(data), form, sys.maxsize)
