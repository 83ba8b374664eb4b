"""Pictures of hand-made pages: strokes where elements are, as letters would be."""

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from snellen.build.screen.elements import Element


def inked(elements: Sequence[Element], size: tuple[int, int], color: str = "white") -> bytes:
    """Return the PNG of a page whose innermost elements have strokes, and painted ones a ground."""
    image = Image.new("RGB", size, color)
    pen = ImageDraw.Draw(image)
    outer = {element.parent for element in elements}
    for element in elements:
        if element.painted:
            left, top, right, bottom = map(round, element.box)
            pen.rectangle((left, top, right - 1, bottom - 1), fill="#e0e6ee")
    for element in elements:
        if element.id not in outer:
            left, top, right, bottom = map(round, element.ink or element.box)
            for x in (*range(left, right - 1, 4), right - 1):
                pen.line((x, top, x, bottom - 1), fill="black")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
