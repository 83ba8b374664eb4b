"""Items are removed by a list; the manifest lists them with the reasons."""

from collections.abc import Callable
from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.format import RemovedItem
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.remove import read_removed, remove, removed_text
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]
KEY = bytes(range(64)).hex()
SHORT = "screenqa/short"


def test_a_list_is_read_as_it_is_written(make_pack: MakePack, tmp_path: Path) -> None:
    removed = [
        RemovedItem(task=SHORT, item="test/5/0", reason="the answer stands in the question"),
        RemovedItem(task=SHORT, item="test/9/1", reason="blurred"),
    ]
    path = tmp_path / "removed.txt"
    path.write_text(removed_text(removed))
    assert read_removed(path, make_pack()) == removed


def test_an_id_alone_will_do_where_one_task_has_it(make_pack: MakePack, tmp_path: Path) -> None:
    path = tmp_path / "removed.txt"
    path.write_text("\ufeff# by hand\n\ntest/5/0\r\nscreenqa/short\ttest/9/2\n", "utf-8")
    found = read_removed(path, make_pack())
    assert [(one.item, one.reason) for one in found] == [
        ("test/5/0", "removed by hand"),
        ("test/9/2", "removed by hand"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("test/5/7\n", "line 1: 'test/5/7' is not an item of the pack; write the task, a tab"),
        ("\nscreenqa/long\ttest/5/0\n", "line 2: the pack demo has no item 'test/5/0'"),
    ],
)
def test_a_line_that_names_no_item_is_told(
    make_pack: MakePack, tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "removed.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_removed(path, make_pack())
    with pytest.raises(InputError, match="can't read the list"):
        read_removed(tmp_path / "nowhere.txt", make_pack("again"))


def test_what_is_removed_is_logged_and_stays_logged(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack("all", key=KEY)
    first = RemovedItem(task=SHORT, item="test/5/0", reason="blurred")
    second = RemovedItem(task=SHORT, item="test/9/0", reason="twice")
    remove(pack, [first], tmp_path / "one", key=KEY)
    remove(open_pack(tmp_path / "one"), [second], tmp_path / "two", key=KEY)
    left = open_pack(tmp_path / "two")
    assert left.manifest.built is not None
    assert left.manifest.built.struck == (first, second)
    assert len(left.lines) == 4
    assert check_pack(left.folder, KEY).fine
    with pytest.raises(InputError, match="no item to remove"):
        remove(pack, [], tmp_path / "three", key=KEY)


def test_the_other_half_of_a_pair_goes_too(
    every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = load_task("webrssbench/layout", every_benchmark["webrssbench"])
    write_pack([Part(data)], tmp_path / "all", name="demo", images=False)
    one = RemovedItem(task="webrssbench/layout", item=data.ids[1], reason="blurred")
    manifest = remove(open_pack(tmp_path / "all"), [one], tmp_path / "new")
    assert manifest.built is not None
    assert [item.reason for item in manifest.built.struck] == [
        "blurred",
        "the other half of its pair was removed",
    ]
    assert manifest.tasks[0].items == len(data) - 2
