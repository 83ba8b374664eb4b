"""Verbs: the operations on a world, by a click or by a tool call.

A world's state is a JSON object. It has an object for each application, which has collections:
objects by id. A verb is a function of a copy of the state and its arguments. It changes the copy
and returns the answer for a tool call, or raises `RefusalError`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast, get_type_hints

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue, ValidationError

from snellen.grading.errors import SnellenError

State: TypeAlias = dict[str, Any]
"""The whole world, as JSON."""

LONGEST_HISTORY: Final = 20
"""The number of changes that can be undone."""


class RefusalError(SnellenError):
    """A verb that can't be done; the application shows its message."""


class Arguments(BaseModel):
    """The arguments of a verb."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, str_max_length=2000
    )


class NoArguments(Arguments):
    """No arguments."""


@dataclass(frozen=True, slots=True)
class Verb:
    """An operation of an application.

    Attributes:
        name: The name of its tool, unique in the world.
        description: One sentence.
        arguments: The model of its arguments.
        run: A function that changes the state and returns the answer of the tool.
        reads: Whether it only reads.
        undo: Whether it can be undone; if not, neither can what was done before it in the same
            application. None: it leaves the history as it is.
    """

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[State, Any], JsonValue]
    reads: bool = False
    undo: bool | None = True

    def __call__(self, state: State, given: Mapping[str, JsonValue]) -> tuple[State, JsonValue]:
        """Return the new state and the answer of the tool; the given state is not changed.

        Raises:
            RefusalError: It can't be done, or an argument is wrong.
        """
        try:
            arguments = self.arguments.model_validate(dict(given))
        except ValidationError as error:
            found = error.errors()
            # A misspelt argument explains a missing one.
            first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
            field = " ".join(str(part) for part in first["loc"]).replace("_", " ").capitalize()
            message = first["msg"].removeprefix("Value error, ")
            if first["type"] == "extra_forbidden":
                message = f"{self.name} has no such argument; it takes {self._takes()}"
            raise RefusalError(f"{field}: {message}" if field else message) from None
        after = copied(state)
        answer = self.run(after, arguments)
        if self.reads:
            return state, answer
        if self.undo is not None:
            after["history"] = _remembered(state, after, undo=self.undo)
        return after, answer

    def _takes(self) -> str:
        return ", ".join(self.arguments.model_fields) or "none"


def written_like(pattern: str, example: str) -> AfterValidator:
    """Return a validator that refuses texts that do not match, and shows an example."""
    form = re.compile(pattern)

    def check(value: str) -> str:
        if not form.fullmatch(value):
            raise ValueError(f"write it like {example}")
        return value

    return AfterValidator(check)


def verb(
    run: Callable[[State, Any], JsonValue], *, reads: bool = False, undo: bool | None = True
) -> Verb:
    """Make a verb of a function: its name, its docstring's first line and the type of `given`."""
    description = (run.__doc__ or "").strip().partition("\n")[0]
    return Verb(run.__name__, description, get_type_hints(run)["given"], run, reads, undo)


def read(run: Callable[[State, Any], JsonValue]) -> Verb:
    """Make a verb of a function that only reads."""
    return verb(run, reads=True)


def _remembered(before: Mapping[str, Any], after: Mapping[str, Any], *, undo: bool) -> list[State]:
    """Return the history after a change, which can be undone or makes an end of what can.

    It is a list in the state, which graders leave out. An entry is `{app, objects}`: the changed
    objects of an application as they were, by collection and id; null if there was none.
    """
    history: list[State] = before.get("history", [])
    for app in before:
        parts, others = _collections(before[app]), _collections(after[app])
        if parts == others:
            continue
        if not undo:
            history = [entry for entry in history if entry["app"] != app]
            continue
        objects = {
            name: {
                key: old.get(key)
                for key in {**old, **others[name]}
                if old.get(key) != others[name].get(key)
            }
            for name, old in parts.items()
        }
        history = [*history, {"app": app, "objects": objects}][-LONGEST_HISTORY:]
    return history


def _collections(app: object) -> Mapping[str, State]:
    if not isinstance(app, dict):
        return {}
    parts = cast(State, app).items()
    return {name: cast(State, part) for name, part in parts if isinstance(part, dict)}


class AppName(Arguments):
    """An application."""

    app: str


def undo_change(state: State, given: AppName) -> JsonValue:
    """Undo the last change."""
    history: list[State] = state.get("history", [])
    places = [place for place, entry in enumerate(history) if entry["app"] == given.app]
    if not places:
        raise RefusalError("There is nothing to undo")
    for name, objects in history.pop(places[-1])["objects"].items():
        for key, old in objects.items():
            if old is None:
                del state[given.app][name][key]
            else:
                state[given.app][name][key] = old
    return {}


UNDO = verb(undo_change, undo=None)


def copied(state: State) -> State:
    """Return a copy that shares nothing with the state."""
    return msgspec.json.decode(msgspec.json.encode(state))


def take(collection: Mapping[str, Any], key: str, noun: str) -> dict[str, Any]:
    """Return an object by its id.

    Raises:
        RefusalError: There is no object of this id.
    """
    if key not in collection:
        raise RefusalError(f"There is no {noun} {key}")
    return collection[key]


def add(collection: dict[str, Any], value: Mapping[str, Any]) -> str:
    """Put an object into a collection and return its new id."""
    number = len(collection) + 1
    while f"n{number}" in collection:
        number += 1
    collection[f"n{number}"] = dict(value)
    return f"n{number}"
