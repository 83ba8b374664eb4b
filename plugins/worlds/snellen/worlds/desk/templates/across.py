"""Tasks across applications."""

from datetime import date, timedelta
from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.apps.sheet import rows_of
from snellen.worlds.desk.kit.view import long_day, money
from snellen.worlds.desk.tasks import Draft, Template, Walk
from snellen.worlds.desk.templates.calendar import TITLES, events, free
from snellen.worlds.desk.templates.common import (
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
from snellen.worlds.desk.templates.office import (
    BUDGET,
    INVENTORY,
    TRIPS,
    card_words,
    cards,
    files,
    into_cell,
    to_card,
    to_file,
    to_note,
)
from snellen.worlds.desk.templates.shop import goods, orders
from snellen.worlds.desk.templates.travel import book, trip
from snellen.worlds.desk.world.words import PROJECTS, ROOMS

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

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            for key, _ in chosen:
                to_person(walk, key)
        new_message(walk, ", ".join(emails), subject, body)


def _meeting(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    day, start, end = free(draft, 1)[0]
    title, place = draft.rng.choice(TITLES), draft.rng.choice(ROOMS)
    guests = [person["email"]] if draft.size > 1 else []
    key = arrived(
        draft,
        person,
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

    @draft.path
    def way(walk: Walk) -> None:
        to_message(walk, key)
        new_event(walk, {**event, "guests": guests})
        walk.go("mail")
        walk.press("mail.reply")
        walk.write(body=answer)
        walk.press("mail.send")
        if draft.size > 2:
            walk.press("mail.move", "mail.move:archive")


def _wishes(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    chosen = some(draft, goods(draft))
    counts = [draft.rng.randrange(2, 7) for _ in chosen]
    lines = [
        f"- {count} x {product['name']}" for (_, product), count in zip(chosen, counts, strict=True)
    ]
    key = arrived(
        draft,
        person,
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

    @draft.path
    def way(walk: Walk) -> None:
        to_message(walk, key)
        for (product, _), count in zip(chosen, counts, strict=True):
            into_cart(walk, product, count)
        buy(walk, "express")
        walk.go("mail")
        walk.press("mail.reply")
        walk.write(body=answer)
        walk.press("mail.send")


def _refund(draft: Draft) -> None:
    today = date.fromisoformat(draft.state["clock"][:10])
    key, order = orders(draft, "delivered", 1)[0]
    order["date"] = (today - timedelta(days=draft.rng.randrange(4, DAYS_TO_RETURN))).isoformat()
    _, person = draft.rng.choice(people(draft))
    rule = arrived(
        draft,
        {"email": "service@shop.example", "name": "Shop Service"},
        subject="Our rules for returns",
        body=f"Hello,\n\nwe take back what was ordered at most {DAYS_TO_RETURN} days ago. Please"
        " do not ask us to take back anything older.\n\nYour shop",
    )
    number = order["number"]
    asked = arrived(
        draft,
        person,
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

    @draft.path
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
            walk.press(f"mail.star:{rule}")


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

    @draft.path
    def way(walk: Walk) -> None:
        to_event(walk, key)
        walk.press("calendar.edit")
        walk.write(place=room)
        walk.press("calendar.save")
        new_message(walk, ", ".join(event["guests"]), "New place", body)


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

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            for key, _ in chosen:
                to_order(walk, key)
        new_message(walk, person["email"], "Costs", amount)


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
        person,
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

    @draft.path
    def way(walk: Walk) -> None:
        to_message(walk, asked)
        to_person(walk, key)
        walk.press("contacts.edit")
        walk.write(**news)
        walk.press("contacts.save")
        walk.go("mail")
        walk.press("mail.trash")


def _answer(walk: Walk, answer: str) -> None:
    walk.go("mail")
    walk.press("mail.reply")
    walk.write(body=answer)
    walk.press("mail.send")


def _share(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    chosen = some(draft, [item for item in files(draft) if not item[1]["shared"]])
    names = "\n".join(f"- {file['name']}" for _, file in chosen)
    asked = arrived(
        draft,
        person,
        subject="Files that I need",
        body=f"Hello,\n\ncould you share with me:\n\n{names}\n\nThank you",
    )
    draft.goal = (
        f"{person['name']} asks for files by mail. Share each of them with the address that the"
        " message came from, then reply “Shared.” If a file is not there, share none and do not"
        " reply."
    )
    for key, _ in chosen:
        draft.expect("share_file", file=key, email=person["email"])
    draft.expect("reply_to_message", message=asked, body="Shared.")
    draft.impossible(Reason.NO_SUCH_ITEM, gone("files.entries", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        to_message(walk, asked)
        for key, _ in chosen:
            to_file(walk, key)
            walk.press("files.share")
            walk.write(email=person["email"])
            walk.press("files.save")
        _answer(walk, "Shared.")


def _restock(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][INVENTORY]["cells"]
    products = draft.state["shop"]["products"]
    rows = [
        row for row in rows_of({"cells": cells}) if products[cells[f"A{row}"].lower()]["stock"] > 9
    ]
    rows = draft.rng.sample(rows, draft.size)
    counts = [draft.rng.randrange(2, 9) for _ in rows]
    for row, count in zip(rows, counts, strict=True):
        cells[f"D{row}"] = str(count)
    draft.goal = (
        "The sheet “Inventory” says what is to be ordered. Order all of it in the shop, in one"
        " order with standard shipping, and then write “ordered” into the column “Remark” of each"
        " of these rows. If a product is sold out, order nothing and write nothing."
    )
    keys = [cells[f"A{row}"].lower() for row in rows]
    for key, count in zip(keys, counts, strict=True):
        draft.expect("add_to_cart", product=key, count=count)
    draft.expect("place_order", shipping="standard")
    for row in rows:
        draft.expect("set_cell", sheet=INVENTORY, cell=f"E{row}", value="ordered")
    draft.impossible(Reason.NOT_AVAILABLE, set_to("shop.products", keys[-1], stock=0))

    @draft.path
    def way(walk: Walk) -> None:
        for key, count in zip(keys, counts, strict=True):
            into_cart(walk, key, count)
        buy(walk, "standard")
        for row in rows:
            into_cell(walk, INVENTORY, f"E{row}", "ordered")


def _journey(draft: Draft) -> None:
    key, chosen, words = trip(draft)
    cells = draft.state["sheet"]["sheets"][TRIPS]["cells"]
    row = max(rows_of({"cells": cells})) + 1
    price = f"{chosen['price'] / 100:.2f}"
    event = {
        "title": f"Trip to {chosen['goal']}",
        "date": chosen["date"],
        "start": "08:00",
        "end": "19:00",
        "place": chosen["goal"],
    }
    draft.goal = (
        f"Book {words} for 1 traveler. Add the event “{event['title']}” to your calendar on"
        f" that day from 08:00 to 19:00, place: {chosen['goal']}. In the sheet “Trips”, fill in the"
        " first empty row: the city that you go to, the date such as 2025-06-16, and the price"
        " such as 123.40. If that trip is fully booked, do none of this."
    )
    entries = {f"A{row}": chosen["goal"], f"B{row}": chosen["date"], f"C{row}": price}
    draft.expect("book_trip", trip=key, travelers=1)
    draft.expect("add_event", **event)
    for cell, value in entries.items():
        draft.expect("set_cell", sheet=TRIPS, cell=cell, value=value)
    draft.impossible(Reason.NOT_AVAILABLE, set_to("travel.trips", key, seats=0))

    @draft.path
    def way(walk: Walk) -> None:
        book(walk, key, 1)
        new_event(walk, event)
        for cell, value in entries.items():
            into_cell(walk, TRIPS, cell, value)


def _dates(draft: Draft) -> None:
    project = draft.rng.choice(PROJECTS)
    titles = draft.rng.sample(TITLES, draft.size)
    made: list[dict[str, Any]] = [
        {"title": title, "date": day, "start": start, "end": end, "place": ""}
        for title, (day, start, end) in zip(titles, free(draft, draft.size), strict=True)
    ]
    lines = "\n".join(
        f"{event['title']}: {long_day(event['date'])}, {event['start']} to {event['end']}"
        for event in made
    )
    title = f"Dates of {project}"
    draft.state["notes"]["notes"]["t90"] = {
        "title": title,
        "text": lines,
        "notebook": "Meetings",
        "pinned": False,
        "date": draft.state["clock"][:10],
    }
    draft.goal = (
        f"Your note “{title}” has dates. Add each of them to your calendar, without a place and"
        " guests, and remove the note."
    )
    for event in made:
        draft.expect("add_event", **event)
    draft.expect("remove_note", note="t90")
    draft.impossible(Reason.NO_SUCH_ITEM, gone("notes.notes", "t90"))

    @draft.path
    def way(walk: Walk) -> None:
        to_note(walk, "t90")
        for event in made:
            new_event(walk, event)
        walk.go("notes")
        walk.press("notes.remove", "notes.remove.yes")


def _assign(draft: Draft) -> None:
    chosen = some(draft, cards(draft))
    key, person = draft.rng.choice(people(draft))
    for _, card in chosen:
        card["assignee"] = "" if card["assignee"] == person["name"] else card["assignee"]
    who = (
        f"the {person['role'].lower()} of {person['company']}"
        if draft.difficulty == "easy"
        else person_words(draft, person)
    )
    words = series([card_words(draft, card) for _, card in chosen])
    draft.goal = f"On the boards, assign to {who}, whose name is in your contacts: {words}."
    for card, _ in chosen:
        draft.expect("change_card", card=card, assignee=person["name"])
    draft.impossible(Reason.NO_SUCH_ITEM, gone("contacts.people", key))

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            to_person(walk, key)
        for card, _ in chosen:
            to_card(walk, card)
            walk.write(assignee=person["name"])
            walk.press("kanban.save")


def _finished(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    chosen = some(draft, [item for item in cards(draft) if item[1]["column"] != "Done"])
    names = "\n".join(f"- {card['title']} ({card['board']})" for _, card in chosen)
    asked = arrived(
        draft, person, subject="Finished", body=f"Hello,\n\nthis is finished:\n\n{names}\n"
    )
    draft.goal = (
        f"{person['name']} reports by mail what is finished. Move these cards of the boards to"
        " “Done”, and archive the message. If a card is not there, do neither."
    )
    for card, _ in chosen:
        draft.expect("change_card", card=card, column="Done")
    draft.expect("move_message", message=asked, folder="archive")
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        to_message(walk, asked)
        for card, _ in chosen:
            to_card(walk, card)
            walk.choose("form.column", "Done")
            walk.press("kanban.save")
        walk.go("mail")
        walk.press("mail.move", "mail.move:archive")


def _amounts(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    cells = draft.state["sheet"]["sheets"][BUDGET]["cells"]
    rows = draft.rng.sample(rows_of({"cells": cells}), draft.size)
    column = draft.rng.choice("BCDEF")
    values = [str(4000 + draft.rng.randrange(1, 90) * 10) for _ in rows]
    lines = "\n".join(
        f"- {cells[f'A{row}']}: {value}" for row, value in zip(rows, values, strict=True)
    )
    asked = arrived(
        draft,
        person,
        subject="Budget: new amounts",
        body=f"Hello,\n\nthe new amounts for {cells[f'{column}1']} are:\n\n{lines}\n",
    )
    answer = "Entered."
    draft.goal = (
        f"Enter the new amounts, which {person['name']} sent by mail, in the sheet “Budget”, and"
        f" reply “{answer}” If the sheet has no row for one of them, enter nothing and do not"
        " reply."
    )
    for row, value in zip(rows, values, strict=True):
        draft.expect("set_cell", sheet=BUDGET, cell=f"{column}{row}", value=value)
    draft.expect("reply_to_message", message=asked, body=answer)

    def change(state: dict[str, Any]) -> None:
        state["sheet"]["sheets"][BUDGET]["cells"][f"A{rows[-1]}"] = "Storage"

    draft.impossible(Reason.NO_SUCH_ITEM, change)

    @draft.path
    def way(walk: Walk) -> None:
        to_message(walk, asked)
        for row, value in zip(rows, values, strict=True):
            into_cell(walk, BUDGET, f"{column}{row}", value)
        _answer(walk, answer)


ACROSS = (
    Template("write-to-contacts", ("contacts", "mail"), _write),
    Template("accept-meeting", ("mail", "calendar"), _meeting),
    Template("order-by-mail", ("mail", "shop"), _wishes),
    Template("refund-by-policy", ("mail", "shop"), _refund),
    Template("tell-guests", ("calendar", "mail"), _tell_guests),
    Template("report-costs", ("shop", "contacts", "mail"), _cost),
    Template("update-card", ("mail", "contacts"), _card),
    Template("share-by-mail", ("mail", "files"), _share),
    Template("restock", ("sheet", "shop"), _restock),
    Template("plan-trip", ("travel", "calendar", "sheet"), _journey),
    Template("dates-from-note", ("notes", "calendar"), _dates),
    Template("assign-by-role", ("contacts", "kanban"), _assign),
    Template("finish-by-mail", ("mail", "kanban"), _finished),
    Template("amounts-by-mail", ("mail", "sheet"), _amounts),
)
