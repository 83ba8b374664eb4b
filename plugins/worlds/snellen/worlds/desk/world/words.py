"""The words of generated worlds: people, firms, goods, work."""

from importlib.resources import files
from typing import Final

import msgspec


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    first: tuple[str, ...]
    last: tuple[str, ...]
    firms: tuple[tuple[str, str], ...]
    roles: tuple[str, ...]
    cities: tuple[str, ...]
    streets: tuple[str, ...]
    groups: tuple[str, ...]
    projects: tuple[str, ...]
    brands: tuple[str, ...]
    colors: tuple[str, ...]
    topics: tuple[tuple[str, str], ...]
    points: tuple[str, ...]
    asks: tuple[str, ...]
    meetings: tuple[str, ...]
    rooms: tuple[str, ...]
    cards: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    items: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str, tuple[str, ...]], ...]


class Full(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More of them.

    Attributes:
        firms: More firms.
        goods: All goods: name, category, price, variants.
        openers: What a message begins with.
        closers: What it ends with.
        threads: Subjects, and what two people write in turn.
        operators: The companies of trips, by kind.
        settings: More settings.
        remarks: Long remarks in the sheet Inventory.
    """

    firms: tuple[tuple[str, str], ...]
    goods: tuple[tuple[str, str, int, tuple[str, ...]], ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    threads: tuple[tuple[str, tuple[str, ...]], ...]
    operators: dict[str, tuple[str, ...]]
    settings: tuple[tuple[str, str, tuple[str, ...]], ...]
    remarks: tuple[str, ...]


FULL: Final = msgspec.json.decode((files(__package__ or "") / "full.json").read_bytes(), type=Full)

_WORDS: Final = msgspec.json.decode(
    (files(__package__ or "") / "words.json").read_bytes(), type=_Words
)

FIRST: Final = _WORDS.first
LAST: Final = _WORDS.last
FIRMS: Final = _WORDS.firms
ROLES: Final = _WORDS.roles
CITIES: Final = _WORDS.cities
STREETS: Final = _WORDS.streets
GROUPS: Final = _WORDS.groups
PROJECTS: Final = _WORDS.projects
BRANDS: Final = _WORDS.brands
COLORS: Final = _WORDS.colors
TOPICS: Final = _WORDS.topics
POINTS: Final = _WORDS.points
ASKS: Final = _WORDS.asks
MEETINGS: Final = _WORDS.meetings
ROOMS: Final = _WORDS.rooms
CARDS: Final = _WORDS.cards
FILES: Final = _WORDS.files
ITEMS: Final = _WORDS.items
NOTES: Final = _WORDS.notes
SETTINGS: Final = _WORDS.settings
