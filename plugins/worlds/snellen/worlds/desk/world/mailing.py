"""Mail as people write it: with a beginning and an end, and threads that quote what was before."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import long_day, money
from snellen.worlds.desk.world.words import CITIES, FULL, PROJECTS, STREETS

THREADS = 14


def fill(rng: Random, state: State, today: date) -> None:
    """Make the messages of a world longer, and add threads between the user and a contact."""
    for message in state["mail"]["messages"].values():
        hello, text, regards = message["body"].split("\n\n")
        opener, closer = rng.choice(FULL.openers), rng.choice(FULL.closers)
        message["body"] = "\n\n".join((hello, opener, text, closer, regards))
    people = rng.sample(sorted(state["contacts"]["people"].items()), THREADS)
    for _, person in people:
        subject, turns = thread(rng, state, today)
        begun = today - timedelta(days=rng.randrange(5, 20))
        add(rng, state, person, subject, turns[: rng.randrange(2, 5)], begun)


def thread(rng: Random, state: State, today: date) -> tuple[str, list[str]]:
    """Return the subject of a thread, and what its two people write in turn."""
    subject, turns = rng.choice(FULL.threads)
    first = rng.randrange(20, 90) * 50
    kinds = sorted(product["kind"] for product in state["shop"]["products"].values())
    facts = {
        "project": rng.choice(PROJECTS),
        "goods": rng.choice(kinds).lower(),
        "city": rng.choice(CITIES),
        "street": rng.choice(STREETS),
        "count": rng.randrange(12, 60),
        "day": long_day((today + timedelta(days=rng.randrange(3, 25))).isoformat()),
        "first": money(100 * first),
        "second": money(100 * (first * rng.randrange(5, 9) // 10)),
        "third": money(100 * (first * 9 // 10)),
    }
    return subject.format(**facts), [turn.format(**facts) for turn in turns]


def add(
    rng: Random,
    state: State,
    person: Mapping[str, Any],
    subject: str,
    turns: list[str],
    begun: date,
) -> str:
    """Add a thread's messages, of which each quotes those before, and return the last one's id.

    Args:
        rng: The source of all random choices.
        state: The world.
        person: The contact who writes last.
        subject: The subject of the first message.
        turns: The texts.
        begun: The day of the first message; each other comes a day later.
    """
    messages, me = state["mail"]["messages"], state["me"]
    body = key = ""
    for number, turn in enumerate(turns):
        mine = (len(turns) - number) % 2 == 0
        writer, reader = (me, person) if mine else (person, me)
        names = writer["name"].split()[0], reader["name"].split()[0]
        text = f"Hello {names[1]},\n\n{turn}\n\nBest regards\n{names[0]}"
        body = f"{text}\n\n{body}".rstrip()
        moment = time(rng.randrange(8, 19), rng.randrange(60))
        when = datetime.combine(begun + timedelta(days=number), moment)
        key = f"m{max(int(each[1:]) for each in messages) + 1:02}"
        messages[key] = {
            "folder": "sent" if mine else "inbox",
            "from": writer["email"],
            "name": writer["name"],
            "to": [reader["email"]],
            "subject": f"Re: {subject}" if number else subject,
            "body": body,
            "date": when.strftime("%Y-%m-%dT%H:%M"),
            "unread": not mine and rng.random() < 0.3,
            "starred": False,
            "label": "",
        }
        said = f"On {long_day(when.isoformat())} at {when:%H:%M}, {writer['name']} wrote:"
        body = "\n".join([said, *(f"> {line}".rstrip() for line in body.split("\n"))])
    return key
