from pathlib import Path

import pytest

from snellen.grading.errors import DataError, UnknownNameError
from snellen.tasks.io import files

HERE = Path("data")


def paths(*names: str) -> list[Path]:
    return [HERE / name for name in names]


def test_files_are_of_the_split_that_they_are_named_after() -> None:
    found = files.by_split(
        paths("test-00000-of-00002.parquet", "test-00001-of-00002.parquet", "mine.json")
    )
    assert list(found) == ["test", "mine"]
    assert found["test"].parquet
    assert not found["mine"].parquet
    assert (found["test"].name, found["mine"].name) == ("data", str(HERE / "mine.json"))


def test_a_json_file_has_no_parts() -> None:
    assert list(files.by_split(paths("test-00000-of-00002.json"))) == ["test-00000-of-00002"]


@pytest.mark.parametrize(
    ("known", "split"), [(["train", "test"], "test"), (["mine"], "mine"), (["test"], "test")]
)
def test_the_split_is_test_or_the_only_one(known: list[str], split: str) -> None:
    assert files.default_split(known, HERE) == split


def test_of_several_others_one_is_asked_for() -> None:
    with pytest.raises(DataError, match=r"^data: give split=, one of: train, dev$"):
        files.default_split(["train", "dev"], HERE)


def test_a_split_is_chosen_by_its_name() -> None:
    found = files.by_split(paths("test.json", "train.json"))
    assert files.choose(found, None, HERE).split == "test"
    assert files.choose(found, "train", HERE).split == "train"
    with pytest.raises(UnknownNameError, match="no split 'dev'"):
        files.choose(found, "dev", HERE)


@pytest.mark.parametrize(
    "names",
    [
        ["test.json", "test.jsonl"],
        ["test.parquet", "test-00000-of-00001.parquet"],
        ["test-00000-of-00001.parquet", "test.json"],
    ],
)
def test_a_split_that_is_there_twice_is_not_chosen_for_the_user(names: list[str]) -> None:
    with pytest.raises(DataError, match=f"there more than once: {', '.join(names)}; give one"):
        files.choose(files.by_split(paths(*names)), None, HERE)


@pytest.mark.parametrize(
    "names",
    [
        ["test-00001-of-00002.parquet"],
        ["test-00000-of-00003.parquet", "test-00002-of-00003.parquet"],
        ["test-00000-of-00002.parquet", "test-00001-of-00003.parquet"],
    ],
)
def test_a_split_with_a_part_missing_is_refused(names: list[str]) -> None:
    with pytest.raises(DataError, match=f"parts, and here are only {', '.join(names)}; what"):
        files.choose(files.by_split(paths(*names)), None, HERE)


def test_what_is_not_there_is_refused_with_what_to_give(tmp_path: Path) -> None:
    assert files.checked(tmp_path, "a folder") == tmp_path
    with pytest.raises(DataError, match=r"x: there is no such file or folder; give a folder$"):
        files.checked(tmp_path / "x", "a folder")


def test_a_folder_is_told_by_what_it_holds(tmp_path: Path) -> None:
    assert files.contents(tmp_path) == "it is empty"
    for name in "cab":
        (tmp_path / name).touch()
    assert files.contents(tmp_path) == "it holds a, b, c"
    for name in "def":
        (tmp_path / name).touch()
    assert files.contents(tmp_path) == "it holds a, b, c, d, e, ..."


def test_parquet_is_found_as_a_hub_lays_it_out_here_or_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "data" / "test-00000-of-00001.parquet"
    file.parent.mkdir()
    file.touch()
    for path in (tmp_path, file.parent, file):
        assert files.find_parquet(path, None, "mine/data").paths == (file,)
    with pytest.raises(UnknownNameError, match="no split 'train'"):
        files.find_parquet(tmp_path, "train", "mine/data")
    file.unlink()
    with pytest.raises(DataError, match=r"no data/\*\.parquet in it .*give a copy of mine/data"):
        files.find_parquet(tmp_path, None, "mine/data")
