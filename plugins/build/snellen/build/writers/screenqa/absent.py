"""Questions that a screen nearly answers, but does not: near misses of its own facts.

A question of another page would be told at a glance. Here a name differs by one word from names on
the screen, a row is asked for with a column of another table, or a value is mixed from two of its
column.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

from snellen.build.chance import by_turns
from snellen.build.questions.facts import NAME_LENGTH, Table, facts_of
from snellen.build.questions.lookup import Kind, Lookup
from snellen.build.questions.options import form_of
from snellen.build.questions.text import folded, stems
from snellen.build.screen.elements import Screen
from snellen.build.snapshots import Snapshot

SHARE = 0.25
"""The share of a task's questions without an answer, if the screens have enough near misses."""

_NAMED: frozenset[Kind] = frozenset(
    {"cell", "pair", "price", "field", "hint", "action", "chart", "section", "first", "last"}
)
"""Kinds whose first name identifies a thing."""
_DIGIT, _DIGITS = re.compile(r"\d"), re.compile(r"\d+")


def near_misses(snapshot: Snapshot, facts: Sequence[Lookup], random: Random) -> Sequence[Lookup]:
    """Return facts that a screen does not have, in a random order that alternates among the kinds.

    Args:
        snapshot: The screen.
        facts: The facts that it has.
        random: The source of random choices.
    """
    shown = _shown(snapshot.screen)
    tables = [fact for fact in facts_of(snapshot.captured.facts) if isinstance(fact, Table)]
    missing = [*_renamed(facts, shown), *_other_values(facts, shown)]
    # A row that is not shown may be in the other table.
    if not snapshot.screen.unread and not any(table.partial for table in tables):
        missing += _crossed(facts, tables)
    return by_turns(random, dict.fromkeys(missing), lambda one: one.kind)


def _shown(screen: Screen) -> str:
    """Return all text of a screen, hidden text included."""
    parts = (
        text
        for each in screen.elements
        for text in (each.text, each.own, each.name, each.label, each.placeholder, each.value)
    )
    return "\n".join(dict.fromkeys(map(folded, parts)))


def _renamed(facts: Sequence[Lookup], shown: str) -> Iterator[Lookup]:
    """Replace a word of a name by the word at its place in another name of the same kind."""
    for fact in facts:
        if fact.kind not in _NAMED:
            continue
        words = fact.names[0].split()
        for other in facts:
            others = other.names[0].split() if other.names else []
            if other.kind != fact.kind or len(others) != len(words) or len(words) == 1:
                continue
            for place, word in enumerate(others):
                # Another form of the same word names the same thing.
                if not stems(word) or stems(word) & stems(fact.names[0]):
                    continue
                name = " ".join([*words[:place], word, *words[place + 1 :]])
                if folded(name) not in shown and len(name) <= NAME_LENGTH:
                    yield Lookup(fact.kind, (name, *fact.names[1:]), (), ())


def _other_values(facts: Sequence[Lookup], shown: str) -> Iterator[Lookup]:
    """Ask which row has a value that begins as one of its column and ends as another."""
    reverse = [fact for fact in facts if fact.kind == "reverse"]
    for fact, other in permutations(reverse, 2):
        first, last = fact.names[0], other.names[0]
        # Another day of the same month may not exist.
        if fact.names[1:] != other.names[1:] or form_of(first).startswith("date"):
            continue
        if first == last or _DIGIT.sub("0", first) != _DIGIT.sub("0", last):
            continue
        runs = [run.start() for run in _DIGITS.finditer(first)]
        # The hours and the minutes of a time each stay whole.
        for place in runs[1:] or range(runs[0] + 1, len(first)):
            value = first[:place] + last[place:]
            if folded(value) not in shown:
                yield Lookup("reverse", (value, *fact.names[1:]), (), ())


def _crossed(facts: Sequence[Lookup], tables: Sequence[Table]) -> Iterator[Lookup]:
    """Ask for the row of one table in a column that only another table has."""
    cells = [fact for fact in facts if fact.kind == "cell"]
    for row in dict.fromkeys(fact.names[0] for fact in cells):
        own = {
            folded(header)
            for table in tables
            if any(folded(row) in map(folded, cells) for cells in table.rows)
            for header in table.headers
        }
        for column in dict.fromkeys(fact.names[1] for fact in cells):
            if folded(column) not in own:
                yield Lookup("cell", (row, column), (), ())
