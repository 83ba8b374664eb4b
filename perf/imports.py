"""What `from snellen import sdk` and a first score cost over an empty interpreter."""

import statistics
import subprocess
import sys
import time

from _timing import options

SCORE = (
    "from snellen import sdk;"
    " sdk.score('screenqa/short', response='12', reference=['12 exercises', '12'])"
)


def seconds(code: str) -> float:
    """Run a line in an interpreter of its own and time the whole process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Alternate the three processes and print the medians of the differences."""
    chosen = options("what importing snellen costs")
    rounds = chosen.rounds or (3 if chosen.quick else 15)
    imports: list[float] = []
    scores: list[float] = []
    for _ in range(rounds):
        empty = seconds("pass")
        imports.append(seconds("from snellen import sdk") - empty)
        scores.append(seconds(SCORE) - empty)
    print(f"from snellen import sdk: {1000 * statistics.median(imports):.0f} ms more (target 250)")
    print(f"and a first score:       {1000 * statistics.median(scores):.0f} ms more")


if __name__ == "__main__":
    main()
