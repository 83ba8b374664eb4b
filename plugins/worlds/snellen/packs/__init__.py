"""The exams that are generated of a seed: packs of interactive tasks."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError, InputError
from snellen.tasks.environments.table import TRAINING_SEEDS, need_extra
from snellen.tasks.samples.generated import GeneratedExam

if TYPE_CHECKING:
    from snellen.tasks.pack.format import Manifest


def _desk(folder: Path, seed: int, count: int | None, looks: int = 0) -> None:
    from snellen.worlds.desk.templates.table import make_tasks

    make_tasks(folder, seed=seed, count=count, looks=looks)


def _desk_long(folder: Path, seed: int, count: int | None, looks: int = 0) -> None:
    from snellen.worlds.desk.templates.table import LONG_TEMPLATES, make_tasks

    make_tasks(folder, seed=seed, count=count, looks=looks, known=LONG_TEMPLATES)


def _desk_easy(folder: Path, seed: int, _: int | None) -> None:
    from snellen.tasks.benchmarks.desk.load import write_rows
    from snellen.worlds.desk.templates.table import TEMPLATES, rows_of

    tasks = [TEMPLATES[name].make(seed, "easy") for name in ("mail-delete", "notes-pin")]
    for task in tasks:
        # In the plain look, which the baseline can read.
        del task.state["look"]
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


_Write = Callable[[Path, int, int | None], None]

_SEVERAL_LOOKS = {"desk": _desk, "desk-long": _desk_long}


def make_episode_pack(
    what: str,
    write: _Write,
    environment: str,
    folder: Path,
    *,
    seed: int,
    count: int | None = None,
    key: str | None = None,
    looks: int = 0,
) -> "Manifest":
    """Make a pack of interactive tasks, as `MakePack`.

    Args:
        what: The exam's name.
        write: Writes its rows: (folder, seed, count).
        environment: The environment of its tasks.
        folder: The pack's folder.
        seed: The seed of all random choices.
        count: The number of tasks; None: one of each template or page, or the whole schedule.
        key: Seals the references.
        looks: In how many looks each task of the desk comes; 0: once, in a look of its own.
    """
    # They load numbers, which a list of the exams does not need.
    from snellen.tasks.benchmarks.table import benchmark_of, load_task
    from snellen.tasks.pack.write import Part, write_pack

    if looks and what not in _SEVERAL_LOOKS:
        raise InputError(f"{what} has one look; desk has several")
    # Each task has the seed after that of the one before.
    if seed + (count or 0) > TRAINING_SEEDS:
        raise InputError(f"seeds from {TRAINING_SEEDS} on are for training, not for exams")
    need_extra()
    with tempfile.TemporaryDirectory(prefix="snellen-") as room:
        rows = Path(room)
        if looks:
            _SEVERAL_LOOKS[what](rows, seed, count, looks)
        else:
            write(rows, seed, count)
        parts: list[Part] = []
        for spec in benchmark_of(environment).tasks:
            try:
                parts.append(Part(load_task(spec.id, rows)))
            except DataError:
                # A small exam may have tasks of one level only.
                if len(benchmark_of(spec.id).tasks) == 1:
                    raise
        return write_pack(parts, folder, name=what, title=f"{what}, made of a seed", key=key)


def _exam(name: str, title: str, tasks: int, environment: str, write: _Write) -> GeneratedExam:
    make = partial(make_episode_pack, name, write, environment)
    return GeneratedExam(title, tasks, environment, make)


DESK = _exam("desk", "ten applications", 87, "desk", _desk)
DESK_EASY = _exam(
    "desk-easy", "two easy tasks of it, which the baseline does", 2, "desk", _desk_easy
)
DESK_LONG = _exam(
    "desk-long", "long tasks of it, of three applications and more", 10, "desk", _desk_long
)
MINIWOB = _exam("miniwob", "the pages of MiniWoB++", 130, "miniwob", _miniwob)
BROWSERGYM = _exam("miniwob-browsergym", "what BrowserGym runs", 625, "miniwob", _browsergym)
