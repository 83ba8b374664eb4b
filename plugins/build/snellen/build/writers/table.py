"""The benchmarks that items are made for, with their makers, changes and writers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from snellen.build.items import Maker, PageItems
from snellen.build.perturb.base import ChangeMaker
from snellen.build.perturb.color import COLOR_CHANGES
from snellen.build.perturb.fields import HINT_CHANGES
from snellen.build.perturb.layout import LAYOUT_CHANGES
from snellen.build.perturb.text import TEXT_CHANGES
from snellen.build.writers.matrix import write as matrix
from snellen.build.writers.matrix.hops import paired
from snellen.build.writers.mmbench_gui import write as mmbench_gui
from snellen.build.writers.screenqa import write as screenqa
from snellen.build.writers.visualwebbench import write as visualwebbench
from snellen.build.writers.visualwebbench.clicks import PREDICTION, offered
from snellen.build.writers.webrssbench import write as webrssbench
from snellen.build.writers.webrssbench.buttons import COLOR
from snellen.tasks.benchmarks.screenqa.load import PAGE_PROMPTS

Writer: TypeAlias = Callable[[Sequence[PageItems], Path], None]
"""Writes the items of a benchmark into a new folder, in the benchmark's published layout."""

Balance: TypeAlias = Callable[[Sequence[PageItems], int], Sequence[PageItems]]
"""Removes items at random, from a seed, if their answers are too frequent.

It also adds what an item needs of other pages, such as options."""


class BenchmarkMaking(NamedTuple):
    """The parts that make one benchmark's items.

    Attributes:
        makers: The makers by name; the name seeds a maker's random choices.
        write: Writes its items.
        charts: The makers of items about generated charts, by name.
        tasks: The tasks whose items a maker makes, by its name, if they differ from the name: a
            task may read another's rows, and several makers may serve one task.
        changes: The changes of pages, for tasks that ask before and after.
        balance: Adds and removes items that depend on several pages.
        template: The tag with the question template, whose share of a task's items is bounded.
        protocols: The protocol of a task, if it is not the task's first.
        page_prompts: The prompt of a task, by name, for pages with a desktop's width, if the first
            one mentions a phone.
        images: The folder of its images in the written data, if the loader needs it.
    """

    makers: Mapping[str, Maker]
    write: Writer
    charts: Mapping[str, Maker] = {}
    tasks: Mapping[str, Sequence[str]] = {}
    changes: Sequence[ChangeMaker] = ()
    balance: Balance | None = None
    template: str = "question"
    protocols: Mapping[str, str] = {}
    page_prompts: Mapping[str, str] = {}
    images: str | None = None


MAKING: Mapping[str, BenchmarkMaking] = {
    "visualwebbench": BenchmarkMaking(
        visualwebbench.MAKERS,
        visualwebbench.write_data,
        tasks={task: (task, *others) for task, others in visualwebbench.VARIANTS.items()},
        balance=offered,
    ),
    "screenqa": BenchmarkMaking(
        screenqa.MAKERS,
        screenqa.write_data,
        tasks={task: (task, *others) for task, others in screenqa.VARIANTS.items()},
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
        matrix.MAKERS,
        matrix.write_data,
        matrix.CHARTS,
        dict.fromkeys((*matrix.MAKERS, *matrix.CHARTS), (matrix.TASK,)),
        balance=paired,
        template="kind",
    ),
}
"""The benchmarks by name."""

CLICKED = PREDICTION
"""The task whose items need clicks on elements."""


_CHANGES_OF = {matrix.TASK: COLOR}
"""Tasks whose items use the changes of another."""


def made_tasks() -> Sequence[str]:
    """Return the tasks that have makers."""
    tasks = dict.fromkeys(
        task
        for making in MAKING.values()
        for name in making.makers
        for task in making.tasks.get(name, (name,))
    )
    return list(tasks)


def makers_for(tasks: Sequence[str], *, charts: bool = False) -> Mapping[str, Maker]:
    """Return the makers of some tasks; of all, if no task is named.

    Args:
        tasks: The tasks.
        charts: Whether to include the makers of items about generated charts.
    """
    return {
        name: maker
        for making in MAKING.values()
        for name, maker in {**making.makers, **(making.charts if charts else {})}.items()
        if not tasks or not set(tasks).isdisjoint(making.tasks.get(name, (name,)))
    }


def changes_for(tasks: Sequence[str]) -> Sequence[ChangeMaker]:
    """Return the changes that some tasks need; all, if no task is named."""
    needed = {*tasks, *(_CHANGES_OF[task] for task in tasks if task in _CHANGES_OF)}
    return [
        change
        for making in MAKING.values()
        for change in making.changes
        if not tasks or change.task in needed
    ]
