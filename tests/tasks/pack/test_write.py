"""Packs are written completely or not at all, and equal input gives equal bytes."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

import pytest
from PIL import Image

from snellen.grading.errors import DataError, InputError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import Pack, open_pack, open_references, plain_references
from snellen.tasks.pack.references import canary_of
from snellen.tasks.pack.seal import new_key
from snellen.tasks.pack.write import Part, seal_pack, strip_pack, write_pack

MakePack = Callable[..., Pack]
LoadShort = Callable[..., TaskData]
Tree = Callable[[Path], dict[str, bytes]]
KEY = bytes(range(64)).hex()

SCRIPT = """
import sys
from pathlib import Path
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.write import Part, write_pack

data, out = map(Path, sys.argv[1:])
parts = [
    Part(load_task("screenqa/short", data, images=data / "images")),
    Part(load_task("webrssbench/position", data / "web"), protocol="robust"),
]
write_pack(parts, out / "plain", name="demo", images="images" in sys.argv)
write_pack(parts[:1], out / "sealed", name="demo", key="00" * 64)
"""


def test_a_pack_holds_each_image_once_and_its_items_say_their_sizes(make_pack: MakePack) -> None:
    pack = make_pack()
    assert (pack.manifest.images, len(pack.lines)) == (2, 6)
    files = [path for path in (pack.folder / "images").rglob("*") if path.is_file()]
    assert sorted(path.suffix for path in files) == [".jpg", ".png"]
    assert pack.manifest.image_bytes == sum(path.stat().st_size for path in files)
    for line in pack.lines:
        image = line.item.images[0]
        assert (image.name, image.width, image.height) == ("screen", 40, 60)
        assert len(pack.image(line, "screen")) == line.images["screen"].bytes


@pytest.mark.slow
def test_equal_input_makes_equal_bytes_in_any_process(
    load_short: LoadShort, every_benchmark: dict[str, Path], tmp_path: Path, tree: Tree
) -> None:
    data = tmp_path / "data"
    load_short()
    (data / "web").mkdir()
    manifest = (every_benchmark["webrssbench"] / "webrssbench.json").read_bytes()
    (data / "web" / "webrssbench.json").write_bytes(manifest)
    trees: list[dict[str, bytes]] = []
    for number, seed in enumerate(("1", "random")):
        out = tmp_path / f"out{number}"
        # Another home each: what was seen before must not count.
        home = {"PYTHONHASHSEED": seed, "SNELLEN_HOME": str(tmp_path / f"home{number}")}
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(data), str(out)],
            env={**os.environ, **home},
            check=True,
        )
        trees.append(tree(out))
    assert trees[0] == trees[1]
    assert len(trees[0]) == 8
    everything = b"".join(trees[0].values())
    assert str(tmp_path).encode() not in everything


def test_what_is_outside_the_references_depends_on_no_reference(
    load_short: LoadShort, make_pack: MakePack, tmp_path: Path, tree: Tree
) -> None:
    rows = [
        {"image_id": 5 if n < 3 else 9, "question": f"What is {n}?", "ground_truth": ["MARKER"]}
        for n in range(6)
    ]
    other = [{**row, "ground_truth": [f"gold {n}", "b"]} for n, row in enumerate(rows)]
    packs = [
        make_pack(name, load_short(given, f"data {name}"))
        for name, given in (("one", rows), ("other", other))
    ]
    one, two = (tree(pack.folder) for pack in packs)
    assert one.keys() == two.keys()
    assert {name for name in one if one[name] != two[name]} == {
        "manifest.json",
        "references.jsonl",
    }
    assert packs[0].digest == packs[1].digest
    for pack, name in zip(packs, ("bare one", "bare other"), strict=True):
        strip_pack(pack, tmp_path / name)
    assert tree(tmp_path / "bare one") == tree(tmp_path / "bare other")
    public = b"".join(data for name, data in one.items() if name != "references.jsonl")
    assert b"MARKER" in one["references.jsonl"]
    assert b"MARKER" not in public


def test_a_canary_stands_in_every_file_of_references(make_pack: MakePack) -> None:
    canary = canary_of(make_pack("a").manifest.files["items.jsonl"].sha256)
    for name, file, key in (("b", "references.jsonl", None), ("c", "references.sealed", KEY)):
        pack = make_pack(name, key=key)
        first = (pack.folder / file).read_bytes().partition(b"\n")[0].decode()
        assert pack.manifest.canary == canary
        assert f"canary GUID {canary}" in first
        assert "NOT FOR TRAINING" in first


def test_readable_references_are_their_owners_alone(make_pack: MakePack) -> None:
    folder = make_pack().folder
    if os.name != "nt":
        assert (folder / "references.jsonl").stat().st_mode & 0o077 == 0
        assert (folder / "items.jsonl").stat().st_mode & 0o400


def test_sealing_later_makes_the_bytes_of_sealing_at_once(make_pack: MakePack, tree: Tree) -> None:
    at_once, later = make_pack("a", key=KEY), make_pack("b")
    references = (later.folder / "references.jsonl").read_bytes()
    seal_pack(later, KEY)
    assert tree(at_once.folder) == tree(later.folder)
    assert b"gold 5 0" in references
    assert not any(b"gold 5 0" in data for data in tree(later.folder).values())
    found = open_references(open_pack(later.folder), KEY)
    assert found.golds["screenqa/short"]["test/5/0"] == ["gold 5 0", "gold"]


def test_sealing_again_changes_nothing_and_another_key_is_refused(
    make_pack: MakePack, tree: Tree
) -> None:
    pack = make_pack(key=KEY)
    before = tree(pack.folder)
    seal_pack(pack, KEY)
    assert tree(pack.folder) == before
    with pytest.raises(DataError, match=r"sealed with the key [0-9a-f]{16}; the key given is"):
        seal_pack(pack, new_key())
    assert tree(pack.folder) == before


def stop_at(count: int, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[str]:
    """Let a number of calls that change the disk pass; fail the next one, once."""
    calls: list[str] = []

    def watched(name: str) -> Callable[..., Any]:
        real: Callable[..., Any] = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            calls.append(name)
            if len(calls) == count + 1:
                raise error
            return real(*arguments, **options)

        return call

    for name in ("fsync", "replace", "rename", "unlink"):
        monkeypatch.setattr(os, name, watched(name))
    return calls


def test_sealing_stopped_anywhere_leaves_a_pack_that_reads_and_can_be_sealed(
    make_pack: MakePack, tree: Tree
) -> None:
    sealed = tree(make_pack("sealed", key=KEY).folder)
    count = -1
    stopped = True
    while stopped:
        count += 1
        pack = make_pack(f"pack{count}")
        with pytest.MonkeyPatch.context() as patch:
            calls = stop_at(count, patch, KeyboardInterrupt())
            with suppress(KeyboardInterrupt):
                seal_pack(pack, KEY)
        again = open_pack(pack.folder)
        assert len(open_references(again, KEY).golds["screenqa/short"]) == 6
        seal_pack(again, KEY)
        assert tree(pack.folder) == sealed
        stopped = len(calls) > count
    assert 5 < count < 50


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (KeyboardInterrupt(), KeyboardInterrupt, "KeyboardInterrupt"),
        (OSError(errno.ENOSPC, "No space left on device"), InputError, "No space left on device"),
    ],
)
def test_writing_stopped_anywhere_leaves_the_whole_pack_or_nothing(
    error: BaseException,
    raised: type[BaseException],
    message: str,
    load_short: LoadShort,
    tmp_path: Path,
) -> None:
    data = load_short()
    count = -1
    stopped = True
    while stopped:
        count += 1
        room = tmp_path / f"room{count}"
        room.mkdir()
        told = ""
        with pytest.MonkeyPatch.context() as patch:
            calls = stop_at(count, patch, error)
            try:
                write_pack([Part(data)], room / "pack", name="demo")
            except raised as caught:
                told = repr(caught)
        stopped = len(calls) > count
        assert (message in told) is stopped
        left = [path.name for path in room.iterdir()]
        assert left in ([], ["pack"])
        assert stopped or left == ["pack"]
        if left:
            assert check_pack(room / "pack").fine
    assert 5 < count < 50


def test_ctrl_c_between_items_leaves_nothing(load_short: LoadShort, tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    data = load_short()
    with pytest.raises(KeyboardInterrupt):
        write_pack([Part(data)], tmp_path / "room" / "pack", name="demo", watch=stop)
    assert not list((tmp_path / "room").iterdir())


def test_an_empty_folder_may_be_there_and_a_full_one_may_not(
    load_short: LoadShort, tmp_path: Path
) -> None:
    (tmp_path / "pack").mkdir()
    part = Part(load_short())
    write_pack([part], tmp_path / "pack", name="demo")
    with pytest.raises(InputError, match="not an empty folder; choose a new folder"):
        write_pack([part], tmp_path / "pack", name="demo")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="not an empty folder"):
        write_pack([part], tmp_path / "file", name="demo")
    assert check_pack(tmp_path / "pack").fine


def test_a_folder_that_appears_meanwhile_is_not_written_over(
    load_short: LoadShort, tmp_path: Path
) -> None:
    def meddle(_: int) -> None:
        (tmp_path / "pack").mkdir(exist_ok=True)
        (tmp_path / "pack" / "mine").touch()

    with pytest.raises(InputError, match="can't be written"):
        write_pack([Part(load_short())], tmp_path / "pack", name="demo", watch=meddle)
    assert [path.name for path in (tmp_path / "pack").iterdir()] == ["mine"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".pack")]


@pytest.mark.parametrize("name", ["", "Demo", "a b", "con", "a" * 65])
def test_a_name_that_is_none_is_refused_before_anything_is_written(
    name: str, load_short: LoadShort, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="not valid as a pack's name"):
        write_pack([Part(load_short())], tmp_path / "pack", name=name)
    assert not (tmp_path / "pack").exists()


def test_what_is_asked_for_must_be_there(load_short: LoadShort, tmp_path: Path) -> None:
    data = load_short()
    with pytest.raises(InputError, match="has no item 'test/5/9'"):
        Part(data, ["test/5/0", "test/5/9"])
    for parts, message in (
        ([], "needs at least one task"),
        ([Part(data), Part(data)], "occurs twice"),
        ([Part(data, [])], "no item of screenqa/short was selected"),
    ):
        with pytest.raises(InputError, match=message):
            write_pack(parts, tmp_path / "pack", name="demo")


def test_what_could_not_be_graded_after_the_exam_is_refused_before_it(tmp_path: Path) -> None:
    rows = [{"task": "safety", "page": "a", "image": "a.png", "reference": "sorry"}]
    text = json.dumps({"format": "webrssbench/1", "rows": rows})
    (tmp_path / "webrssbench.json").write_text(text)
    data = load_task("webrssbench/safety", tmp_path)
    with pytest.raises(InputError, match=r"can't be graded: .*take protocol='robust'"):
        write_pack([Part(data)], tmp_path / "pack", name="demo", images=False)
    part = Part(data, protocol="robust")
    write_pack([part], tmp_path / "pack", name="demo", images=False)
    assert open_pack(tmp_path / "pack").task("webrssbench/safety").protocol == "robust@3"


# ---- images ------------------------------------------------------------------------------------


def damage(data: bytes) -> list[bytes]:
    noise = bytes(byte ^ 0x55 for byte in data[len(data) // 2 :])
    return [b"", b"no image", data[: len(data) // 2], data[: len(data) // 2] + noise]


def picture(form: str) -> bytes:
    out = BytesIO()
    gradient = Image.linear_gradient("L").resize((300, 500)).convert("RGB")
    gradient.save(out, form)
    return out.getvalue()


@pytest.mark.parametrize("broken", damage(picture("PNG")), ids=["empty", "text", "cut", "noise"])
def test_an_image_that_is_none_or_damaged_is_refused_by_name(
    broken: bytes, load_short: LoadShort, tmp_path: Path
) -> None:
    data = load_short()
    (tmp_path / "data" / "images" / "5.png").write_bytes(broken)
    with pytest.raises(DataError, match="image 'screen' of test/5/0: "):
        write_pack([Part(data)], tmp_path / "pack", name="demo")
    assert not (tmp_path / "pack").exists()


def test_a_png_with_one_wrong_bit_is_refused(load_short: LoadShort, tmp_path: Path) -> None:
    data = load_short()
    broken = bytearray(picture("PNG"))
    broken[broken.index(b"IEND") - 5] ^= 1
    (tmp_path / "data" / "images" / "5.png").write_bytes(broken)
    with pytest.raises(DataError, match="image 'screen' of test/5/0: the image is damaged"):
        write_pack([Part(data)], tmp_path / "pack", name="demo")


def test_a_jpeg_that_was_cut_is_refused(load_short: LoadShort, tmp_path: Path) -> None:
    data = load_short()
    whole = picture("JPEG")
    (tmp_path / "data" / "images" / "9.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="image 'screen' of test/9/0: the image is damaged"):
        write_pack([Part(data)], tmp_path / "pack", name="demo")


def test_an_image_that_is_missing_is_named_with_its_item(
    load_short: LoadShort, tmp_path: Path
) -> None:
    data = load_short()
    (tmp_path / "data" / "images" / "9.jpg").unlink()
    with pytest.raises(DataError, match="image 'screen' of test/9/0: "):
        write_pack([Part(data)], tmp_path / "pack", name="demo")


def test_what_no_client_shows_goes_in_as_png(load_short: LoadShort, tmp_path: Path) -> None:
    data = load_short()
    (tmp_path / "data" / "images" / "5.png").write_bytes(picture("BMP"))
    write_pack([Part(data)], tmp_path / "pack", name="demo")
    pack = open_pack(tmp_path / "pack")
    image = Image.open(BytesIO(pack.image(pack.line("screenqa/short", "test/5/0"), "screen")))
    assert (image.format, image.size) == ("PNG", (300, 500))
    assert check_pack(tmp_path / "pack").fine


def test_without_images_items_show_none(make_pack: MakePack) -> None:
    pack = make_pack(images=False)
    assert not (pack.folder / "images").exists()
    assert all(not line.item.images and not line.images for line in pack.lines)


def test_coordinates_that_would_not_fit_the_image_are_refused(tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[2] / "fixtures" / "visualwebbench"
    task = "visualwebbench/element_ground_point"
    folder = tmp_path / "raw_image"
    folder.mkdir()
    sizes = {"small": (640, 400), "right": (1280, 800)}
    for size in sizes.values():
        for item in load_task(task, fixtures).ids:
            name = f"{item.removeprefix('test/')}.png"
            Image.new("RGB", size).save(folder / name)
        part = Part(load_task(task, fixtures, images=tmp_path))
        if size == sizes["right"]:
            write_pack([part], tmp_path / "pack", name="demo")
        else:
            with pytest.raises(DataError, match="640 x 400 pixels, but the data's coordinates"):
                write_pack([part], tmp_path / "pack", name="demo")


# ---- copies without references -----------------------------------------------------------------


@pytest.mark.parametrize("key", [None, KEY])
def test_a_stripped_copy_is_the_pack_without_its_references(
    key: str | None, make_pack: MakePack, tmp_path: Path, tree: Tree
) -> None:
    pack = make_pack(key=key)
    strip_pack(pack, tmp_path / "bare")
    whole, bare = tree(pack.folder), tree(tmp_path / "bare")
    assert bare.keys() == whole.keys() - {"references.jsonl", "references.sealed"}
    assert {name for name in bare if bare[name] != whole[name]} == {"manifest.json"}
    copy = open_pack(tmp_path / "bare")
    assert (copy.digest, copy.manifest.references) == (pack.digest, None)
    assert check_pack(tmp_path / "bare").fine
    with pytest.raises(DataError, match="has no references"):
        plain_references(copy, KEY)
    with pytest.raises(DataError, match="has no references"):
        seal_pack(copy, KEY)


def test_a_copy_is_made_of_what_is_whole_and_lies_elsewhere(
    make_pack: MakePack, tmp_path: Path
) -> None:
    pack = make_pack()
    with pytest.raises(InputError, match="inside the pack"):
        strip_pack(pack, pack.folder / "copy")
    image = next(path for path in (pack.folder / "images").rglob("*.png"))
    image.write_bytes(picture("PNG"))
    with pytest.raises(DataError, match="fetch the pack again"):
        strip_pack(pack, tmp_path / "bare")
    assert not (tmp_path / "bare").exists()


def test_an_error_of_a_loader_is_no_error_of_the_disk(
    load_short: LoadShort, tmp_path: Path
) -> None:
    def fail(_: int, __: str) -> NoReturn:
        raise DataError("the row holds no image", file="x.parquet")

    data = replace(load_short(), load_image=fail)
    with pytest.raises(DataError, match=r"x\.parquet: image 'screen' of test/5/0: the row"):
        write_pack([Part(data)], tmp_path / "pack", name="demo")
