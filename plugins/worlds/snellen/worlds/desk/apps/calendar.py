"""Calendar: a week, events with guests."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from markupsafe import Markup
from pydantic import AfterValidator, Field, JsonValue

from snellen.worlds.desk.apps.mail import Addresses
from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.view import (
    CLOSE,
    MONTHS,
    WEEKDAYS,
    Action,
    Grab,
    Layer,
    View,
    do,
    go,
    long_day,
    short_day,
)

FIRST, LAST = 8, 19
TIMES = [f"{hour:02}:{minute:02}" for hour in range(FIRST, LAST) for minute in (0, 30)] + ["19:00"]
HOUR = 56


def _is_day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError("choose a date, such as 2025-06-16") from None


Day = Annotated[str, AfterValidator(_is_day), Field(json_schema_extra={"format": "date"})]
"""A date such as 2025-06-16."""

Time = Annotated[
    str, verbs.written_like(r"([01]\d|2[0-3]):[0-5]\d", "09:30"), Field(description="HH:MM")
]
"""A time of day such as 09:30."""


class Event(verbs.Arguments):
    """An event."""

    title: Annotated[str, Field(min_length=1)]
    date: Day
    start: Time
    end: Time
    place: str = ""
    guests: Addresses = Field(default_factory=list)


class EventId(verbs.Arguments):
    """An event that there is."""

    event: str


class Changing(EventId):
    """Changes to an event; fields that are left out stay unchanged."""

    title: str | None = None
    date: Day | None = None
    start: Time | None = None
    end: Time | None = None
    place: str | None = None
    guests: Addresses | None = None


class Span(verbs.Arguments):
    """From one day to another, both included."""

    first: Day
    last: Day


def add_event(state: verbs.State, given: Event) -> JsonValue:
    """Add an event."""
    event = {**given.model_dump(), "guests": sorted(set(given.guests))}
    _checked(event)
    return {"event": verbs.add(state["calendar"]["events"], event)}


def change_event(state: verbs.State, given: Changing) -> JsonValue:
    """Change the given fields of an event."""
    event = verbs.take(state["calendar"]["events"], given.event, "event")
    event.update(given.model_dump(exclude={"event"}, exclude_none=True))
    event["guests"] = sorted(set(event["guests"]))
    _checked(event)
    return event


def remove_event(state: verbs.State, given: EventId) -> JsonValue:
    """Remove an event."""
    verbs.take(state["calendar"]["events"], given.event, "event")
    del state["calendar"]["events"][given.event]
    return {}


def read_clock(state: verbs.State, given: verbs.NoArguments) -> JsonValue:
    """Return the date, the time and the day of the week."""
    weekday = WEEKDAYS[datetime.fromisoformat(state["clock"]).weekday()]
    return {"now": state["clock"], "weekday": weekday}


def list_events(state: verbs.State, given: Span) -> JsonValue:
    """List the events from one day to another."""
    return [
        {"id": key, **event}
        for key, event in _ordered(state)
        if given.first <= event["date"] <= given.last
    ]


def read_event(state: verbs.State, given: EventId) -> JsonValue:
    """Read an event."""
    return verbs.take(state["calendar"]["events"], given.event, "event")


def _checked(event: dict[str, Any]) -> None:
    if not event["title"]:
        raise verbs.RefusalError("Write a title first")
    if event["end"] <= event["start"]:
        raise verbs.RefusalError("An event ends after it starts")


def _ordered(state: verbs.State) -> list[tuple[str, dict[str, Any]]]:
    events = state["calendar"]["events"].items()
    return sorted(events, key=lambda item: (item[1]["date"], item[1]["start"], item[0]))


def week_of(view: View) -> date:
    """Return the Monday of the week that is open."""
    monday = view.today - timedelta(days=view.today.weekday())
    return monday + timedelta(weeks=view.number("calendar.week"))


def _view(view: View) -> Markup:
    monday = week_of(view)
    sunday = monday + timedelta(days=6)
    number = view.number("calendar.week")
    title = f"{MONTHS[monday.month - 1]} {monday.day} - {MONTHS[sunday.month - 1]} {sunday.day}"
    new = {"dialog": "calendar.new", "form.*": None}
    bar = div(
        "toolbar",
        view.button("New event", "calendar.new", go(new), sign="plus", kind="primary"),
        view.button("Today", "calendar.today", go({"calendar.week": 0})),
        view.press(
            "arrow",
            "calendar.earlier",
            go({"calendar.week": number - 1}),
            icon("left", 16),
            label="Earlier week",
        ),
        view.press(
            "arrow",
            "calendar.later",
            go({"calendar.week": number + 1}),
            icon("right", 16),
            label="Later week",
        ),
        span("week-title", f"{title}, {sunday.year}"),
    )
    hours = [div("hour", f"{hour}:00") for hour in range(FIRST, LAST)]
    days = [_day(view, monday + timedelta(days=offset)) for offset in range(7)]
    grid = div("week", div("hours", div("week-head"), hours), days)
    week = view.scroll("calendar.week", grid, rows=False)
    return join(tag("section", bar, week, class_="fill"), _dialogs(view))


def _day(view: View, day: date) -> Markup:
    events = [
        (key, event) for key, event in _ordered(view.state) if event["date"] == day.isoformat()
    ]
    lanes: list[str] = []
    placed: list[tuple[str, dict[str, Any], int]] = []
    for key, event in events:
        free = [number for number, end in enumerate(lanes) if end <= event["start"]]
        if free:
            lanes[free[0]] = event["end"]
            placed.append((key, event, free[0]))
        else:
            placed.append((key, event, len(lanes)))
            lanes.append(event["end"])
    head = "week-head today" if day == view.today else "week-head"
    return div(
        "week-day",
        div(head, span("soft", WEEKDAYS[day.weekday()][:3]), span("week-number", str(day.day))),
        div(
            "week-body",
            [_slot(view, day, time) for time in TIMES[:-1]],
            [_block(view, key, event, lane, len(lanes)) for key, event, lane in placed],
        ),
    )


def _slot(view: View, day: date, time: str) -> Markup:
    """Return a half hour: an event can be dropped at it, and a double click adds one."""
    form = {"form.date": day.isoformat(), "form.start": time, "form.end": _later(time, 60)}
    new = go({"dialog": "calendar.new", "form.*": None, **form})
    key = f"{day.isoformat()}T{time}"
    return div(
        "slot",
        style=f"top:{_pixels(time)}px",
        role="gridcell",
        aria_label=f"{short_day(day.isoformat())}, {time}",
        aria_dropeffect="move",
        data_d=view.place(f"calendar.to:{key}", "event", date=day.isoformat(), start=time),
        data_b=view.token(f"calendar.slot:{key}", time, new),
    )


def _minutes(time: str) -> int:
    hour, minute = map(int, time.split(":"))
    return 60 * hour + minute


def _later(time: str, minutes: int) -> str:
    """Return the time so many minutes later on the same day."""
    later = min(_minutes(time) + minutes, 23 * 60 + 59)
    return f"{later // 60:02}:{later % 60:02}"


def _block(view: View, key: str, event: dict[str, Any], lane: int, lanes: int) -> Markup:
    top, bottom = (_pixels(event[name]) for name in ("start", "end"))
    style = (
        f"top:{top + 1}px;height:{bottom - top - 3}px;left:{100 * lane / lanes:.2f}%;"
        f"width:calc({100 / lanes:.2f}% - 3px)"
    )
    tone = sum(map(ord, event["title"])) % 5
    lasts = _minutes(event["end"]) - _minutes(event["start"])

    def moved(to: Mapping[str, JsonValue]) -> Action:
        end = _later(str(to["start"]), lasts)
        return do("change_event", {"event": key, **to, "end": end}, then={"toast": "Event moved"})

    remove = go({"dialog": "calendar.remove", "dialog.of": key})
    change = go({"dialog": "calendar.edit", "dialog.of": key, **_form(event)})
    return view.press(
        f"event event{tone}",
        f"calendar.open:{key}",
        go({"dialog": "calendar.event", "dialog.of": key}),
        span("event-title", event["title"]),
        span("event-time", f"{event['start']} - {event['end']}"),
        label=event["title"],
        style=style,
        grab=Grab("event", moved),
        menu=lambda: [("edit", "Edit…", change), ("remove", "Remove…", remove)],
    )


def _form(event: dict[str, Any]) -> dict[str, JsonValue]:
    form = {f"form.{name}": event[name] for name in ("title", "date", "start", "end", "place")}
    return {**form, "form.guests": ", ".join(event["guests"])}


def _pixels(time: str) -> int:
    hour, minute = map(int, time.split(":"))
    return round((min(max(hour + minute / 60, FIRST), LAST) - FIRST) * HOUR)


def _dialogs(view: View) -> Markup:
    name, key = view.text("dialog"), view.text("dialog.of")
    event = view.state["calendar"]["events"].get(key, {})
    if name == "calendar.event" and event:
        return _event(view, key, event)
    if name == "calendar.remove" and event:
        return view.confirm(
            name,
            "Remove this event?",
            f"“{event['title']}” will be removed from your calendar.",
            "Remove",
            do("remove_event", {"event": key}, then={**CLOSE.ui, "toast": "Event removed"}),
        )
    if name not in ("calendar.new", "calendar.edit"):
        return Markup("")
    fields = {part: f"form.{part}" for part in ("title", "date", "start", "end", "place", "guests")}
    with view.layer(Layer.DIALOG):
        body = [
            view.input("form.title", "Title"),
            div(
                "columns",
                view.date_field("form.date", "Date"),
                view.select("form.start", [(time, time) for time in TIMES], label="From"),
                view.select("form.end", [(time, time) for time in TIMES], label="To"),
            ),
            view.input("form.place", "Place"),
            view.input("form.guests", "Guests", hint="name@company.example, …"),
        ]
        if name == "calendar.new":
            then = {**CLOSE.ui, "toast": "Event added"}
            action = do("add_event", {}, fields, then)
        else:
            then = {**CLOSE.ui, "toast": "Event changed"}
            action = do("change_event", {"event": key}, fields, then)
        save = view.button("Save", "calendar.save", action, kind="primary")
        title = "New event" if name == "calendar.new" else "Edit event"
        return view.dialog(title, body, view.cancel(), save)


def _event(view: View, key: str, event: dict[str, Any]) -> Markup:
    with view.layer(Layer.DIALOG):
        body = div(
            "facts",
            div("fact", icon("calendar", 16), long_day(event["date"])),
            div("fact", icon("clock", 16), f"{event['start']} - {event['end']}"),
            div("fact", icon("place", 16), event["place"] or "No place"),
            div("fact", icon("contacts", 16), ", ".join(event["guests"]) or "No guests"),
        )
        remove = view.button(
            "Remove",
            "calendar.remove",
            go({"dialog": "calendar.remove"}),
            sign="trash",
            kind="danger-quiet",
        )
        edit = view.button(
            "Edit",
            "calendar.edit",
            go({"dialog": "calendar.edit", **_form(event)}),
            sign="edit",
            kind="primary",
        )
        return view.dialog(event["title"], body, remove, edit)


CALENDAR = App(
    "calendar",
    "Calendar",
    _view,
    (
        verbs.read(read_clock),
        verbs.read(list_events),
        verbs.read(read_event),
        verbs.verb(add_event),
        verbs.verb(change_event),
        verbs.verb(remove_event),
    ),
)
