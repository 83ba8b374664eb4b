"""`snellen attempts`: what an organizer sees and does with the store alone, or with packs."""

import asyncio
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.cli.serving import shell_caller
from snellen.server.attempts.models import Caller
from snellen.server.attempts.service import Clock, Service
from snellen.server.challenge import queries
from snellen.server.errors import NoSuchAttemptError
from snellen.server.exam.rules import Rules
from snellen.server.grading.exam import read_exam
from snellen.server.settings import Settings
from snellen.server.store.files import Files
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Attempt
from snellen.tasks.samples import exam_folder

ME = Caller("alice")
Took = Callable[..., Attempt]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "exam.sqlite"


@pytest.fixture
def take(store: Path) -> Took:
    """Return a function that takes the sample by some rules, and leaves the store closed."""

    def run(*, finish: bool = True, now: int | None = None, **rules: Any) -> Attempt:
        settings = Settings(
            (exam_folder("wireframes"),), store, Rules.model_validate({"sample": 3, **rules})
        )
        database = open_store(store)
        clock = None if now is None else Clock(now=lambda: now)
        service = Service(read_exam(settings), database, clock)

        async def work() -> Attempt:
            attempt = (await service.start(ME, model="mine")).attempt
            for number in range(2):
                leased = await service.lease(attempt, ME)
                for _ in range(service.exam.rules.submissions):
                    answer = f"no idea {number}"
                    await service.submit(attempt, ME, leased.item.opaque, answer)
            if finish:
                await service.finish(attempt)
            return service.register.numbered(attempt.id)

        try:
            return asyncio.run(work())
        finally:
            database.close()

    return run


@pytest.fixture
def run(store: Path) -> Callable[..., Result]:
    def call(*arguments: str) -> Result:
        words = ["attempts", *arguments, "--store", str(store)]
        return CliRunner(env={"COLUMNS": "200"}).invoke(app, words)

    return call


Run = Callable[..., Result]


def test_list_says_whose_attempts_there_are_and_how_they_stand(take: Took, run: Run) -> None:
    take()
    take(finish=False, mode="deferred")
    take(finish=False, minutes=1, now=1_700_000_000_000)
    result = run("list")
    assert result.exit_code == 0, result.output
    head, *rows = [line.split() for line in result.stdout.splitlines()]
    assert " ".join(head) == "no. caller model mode exam tasks opened state answered score"
    assert [row[:4] + row[-3:] for row in rows] == [
        ["1", "alice", "mine", "exam", "finished", "2/3", "0.0000"],
        ["2", "alice", "mine", "deferred", "open", "2/3", "-"],
        ["3", "alice", "mine", "exam", "expired", "2/3", "-"],
    ]
    assert rows[2][6] == "2023-11-14T22:13:20Z"
    found = json.loads(run("list", "--json").stdout)
    assert [(one["number"], one["state"]) for one in found] == [
        (1, "finished"),
        (2, "open"),
        (3, "expired"),
    ]


def test_list_of_one_says_rules_progress_cost_and_the_report(take: Took, run: Run) -> None:
    take(seed=7)
    take(finish=False)
    told = run("list", "1").stdout
    assert told.startswith(
        "attempt 1 of alice with mine: finished, 2 of 3 answered\nexam wireframes@"
    )
    assert "rules: mode exam, seed 7, sample 3, submissions 1, rewrites 1, counting last," in told
    assert "screenqa/short       2/3  0.0000" in told
    told = run("list", "2").stdout
    assert told.endswith("0 calls, 0 bytes of images, about 0 tokens\nno report\n")
    found = json.loads(run("list", "1", "--json").stdout)
    assert (found["report"]["value"], found["cost"]["calls"]) == (0.0, 0)


def test_export_writes_a_file_a_task_and_the_command_that_grades_it(
    take: Took, run: Run, tmp_path: Path
) -> None:
    take()
    folder = tmp_path / "some folder" / "out"
    result = run("export", "1", "-o", str(folder))
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in folder.iterdir()) == [
        "screenqa-short.items.txt",
        "screenqa-short.jsonl",
    ]
    assert len((folder / "screenqa-short.items.txt").read_text().splitlines()) == 3
    command = shlex.split(result.stdout)
    assert command[:2] == ["snellen", "grade"]
    graded = CliRunner().invoke(app, [*command[1:], "--json"])
    assert graded.exit_code == 0, graded.output
    stored = json.loads(run("list", "1", "--json").stdout)["report"]["tasks"][0]
    report = json.loads(graded.stdout)
    assert report["numbers"]["metrics"]["f1"]["value"] == stored["metrics"]["f1"]
    assert report["provenance"]["items"] == 3
    assert stored["signature"].startswith(report["signature"] + "|exam:")


def test_who_exports_or_grades_answers_in_a_shell_is_in_the_record(
    take: Took, run: Run, store: Path, tmp_path: Path
) -> None:
    take()
    take(finish=False)
    for command in (
        ("list", "1"),
        ("export", "1", "-o", str(tmp_path / "out")),
        ("grade", "1"),
        ("grade", "2"),
    ):
        run(*command)
    database = open_store(store)
    try:
        events = database.read(lambda c: queries.LATEST_EVENTS.all(c, {}))
    finally:
        database.close()
    assert [(row.caller, row.what, row.why) for row in events] == 2 * [
        (shell_caller(), "answers read", "attempt 1")
    ]


def test_export_writes_over_nothing(take: Took, run: Run, tmp_path: Path) -> None:
    take()
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "screenqa-short.jsonl").write_text("mine")
    refused = run("export", "1", "-o", str(folder))
    assert refused.exit_code == 2
    assert "it exists already; choose another folder" in refused.stderr
    assert [path.name for path in folder.iterdir()] == ["screenqa-short.jsonl"]
    assert (folder / "screenqa-short.jsonl").read_text() == "mine"


def test_export_of_the_best_of_several_answers_reads_the_references(
    take: Took, run: Run, tmp_path: Path
) -> None:
    take(submissions=2, counting="best")
    result = run("export", "1", "-o", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "out" / "screenqa-short.jsonl").read_text().splitlines()
    assert len(lines) == 3


@pytest.mark.parametrize("command", [("export", "1", "-o", "out"), ("grade", "1")])
def test_an_open_attempt_is_neither_exported_nor_graded(
    take: Took, run: Run, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    take(finish=False)
    result = run(*command)
    assert result.exit_code == 2
    assert "the attempt is open" in result.stderr
    assert "`snellen attempts close 1`" in result.stderr
    assert not (tmp_path / "out").exists()
    assert run("close", "1").stdout == "attempt 1 is finished\n"
    assert run(*command).exit_code == 0


def test_grade_says_what_the_report_said(take: Took, run: Run, tmp_path: Path) -> None:
    take()
    told = json.loads(run("list", "1", "--json").stdout)["report"]
    output = tmp_path / "report.json"
    result = run("grade", "1", "-o", str(output))
    assert result.exit_code == 0, result.output
    assert "screenqa/short       2/3  0.0000" in result.stdout
    assert json.loads(output.read_text()) == told


def test_report_writes_a_page_with_the_total_and_every_item(
    take: Took, run: Run, tmp_path: Path
) -> None:
    take()
    page = tmp_path / "page.html"
    result = run("report", "1", "-o", str(page))
    assert result.exit_code == 0, result.output
    text = page.read_text()
    assert "<h1>mine on wireframes@" in text
    assert "mean over tasks" in text
    assert text.count("<article") == text.count("data:image/webp") == 3


def test_a_page_that_needs_an_extra_says_which_and_is_not_written(
    take: Took, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("report", "1", "-o", str(tmp_path / "page.html"))
    assert result.exit_code == 2
    assert "pip install 'snellen[html]'" in result.stderr
    assert not (tmp_path / "page.html").exists()


def test_packs_that_an_attempt_is_not_of_are_refused(take: Took, run: Run, tmp_path: Path) -> None:
    take()
    other = str(tmp_path / "other")
    data = tmp_path / "short_answers" / "test.json"
    data.parent.mkdir()
    data.write_text('[{"image_id": 1, "question": "What is it?", "ground_truth": ["that"]}]')
    create = ("pack", "create", "--task", "screenqa/short", "--data", str(tmp_path), "--no-images")
    made = CliRunner().invoke(app, [*create, "--name", "other", "-o", other])
    assert made.exit_code == 0, made.output
    result = run("grade", "1", other)
    assert result.exit_code == 2
    assert "attempt 1 is of wireframes@" in result.stderr
    assert "and this is other@" in result.stderr
    none = run("grade", "1", str(tmp_path))
    assert "it is not a pack: it has no manifest.json" in none.stderr


def test_close_says_what_became_of_attempts(take: Took, run: Run) -> None:
    for _ in range(2):
        take(finish=False)
    take(finish=False, minutes=1, now=1_700_000_000_000)
    take(finish=False, now=1_700_000_000_000)
    assert run("close", "1").stdout == "attempt 1 is finished\n"
    assert run("close", "1").stdout == "attempt 1 is finished already\n"
    assert run("close", "2", "--without-report").stdout == "attempt 2 is abandoned\n"
    assert run("close", "1", "--without-report").stdout == "attempt 1 is finished already\n"
    assert run("close", "--idle", "1440").stdout == "1 expired, 1 abandoned\n"
    assert run("close", "--idle", "1").stdout == "0 expired, 0 abandoned\n"
    for words in ((), ("1", "--idle", "1"), ("--idle", "1", "--without-report")):
        result = run("close", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "give either the number of an attempt, or --idle MINUTES alone" in result.stderr


def test_reissue_prints_a_handle_that_works_and_kills_the_old_one(
    take: Took, run: Run, store: Path
) -> None:
    take(finish=False)
    first, second = (run("reissue", "1") for _ in range(2))
    handles = [result.stdout.removesuffix("\n") for result in (first, second)]
    assert "save it now, for alice: it is not shown again" in first.stderr
    database = open_store(store)
    try:
        settings = Settings((exam_folder("wireframes"),), store, Rules(sample=3))
        service = Service(read_exam(settings), database)
        assert service.attempt(handles[1], ME.name).id == 1
        with pytest.raises(NoSuchAttemptError):
            service.attempt(handles[0], ME.name)
    finally:
        database.close()
    run("close", "1", "--without-report")
    refused = run("reissue", "1")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "error: attempt 1 was abandoned" in refused.stderr


@pytest.mark.parametrize(
    "command", ["list", "list 1", "reissue 1", "close --idle 9", "close 1", "grade 1"]
)
def test_a_store_that_is_not_there_is_said_and_not_made(
    run: Run, command: str, store: Path
) -> None:
    result = run(*command.split())
    assert result.exit_code == 2
    assert "there is no such store; give --store" in result.stderr
    assert not store.exists()


def test_a_store_without_attempts_and_a_number_that_none_has_are_said(
    run: Run, store: Path
) -> None:
    open_store(store).close()
    result = run("list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "there is no attempt yet" in result.stderr
    assert run("list", "--json").stdout == "[]\n"
    for number in ("1", "9" * 30):
        result = run("list", number)
        assert result.exit_code == 2
        assert f"there is no attempt {number} in this store" in result.stderr


def test_forget_deletes_a_participants_attempts_once_and_says_so(
    take: Took, run: Run, tmp_path: Path
) -> None:
    take()
    take(finish=False)
    said = run("forget", "alice")
    assert (said.exit_code, said.stdout) == (
        0,
        "deleted: 0 submissions, 2 attempts; without a name on the leaderboard: 0\n",
    )
    again = run("forget", "alice")
    assert (again.exit_code, again.stdout) == (0, "the store has nothing of 'alice'\n")
    exam = tmp_path / "exam.toml"
    exam.write_text('name = "x"\npacks = ["p"]\nforgotten = "dropped"\n[teams]\nlab = ["alice"]\n')
    assert "remove it from [teams]" in run("forget", "alice", str(exam)).stderr
    assert "there is no attempt yet" in run("list").output


def test_forget_knows_the_store_and_the_files_of_the_exam_file(
    take: Took, store: Path, tmp_path: Path
) -> None:
    take()
    exam = tmp_path / "exam.toml"
    exam.write_text(f'name = "x"\npacks = ["p"]\nstore = "{store.name}"\nfiles = "files"\n')
    left = Files(str(tmp_path / "files")).put("alice", b"left by a crash")
    said = CliRunner().invoke(app, ["attempts", "forget", "alice", str(exam)])
    assert said.stdout.startswith("deleted: 0 submissions, 1 attempts;")
    assert not (tmp_path / "files" / left).exists()
