import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside, size_of, unfetched

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels" + b"\x00\x00\x00\x00IEND\xaeB`\x82"


def files(folder: Path, *paths: str) -> ImageFiles:
    return ImageFiles(folder, lambda _, __: paths, field="image")


def test_the_first_file_that_is_there_is_read(tmp_path: Path) -> None:
    (tmp_path / "5.png").write_bytes(PNG)
    both = files(tmp_path, "5.jpg", "5.png")
    assert both.file(0, "screen") == tmp_path / "5.png"
    assert both(0, "screen") == both.read(0, "screen") == PNG
    (tmp_path / "5.jpg").write_bytes(b"jpeg")
    assert both(0, "screen") == b"jpeg"


def test_each_image_of_each_item_has_its_path(tmp_path: Path) -> None:
    (tmp_path / "1-crop.png").write_bytes(PNG)
    load = ImageFiles(tmp_path, lambda index, name: [f"{index}-{name}.png"])
    assert load(1, "crop") == PNG
    assert load.file(2, "screen") == tmp_path / "2-screen.png"


def test_a_missing_image_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"there is no 5\.jpg or 5\.png or 5\.gif in its folder$"
    ) as caught:
        files(tmp_path, "5.jpg", "5.png", "5.gif")(0, "screen")
    assert (caught.value.file, caught.value.field) == (str(tmp_path / "5.jpg"), "image")
    with pytest.raises(DataError, match=r"there is no 5\.jpg in its folder$"):
        files(tmp_path, "5.jpg")(0, "screen")


def test_what_can_not_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "5.jpg").mkdir()
    with pytest.raises(DataError, match=r"5\.jpg, field 'image': can't be read: Is a directory"):
        files(tmp_path, "5.jpg")(0, "screen")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.png",
        "a/../../secret.png",
        "/etc/hostname",
        "..\\secret.png",
        "C:/a.png",
        "C:a.png",
        "./C:a.png",
        "\\a.png",
        "x\\a.png",
        "//host/share/a.png",
        "a\0.png",
    ],
)
def test_no_file_outside_the_folder_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "images" / "a").mkdir(parents=True)
    assert not is_inside(path)
    with pytest.raises(DataError, match="is not inside the folder of images"):
        files(tmp_path / "images", path)(0, "screen")
    with pytest.raises(DataError, match="is not inside the folder of images"):
        files(tmp_path / "images", "a.png", path)(0, "screen")


@pytest.mark.parametrize("path", ["a.png", "a/b.png", "./a.png", "a..b/c.png", "ab:c.png"])
def test_files_in_the_folder_are_inside(path: str) -> None:
    assert is_inside(path)


@pytest.mark.parametrize("path", ["", "."])
def test_the_folder_itself_is_no_image(path: str) -> None:
    assert not is_inside(path)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "is empty; fetch it again"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer; run git lfs pull"),
        (PNG[:-12], "was cut off; fetch it again"),
        (PNG, ""),
        (PNG + b"what some program wrote behind it" * 9, ""),
        (b"anything else", ""),
    ],
)
def test_what_was_not_fetched_whole_is_not_shown(tmp_path: Path, data: bytes, fault: str) -> None:
    assert unfetched(data) == fault
    (tmp_path / "5.png").write_bytes(data)
    load = files(tmp_path, "5.png")
    assert load.read(0, "screen") == data
    if fault:
        with pytest.raises(DataError, match=fault):
            load(0, "screen")
    else:
        assert load(0, "screen") == data


def test_a_size_is_read_from_the_header(tmp_path: Path) -> None:
    Image.new("RGB", (30, 20)).save(tmp_path / "a.png")
    assert size_of(tmp_path / "a.png") == (30, 20)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


HEADER = PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 9, 9, 8, 2, 0, 0, 0))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no image",
        HEADER[:20],
        # Pillow reads no text of more than a megabyte, nor an image of more than 2^28 / 3 pixels.
        HEADER + chunk(b"zTXt", b"k\0\0" + zlib.compress(b"x" * 2_000_000)),
        PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 30, 1 << 30, 8, 2, 0, 0, 0)),
    ],
    ids=["empty", "no image", "cut", "text", "pixels"],
)
def test_what_has_no_size_that_can_be_read_has_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.png").write_bytes(data)
    assert size_of(tmp_path / "a.png") is None
    assert size_of(tmp_path / "none.png") is None


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert image_folder(tmp_path, "5.jpg") == tmp_path
    for path in (tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(DataError, match=r"no such folder of images; give one that holds 5\.j"):
            image_folder(path, "5.jpg")
