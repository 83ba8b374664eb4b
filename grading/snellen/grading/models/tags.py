"""Tags: what items can be grouped by, brought in from outside the benchmark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

TagColumn: TypeAlias = Sequence[str | None]
"""One tag of every item, in the items' order; None where an item does not have it."""


@dataclass(frozen=True, slots=True)
class TagTable:
    """Tags joined to items, and how many of either found the other.

    Attributes:
        columns: The new tags, each in the items' order.
        key: What they were joined by: `item_id`, or a tag that the items had before.
        items: How many items there are.
        matched_items: How many of them a row was for.
        rows: How many rows there were, equal ones counted once.
        stray: The keys of rows that no item has, in the rows' order.
    """

    columns: Mapping[str, TagColumn] = field(repr=False)
    key: str
    items: int
    matched_items: int
    rows: int
    stray: tuple[str, ...] = field(default=(), repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the new tags."""
        return tuple(self.columns)

    def covered(self, tag: str) -> int:
        """Return how many items have a value of a new tag."""
        return sum(value is not None for value in self.columns[tag])

    def joined(self, known: Mapping[str, TagColumn]) -> dict[str, TagColumn]:
        """Return all tags of the items: those that they had, then the new ones.

        >>> table = TagTable({"level": ["easy"]}, "item_id", items=1, matched_items=1, rows=1)
        >>> list(table.joined({"site": ["a.com"]}))
        ['site', 'level']
        """
        return {**known, **self.columns}

    @property
    def coverage(self) -> str:
        """What was joined and what was not, in a sentence or two.

        >>> table = TagTable(
        ...     {"level": ["easy", None]}, "site", items=2, matched_items=1, rows=2, stray=("b",)
        ... )
        >>> table.coverage
        "joined by site: 1 of 2 items have a row; 1 of 2 rows is for no item ('b'). level: 1."
        """
        parts = [f"joined by {self.key}: {self.matched_items:,} of {self.items:,} items have a row"]
        if self.stray:
            shown = ", ".join(map(repr, self.stray[:3])) + (", ..." if len(self.stray) > 3 else "")
            verb = "is" if len(self.stray) == 1 else "are"
            parts.append(f"{len(self.stray):,} of {self.rows:,} rows {verb} for no item ({shown})")
        counts = ", ".join(f"{tag}: {self.covered(tag):,}" for tag in self.columns)
        return f"{'; '.join(parts)}. {counts}."


def natural(name: str) -> tuple[tuple[int, float, str], ...]:
    """Return a key that sorts numbers inside texts by their size.

    >>> sorted(["10", "9", "b2", "b10"], key=natural)
    ['9', '10', 'b2', 'b10']
    """
    parts = re.split(r"(\d+)", name)
    return tuple(
        (0, float(part), "") if part.isdecimal() else (1, 0.0, part) for part in parts if part
    )
