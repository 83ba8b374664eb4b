"""Sizes and pixels of the image in a request, as published scripts compute them."""

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from math import ceil, floor, sqrt
from typing import TYPE_CHECKING, Literal

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.views import View, view

if TYPE_CHECKING:
    from PIL.Image import Image

Sides = tuple[int, int]
"""Width and height in pixels."""

_LONGEST = 200


class Resize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step of resizing.

    With a factor it is Qwen's `smart_resize`: both sides become multiples of the factor, and the
    area is kept between the limits. Without one, a larger image is scaled down to the limit.

    Source: transformers `image_processing_qwen2_vl.py` and qwen_vl_utils `vision_process.py`,
    `smart_resize`; InfiGUI-G1 `eval/data.py`, `resize_image`.

    Attributes:
        max_pixels: The largest area, in pixels.
        min_pixels: The smallest area, in pixels.
        factor: What both sides are multiples of; 0: of nothing.
        min_side: The least side after rounding, before the limits: qwen_vl_utils has the factor,
            transformers has 0.
    """

    max_pixels: int
    min_pixels: int = 0
    factor: int = 0
    min_side: int = 0

    def size(self, width: int, height: int) -> Sides:
        """Return the new width and height.

        Raises:
            DataError: One side is more than 200 times the other; the published code refuses it.
        """
        if not self.factor:
            scale = min(1.0, sqrt(self.max_pixels / (width * height)))
            return round(width * scale), round(height * scale)
        if max(width, height) / min(width, height) > _LONGEST:
            raise DataError(
                f"an image of {width} x {height} pixels can't be sent: the published resizing"
                f" refuses sides of a ratio above {_LONGEST}"
            )
        factor = self.factor
        wide, high = (max(self.min_side, round(side / factor) * factor) for side in (width, height))
        if wide * high > self.max_pixels:
            by = sqrt(height * width / self.max_pixels)
            wide, high = (floor(side / by / factor) * factor for side in (width, height))
        elif wide * high < self.min_pixels:
            by = sqrt(self.min_pixels / (height * width))
            wide, high = (ceil(side * by / factor) * factor for side in (width, height))
        return wide, high


def resized(steps: Sequence[Resize], size: Sides) -> Sides:
    """Return the size after all steps."""
    for step in steps:
        size = step.size(*size)
    return size


class Pixels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The image in a request.

    Attributes:
        resize: The steps to its size; without any it is not resized. The pixels are resampled
            once, as Pillow's `resize` does by default (bicubic; palettes: nearest).
        mode: `RGB`: alpha is dropped; `white`: it is laid on white; empty: the mode is kept.
        encode: `PNG`: lossless, and the original bytes if nothing changes; `JPEG`: of `quality`.
        quality: The quality of a JPEG.
    """

    resize: tuple[Resize, ...] = ()
    mode: Literal["", "RGB", "white"] = ""
    encode: Literal["PNG", "JPEG"] = "PNG"
    quality: int = 90

    def view(self, data: bytes) -> View:
        """Return the image as it is sent.

        Raises:
            DataError: The bytes are no image, or the resizing refuses its size.
        """
        from PIL import Image

        whole = view(data)
        size = resized(self.resize, (whole.width, whole.height))
        with Image.open(BytesIO(whole.data)) as image:
            kept = size == image.size and (not self.mode or image.mode == "RGB")
            if kept and self.encode == "PNG":
                return whole
            pixels = self._mode(image)
            if size != pixels.size:
                pixels = pixels.resize(size)
        out = BytesIO()
        if self.encode == "JPEG":
            pixels.convert("RGB").save(out, format="JPEG", quality=self.quality)
        else:
            pixels.save(out, format="PNG", compress_level=1)
        return View(out.getvalue(), f"image/{self.encode.lower()}", *size)

    def _mode(self, image: "Image") -> "Image":
        from PIL import Image

        if self.mode == "white" and image.mode == "RGBA":
            white = Image.new("RGB", image.size, (255, 255, 255))
            white.paste(image, mask=image.getchannel("A"))
            return white
        return image.convert("RGB") if self.mode else image


def data_url(image: View) -> str:
    """Return an image as a data URL."""
    return f"data:{image.media_type};base64,{b64encode(image.data).decode('ascii')}"
