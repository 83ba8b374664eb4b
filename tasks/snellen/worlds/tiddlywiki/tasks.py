"""Tasks in a wiki: a goal, a world, the expected changes, and the edits that make them."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal, TypeAlias

from pydantic import JsonValue

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.tiddlywiki.notes import Notes, make_notes
from snellen.worlds.tiddlywiki.state import (
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
    """A task with its own world.

    Attributes:
        goal: The task in words, for the agent.
        tiddlers: The wiki's notes.
        expected: The changes that must be made, and no others.
        answer: The right answer; None without one.
        reason: Why it is infeasible; None if it is feasible.
        limit: The maximum number of steps.
        looks: Titles of notes that have to be read, or texts that find them in the search.
        oracle: The edits that do it; none if it is infeasible.
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
    """An unfinished task, which a template's function fills.

    Attributes:
        notes: The wiki's notes by title.
        rng: The source of all random choices.
        difficulty: `easy`, `medium` or `hard`.
        size: 1, 2 or 3: the number of notes that an easy, medium or hard task is about.
        goal: The task in words, for the agent.
        answer: The right answer.
        looks: Titles of notes that have to be read.
        edits: The edits that do the task.
        twin: The reason of the infeasible twin, and the one note that differs there.
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
    """A template: it makes any number of similar tasks.

    Attributes:
        name: Unique.
        fill: Fills a draft, with the same choices for both twins.
    """

    name: str
    fill: Callable[[Draft], None] = field(repr=False)

    def make(self, seed: int, difficulty: Difficulty, *, feasible: bool = True) -> Task:
        """Return a task; equal arguments give equal tasks.

        Args:
            seed: The seed of the wiki and of all choices.
            difficulty: Sets the number of notes, and how they are described.
            feasible: Whether it can be done; the infeasible twin has the same goal.
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
    """Return tasks of all templates and difficulties in turn; one in ten is infeasible.

    Args:
        templates: The templates.
        count: The number of tasks.
        seed: The seed of the first task; each task has its own wiki.
    """
    # The seed decides which of each ten is infeasible; it differs from ten to ten.
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
