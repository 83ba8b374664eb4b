"""`snellen evaluate` against a real local server, called as a shell would call it."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner, Result

from snellen.cli.app import app

ROWS = [
    {"image_id": number, "question": f"What is {number}?", "ground_truth": [str(number)]}
    for number in range(6)
]


class Server(http.server.ThreadingHTTPServer):
    """Answers the number that a question holds; fails where it is told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.failing: set[str] = set()


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat completion."""
        server = cast("Server", self.server)
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.asked.append(request)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        answer = request["messages"][0]["content"].rpartition("What is ")[2].rstrip("?")
        failed = answer in server.failing
        reply: dict[str, Any] = {
            "choices": [{"message": {"content": answer}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 1},
        }
        body = json.dumps({"error": {"message": "no"}} if failed else reply).encode()
        self.send_response(400 if failed else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(ROWS))
    return tmp_path


def evaluate(folder: Path, server: Server, *more: str) -> Result:
    arguments = (
        *("evaluate", "screenqa/short", "--endpoint", f"http://127.0.0.1:{server.server_port}/v1"),
        *("--model", "toy", "--data", str(folder), "--no-images", "--run", str(folder / "run")),
        *(argument.replace("@", str(folder)) for argument in more),
    )
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)


@pytest.mark.slow
def test_every_item_is_asked_once_and_graded(folder: Path, server: Server) -> None:
    result = evaluate(folder, server, "-o", "@/r.json", "-o", "@/r.html")
    assert result.exit_code == 0, result.output
    assert "100.00" in result.stdout
    assert len(server.asked) == 6
    report = json.loads((folder / "r.json").read_bytes())
    assert report["provenance"]["run"]["model"] == "toy"
    assert report["provenance"]["run"]["usage"]["input_tokens"] == 42
    assert "|model:toy|" in report["signature"]
    assert (folder / "r.html").stat().st_size > 10_000


@pytest.mark.slow
def test_what_failed_is_asked_again_by_the_same_command(folder: Path, server: Server) -> None:
    server.failing = {"2", "4"}
    first = evaluate(folder, server)
    assert first.exit_code == 1
    assert "4 answered, 2 error" in first.stdout
    server.failing.clear()
    asked = len(server.asked)
    second = evaluate(folder, server)
    assert second.exit_code == 0
    assert len(server.asked) == asked + 2
    assert "100.00" in second.stdout


@pytest.mark.slow
def test_decoding_headers_and_further_fields_are_sent_as_told(folder: Path, server: Server) -> None:
    settings = (
        *("temperature=none", "max_tokens=none", 'headers={"X-Team": "eyes"}'),
        *('extra={"max_completion_tokens": 9}', "top_p=0.9", "seed=7"),
    )
    options = [word for setting in settings for word in ("--set", setting)]
    assert evaluate(folder, server, *options).exit_code == 0
    assert "temperature" not in server.asked[0]
    assert "max_tokens" not in server.asked[0]
    assert server.asked[0]["max_completion_tokens"] == 9
    assert (server.asked[0]["top_p"], server.asked[0]["seed"]) == (0.9, 7)
    assert server.headers[0]["x-team"] == "eyes"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--by", "nosuch"), "nosuch"),
        (("--prompt", "nosuch"), "screenqa-paper-short"),
        (("--images", "@"), "exclude one another"),
        (("-o", "@/r.txt"), ".json"),
        (("--set", "temprature=1"), "did you mean 'temperature'?"),
        (("--set", "temperature=warm"), "temperature=warm: Input should be a valid number"),
        (("--set", "temperature=-1"), "field 'temperature': it must be at least 0"),
        (("--set", "max_tokens=1.5"), "max_tokens=1.5: Input should be a valid integer"),
        (("--set", "extra=[]"), "extra=[]: Input should be an object"),
        (("--set", "retries=-1"), "field 'retries': it must be at least 0"),
        (("--set", "X-Team"), "--set takes KEY=VALUE"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_asked(
    folder: Path, server: Server, options: tuple[str, ...], message: str
) -> None:
    result = evaluate(folder, server, *options)
    assert result.exit_code == 2
    assert message in result.output
    assert not server.asked
