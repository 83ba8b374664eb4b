"""Workers on threads: they grade, and make submissions from ended attempts."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from threading import Thread

from snellen.server.attempts.service import Service
from snellen.server.challenge.attempts import AttemptCollector
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.worker import Worker
from snellen.server.settings import Settings


@asynccontextmanager
async def run_workers(
    challenge: Challenge, service: Service, settings: Settings, count: int
) -> AsyncGenerator[None]:
    """Run workers on threads during the context; at its end, their jobs are queued again.

    Args:
        challenge: The challenge.
        service: The exam of the attempts.
        settings: The settings of the exam, for the grading processes.
        count: The number of workers; each starts its own process at its first job.
    """
    loop = asyncio.get_running_loop()
    collector = AttemptCollector(challenge, service)

    def collect() -> None:
        asyncio.run_coroutine_threadsafe(collector.collect(), loop).result()

    await challenge.begin()
    workers = [
        Worker(challenge, settings, collect=collect if number == 0 else _nothing)
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
