"""Workers beside an event loop: they grade, and make submissions of attempts that ended."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from threading import Thread

from snellen.server.attempts.service import Service
from snellen.server.challenge.attempts import AttemptCollector
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.worker import OpenGrader, Worker
from snellen.server.settings import Settings


@asynccontextmanager
async def run_workers(
    challenge: Challenge, service: Service, settings: Settings, open_grader: OpenGrader, count: int
) -> AsyncGenerator[None]:
    """Run workers on threads while the context lasts; what they hold at its end is given back.

    Args:
        challenge: The challenge.
        service: The exam that attempts are taken of.
        settings: What the exam is opened with, in the processes that grade.
        open_grader: Makes what grades there.
        count: How many workers; each has a process of its own once there is something to grade.
    """
    loop = asyncio.get_running_loop()
    collector = AttemptCollector(challenge, service)

    def collect() -> None:
        asyncio.run_coroutine_threadsafe(collector.collect(), loop).result()

    await challenge.begin()
    workers = [
        Worker(challenge, settings, open_grader, collect=collect if number == 0 else _nothing)
        for number in range(count)
    ]
    threads = [Thread(target=worker.run, name="snellen-worker") for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            await asyncio.to_thread(thread.join)


def _nothing() -> None:
    """Leave attempts to another worker."""
