"""The exam spec: what a server offers, of which packs, by which rules; fixed at the start."""

import hmac
from base64 import b32encode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from snellen.grading.models.items import Item
from snellen.grading.models.reports import Report
from snellen.grading.models.scores import Submission
from snellen.grading.protocols.table import protocol_of
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.shuffle import Shuffled, shuffle
from snellen.tasks.models import TaskData
from snellen.tasks.pack.format import ITEMS, PackItem
from snellen.tasks.pack.read import Pack, References, task_data
from snellen.tasks.pack.sample import draw_items

NO_REFERENCES = "this server has no references: answers are graded elsewhere"

_REMEMBERED = 2048


class AnswerSet(NamedTuple):
    """The answers of one attempt to one task, as a grader takes them.

    Attributes:
        data: The task.
        items: The ids that were asked, in the pack's order.
        submissions: One an item: the answer that counts, or none in its place.
        protocol: The protocol's id and version.
    """

    data: TaskData
    items: Sequence[str]
    submissions: Sequence[Submission]
    protocol: str


Grade = Callable[[AnswerSet], Report]
"""Grades the answers to one task: the command line hands in `sdk.grade`'s."""


class Offer(NamedTuple):
    """A task that can be taken."""

    task: str
    items: int
    pack: str


class ExamItem(NamedTuple):
    """An item of an attempt: where it stands there, and what it is called there."""

    place: int
    opaque: str
    task: str
    item: str
    pair: str | None


@dataclass(frozen=True)
class ExamSpec:
    """What is asked, by which rules: all that an examinee's calls need. It can't hold a reference.

    Attributes:
        packs: The packs; a task is in one of them at most.
        rules: What holds for every attempt.

    Raises:
        ExamError: Two packs hold the same task, or there is none.
    """

    packs: Sequence[Pack]
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for pack in self.packs:
            for task in pack.manifest.tasks:
                if task.task in seen:
                    raise ExamError(
                        f"{task.task} is in two packs, {seen[task.task]} and {pack.name};"
                        " serve them apart"
                    )
                seen[task.task] = pack.name
                # A protocol that this version does not know is said now, not at the end.
                protocol_of(task.task, task.protocol)
        if not seen:
            raise ExamError("there is no pack to serve")

    @property
    def name(self) -> str:
        """The names of its packs."""
        return "+".join(pack.name for pack in self.packs)

    @cached_property
    def id(self) -> str:
        """Its name and the digest of all that is asked; references do not enter."""
        digests = "".join(pack.manifest.files[ITEMS].sha256 for pack in self.packs)
        return f"{self.name}@{sha256(digests.encode()).hexdigest()[:12]}"

    @cached_property
    def offers(self) -> Mapping[str, Offer]:
        """Each task that can be taken, by its id, with the number of its items in an attempt."""
        return {
            task.task: Offer(task.task, len(self._sampled(task.task)), pack.name)
            for pack in self.packs
            for task in pack.manifest.tasks
        }

    @cached_property
    def packs_by_task(self) -> Mapping[str, Pack]:
        """The pack that holds each task."""
        return {task.task: pack for pack in self.packs for task in pack.manifest.tasks}

    @cached_property
    def has_pairs(self) -> bool:
        """Whether an item is half of a pair."""
        return any(head.pair is not None for pack in self.packs for head in pack.lines.heads)

    @cached_property
    def acted(self) -> frozenset[str]:
        """The tasks whose items are acted in: what is graded is the server's record of it."""
        first = {task: next(iter(self._sampled(task)), None) for task in self.offers}
        return frozenset(
            task
            for task, item in first.items()
            if item is not None and self.line(task, item).world is not None
        )

    def acted_in(self, task: str) -> str:
        """Say why no file answers an interactive task."""
        return (
            f"the items of {task} are acted in, and what is graded is this server's own record of"
            " it: take the exam over MCP, at /mcp"
        )

    def line(self, task: str, item: str) -> PackItem:
        """Return an item's line in its pack."""
        return self.packs_by_task[task].line(task, item)

    def selected(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Return the tasks asked for: ids, or benchmarks, each standing for all its tasks.

        Raises:
            ExamError: One is not offered.
        """
        if not names:
            return tuple(self.offers)
        tasks: dict[str, None] = {}
        for name in names:
            matches = [task for task in self.offers if name in (task, task.partition("/")[0])]
            if not matches:
                raise ExamError(
                    f"{name!r} is not offered here; offered are: {', '.join(self.offers)}",
                    field="tasks",
                )
            tasks.update(dict.fromkeys(matches))
        return tuple(tasks)

    def asked(self, task: str) -> Sequence[str]:
        """Return the ids of a task's items that every attempt asks, in the pack's order."""
        return self._sampled(task)

    def items(self, tasks: Sequence[str], secret: bytes) -> Sequence[ExamItem]:
        """Return an attempt's items in the order in which they are asked.

        The order is the server's seed's, the same for every attempt and on every version of
        Python; ids are the attempt's own.
        """
        chosen = [item for task in tasks for item in self._ranked[task]]
        chosen.sort()
        return [
            ExamItem(place, opaque(secret, task, item), task, item, self._pair(task, item))
            for place, (_, task, item) in enumerate(chosen)
        ]

    def question(
        self, task: str, item: str, secret: bytes, rules: Rules | None = None
    ) -> "Question":
        """Return an item as it is asked in an attempt that began under some rules."""
        return self._questions(task, item, secret, shuffled=(rules or self.rules).shuffle_options)

    @cached_property
    def _questions(self) -> "Callable[..., Question]":
        # A question is looked up when its item is leased, looked at and answered.
        return lru_cache(maxsize=_REMEMBERED)(self._question)

    def _question(self, task: str, item: str, secret: bytes, *, shuffled: bool) -> "Question":
        line = self.line(task, item)
        # Neither the item's own id nor its tags are an examinee's business.
        asked = line.item.model_copy(update={"id": opaque(secret, task, item), "tags": {}})
        mixed = None
        if shuffled:
            name = f"options|{task}|{item}"
            mixed = shuffle(asked, hmac.digest(secret, name.encode(), "sha256"))
        protocol = self.packs_by_task[task].task(task).protocol
        return Question(asked if mixed is None else mixed.item, line, mixed, protocol)

    @cached_property
    def _ranked(self) -> Mapping[str, Sequence[tuple[bytes, str, str]]]:
        """Each task's drawn items, with what they are ordered by."""
        return {
            task: [
                (sha256(f"{self.rules.seed}|order|{task}|{item}".encode()).digest(), task, item)
                for item in self._sampled(task)
            ]
            for task in self.offers
        }

    def _sampled(self, task: str) -> Sequence[str]:
        items = self.packs_by_task[task].index[task]
        drawn = items if self.rules.sample is None else self._drawn[task]
        return [item for item in items if item in drawn]

    @cached_property
    def _drawn(self) -> Mapping[str, Collection[str]]:
        size, seed = self.rules.sample or 0, self.rules.seed
        return {
            task: items
            for pack in self.packs
            for task, items in draw_items(pack, None, size, each=True, seed=seed).items()
        }

    def _pair(self, task: str, item: str) -> str | None:
        pair = self.packs_by_task[task].pair(task, item)
        return None if pair is None else f"{task}/{pair}"


@dataclass(frozen=True)
class Exam(ExamSpec):
    """An exam spec and what it is graded with; nothing that an examinee reads is made of it.

    Attributes:
        references: Each pack's references by the pack's name; a deferred exam has none. They are
            asked for once, when the first answer to an item of the pack is graded.
        grade: Grades an attempt; None in a deferred exam.

    Raises:
        ExamError: What grading needs is missing, or is there though nothing is to be graded; or
            the exam spec can't be.
    """

    references: Mapping[str, References] = field(default_factory=dict[str, References], repr=False)
    grade: Grade | None = None
    _data: dict[str, TaskData] = field(
        default_factory=dict[str, TaskData], init=False, repr=False, compare=False
    )
    _reading: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rules.mode is Mode.DEFERRED:
            if self.references or self.grade is not None:
                raise ExamError("a deferred exam holds no references and grades nothing")
            return
        missing = [pack.name for pack in self.packs if pack.name not in self.references]
        if missing or self.grade is None:
            raise ExamError(
                f"without the references of {', '.join(missing) or 'its packs'} and a way to grade,"
                " the exam can only be deferred"
            )

    @cached_property
    def spec(self) -> ExamSpec:
        """What is asked, without what it is graded with."""
        return ExamSpec(self.packs, self.rules)

    def data(self, task: str) -> TaskData:
        """Return a task as a grader takes it.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        pack = self.packs_by_task[task]
        if pack.name not in self.references:
            raise ExamError(NO_REFERENCES)
        with self._reading:
            if task not in self._data:
                # All tasks of the pack, so that its references need not be kept beside them.
                found = self.references[pack.name]
                for other in pack.manifest.tasks:
                    self._data[other.task] = task_data(pack, found, other.task)
        return self._data[task]


@dataclass(frozen=True, slots=True)
class Question:
    """An item as one attempt asks it.

    Attributes:
        item: What the examinee sees.
        line: The item's line in the pack.
        shuffled: How its options were put in another order; None: they were not.
        protocol: What its answer is graded by.
    """

    item: Item
    line: PackItem = field(repr=False)
    shuffled: Shuffled | None
    protocol: str


def opaque(secret: bytes, task: str, item: str) -> str:
    """Return what an item is called in an attempt: nothing can be read from it."""
    digest = hmac.digest(secret, f"item|{task}|{item}".encode(), "sha256")
    return b32encode(digest)[:10].decode().lower()
