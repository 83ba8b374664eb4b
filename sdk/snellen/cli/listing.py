"""The commands that list what there is: no other command is imported for them."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from snellen.cli.messages import left_out_told, report_errors
from snellen.cli.terminal import Terminal

if TYPE_CHECKING:
    from snellen.grading.protocols.base import Protocol
    from snellen.tasks.benchmarks.spec import TaskSpec

_out = Terminal()


def task_names(incomplete: str) -> list[str]:
    """Complete a task's id."""
    from snellen.tasks.benchmarks.table import TASKS

    return [task for task in TASKS if task.startswith(incomplete)]


def benchmarks(
    task: Annotated[
        str | None,
        typer.Argument(
            help="Instead: the protocols of this task, or of a benchmark's tasks, each with its "
            "source, parts and special features.",
            autocompletion=task_names,
            show_default=False,
        ),
    ] = None,
) -> None:
    """List the benchmarks and the included exams, or a task's protocols."""
    with report_errors(), left_out_told():
        if task is None:
            from snellen.tasks.benchmarks.table import TASKS

            _benchmarks(TASKS.values())
            _exams()
        else:
            from snellen.grading.protocols.table import PROTOCOLS, protocols_of

            of_benchmark = {
                name: known for name, known in PROTOCOLS.items() if name.startswith(f"{task}/")
            }
            _protocols(of_benchmark or {task: protocols_of(task)})


def _benchmarks(specs: "Iterable[TaskSpec]") -> None:
    """Print every task, benchmark by benchmark."""
    from snellen.grading.guesses import OneOf

    for benchmark, tasks in groupby(specs, lambda spec: spec.id.partition("/")[0]):
        _out.print(f"[bold]{escape(benchmark)}[/bold]")
        grid = _grid()
        for spec in tasks:
            guess = spec.guess
            chance = f"chance {100 / guess.options:.1f} %" if isinstance(guess, OneOf) else ""
            name = spec.id.partition("/")[2]
            grid.add_row("", name, escape(spec.title), spec.primary, chance)
        _out.print(grid)


def _exams() -> None:
    """Print the included exams with the baseline agent's score, and how to take one."""
    from snellen.grading.report.figures import counted
    from snellen.tasks.samples import INCLUDED, baselines, exam_folder
    from snellen.tasks.samples.generated import generated_exam, generated_names

    _out.print("[bold]exams[/bold], by name in mcp, serve, demo, take and exam.toml")
    scores, grid = baselines(), _grid()
    for name, exam in INCLUDED.items():
        about = scores[name]
        items = f"{about['items']} items, {counted(len(about['tasks']), 'task')}"
        images = (exam_folder(name) / "images").rglob("*.*")
        size = f"{sum(image.stat().st_size for image in images) / 1e6:.1f} MB"
        baseline = f"baseline {100 * about['score']:.1f} %"
        grid.add_row("", name, items, size, baseline, exam.title)
    for name in generated_names():
        made = generated_exam(name)
        grid.add_row("", name, f"{made.tasks} interactive", "", "", made.title)
    _out.print(grid)


def _protocols(by_task: Mapping[str, "Iterable[Protocol]"]) -> None:
    """Print how tasks can be scored."""
    from snellen.grading.explain import PARTS, part_name

    for task, known in by_task.items():
        _out.print(f"[bold]{escape(task)}[/bold]")
        for number, protocol in enumerate(known):
            default = " (default)" if number == 0 else ""
            keys = f"{', '.join(protocol.metric.keys)}; primary {protocol.metric.primary}"
            grid = _grid()
            grid.add_row("", "special", escape(protocol.special))
            grid.add_row("", "source", escape(protocol.source))
            for part in PARTS:
                grid.add_row("", part.value, escape(part_name(protocol, part)))
            grid.add_row("", "metrics", keys)
            _out.print(f"  [bold]{escape(protocol.name)}[/bold]{default}")
            _out.print(grid)


def _grid() -> Table:
    return Table.grid(padding=(0, 2))
