"""The exam spec: the tasks, packs and rules of a server, and the form of its questions."""

import hmac
import re
from base64 import b32encode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from string import ascii_uppercase
from threading import Lock
from typing import NamedTuple

from snellen.grading.models.items import AnswerKind, Item
from snellen.grading.models.scores import Submission
from snellen.grading.protocols.table import protocol_of
from snellen.server.errors import ExamError
from snellen.server.exam.pairs import PairedItem, without_other_halves
from snellen.server.exam.rules import Contexts, Mode, Rules
from snellen.tasks.models import TaskData
from snellen.tasks.pack.format import ITEMS, PackItem
from snellen.tasks.pack.read import Pack, References, task_data
from snellen.tasks.pack.sample import draw_items

NO_REFERENCES = "this server has no references: answers are graded elsewhere"

_REMEMBERED = 2048


class AnswerSet(NamedTuple):
    """The answers of one attempt to one task, for a grader."""

    data: TaskData  # the task
    items: Sequence[str]  # the ids of the items, in the pack's order
    submissions: Sequence[Submission]  # one per item: the answer that counts, or an empty one
    protocol: str  # the protocol's id and version


class Offer(NamedTuple):
    """A task that can be taken."""

    task: str
    items: int
    pack: str


class ExamItem(NamedTuple):
    """An item of an attempt: its index and its id in the attempt."""

    place: int
    opaque: str
    task: str
    item: str
    pair: str | None


@dataclass(frozen=True)
class ExamSpec:
    """The items and rules of an exam, for examinees' calls. It cannot contain references.

    Raises:
        ExamError: Two packs have the same task, or there are no tasks.
    """

    packs: Sequence[Pack]  # the packs; a task is in at most one of them
    rules: Rules = field(default_factory=Rules)  # the rules of every attempt

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
                # An unknown protocol is reported now, not at the end of an attempt.
                protocol_of(task.task, task.protocol)
        if not seen:
            raise ExamError("there is no pack to serve")

    @property
    def name(self) -> str:
        """The names of its packs."""
        return "+".join(pack.name for pack in self.packs)

    @cached_property
    def id(self) -> str:
        """Its name and the digest of its items, without references."""
        digests = "".join(self.digests)
        return f"{self.name}@{sha256(digests.encode()).hexdigest()[:12]}"

    @property
    def digests(self) -> Sequence[str]:
        """SHA-256 of the items of each pack."""
        return [pack.manifest.files[ITEMS].sha256 for pack in self.packs]

    @cached_property
    def offers(self) -> Mapping[str, Offer]:
        """The offered tasks, by id, with the number of their items in an attempt."""
        return {
            task.task: Offer(task.task, len(self.asked(task.task)), pack.name)
            for pack in self.packs
            for task in pack.manifest.tasks
        }

    @cached_property
    def packs_by_task(self) -> Mapping[str, Pack]:
        """The pack that holds each task."""
        return {task.task: pack for pack in self.packs for task in pack.manifest.tasks}

    @cached_property
    def acted(self) -> frozenset[str]:
        """The interactive tasks, which are graded by the server's record."""
        return frozenset(
            task.task for pack in self.packs for task in pack.manifest.tasks if task.environment
        )

    def acted_in(self, task: str) -> str:
        """Return the reason why a file can't answer an interactive task."""
        return (
            f"the items of {task} are acted in, and what is graded is this server's own record of"
            " it: take the exam over MCP, at /mcp"
        )

    def line(self, task: str, item: str) -> PackItem:
        """Return an item's line in its pack."""
        return self.packs_by_task[task].line(task, item)

    def selected(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Return the requested tasks: ids, or benchmarks with all their tasks.

        Raises:
            ExamError: A task is not offered.
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

    def items(
        self, tasks: Sequence[str], secret: bytes, contexts: Contexts = Contexts.FRESH
    ) -> Sequence[ExamItem]:
        """Return an attempt's items in their order.

        The order depends on the server's seed; it is the same for every attempt and on every
        version of Python. The ids are the attempt's own.
        """
        chosen = [
            ranked
            for task in tasks
            if (asked := frozenset(self.asked(task, contexts)))
            for ranked in self._ranked[task]
            if ranked[2] in asked
        ]
        chosen.sort()
        return [
            ExamItem(place, opaque(secret, task, item), task, item, self._pair(task, item))
            for place, (_, task, item) in enumerate(chosen)
        ]

    def question(
        self, task: str, item: str, secret: bytes, rules: Rules | None = None
    ) -> "Question":
        """Return an item in the form of an attempt with some rules."""
        return self._questions(task, item, secret, shuffled=(rules or self.rules).shuffle_options)

    @cached_property
    def _questions(self) -> "Callable[..., Question]":
        # A question is needed when its item is leased, viewed and answered.
        return lru_cache(maxsize=_REMEMBERED)(self._question)

    def _question(self, task: str, item: str, secret: bytes, *, shuffled: bool) -> "Question":
        line = self.line(task, item)
        # Examinees must not see the item's own id or its tags.
        asked = line.item.model_copy(update={"id": opaque(secret, task, item), "tags": {}})
        mixed = None
        if shuffled:
            name = f"options|{task}|{item}"
            mixed = shuffle(asked, hmac.digest(secret, name.encode(), "sha256"))
        protocol = self.packs_by_task[task].task(task).protocol
        return Question(asked if mixed is None else mixed.item, line, mixed, protocol)

    @cached_property
    def _ranked(self) -> Mapping[str, Sequence[tuple[bytes, str, str]]]:
        """Each task's sampled items, with their sort keys."""
        return {
            task: [
                (sha256(f"{self.rules.seed}|order|{task}|{item}".encode()).digest(), task, item)
                for item in self.asked(task)
            ]
            for task in self.offers
        }

    def asked(self, task: str, contexts: Contexts = Contexts.FRESH) -> Sequence[str]:
        """Return the ids of a task's items, in the pack's order.

        A context that sees several items gets one item of each pair, and no other item with an
        image of a pair.
        """
        items = self.packs_by_task[task].index[task]
        drawn = items if self.rules.sample is None else self._drawn[task]
        asked = [item for item in items if item in drawn]
        if contexts is Contexts.FRESH or self.rules.pairs_together or not self._has_pairs:
            return asked
        return [item for item in asked if (task, item) in self._together]

    @cached_property
    def _has_pairs(self) -> bool:
        return any(head.pair is not None for pack in self.packs for head in pack.lines.heads)

    @cached_property
    def _together(self) -> Collection[tuple[str, str]]:
        """The items that one context may see, with their tasks."""
        items = (
            PairedItem(task, item, self._pair(task, item), self._images(task, item))
            for task in self.offers
            for item in self.asked(task)
        )
        kept = without_other_halves(items, self.rules.seed)
        return frozenset((item.task, item.item) for item in kept)

    def _images(self, task: str, item: str) -> frozenset[str]:
        return frozenset(image.sha256 for image in self.line(task, item).images.values())

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
    """An exam spec with its references; examinees get nothing made from it.

    Attributes:
        references: Each pack's references by the pack's name; a deferred exam has none. They are
            read once, when the first answer to an item of the pack is graded.

    Raises:
        ExamError: References are missing, or are given for a deferred exam; or the exam spec is
            not valid.
    """

    references: Mapping[str, References] = field(default_factory=dict[str, References], repr=False)
    _data: dict[str, TaskData] = field(
        default_factory=dict[str, TaskData], init=False, repr=False, compare=False
    )
    _reading: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rules.mode is Mode.DEFERRED:
            if self.references:
                raise ExamError("a deferred exam must not have references")
            return
        missing = [pack.name for pack in self.packs if pack.name not in self.references]
        if missing:
            raise ExamError(
                f"without the references of {', '.join(missing)}, the exam can only be deferred"
            )

    @cached_property
    def spec(self) -> ExamSpec:
        """The exam spec, without references."""
        return ExamSpec(self.packs, self.rules)

    def data(self, task: str) -> TaskData:
        """Return a task with its references, for a grader.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        pack = self.packs_by_task[task]
        if pack.name not in self.references:
            raise ExamError(NO_REFERENCES)
        with self._reading:
            if task not in self._data:
                # All tasks of the pack, so that its references need not be kept in memory.
                found = self.references[pack.name]
                for other in pack.manifest.tasks:
                    read = task_data(pack, found, other.task)
                    # Reports name where their data was read, and leave this machine.
                    pin = read.pin.model_copy(update={"path": None})
                    self._data[other.task] = replace(read, pin=pin)
        return self._data[task]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """An item with shuffled options."""

    item: Item  # the item with shuffled options
    order: tuple[int, ...]  # for each shuffled option, its index in the original item

    def original(self, letter: str) -> str:
        """Return the letter of an option in the original item."""
        return ascii_uppercase[self.order[ascii_uppercase.index(letter)]]


def shuffle(item: Item, key: bytes) -> Shuffled | None:
    """Shuffle an item's options by a key; None if the item does not allow it.

    The options must be texts that occur in the prompt once, in one of `WRITINGS`. Letters drawn in
    the image are not shuffled, and neither are options that refer to others by letter or position.
    Equal keys give equal orders on every version of Python, because an attempt can outlive its
    server.
    """
    options, most = item.answer_format.options, len(ascii_uppercase)
    if item.answer_format.kind is not AnswerKind.CHOICE or not 2 <= len(options) <= most:
        return None
    if _belong_in_their_order(options):
        return None
    found = {text: write for write in WRITINGS if (text := write(options)) in item.prompt}
    if len(found) != 1:
        return None
    ((block, write),) = found.items()
    if item.prompt.count(block) != 1:
        return None
    order = sorted(
        range(len(options)), key=lambda place: hmac.digest(key, bytes([place]), "sha256")
    )
    mixed = tuple(options[place] for place in order)
    return Shuffled(
        item.model_copy(
            update={
                "prompt": item.prompt.replace(block, write(mixed)),
                "answer_format": item.answer_format.model_copy(update={"options": mixed}),
            }
        ),
        tuple(order),
    )


def lettered(options: Sequence[str]) -> str:
    """Write options one per line, each after its letter: `A. Save`."""
    return "\n".join(
        f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False)
    )


def lettered_on_a_line(options: Sequence[str]) -> str:
    """Write options like `lettered`, with the line breaks within one as spaces."""
    return lettered([" ".join(option.split()) for option in options])


def listed(options: Sequence[str]) -> str:
    r"""Write options as a Python list, as in VisualWebBench's published prompt.

    >>> listed(("It's new", "Save"))
    '["It\'s new", \'Save\']'
    """
    return repr([*options])


WRITINGS: tuple[Callable[[Sequence[str]], str], ...] = (lettered, lettered_on_a_line, listed)
"""The ways in which prompts write options."""


@lru_cache(maxsize=_REMEMBERED)
def _belong_in_their_order(options: tuple[str, ...]) -> bool:
    # Cached, because every attempt has the same options.
    return any(speaks_of_others(option, len(options)) for option in options)


def speaks_of_others(option: str, count: int) -> bool:
    """Whether an option refers to others by letter or position, so that a shuffle changes it.

    >>> [speaks_of_others(text, 4) for text in ("Both A and C", "B", "All of the above")]
    [True, True, True]
    >>> [speaks_of_others(text, 4) for text in ("A red button", "None", "Above the table")]
    [False, False, False]
    """
    one = f"[{ascii_uppercase[:count]}]"
    patterns = (
        r"\b(?i:of the (?:above|below|options|answers|choices)|all (?:the )?above)\b",
        rf"\b(?i:options?|answers?|choices?)\s+\(?{one}\)?(?!\w)",
        # Nothing but letters and what joins them.
        rf"^(?=.*\b{one}\b)\W*(?:(?:(?i:{_JOINING})|{one})\b\W*)+$",
    )
    return any(re.search(pattern, option) for pattern in patterns)


_JOINING = "both|either|neither|all|none|only|and|or|nor|of"


@dataclass(frozen=True, slots=True)
class Question:
    """An item in one attempt."""

    item: Item  # the item as the examinee sees it
    line: PackItem = field(repr=False)  # the item's line in the pack
    shuffled: Shuffled | None  # the shuffle of its options; None: they are not shuffled
    protocol: str  # the protocol that grades its answer


def opaque(secret: bytes, task: str, item: str) -> str:
    """Return an item's opaque id in an attempt."""
    digest = hmac.digest(secret, f"item|{task}|{item}".encode(), "sha256")
    return b32encode(digest)[:10].decode().lower()
