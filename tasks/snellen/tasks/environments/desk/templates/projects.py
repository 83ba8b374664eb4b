"""Tasks across applications for work: files, sheets, boards, notes, travel."""

from typing import Any

from snellen.tasks.environments.desk.apps.sheet import rows_of
from snellen.tasks.environments.desk.kit.view import long_day
from snellen.tasks.environments.desk.tasks import Draft, Template, Walk
from snellen.tasks.environments.desk.templates.calendar import TITLES, free
from snellen.tasks.environments.desk.templates.common import (
    arrived,
    buy,
    gone,
    into_cart,
    new_event,
    people,
    person_words,
    series,
    set_to,
    some,
    to_message,
    to_person,
)
from snellen.tasks.environments.desk.templates.office import (
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
from snellen.tasks.environments.desk.templates.travel import book, trip
from snellen.tasks.environments.desk.world.words import PROJECTS
from snellen.tasks.environments.reasons import Reason


def _sender(draft: Draft) -> tuple[dict[str, Any], dict[str, str]]:
    _, person = draft.rng.choice(people(draft))
    return person, {"from": person["email"], "name": person["name"]}


def _answer(walk: Walk, answer: str) -> None:
    walk.go("mail")
    walk.press("mail.reply")
    walk.write(body=answer)
    walk.press("mail.send")


def _share(draft: Draft) -> None:
    person, sender = _sender(draft)
    chosen = some(draft, [item for item in files(draft) if not item[1]["shared"]])
    names = "\n".join(f"- {file['name']}" for _, file in chosen)
    asked = arrived(
        draft,
        **sender,
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

    def way(walk: Walk) -> None:
        to_message(walk, asked)
        for key, _ in chosen:
            to_file(walk, key)
            walk.press("files.share")
            walk.write(email=person["email"])
            walk.press("files.save")
        _answer(walk, "Shared.")

    draft.way = way


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

    def way(walk: Walk) -> None:
        for key, count in zip(keys, counts, strict=True):
            into_cart(walk, key, count)
        buy(walk, "standard")
        for row in rows:
            into_cell(walk, INVENTORY, f"E{row}", "ordered")

    draft.way = way


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

    def way(walk: Walk) -> None:
        book(walk, key, 1)
        new_event(walk, event)
        for cell, value in entries.items():
            into_cell(walk, TRIPS, cell, value)

    draft.way = way


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

    def way(walk: Walk) -> None:
        to_note(walk, "t90")
        for event in made:
            new_event(walk, event)
        walk.go("notes")
        walk.press("notes.remove", "notes.remove.yes")

    draft.way = way


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

    def way(walk: Walk) -> None:
        with walk.looking():
            to_person(walk, key)
        for card, _ in chosen:
            to_card(walk, card)
            walk.write(assignee=person["name"])
            walk.press("kanban.save")

    draft.way = way


def _finished(draft: Draft) -> None:
    person, sender = _sender(draft)
    chosen = some(draft, [item for item in cards(draft) if item[1]["column"] != "Done"])
    names = "\n".join(f"- {card['title']} ({card['board']})" for _, card in chosen)
    asked = arrived(
        draft, **sender, subject="Finished", body=f"Hello,\n\nthis is finished:\n\n{names}\n"
    )
    draft.goal = (
        f"{person['name']} reports by mail what is finished. Move these cards of the boards to"
        " “Done”, and archive the message. If a card is not there, do neither."
    )
    for card, _ in chosen:
        draft.expect("change_card", card=card, column="Done")
    draft.expect("move_message", message=asked, folder="archive")
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", chosen[-1][0]))

    def way(walk: Walk) -> None:
        to_message(walk, asked)
        for card, _ in chosen:
            to_card(walk, card)
            walk.choose("form.column", "Done")
            walk.press("kanban.save")
        walk.go("mail")
        walk.press("mail.move", "mail.move:archive")

    draft.way = way


def _amounts(draft: Draft) -> None:
    person, sender = _sender(draft)
    cells = draft.state["sheet"]["sheets"][BUDGET]["cells"]
    rows = draft.rng.sample(rows_of({"cells": cells}), draft.size)
    column = draft.rng.choice("BCDEF")
    values = [str(4000 + draft.rng.randrange(1, 90) * 10) for _ in rows]
    lines = "\n".join(
        f"- {cells[f'A{row}']}: {value}" for row, value in zip(rows, values, strict=True)
    )
    asked = arrived(
        draft,
        **sender,
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

    def way(walk: Walk) -> None:
        to_message(walk, asked)
        for row, value in zip(rows, values, strict=True):
            into_cell(walk, BUDGET, f"{column}{row}", value)
        _answer(walk, answer)

    draft.way = way


PROJECT = (
    Template("share-by-mail", ("mail", "files"), _share),
    Template("restock", ("sheet", "shop"), _restock),
    Template("plan-trip", ("travel", "calendar", "sheet"), _journey),
    Template("dates-from-note", ("notes", "calendar"), _dates),
    Template("assign-by-role", ("contacts", "kanban"), _assign),
    Template("finish-by-mail", ("mail", "kanban"), _finished),
    Template("amounts-by-mail", ("mail", "sheet"), _amounts),
)
