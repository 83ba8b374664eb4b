"""How two images differ, pixel by pixel."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def pixels_of(encoded: bytes) -> NDArray[np.uint32]:
    """Return an image's pixels: a number for each, rows first.

    Args:
        encoded: A PNG.
    """
    with Image.open(io.BytesIO(encoded)) as image:
        parts = np.asarray(image.convert("RGBA"))
    return parts.view(np.uint32)[:, :, 0]


def differing_pixels(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> int:
    """Return how many pixels of two images differ; those that only one of them has, too.

    Args:
        one: As `pixels_of` returns them.
        other: The same of the other image.
    """
    height = min(one.shape[0], other.shape[0])
    width = min(one.shape[1], other.shape[1])
    differ = int(np.count_nonzero(one[:height, :width] != other[:height, :width]))
    return differ + one.size + other.size - 2 * height * width
