from pathlib import Path

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.screenqa.format import COMPLEX, LONG, SHORT, Layout, find


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


@pytest.mark.parametrize(
    ("layout", "at", "file"),
    [
        (SHORT, "", "short_answers/test.json"),
        (LONG, "", "answers_and_bboxes/test.json"),
        (COMPLEX, "", "complex_qa/data.json"),
        (SHORT, "short_answers", "short_answers/test.json"),
        (LONG, "answers_and_bboxes", "answers_and_bboxes/test.json"),
        (COMPLEX, "complex_qa", "complex_qa/data.json"),
        (SHORT, "short_answers/train.json", "short_answers/train.json"),
        (COMPLEX, "complex_qa/data.json", "complex_qa/data.json"),
    ],
)
def test_a_split_is_found_in_the_repository_its_folders_and_its_files(
    repo: Path, layout: Layout, at: str, file: str
) -> None:
    found = find(layout, repo / at, None)
    assert found.paths == (repo / file,)
    assert found.split == Path(file).stem
    assert not found.parquet


def test_a_named_split_is_taken(repo: Path) -> None:
    assert find(SHORT, repo, "validation").paths == (repo / "short_answers/validation.json",)


@pytest.mark.parametrize("folder", ["data", "."])
def test_a_mirror_keeps_its_parquet_in_data_or_at_the_top(tmp_path: Path, folder: str) -> None:
    touch(tmp_path / folder, "test-00000-of-00001.parquet", "train-00000-of-00001.parquet")
    touch(tmp_path, "README.md", "dataset_infos.json")
    found = find(SHORT, tmp_path, None)
    assert (found.split, found.parquet) == ("test", True)
    assert found.paths == (tmp_path / folder / "test-00000-of-00001.parquet",)


def test_one_whole_parquet_file_is_a_split(tmp_path: Path) -> None:
    touch(tmp_path, "test-00000-of-00001.parquet", "mine.parquet")
    assert find(SHORT, tmp_path / "test-00000-of-00001.parquet", None).split == "test"
    assert find(SHORT, tmp_path / "mine.parquet", None).split == "mine"


def test_a_folder_without_data_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no short_answers/\*\.json and no data/\*\.parquet"):
        find(SHORT, tmp_path, None)


@pytest.mark.parametrize("at", ["complex_qa", "complex_qa/data.json"])
def test_another_tasks_folder_or_file_is_refused(repo: Path, at: str) -> None:
    with pytest.raises(DataError, match="this task reads short_answers, not complex_qa"):
        find(SHORT, repo / at, None)


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    touch(tmp_path, "test.csv")
    with pytest.raises(DataError, match=r"test\.csv: expected a \.json or a \.parquet file"):
        find(SHORT, tmp_path / "test.csv", None)
