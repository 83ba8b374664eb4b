import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from snellen import sdk
from snellen.cli.app import app
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

TASK = "screenqa/short"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an exam file, and predictions of which two of three are right."""
    found = tmp_path_factory.mktemp("host")
    pack = open_pack(exam_folder("wireframes"))
    golds = open_references(pack).golds[TASK]
    lines = [
        json.dumps({"item_id": item, "response": golds[item][0] if number % 3 else "no idea"})
        for number, item in enumerate(pack.index[TASK])
    ]
    (found / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = CliRunner().invoke(
        app, ["exam", "init", str(exam_folder("wireframes")), "--output", str(found / "exam.toml")]
    )
    assert made.exit_code == 0, made.output
    text = (found / "exam.toml").read_text(encoding="utf-8")
    text = text.replace('reports = "hidden"', 'reports = "own"').replace("start =", "# start =")
    (found / "exam.toml").write_text(text, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Serve the exam as a user would; return its address and the admin's token."""
    command = "from snellen.cli import main; main()"
    words = [sys.executable, "-c", command, "serve", str(folder / "exam.toml"), "--port", "0"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        token = process.stdout.readline().strip()
        said = ""
        while "serving on" not in said:
            said = process.stderr.readline()
            assert said, "the server ended"
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found
        yield found[0], token
        process.terminate()


@pytest.mark.slow
def test_an_upload_has_the_report_that_grading_it_here_has(
    served: tuple[str, str], folder: Path
) -> None:
    url, token = served
    file = folder / "answers.jsonl"
    with sdk.Client(url, token=token) as client:
        report = client.submit(file, name="a run").wait()
        here = sdk.grade(str(file), data=sample_data())
        assert isinstance(report, sdk.Report)
        assert report.numbers == here.numbers
        assert report.signature == here.signature
        (row,) = client.leaderboard().rows
        assert (row.name, row.value) == ("a run", report.value)
        exam = client.exam()
        assert [item.id for item in client.items()] == [
            *open_pack(exam_folder("wireframes")).index[TASK]
        ]
        assert exam.tasks[0].items == 12


def sample_data() -> sdk.TaskData:
    from snellen.tasks.pack.read import task_data

    pack = open_pack(exam_folder("wireframes"))
    return task_data(pack, open_references(pack), TASK)


@pytest.mark.slow
def test_the_command_says_what_a_file_scores_and_saves_its_report(
    served: tuple[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, token = served
    monkeypatch.setenv("SNELLEN_TOKEN", token)
    out = folder / "report.json"
    words = ["submit", str(folder / "answers.jsonl"), "--to", url]
    done = CliRunner().invoke(app, [*words, "--output", str(out)])
    assert done.exit_code == 0, done.output
    assert "0.6667" in done.output
    assert sdk.load_report(out).value == pytest.approx(2 / 3)
    again = CliRunner().invoke(app, [*words, "--name", "another"])
    assert again.exit_code == 0, again.output
    assert "the same file; no upload was used: it is submission sub_" in again.stdout
    assert "not 'another'" in again.stdout
    (folder / "bad.jsonl").write_text("nonsense\n", encoding="utf-8")
    failed = CliRunner().invoke(app, ["submit", str(folder / "bad.jsonl"), "--to", url])
    assert failed.exit_code == 1
    assert "failed: " in failed.output
    (folder / "bad.jsonl").write_text('{"item_id": 5}\n' * 22, encoding="utf-8")
    failed = CliRunner().invoke(app, ["submit", str(folder / "bad.jsonl"), "--to", url])
    assert "  line 20, field 'item_id': item_id is the number 5; ids are text" in failed.stderr
    assert "line 21" not in failed.stderr
    assert "the first 20 rows can't be read" in failed.output
    (folder / "part.jsonl").write_text(
        (folder / "answers.jsonl").read_text(encoding="utf-8") + '\n{"item_id": 5}\n',
        encoding="utf-8",
    )
    partly = CliRunner().invoke(app, ["submit", str(folder / "part.jsonl"), "--to", url])
    assert (partly.exit_code, "0.6667" in partly.stdout) == (0, True)
    assert "1 problem(s) in the file; the rest was graded:\n  line 13, field" in partly.stderr
    strange = CliRunner(env={"SNELLEN_TOKEN": "snellen_guess"}).invoke(app, words)
    assert (strange.exit_code, "unknown" in strange.stderr) == (2, True)


QUEUED = {
    "id": "sub_a", "phase": "main", "participant": "ada", "name": "", "at": "", "state": "queued",
    "source": "upload", "link": "", "size": 3, "sha256": "", "tries": 0, "of a newer server": 1,
}  # fmt: skip


async def test_an_upload_is_repeated_with_the_same_key_until_it_is_taken(folder: Path) -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        if len(seen) == 1:
            raise httpx2.ConnectError("gone", request=request)
        if len(seen) == 2:
            return httpx2.Response(503, headers={"Retry-After": "0"})
        return httpx2.Response(201, json=QUEUED)

    async with sdk.AsyncClient(
        "http://exam", exam="web", transport=httpx2.MockTransport(answer)
    ) as client:
        sent = await client.submit(folder / "answers.jsonl")
    assert sent.id == "sub_a"
    assert len({request.headers["idempotency-key"] for request in seen}) == 1
    size = (folder / "answers.jsonl").stat().st_size
    assert seen[-1].headers["content-length"] == str(size)
    assert len(seen[-1].content) == size


async def test_a_refusal_is_not_repeated_and_says_what_the_server_says(folder: Path) -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(429, json={"detail": "all uploads are used"})

    async with sdk.AsyncClient(
        "http://exam", exam="web", transport=httpx2.MockTransport(answer)
    ) as client:
        with pytest.raises(sdk.HostedError, match="all uploads are used") as refused:
            await client.submit(folder / "answers.jsonl")
    assert (refused.value.status, len(seen)) == (429, 1)


@pytest.mark.slow
async def test_a_submission_is_polled_until_it_is_done_and_each_change_is_reported_once() -> None:
    replies = [
        httpx2.Response(200, json=QUEUED),
        httpx2.ReadError("broken"),
        httpx2.Response(200, json=QUEUED),
        httpx2.Response(200, json={**QUEUED, "state": "graded"}),
    ]

    def answer(_: httpx2.Request) -> httpx2.Response:
        reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async with sdk.AsyncClient(
        "http://exam", exam="web", transport=httpx2.MockTransport(answer)
    ) as client:
        states = [now.state async for now in client.follow("sub_a")]
    assert states == ["queued", "graded"]
    assert replies == []


async def test_what_is_no_server_of_ours_is_said_to_be_none() -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, text="<html>"))
    async with sdk.AsyncClient("http://exam", transport=transport) as client:
        with pytest.raises(sdk.HostedUnreachableError, match="not from a snellen server"):
            await client.exams()


def board_row(name: str) -> dict[str, object]:
    known: dict[str, object] = {"submission": name, "participant": name, "name": name, "tasks": ()}
    known |= {"link": "", "source": "upload", "at": ""}
    nothing = dict.fromkeys(("best", "worst", "group", "low", "high"))
    return {**known, **nothing, "baseline": True, "value": 0.5}


async def test_a_long_leaderboard_is_read_page_by_page() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        first = int(request.url.params["after"])
        # The second row moved to the next page between the two requests.
        rows = [board_row(name) for name in "abbc"[first : first + 2]]
        page: dict[str, object] = {"exam": "web", "phase": "main", "tasks": (), "part": "all"}
        page |= {"task": None, "level": 0.95, "grading": 1, "graded": "", "regrading": False}
        page |= {"incomplete": 0, "total": 4, "rows": rows, "next": None if first else "2"}
        return httpx2.Response(200, json=page)

    async with sdk.AsyncClient(
        "http://exam", exam="web", transport=httpx2.MockTransport(answer)
    ) as client:
        assert [row.name for row in (await client.leaderboard()).rows] == ["a", "b", "c"]
