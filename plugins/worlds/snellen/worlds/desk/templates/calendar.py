"""Tasks in the calendar."""

from datetime import date, timedelta
from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates.common import (
    Found,
    alone,
    change_each,
    event_words,
    gone,
    more,
    new_event,
    people,
    series,
    some,
    to_event,
)
from snellen.worlds.desk.world.words import ROOMS

TITLES = ("Design round", "Hand-over", "Quarterly talk", "Safety briefing", "Supplier check")


def events(draft: Draft) -> Found:
    """Return the events from today on, each of which can be described."""
    today = draft.state["clock"][:10]
    found = [item for item in draft.state["calendar"]["events"].items() if item[1]["date"] > today]
    return alone(alone(found, "title"), "date", "start")


def free(draft: Draft, count: int) -> list[tuple[str, str, str]]:
    """Choose free hours in the next two weeks: days, beginnings, ends."""
    today = date.fromisoformat(draft.state["clock"][:10])
    days = [
        day.isoformat()
        for day in (today + timedelta(days=offset) for offset in range(1, 13))
        if day.weekday() < 5
    ]
    taken = {
        (event["date"], hour)
        for event in draft.state["calendar"]["events"].values()
        for hour in range(int(event["start"][:2]), int(event["end"][:2]))
    }
    slots = [(day, hour) for day in days for hour in range(8, 18) if (day, hour) not in taken]
    return [
        (day, f"{hour:02}:00", f"{hour + 1:02}:00") for day, hour in draft.rng.sample(slots, count)
    ]


def _add(draft: Draft) -> None:
    titles = draft.rng.sample(TITLES, draft.size)
    made: list[dict[str, Any]] = [
        {
            "title": title,
            "date": day,
            "start": start,
            "end": end,
            "place": draft.rng.choice(ROOMS),
            "guests": [],
        }
        for title, (day, start, end) in zip(titles, free(draft, draft.size), strict=True)
    ]
    parts = [
        f"“{event['title']}” on {long_day(event['date'])} from {event['start']} to {event['end']},"
        f" place: {event['place']}"
        for event in made
    ]
    draft.goal = (
        f"Add to your calendar: {'; '.join(parts)}. If anything is in the calendar at such a time"
        " already, add nothing at all."
    )
    for event in made:
        draft.expect("add_event", **event)
    last = made[-1]
    other: dict[str, Any] = {**last, "title": "Town hall", "guests": []}
    draft.impossible(Reason.CONFLICT, more("calendar.events", other))

    @draft.path
    def way(walk: Walk) -> None:
        for event in made:
            new_event(walk, event)


def _move(draft: Draft) -> None:
    chosen = some(draft, events(draft))
    slots = free(draft, draft.size)
    parts: list[str] = []
    for (key, event), (day, start, _) in zip(chosen, slots, strict=True):
        hours = int(event["end"][:2]) - int(event["start"][:2])
        end = f"{int(start[:2]) + hours:02}:00"
        parts.append(f"{event_words(draft, event)} to {long_day(day)}, {start} to {end}")
        draft.expect("change_event", event=key, date=day, start=start, end=end)
    draft.goal = f"Move events of your calendar: {'; '.join(parts)}. Change nothing else of them."
    draft.impossible(Reason.NO_SUCH_ITEM, gone("calendar.events", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, event), (day, start, _) in zip(chosen, slots, strict=True):
            to_event(walk, key)
            walk.press("calendar.edit")
            walk.choose_day("form.date", day)
            walk.choose("form.start", start)
            hours = int(event["end"][:2]) - int(event["start"][:2])
            walk.choose("form.end", f"{int(start[:2]) + hours:02}:00")
            walk.press("calendar.save")


def _remove(draft: Draft) -> None:
    chosen = some(draft, events(draft))
    words = series([event_words(draft, event) for _, event in chosen])
    noun = "event" if len(chosen) == 1 else "events"
    draft.goal = f"Remove the following {noun} from your calendar: {words}."
    change_each(draft, "calendar.events", chosen, "remove_event", "event")

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            to_event(walk, key)
            walk.press("calendar.remove", "calendar.remove.yes")


def _invite(draft: Draft) -> None:
    key, event = some(draft, events(draft), 1)[0]
    persons = [person for _, person in people(draft) if person["email"] not in event["guests"]]
    added = [person["email"] for person in draft.rng.sample(persons, draft.size)]
    draft.goal = (
        f"Add {series(added)} to the guests of “{event['title']}”, which is in your calendar later"
        " this week or in the weeks after it. The guests that it has stay."
    )
    guests = [*event["guests"], *added]
    draft.expect("change_event", event=key, guests=guests)
    day, start, end = free(draft, 1)[0]
    second = {**event, "date": day, "start": start, "end": end}
    draft.impossible(Reason.AMBIGUOUS, more("calendar.events", second))

    @draft.path
    def way(walk: Walk) -> None:
        to_event(walk, key)
        walk.press("calendar.edit")
        walk.write(guests=", ".join(guests))
        walk.press("calendar.save")


def _where(draft: Draft) -> None:
    chosen = some(draft, events(draft))
    words = series([event_words(draft, event) for _, event in chosen])
    asked = "Where does this event of your calendar take place"
    draft.goal = (
        f"{asked}: {words}?"
        if len(chosen) == 1
        else f"Where do these events of your calendar take place, in this order: {words}? Answer"
        " with the places, separated by semicolons."
    )
    draft.answer = Answer("place", "; ".join(event["place"] for _, event in chosen))
    draft.impossible(Reason.NO_SUCH_ITEM, gone("calendar.events", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for number, (key, _) in enumerate(chosen):
            if number:
                walk.press("dialog.close")
            to_event(walk, key)


def _when(draft: Draft) -> None:
    key, event = some(draft, events(draft), 1)[0]
    days = 7 * (draft.size - 1)
    ask = f"On which date is “{event['title']}” in your calendar"
    day = date.fromisoformat(event["date"]) + timedelta(days=days)
    later = ("", "one week later", "two weeks later")[draft.size - 1]
    draft.goal = (
        f"{ask}? It is after today. Answer with a date."
        if not days
        else f"“{event['title']}” in your calendar, which is after today, is to be repeated"
        f" {later}. On which date is that? Change nothing; answer with a date."
    )
    draft.answer = Answer("date", day.isoformat())
    draft.impossible(Reason.NO_SUCH_ITEM, gone("calendar.events", key))

    @draft.path
    def way(walk: Walk) -> None:
        to_event(walk, key)


CALENDAR = tuple(
    Template(name, ("calendar",), fill)
    for name, fill in (
        ("calendar-add", _add),
        ("calendar-move", _move),
        ("calendar-remove", _remove),
        ("calendar-invite", _invite),
        ("calendar-where", _where),
        ("calendar-when", _when),
    )
)
