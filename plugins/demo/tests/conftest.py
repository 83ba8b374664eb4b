"""Drawn pictures, and a reader that knows what was drawn: skills are tried without any OCR."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from snellen.demo.ocr.pictures import Box, Picture, Pixels, Reading
from snellen.sdk.exam.client import ExamImage, ExamItem


@dataclass
class Sheet:
    """A picture that is drawn on; it notes which text stands where.

    As a reader it finds these texts, and reads a part by the text that was drawn with the same
    pixels.
    """

    image: Image.Image
    texts: dict[Box, str] = field(default_factory=dict[Box, str])

    def write(self, x: float, y: float, text: str, size: int = 16, fill: str = "black") -> Box:
        """Write a line of text and return where it stands."""
        draw = ImageDraw.Draw(self.image)
        font = ImageFont.load_default(size)
        draw.text((x, y), text, fill=fill, font=font)
        left, top, right, bottom = draw.textbbox((x, y), text, font=font)
        box = Box(int(left) - 1, int(top) - 1, int(right) + 1, int(bottom) + 1)
        self.texts[box] = text
        return box

    def fill(self, box: Sequence[float], color: str) -> Box:
        """Fill an area."""
        ImageDraw.Draw(self.image).rectangle(tuple(box), fill=color)
        return Box(*box)

    def frame(self, box: Sequence[float], color: str = "red", width: int = 3) -> Box:
        """Draw a box as lines."""
        ImageDraw.Draw(self.image).rectangle(tuple(box), outline=color, width=width)
        return Box(*box)

    @property
    def picture(self) -> Picture:
        """The picture as it is now."""
        return Picture(np.asarray(self.image), self)

    def find(self, pixels: Pixels) -> Sequence[Box]:
        """Return where the texts stand that are whole in these pixels."""
        import cv2

        whole = np.asarray(self.image)
        height, width = pixels.shape[:2]
        fits: Any = cv2.matchTemplate(whole, np.ascontiguousarray(pixels), cv2.TM_SQDIFF)
        y, x = map(int, np.unravel_index(int(np.argmin(fits)), fits.shape))
        if np.array_equal(whole[y : y + height, x : x + width], pixels):
            return [
                Box(left - x, top - y, right - x, bottom - y)
                for left, top, right, bottom in self.texts
                if left >= x and top >= y and right <= x + width and bottom <= y + height
            ]
        # A part that was put on a ground of its own.
        found: list[Box] = []
        for box in self.texts:
            left, top, right, bottom = map(int, box)
            text = whole[top:bottom, left:right]
            height, width = text.shape[:2]
            if height > pixels.shape[0] or width > pixels.shape[1]:
                continue
            fits = cv2.matchTemplate(np.ascontiguousarray(pixels), text, cv2.TM_SQDIFF)
            y, x = map(int, np.unravel_index(int(np.argmin(fits)), fits.shape))
            if np.array_equal(pixels[y : y + height, x : x + width], text):
                found.append(Box(x, y, x + width, y + height))
        return found

    def read(self, pixels: Pixels) -> Reading:
        """Return the text that was drawn with these pixels."""
        whole = np.asarray(self.image)
        for box, text in self.texts.items():
            left, top, right, bottom = map(int, box)
            if np.array_equal(whole[top:bottom, left:right], pixels):
                return Reading(text, 1.0)
        return Reading("", 0.0)


@pytest.fixture
def sheet() -> Callable[..., Sheet]:
    """Return a function that gives an empty sheet of a size."""
    pytest.importorskip("cv2")

    def make(width: int = 800, height: int = 600, color: str = "white") -> Sheet:
        return Sheet(Image.new("RGB", (width, height), color))

    return make


@pytest.fixture
def ask() -> Callable[..., ExamItem]:
    """Return a function that puts a question about one image, `screen`, or about several."""

    def make(prompt: str = "", images: Sequence[str] = ("screen",), **given: Any) -> ExamItem:
        fields: dict[str, Any] = {"id": "i1", "task": "x/y", "kind": "text", **given}
        return ExamItem(prompt=prompt, images=[ExamImage(name) for name in images], **fields)

    return make
