"""Travel: trains and flights to search, book and cancel."""

from typing import Annotated, Any

from markupsafe import Markup
from pydantic import Field, JsonValue

from snellen.worlds.desk.apps.calendar import Day
from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Layer,
    View,
    do,
    go,
    long_day,
    money,
    short_day,
)

SORTS = (("departs", "Departure"), ("price", "Price"), ("arrives", "Arrival"))


class TripSearch(verbs.Arguments):
    """From where to where, on which day; empty: any."""

    start: str = ""
    goal: str = ""
    day: Day | None = None


class Booking(verbs.Arguments):
    """A trip and for how many."""

    trip: str
    travelers: Annotated[int, Field(ge=1, le=9)] = 1


class BookingId(verbs.Arguments):
    """A booking."""

    booking: str


def book_trip(state: verbs.State, given: Booking) -> JsonValue:
    """Book a trip for some travelers."""
    trip = verbs.take(state["travel"]["trips"], given.trip, "trip")
    if trip["seats"] == 0:
        raise verbs.RefusalError("This trip is fully booked")
    if trip["seats"] < given.travelers:
        raise verbs.RefusalError(f"Only {trip['seats']} seats are free")
    trip["seats"] -= given.travelers
    bookings = state["travel"]["bookings"]
    last = max((int(each["code"].removeprefix("TR")) for each in bookings.values()), default=1000)
    booking = {
        "code": f"TR{last + 1}",
        "trip": given.trip,
        "travelers": given.travelers,
        "total": trip["price"] * given.travelers,
        "status": "booked",
    }
    return {"booking": verbs.add(bookings, booking), "code": booking["code"]}


def cancel_booking(state: verbs.State, given: BookingId) -> JsonValue:
    """Cancel a booking, if its fare allows it."""
    booking = verbs.take(state["travel"]["bookings"], given.booking, "booking")
    if booking["status"] != "booked":
        raise verbs.RefusalError("This booking is canceled already")
    trip = state["travel"]["trips"][booking["trip"]]
    if not trip["refundable"]:
        raise verbs.RefusalError("This fare is not refunded")
    booking["status"] = "canceled"
    trip["seats"] += booking["travelers"]
    return booking


def list_trips(state: verbs.State, given: TripSearch) -> JsonValue:
    """List the trips of a route and a day, by date and departure."""
    found = _listed(state, given.start, given.goal, given.day or "", "departs")
    return [{"id": key, **trip} for key, trip in found]


def list_bookings(state: verbs.State, given: verbs.NoArguments) -> JsonValue:
    """List the bookings."""
    del given
    return [{"id": key, **booking} for key, booking in state["travel"]["bookings"].items()]


def _listed(
    state: verbs.State, start: str, goal: str, day: str, sort: str
) -> list[tuple[str, dict[str, Any]]]:
    found = [
        (key, trip)
        for key, trip in state["travel"]["trips"].items()
        if start in ("", trip["start"]) and goal in ("", trip["goal"]) and day in ("", trip["date"])
    ]
    if sort == "price":
        return sorted(found, key=lambda item: (item[1]["price"], item[0]))
    return sorted(found, key=lambda item: (item[1]["date"], item[1][sort], item[0]))


def _view(view: View) -> Markup:
    tab = view.text("travel.tab", "search")
    bar = div(
        "tabs travel-tabs",
        [
            view.press(
                "tab on" if key == tab else "tab",
                f"travel.tab:{key}",
                go({"travel.tab": key}),
                icon(sign, 16),
                span("", words),
                label=words,
            )
            for key, words, sign in (
                ("search", "Find a trip", "search"),
                ("bookings", "My bookings", "travel"),
            )
        ],
    )
    body = _search(view) if tab == "search" else _bookings(view)
    return join(tag("section", bar, body, class_="fill"), _dialogs(view))


def _search(view: View) -> Markup:
    trips = view.state["travel"]["trips"].values()
    cities = [(city, city) for city in sorted({trip["start"] for trip in trips})]
    day = view.text("travel.day")
    found = _listed(
        view.state,
        view.text("travel.start"),
        view.text("travel.goal"),
        day,
        view.text("travel.sort", "departs"),
    )
    bar = div(
        "toolbar tall",
        view.select("travel.start", [("", "Any place"), *cities], label="From"),
        view.select("travel.goal", [("", "Any place"), *cities], label="To"),
        view.date_field("travel.day", "Date"),
        view.labelled(
            "Any date",
            view.button("Clear", "travel.anyday", go({"travel.day": ""}), disabled=not day),
        ),
        view.select("travel.sort", SORTS, label="Sort by", default="departs"),
        span("grow"),
        view.total(len(found)),
    )
    rows = [_trip(view, key, trip) for key, trip in found]
    where = f"travel.page.{view.text('travel.start')}.{view.text('travel.goal')}.{day}"
    return join(bar, view.scroll(where, rows) if rows else div("empty", "No trips found"))


def _trip(view: View, key: str, trip: dict[str, Any]) -> Markup:
    book = view.button(
        "Book" if trip["seats"] else "Full",
        f"travel.book:{key}",
        go({"dialog": "travel.book", "dialog.of": key, "form.travelers": "1"}),
        kind="primary",
        disabled=not trip["seats"],
    )
    return div(
        "trip",
        span("trip-kind", icon("train" if trip["kind"] == "train" else "travel", 20)),
        div("trip-when", div("strong", short_day(trip["date"])), div("soft", trip["kind"])),
        div("trip-time", div("strong", trip["departs"]), div("soft", trip["start"])),
        span("trip-line"),
        div("trip-time", div("strong", trip["arrives"]), div("soft", trip["goal"])),
        span("grow"),
        _fare(view, key, trip),
        span("soft trip-seats", f"{trip['seats']} seats" if trip["seats"] else "No seats"),
        span("price trip-price", money(trip["price"])),
        book,
    )


def _fare(view: View, key: str, trip: dict[str, Any]) -> Markup:
    shown = span("soft trip-fare", "Refundable" if trip["refundable"] else "No refund")
    run, kind = span("strong", f"Run by {trip['operator']}"), trip["kind"].capitalize()
    more = span("", f"{kind}, {trip['departs']} to {trip['arrives']}")
    return view.hover(f"travel.fare:{key}", shown, "tip", run, more)


def _bookings(view: View) -> Markup:
    trips = view.state["travel"]["trips"]
    rows: list[Markup] = []
    bookings = view.state["travel"]["bookings"].items()
    ordered = sorted(bookings, key=lambda item: (trips[item[1]["trip"]]["date"], item[0]))
    for key, booking in ordered:
        trip = trips[booking["trip"]]
        cancel = view.button(
            "Cancel",
            f"travel.cancel:{key}",
            go({"dialog": "travel.cancel", "dialog.of": key}),
            kind="danger-quiet",
            disabled=booking["status"] != "booked",
        )
        route = f"{trip['start']} to {trip['goal']}"
        people = f"{booking['travelers']} traveler{'s' if booking['travelers'] > 1 else ''}"
        rows.append(
            div(
                "trip",
                span("trip-kind", icon("train" if trip["kind"] == "train" else "travel", 20)),
                div("trip-when", div("strong", short_day(trip["date"])), div("soft", trip["kind"])),
                div(
                    "trip-route", div("strong", route), div("soft", f"{trip['departs']}, {people}")
                ),
                span("grow"),
                span("soft", booking["code"]),
                span("soft trip-fare", "Refundable" if trip["refundable"] else "No refund"),
                span(f"status is-{booking['status']}", booking["status"].capitalize()),
                span("price trip-price", money(booking["total"])),
                cancel,
            )
        )
    bar = div(
        "toolbar", span("strong", "My bookings"), span("grow"),
        view.total(len(ordered)),
    )  # fmt: skip
    return join(
        bar, view.scroll("travel.booked", rows) if rows else div("empty", "Nothing is booked")
    )


def _dialogs(view: View) -> Markup:
    name, key = view.text("dialog"), view.text("dialog.of")
    if name == "travel.cancel":
        code = view.state["travel"]["bookings"][key]["code"]
        return view.confirm(
            name,
            "Cancel this booking?",
            f"The booking {code} will be canceled, and its price paid back.",
            "Cancel the booking",
            do("cancel_booking", {"booking": key}, then={**CLOSE.ui, "toast": "Booking canceled"}),
        )
    if name != "travel.book":
        return Markup("")
    trip = view.state["travel"]["trips"][key]
    with view.layer(Layer.DIALOG):
        facts = (
            ("Route", f"{trip['start']} to {trip['goal']}, by {trip['kind']}"),
            ("Date", long_day(trip["date"])),
            ("Time", f"{trip['departs']} to {trip['arrives']}"),
            ("Price", f"{money(trip['price'])} each"),
        )
        body = [
            tag("dl", [join(tag("dt", word), tag("dd", value)) for word, value in facts]),
            view.input("form.travelers", "Travelers", enter="travel.save"),
        ]
        then = {**CLOSE.ui, "toast": "Trip booked", "travel.tab": "bookings"}
        action = do("book_trip", {"trip": key}, {"travelers": "form.travelers"}, then)
        save = view.button("Book now", "travel.save", action, kind="primary")
        return view.dialog("Book this trip", body, view.cancel(), save)


TRAVEL = App(
    "travel",
    "Travel",
    _view,
    (
        verbs.read(list_trips),
        verbs.read(list_bookings),
        verbs.verb(book_trip, undo=False),
        verbs.verb(cancel_booking, undo=False),
    ),
)
