"""Items of several packs in one; packs that do not fit are refused with advice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.format import Built
from snellen.tasks.pack.merge import merge_packs
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.write import Part, strip_pack, write_pack

MakePack = Callable[..., Pack]
LoadShort = Callable[..., TaskData]
KEY = bytes(range(64)).hex()
SHORT = "screenqa/short"


def rows(*golds: str, image: int = 5, first: int = 0) -> list[dict[str, Any]]:
    return [
        {"image_id": image, "question": f"What is {n}?", "ground_truth": [gold]}
        for n, gold in enumerate(golds, start=first)
    ]


def test_items_and_references_of_different_data_are_put_together(
    make_pack: MakePack, load_short: LoadShort, tmp_path: Path
) -> None:
    one = make_pack("one", load_short(rows("a", "b"), "one data"), key=KEY)
    two = make_pack("two", load_short(rows("c", image=9), "two data"), licence="CC0")
    manifest = merge_packs([one, two], tmp_path / "both", name="both", key=KEY)
    assert (manifest.tasks[0].items, manifest.images, manifest.licence) == (3, 2, "CC0")
    assert manifest.references == "references.sealed"
    assert check_pack(tmp_path / "both", KEY).fine
    references = open_references(open_pack(tmp_path / "both"), KEY)
    assert list(references.golds[SHORT].values()) == [["a"], ["b"], ["c"]]
    pin = references.sources[SHORT].pin
    assert pin.count == 3
    digests = {open_references(p, KEY).sources[SHORT].pin.sha256 for p in (one, two)}
    assert pin.sha256 not in digests


def test_different_tasks_stand_beside_one_another(
    make_pack: MakePack, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    one = make_pack("one")
    data = load_task("webrssbench/safety", every_benchmark["webrssbench"])
    write_pack([Part(data)], tmp_path / "two", name="two", images=False)
    merge_packs([one, open_pack(tmp_path / "two")], tmp_path / "both", name="both")
    both = open_pack(tmp_path / "both")
    assert [task.task for task in both.manifest.tasks] == [SHORT, "webrssbench/safety"]
    answers = [{"item_id": "test/5/0", "response": "gold"}]
    alone, merged = (sdk.grade(answers, task=SHORT, data=pack.folder) for pack in (one, both))
    assert merged.metrics == alone.metrics
    assert merged.signature == alone.signature


def test_the_same_item_is_taken_once_and_another_of_its_id_is_refused(
    make_pack: MakePack, load_short: LoadShort, tmp_path: Path
) -> None:
    one = make_pack("one", load_short(rows("a", "b"), "one data"))
    manifest = merge_packs(
        [one, make_pack("same", load_short(rows("a", "b"), "x"))], tmp_path / "both", name="both"
    )
    assert manifest.tasks[0].items == 2
    other = make_pack("other", load_short(rows("a", "changed"), "other data"))
    with pytest.raises(InputError, match=r"1 references of screenqa/short .* test/5/1"):
        merge_packs([one, other], tmp_path / "clash", name="both")
    asked = rows("a")
    asked[0]["question"] = "Which?"
    third = make_pack("third", load_short(asked, "third data"))
    with pytest.raises(InputError, match=r"1 items of screenqa/short .* test/5/0; remove"):
        merge_packs([one, third], tmp_path / "clash", name="both")
    assert not (tmp_path / "clash").exists()


def test_packs_that_ask_a_task_otherwise_are_refused(
    make_pack: MakePack, load_short: LoadShort, tmp_path: Path
) -> None:
    data = load_short()
    one = make_pack("one", data)
    write_pack([Part(data, protocol="robust")], tmp_path / "two", name="two")
    with pytest.raises(InputError, match="has the protocol 'official@1' in demo and 'robust@3'"):
        merge_packs([one, open_pack(tmp_path / "two")], tmp_path / "both", name="both")
    root = tmp_path / "data"
    asked = load_task(SHORT, root, images=root / "images", prompt="screenqa-paper-short")
    three = make_pack("three", asked)
    with pytest.raises(
        InputError, match="create demo again with --prompt snellen-screenqa-short-1"
    ):
        merge_packs([one, three], tmp_path / "both", name="both")
    strip_pack(one, tmp_path / "bare")
    with pytest.raises(InputError, match="has no references"):
        merge_packs([one, open_pack(tmp_path / "bare")], tmp_path / "both", name="both")
    with pytest.raises(InputError, match="at least two packs"):
        merge_packs([one], tmp_path / "both", name="both")
    with pytest.raises(InputError, match="not valid as a pack's name"):
        merge_packs([one, one], tmp_path / "both", name="Both of them")


def test_how_each_was_built_is_kept(
    make_pack: MakePack, load_short: LoadShort, tmp_path: Path
) -> None:
    one = make_pack("one", load_short(rows("a"), "x"), built=Built(builder="snellen 1", seed=1))
    two = make_pack("two", load_short(rows("b", first=1), "y"), built=Built(seed=2))
    # The second's only question has the id of the first's, so its image differs.
    two = make_pack("three", load_short(rows("b", image=9), "z"), built=Built(seed=2))
    merged = merge_packs([one, two], tmp_path / "both", name="both")
    assert merged.built is not None
    assert [part.seed for part in merged.built.parts] == [1, 2]
    text = json.loads((tmp_path / "both" / "manifest.json").read_text())
    assert text["built"]["parts"][0]["builder"] == "snellen 1"
