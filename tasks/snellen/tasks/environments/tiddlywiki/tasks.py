"""Tasks in a wiki: a goal, a world, what the world must be afterwards, and the edits that do it."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal, TypeAlias

from pydantic import JsonValue

from snellen.tasks.environments.reasons import Reason
from snellen.tasks.environments.tiddlywiki.notes import Notes, make_notes
from snellen.tasks.environments.tiddlywiki.state import (
    Edit,
    State,
    changes,
    edited,
    read_state,
)

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
DIFFICULTIES: Final[tuple[Difficulty, ...]] = ("easy", "medium", "hard")

_TEN: Final = 10
"""One task of so many can't be done."""

_OPEN: Final = 4
"""Inputs that find a note: a click into the search, select all, type, a click on its title."""
_TEXT: Final = 3
"""A click into the field, select all, type."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task in a world of its own.

    Attributes:
        goal: What the agent is asked to do.
        tiddlers: The wiki's notes.
        expected: What must have changed afterwards, and nothing else.
        answer: What must be answered; None: nothing.
        reason: Why it can't be done; None: it can.
        limit: How many inputs it may take.
        looks: Titles of notes that one has to open, or texts that lead to them in the search.
        oracle: The edits that do it; none if it can't be done.
        tags: `template`, `difficulty`, `feasible`.
    """

    goal: str
    tiddlers: tuple[Mapping[str, str], ...]
    expected: Mapping[str, Any]
    answer: JsonValue
    reason: Reason | None
    limit: int
    looks: tuple[str, ...]
    oracle: tuple[Edit, ...]
    tags: Mapping[str, str]

    @property
    def state(self) -> State:
        """The wiki's first state."""
        return read_state(self.tiddlers)


class Draft:
    """A task that is being made: a template's function fills it.

    Attributes:
        notes: The wiki's notes by title.
        rng: All that is chosen at random is chosen with it.
        difficulty: `easy`, `medium` or `hard`.
        size: 1, 2 or 3: how many notes an easy, medium or hard task is about.
        goal: What the agent is asked to do.
        answer: What it must answer.
        looks: Titles of notes that one has to open.
        edits: What must be done.
        twin: Why it can't be done in another world, and the one note that is other there.
    """

    def __init__(self, name: str, seed: int, difficulty: Difficulty) -> None:
        self.notes: Notes = make_notes(seed)
        self.rng = Random(f"{name} {seed} {difficulty}")
        self.difficulty: Difficulty = difficulty
        self.size = DIFFICULTIES.index(difficulty) + 1
        self.goal = ""
        self.answer: JsonValue = None
        self.looks: list[str] = []
        self.edits: list[Edit] = []
        self.twin: tuple[Reason, Callable[[Notes], None]] | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """Many tasks alike.

    Attributes:
        name: Unique.
        fill: Fills a draft; it chooses the same for both twins.
    """

    name: str
    fill: Callable[[Draft], None] = field(repr=False)

    def make(self, seed: int, difficulty: Difficulty, *, feasible: bool = True) -> Task:
        """Return a task; equal arguments give equal tasks.

        Args:
            seed: Of the wiki and of all that is chosen.
            difficulty: How many notes it is about, and how they are described.
            feasible: Whether it can be done; its twin that can't has the same goal.
        """
        draft = Draft(self.name, seed, difficulty)
        self.fill(draft)
        if draft.twin is None:
            raise AssertionError(f"template {self.name} sets no twin")
        reason, change = draft.twin
        inputs = _OPEN * len(draft.looks) + sum(map(inputs_of, draft.edits))
        notes = deepcopy(draft.notes)
        if not feasible:
            change(notes)
        tiddlers = tuple(notes.values())
        state = read_state(tiddlers)
        edits = tuple(draft.edits) if feasible else ()
        return Task(
            goal=draft.goal,
            tiddlers=tiddlers,
            expected=changes(state, edited(state, edits)),
            answer=draft.answer if feasible else None,
            reason=None if feasible else reason,
            limit=max(15, 5 * -(-(2 * inputs + 5) // 5)),
            looks=tuple(draft.looks),
            oracle=edits,
            tags={
                "template": self.name,
                "difficulty": difficulty,
                "feasible": "yes" if feasible else "no",
            },
        )


def inputs_of(edit: Edit) -> int:
    """Return how many inputs an edit takes, from the search to the button that saves it."""
    texts = [edit.kind == "new" or edit.to, edit.text is not None, *edit.tags]
    begin = 1 if edit.kind == "new" else _OPEN + 1
    written = _TEXT * sum(map(bool, texts)) + 2 * _TEXT * len(edit.fields)
    return begin + written + len(edit.untags) + 1


def draw(templates: Sequence[Template], count: int, seed: int) -> list[Task]:
    """Return tasks of all templates and difficulties in turn; one in ten can't be done.

    Args:
        templates: What is drawn from.
        count: How many.
        seed: Of the first one; each has a wiki of its own.
    """
    # Which of each ten it is depends on the seed, and is another one in the next ten.
    turn = Random(seed).randrange(_TEN)
    return [
        templates[index % len(templates)].make(
            seed + index,
            DIFFICULTIES[(index // len(templates) + index) % len(DIFFICULTIES)],
            feasible=index % _TEN != (index // _TEN + turn) % _TEN
            or index // _TEN == count // _TEN,
        )
        for index in range(count)
    ]
