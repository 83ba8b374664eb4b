"""A rater who answers until the process is killed; what is on disk is said on standard output.

Usage: python answering.py STORE RATER
"""

import asyncio
import json
import sys
from pathlib import Path

from snellen.annotate.service import Annotations
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import open_pack
from snellen.tasks.samples import exam_folder


async def main(store: str, rater: str) -> None:
    """Answer and correct, again and again."""
    service = Annotations([open_pack(exam_folder("sample-full"))], open_store(Path(store)))
    places = service.places("checks")
    number = max((row.corrected for row in service.own("checks", rater)), default=0)
    while True:
        number += 1
        for place in places:
            given = f"{rater} {number}"
            print(json.dumps({"trying": [place.item, given]}), flush=True)
            await service.answer("checks", rater, place, given)
            print(json.dumps({"kept": [place.item, given]}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
