"""The exams of interactive tasks that are generated at their first start, by name.

Installed packages register them by entry points of the group `snellen.exams`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from snellen.grading.errors import UnknownNameError
from snellen.grading.protocols.plugins import registered

if TYPE_CHECKING:
    from snellen.tasks.pack.format import Manifest

EXAMS = "snellen.exams"


class MakePack(Protocol):
    """What makes a pack of interactive tasks."""

    def __call__(
        self,
        folder: Path,
        *,
        seed: int,
        count: int | None = None,
        key: str | None = None,
        looks: int = 0,
    ) -> "Manifest":
        """Make it.

        Args:
            folder: The pack's folder, which must not exist or must be empty.
            seed: The seed of all random choices; with it anybody can compute the references.
            count: The number of tasks; None: the exam's own.
            key: Seals the references.
            looks: In how many looks each task comes; 0: once, in a look of its own.

        Raises:
            MissingExtraError: It needs an optional dependency.
            InputError: The folder can't be written, the seed is one for training, looks are asked
                for that the exam has not, or a browser is needed and not installed.
        """
        ...


@dataclass(frozen=True, slots=True)
class GeneratedExam:
    """An exam of interactive tasks that is made of a seed."""

    title: str  # what it has, in a few words
    tasks: int  # the number of its tasks
    environment: str  # the environment of all of them
    make: MakePack  # makes its pack


def generated_names() -> Sequence[str]:
    """Return the names of the exams that can be generated."""
    return tuple(registered(EXAMS))


def generated_exam(name: str) -> GeneratedExam:
    """Return an exam that can be generated.

    Raises:
        UnknownNameError: There is none of this name.
    """
    known = registered(EXAMS)
    if name not in known:
        raise UnknownNameError("exam to generate", name, known)
    exam: GeneratedExam = known[name][0].load()
    return exam
