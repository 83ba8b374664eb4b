"""A pack is read as it was written, or an error names the file and the fix."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError, UnknownNameError
from snellen.tasks.models import TaskData
from snellen.tasks.pack import read
from snellen.tasks.pack.seal import KEY_VARIABLE, new_key

pytestmark = pytest.mark.compat

MakePack = Callable[..., read.Pack]
LoadShort = Callable[..., TaskData]
Rehash = Callable[..., None]
KEY = bytes(range(64)).hex()
TASK = "screenqa/short"
POSIX = pytest.mark.skipif(os.name == "nt", reason="links take a right that few have there")


def test_a_pack_tells_its_items_tasks_and_pairs(make_pack: MakePack) -> None:
    pack = make_pack()
    assert (pack.name, len(pack.lines)) == ("demo", 6)
    assert pack.task(TASK).protocol == "official@1"
    assert pack.task(TASK).prompt == "snellen-screenqa-short-1"
    assert [*pack.index[TASK]][:2] == ["test/5/0", "test/5/1"]
    line = pack.line(TASK, "test/9/2")
    assert line.item.prompt.endswith("Question: What is 2?")
    assert line == pack.lines[-1] == pack.lines[5:][0]
    assert pack.pair(TASK, "test/9/2") is None
    assert read.has_references(pack)
    assert "gold" not in repr(pack)


def test_what_is_not_in_it_is_said_by_name(make_pack: MakePack) -> None:
    pack = make_pack()
    with pytest.raises(UnknownNameError, match=r"no task in the pack demo 'screenqa/long'"):
        pack.task("screenqa/long")
    with pytest.raises(UnknownNameError, match="no item of screenqa/short in demo 'test/5/9'"):
        pack.line(TASK, "test/5/9")
    with pytest.raises(UnknownNameError):
        pack.pair(TASK, "test/5/9")
    with pytest.raises(DataError, match="no image 'other'; it has: screen"):
        pack.image(pack.lines[0], "other")


def test_the_digest_is_of_what_is_asked_and_how_it_is_scored(make_pack: MakePack) -> None:
    one = make_pack("a")
    assert make_pack("b", key=KEY, title="Another", licence="CC0").digest == one.digest
    assert make_pack("c", items=["test/5/0"]).digest != one.digest


def test_a_folder_of_other_things_is_no_pack(tmp_path: Path, make_pack: MakePack) -> None:
    assert read.is_pack(make_pack().folder)
    assert not read.is_pack(tmp_path)
    for text in ("{", "[]", '{"format": "other@1"}', "{}"):
        (tmp_path / "manifest.json").write_text(text)
        assert not read.is_pack(tmp_path)
        with pytest.raises(DataError, match=r"manifest\.json"):
            read.open_pack(tmp_path)
    with pytest.raises(
        DataError, match=r"not a pack: it has no manifest\.json; snellen pack create"
    ):
        read.open_pack(tmp_path / "none")


def test_a_pack_of_a_later_layout_says_so(make_pack: MakePack) -> None:
    path = make_pack().folder / "manifest.json"
    path.write_text(json.dumps({"format": "snellen-pack@2", "news": 1}))
    assert read.is_pack(path.parent)
    with pytest.raises(DataError, match="format 'snellen-pack@2'; this version reads") as caught:
        read.open_pack(path.parent)
    assert caught.value.field == "format"


def change(path: Path, **fields: Any) -> None:
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, **fields}))


def test_a_manifest_names_what_this_snellen_knows(make_pack: MakePack) -> None:
    pack = make_pack()
    path = pack.folder / "manifest.json"
    task = json.loads(path.read_text())["tasks"][0]
    for fields, message in (
        ({"task": "screenqa/shrot"}, "did you mean 'screenqa/short'"),
        ({"protocol": "official@9"}, "no protocol of screenqa/short 'official@9'"),
    ):
        change(path, tasks=[{**task, **fields}])
        with pytest.raises(DataError, match=message):
            read.open_pack(pack.folder)
    change(path, tasks=[{**task, "items": 7}])
    with pytest.raises(DataError, match="lists 7 items of screenqa/short, but there are 6"):
        read.open_pack(pack.folder)
    change(path, tasks=[{**task, "surprise": 1}])
    with pytest.raises(DataError, match=r"not a pack's manifest: tasks\.0\.surprise"):
        read.open_pack(pack.folder)


@pytest.mark.parametrize("name", ["items.jsonl", "references.jsonl"])
def test_a_file_that_was_changed_is_noticed(name: str, make_pack: MakePack) -> None:
    folder = make_pack().folder
    data = (folder / name).read_bytes()
    for changed, message in (
        (data[:-1] + b" ", "does not match the manifest"),
        (data + b"\n", "bytes instead of"),
        (b"", "it has 0 bytes"),
    ):
        (folder / name).write_bytes(changed)
        with pytest.raises(DataError, match=message) as caught:
            read.open_references(read.open_pack(folder))
        assert caught.value.file == str(folder / name)
        assert "gold" not in str(caught.value)
    (folder / name).unlink()
    with pytest.raises(DataError, match="it is missing; fetch the pack again"):
        read.open_references(read.open_pack(folder))


@pytest.mark.parametrize(
    ("old", "new", "field", "message"),
    [
        (b'{"images"', b'["images"', None, "it is not an item"),
        (b'"id":"test/5/1"', b'"id":"test/5/0"', "item.id", "'test/5/0' occurs twice"),
        (b'"task":"screenqa/short"', b'"task":"screenqa/long"', "item.task", "not in the manifest"),
        (b'"id":"test/5/1"', b'"id":"test/5/1\\u0000"', "item.id", r"'test/5/1\\x00'.* U\+0000"),
    ],
)
def test_a_line_that_is_none_is_named_when_the_pack_is_opened(
    old: bytes, new: bytes, field: str | None, message: str, make_pack: MakePack, rehash: Rehash
) -> None:
    folder = make_pack().folder
    lines = (folder / "items.jsonl").read_bytes().splitlines(keepends=True)
    assert old in lines[1]
    lines[1] = lines[1].replace(old, new)
    rehash(folder, "items.jsonl", b"".join(lines))
    with pytest.raises(DataError, match=message) as caught:
        read.open_pack(folder)
    assert (caught.value.line, caught.value.field) == (2, field)


def test_a_line_with_an_odd_field_is_named_when_it_is_read(
    make_pack: MakePack, rehash: Rehash
) -> None:
    folder = make_pack().folder
    data = (folder / "items.jsonl").read_bytes()
    rehash(folder, "items.jsonl", data.replace(b'"prompt":', b'"prmpt":', 1))
    pack = read.open_pack(folder)
    assert pack.lines[1].item.id == "test/5/1"
    with pytest.raises(DataError, match=r"items\.jsonl, line 1: item\.prompt"):
        _ = pack.lines[0]
    with pytest.raises(DataError, match="line 1: "):
        _ = pack.lines[-6]
    with pytest.raises(IndexError):
        _ = pack.lines[6]


# ---- files that lead elsewhere -----------------------------------------------------------------


@POSIX
def test_a_pack_with_an_image_on_the_web_is_refused_when_it_is_opened(
    make_pack: MakePack, rehash: Rehash
) -> None:
    folder = make_pack().folder
    lines = (folder / "items.jsonl").read_bytes().splitlines(keepends=True)
    line = json.loads(lines[1])
    line["images"]["screen"] = {"url": "https://example.com/1.png"}
    lines[1] = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    rehash(folder, "items.jsonl", b"".join(lines))
    words = r"items\.jsonl, line 2: images\.screen: .*at 'https://example\.com/1\.png'.*--images"
    with pytest.raises(DataError, match=words):
        read.open_pack(folder)


@pytest.mark.parametrize("name", ["manifest.json", "items.jsonl", "references.jsonl"])
def test_a_link_in_the_place_of_a_file_is_refused(name: str, make_pack: MakePack) -> None:
    folder = make_pack().folder
    target = folder.parent / "elsewhere"
    (folder / name).rename(target)
    (folder / name).symlink_to(target)
    with pytest.raises(
        DataError, match="its path contains a link; a pack may only have regular files"
    ):
        read.open_references(read.open_pack(folder))


@POSIX
def test_an_image_behind_a_link_is_refused_wherever_it_leads(make_pack: MakePack) -> None:
    pack = make_pack()
    line = pack.lines[0]
    path = pack.folder / "images" / (line.images["screen"].file or "")
    data = path.read_bytes()
    path.unlink()
    (pack.folder / "images" / "copy").write_bytes(data)
    path.symlink_to(pack.folder / "images" / "copy")
    with pytest.raises(DataError, match="its path contains a link"):
        pack.image(line, "screen")
    path.unlink()
    folder, aside = path.parent, pack.folder.parent / "aside"
    folder.rename(aside)
    (aside / path.name).write_bytes(data)
    folder.symlink_to(aside)
    with pytest.raises(DataError, match="its path contains a link"):
        pack.image(line, "screen")


@POSIX
def test_a_pack_may_itself_be_reached_through_a_link(make_pack: MakePack, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(make_pack().folder)
    pack = read.open_pack(tmp_path / "link")
    assert pack.image(pack.lines[0], "screen")


@POSIX
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_refused_at_once(kind: str, make_pack: MakePack) -> None:
    pack = make_pack()
    line = pack.lines[0]
    path = pack.folder / "images" / (line.images["screen"].file or "")
    path.unlink()
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(DataError, match=r"it is not a regular file|Is a directory"):
        pack.image(line, "screen")


def test_an_item_that_is_changed_under_its_reader_is_refused(make_pack: MakePack) -> None:
    pack = make_pack()
    file = pack.folder / "items.jsonl"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"What is 2?", b"What is 3?"))
    with pytest.raises(DataError, match=r"items\.jsonl, line \d: it does not match the manifest"):
        pack.line(TASK, "test/9/2")


def test_a_pack_that_is_replaced_leaves_its_reader_the_old_one(make_pack: MakePack) -> None:
    pack = make_pack()
    asked = pack.line(TASK, "test/9/2")
    other = pack.folder / "other"
    other.write_text("something else")
    other.replace(pack.folder / "items.jsonl")
    assert pack.line(TASK, "test/9/2") == asked


def test_an_image_that_was_exchanged_is_refused(make_pack: MakePack) -> None:
    pack = make_pack()
    line = pack.lines[0]
    path = pack.folder / "images" / (line.images["screen"].file or "")
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"!")
    with pytest.raises(DataError, match="does not match its digest"):
        pack.image(line, "screen")
    path.write_bytes(data * 2)
    with pytest.raises(DataError, match="bytes instead of"):
        pack.image(line, "screen")


# ---- keys --------------------------------------------------------------------------------------


def test_sealed_references_open_with_their_key_alone(make_pack: MakePack) -> None:
    pack = make_pack(key=KEY)
    assert read.open_references(pack, KEY).golds[TASK]["test/5/0"] == ["gold 5 0", "gold"]
    with pytest.raises(DataError, match=f"sealed: set {KEY_VARIABLE}, or give the key's file"):
        read.open_references(pack)
    with pytest.raises(DataError, match=r"sealed with the key .*; the key given is") as caught:
        read.open_references(pack, new_key())
    assert KEY not in str(caught.value)


def test_a_key_given_to_readable_references_does_no_harm(make_pack: MakePack) -> None:
    pack = make_pack()
    assert read.plain_references(pack, KEY) == read.plain_references(pack)


def test_a_head_that_was_changed_is_noticed_even_by_who_fixes_the_digest(
    make_pack: MakePack, rehash: Rehash
) -> None:
    for name, key in (("references.jsonl", None), ("references.sealed", KEY)):
        folder = make_pack(f"pack {name}", key=key).folder
        data = (folder / name).read_bytes()
        rehash(folder, name, data.replace(b"NOT FOR TRAINING", b"NOW FOR TRAINING"))
        with pytest.raises(DataError, match="the line does not match the manifest"):
            read.open_references(read.open_pack(folder), key)
        rehash(folder, name, b"")
        with pytest.raises(DataError):
            read.open_references(read.open_pack(folder), key)
    rehash(folder, "references.sealed", data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(DataError, match="the key does not decrypt it, or it was changed"):
        read.open_references(read.open_pack(folder), KEY)


def test_an_item_without_a_reference_is_named(
    make_pack: MakePack, rehash: Rehash, load_short: LoadShort
) -> None:
    folder = make_pack().folder
    lines = (folder / "references.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"count":6', b'"count":5')
    rehash(folder, "references.jsonl", b"".join(lines[:-1]))
    with pytest.raises(DataError, match="test/9/2 of screenqa/short has no reference"):
        read.open_references(read.open_pack(folder))


def test_a_task_of_a_pack_gives_items_and_images(
    make_pack: MakePack,
) -> None:
    pack = make_pack(items=["test/9/1"])
    data = read.task_data(pack, read.open_references(pack), TASK)
    assert (len(data), data.selected) == (6, ["test/9/1"])
    assert data.image("test/9/1") == pack.image(pack.lines[0], "screen")
    assert data.item("test/9/1") == pack.lines[0].item
    with pytest.raises(UnknownNameError, match="test/5/0"):
        data.item("test/5/0")
