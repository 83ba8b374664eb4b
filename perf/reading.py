"""How fast our reader reads: answers a second of CPU in each format, and its worst inputs.

    python perf/reading.py            100,000 answers of each form
    python perf/reading.py --quick    a smoke run

The first table has each format's example with other numbers in it, read as the protocol `robust`
reads it; beside it, texts, choices and points. The second has inputs that are made to be slow, of
1 KB to 1 MB: milliseconds, and microseconds a kilobyte. Where these stay the same, time is linear.
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator

from snellen.grading.actions.formats import FORMATS
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.table import protocol_of

CONTEXT = Context(width=1080, height=2400, options=4)
SIZES = (1_024, 16_384, 262_144, 1_048_576)

HOSTILE = {
    "braces": "{",
    "open objects": '{"action":',
    "open dictionaries": "{'action':",
    "open calls": "click(",
    "nested calls": "click(x=click(",
    "open lists": "click([[",
    "open strings": "click('",
    "apostrophes": "click('a'b ",
    "open tags": "<function=click><parameter=x>",
    "open thoughts": "<think>",
    "closed thoughts": "</think>",
    "open answers": "<answer>",
    "cues": "Action:\n",
    "fences": "```\n",
    "digits": "1",
    "points": "(1, 2) ",
    "boxes": "(1, 2), (3, 4) ",
    "denials": "do not click(1, 2) ",
}


def renumbered(example: object, chance: random.Random) -> object:
    """Return an example with other digits, so that no cache answers."""
    text = example if isinstance(example, str) else json.dumps(example)
    digit = str(chance.randint(1, 9))
    found = text.replace("5", digit)
    return found if isinstance(example, str) else json.loads(found)


def forms() -> Iterator[tuple[str, str, Callable[[random.Random], object]]]:
    """Yield a name, a task and how an answer is made."""
    for form in FORMATS.values():
        if form.name != "molmo":
            yield (
                f"action, {form.name}",
                "androidcontrol/high",
                lambda chance, form=form: renumbered(form.example, chance),
            )
    yield "point", "screenspot-v2/point", lambda c: f"({c.randint(1, 999)}, {c.randint(1, 999)})"
    yield (
        "point after a thought",
        "screenspot-v2/point",
        lambda c: f"<think>It is at the top.</think>The answer is ({c.randint(1, 999)}, 5)",
    )
    yield "choice", "mmbench-gui/l1", lambda c: f"<think>A? No.</think>{c.choice('ABCD')}"
    yield "text", "screenqa/short", lambda c: f"\\boxed{{{c.randint(1, 999)}}}"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    quick = parser.parse_args().quick
    count = 200 if quick else 100_000
    print(f"{'form':34s} {'answers a second of CPU':>24s}")
    for name, task, make in forms():
        chance = random.Random(1)
        distinct = [make(chance) for _ in range(min(count, 2_000))]
        read = protocol_of(task, "robust").parser.read
        start = time.process_time()
        for number in range(count):
            read(distinct[number % len(distinct)], CONTEXT)
        print(f"{name:34s} {count / (time.process_time() - start):24,.0f}")
    print(f"\n{'worst inputs, ms (us a KB)':34s}" + "".join(f"{size:>22,}" for size in SIZES))
    for name, piece in HOSTILE.items():
        cells: list[str] = []
        for size in SIZES[:2] if quick else SIZES:
            text = (piece * size)[:size]
            spent = 0.0
            for task in ("androidcontrol/high", "screenspot-v2/point", "mmbench-gui/l1"):
                read = protocol_of(task, "robust").parser.read
                start = time.process_time()
                read(text, CONTEXT)
                spent = max(spent, time.process_time() - start)
            cells.append(f"{1000 * spent:12.2f} ({1e6 * spent / (size / 1024):7.1f})")
        print(f"{name:34s}" + "".join(cells))


if __name__ == "__main__":
    main()
