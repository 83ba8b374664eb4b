"""How two images differ."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def differing_pixels(one: bytes, other: bytes) -> int:
    """Return how many pixels of two images differ; those that only one of them has, too.

    Args:
        one: A PNG.
        other: A PNG.
    """
    if one == other:
        return 0
    import numpy as np

    first, second = _pixels(one), _pixels(other)
    height = min(first.shape[0], second.shape[0])
    width = min(first.shape[1], second.shape[1])
    differ = (first[:height, :width] != second[:height, :width]).any(axis=2)
    alone = first.shape[0] * first.shape[1] + second.shape[0] * second.shape[1]
    return int(np.count_nonzero(differ)) + alone - 2 * height * width


def _pixels(encoded: bytes) -> "NDArray[np.uint8]":
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(encoded)) as image:
        return np.asarray(image.convert("RGB"))
