"""Stand-in screens: what is read in a published layout, and what is drawn of it."""

import io
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.tasks.screens import SIZE, draw_screen, draw_screens, read_layout, read_layouts

_SETTINGS = (
    "TOOLBAR 0 999 31 98 (PICTOGRAM an arrow, (left) 29 127 37 89, TEXT Settings 470 674 44 89),"
    " LIST_ITEM 166 975 185 250 (LABEL Daily, at 7 194 403 203 234, SWITCH 816 942 203 240),"
    " TEXT 5 steps. 1427 Abiding 84 436 277 302"
)


def test_every_element_is_found_with_its_text_and_sides() -> None:
    layout = read_layout(_SETTINGS)

    assert [(element.kind, element.text) for element in layout] == [
        ("TOOLBAR", ""),
        ("PICTOGRAM", "an arrow, (left)"),
        ("TEXT", "Settings"),
        ("LIST_ITEM", ""),
        ("LABEL", "Daily, at 7"),
        ("SWITCH", ""),
        ("TEXT", "5 steps. 1427 Abiding"),
    ]
    toolbar = layout[0]
    assert (toolbar.left, toolbar.right, toolbar.top, toolbar.bottom) == (0, 999, 31, 98)


def test_an_element_without_an_area_is_left_out() -> None:
    assert read_layout("TEXT gone 10 10 20 30, TEXT here 10 90 20 30")[0].text == "here"
    assert read_layout("") == ()


def test_ink_is_where_the_text_is_and_nowhere_else() -> None:
    image = Image.open(io.BytesIO(draw_screen(read_layout("TEXT Settings 100 400 500 530"))))
    width, height = SIZE

    assert image.size == SIZE
    ink = Image.eval(image.convert("L"), lambda level: 255 - level).getbbox()
    assert ink is not None
    left, top, right, bottom = ink
    assert left >= 0.099 * width
    assert right <= 0.42 * width
    assert top >= 0.49 * height
    assert bottom <= 0.54 * height


def test_a_text_that_is_written_inside_is_not_written_twice() -> None:
    twice = read_layout("BUTTON Play 100 400 500 600 (TEXT Play 100 400 500 600)")
    once = read_layout("BUTTON 100 400 500 600 (TEXT Play 100 400 500 600)")

    assert draw_screen(twice) == draw_screen(once)


def test_another_process_draws_the_same_bytes() -> None:
    code = (
        "import sys; from hashlib import sha256; from snellen.tasks.screens import *;"
        "print(sha256(draw_screen(read_layout(sys.argv[1]))).hexdigest())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, _SETTINGS],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == sha256(draw_screen(read_layout(_SETTINGS))).hexdigest()


def test_screens_are_drawn_where_the_loader_looks_for_them(tmp_path: Path) -> None:
    layouts = tmp_path / "layouts.csv"
    layouts.write_text(f'screen_id,screen_annotation\n300,"{_SETTINGS}"\n', encoding="utf-8")

    paths = list(draw_screens(read_layouts(layouts), tmp_path / "screens"))

    assert paths == [tmp_path / "screens" / "300.png"]
    with Image.open(paths[0]) as drawn:
        assert drawn.size == SIZE


def test_a_file_that_is_no_list_of_layouts_is_refused_by_name(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"other\.csv.*screen_id and screen_annotation"):
        read_layouts(other)
    with pytest.raises(DataError, match=r"gone\.csv.*can't read it"):
        read_layouts(tmp_path / "gone.csv")
