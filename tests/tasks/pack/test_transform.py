"""Packs made from packs: selected items are copied byte for byte, and scores do not change."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.sample import draw_task
from snellen.tasks.pack.transform import selected_manifest, without, write_selection
from snellen.tasks.pack.write import Part, strip_pack, write_pack

MakePack = Callable[..., Pack]
LoadShort = Callable[..., TaskData]
Tree = Callable[[Path], dict[str, bytes]]
KEY = bytes(range(64)).hex()
SHORT = "screenqa/short"


@pytest.mark.parametrize("key", [None, KEY])
def test_a_selection_is_to_the_byte_the_pack_of_these_items(
    make_pack: MakePack, tmp_path: Path, tree: Tree, key: str | None
) -> None:
    some = ["test/5/2", "test/9/0"]
    pack = make_pack("all", key=key)
    write_selection(pack, {SHORT: set(some)}, tmp_path / "copy", key=key)
    make_pack("fresh", items=some, key=key)
    assert tree(tmp_path / "copy") == tree(tmp_path / "fresh")


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_selection_of_every_task_is_the_pack_of_these_items(
    every_benchmark: dict[str, Path], tmp_path: Path, tree: Tree, task: str
) -> None:
    data = load_task(task, every_benchmark[task.partition("/")[0]])
    write_pack([Part(data)], tmp_path / "all", name="demo", images=False)
    some = draw_task(data, max(2, len(data) // 2), seed=1)
    write_pack([Part(data, some)], tmp_path / "fresh", name="demo", images=False)
    write_selection(open_pack(tmp_path / "all"), {task: set(some)}, tmp_path / "copy")
    assert tree(tmp_path / "copy") == tree(tmp_path / "fresh")


def test_a_selection_of_a_selection_is_the_selection(
    make_pack: MakePack, tmp_path: Path, tree: Tree
) -> None:
    pack = make_pack("all")
    write_selection(pack, {SHORT: {"test/5/0", "test/9/1"}}, tmp_path / "first")
    write_selection(open_pack(tmp_path / "first"), {SHORT: {"test/9/1"}}, tmp_path / "second")
    write_selection(pack, {SHORT: {"test/9/1"}}, tmp_path / "direct")
    assert tree(tmp_path / "second") == tree(tmp_path / "direct")
    assert check_pack(tmp_path / "second").fine


def test_a_selection_moves_no_score(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack("all")
    some = ["test/5/1", "test/9/2"]
    write_selection(pack, {SHORT: set(some)}, tmp_path / "copy")
    answers = [{"item_id": item, "response": "gold 5 1 or so"} for item in some]
    whole = sdk.grade(answers, task=SHORT, data=pack.folder, items=some)
    part = sdk.grade(answers, task=SHORT, data=tmp_path / "copy")
    assert part.metrics == whole.metrics
    assert part.provenance.data.sha256 == whole.provenance.data.sha256


def test_a_pack_without_references_is_copied_without(make_pack: MakePack, tmp_path: Path) -> None:
    strip_pack(make_pack("all"), tmp_path / "bare")
    manifest = write_selection(open_pack(tmp_path / "bare"), {SHORT: {"test/5/0"}}, tmp_path / "c")
    assert manifest.references is None
    assert check_pack(tmp_path / "c").fine


def test_sealed_references_need_the_key(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack("all", key=KEY)
    with pytest.raises(DataError, match="SNELLEN_PACK_KEY"):
        write_selection(pack, {SHORT: {"test/5/0"}}, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_nothing_is_written_into_a_pack(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack("all")
    for folder in (pack.folder, pack.folder / "images" / "new"):
        with pytest.raises(InputError, match="never changed in place"):
            write_selection(pack, {SHORT: {"test/5/0"}}, folder)
    with pytest.raises(InputError, match="no item is left"):
        selected_manifest(pack, {SHORT: set()})


def test_leaving_out_half_a_pair_leaves_out_the_pair(
    every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = load_task("webrssbench/text", every_benchmark["webrssbench"])
    write_pack([Part(data)], tmp_path / "all", name="demo", images=False)
    pack = open_pack(tmp_path / "all")
    gone = data.ids[0]
    pair = pack.pair("webrssbench/text", gone)
    kept = without(pack, {"webrssbench/text": {gone}})["webrssbench/text"]
    assert kept == {one for one in data.ids if pack.pair("webrssbench/text", one) != pair}
    assert len(kept) == len(data) - 2
    with pytest.raises(UnknownNameError):
        without(pack, {"webrssbench/text": {"nobody"}})


def test_a_changed_image_is_not_copied(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack("all")
    image = next(path for path in (pack.folder / "images").rglob("*.png"))
    image.write_bytes(image.read_bytes()[:-1] + b"x")
    with pytest.raises(DataError, match="does not match its digest"):
        write_selection(pack, {SHORT: {"test/5/0"}}, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert json.loads((pack.folder / "manifest.json").read_text())["name"] == "demo"
