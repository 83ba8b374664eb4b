from pathlib import Path

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.visualwebbench.format import find

PART = "test-00000-of-00001.parquet"


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


@pytest.mark.parametrize(
    ("at", "file"),
    [
        ("", f"webqa/{PART}"),
        ("webqa", f"webqa/{PART}"),
        (f"webqa/{PART}", f"webqa/{PART}"),
        ("", "webqa/test.json"),
        ("webqa", "webqa/test.jsonl"),
        ("", "webqa.parquet"),
        ("", "webqa-00000-of-00001.parquet"),
        ("", "webqa.json"),
        ("webqa.jsonl", "webqa.jsonl"),
    ],
)
def test_a_configuration_is_found_in_every_layout(tmp_path: Path, at: str, file: str) -> None:
    touch(tmp_path, file, "README.md", ".gitattributes", f"element_ocr/{PART}", "web_caption.json")
    found = find("webqa", tmp_path / at, None)
    assert (found.split, found.paths) == ("test", (tmp_path / file,))
    assert found.parquet == file.endswith(".parquet")


def test_another_configurations_folder_is_refused(tmp_path: Path) -> None:
    touch(tmp_path, f"webqa/{PART}")
    with pytest.raises(DataError, match="this task reads web_caption, not webqa"):
        find("web_caption", tmp_path / "webqa", None)


def test_what_is_not_there_or_is_no_data_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file or folder"):
        find("webqa", tmp_path / "nowhere", None)
    with pytest.raises(DataError, match="it is empty"):
        find("webqa", tmp_path, None)
    touch(tmp_path, "webqa.csv", "webqa/README.md")
    with pytest.raises(DataError, match=r"expected a \.parquet, \.json or \.jsonl file"):
        find("webqa", tmp_path / "webqa.csv", None)
    with pytest.raises(DataError, match=r"no webqa/\*\.parquet"):
        find("webqa", tmp_path, None)


def test_links_are_taken_by_the_names_that_they_have_here(tmp_path: Path) -> None:
    # So the hub's cache keeps them.
    touch(tmp_path, "blobs/1a2b")
    (tmp_path / "snapshot" / "webqa").mkdir(parents=True)
    (tmp_path / "snapshot" / "webqa" / PART).symlink_to(tmp_path / "blobs" / "1a2b")
    assert find("webqa", tmp_path / "snapshot", None).parquet
    assert find("webqa", tmp_path / "snapshot" / "webqa", None).parquet
