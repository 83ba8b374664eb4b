"""Ask a model on this machine and grade it: `python examples/evaluate_local_model.py`.

The "model" is a few lines that speak OpenAI's chat completions, as vLLM, llama.cpp's server and
Ollama do; with one of those, only the base URL and the name change. The example data holds no
screenshots, so it is asked without any: a baseline that says how much can be guessed.
"""

import http.server
import json
import tempfile
import threading
from pathlib import Path

from snellen import sdk

HERE = Path(__file__).parent
GUESSES = {"How many": "12", "current number": "2", "language": "English", "version": "3.6.3"}


class ToyModel(http.server.BaseHTTPRequestHandler):
    """Guesses by the question's words."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name that http.server calls
        """Answer one request."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt: str = request["messages"][0]["content"]
        question = prompt.rpartition("Question: ")[2]
        guess = next((GUESSES[words] for words in GUESSES if words in question), "<no answer>")
        message = {"role": "assistant", "content": guess}
        reply = json.dumps(
            {
                "choices": [{"message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": len(prompt.split()), "completion_tokens": 1},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Print nothing."""


def main() -> None:
    """Ask, grade, and show what the model said."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ToyModel)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        report = sdk.evaluate(
            "screenqa/short",
            model=f"http://127.0.0.1:{server.server_port}/v1",
            name="toy",
            data=HERE / "screen_qa",
            images=False,
            decoding=sdk.Decoding(temperature=0.0, max_tokens=32),
            limits=sdk.Limits(concurrency=4),
            run=Path(folder) / "toy",
        )
    server.shutdown()
    show(report)


def show(report: sdk.Report) -> None:
    """Print the number, what it depends on, what it cost and every answer."""
    print(report.signature)
    print(f"F1 {report.value:.4f} over {report.provenance.items} questions")
    if report.provenance.run is not None:
        usage = report.provenance.run.usage
        print(f"{usage.requests} requests, {usage.input_tokens} + {usage.output_tokens} tokens")
    for score in report.scores:
        print(f"{score.item_id}: {score.value:.2f} {score.response!r}")


if __name__ == "__main__":
    main()
