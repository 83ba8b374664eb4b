"""`snellen judge` against a real local server, called as a shell would call it."""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner, Result

from snellen import sdk
from snellen.cli.app import app

ROWS = [
    {"image_id": number, "question": f"What is {number}?", "ground_truth": [str(number)]}
    for number in range(6)
]


class Server(http.server.ThreadingHTTPServer):
    """A judge that takes every response for right; says something else where it is told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.chatty: set[str] = set()


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat completion."""
        server = cast("Server", self.server)
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.asked.append(request)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        content = request["messages"][0]["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        found = re.search(r"What is (\d+)\?", text)
        chatty = found is not None and found[1] in server.chatty
        reply = "Looks fine to me." if chatty else '{"verdict": 1}'
        body = json.dumps(
            {
                "choices": [{"message": {"content": reply}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 300, "completion_tokens": 5},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.01,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Save a report of six answers, four of them right by the metric."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "qa" / "short_answers").mkdir(parents=True)
    (tmp_path / "qa" / "short_answers" / "test.json").write_text(json.dumps(ROWS))
    answers = [
        {"item_id": f"test/{number}/0", "response": str(number) if number < 4 else "none"}
        for number in range(6)
    ]
    report = sdk.grade(answers, task="screenqa/short", data=tmp_path / "qa")
    return report.save(tmp_path / "report.json")


def judge(saved: Path, server: Server, *more: str) -> Result:
    arguments = (
        *("judge", str(saved), "--endpoint", f"http://127.0.0.1:{server.server_port}/v1"),
        *("--model", "owl", "--set", "concurrency=1"),
        *(argument.replace("@", str(saved.parent)) for argument in more),
    )
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_a_saved_report_gets_an_opinion_beside_its_score(saved: Path, server: Server) -> None:
    done = judge(saved, server, "-o", "@/judged.json", "-o", "@/judged.md")
    assert done.exit_code == 0
    score, _, beside = done.stdout.partition("Auxiliary, not part of the score")
    assert "66.67" in score
    assert "owl/correct@1        100.00" in beside
    before, after = sdk.load_report(saved), sdk.load_report(saved.parent / "judged.json")
    assert after.signature == before.signature
    assert after.metrics == before.metrics
    found = after.auxiliary["judge:owl/correct@1"]
    assert found.value == 1.0
    assert found.run.usage.requests == 6
    assert found.run.usage.input_tokens == 1800
    assert (found.agreements[0].both, found.agreements[0].first_only) == (4, 2)
    assert "## Auxiliary" in (saved.parent / "judged.md").read_text()


def test_what_is_asked_is_what_the_options_say(saved: Path, server: Server) -> None:
    (saved.parent / "some.txt").write_text("test/0/0\ntest/1/0\n")
    done = judge(
        saved,
        server,
        *("--rubric", "graded", "--items", "@/some.txt", "--votes", "3"),
        *("--set", "temperature=0.7", "--set", "max_tokens=none"),
        *("--set", 'extra={"top_k": 1}', "--set", 'headers={"x-team": "eyes"}'),
    )
    assert done.exit_code == 0
    assert len(server.asked) == 6
    first = server.asked[0]
    assert (first["temperature"], first["top_k"]) == (0.7, 1)
    assert "max_tokens" not in first
    assert "LEVEL is 0, 1, 2, 3 or 4" in first["messages"][0]["content"]
    assert server.headers[0]["x-team"] == "eyes"
    assert "owl/graded@1" in done.stdout


@pytest.mark.slow
def test_a_response_without_a_verdict_ends_with_1_and_is_asked_about_again(
    saved: Path, server: Server
) -> None:
    server.chatty = {"2"}
    done = judge(saved, server, "--run", "@/run")
    assert done.exit_code == 1
    assert "1 of 6 responses have no verdict" in done.stdout
    server.chatty = set()
    server.asked.clear()
    assert judge(saved, server, "--run", "@/run").exit_code == 0
    assert len(server.asked) == 1


def test_json_has_the_opinion_without_the_single_verdicts(saved: Path, server: Server) -> None:
    assert judge(saved, server, "-o", "@/judged.json").exit_code == 0
    done = CliRunner().invoke(app, ["report", str(saved.parent / "judged.json"), "--json"])
    told = json.loads(done.stdout)["auxiliary"]["judge:owl/correct@1"]
    assert told["estimate"]["value"] == 1.0
    assert "levels" not in told


def test_people_stand_beside_the_judge(saved: Path, server: Server) -> None:
    (saved.parent / "labels.csv").write_text("item_id,label\ntest/0/0,1\ntest/4/0,0\n")
    done = judge(saved, server, "--labels", "@/labels.csv")
    assert "judge, people" in done.stdout
    assert "f1, people" in done.stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--rubric", "corect"), "did you mean 'correct@1'"),
        (("--votes", "2"), "it must be odd"),
        (("--with-images",), "loaded without them"),
        (("--labels", "@/none.csv"), "none.csv: it can't be read"),
        (("-o", "@/none/report.json"), "the folder to save it in does not exist"),
        (("--data", "@/none"), "none"),
    ],
)
def test_what_can_not_be_done_ends_with_2_before_anything_is_asked(
    saved: Path, server: Server, more: tuple[str, ...], message: str
) -> None:
    done = judge(saved, server, *more)
    assert done.exit_code == 2
    assert message in done.stderr.replace("\n", "")
    assert not server.asked


def test_a_judge_that_is_not_there_ends_with_2(saved: Path) -> None:
    where = ("--endpoint", "http://127.0.0.1:9/v1", "--model", "owl", "--set", "retries=0")
    done = CliRunner().invoke(app, ["judge", str(saved), *where])
    assert done.exit_code == 2
    assert "asking owl stopped" in done.stderr
