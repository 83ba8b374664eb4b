from pathlib import Path

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.screenqa.format import rico_images
from snellen.tasks.io.rows import SCREEN


def test_a_screenshot_is_found_by_its_image_id(tmp_path: Path) -> None:
    (tmp_path / "5.jpg").write_bytes(b"jpeg")
    (tmp_path / "6.png").write_bytes(b"png")
    load = rico_images(tmp_path, ["5", "6", "5"])
    assert [load(index, SCREEN) for index in range(3)] == [b"jpeg", b"png", b"jpeg"]


def test_jpg_goes_before_png(tmp_path: Path) -> None:
    (tmp_path / "5.png").write_bytes(b"png")
    (tmp_path / "5.jpg").write_bytes(b"jpeg")
    assert rico_images(tmp_path, ["5"])(0, SCREEN) == b"jpeg"


def test_a_missing_screenshot_says_what_was_tried(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no 5\.jpg or 5\.png in its"):
        rico_images(tmp_path, ["5"])(0, SCREEN)


def test_a_missing_folder_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder of images"):
        rico_images(tmp_path / "combined", ["5"])
