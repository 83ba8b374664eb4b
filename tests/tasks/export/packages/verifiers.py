"""Runs an exported taskset by the command vf-eval, against an endpoint that says one thing."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

folder = Path(sys.argv[1])
TASKS = 6


class Endpoint(BaseHTTPRequestHandler):
    """Streams the answer `A` to everything that is asked with an image."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        kinds = [part["type"] for part in asked["messages"][-1]["content"]]
        assert kinds[-1] == "text"
        assert "image_url" in kinds
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        said = {"role": "assistant", "content": "A"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        for part in (
            {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
        ):
            self.wfile.write(b"data: " + json.dumps({**base, **part}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")


server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as room:
    options = {
        "-m": "m",
        "--client.base-url": f"http://127.0.0.1:{server.server_port}/v1",
        "--client.api-key-var": "KEY",
        "--env.agent.harness.id": "null",
        "--env.agent.runtime.type": "subprocess",
        "--select.limit": str(TASKS),
        "-o": room,
    }
    words = [word for pair in options.items() for word in pair]
    subprocess.run(
        [
            Path(sys.executable).with_name("vf-eval"),
            folder.name,
            *words,
            "--no-push",
            "--no-rich",
        ],
        check=True,
        cwd=folder,
        env={**os.environ, "KEY": "none", "PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
    )
    (file,) = Path(room).rglob("traces.jsonl")
    traces = [json.loads(line)["traces"][0] for line in file.read_text().splitlines()]
assert len(traces) == TASKS, len(traces)
for trace in traces:
    assert not trace["errors"], trace["errors"]
    assert trace["rewards"]["snellen"]["score"] in (0.0, 1.0) or "ocr" in trace["task"]["key"]
print(f"{len(traces)} rollouts as expected")
