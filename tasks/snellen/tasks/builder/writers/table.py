"""Every benchmark that items are made for: its makers, its changes and its writer."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from snellen.tasks.benchmarks.screenqa.load import PAGE_PROMPTS
from snellen.tasks.builder.items import Maker, PageItems
from snellen.tasks.builder.perturb.base import ChangeMaker
from snellen.tasks.builder.perturb.color import COLOR_CHANGES
from snellen.tasks.builder.perturb.fields import HINT_CHANGES
from snellen.tasks.builder.perturb.layout import LAYOUT_CHANGES
from snellen.tasks.builder.perturb.text import TEXT_CHANGES
from snellen.tasks.builder.writers.matrix import write as matrix
from snellen.tasks.builder.writers.mmbench_gui import write as mmbench_gui
from snellen.tasks.builder.writers.screenqa import write as screenqa
from snellen.tasks.builder.writers.visualwebbench import write as visualwebbench
from snellen.tasks.builder.writers.visualwebbench.clicks import PREDICTION
from snellen.tasks.builder.writers.webrssbench import write as webrssbench

Writer: TypeAlias = Callable[[Sequence[PageItems], Path], None]
"""Writes what was made of a benchmark into a new folder, in the benchmark's published layout."""

Balance: TypeAlias = Callable[[Sequence[PageItems], int], Sequence[PageItems]]
"""Leaves out, at random from a seed, items that together would give an answer away.

What an item needs of other pages, such as options, it gets here."""


class BenchmarkMaking(NamedTuple):
    """How one benchmark's items are made.

    Attributes:
        makers: By the names that their choices are drawn for.
        write: Writes its items.
        tasks: The tasks whose items a maker makes, by its name, where it is not one of that name:
            one task may read another's rows, and several makers may fill one task.
        changes: What is done to pages for tasks that ask before and after.
        balance: Leaves out what there is too much of.
        protocols: The protocol of a task, where it is not the task's first.
        page_prompts: The prompt of a task, by name, for pages that are as wide as a desktop, where
            its first speaks of a phone.
        images: The folder of its images in what is written, if the loader needs it.
    """

    makers: Mapping[str, Maker]
    write: Writer
    tasks: Mapping[str, Sequence[str]] = {}
    changes: Sequence[ChangeMaker] = ()
    balance: Balance | None = None
    protocols: Mapping[str, str] = {}
    page_prompts: Mapping[str, str] = {}
    images: str | None = None


MAKING: Mapping[str, BenchmarkMaking] = {
    "visualwebbench": BenchmarkMaking(
        visualwebbench.MAKERS,
        visualwebbench.write_data,
        {task: (task, *others) for task, others in visualwebbench.VARIANTS.items()},
        balance=visualwebbench.balanced,
    ),
    "screenqa": BenchmarkMaking(
        screenqa.MAKERS,
        screenqa.write_data,
        {task: (task, *others) for task, others in screenqa.VARIANTS.items()},
        page_prompts=PAGE_PROMPTS,
        images=screenqa.IMAGES,
    ),
    "webrssbench": BenchmarkMaking(
        webrssbench.MAKERS,
        webrssbench.write_data,
        changes=(*COLOR_CHANGES, *TEXT_CHANGES, *LAYOUT_CHANGES, *HINT_CHANGES),
        balance=webrssbench.balanced,
        protocols={"webrssbench/safety": "robust"},
    ),
    "mmbench-gui": BenchmarkMaking(mmbench_gui.MAKERS, mmbench_gui.write_data),
    "matrix": BenchmarkMaking(
        matrix.MAKERS, matrix.write_data, dict.fromkeys(matrix.MAKERS, (matrix.TASK,))
    ),
}
"""By the benchmark's name."""

CLICKED = PREDICTION
"""The task that elements are clicked for."""


def made_tasks() -> Sequence[str]:
    """Return the tasks that items are made for."""
    found = dict.fromkeys(
        task
        for making in MAKING.values()
        for name in making.makers
        for task in making.tasks.get(name, (name,))
    )
    return list(found)


def makers_for(tasks: Sequence[str]) -> Mapping[str, Maker]:
    """Return the makers of some tasks; of all, where none is named."""
    return {
        name: maker
        for making in MAKING.values()
        for name, maker in making.makers.items()
        if not tasks or not set(tasks).isdisjoint(making.tasks.get(name, (name,)))
    }


def changes_for(tasks: Sequence[str]) -> Sequence[ChangeMaker]:
    """Return the changes that some tasks ask about; all, where no task is named."""
    return [
        change
        for making in MAKING.values()
        for change in making.changes
        if not tasks or change.task in tasks
    ]
