import gzip
from pathlib import Path

import pytest

from snellen.grading.errors import SubmissionError
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.grading.files import FileGrader, FileToGrade, open_grader
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

MIB = 1 << 20


@pytest.fixture
def grader(store: Path) -> FileGrader:
    """Return the grader of an exam whose uploads may have 1 KiB."""
    file = ExamFile(name="sample", packs=(str(exam_folder("wireframes")),), longest_upload=1024)
    return open_grader(Settings((exam_folder("wireframes"),), store, file=file))


@pytest.mark.parametrize("form", [".jsonl.gz", ".jsonl"])
def test_a_file_is_unpacked_to_ten_times_the_largest_upload_at_most(
    grader: FileGrader, tmp_path: Path, form: str
) -> None:
    """The reader unpacks gzip by its first bytes, whatever the file's name."""
    for size, refused in ((10 * 1024, False), (10 * 1024 + 1, True), (64 * MIB, True)):
        path = tmp_path / f"{size}{form}"
        path.write_bytes(gzip.compress(b"\n" * size))
        given = FileToGrade(path, "sub_1", 1, None, Phase(name="main"), "")
        with pytest.raises(SubmissionError) as caught:
            grader(given)
        assert ("it unpacks to more than 10,240 bytes" in str(caught.value)) is refused, size
        assert sorted(each.name for each in tmp_path.iterdir()) == [path.name]
        path.unlink()


def test_a_cut_gzip_file_is_said_to_be_one(grader: FileGrader, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}\n" * 1000)[:-9])
    with pytest.raises(SubmissionError, match="it is no whole gzip file"):
        grader(FileToGrade(path, "sub_1", 1, None, Phase(name="main"), ""))
