from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.grounding import GroundingRow, checked_rows, grounding_data
from snellen.tasks.data.pins import pin
from snellen.tasks.io.images import ImageFiles
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt

ASKED = Prompt("mine-1", "Point, in pixels of the image", "\n{question}")
ROWS = [
    GroundingRow(id="0", instruction="Save", box=(1, 2, 3, 4), image="a", size=(2560, 1440)),
    GroundingRow(id="1", instruction="Open", box=(1, 2, 3, 4), image="b"),
    GroundingRow(id="2", instruction="Close", box=(1, 2, 40, 4), image="b"),
    GroundingRow(id="3", instruction="Quit", box=(1, 2, 3, 4), image="c"),
]


def png() -> bytes:
    file = BytesIO()
    Image.new("1", (30, 20)).save(file, "PNG")
    return file.getvalue()


def loaded(rows: list[GroundingRow], images: ImageFiles | None) -> TaskData:
    return grounding_data(
        "mine/point",
        "all",
        rows,
        pin=pin("mine", "all", "mine.json", b"", len(rows)),
        prompt=ASKED,
        asked_in=Space.PIXELS,
        images=images,
    )


def test_sizes_are_the_rows_own_or_their_images(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(png())
    (tmp_path / "c").write_bytes(b"none")
    data = loaded(ROWS, ImageFiles(tmp_path, lambda place, _: [ROWS[place].image]))
    sizes = [(context.width, context.height) for context in data.contexts]
    assert sizes == [(2560, 1440), (30, 20), (30, 20), (None, None)]
    assert "which is 30 x 20." in data.item("1").prompt
    assert "in pixels of the image." in data.item("3").prompt
    assert "1 right box reaches outside its image ('2', ...)" in data.pin.note


def test_rows_that_no_file_has_are_an_error() -> None:
    with pytest.raises(DataError, match=r"mine\.json: holds no rows"):
        loaded([], None)


@pytest.mark.parametrize(
    ("space", "box", "message"),
    [
        (Space.UNIT, (0.1, 0.2, 3, 0.4), r"row 1 .*item 0: the box .* reaches out of 0\.\.1"),
        (Space.UNIT, (0.3, 0.2, 0.1, 0.4), "row 1 .*item 0"),
        (Space.PIXELS, (0.1, 0.2, 0.3, 0.4), r"lies within 0\.\.1, and boxes are in pixels here"),
    ],
)
def test_a_box_that_is_not_in_the_files_space_is_an_error(
    space: Space, box: tuple[float, float, float, float], message: str
) -> None:
    row = GroundingRow(id="0", instruction="Save", box=box)
    with pytest.raises(DataError, match=message) as caught:
        list(checked_rows([row], "mine.json", boxes_in=space))
    assert (caught.value.file, caught.value.field) == ("mine.json", "bbox")
