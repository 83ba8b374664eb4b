"""`sdk.evaluate` against a bare httpx2 loop that sends the same requests to the same server.

The server answers at once, in a process of its own. The bare loop is as plain as can be: 64
workers over payloads made before the clock starts, one client, nothing kept, nothing graded. Ours
loads the data, reads and encodes the images, asks, writes a run folder and grades.

Two bare loops are timed, since httpx2's pool is slow with many connections: one client for all,
as most people write it, and one client a worker, as `sdk.evaluate` does.
"""

import asyncio
import base64
import json
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx2
import numpy as np
from _timing import Row, options, race, show
from PIL import Image

from snellen import sdk

CONCURRENCY = 64
QUESTIONS_A_SCREEN = 3
# A ratio of 1 is as fast as the bare loop; ours may take 1.5 times as long.
TARGET = 1 / 1.5

Loop = Callable[[str, list[bytes]], Coroutine[object, object, list[str]]]

SERVER = """
import asyncio

BODY = (
    b'{"choices":[{"message":{"role":"assistant","content":"2"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":100,"completion_tokens":5}}'
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


def payloads(data: Path, images: Path | None) -> list[bytes]:
    """Return the bodies that `sdk.evaluate` sends."""
    task = sdk.load("screenqa/short", data, images=images)
    bodies: list[bytes] = []
    for item_id in task.ids:
        text = task.item(item_id).prompt
        content: object = text
        if images is not None:
            image = base64.b64encode(task.image(item_id)).decode()
            content = [
                {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{image}"}},
                {"type": "text", "text": text},
            ]
        body = {
            "model": "toy",
            "messages": [{"role": "user", "content": content}],
            "temperature": 0.0,
            "max_tokens": 1024,
        }
        bodies.append(json.dumps(body, separators=(",", ":")).encode())
    return bodies


def client(connections: int, verify: ssl.SSLContext | bool = True) -> httpx2.AsyncClient:
    """Return a client with the settings that `sdk.evaluate` has."""
    return httpx2.AsyncClient(
        verify=verify,
        headers={"content-type": "application/json"},
        timeout=httpx2.Timeout(None, connect=10),
        limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
    )


async def send(asking: httpx2.AsyncClient, url: str, ahead: Iterator[bytes]) -> list[str]:
    """Send payloads until there are none and return the answers."""
    answers: list[str] = []
    for body in ahead:
        response = await asking.post(url, content=body)
        answers.append(response.json()["choices"][0]["message"]["content"])
    return answers


async def one_client(url: str, bodies: list[bytes]) -> list[str]:
    """Ask everything through one client."""
    ahead = iter(bodies)
    async with client(CONCURRENCY) as asking:
        parts = await asyncio.gather(*(send(asking, url, ahead) for _ in range(CONCURRENCY)))
    return [answer for part in parts for answer in part]


async def a_client_a_worker(url: str, bodies: list[bytes]) -> list[str]:
    """Ask everything, each worker through a client of its own."""
    ahead = iter(bodies)
    verify = httpx2.create_ssl_context()

    async def work() -> list[str]:
        async with client(1, verify) as asking:
            return await send(asking, url, ahead)

    parts = await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return [answer for part in parts for answer in part]


def timed(url: str, folder: Path, images: Path | None, rounds: int) -> Iterator[Row]:
    """Time ours against both bare loops."""
    data, runs = folder / "screen_qa", count()
    bodies = payloads(data, images)

    def ours() -> sdk.Report:
        return sdk.evaluate(
            "screenqa/short",
            model=url,
            name="toy",
            data=data,
            images=images or False,
            limits=sdk.Limits(concurrency=CONCURRENCY),
            run=folder / "runs" / ("with" if images else "without") / str(next(runs)),
        )

    for loop in (one_client, a_client_a_worker):

        def bare(loop: Loop = loop) -> list[str]:
            return asyncio.run(loop(f"{url}/chat/completions", bodies))

        if [score.response for score in ours().scores] != bare():
            raise AssertionError("the two ways get different answers")
        what = "with" if images else "without"
        name = f"{len(bodies)} questions {what} images; bare: {loop.__name__.replace('_', ' ')}"
        yield race(name, ours, bare, rounds=rounds, target=TARGET)


def main() -> None:
    """Time it with images and without."""
    chosen = options("sdk.evaluate against a bare httpx2 loop at concurrency 64")
    questions = 200 if chosen.quick else 1_000
    rounds = chosen.rounds or (1 if chosen.quick else 5)
    with tempfile.TemporaryDirectory() as name, served() as url:
        folder = Path(name)
        write_data(folder / "screen_qa", questions)
        write_images(folder / "rico", -(-questions // QUESTIONS_A_SCREEN))
        rows = [
            row for images in (None, folder / "rico") for row in timed(url, folder, images, rounds)
        ]
    show(rows)


if __name__ == "__main__":
    main()
