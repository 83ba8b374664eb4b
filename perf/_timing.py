"""Time two ways of doing the same work alternately and print the ratio."""

import argparse
import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a perf table: what was timed, both medians, the median ratio, the target."""

    work: str
    ours: float
    peer: float
    ratio: float
    target: float | None


def options(description: str) -> argparse.Namespace:
    """Parse the flags that every perf script takes: `--quick` for a smoke run."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a smoke run of a few seconds")
    parser.add_argument("--rounds", type=int, default=0, help="rounds of both ways (0: default)")
    return parser.parse_args()


def race(
    work: str,
    ours: Callable[[], object],
    peer: Callable[[], object],
    *,
    rounds: int = 7,
    target: float | None = None,
    scale: float = 1.0,
) -> Row:
    """Run ours and the peer's alternately and take the median of the per-round ratios.

    Args:
        work: What the row is called.
        ours: One run of our way.
        peer: One run of the peer's way on the same work.
        rounds: How many pairs of runs.
        target: The ratio to reach.
        scale: How many times more work ours does than the peer in one run; the peer's time
            is multiplied by it (for peers too slow to run on all of it).
    """
    ours()
    ratios: list[float] = []
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        mine.append(_seconds(ours))
        theirs.append(_seconds(peer) * scale)
        ratios.append(theirs[-1] / mine[-1])
    return Row(
        work,
        statistics.median(mine),
        statistics.median(theirs),
        statistics.median(ratios),
        target,
    )


def show(rows: list[Row]) -> None:
    """Print the rows as an aligned table, a row that misses its target marked."""
    width = max(len(row.work) for row in rows)
    print(f"{'work':<{width}}  {'ours':>10}  {'peer':>10}  {'ratio':>8}  {'target':>7}")
    for row in rows:
        target = "" if row.target is None else f"{row.target:g}x"
        verdict = "" if row.target is None or row.ratio >= row.target else "  below target"
        print(
            f"{row.work:<{width}}  {_span(row.ours):>10}  {_span(row.peer):>10}"
            f"  {row.ratio:>7.1f}x  {target:>7}{verdict}"
        )


def _seconds(run: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def print_episodes(
    agents: int,
    steps: int,
    times: tuple[Sequence[float], Sequence[float]],
    took: Sequence[float],
    fresh: Sequence[float],
    *,
    target: float,
) -> None:
    """Print how fast agents act, and a bare script beside them.

    Args:
        agents: How many act at once.
        steps: What all of them do in a round.
        times: Seconds of each round, ours and the bare script's.
        took: Seconds of each step of ours.
        fresh: Seconds of each opening of an episode.
        target: Steps a second to reach.
    """
    ours, bare = (steps / statistics.median(each) for each in times)
    slowest = statistics.quantiles(took, n=20)[-1]
    print(f"agents at once                  {agents}")
    print(f"steps a second, in all          {ours:.1f}   (target {target:g})")
    print(f"a bare script's, in all         {bare:.1f}")
    print(f"ours to a bare script's         {ours / bare:.2f}")
    print(f"a step, 95th percentile         {slowest:.2f} s   (target under 1 s)")
    opened = statistics.median(fresh)
    print(f"a fresh episode, median         {opened:.2f} s   (target under 0.5 s)")
    print(f"load of the machine             {os.getloadavg()[0]:.1f}")


def _span(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"
