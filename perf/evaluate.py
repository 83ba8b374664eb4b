"""`sdk.evaluate` against Inspect AI alone, and against a bare httpx2 loop, on the same server.

The server answers at once, in a process of its own. Inspect alone is its own solver `generate` and
its own scorer `match`, with the same limits and the same kind of log. The bare loop is as plain as
can be: 64 workers over payloads made before the clock starts, one client, nothing kept, nothing
graded. Ours loads the data, reads and encodes the images, has Inspect ask, and grades.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx2
import numpy as np
from _timing import Row, options, race, show
from inspect_ai import Task
from inspect_ai import eval as inspect_eval  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText
from inspect_ai.scorer import match
from inspect_ai.solver import generate
from PIL import Image

from snellen import sdk

CONCURRENCY = 64
QUESTIONS_A_SCREEN = 3
# A ratio of 1 is as fast as the peer; ours may take 1.1 times as long as Inspect alone.
TARGET = 1 / 1.1

SERVER = """
import asyncio

BODY = (
    b'{"id":"1","object":"chat.completion","created":1,"model":"toy","choices":[{"message":{"role":"assistant","content":"2"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105}}'
)
REPLY = b"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n"
REPLY = REPLY % len(BODY) + BODY


class Answering(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.head, self.missing = transport, b"", 0

    def data_received(self, data):
        if not self.missing:
            self.head += data
            head, found, body = self.head.partition(b"\\r\\n\\r\\n")
            if not found:
                return
            length = head.lower().partition(b"content-length:")[2].partition(b"\\r\\n")[0]
            self.missing, self.head, data = int(length), b"", body
        self.missing -= len(data)
        if self.missing == 0:
            self.transport.write(REPLY)


async def main():
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
"""


@contextmanager
def served() -> Generator[str]:
    """Run the server and yield its base URL."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


def write_data(folder: Path, questions: int) -> None:
    """Write ScreenQA-short with so many questions."""
    rows = [
        {"image_id": n // QUESTIONS_A_SCREEN, "question": f"What is {n}?", "ground_truth": ["2"]}
        for n in range(questions)
    ]
    (folder / "short_answers").mkdir(parents=True)
    (folder / "short_answers" / "test.json").write_text(json.dumps(rows), encoding="utf-8")


def write_images(folder: Path, screens: int) -> None:
    """Write JPEGs of 50 to 200 kB."""
    folder.mkdir()
    chance = np.random.default_rng(0)
    for number in range(screens):
        side = int(chance.integers(240, 460))
        noise = chance.integers(0, 256, (side, side, 3), dtype=np.uint8)
        Image.fromarray(noise).save(folder / f"{number}.jpg", quality=90)


Sent = str | list[Content]


def contents(data: Path, images: Path | None) -> list[Sent]:
    """Return what `sdk.evaluate` sends, question by question."""
    task = sdk.load("screenqa/short", data, images=images)
    found: list[Sent] = []
    for item_id in task.ids:
        text = task.item(item_id).prompt
        if images is None:
            found.append(text)
            continue
        image = base64.b64encode(task.image(item_id)).decode()
        shown = ContentImage(image=f"data:image/jpeg;base64,{image}")
        found.append([shown, ContentText(text=text)])
    return found


def body_of(content: Sent) -> bytes:
    """Return the body of a request."""
    parts: object = content
    if not isinstance(content, str):
        parts = [
            {"type": "image_url", "image_url": {"url": part.image}}
            if isinstance(part, ContentImage)
            else {"type": "text", "text": part.text if isinstance(part, ContentText) else ""}
            for part in content
        ]
    message = {"role": "user", "content": parts}
    sent = {"model": "toy", "messages": [message], "temperature": 0.0, "max_tokens": 1024}
    return json.dumps(sent, separators=(",", ":")).encode()


async def bare(url: str, bodies: list[bytes]) -> list[str]:
    """Ask everything through one client."""
    ahead = iter(bodies)
    limits = httpx2.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)

    async def work() -> list[str]:
        answers: list[str] = []
        for body in ahead:
            response = await asking.post(url, content=body)
            answers.append(response.json()["choices"][0]["message"]["content"])
        return answers

    async with httpx2.AsyncClient(
        headers={"content-type": "application/json"}, timeout=None, limits=limits
    ) as asking:
        parts = await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return [answer for part in parts for answer in part]


def timed(url: str, folder: Path, images: Path | None, rounds: int) -> Iterator[Row]:
    """Time both peers on the same questions."""
    data = folder / "screen_qa"
    shown = contents(data, images)
    bodies = list(map(body_of, shown))
    logs = (folder / f"runs-{bool(images)}" / str(number) for number in count())

    def ours() -> list[object]:
        report = sdk.evaluate(
            "screenqa/short",
            model=url,
            name="toy",
            data=data,
            images=images or False,
            limits=sdk.Limits(concurrency=CONCURRENCY),
            run=next(logs),
            progress=False,
        )
        return [score.response for score in report.scores]

    def alone() -> list[object]:
        samples = [
            Sample(input=[ChatMessageUser(content=content)], target="2") for content in shown
        ]
        (log,) = inspect_eval(
            Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match()),
            model="openai-api/toy/toy",
            log_dir=str(next(logs)),
            log_images=False,
            max_samples=CONCURRENCY,
            max_connections=CONCURRENCY,
            temperature=0.0,
            max_tokens=1024,
            display="none",
        )
        return [sample.output.completion for sample in log.samples or ()]

    def loop() -> list[object]:
        return list(asyncio.run(bare(f"{url}/chat/completions", bodies)))

    what = f"{len(bodies)} questions {'with' if images else 'without'} images"
    for name, peer, target in (("Inspect alone", alone, TARGET), ("a bare loop", loop, None)):
        if ours() != peer():
            raise AssertionError(f"ours and {name} get different answers")
        yield race(f"{what}; {name}", ours, peer, rounds=rounds, target=target)


def main() -> None:
    """Time it with images and without."""
    chosen = options("sdk.evaluate against Inspect alone and a bare loop at concurrency 64")
    questions = 50 if chosen.quick else 1_000
    rounds = chosen.rounds or (1 if chosen.quick else 3)
    with tempfile.TemporaryDirectory() as name, served() as url:
        os.environ |= {"TOY_BASE_URL": url, "TOY_API_KEY": "none"}
        folder = Path(name)
        write_data(folder / "screen_qa", questions)
        write_images(folder / "rico", -(-questions // QUESTIONS_A_SCREEN))
        rows = [
            row for images in (None, folder / "rico") for row in timed(url, folder, images, rounds)
        ]
    show(rows)


if __name__ == "__main__":
    main()
