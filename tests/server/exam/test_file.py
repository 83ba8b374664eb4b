from datetime import UTC, datetime
from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.server.exam.file import Phase, exam_file_for, exam_of_packs, read_exam_file
from snellen.server.exam.rules import Rules
from snellen.tasks.hosted import JoinBy
from snellen.tasks.samples import exam_folder


def written(folder: Path, text: str) -> Path:
    file = folder / "exam.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_template_is_an_exam_file_whose_paths_lie_beside_it(tmp_path: Path) -> None:
    moment = datetime(2026, 12, 1, tzinfo=UTC)
    text = exam_file_for(tmp_path / "folder", "My.Web", tmp_path / "exam.toml", moment)
    read = read_exam_file(written(tmp_path, text))
    assert read.packs == (str(tmp_path / "folder"),)
    assert (read.name, read.title) == ("my-web", "My.Web")
    assert read.store == str(tmp_path / "my-web.sqlite")
    assert read.rules.attempts == 1
    assert [phase.name for phase in read.phases] == ["main"]


def test_the_template_names_an_included_exam_and_no_folder_of_this_machine(tmp_path: Path) -> None:
    moment = datetime(2026, 12, 1, tzinfo=UTC)
    text = exam_file_for(Path("sample"), "sample", tmp_path / "exam.toml", moment)
    assert 'packs = ["sample"]' in text
    read = read_exam_file(written(tmp_path, text))
    assert read.packs == (str(exam_folder("sample")),)


def test_a_folder_beside_the_file_comes_before_an_included_exam(tmp_path: Path) -> None:
    file = written(tmp_path, 'name = "x"\npacks = ["wireframes", "desk", "mine"]\n')
    mine = str(tmp_path / "mine")
    assert read_exam_file(file).packs == (str(exam_folder("wireframes")), "desk", mine)
    for name in ("wireframes", "desk"):
        (tmp_path / name).mkdir()
    assert read_exam_file(file).packs == (
        str(tmp_path / "wireframes"),
        str(tmp_path / "desk"),
        mine,
    )


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("", ""),
        ("uploads", "{}/uploads"),
        ("/srv/uploads", "/srv/uploads"),
    ],
)
def test_uploads_lie_in_the_store_or_beside_the_file_or_in_a_folder(
    tmp_path: Path, given: str, place: str
) -> None:
    text = f'name = "x"\npacks = ["p"]\nfiles = "{given}"\n'
    assert read_exam_file(written(tmp_path, text)).files == place.format(tmp_path)


def test_nobody_signs_up_unless_the_file_says_so(tmp_path: Path) -> None:
    text = 'name = "x"\npacks = ["p"]\n'
    closed = read_exam_file(written(tmp_path, text)).signup
    assert (closed.by, closed.teams) == (JoinBy.CLOSED, False)
    given = read_exam_file(written(tmp_path, text + '[signup]\nby = "approval"\nteams = true'))
    assert (given.signup.by, given.signup.teams) == (JoinBy.APPROVAL, True)


def test_a_phase_ends_with_its_last_moment_anywhere_on_earth(tmp_path: Path) -> None:
    text = 'name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\nend = 2026-12-31T23:59:59-12:00\n'
    (phase,) = read_exam_file(written(tmp_path, text)).phases
    last = datetime(2027, 1, 1, 11, 59, 59, tzinfo=UTC).timestamp() * 1000
    assert phase.open(int(last))
    assert not phase.open(int(last) + 1)


def test_a_day_begins_in_the_zone_of_the_phase() -> None:
    evening = int(datetime(2026, 6, 30, 22, 30, tzinfo=UTC).timestamp() * 1000)
    assert Phase(name="a", zone="Europe/Berlin").day(evening) == "2026-07-01"
    assert Phase(name="a", zone="America/New_York").day(evening) == "2026-06-30"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "it is not TOML"),
        ('name = "x"\npacks = []', "packs"),
        ('name = "X y"\npacks = ["p"]', "lower-case letters"),
        ('name = "x"\npacks = ["p"]\ncolor = 1', "no setting 'color'"),
        ('name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\nstart = 2026-01-01', "offset"),
        (
            'name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\nstart = 2026-01-01T00:00:00',
            "offset",
        ),
        ('name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\nzone = "Mars/X"', "no time zone"),
        ('name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\n[[phases]]\nname = "a"', "same name"),
        ('name = "x"\npacks = ["p"]\n[teams]\na = ["b"]\nc = ["b"]', "'b' and 'b' look the same"),
        ('name = "x"\npacks = ["p"]\n[teams]\na = ["b"]\nA = ["c"]', "'a' and 'A' look the same"),
        ('name = "x"\npacks = ["p"]\n[teams]\na = ["b", "ｂ"]', "'b' and 'ｂ' look the same"),
        (
            'name = "x"\npacks = ["p"]\n[signup]\nby = "open"',
            "'closed', 'invitation' or 'approval'",
        ),
        ('name = "x"\npacks = ["p"]\n[signup]\nteam = true', "no setting 'signup.team'"),
        (
            'name = "x"\npacks = ["p"]\n[teams]\na = ["b"]\nb = ["c"]',
            "'b' and 'b' look the same",
        ),
        (
            'name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\n'
            "start = 2026-02-01T00:00:00Z\nend = 2026-01-01T00:00:00Z",
            "after the start",
        ),
        (
            'name = "x"\npacks = ["p"]\n[[phases]]\nname = "a"\nscores = "hidden"\nreports = "own"',
            'reports show scores.*write reports = "hidden"',
        ),
    ],
)
def test_a_fault_in_an_exam_file_is_named_with_its_place(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_exam_file(written(tmp_path, text))
    assert refused.value.file == str(tmp_path / "exam.toml")


def test_packs_without_an_exam_file_are_a_challenge_of_one_phase_that_does_not_end() -> None:
    found = exam_of_packs(["My Exam", "b"], Rules())
    assert found.name == "my-exam-b"
    assert [(phase.name, phase.end) for phase in found.phases] == [("main", None)]
