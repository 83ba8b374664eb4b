"""Generate the content of files, sheets, boards, notes, trips and settings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import MONTHS, long_day
from snellen.worlds.desk.world import words

Objects = dict[str, dict[str, Any]]
Setting = tuple[str, str, tuple[str, ...]]

FOLDERS = ("Contracts", "Invoices", "Designs", "Reports", "Photos")
COLUMNS = ("Backlog", "Doing", "Review", "Done")
NOTEBOOKS = ("Ideas", "Meetings", "Personal")
ROUTES = words.CITIES[:5]


def make(rng: Random, state: State, today: date) -> dict[str, Any]:
    """Return the states of these applications.

    Args:
        rng: The source of all random choices.
        state: The state of the other applications.
        today: The date of the world's clock.
    """
    emails = [person["email"] for person in state["contacts"]["people"].values()]
    names = [person["name"] for person in state["contacts"]["people"].values()]
    return {
        "files": {"entries": _files(rng, emails, today)},
        "sheet": {"sheets": _sheets(rng, state, today)},
        "kanban": {"cards": _cards(rng, names, today)},
        "notes": {"notes": _notes(rng, names, today)},
        "travel": _travel(rng, today),
        "settings": {"values": _settings(rng)},
    }


def fill(rng: Random, state: State) -> None:
    """Add operators of trips, more settings, and long remarks."""
    for trip in state["travel"]["trips"].values():
        trip["operator"] = rng.choice(words.FULL.operators[trip["kind"]])
    settings = _settings(rng, words.FULL.settings)
    values = state["settings"]["values"]
    for number, value in enumerate(settings.values(), len(values) + 1):
        values[f"v{number:02}"] = value
    people = list(state["contacts"]["people"].values())
    for row in rng.sample(range(2, 20), 6):
        state["sheet"]["sheets"]["s2"]["cells"][f"E{row}"] = remark(rng, people)


def remark(rng: Random, people: Sequence[Mapping[str, str]]) -> str:
    """Return a remark that is longer than a cell is wide."""
    person = rng.choice(people)
    return rng.choice(words.FULL.remarks).format(
        name=person["name"],
        city=person["city"],
        firm=person["company"],
        number=f"INV-{rng.randrange(1000, 9999)}",
    )


def _files(rng: Random, emails: list[str], today: date) -> Objects:
    def entry(name: str, kind: str, parent: str, days: int, size: int, text: str) -> dict[str, Any]:
        shared = sorted(rng.sample(emails, 2)) if kind == "file" and rng.random() < 0.2 else []
        day = (today - timedelta(days=days)).isoformat()
        return {"name": name, "kind": kind, "parent": parent, "modified": day, "size": size,
                "shared": shared, "text": text}  # fmt: skip

    entries: Objects = {}
    for number, name in enumerate(FOLDERS, 1):
        entries[f"d{number}"] = entry(name, "folder", "", rng.randrange(5, 200), 0, "")
    for name in rng.sample(words.PROJECTS, 3):
        day = rng.randrange(5, 100)
        entries[f"d{len(entries) + 1}"] = entry(name, "folder", "d4", day, 0, "")
    used: set[str] = set()
    while len(entries) < 60:
        pattern, parent = rng.choice(words.FILES)
        name = pattern.format(
            project=rng.choice(words.PROJECTS),
            firm=rng.choice(words.FIRMS)[0],
            number=rng.randrange(1000, 9999),
            month=rng.choice(MONTHS),
            city=rng.choice(words.CITIES),
        )
        if name in used:
            continue
        used.add(name)
        text = f"{name.rpartition('.')[0]}\n\nRemember: {rng.choice(words.POINTS)}."
        folder = rng.choice(("d6", "d7", "d8")) if rng.random() < 0.25 else parent
        made = entry(name, "file", folder, rng.randrange(400), rng.randrange(4, 9000), text)
        entries[f"f{len(entries) - 7:02}"] = made
    return entries


def _sheets(rng: Random, state: State, today: date) -> Objects:
    months = [MONTHS[(today.month - 1 + offset) % 12][:3] for offset in range(5)]
    budget = {"A1": "Item", **{f"{'BCDEF'[index]}1": month for index, month in enumerate(months)}}
    budget["G1"] = "Sum"
    for row, item in enumerate(rng.sample(words.ITEMS, 15), 2):
        budget[f"A{row}"] = item
        for column in "BCDEF":
            budget[f"{column}{row}"] = str(rng.randrange(4, 400) * 10)
        budget[f"G{row}"] = f"=SUM(B{row}:F{row})"
    stock = {"A1": "Article", "B1": "Product", "C1": "In office", "D1": "To order", "E1": "Remark"}
    products = sorted(state["shop"]["products"].items())
    for row, (key, product) in enumerate(rng.sample(products, 18), 2):
        stock |= {
            f"A{row}": key.upper(),
            f"B{row}": product["name"],
            f"C{row}": str(rng.randrange(0, 30)),
            f"D{row}": "0",
        }
    costs = {"A1": "Trip", "B1": "Date", "C1": "Costs"}
    for row, city in enumerate(rng.sample(words.CITIES, 8), 2):
        day = today - timedelta(days=200 - 20 * row)
        costs |= {
            f"A{row}": city,
            f"B{row}": day.isoformat(),
            f"C{row}": str(rng.randrange(60, 900)),
        }
    return {
        "s1": {"name": "Budget", "cells": budget},
        "s2": {"name": "Inventory", "cells": stock},
        "s3": {"name": "Trips", "cells": costs},
    }


def _cards(rng: Random, names: list[str], today: date) -> Objects:
    cards: Objects = {}
    boards = rng.sample(words.PROJECTS, 3)
    team = rng.sample(names, 6)
    for board in boards:
        for title in rng.sample(words.CARDS, 13):
            cards[f"k{len(cards) + 1:02}"] = {
                "board": board,
                "title": title,
                "column": rng.choice(COLUMNS),
                "assignee": rng.choice(("", *team)),
                "due": (today + timedelta(days=rng.randrange(-5, 30))).isoformat(),
                "priority": rng.choice(("low", "normal", "high")),
            }
    return _without_full_columns(cards)


def _without_full_columns(cards: Objects) -> Objects:
    """Return the cards with at most four in a column of a board, so that all fit the screen."""
    filled: Counter[tuple[str, str]] = Counter()
    for card in cards.values():
        if filled[card["board"], card["column"]] >= 4:
            card["column"] = min(COLUMNS, key=partial(_fill, filled, card["board"]))
        filled[card["board"], card["column"]] += 1
    return cards


def _fill(filled: Counter[tuple[str, str]], board: str, column: str) -> int:
    return filled[board, column]


def _notes(rng: Random, names: list[str], today: date) -> Objects:
    notes: Objects = {}
    titles: set[str] = set()
    while len(notes) < 26:
        title, text = rng.choice(words.NOTES)
        facts = {
            "project": rng.choice(words.PROJECTS),
            "city": rng.choice(words.CITIES),
            "name": rng.choice(names),
            "point": rng.choice(words.POINTS),
            "day": long_day((today + timedelta(days=rng.randrange(1, 30))).isoformat()),
        }
        title = title.format(**facts)
        if title in titles:
            continue
        titles.add(title)
        notes[f"t{len(notes) + 1:02}"] = {
            "title": title,
            "text": text.format(**facts),
            "notebook": rng.choice(NOTEBOOKS),
            "pinned": rng.random() < 0.15,
            "date": (today - timedelta(days=rng.randrange(60))).isoformat(),
        }
    return notes


def _travel(rng: Random, today: date) -> dict[str, Objects]:
    trips: Objects = {}
    pairs = [(start, goal) for start in ROUTES for goal in ROUTES if start != goal]
    for start, goal in pairs:
        for day in rng.sample(range(2, 20), 2):
            hours = rng.sample(range(6, 19), 3)
            for hour in hours:
                length = rng.randrange(2, 5)
                trips[f"j{len(trips) + 1:03}"] = {
                    "kind": rng.choice(("train", "flight")),
                    "start": start,
                    "goal": goal,
                    "date": (today + timedelta(days=day)).isoformat(),
                    "departs": f"{hour:02}:{rng.choice((5, 20, 35, 50)):02}",
                    "arrives": f"{hour + length:02}:{rng.choice((0, 15, 30, 45)):02}",
                    "price": rng.randrange(29, 320) * 100 + len(trips),
                    "seats": rng.randrange(4, 40),
                    "refundable": rng.random() < 0.7,
                }
    bookings: Objects = {}
    codes = rng.sample(range(100_000, 999_999), 7)
    for number, key in enumerate(rng.sample(sorted(trips), 7)):
        bookings[f"b{number + 1}"] = {
            "code": f"TR{codes[number]}",
            "trip": key,
            "travelers": rng.randrange(1, 3),
            "total": 0,
            "status": "booked",
        }
        bookings[f"b{number + 1}"]["total"] = (
            trips[key]["price"] * bookings[f"b{number + 1}"]["travelers"]
        )
    return {"trips": trips, "bookings": bookings}


def _settings(rng: Random, settings: Sequence[Setting] = words.SETTINGS) -> Objects:
    return {
        f"v{number:02}": {
            "section": section,
            "title": title,
            "options": list(options),
            "value": rng.choice(options) if options else rng.choice(("on", "off")),
            "locked": False,
        }
        for number, (section, title, options) in enumerate(settings, 1)
    }
