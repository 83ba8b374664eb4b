"""The rows of the questions that every call asks, as `queries` selects them."""

from typing import NamedTuple


class AttemptRow(NamedTuple):
    """An attempt; the columns are explained where its table is."""

    id: int
    digest: bytes
    secret: bytes
    caller: str
    exam: str
    mode: str
    tasks: str
    rules: str
    contexts: str
    model: str | None
    opened: int
    deadline: int | None
    closed: int | None
    state: str
    total: int
    answered: int
    report: str | None


class ItemRow(NamedTuple):
    """An item, and how its attempt stands: `done` of the attempt's `total` items are answered."""

    attempt: int
    place: int
    opaque: str
    task: str
    item: str
    pair: str | None
    answered: bool
    holder: str | None
    leased_until: int | None
    views: int
    submissions: int
    state: str
    total: int
    done: int


class ListedRow(NamedTuple):
    """An item as a list shows it."""

    place: int
    opaque: str
    task: str
    answered: bool
    holder: str | None
    leased_until: int | None


class PlaceRow(NamedTuple):
    """The place of an item that was found."""

    place: int


class TraceRow(NamedTuple):
    """What a call's trace says of an item."""

    task: str
    item: str
    detail: str


class AnswerRow(NamedTuple):
    """An answer, to see whether one that comes is the same."""

    number: int
    response: str
    holder: str
