"""Descriptions of items in goals, and the paths to them, for all templates."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from pydantic import JsonValue

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Draft, Walk

Found = list[tuple[str, dict[str, Any]]]


def series(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> series(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def today(draft: Draft) -> date:
    """Return the date of a world's clock."""
    return date.fromisoformat(draft.state["clock"][:10])


def some(draft: Draft, found: Found, count: int | None = None) -> Found:
    """Choose as many of the candidates as the task is about."""
    return draft.rng.sample(sorted(found), count or draft.size)


def alone(found: Found, *names: str) -> Found:
    """Return the candidates whose values of these fields are unique."""
    values = [tuple(value[name] for name in names) for _, value in found]
    return [item for item, own in zip(found, values, strict=True) if values.count(own) == 1]


def inbox(draft: Draft) -> Found:
    """Return the messages of the inbox, by id."""
    messages = draft.state["mail"]["messages"]
    return [(key, each) for key, each in messages.items() if each["folder"] == "inbox"]


def some_mail(draft: Draft) -> Found:
    """Choose messages of the inbox that can be described."""
    found = inbox(draft)
    if draft.difficulty == "medium":
        found = alone(found, "from")
    return some(draft, alone(found, "date"))


def mail_words(draft: Draft, message: dict[str, Any]) -> str:
    """Describe a message of the inbox: by subject, by sender, or by its time."""
    if draft.difficulty == "easy":
        return f"“{message['subject']}” from {message['name']}"
    if draft.difficulty == "medium":
        return f"the only one from {message['name']}"
    return f"the one that came on {long_day(message['date'])} at {message['date'][11:16]}"


def people(draft: Draft) -> Found:
    """Return the contacts, by id."""
    return list(draft.state["contacts"]["people"].items())


def person_words(draft: Draft, person: dict[str, Any]) -> str:
    """Describe a contact: by name, or by the data of its card."""
    if draft.difficulty == "easy":
        return person["name"]
    if draft.difficulty == "medium":
        return f"the {person['role'].lower()} of {person['company']}"
    return f"the person with the phone number {person['phone']}"


def event_words(draft: Draft, event: dict[str, Any]) -> str:
    """Describe an event: by title, or by its start."""
    if draft.difficulty == "easy":
        return f"“{event['title']}” on {long_day(event['date'])}"
    if draft.difficulty == "medium":
        return f"“{event['title']}”"
    return f"the one that begins on {long_day(event['date'])} at {event['start']}"


def gone(path: str, key: str) -> Callable[[State], None]:
    """Return a function that removes an object from a collection of a state."""
    app, _, name = path.partition(".")

    def remove(state: State) -> None:
        del state[app][name][key]

    return remove


def set_to(path: str, key: str, **values: Any) -> Callable[[State], None]:  # noqa: ANN401  # JSON
    """Return a function that changes fields of an object in a collection of a state."""
    app, _, name = path.partition(".")

    def change(state: State) -> None:
        state[app][name][key].update(values)

    return change


def more(path: str, value: dict[str, Any]) -> Callable[[State], None]:
    """Return a function that adds an object to a collection of a state."""
    app, _, name = path.partition(".")

    def put(state: State) -> None:
        collection = state[app][name]
        collection[f"{name[0]}{'99' if f'{name[0]}99' not in collection else '999'}"] = value

    return put


def change_each(
    draft: Draft, path: str, chosen: Found, verb: str, name: str, **given: JsonValue
) -> None:
    """Expect a change of each item; the task is infeasible without the last."""
    for key, _ in chosen:
        draft.expect(verb, **{name: key}, **given)
    draft.impossible(Reason.NO_SUCH_ITEM, gone(path, chosen[-1][0]))


def read(walk: Walk, to: Callable[[Walk, str], None], *keys: str) -> None:
    """Open items only to read them."""
    with walk.looking():
        for key in keys:
            to(walk, key)


def to_message(walk: Walk, key: str) -> None:
    """Open a message of the inbox."""
    walk.go("mail")
    walk.press(f"mail.open:{key}")


def to_person(walk: Walk, key: str) -> None:
    """Open a contact's card."""
    walk.go("contacts")
    walk.press(f"contacts.open:{key}")


def to_week(walk: Walk, day: str) -> None:
    """Open the calendar's week of a day."""
    walk.go("calendar")
    today = date.fromisoformat(walk.desktop.state["clock"][:10])
    monday = today - timedelta(days=today.weekday())
    wanted = (date.fromisoformat(day) - monday).days // 7
    now = walk.desktop.ui.get("calendar.week") or 0
    assert isinstance(now, int)
    for _ in range(abs(wanted - now)):
        walk.press("calendar.later" if wanted > now else "calendar.earlier")


def to_event(walk: Walk, key: str) -> None:
    """Open an event."""
    to_week(walk, walk.desktop.state["calendar"]["events"][key]["date"])
    walk.press(f"calendar.open:{key}")


def new_event(walk: Walk, event: dict[str, Any]) -> None:
    """Add an event."""
    walk.go("calendar")
    walk.press("calendar.new")
    walk.write(title=event["title"])
    walk.choose_day("form.date", event["date"])
    walk.choose("form.start", event["start"])
    walk.choose("form.end", event["end"])
    walk.write(place=event["place"], guests=", ".join(event.get("guests", ())))
    walk.press("calendar.save")


def new_message(walk: Walk, to: str, subject: str, body: str) -> None:
    """Send a message."""
    walk.go("mail")
    walk.press("mail.new")
    walk.write(to=to, subject=subject, body=body)
    walk.press("mail.send")


def reply(walk: Walk, key: str, body: str) -> None:
    """Reply to a message of the inbox, which may be open."""
    walk.go("mail")
    if walk.desktop.ui.get("mail.open") != key:
        walk.press(f"mail.open:{key}")
    walk.press("mail.reply")
    walk.write(body=body)
    walk.press("mail.send")


def to_order(walk: Walk, key: str) -> None:
    """Open an order of the shop."""
    walk.go("shop")
    if walk.desktop.ui.get("shop.tab") != "orders":
        walk.press("shop.tab:orders")
    walk.press(f"shop.order:{key}")


def into_cart(walk: Walk, key: str, count: int) -> None:
    """Add pieces of a product to the cart."""
    walk.go("shop")
    if walk.desktop.ui.get("shop.tab", "goods") != "goods":
        walk.press("shop.tab:goods")
    if walk.desktop.ui.get("shop.open"):
        walk.press("shop.back")
    walk.press(f"shop.open:{key}")
    if count != 1:
        walk.fill("shop.count", str(count))
    walk.press("shop.add.go")


def buy(walk: Walk, shipping: str) -> None:
    """Order the content of the cart."""
    walk.press("shop.tab:cart", "shop.checkout")
    if shipping != "standard":
        walk.press(f"form.shipping:{shipping}")
    walk.press("shop.buy.go")


def arrived(draft: Draft, person: dict[str, Any], subject: str, body: str) -> str:
    """Put one more message on top of the inbox, and return its id."""
    me = draft.state["me"]
    made = {
        "folder": "inbox",
        "to": [me["email"]],
        "date": f"{draft.state['clock'][:10]}T{draft.rng.choice(('07:10', '07:45', '08:05'))}",
        "unread": True,
        "starred": False,
        "label": "",
        "from": person["email"],
        "name": person["name"],
        "subject": subject,
        "body": body,
    }
    key = f"m{len(draft.state['mail']['messages']) + 1:02}"
    draft.state["mail"]["messages"][key] = made
    return key
