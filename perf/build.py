"""Building an exam of generated pages: pages a minute, with and without the clicks.

There is no peer to race: no public builder of these benchmarks runs without a person. Each row
is one whole build (capture, changes, makers, packing, audit) by `snellen build` on two workers.
"""

import sys
import tempfile
import time
from pathlib import Path

from _timing import options

from snellen.build.build import BuildSettings
from snellen.build.exam import BuiltExam, PackOptions, build_exam
from snellen.build.pages import Pages, find_pages
from snellen.build.sites import write_sites
from snellen.grading.errors import SnellenError
from snellen.tasks.browser.finding import find_browser

TARGET = 12.0
SEED = 7
JOBS = 2


def main() -> None:
    """Build and print a row for each way."""
    given = options(__doc__ or "")
    try:
        print(f"browser: {find_browser().program}")
    except SnellenError as error:
        sys.exit(f"no browser: {error}")
    count = 1 if given.quick else 48
    with tempfile.TemporaryDirectory() as room:
        sites = write_sites(Path(room, "pages"), pages=count, seed=SEED)
        found = Pages(
            [page for site in sites for page in find_pages(Path(room, "pages", site.name)).pages],
            [],
        )
        print(f"{'':42} {'seconds':>8} {'items':>7} {'pages a minute':>15} {'target':>7}")
        if not given.quick:
            # A first page warms the disk's cache of browser and interpreter.
            build(found._replace(pages=found.pages[:1]), Path(room, "warm"), clicks=0)
        for work, clicks in (
            ("all makers but action prediction", 0),
            ("with 12 clicks a page", 12),
        ):
            seconds, exam = build(found, Path(room, f"clicks-{clicks}"), clicks=clicks)
            items = sum(task.items for task in exam.manifest.tasks)
            rate = 60 * count / seconds
            target = f"{TARGET:7.0f}" if clicks == 0 else f"{'':7}"
            print(f"{work:42} {seconds:8.1f} {items:7,} {rate:15.1f} {target}")


def build(pages: Pages, folder: Path, *, clicks: int) -> tuple[float, BuiltExam]:
    """Build an exam and return how long that took, and the exam."""
    settings = BuildSettings(seed=SEED, clicks=clicks)
    start = time.perf_counter()
    exam = build_exam(
        pages, folder / "work", folder / "exam", settings, PackOptions("perf"), jobs=JOBS
    )
    return time.perf_counter() - start, exam


if __name__ == "__main__":
    main()
