"""Long tasks: three applications or more, and something to remember between them."""

from collections import defaultdict
from datetime import date, timedelta
from typing import Any, TypeAlias

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.apps.kanban import boards
from snellen.worlds.desk.apps.sheet import rows_of
from snellen.worlds.desk.apps.shop import REASONS
from snellen.worlds.desk.kit.view import MONTHS, WEEKDAYS, long_day, money
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates import common, office
from snellen.worlds.desk.templates.calendar import events, free
from snellen.worlds.desk.templates.shop import goods
from snellen.worlds.desk.templates.travel import to_trip
from snellen.worlds.desk.world.words import CARDS, FIRST, LAST, ROLES, ROOMS

Values: TypeAlias = dict[str, Any]

NOTE = "t90"
INVOICES, REPORTS = "d2", "d4"


def _noted(draft: Draft, title: str, *lines: str) -> None:
    today = draft.state["clock"][:10]
    note = {"title": title, "text": "\n".join(lines), "notebook": "Meetings", "date": today}
    draft.state["notes"]["notes"][NOTE] = {**note, "pinned": False}


def _written(draft: Draft, subject: str, *lines: str) -> tuple[Values, str]:
    """Let a contact write; return the contact and the message's id."""
    _, person = draft.rng.choice(common.people(draft))
    body = "\n".join(("Hello,", "", *lines, "", person["name"].split()[0]))
    return person, common.arrived(draft, person, subject, body)


def _reader(draft: Draft, *others: Values) -> tuple[str, Values, str]:
    """Choose a contact to write to: the id, the contact, and the words."""
    found = [item for item in common.people(draft) if item[1] not in others]
    key, person = draft.rng.choice(found)
    return key, person, f"{common.person_words(draft, person)}, whose address is in your contacts"


def _filed(draft: Draft, name: str, parent: str) -> str:
    """Put one more file into a folder, and return its id."""
    size, day = draft.rng.randrange(20, 900), draft.state["clock"][:10]
    file = {"name": name, "kind": "file", "parent": parent, "modified": day, "size": size}
    draft.state["files"]["entries"]["f90"] = {**file, "shared": [], "text": f"{name}\n\nDraft"}
    return "f90"


def _event(title: str, day: str, hours: tuple[int, int], place: str, *guests: str) -> Values:
    start, end = (f"{hour:02}:00" for hour in hours)
    return {"title": title, "date": day, "start": start, "end": end, "place": place,
            "guests": [*guests]}  # fmt: skip


def _cells(draft: Draft, sheet: str, values: dict[str, str]) -> None:
    for cell, value in values.items():
        draft.expect("set_cell", sheet=sheet, cell=cell, value=value)


def _onboard(draft: Draft) -> None:
    names = {person["name"] for _, person in common.people(draft)}
    every = [f"{first} {last}" for first in FIRST for last in LAST]
    name = draft.rng.choice([each for each in every if each not in names])
    email = f"{name}@{draft.state['me']['email'].partition('@')[2]}".lower().replace(" ", ".")
    role, board = draft.rng.choice(ROLES), draft.rng.choice(boards(draft.state))
    day, start, end = free(draft, 1)[0]
    first = date.fromisoformat(day)
    due = (first + timedelta(weeks=draft.size > 1)).isoformat()
    before = first - timedelta(days=draft.rng.randrange(1, 7))
    weekday = f"the first {WEEKDAYS[first.weekday()]} after {long_day(before.isoformat())}"
    _noted(
        draft,
        "A new colleague",
        "1. Contacts: add the colleague in the group Team, with name, email and role.",
        "2. Files: in the folder Contracts, make a folder that is named like the colleague.",
        f"3. Calendar: add “Welcome” on the first day, {start} to {end}, without a place; the"
        " colleague is the only guest.",
        f"4. Boards: on the board {board}, add the card “Set up the desk” to Backlog, priority"
        " high, assigned to the colleague, due"
        f" {'one week after' if draft.size > 1 else 'on'} the first day.",
    )
    text = (
        f"on {weekday if draft.size > 2 else long_day(day)}, {name} has the first day with us, as"
        f" {role.lower()}. The address is {email}. Please prepare everything."
    )
    person, asked = _written(draft, "Our new colleague", text)
    draft.goal = (
        f"{person['name']} announces a new colleague by mail (“Our new colleague”). Do all that"
        f" your note “A new colleague” asks for; write the role as “{role}”, and leave empty what"
        " the note does not name. If somebody of that name is in your contacts already, do none of"
        " it."
    )
    contact = {"name": name, "email": email, "role": role}
    event = {**_event("Welcome", day, (0, 0), "", email), "start": start, "end": end}
    card = {"title": "Set up the desk", "column": "Backlog", "priority": "high",
            "assignee": name, "due": due}  # fmt: skip
    draft.expect("add_contact", **contact, group="Team")
    draft.expect("make_folder", name=name, parent="d1")
    draft.expect("add_event", **event)
    draft.expect("add_card", board=board, **card)
    draft.impossible(Reason.CONFLICT, common.more("contacts.people", {**person, **contact}))

    @draft.path
    def way(walk: Walk) -> None:
        common.read(walk, common.to_message, asked)
        common.read(walk, office.to_note, NOTE)
        walk.go("contacts")
        walk.press("contacts.new")
        walk.write(**contact)
        walk.press("form.group:Team", "contacts.save")
        office.new_folder(walk, "d1", name)
        common.new_event(walk, event)
        office.new_card(walk, board, card)


def _journey(draft: Draft) -> list[str]:
    """Choose a way there and, unless the task is easy, a later way back: the cheapest trips."""
    trips = draft.state["travel"]["trips"]
    ways: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for key in sorted(trips, key=lambda key: trips[key]["price"]):
        ways[trips[key]["start"], trips[key]["goal"], trips[key]["date"]].append(key)
    pairs = [
        (there, back)
        for there in sorted(ways)
        for back in sorted(ways)
        if there[:2] == back[1::-1] and there[2] < back[2]
    ]
    chosen = [ways[way] for way in draft.rng.choice(pairs)[: min(draft.size, 2)]]
    if draft.size < 3:
        return [same[0] for same in chosen]
    for same in chosen:
        for key in same:
            trips[key]["refundable"] = key != same[0]
    return [same[1] for same in chosen]


def _trip(draft: Draft) -> None:
    state = draft.state["travel"]
    keys = _journey(draft)
    ways = [state["trips"][key] for key in keys]
    city, day = ways[0]["goal"], ways[0]["date"]
    total = sum(way["price"] for way in ways)
    rules = (
        f"- For each way, take the cheapest {'refundable ' * (draft.size > 2)}trip of the day.\n"
        "- Book the way there before the way back.\n"
        "- What is booked costs at most ${} in all. If it would be more, we stay at home."
    )
    limits = total // 100 + draft.rng.randrange(4, 60), total // 100 - draft.rng.randrange(5, 25)
    _noted(draft, "Rules for travel", rules.format(limits[0]))
    back = f" and go back on {long_day(ways[-1]['date'])}" * (len(ways) - 1)
    text = f"can you come from {ways[0]['start']} to {city} on {long_day(day)}{back}?"
    person, asked = _written(draft, f"Can you come to {city}?", text)
    last = max(int(each["code"].removeprefix("TR")) for each in state["bookings"].values())
    answer = "Booked: " + ", ".join(f"TR{last + 1 + number}" for number in range(len(ways)))
    event = _event(f"Visit to {city}", day, (9, 17), "")
    cells = draft.state["sheet"]["sheets"][office.TRIPS]["cells"]
    row = max(rows_of({"cells": cells})) + 1
    entries = {f"A{row}": city, f"C{row}": f"{total / 100:.2f}"}
    draft.goal = (
        f"{person['name']} asks you by mail for a visit (“Can you come to {city}?”). Book it for 1"
        f" traveler by your note “Rules for travel”. Add “{event['title']}” to your calendar on the"
        " day of the way there from 09:00 to 17:00, without a place and guests, whatever else is at"
        " that time. In the sheet “Trips”, write into the first empty row the city of the visit"
        " below “Trip” and what you pay in all, such as 123.40, below “Costs”; its date stays"
        " empty. Then reply “Booked: ” and the code of each booking, in the order of travel, such"
        " as “Booked: TR123456” or “Booked: TR123456, TR123457”. If the rules forbid the journey,"
        " do none of this."
    )
    for key in keys:
        draft.expect("book_trip", trip=key, travelers=1)
    draft.expect("add_event", **event)
    _cells(draft, office.TRIPS, entries)
    draft.expect("reply_to_message", message=asked, body=answer)
    less = common.set_to("notes.notes", NOTE, text=rules.format(limits[1]))
    draft.impossible(Reason.NOT_ALLOWED, less)

    @draft.path
    def way(walk: Walk) -> None:
        common.to_message(walk, asked)
        common.read(walk, office.to_note, NOTE)
        for key in keys:
            if walk.desktop.ui.get("travel.tab") == "bookings":
                walk.press("travel.tab:search")
            to_trip(walk, key)
            walk.press(f"travel.book:{key}", "travel.save")
        common.new_event(walk, event)
        office.into_cells(walk, office.TRIPS, entries)
        common.reply(walk, asked, answer)


def _stock(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][office.INVENTORY]["cells"]
    products = draft.state["shop"]["products"]
    rows = rows_of({"cells": cells})
    of_row = {row: cells[f"A{row}"].lower() for row in rows}
    plenty = [row for row in rows if products[of_row[row]]["stock"] > 9]
    chosen = draft.rng.sample(plenty, min(draft.size + 1, 3))
    brands = {products[of_row[row]]["brand"] for row in chosen}
    few, full = draft.rng.randrange(5, 8), draft.rng.randrange(10, 12)
    for row in rows:
        cells[f"C{row}"] = str(draft.rng.randrange(few, 30))
    for row in chosen:
        cells[f"C{row}"] = str(draft.rng.randrange(full - 9, few))
        cells.pop(f"E{row}", None)
    others = sorted({product["brand"] for product in products.values()} - brands)
    if draft.size > 2:
        for row in rows:
            if products[of_row[row]]["brand"] in others:
                cells[f"C{row}"] = str(draft.rng.randrange(few))
    shipping = draft.rng.choice(("standard", "express"))
    _noted(
        draft,
        "Rules for the stock",
        f"- If fewer than {few} pieces of an article are in the office, order as many as are"
        f" missing to {full}.",
        *([f"- We do not order anything of {common.series(others)}."] * (draft.size > 2)),
        f"- All in one order, with {shipping} shipping.",
        "- Write the number of the order into the column Remark of each row that was ordered.",
    )
    key, person, words = _reader(draft)
    counts = {row: full - int(cells[f"C{row}"]) for row in chosen}
    total = money(sum(count * products[of_row[row]]["price"] for row, count in counts.items()))
    orders = draft.state["shop"]["orders"].values()
    number = f"SO-{max(int(order['number'].removeprefix('SO-')) for order in orders) + 1}"
    draft.goal = (
        "Do the monthly order for the office as your note “Rules for the stock” says; how much of"
        " each article is in the office is in the sheet “Inventory”, whose column “To order” is not"
        f" used. Then write to {words}: subject “Stock”, text: the number of the order, a comma, a"
        " space, and what it costs in all, written as in the shop, such as “SO-12345, $1,234.50”."
        " If any of it is sold out, do none of this."
    )
    for row, count in counts.items():
        draft.expect("add_to_cart", product=of_row[row], count=count)
    draft.expect("place_order", shipping=shipping)
    remarks = {f"E{row}": number for row in chosen}
    _cells(draft, office.INVENTORY, remarks)
    body = f"{number}, {total}"
    draft.expect("send_message", to=[person["email"]], subject="Stock", body=body)
    last = of_row[chosen[-1]]
    draft.impossible(Reason.NOT_AVAILABLE, common.set_to("shop.products", last, stock=0))

    @draft.path
    def way(walk: Walk) -> None:
        common.read(walk, office.to_note, NOTE)
        common.read(walk, office.to_sheet, office.INVENTORY)
        for row, count in counts.items():
            common.into_cart(walk, of_row[row], count)
        common.buy(walk, shipping)
        office.into_cells(walk, office.INVENTORY, remarks)
        common.read(walk, common.to_person, key)
        common.new_message(walk, person["email"], "Stock", body)


def _meetings(draft: Draft) -> None:
    today, found = common.today(draft), draft.state["calendar"]["events"]
    monday = today + timedelta(days=7 - today.weekday())
    first = monday + timedelta(days=draft.rng.randrange(4))
    day, new = first.isoformat(), (first + timedelta(days=1)).isoformat()
    for key in [key for key in found if found[key]["date"] in (day, new)]:
        del found[key]
    board = draft.rng.choice(boards(draft.state))
    persons = draft.rng.sample(common.people(draft), 3)
    hours = (draft.rng.choice((8, 9)), 12, draft.rng.choice((15, 16)))
    moved = draft.rng.sample(range(3), draft.size - 1)
    starts: dict[str, int] = {}
    for number, (hour, (_, guest)) in enumerate(zip(hours, persons, strict=True)):
        key = f"e9{number}"
        title = f"{board} {('demonstration', 'figures', 'next steps')[number]}"
        place = draft.rng.choice(ROOMS)
        found[key] = _event(title, day, (hour, hour + 1), place, guest["email"])
        starts[key] = hour
        if number in moved:
            starts[key] += 1 + (draft.size > 2)
            title = ("Visit of the auditors", "Fire drill", "Interview: designer")[number]
            found[f"e8{number}"] = _event(title, new, (hour, starts[key]), "Online")
    found["e89"] = _event("Phone duty", day, (13, 14), "Online")
    every = draft.state["kanban"]["cards"].items()
    cards = {key: card for key, card in every if card["board"] == board}
    due = draft.rng.sample(sorted(cards), draft.size + 1)
    for key, card in cards.items():
        card["due"] = day if key in due else new if card["due"] == day else card["due"]
    text = (
        f"I am out on {long_day(day)}. Please move all meetings of {board} of that day to the day"
        " after, at the same time. If something is in your calendar at that time, take the first"
        f" free full hour after it. What is due on that day on the board {board} becomes due on the"
        " day after, too."
    )
    person, asked = _written(draft, f"{board}: I am out on {WEEKDAYS[first.weekday()]}", text)
    answer = "Moved: " + ", ".join(f"{hour:02}:00" for hour in starts.values())
    draft.goal = (
        f"{person['name']} asks by mail to move the meetings of {board} of a day. Do what the"
        f" message asks for, in your calendar (the meetings begin with “{board}” and last an hour)"
        f" and on the board {board}, and change nothing else of them. Then reply “Moved: ” and the"
        " times at which the meetings begin now, in the order in which they took place before, such"
        " as “Moved: 08:00, 10:00, 14:00”. If the day after is a company holiday in your calendar,"
        " do none of this."
    )
    for key, hour in starts.items():
        times = {"start": f"{hour:02}:00", "end": f"{hour + 1:02}:00"}
        draft.expect("change_event", event=key, date=new, **times)
    for key in due:
        draft.expect("change_card", card=key, due=new)
    draft.expect("reply_to_message", message=asked, body=answer)
    holiday = _event("Company holiday", new, (8, 19), "")
    draft.impossible(Reason.CONFLICT, common.more("calendar.events", holiday))

    @draft.path
    def way(walk: Walk) -> None:
        common.to_message(walk, asked)
        for key, hour in starts.items():
            common.to_event(walk, key)
            walk.press("calendar.edit")
            walk.choose_day("form.date", new)
            walk.choose("form.start", f"{hour:02}:00")
            walk.choose("form.end", f"{hour + 1:02}:00")
            walk.press("calendar.save")
        for key in due:
            office.to_card(walk, key)
            walk.choose_day("form.due", new)
            walk.press("kanban.save")
        common.reply(walk, asked, answer)


def _report(draft: Draft) -> None:
    rng, today = draft.rng, common.today(draft)
    months = [MONTHS[(today.month - 4 + offset) % 12] for offset in range(3)]
    sheets = draft.state["sheet"]["sheets"]
    names = rng.sample(("Lamps", "Chairs", "Desks", "Paper", "Phones"), draft.size + 1)
    totals: dict[str, int] = {}
    for number, region in enumerate(("North", "South", "East"), 4):
        amounts = [[rng.randrange(10, 100) * 10 for _ in months] for _ in names]
        # Ten times a number whose last digit is the region's: no two totals are equal.
        amounts[0][0] += 10 * (number - sum(map(sum, amounts)) // 10 % 10)
        totals[region] = sum(map(sum, amounts))
        cells = {"A1": "Goods", **dict(zip(("B1", "C1", "D1"), months, strict=True))}
        for row, (name, each) in enumerate(zip(names, amounts, strict=True), 2):
            texts = (name, *map(str, each))
            cells |= {f"{column}{row}": text for column, text in zip("ABCD", texts, strict=True)}
        if draft.size < 2:
            cells |= {"A4": "Sum", "B4": "=SUM(B2:D3)"}
        sheets[f"s{number}"] = {"name": region, "cells": cells}
    key, person, words = _reader(draft)
    file = _filed(draft, "Quarter draft.docx", REPORTS)
    text = "\n".join(f"{region}: {total}" for region, total in totals.items())
    body = f"Sales of the quarter: {sum(totals.values())}"
    draft.goal = (
        "Prepare the quarter report. The sheets “North”, “South” and “East” have the sales of three"
        " months, all of which together are the sum of a region. Write a note “Quarter report” in"
        " the notebook Meetings with three lines, the regions in this order and their sums: “North:"
        " 1230”, “South: 1230”, “East: 1230”. In the folder “Reports”, rename “Quarter draft.docx”"
        f" to “Quarter report.docx” and share it with {words}. Write to that address, too: subject"
        " “Quarter report”, text “Sales of the quarter: ” and the sum of the three regions, such as"
        " “Sales of the quarter: 1230”. The sheets stay as they are. If that file is not there, do"
        " none of this. Answer with the name of the region that has the highest sum."
    )
    draft.answer = Answer("text", max(totals, key=totals.__getitem__))
    draft.expect("add_note", title="Quarter report", notebook="Meetings", text=text)
    draft.expect("rename_file", file=file, name="Quarter report.docx")
    draft.expect("share_file", file=file, email=person["email"])
    draft.expect("send_message", to=[person["email"]], subject="Quarter report", body=body)
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("files.entries", file))

    @draft.path
    def way(walk: Walk) -> None:
        common.read(walk, office.to_sheet, "s4", "s5", "s6")
        office.new_note(walk, "Quarter report", "Meetings", text)
        common.read(walk, common.to_person, key)
        office.rename(walk, file, "Quarter report.docx")
        walk.press("files.share")
        walk.write(email=person["email"])
        walk.press("files.save")
        common.new_message(walk, person["email"], "Quarter report", body)


def _returns(draft: Draft) -> None:
    today, found = common.today(draft), draft.state["shop"]["orders"]
    *back, canceled = draft.rng.sample(sorted(found), draft.size + 1)
    days = draft.rng.randrange(14, 30)
    words = dict(REASONS)
    reasons = {key: draft.rng.choice(sorted(words)) for key in back}
    for key in back:
        ordered = today - timedelta(days=draft.rng.randrange(3, days))
        found[key].update(status="delivered", date=ordered.isoformat())
    found[canceled].update(status="processing", date=(today - timedelta(days=1)).isoformat())
    told = {**reasons, canceled: "unwanted"}
    lines = [f"- {found[key]['number']}: {words[told[key]]}" for key in sorted(told)]
    person, asked = _written(draft, "These can go", "can you give these orders back?", "", *lines)
    week = [today + timedelta(days=offset) for offset in range(1, 8)]
    pickup = draft.rng.choice([day for day in week if day.weekday() < 5])
    named = draft.size > 1
    when = f"the first {WEEKDAYS[pickup.weekday()]} after today" if named else long_day(f"{pickup}")
    _noted(
        draft,
        "Rules for returns",
        f"- What was ordered at most {days} days ago and is delivered goes back, for the reason"
        " that we are told.",
        "- What is still being processed is canceled.",
        "- All else stays with us.",
        f"- The driver comes on {when}, 10:00 to 12:00.",
    )
    event = _event("Pickup", pickup.isoformat(), (10, 12), "Front desk")
    answer = f"We get back {money(sum(found[key]['total'] for key in told))}."
    draft.goal = (
        f"{person['name']} asks by mail (“These can go”) to give orders of the shop back. Send back"
        " or cancel each of them, as your note “Rules for returns” says. Add the event “Pickup” to"
        " your calendar at the time when the driver comes, place: Front desk, without guests,"
        " whatever else is at that time. Then reply “We get back $1,234.50.”, with the sum of what"
        " all of these orders cost, and archive the message. If the rules say of any of these"
        " orders that it stays, do none of this."
    )
    for key, reason in reasons.items():
        draft.expect("return_order", order=key, reason=reason)
    draft.expect("cancel_order", order=canceled)
    draft.expect("add_event", **event)
    draft.expect("reply_to_message", message=asked, body=answer)
    draft.expect("move_message", message=asked, folder="archive")
    older = (today - timedelta(days=days + draft.rng.randrange(3, 20))).isoformat()
    draft.impossible(Reason.NOT_ALLOWED, common.set_to("shop.orders", back[-1], date=older))

    @draft.path
    def way(walk: Walk) -> None:
        common.to_message(walk, asked)
        common.read(walk, office.to_note, NOTE)
        for key, reason in reasons.items():
            common.to_order(walk, key)
            walk.press("shop.return")
            if reason != "damaged":
                walk.press(f"form.reason:{reason}")
            walk.press("shop.return.go")
        common.to_order(walk, canceled)
        walk.press("shop.cancel", "shop.cancel.yes")
        common.new_event(walk, event)
        common.reply(walk, asked, answer)
        walk.press("mail.move", "mail.move:archive")


def _invoice(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][office.BUDGET]["cells"]
    parts = {1: (60, 40), 2: (50, 30, 20), 3: (45, 35, 20)}[draft.size]
    rows = draft.rng.sample(rows_of({"cells": cells}), len(parts))
    column = draft.rng.choice("BCDEF")
    number = f"INV-{draft.rng.randrange(1000, 10_000)}"
    amount = draft.rng.randrange(10, 60) * 100
    shares = [amount * part // 100 for part in parts]
    text = f"here is the invoice {number} over ${amount:,}.00 for {cells[f'{column}1']}."
    person, asked = _written(draft, f"Invoice {number}", text)
    names = [cells[f"A{row}"] for row in rows]
    lines = [f"- {name}: {part} %" for name, part in zip(names, parts, strict=True)]
    if draft.size > 2:
        lines[-1] = f"- {names[-1]}: what is left"
    _noted(draft, f"Shares of {person['company']}", *lines)
    file = _filed(draft, f"{number}.pdf", INVOICES)
    key, reader, words = _reader(draft, person)
    name = f"{number} {person['company'].split()[0]}.pdf"
    draft.goal = (
        f"{person['name']} sent the invoice {number} by mail. Your note “Shares of"
        f" {person['company']}” says over which items of the sheet “Budget” it is split: raise the"
        " amount of each of them by its share, in the month that the message names. In the folder"
        f" “Invoices”, rename “{number}.pdf” to “{name}” and move it to the folder “Reports”."
        f" Forward the message, with no words of your own, to {words}, and give it the label"
        " “Work”. If the sheet has no row for one of the items, do none of this. Answer with the"
        " largest share, in dollars."
    )
    draft.answer = Answer("money", max(shares))
    values = {
        f"{column}{row}": str(int(cells[f"{column}{row}"]) + share)
        for row, share in zip(rows, shares, strict=True)
    }
    _cells(draft, office.BUDGET, values)
    draft.expect("rename_file", file=file, name=name)
    draft.expect("move_file", file=file, folder=REPORTS)
    draft.expect("forward_message", message=asked, to=[reader["email"]])
    draft.expect("label_message", message=asked, label="Work")
    office.label_changed(draft, office.BUDGET, f"A{rows[-1]}")

    @draft.path
    def way(walk: Walk) -> None:
        common.to_message(walk, asked)
        common.read(walk, office.to_note, NOTE)
        office.into_cells(walk, office.BUDGET, values)
        office.rename(walk, file, name)
        walk.press("files.move", f"files.move:{REPORTS}")
        common.read(walk, common.to_person, key)
        walk.go("mail")
        walk.press("mail.forward")
        walk.write(to=reader["email"])
        walk.press("mail.send", "mail.label", "mail.label:Work")


def _incident(draft: Draft) -> None:
    board = draft.rng.choice(boards(draft.state))
    cards = draft.state["kanban"]["cards"].values()
    taken = {card["title"] for card in cards if card["board"] == board}
    titles = draft.rng.sample([title for title in CARDS if title not in taken], 2)
    chosen = draft.rng.sample(common.people(draft), 2)
    case = f"C-{draft.rng.randrange(1000, 10_000)}"
    happened = common.today(draft) - timedelta(days=draft.rng.randrange(1, 4))
    days = draft.rng.randrange(7, 12)
    due = (happened + timedelta(days=days)).isoformat()
    until = f"{days} days after it happened" if draft.size > 1 else f"on {long_day(due)}"
    settings = draft.state["settings"]["values"]
    key = next(key for key in settings if settings[key]["title"] == "Daily backup")
    settings[key]["value"] = "off"
    lines = [
        f"- {title}: {who['phone']}" if draft.size > 2 else
        f"- {title}: {who['role']} of {who['company']}"
        for title, (_, who) in zip(titles, chosen, strict=True)
    ]  # fmt: skip
    text = (
        f"it happened on {long_day(happened.isoformat())}, the case is {case}. What to do, and who:"
    )
    person, asked = _written(draft, "The server was down", text, *lines)
    rules = [
        f"- Board {board}: a card for each thing to be done, in Doing, priority high, assigned to"
        f" who does it, due {until}.",
        "- Settings: turn on “Daily backup”.",
        "- This note: add the number of the case alone as a new last line, and pin the note.",
        "- Mail: reply “Follow-up of ” and the number of the case, such as “Follow-up of C-1000”.",
    ]
    _noted(draft, "After an incident", *rules)
    text = "\n".join((*rules, case))
    answer = f"Follow-up of {case}"
    draft.goal = (
        f"{person['name']} reports an incident by mail (“The server was down”). Do all that your"
        " note “After an incident” asks for. The cards have the titles that are in the message, and"
        " your contacts say who is meant there. If that setting can not be changed, do none of"
        " this."
    )
    made = [
        {"title": title, "column": "Doing", "priority": "high", "assignee": who["name"], "due": due}
        for title, (_, who) in zip(titles, chosen, strict=True)
    ]
    for card in made:
        draft.expect("add_card", board=board, **card)
    draft.expect("change_setting", setting=key, value="on")
    draft.expect("change_note", note=NOTE, text=text)
    draft.expect("pin_note", note=NOTE, pinned=True)
    draft.expect("reply_to_message", message=asked, body=answer)
    draft.impossible(Reason.NOT_ALLOWED, common.set_to("settings.values", key, locked=True))

    @draft.path
    def way(walk: Walk) -> None:
        common.to_message(walk, asked)
        office.to_note(walk, NOTE)
        common.read(walk, common.to_person, *(each for each, _ in chosen))
        for card in made:
            office.new_card(walk, board, card)
        office.to_setting(walk, key, "on")
        walk.go("notes")
        walk.press("notes.edit")
        walk.write(text=text)
        walk.press("notes.save", "notes.pin")
        common.reply(walk, asked, answer)


def _duplicates(draft: Draft) -> None:
    kept, person = draft.rng.choice(common.people(draft))
    first = person["name"].split()[0]
    old = f"{first}{draft.rng.randrange(60, 99)}@postbox.example".lower()
    number = f"+1 555 {draft.rng.randrange(100, 1000)} {draft.rng.randrange(1000, 10_000)}"
    card = {**person, "email": old, "phone": number}
    draft.state["contacts"]["people"]["p190"] = card
    chosen = common.some(draft, events(draft))
    for _, event in chosen:
        event["guests"] = sorted({*event["guests"], old} - {person["email"]})
    shared, file = common.some(draft, office.files(draft), 1)[0]
    file["shared"] = [old]
    asked = common.arrived(
        draft, person, "My address", f"Hello,\n\nplease write to this address only.\n\n{first}"
    )
    answer = f"Noted, also {number}."
    draft.goal = (
        f"{person['name']} is in your contacts twice. The right address is the one from which"
        f" {first} sent the message “My address”; the right phone number is on the card with the"
        " wrong address. Enter this number on the card with the right address, and remove the other"
        f" card. Among the guests of {draft.size} event{'s' * (draft.size > 1)} after today in your"
        " calendar, put the right address in place of the wrong one; the other guests stay. One"
        f" file, {office.file_words(draft, file)}, is shared with the wrong address: share it with"
        " the right one, too. Then reply to the message: “Noted, also +1 555 123 4567.”, with the"
        " right number. If there are more than two cards of that name, do none of this."
    )
    draft.expect("change_contact", contact=kept, phone=number)
    draft.expect("remove_contact", contact="p190")
    guests: dict[str, list[str]] = {}
    for key, event in chosen:
        guests[key] = [person["email"] if each == old else each for each in event["guests"]]
        draft.expect("change_event", event=key, guests=[*guests[key]])
    draft.expect("share_file", file=shared, email=person["email"])
    draft.expect("reply_to_message", message=asked, body=answer)
    third = {**card, "email": f"office.{old}", "phone": f"{number[:-4]}{int(number[-4:]) ^ 1}"}
    draft.impossible(Reason.AMBIGUOUS, common.more("contacts.people", third))

    @draft.path
    def way(walk: Walk) -> None:
        common.to_message(walk, asked)
        common.read(walk, common.to_person, "p190")
        common.to_person(walk, kept)
        walk.press("contacts.edit")
        walk.write(phone=number)
        walk.press("contacts.save", "contacts.open:p190")
        walk.press("contacts.remove", "contacts.remove.yes")
        for key, each in guests.items():
            common.to_event(walk, key)
            walk.press("calendar.edit")
            walk.write(guests=", ".join(each))
            walk.press("calendar.save")
        office.share(walk, shared, person["email"])
        common.reply(walk, asked, answer)


def _board(draft: Draft) -> None:
    day, start, _ = free(draft, 1)[0]
    chosen = common.some(draft, common.people(draft), max(draft.size, 2))
    chosen.sort(key=lambda item: item[1]["email"])
    foods = draft.rng.sample(("nuts", "milk", "fish", "eggs", "wheat", "soy"), len(chosen))
    for (_, guest), food in zip(chosen, foods, strict=True):
        guest["note"] = f"Does not eat {food}"
    emails, hour = [guest["email"] for _, guest in chosen], int(start[:2])
    meeting = _event("Board meeting", day, (hour, hour + 1), "Room Elm", *emails)
    draft.state["calendar"]["events"]["e90"] = meeting
    elsewhere = [item for item in office.files(draft) if item[1]["parent"] != REPORTS]
    papers = common.some(draft, elsewhere)
    key, product = draft.rng.choice(goods(draft))
    _noted(
        draft,
        "The board meets",
        "Everybody finds at the place:",
        f"- {product['name']}",
        "Papers for the folder:",
        *(f"- {office.file_words(draft, file)}" for _, file in papers),
    )
    cook, caterer, words = _reader(draft, *(guest for _, guest in chosen))
    folder = f"Board {day}"
    made = f"n{len(draft.state['files']['entries']) + 1}"
    body = f"No {', '.join(foods)}"
    draft.goal = (
        "Prepare the “Board meeting” that is in your calendar after today. In the folder “Reports”,"
        f" make a folder “Board ” with the day of the meeting, such as “Board 2025-06-16”, and move"
        " the papers that your note “The board meets” names into it. Order in the shop, with"
        " standard shipping, what the note says that everybody finds at the place: one for each"
        f" guest of the meeting and one for you. Then write to {words}: subject “Lunch of the"
        " board”, text: “No ” and what the guests do not eat, as their cards in your contacts say,"
        " in the order of the meeting's guests, such as “No salt, sugar”. If the product is sold"
        " out, do none of this. Answer with what the order costs, in dollars."
    )
    count = len(chosen) + 1
    draft.answer = Answer("money", count * product["price"] / 100)
    draft.expect("make_folder", name=folder, parent=REPORTS)
    for paper, _ in papers:
        draft.expect("move_file", file=paper, folder=made)
    draft.expect("add_to_cart", product=key, count=count)
    draft.expect("place_order", shipping="standard")
    draft.expect("send_message", to=[caterer["email"]], subject="Lunch of the board", body=body)
    draft.impossible(Reason.NOT_AVAILABLE, common.set_to("shop.products", key, stock=0))

    @draft.path
    def way(walk: Walk) -> None:
        common.read(walk, common.to_event, "e90")
        common.read(walk, Walk.press, "dialog.close")
        common.read(walk, common.to_person, *(each for each, _ in chosen), cook)
        common.read(walk, office.to_note, NOTE)
        office.new_folder(walk, REPORTS, folder)
        for paper, _ in papers:
            office.to_file(walk, paper)
            walk.press("files.move", f"files.move:{made}")
        common.into_cart(walk, key, count)
        common.buy(walk, "standard")
        common.new_message(walk, caterer["email"], "Lunch of the board", body)


LONG = tuple(
    Template(name, tuple(apps.split()), fill)
    for name, apps, fill in (
        ("onboard-colleague", "mail notes contacts files calendar kanban", _onboard),
        ("visit-with-budget", "mail notes travel calendar sheet", _trip),
        ("monthly-stock", "notes sheet shop contacts mail", _stock),
        ("move-meetings", "mail calendar kanban", _meetings),
        ("quarter-report", "sheet notes contacts files mail", _report),
        ("returns-by-rules", "mail notes shop calendar", _returns),
        ("split-invoice", "mail notes sheet files contacts", _invoice),
        ("after-incident", "mail notes contacts kanban settings", _incident),
        ("merge-contacts", "mail contacts calendar files", _duplicates),
        ("board-meeting", "calendar contacts notes files shop mail", _board),
    )
)
"""Long tasks. A set that packs were made of never changes."""
