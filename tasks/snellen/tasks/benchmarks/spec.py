"""What a task is: its id, the form of its answers, and the loader of its files.

`Benchmark` is a whole benchmark as another package adds it; snellen's own are in the tables.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from snellen.grading.errors import PluginError
from snellen.grading.guesses import Guess
from snellen.grading.models.kinds import AnswerKind
from snellen.grading.protocols.plugins import Rules

if TYPE_CHECKING:
    from snellen.tasks.models import TaskData


class Loader(Protocol):
    """Reads one split of a task from its published files."""

    def __call__(
        self,
        task: str,
        path: str | Path,
        split: str | None = None,
        images: str | Path | None = None,
        prompt: str | None = None,
    ) -> "TaskData":
        """Load; raises DataError on what can't be read."""
        ...


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task.

    Attributes:
        id: Its id, `benchmark/task`.
        title: What it asks, in a line.
        kind: The form of an answer.
        primary: The metric that its one number is, by default.
        guess: How one guesses at it blindly; `snellen.grading.chance.chance_of` says what that
            scores.
        loader: Reads its published files.
    """

    id: str
    title: str
    kind: AnswerKind
    primary: str
    guess: Guess
    loader: Loader


@dataclass(frozen=True)
class Benchmark(Rules):
    """A benchmark that another package adds, by an entry point of the group `snellen.benchmarks`.

    Attributes:
        tasks: Its tasks, in the order in which they are listed.

    Raises:
        PluginError: The parts do not belong together.
    """

    tasks: tuple[TaskSpec, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        ids = [spec.id for spec in self.tasks]
        if len(set(ids)) < len(ids) or set(ids) != set(self.protocols):
            raise PluginError(
                f"{self.name} has the tasks {', '.join(ids) or '(none)'}, and protocols for"
                f" {', '.join(self.protocols) or '(none)'}"
            )
        for spec in self.tasks:
            primary = self.protocols[spec.id][0].metric.primary
            if spec.primary != primary:
                raise PluginError(
                    f"{spec.id} is to be measured by {spec.primary!r}, and the primary metric of"
                    f" its default protocol is {primary!r}"
                )
