"""A benchmark as one object: its tasks, how they are scored, loaded, fetched and recognized.

snellen's own benchmarks and those of other packages are made alike. What is heavy is left to be
imported when it is used, so that a list of all benchmarks is quick.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from snellen.grading.errors import PluginError
from snellen.grading.guesses import Guess
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.plugins import Rules
from snellen.tasks.data.release import Place, Release, Signs
from snellen.tasks.prompts import Prompt

if TYPE_CHECKING:
    from snellen.grading.protocols.summaries import Summaries
    from snellen.tasks.benchmarks.point_table import PointTable
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


def late(name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is first called.

    Args:
        name: `package.module:function`.
    """
    module, _, function = name.partition(":")

    def call(*arguments: object, **options: object) -> object:
        return getattr(import_module(module), function)(*arguments, **options)

    return call


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task.

    Attributes:
        id: Its id, `benchmark/task`.
        title: What it asks, in a line.
        kind: The form of an answer.
        primary: The primary metric of its default protocol. It is said again here because a list
            of all tasks imports no protocol.
        guess: How one guesses at it blindly; `snellen.grading.chance.chance_of` says what that
            scores.
        by: The tags by which a summary breaks its reports down.
        cell: The dimension and the level of the 4 x 4 matrix that its items count in, beside those
            of the matrix itself; None: in none.
    """

    id: str
    title: str
    kind: AnswerKind
    primary: str
    guess: Guess
    by: tuple[str, ...] = ()
    cell: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Benchmark(Rules):
    """A benchmark: snellen's own, or one that a package adds (entry point `snellen.benchmarks`).

    Attributes:
        tasks: Its tasks, in the order in which they are listed.
        load: Reads one split of any of them from its published files.
        place: Where it is published; None: nowhere that can be fetched from.
        releases: The releases that are known of it, which its loader hands to `pin`.
        signs: By what its files are recognized.
        summaries: Returns how reports of its tasks are summarized; None: by a mean of each metric
            and the tags of `by`.
        tables: Those of its tasks that are tables of elements to point at.
        prompts: How each of its other tasks can be asked; the first is the usual one.
        more: What else its `data.toml` says, for its loader.

    Raises:
        PluginError: The parts do not belong together.
    """

    tasks: tuple[TaskSpec, ...]
    load: Loader
    place: Place | None = None
    releases: tuple[Release, ...] = ()
    signs: Signs = field(default_factory=Signs)
    summaries: "Callable[[], Summaries] | None" = None
    tables: "tuple[PointTable, ...]" = ()
    prompts: Mapping[str, tuple[Prompt, ...]] = field(default_factory=dict[str, tuple[Prompt, ...]])
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def check(self) -> None:
        """Check that the tasks are those that there are rules for.

        Raises:
            PluginError: They are not.
        """
        super().check()
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
