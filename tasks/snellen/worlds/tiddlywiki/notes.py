"""The notes of a team's wiki: people, projects, minutes and instructions."""

from datetime import date, timedelta
from random import Random
from typing import Final

from snellen.worlds.desk.world.words import (
    FIRST,
    LAST,
    MEETINGS,
    POINTS,
    PROJECTS,
    ROLES,
    ROOMS,
)
from snellen.worlds.tiddlywiki.state import write_list

Notes = dict[str, dict[str, str]]
"""Tiddlers by title, as they are written into a wiki."""

PROTECTED: Final = "protected"
"""The tag of what may not be changed."""

STATUSES: Final = ("planned", "active", "paused", "done")
_WRITTEN: Final = "20250602080000000"
_TODAY: Final = date(2025, 6, 16)
_HOW_TO: Final = (
    ("How to book a room", "Ask at the front desk", "Put the booking into the calendar"),
    ("How to order supplies", "Collect what is missing", "Send the list before Thursday"),
    ("How to report a fault", "Write down what happened", "Call the number of the hall"),
    ("How to welcome a guest", "Meet them at the entrance", "Offer something to drink"),
)


def make_notes(seed: int) -> Notes:
    """Return the tiddlers of a wiki; equal seeds give equal wikis.

    Every note has its own code, and every title is unique.
    """
    rng = Random(f"wiki {seed}")
    codes = iter(rng.sample(range(100, 1000), 60))
    projects = rng.sample(PROJECTS, 6)
    notes: Notes = {}

    def add(title: str, tags: tuple[str, ...], *lines: str, **fields: str) -> None:
        text = "\n\n".join([*lines, f"Code: {title[0].upper()}-{next(codes)}"])
        notes[title] = {
            "title": title,
            "tags": write_list(tags),
            "text": text,
            "created": _WRITTEN,
            "modified": _WRITTEN,
            **fields,
        }

    people = [f"{f} {n}" for f, n in zip(rng.sample(FIRST, 8), rng.sample(LAST, 8), strict=True)]
    for name in people:
        phone = f"Phone: 555-{rng.randrange(1000, 10000)}"
        room = f"Room: {rng.choice(ROOMS).removeprefix('Room ')}"
        add(name, ("person",), rng.choice(ROLES), phone, room)
    for project in projects:
        lead, budget = rng.choice(people), f"Budget: {100 * rng.randrange(12, 95)} dollars"
        status = rng.choice(STATUSES)
        add(f"Project {project}", ("project",), f"Lead: [[{lead}]]", budget, status=status)
    for number, project in enumerate(rng.sample(projects, 5)):
        day = _TODAY - timedelta(days=3 * number + rng.randrange(1, 4))
        meeting = rng.choice([name for name in MEETINGS if "{project}" in name])
        tags = ("minutes", *(("to check",) if rng.random() < 0.5 else ()))
        title = f"{meeting.format(project=project)}, {day:%-d %B}"
        add(title, tags, f"About [[Project {project}]]", f"The main point: {rng.choice(POINTS)}")
    for title, *steps in _HOW_TO:
        add(title, ("instructions",), *(f"{step}." for step in steps))
    listed = [f"* [[{title}]]" for title in sorted(notes) if title.startswith("Project")]
    notes["Start"] = {
        "title": "Start",
        "text": "The projects of the team:\n\n" + "\n".join(listed),
        "created": _WRITTEN,
        "modified": _WRITTEN,
    }
    for name, text in {
        "$:/SiteTitle": "Team wiki",
        "$:/SiteSubtitle": "people, projects, minutes",
        "$:/DefaultTiddlers": "Start",
    }.items():
        notes[name] = {"title": name, "text": text}
    return notes
