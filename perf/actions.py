"""100,000 recorded steps graded under each protocol of AndroidControl, against the target.

No public scorer of these steps is on a package registry, so there is no peer to race: the target is
absolute, 3 seconds of a run under the default protocol, end to end in memory: parsing, judging, the
metrics of whole episodes and the report's sums. Every other protocol is timed beside it.
"""

import random
import sys
import time

import numpy as np
from _timing import options

from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.base import Gold, Protocol
from snellen.grading.protocols.table import gold_shape, protocols_of
from snellen.grading.tally import Tally

TASK = "androidcontrol/high"
SECONDS = 3.0
STEPS, QUICK = 100_000, 10_000
# The shares of the published test steps.
KINDS = {"click": 60, "scroll": 14, "type": 7, "open_app": 7, "wait": 7, "navigate": 5}
FIELDS: dict[str, dict[str, object]] = {
    "scroll": {"direction": "down"},
    "type": {"text": "New York"},
    "open_app": {"app": "Maps"},
    "navigate": {"button": "back"},
    "wait": {},
}


def step(number: int, dice: random.Random) -> Gold:
    """Return a made-up step: a screen of 20 nodes, an action of the published mix."""
    kind = dice.choices(list(KINDS), list(KINDS.values()))[0]
    x, y = dice.randrange(40, 1040), dice.randrange(20, 2380)
    box = [x - 40, y - 20, x + 40, y + 20]
    action = {"type": kind, **({"point": [x, y]} if kind == "click" else FIELDS[kind])}
    return gold_shape(TASK).read(
        {
            "action": action,
            "image_size": [1080, 2400],
            "boxes": [box] if kind == "click" else [],
            "nodes": [{"box": [0, 0, 1080, 2400]}, *[{"box": box}] * 19],
            "episode": str(number // 6),
            "step": number % 6,
        }
    )


def graded(protocol: Protocol, golds: list[Gold], answers: list[object]) -> float:
    """Return the seconds of grading the answers, from the prepared references to the metrics."""
    shape = gold_shape(TASK)
    contexts = [shape.context(gold) for gold in golds]
    start = time.perf_counter()
    grader, tally = Grader.of(protocol, golds, contexts), Tally(protocol, golds)
    for first in range(0, len(golds), 10_000):
        given = answers[first : first + 10_000]
        batch = Answers(np.arange(first, first + len(given)), [0] * len(given), given)
        tally.add(batch, grader.batch(batch))
    tally.metrics(1)
    return time.perf_counter() - start


def main() -> int:
    """Print the seconds of each protocol; return 1 when the default misses the target."""
    given = options(__doc__ or "")
    count = QUICK if given.quick else STEPS
    dice = random.Random(7)
    golds = [step(number, dice) for number in range(count)]
    worst = 0.0
    for protocol in protocols_of(TASK):
        write = protocol.write or gold_shape(TASK).responses
        answers = [write(gold)[0] for gold in golds]
        seconds = min(graded(protocol, golds, answers) for _ in range(1 if given.quick else 3))
        worst = worst or seconds
        print(f"{protocol.id:12} {count:,} steps in {seconds:.2f} s")
    print(f"target: the default under {SECONDS} s for {STEPS:,}")
    return int(not given.quick and worst > SECONDS)


if __name__ == "__main__":
    sys.exit(main())
