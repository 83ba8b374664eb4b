"""What a check of data says: plain values, shown by whoever asked for it."""

from collections.abc import Sequence

from pydantic import Field

from snellen.grading.models.base import Closed
from snellen.grading.models.reports import DataPin, PinVerdict


class DataFault(Closed):
    """What keeps data from being graded against, and where it is.

    Attributes:
        tasks: The tasks that it concerns.
        message: What is wrong, with the row and the item where it is in one.
        file: The file.
        line: The line, counted from 1.
        field: The field of the record.
    """

    tasks: tuple[str, ...]
    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None


class SplitCheck(Closed):
    """A split that loads.

    Attributes:
        task: The task's id.
        split: The split's name.
        main: Whether this is the split that is taken where none is named.
        count: Its items.
        pin: Which release it is, and what differs.
        left_out: The ids of what the loader left out, and why.
    """

    task: str
    split: str
    main: bool
    count: int
    pin: DataPin
    left_out: dict[str, str] = Field(default_factory=dict[str, str])


class ImageNote(Closed):
    """An image that can't be shown, or not as the data says.

    Attributes:
        item: The first item that shows it.
        image: What the item calls it.
        problem: What is wrong, in a word or two.
        message: The same in a sentence.
        file: Where it is, or should be.
        items: How many items show it.
    """

    item: str
    image: str
    problem: str
    message: str
    file: str | None
    items: int


class ImagesCheck(Closed):
    """What the images of a task's main split are like.

    Attributes:
        task: The task's id.
        split: The split's name.
        there: Whether the data came with images at all.
        faults: What is wrong with them, in the order of the items.
        unsized: How many targets are in pixels of an image whose size only the image says, and it
            is not there: held against them, answers in pixels can be graded, and no others.
    """

    task: str
    split: str
    there: bool
    faults: tuple[ImageNote, ...] = ()
    unsized: int = 0


class Origin(Closed):
    """Where a folder was fetched from, and what changed in it since.

    Attributes:
        repository: Such as `huggingface.co/datasets/owner/name`.
        revision: The commit.
        files: How many files were fetched.
        changed: Those that are not as they were fetched, each with what is wrong.
        unfinished: The parts that an interrupted fetch left.
    """

    repository: str
    revision: str
    files: int
    changed: dict[str, str]
    unfinished: tuple[str, ...] = ()


class DataCheck(Closed):
    """What a path is and what is wrong with it.

    Attributes:
        path: What was looked at.
        tasks: The tasks whose data is there, sound or not.
        splits: The splits that load.
        faults: What does not load, and why.
        images: What was looked at of the images; empty where that was not asked for.
        origin: Where the folder was fetched from; None where `snellen fetch` did not.
        holds: The first names in a folder that is no benchmark's.
        nearby: Folders in such a folder that are some benchmark's, each with the benchmarks.
    """

    path: str
    tasks: tuple[str, ...]
    splits: tuple[SplitCheck, ...] = ()
    faults: tuple[DataFault, ...] = ()
    images: tuple[ImagesCheck, ...] = ()
    origin: Origin | None = None
    holds: tuple[str, ...] = ()
    nearby: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks of the tasks."""
        return benchmarks_of(self.tasks)

    @property
    def differs(self) -> tuple[SplitCheck, ...]:
        """The splits with as many items as a release and other bytes."""
        return tuple(one for one in self.splits if one.pin.verdict is PinVerdict.DIFFERS)

    @property
    def fine(self) -> bool:
        """Whether there is data, all of it loads, and nothing of it is known to be wrong."""
        return bool(self.splits) and not (
            self.faults
            or self.differs
            or any(one.faults for one in self.images)
            or (self.origin and (self.origin.changed or self.origin.unfinished))
        )


def benchmarks_of(tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the benchmarks of some tasks, each once, in their order."""
    return tuple(dict.fromkeys(task.partition("/")[0] for task in tasks))
