"""Tasks across applications."""

from datetime import date, timedelta
from typing import Any

from snellen.tasks.environments.desk.kit.view import long_day, money
from snellen.tasks.environments.desk.tasks import Draft, Template, Walk
from snellen.tasks.environments.desk.templates.calendar import TITLES, events, free
from snellen.tasks.environments.desk.templates.common import (
    arrived,
    buy,
    event_words,
    gone,
    into_cart,
    more,
    new_event,
    new_message,
    people,
    person_words,
    series,
    set_to,
    some,
    to_event,
    to_message,
    to_order,
    to_person,
)
from snellen.tasks.environments.desk.templates.shop import goods, orders
from snellen.tasks.environments.desk.world.words import ROOMS
from snellen.tasks.environments.reasons import Reason

DAYS_TO_RETURN = 14


def _write(draft: Draft) -> None:
    chosen = some(draft, people(draft))
    subject = draft.rng.choice(("New opening hours", "Change of address", "Summer party"))
    body = draft.rng.choice(("Please tell your team.", "Please take note of it."))
    words = series([person_words(draft, person) for _, person in chosen])
    draft.goal = (
        f"Write one message to {words}; the addresses are in your contacts. Subject: “{subject}”,"
        f" text: “{body}”"
    )
    emails = [person["email"] for _, person in chosen]
    draft.expect("send_message", to=[*emails], subject=subject, body=body)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("contacts.people", chosen[-1][0]))

    def way(walk: Walk) -> None:
        with walk.looking():
            for key, _ in chosen:
                to_person(walk, key)
        new_message(walk, ", ".join(emails), subject, body)

    draft.way = way


def _meeting(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    day, start, end = free(draft, 1)[0]
    title, place = draft.rng.choice(TITLES), draft.rng.choice(ROOMS)
    guests = [person["email"]] if draft.size > 1 else []
    key = arrived(
        draft,
        **{"from": person["email"], "name": person["name"]},
        subject=f"{title}: can we meet?",
        body=f"Hello,\n\ncan we meet for the {title.lower()} on {long_day(day)} from {start} to"
        f" {end}? The place is {place}.\n\n{person['name'].split()[0]}",
    )
    answer = "Yes, see you then."
    invited = "with nobody as a guest" if not guests else "with the sender as its guest"
    draft.goal = (
        f"{person['name']} asks by mail for a meeting. Add it to your calendar as “{title}”, with"
        f" the time and the place of the message and {invited}, and reply “{answer}” If the time"
        " is taken in your calendar, do neither."
    )
    event = {"title": title, "date": day, "start": start, "end": end, "place": place}
    draft.expect("add_event", **event, guests=guests)
    draft.expect("reply_to_message", message=key, body=answer)
    if draft.size > 2:
        draft.goal += " Archive the message in the end."
        draft.expect("move_message", message=key, folder="archive")
    taken: dict[str, Any] = {**event, "title": "Board meeting", "place": "Room Elm", "guests": []}
    draft.impossible(Reason.CONFLICT, more("calendar.events", taken))

    def way(walk: Walk) -> None:
        to_message(walk, key)
        new_event(walk, {**event, "guests": guests})
        walk.go("mail")
        walk.press("mail.reply")
        walk.write(body=answer)
        walk.press("mail.send")
        if draft.size > 2:
            walk.press("mail.move", "mail.move:archive")

    draft.way = way


def _wishes(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    chosen = some(draft, goods(draft))
    counts = [draft.rng.randrange(2, 7) for _ in chosen]
    lines = [
        f"- {count} x {product['name']}" for (_, product), count in zip(chosen, counts, strict=True)
    ]
    key = arrived(
        draft,
        **{"from": person["email"], "name": person["name"]},
        subject="Things we need for the office",
        body="Hello,\n\nplease order for us:\n\n" + "\n".join(lines) + "\n\nExpress, please.",
    )
    answer = "Ordered."
    draft.goal = (
        f"Order in the shop what {person['name']} asks for by mail, in one order and with the"
        f" shipping that the message asks for, and then reply “{answer}” If something is sold out,"
        " order nothing and do not reply."
    )
    for (product, _), count in zip(chosen, counts, strict=True):
        draft.expect("add_to_cart", product=product, count=count)
    draft.expect("place_order", shipping="express")
    draft.expect("reply_to_message", message=key, body=answer)
    draft.impossible(Reason.NOT_AVAILABLE, set_to("shop.products", chosen[-1][0], stock=0))

    def way(walk: Walk) -> None:
        to_message(walk, key)
        for (product, _), count in zip(chosen, counts, strict=True):
            into_cart(walk, product, count)
        buy(walk, "express")
        walk.go("mail")
        walk.press("mail.reply")
        walk.write(body=answer)
        walk.press("mail.send")

    draft.way = way


def _refund(draft: Draft) -> None:
    today = date.fromisoformat(draft.state["clock"][:10])
    key, order = orders(draft, "delivered", 1)[0]
    order["date"] = (today - timedelta(days=draft.rng.randrange(4, DAYS_TO_RETURN))).isoformat()
    _, person = draft.rng.choice(people(draft))
    rule = arrived(
        draft,
        **{"from": "service@shop.example", "name": "Shop Service"},
        subject="Our rules for returns",
        body=f"Hello,\n\nwe take back what was ordered at most {DAYS_TO_RETURN} days ago. Please"
        " do not ask us to take back anything older.\n\nYour shop",
    )
    number = order["number"]
    asked = arrived(
        draft,
        **{"from": person["email"], "name": person["name"]},
        subject="Damaged goods",
        body=f"Hello,\n\nwhat came with the order {number} is damaged. Can you send it back?",
    )
    answer = "It goes back."
    draft.goal = (
        f"{person['name']} reports by mail that an order is damaged. If the shop's rules for"
        " returns, which are in your inbox, allow it today, ask the shop to take the order back as"
        f" damaged, and reply to {person['name']}: “{answer}” Otherwise do neither."
    )
    draft.expect("return_order", order=key, reason="damaged")
    draft.expect("reply_to_message", message=asked, body=answer)
    if draft.size > 1:
        draft.goal += " If it is allowed, give a star to the message with the rules."
        draft.expect("star_message", message=rule, starred=True)
    if draft.size > 2:
        draft.goal += f" Then also archive the message from {person['name']}."
        draft.expect("move_message", message=asked, folder="archive")
    older = (today - timedelta(days=DAYS_TO_RETURN + 9)).isoformat()
    draft.impossible(Reason.NOT_ALLOWED, set_to("shop.orders", key, date=older))

    def way(walk: Walk) -> None:
        to_message(walk, asked)
        to_order(walk, key)
        walk.press("shop.return", "shop.return.go")
        walk.go("mail")
        walk.press("mail.reply")
        walk.write(body=answer)
        walk.press("mail.send")
        if draft.size > 2:
            walk.press("mail.move", "mail.move:archive")
        if draft.size > 1:
            walk.seek(f"mail.star:{rule}", "mail.page")

    draft.way = way


def _tell_guests(draft: Draft) -> None:
    found = [item for item in events(draft) if item[1]["guests"]]
    key, event = some(draft, found, 1)[0]
    room = draft.rng.choice([room for room in ROOMS if room != event["place"]])
    body = f"We meet in another place: {room}."
    draft.goal = (
        f"An event of your calendar takes place elsewhere: {event_words(draft, event)}. Set its"
        f" place to “{room}”, and write one message to all of its guests, subject “New place”, text"
        f" “{body}”"
    )
    draft.expect("change_event", event=key, place=room)
    draft.expect("send_message", to=[*event["guests"]], subject="New place", body=body)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("calendar.events", key))

    def way(walk: Walk) -> None:
        to_event(walk, key)
        walk.press("calendar.edit")
        walk.write(place=room)
        walk.press("calendar.save")
        new_message(walk, ", ".join(event["guests"]), "New place", body)

    draft.way = way


def _cost(draft: Draft) -> None:
    chosen = some(draft, list(draft.state["shop"]["orders"].items()))
    _, person = draft.rng.choice(people(draft))
    amount = money(sum(order["total"] for _, order in chosen))
    numbers = series([order["number"] for _, order in chosen])
    noun = "the order" if len(chosen) == 1 else "the orders"
    draft.goal = (
        f"Write to {person_words(draft, person)}, whose address is in your contacts, what {noun}"
        f" {numbers} of the shop cost in all. Subject: “Costs”; the text is the amount alone,"
        " written as in the shop, such as “$1,234.50”."
    )
    draft.expect("send_message", to=[person["email"]], subject="Costs", body=amount)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("shop.orders", chosen[-1][0]))

    def way(walk: Walk) -> None:
        with walk.looking():
            for key, _ in chosen:
                to_order(walk, key)
        new_message(walk, person["email"], "Costs", amount)

    draft.way = way


def _card(draft: Draft) -> None:
    key, person = draft.rng.choice(people(draft))
    number = f"+1 555 {draft.rng.randrange(100, 1000)} {draft.rng.randrange(1000, 10000)}"
    news: dict[str, Any] = {"phone": number}
    if draft.size > 1:
        news["role"] = "Managing director"
    if draft.size > 2:
        news["city"] = "Ghent"
    lines = "\n".join(f"{name.capitalize()}: {value}" for name, value in news.items())
    asked = arrived(
        draft,
        **{"from": person["email"], "name": person["name"]},
        subject="My new card",
        body=f"Hello,\n\nplease note what is new:\n\n{lines}",
    )
    draft.goal = (
        f"{person['name']} sent a message about a new card. Enter what is new in your contacts, and"
        " then delete the message."
    )
    draft.expect("change_contact", contact=key, **news)
    draft.expect("move_message", message=asked, folder="trash")
    draft.impossible(Reason.NO_SUCH_ITEM, gone("contacts.people", key))

    def way(walk: Walk) -> None:
        to_message(walk, asked)
        to_person(walk, key)
        walk.press("contacts.edit")
        walk.write(**news)
        walk.press("contacts.save")
        walk.go("mail")
        walk.press("mail.trash")

    draft.way = way


ACROSS = (
    Template("write-to-contacts", ("contacts", "mail"), _write),
    Template("accept-meeting", ("mail", "calendar"), _meeting),
    Template("order-by-mail", ("mail", "shop"), _wishes),
    Template("refund-by-policy", ("mail", "shop"), _refund),
    Template("tell-guests", ("calendar", "mail"), _tell_guests),
    Template("report-costs", ("shop", "contacts", "mail"), _cost),
    Template("update-card", ("mail", "contacts"), _card),
)
