"""No site is in two parts, and the parts' sizes are close to their shares."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.groups import ItemName, joined, values_of
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.split import parts_of, split_items, split_pack
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]
Tree = Callable[[Path], dict[str, bytes]]
KEY = bytes(range(64)).hex()
SHORT = "screenqa/short"
HALVES = {"train": 0.5, "test": 0.5}


def groups_of(sizes: list[int]) -> list[list[ItemName]]:
    return [[ItemName("t", f"{n}/{k}") for k in range(size)] for n, size in enumerate(sizes)]


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=40),
    st.sampled_from([0.2, 0.5, 0.8]),
    st.integers(0, 3),
)
def test_groups_stay_whole_and_a_part_misses_its_share_by_less_than_the_largest_group(
    sizes: list[int], share: float, seed: int
) -> None:
    groups = groups_of(sizes)
    found = split_items(groups, {"a": share, "b": 1 - share}, seed)
    every = {item for group in groups for item in group}
    assert found["a"] | found["b"] == every
    assert not found["a"] & found["b"]
    for group in groups:
        assert set(group) <= found["a"] or set(group) <= found["b"]
    assert abs(len(found["a"]) - share * sum(sizes)) < max(sizes)


def test_a_split_is_the_same_for_a_seed_and_another_for_another() -> None:
    groups = groups_of([2] * 20)
    one, again, other = (split_items(groups, HALVES, seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert len(one["train"]) == len(one["test"]) == 20


def test_three_parts_have_their_shares() -> None:
    found = split_items(groups_of([1] * 50 + [3] * 10), {"a": 0.5, "b": 0.25, "c": 0.25}, 0)
    assert [len(found[part]) for part in "abc"] == [40, 20, 20]


def test_each_task_has_its_share_where_groups_can_be_exchanged() -> None:
    groups = [[ItemName("first" if n < 20 else "second", str(n))] for n in range(40)]
    for seed in range(5):
        found = split_items(groups, HALVES, seed)
        assert sum(item.task == "first" for item in found["train"]) == 10


def test_items_of_one_site_screenshot_or_pair_stay_together(
    make_pack: MakePack, tmp_path: Path
) -> None:
    pack = make_pack("all")
    references = open_references(pack)
    groups = joined(pack, values_of(pack, references, "site"))
    assert [{name.item[:6] for name in group} for group in groups] == [{"test/5"}, {"test/9"}]
    # The question words cut across the screenshots, which hold all together.
    assert len(joined(pack, values_of(pack, references, "question_word"))) == 1


@pytest.mark.parametrize("key", [None, KEY])
def test_the_parts_are_clean_packs_and_make_the_whole(
    make_pack: MakePack, tmp_path: Path, key: str | None
) -> None:
    pack = make_pack("all", key=key)
    found = split_pack(pack, HALVES, tmp_path / "parts", key=key, seed=3)
    assert [manifest.name for manifest in found.values()] == ["demo-train", "demo-test"]
    parts = [open_pack(tmp_path / "parts" / name) for name in ("train", "test")]
    for part in parts:
        checked = check_pack(part.folder, key)
        assert checked.fine
        assert checked.tasks[0].attainable == 1
        assert len({line.item.tags["image_id"] for line in part.lines}) == 1
        assert part.manifest.images == 1
    lines = [(part.folder / "items.jsonl").read_bytes().splitlines() for part in parts]
    whole = (pack.folder / "items.jsonl").read_bytes().splitlines()
    assert sorted(line for part in lines for line in part) == sorted(whole)


def test_equal_input_makes_equal_parts(make_pack: MakePack, tmp_path: Path, tree: Tree) -> None:
    pack = make_pack("all")
    for name in ("one", "other"):
        split_pack(pack, HALVES, tmp_path / name, seed=5)
    assert tree(tmp_path / "one") == tree(tmp_path / "other")


def test_a_part_can_have_its_own_references_alone(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack("all")
    split_pack(pack, HALVES, tmp_path / "parts", own_references=True)
    for name in ("train", "test"):
        part = open_pack(tmp_path / "parts" / name)
        assert list(open_references(part).golds[SHORT]) == [line.item.id for line in part.lines]
        assert check_pack(part.folder).fine


def test_tasks_of_one_site_are_split_together(
    every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [
        {
            "task": task,
            "page": f"{site}/{number}",
            "site": site,
            "image": {"path": f"{site}{number}.png", "width": 100, "height": 100},
            "reference": "Delete",
        }
        for site in ("a.example", "b.example", "c.example", "d.example")
        for task in ("safety", "hint_text")
        for number in range(2)
    ]
    document = {"format": "webrssbench/1", "rows": rows}
    (folder / "webrssbench.json").write_text(json.dumps(document))
    tasks = ("webrssbench/safety", "webrssbench/hint_text")
    parts = [Part(load_task(task, folder)) for task in tasks]
    write_pack(parts, tmp_path / "pack", name="demo", images=False)
    pack = open_pack(tmp_path / "pack")
    split_pack(pack, {"train": 0.75, "test": 0.25}, tmp_path / "parts")
    sites: list[set[str | None]] = []
    for name in ("train", "test"):
        part = open_pack(tmp_path / "parts" / name)
        ids = {(line.item.task, line.item.id) for line in part.lines}
        values = values_of(pack, open_references(pack), "site")
        sites.append({value for name, value in values.items() if (name.task, name.item) in ids})
        assert {task.task: task.items for task in part.manifest.tasks} == dict.fromkeys(
            tasks, 2 * len(sites[-1])
        )
    assert [len(one) for one in sites] == [3, 1]
    assert not sites[0] & sites[1]


def test_what_is_no_split_is_refused(make_pack: MakePack, tmp_path: Path) -> None:
    for text, says in (
        ("train=0.8,test=0.3", "add up to 1.1"),
        ("train", "written as train=0.8"),
        ("../x=1", "letters, digits and dashes"),
        ("a=0,b=1", "greater than 0"),
    ):
        with pytest.raises(InputError, match=says):
            parts_of(text)
    pack = make_pack("all")
    with pytest.raises(InputError, match="would be empty"):
        split_pack(pack, {"a": 0.4, "b": 0.3, "c": 0.3}, tmp_path / "parts")
    with pytest.raises(UnknownNameError, match="image_id"):
        split_pack(pack, HALVES, tmp_path / "parts", by="color")
    with pytest.raises(DataError, match="SNELLEN_PACK_KEY"):
        split_pack(make_pack("sealed", key=KEY), HALVES, tmp_path / "parts")
    assert not (tmp_path / "parts").exists()
