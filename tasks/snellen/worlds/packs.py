"""Generate packs of interactive tasks from a seed."""

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.tasks.benchmarks.table import benchmark_of, load_task
from snellen.tasks.environments.table import PACKS, TRAINING_SEEDS, need_extra
from snellen.tasks.pack.format import Manifest
from snellen.tasks.pack.write import Part, write_pack


def _desk(folder: Path, seed: int, count: int | None, version: int = 1, looks: int = 0) -> None:
    from snellen.worlds.desk.templates.table import make_tasks

    make_tasks(folder, seed=seed, count=count, version=version, looks=looks)


def _desk_easy(folder: Path, seed: int, _: int | None) -> None:
    from snellen.tasks.benchmarks.desk.load import write_rows
    from snellen.worlds.desk.templates.table import TEMPLATES, rows_of

    tasks = [TEMPLATES[name].make(seed, "easy") for name in ("mail-delete", "notes-pin")]
    write_rows(rows_of(tasks), folder)


def _miniwob(folder: Path, seed: int, count: int | None) -> None:
    from snellen.tasks.benchmarks.miniwob.schedule import drawn
    from snellen.worlds.miniwob.episodes import make_episodes
    from snellen.worlds.miniwob.site import installed_site

    pages = sorted(installed_site().pages)
    times = 1 if count is None else -(-count // len(pages))
    starts = drawn(pages, seed, times)
    if count is not None and count < len(starts):
        kept = Random(seed).sample(range(len(starts)), count)
        starts = [starts[place] for place in sorted(kept)]
    make_episodes(starts, folder)


def _browsergym(folder: Path, _: int, count: int | None) -> None:
    from snellen.tasks.benchmarks.miniwob.schedule import browsergym_schedule
    from snellen.worlds.miniwob.episodes import make_episodes
    from snellen.worlds.miniwob.site import installed_site

    make_episodes(browsergym_schedule(installed_site().pages)[:count], folder)


MADE: Mapping[str, Callable[[Path, int, int | None], None]] = MappingProxyType(
    {
        "desk": _desk,
        "desk-2": partial(_desk, version=2),
        "desk-easy": _desk_easy,
        "miniwob": _miniwob,
        "miniwob-browsergym": _browsergym,
    }
)
"""The packs by name, each with the function that writes its rows: (folder, seed, count)."""


def make_episode_pack(
    what: str,
    folder: Path,
    *,
    seed: int,
    count: int | None = None,
    key: str | None = None,
    looks: int = 0,
) -> Manifest:
    """Make a pack of interactive tasks.

    Args:
        what: One of `MADE`: `desk`; `desk-2`, a desk that also has keys, drags, context menus and
            lists that scroll; `desk-easy`, two tasks that rules can do; `miniwob`, an episode a
            page; `miniwob-browsergym`, the 625 episodes that BrowserGym runs.
        folder: The pack's folder, which must not exist or must be empty.
        seed: The seed of all random choices; with it anybody can compute the references.
        count: The number of tasks; None: one of each template or page, or the whole schedule.
        key: Seals the references.
        looks: In how many looks each task of `desk-2` comes; 0: once, in a look of its own.

    Raises:
        UnknownNameError: There is no pack of this name.
        MissingExtraError: It needs an optional dependency.
        InputError: The folder can't be written, the seed is one for training, looks are asked for
            that the pack has not, or a browser is needed and not installed.
    """
    if what not in MADE:
        raise UnknownNameError("exam to make", what, MADE)
    if looks and what != "desk-2":
        raise InputError(f"{what} has one look; desk-2 has several")
    # Each task has the seed after that of the one before.
    if seed + (count or 0) > TRAINING_SEEDS:
        raise InputError(f"seeds from {TRAINING_SEEDS} on are for training, not for exams")
    need_extra()
    with tempfile.TemporaryDirectory(prefix="snellen-") as room:
        rows = Path(room)
        if looks:
            _desk(rows, seed, count, 2, looks)
        else:
            MADE[what](rows, seed, count)
        parts: list[Part] = []
        for spec in benchmark_of(PACKS[what]).tasks:
            try:
                parts.append(Part(load_task(spec.id, rows)))
            except DataError:
                # A small exam may have tasks of one level only.
                if len(benchmark_of(spec.id).tasks) == 1:
                    raise
        return write_pack(parts, folder, name=what, title=f"{what}, made of a seed", key=key)
