"""A server in the shape of OpenAI's chat completions, which says what a test has it say."""

import gc
import json
import threading
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Said = dict[str, Any]


class Model:
    """What was asked, and what is said."""

    def __init__(self, url: str = "") -> None:
        self.url = url
        self.asked: list[Said] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Callable[[str], tuple[int, Said]] = lambda question: (200, said("stop", "12"))

    @property
    def prompts(self) -> list[str]:
        """The texts of the questions."""
        return [prompt_of(one) for one in self.asked]


def said(finish: str, content: str | None, **message: object) -> Said:
    """Return a reply, without the model's name, as some servers send it."""
    whole = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": finish, "message": whole}
    usage = {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8}
    return {"choices": [choice], "usage": usage}


def prompt_of(request: Said) -> str:
    """Return the text of a request's question."""
    content = request["messages"][0]["content"]
    return content if isinstance(content, str) else content[-1]["text"]


@contextmanager
def model_server() -> Generator[Model]:
    """Serve a model while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.asked.append(request)
            model.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, reply = model.reply(prompt_of(request))
            body = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            with suppress(BrokenPipeError):  # the client may be gone
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
            pass

    model = Model()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        model.url = f"http://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield model
        server.shutdown()
    without_leaks()


def without_leaks() -> None:
    """Collect the connections and streams that Inspect leaves to the garbage collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
