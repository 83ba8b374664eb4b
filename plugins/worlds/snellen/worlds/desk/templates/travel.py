"""Tasks in travel."""

from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates.common import Found, gone, series, set_to, some


def trip(draft: Draft) -> tuple[str, dict[str, Any], str]:
    """Choose a trip and describe it: by departure, by price, or by fare."""
    trips = draft.state["travel"]["trips"]
    _, route = draft.rng.choice(sorted(trips.items()))
    same: Found = [
        item
        for item in sorted(trips.items())
        if all(item[1][name] == route[name] for name in ("start", "goal", "date"))
    ]
    where = f"from {route['start']} to {route['goal']} on {long_day(route['date'])}"
    if draft.difficulty == "easy":
        key, chosen = draft.rng.choice(same)
        return key, chosen, f"the trip {where} that departs at {chosen['departs']}"
    if draft.difficulty == "medium":
        key, chosen = min(same, key=lambda item: item[1]["price"])
        return key, chosen, f"the cheapest trip {where}"
    key, chosen = draft.rng.choice(same)
    for other, each in same:
        each["refundable"] = other == key
    return key, chosen, f"the only refundable trip {where}"


def to_trip(walk: Walk, key: str) -> None:
    """Find a trip by its route and day."""
    walk.go("travel")
    found = walk.desktop.state["travel"]["trips"][key]
    with walk.looking():
        walk.choose("travel.start", found["start"])
        walk.choose("travel.goal", found["goal"])
        walk.choose_day("travel.day", found["date"])


def book(walk: Walk, key: str, travelers: int) -> None:
    """Book a trip."""
    to_trip(walk, key)
    walk.press(f"travel.book:{key}")
    if travelers != 1:
        walk.fill("form.travelers", str(travelers))
    walk.press("travel.save")


def _book(draft: Draft) -> None:
    key, _, words = trip(draft)
    travelers = draft.rng.randrange(1, 4)
    draft.goal = (
        f"Book {words} for {travelers} traveler{'s' * (travelers > 1)}. If that trip is fully"
        " booked, book none at all."
    )
    draft.expect("book_trip", trip=key, travelers=travelers)
    draft.impossible(Reason.NOT_AVAILABLE, set_to("travel.trips", key, seats=0))
    draft.way = lambda walk: book(walk, key, travelers)


def _cancel(draft: Draft) -> None:
    state = draft.state["travel"]
    chosen = some(draft, list(state["bookings"].items()))
    for _, booking in chosen:
        state["trips"][booking["trip"]]["refundable"] = True
    words = series([booking["code"] for _, booking in chosen])
    noun = "this booking" if len(chosen) == 1 else "these bookings"
    draft.goal = (
        f"Cancel {noun} in the travel application: {words}. If the price of any of them is not paid"
        " back, cancel none."
    )
    for key, _ in chosen:
        draft.expect("cancel_booking", booking=key)
    last = chosen[-1][1]["trip"]
    draft.impossible(Reason.NOT_ALLOWED, set_to("travel.trips", last, refundable=False))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("travel")
        walk.press("travel.tab:bookings")
        for key, _ in chosen:
            walk.press(f"travel.cancel:{key}")
            walk.press("travel.cancel.yes")


def _price(draft: Draft) -> None:
    key, chosen, words = trip(draft)
    draft.goal = (
        f"What does {words} cost for {draft.size} traveler{'s' * (draft.size > 1)}? Book nothing;"
        " answer with a number of dollars."
    )
    if draft.difficulty == "medium":
        # Without the cheapest trip another one is the cheapest, so the goal names the departure.
        draft.goal = draft.goal.replace("cost", f"(it departs at {chosen['departs']}) cost")
    draft.answer = Answer("money", chosen["price"] * draft.size / 100)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("travel.trips", key))
    for booked, booking in sorted(draft.state["travel"]["bookings"].items()):
        if booking["trip"] == key:
            del draft.state["travel"]["bookings"][booked]
    draft.way = lambda walk: to_trip(walk, key)


TRAVEL = tuple(
    Template(name, ("travel",), fill)
    for name, fill in (
        ("travel-book", _book),
        ("travel-cancel", _cancel),
        ("travel-price", _price),
    )
)
