"""A real HTTP server that plays both APIs and breaks as scripted, and a benchmark in miniature."""

import http.server
import io
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

OPENAI = "/v1/chat/completions"
ANTHROPIC = "/v1/messages"


@dataclass
class Request:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of the one message; a plain text is one part."""
        content = self.body["messages"][0]["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    @property
    def text(self) -> str:
        """The text of the one message."""
        return "".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def question(self) -> str:
        """The question at the end of the text."""
        return self.text.rpartition("Question: ")[2]


@dataclass
class Step:
    """What the server does with one request."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: object = None
    message: Mapping[str, object] = field(default_factory=dict[str, object])
    finish: str | None = None
    drop: str = ""
    hang: float = 0.0


class Api:
    """The server's script and memory."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.steps: deque[Step] = deque()
        self.rule: Callable[[Request], Step | None] = lambda seen: None
        self.answer: Callable[[Request], str] = lambda seen: "2"
        self.lock = threading.Lock()
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections = 0
        self.port = 0

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The base URL that OpenAI's API has here."""
        return f"{self.root}/v1"

    @property
    def questions(self) -> list[str]:
        """The questions in the order in which they came."""
        return [seen.question for seen in self.requests]

    def step(self, status: int = 200, **rest: Any) -> Step:
        """Return what can become of a request; see `Step`."""
        return Step(status, **rest)

    def script(self, *steps: Step) -> None:
        """Say what becomes of the next requests; those after them are answered."""
        self.steps.extend(steps)

    def take(self, seen: Request) -> Step:
        with self.lock:
            self.requests.append(seen)
            step = self.rule(seen)
            if step is not None:
                return step
            return self.steps.popleft() if self.steps else Step()

    def reply(self, seen: Request, step: Step) -> bytes:
        if isinstance(step.body, bytes):
            return step.body
        if step.body is not None:
            return json.dumps(step.body).encode()
        if seen.path == ANTHROPIC:
            return json.dumps(
                {
                    "type": "message",
                    "content": [{"type": "text", "text": self.answer(seen)}],
                    "stop_reason": step.finish or "end_turn",
                    "usage": {"input_tokens": 90, "output_tokens": 6, "cache_read_input_tokens": 4},
                    **step.message,
                }
            ).encode()
        message = {"role": "assistant", "content": self.answer(seen), **step.message}
        return json.dumps(
            {
                "choices": [{"message": message, "finish_reason": step.finish or "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 5},
            }
        ).encode()


def handler_of(api: Api) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            with api.lock:
                api.connections += 1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Request(self.path, headers, json.loads(body))
            with api.lock:
                api.in_flight += 1
                api.most_in_flight = max(api.most_in_flight, api.in_flight)
            step = api.take(seen)
            if step.hang:
                time.sleep(step.hang)
            if seen.path not in (OPENAI, ANTHROPIC):
                step = Step(404, body={"detail": "Not Found"})
            reply = api.reply(seen, step)
            with api.lock:
                api.in_flight -= 1
            self.send(step, reply)

        def send(self, step: Step, reply: bytes) -> None:
            if step.drop == "at once":
                self.close_connection = True
                return
            self.send_response(step.status)
            for name, value in ({"content-type": "application/json"} | dict(step.headers)).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            if step.drop == "mid body":
                self.wfile.write(reply[: len(reply) // 2])
                self.close_connection = True
                return
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed breaks off in the middle: nothing to tell."""


@pytest.fixture
def api() -> Iterator[Api]:
    """A server that answers every question with 2 until it is told otherwise."""
    api = Api()
    server = Server(("127.0.0.1", 0), handler_of(api))
    api.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield api
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def benchmark(tmp_path: Path) -> Callable[[int], Path]:
    """Write ScreenQA-short with so many questions, three a screen; question N's answer is N."""

    def write(count: int) -> Path:
        folder = tmp_path / "screen_qa"
        (folder / "short_answers").mkdir(parents=True)
        rows = [
            {"image_id": place // 3, "question": f"Number {place}?", "ground_truth": [str(place)]}
            for place in range(count)
        ]
        (folder / "short_answers" / "test.json").write_text(json.dumps(rows), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def screenshots(tmp_path: Path) -> Callable[[int], Path]:
    """Write so many screenshots of 60 x 90 pixels, each of its own color."""

    def write(count: int) -> Path:
        folder = tmp_path / "rico"
        folder.mkdir()
        for number in range(count):
            Image.new("RGB", (60, 90), (number, 0, 0)).save(folder / f"{number}.png")
        return folder

    return write


@pytest.fixture
def png() -> Callable[..., bytes]:
    """Make a PNG."""

    def make(width: int = 4, height: int = 4, color: int = 0) -> bytes:
        out = io.BytesIO()
        Image.new("RGB", (width, height), (color, 0, 0)).save(out, "PNG")
        return out.getvalue()

    return make


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sends the developer's own key, even to itself."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
