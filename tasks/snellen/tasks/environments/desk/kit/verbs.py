"""Verbs: what can be done to a world, by a click or by a tool, and what can be read of it.

A world's state is a JSON object: an object an application, in it collections, which are objects by
id. A verb is a function that is handed a copy of the state and its arguments. It changes the copy
and returns what a tool answers, or raises `RefusalError`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_type_hints

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue, ValidationError

from snellen.grading.errors import SnellenError

State: TypeAlias = dict[str, Any]
"""The whole world, as JSON."""


class RefusalError(SnellenError):
    """A verb that can't be done; its message is what the application shows."""


class Arguments(BaseModel):
    """What a verb takes."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, str_max_length=2000
    )


@dataclass(frozen=True, slots=True)
class Verb:
    """Something that can be done in an application, or read in it.

    Attributes:
        name: What a tool of it is called, unique in the world.
        description: One sentence.
        arguments: What it takes.
        run: What does it: changes the state and returns what a tool answers.
        reads: Whether it changes nothing.
    """

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[State, Any], JsonValue]
    reads: bool = False

    def __call__(self, state: State, given: Mapping[str, JsonValue]) -> tuple[State, JsonValue]:
        """Return the state after it and what a tool answers; the state given stays as it is.

        Raises:
            RefusalError: It can't be done, or an argument is wrong.
        """
        try:
            arguments = self.arguments.model_validate(dict(given))
        except ValidationError as error:
            found = error.errors()
            # What is misspelt explains what is missing.
            first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
            field = " ".join(str(part) for part in first["loc"]).replace("_", " ").capitalize()
            message = first["msg"].removeprefix("Value error, ")
            if first["type"] == "extra_forbidden":
                message = f"{self.name} has no such argument; it takes {self._takes()}"
            raise RefusalError(f"{field}: {message}" if field else message) from None
        after = copied(state)
        answer = self.run(after, arguments)
        return (state if self.reads else after), answer

    def _takes(self) -> str:
        return ", ".join(self.arguments.model_fields) or "none"


def written_like(pattern: str, example: str) -> AfterValidator:
    """Return what refuses a text that does not match a pattern, and shows how it is written."""
    form = re.compile(pattern)

    def check(value: str) -> str:
        if not form.fullmatch(value):
            raise ValueError(f"write it like {example}")
        return value

    return AfterValidator(check)


def verb(run: Callable[[State, Any], JsonValue], *, reads: bool = False) -> Verb:
    """Return the verb that a function is: its name, its docstring's first line, its `given`."""
    description = (run.__doc__ or "").strip().partition("\n")[0]
    return Verb(run.__name__, description, get_type_hints(run)["given"], run, reads)


def read(run: Callable[[State, Any], JsonValue]) -> Verb:
    """Return the verb that a function is which changes nothing."""
    return verb(run, reads=True)


def copied(state: State) -> State:
    """Return a copy that shares nothing with the state."""
    return msgspec.json.decode(msgspec.json.encode(state))


def take(collection: Mapping[str, Any], key: str, noun: str) -> dict[str, Any]:
    """Return an object by its id.

    Raises:
        RefusalError: There is none of this id.
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
