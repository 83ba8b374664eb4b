import io
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from PIL import Image as Pillow

from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.tasks.data.check import ImageFault, ImageProblem, image_faults
from snellen.tasks.io.images import ImageFiles
from snellen.tasks.models import TaskData

Shown = Mapping[str, str]
"""An item's images: their names and files."""


def encoded(form: str = "PNG", size: tuple[int, int] = (64, 40)) -> bytes:
    picture = Pillow.linear_gradient("L").resize(size).convert("RGB")
    buffer = io.BytesIO()
    picture.save(buffer, form)
    return buffer.getvalue()


def data_of(
    load: Callable[[int, str], bytes] | None,
    items: Sequence[Shown],
    size: tuple[int, int] | None = (64, 40),
) -> TaskData:
    """Make a split whose items say that their images have a size."""
    width, height = size or (None, None)
    ids = [f"test/{place}" for place in range(len(items))]

    def item(place: int) -> Item:
        return Item(
            id=ids[place],
            task="screenqa/short",
            prompt="Look.",
            images=tuple(Image(name=name, width=width, height=height) for name in items[place]),
            answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="red"),
        )

    return TaskData(
        task="screenqa/short",
        split="test",
        ids=ids,
        golds=Golds([["blue"]] * len(ids)),
        pin=DataPin(
            release="v0", sha256="0" * 64, count=len(ids), verdict=PinVerdict.UNKNOWN, path="data"
        ),
        build_item=item,
        load_image=load,
    )


def in_folder(
    folder: Path, items: Sequence[Shown], size: tuple[int, int] | None = (64, 40)
) -> TaskData:
    return data_of(ImageFiles(folder, lambda place, name: [items[place][name]]), items, size)


def of_bytes(*images: bytes, size: tuple[int, int] | None = (64, 40)) -> TaskData:
    return data_of(lambda place, _: images[place], [{"screen": ""}] * len(images), size)


def problems(data: TaskData, *, decode: bool = True) -> dict[str, ImageProblem]:
    return {fault.item: fault.problem for fault in image_faults(data, decode=decode)}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def bomb(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_a_whole_image_has_no_fault(form: str) -> None:
    data = of_bytes(encoded(form))
    assert problems(data) == problems(data, decode=False) == {}


def test_every_fault_is_named_and_none_stops_the_others(tmp_path: Path) -> None:
    (tmp_path / "whole.png").write_bytes(encoded())
    (tmp_path / "cut.png").write_bytes(encoded()[:-30])
    (tmp_path / "cut.jpg").write_bytes(encoded("JPEG")[:-200])
    (tmp_path / "text.png").write_bytes(b"<html>")
    (tmp_path / "empty.png").touch()
    (tmp_path / "pointer.png").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    (tmp_path / "small.png").write_bytes(encoded(size=(32, 20)))
    (tmp_path / "bomb.png").write_bytes(bomb(60_000, 60_000))
    (tmp_path / "folder.png").mkdir()
    names = [
        "whole.png", "gone.png", "cut.png", "cut.jpg", "text.png", "empty.png", "pointer.png",
        "small.png", "bomb.png", "folder.png", "../secret.png", "whole.png",
    ]  # fmt: skip
    faults = list(image_faults(in_folder(tmp_path, [{"screen": name} for name in names])))
    found = {Path(fault.file or "").name: (fault.problem.value, fault.message) for fault in faults}
    assert found == {
        "gone.png": ("missing", "there is no gone.png in its folder"),
        "cut.png": ("damaged", "it was cut off; fetch it again"),
        "cut.jpg": ("damaged", found["cut.jpg"][1]),
        "text.png": ("no image", "these 6 bytes are no image that Pillow knows; fetch it again"),
        "empty.png": ("no image", "it is empty; fetch it again"),
        "pointer.png": ("no image", "it is a Git LFS pointer; run git lfs pull"),
        "small.png": ("other size", "it is 32 x 20 pixels, and the data says 64 x 40"),
        "bomb.png": ("too large", found["bomb.png"][1]),
        "folder.png": ("missing", "can't be read: Is a directory"),
        "secret.png": ("missing", "'../secret.png' is not inside the folder of images"),
    }
    assert "truncated" in found["cut.jpg"][1]
    assert "decompression bomb" in found["bomb.png"][1]
    assert [fault.item for fault in faults] == [f"test/{place}" for place in range(1, 11)]


def test_a_file_that_several_items_show_is_named_once_with_their_number(tmp_path: Path) -> None:
    shared: Shown = {"screen": "gone.png"}
    items = [shared, {"screen": "other.png"}, shared, shared]
    assert list(image_faults(in_folder(tmp_path, items))) == [
        ImageFault(
            item=f"test/{place}",
            image="screen",
            problem=ImageProblem.MISSING,
            message=f"there is no {name}.png in its folder",
            file=str(tmp_path / f"{name}.png"),
            items=count,
        )
        for place, name, count in ((0, "gone", 3), (1, "other", 1))
    ]


def test_an_item_that_shows_a_file_twice_counts_once(tmp_path: Path) -> None:
    (fault,) = image_faults(in_folder(tmp_path, [{"before": "gone.png", "after": "gone.png"}]))
    assert fault.items == 1


def test_each_file_is_read_once_and_only_when_its_turn_comes(tmp_path: Path) -> None:
    items: list[Shown] = [{"screen": f"{place}.png"} for place in (0, 1, 2, 0, 1, 2)]
    faults = image_faults(in_folder(tmp_path, items))
    assert next(faults).item == "test/0"
    # Files that are put right meanwhile are no fault any more: nothing was looked at beforehand.
    for place in (0, 1):
        (tmp_path / f"{place}.png").write_bytes(encoded())
    assert [fault.item for fault in faults] == ["test/2"]


def test_images_inside_the_data_are_named_item_by_item() -> None:
    (fault,) = image_faults(of_bytes(encoded(), b"nothing"))
    assert (fault.item, fault.file, fault.items) == ("test/1", "data", 1)


def test_a_loaders_error_is_a_fault_of_that_item_alone() -> None:
    def load(place: int, name: str) -> bytes:
        if place == 0:
            raise DataError("the row holds none", file="part.parquet", field="image")
        return encoded()

    (fault,) = image_faults(data_of(load, [{"screen": ""}] * 2))
    assert (fault.item, fault.problem) == ("test/0", "missing")
    assert (fault.message, fault.file) == ("the row holds none", "part.parquet")


def test_pixels_are_looked_at_only_when_that_is_asked_for() -> None:
    # The end is there, and the middle is not: no header tells of it.
    whole = encoded(size=(400, 300))
    hollow = whole[: len(whole) // 2] + whole[len(whole) // 2 + 100 :]
    data = of_bytes(hollow, encoded("JPEG")[:-200], b"nothing", encoded(size=(9, 9)), size=None)
    assert problems(data) == {"test/0": "damaged", "test/1": "damaged", "test/2": "no image"}
    assert problems(data, decode=False) == {"test/2": "no image"}
    other = of_bytes(encoded(size=(9, 9)))
    assert problems(other, decode=False) == {"test/0": "other size"}


def test_a_changed_byte_of_a_png_is_found_wherever_it_is() -> None:
    # Each chunk has a checksum, which decoding alone does not read.
    whole = encoded()
    changed = [
        whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :]
        for place in range(len(whole))
    ]
    # All but the last chunk, which says nothing but that it is the last.
    assert len(problems(of_bytes(*changed[:-12], size=None))) == len(whole) - 12


@pytest.mark.slow
def test_a_long_page_is_decoded_and_is_no_bomb() -> None:
    buffer = io.BytesIO()
    # More than Pillow warns of.
    Pillow.new("1", (9_000, 10_000)).save(buffer, "PNG")
    assert problems(of_bytes(buffer.getvalue(), size=(9_000, 10_000))) == {}


def test_a_size_that_only_one_side_of_is_stated_is_compared() -> None:
    assert problems(of_bytes(encoded(), size=(64, 41))) == {"test/0": "other size"}


def test_items_without_images_have_no_faults() -> None:
    assert list(image_faults(data_of(None, [{}, {}]))) == []


def test_data_that_came_without_its_images_says_so_at_once() -> None:
    with pytest.raises(DataError, match="loaded without images; give images=FOLDER"):
        image_faults(data_of(None, [{}, {"screen": ""}]))
