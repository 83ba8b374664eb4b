"""Answers an exam under load and says what was acknowledged, until somebody kills it.

Usage: answering.py STORE PACK HANDLE|- SEED. Each line of its output is JSON: an attempt that was
begun, an answer that is about to be handed in, or one that was acknowledged.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from random import Random

from snellen.server.attempts.models import Caller, CallTrace
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import Exam
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import open_pack

CLIENTS = 12


def say(**words: object) -> None:
    """Write a line at once: what is acknowledged is told before anything else happens."""
    os.write(1, json.dumps(words).encode() + b"\n")


async def work(service: Service, handle: str, client: str, random: Random) -> None:
    """Take items and answer them, some several times, some calls repeated.

    A client that was killed goes on with the item that it held.
    """
    caller = Caller(client=client)
    attempt = service.attempt(handle, caller.name)
    while True:
        try:
            leased = await service.lease(attempt, caller)
        except ExamError:
            return
        item = leased.item.opaque
        for _ in range(random.randint(1, 3)):
            text = f"{os.getpid()} {client} {random.getrandbits(64):x}"
            say(trying=text, item=item)
            for _ in range(random.randint(1, 2)):
                receipt = await service.submit(attempt, caller, item, text)
                say(stored=text, item=item, number=receipt.number)
        service.trace(attempt, CallTrace("submit_answer", 1, leased.item.place))
        if random.random() < 0.2:
            await service.flush()


async def main(store: str, pack: str, handle: str, seed: int) -> None:
    """Go on with an attempt, or begin one; begin another when all is answered."""
    rules = Rules(mode=Mode.DEFERRED, submissions=3)
    service = Service(Exam([open_pack(Path(pack))], rules), open_store(store))
    while True:
        if handle == "-":
            handle = (await service.start(Caller())).handle
            say(begun=handle)
        randoms = [Random(f"{seed} {handle} {number}") for number in range(CLIENTS)]
        await asyncio.gather(
            *(
                work(service, handle, f"client {number}", random)
                for number, random in enumerate(randoms)
            )
        )
        handle = "-"


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
