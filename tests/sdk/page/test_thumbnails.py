"""An album of pictures keeps to its budget, whatever the sizes."""

import io

import pytest
from PIL import Image

from snellen.sdk.page.thumbnails import Album, ThumbnailBudget


def picture(color: str, side: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (side, side // 2), color).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("large_share", [0, 0.5, 1])
def test_an_album_never_takes_more_than_its_budget(large_share: float) -> None:
    album = Album(ThumbnailBudget(total=3000, side=64, large_share=large_share))
    for number in range(40):
        album.ask(lambda number=number: picture(f"rgb({number * 6}, 0, 0)", 80))
    assert sum(4 * -(-len(image.data) // 3) for image in album.images) <= 3000
    assert len(album.images) + album.left_out == 40
