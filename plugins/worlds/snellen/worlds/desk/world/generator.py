"""A world from a seed: people, firms and goods are the same in all applications."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from snellen.worlds.desk.kit.look import look_of
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import WEEKDAYS, long_day, money
from snellen.worlds.desk.world import mailing, words, work

Objects = dict[str, dict[str, Any]]


def make_world(seed: int) -> State:
    """Return the first state of a world; equal seeds give equal worlds."""
    rng = Random(seed)
    monday = date(2025, 3, 3) + timedelta(weeks=rng.randrange(36))
    today = monday + timedelta(days=rng.randrange(4))
    people = _people(rng)
    me = people.pop("p00")
    products = _products(rng)
    state: State = {
        "clock": f"{today.isoformat()}T{rng.choice(('08:30', '09:15', '10:00', '10:40'))}",
        "me": {"name": me["name"], "email": me["email"]},
        "contacts": {"people": people},
        "shop": {"products": products, "cart": {}, "orders": _orders(rng, products, today)},
    }
    state["mail"] = {"messages": _messages(rng, state, today)}
    state["calendar"] = {"events": _events(rng, people, today)}
    state |= work.make(rng, state, today)
    # Packs that were made say so.
    state["version"] = 2
    state["look"] = look_of(seed)
    mailing.fill(rng, state, today)
    work.fill(rng, state)
    return state


def _people(rng: Random) -> Objects:
    firms = (*words.FIRMS, *words.FULL.firms)
    names = rng.sample([(first, last) for first in words.FIRST for last in words.LAST], 140)
    return _cards(rng, names, {name: rng.choice(words.CITIES) for name, _ in firms}, firms)


def _cards(
    rng: Random,
    names: Sequence[tuple[str, str]],
    places: Mapping[str, str],
    firms: Sequence[tuple[str, str]],
) -> Objects:
    jobs = rng.sample([(firm, role) for firm in firms for role in words.ROLES], len(names))
    people: Objects = {}
    for number, ((first, last), (firm, role)) in enumerate(zip(names, jobs, strict=True)):
        name, domain = firm
        people[f"p{number:02}"] = {
            "name": f"{first} {last}",
            "email": f"{first}.{last}@{domain}".lower(),
            "phone": f"+1 555 {rng.randrange(100, 1000)} {rng.randrange(1000, 10000)}",
            "company": name,
            "role": role,
            "city": places[name],
            "group": rng.choice(words.GROUPS),
            "birthday": f"{rng.randrange(1960, 2003)}-{rng.randrange(1, 13):02}-"
            f"{rng.randrange(1, 29):02}",
            "note": "",
        }
    return people


def _products(rng: Random) -> Objects:
    """Return five products of each kind; a variant is a color or a size."""
    made = [
        {**_product(rng, name, category, price, brand, variant), "ships": rng.randrange(1, 15)}
        for name, category, price, variants in words.FULL.goods
        for brand, variant in zip(rng.sample(words.BRANDS, 5), rng.sample(variants, 5), strict=True)
    ]
    rng.shuffle(made)
    return {f"g{number:03}": product for number, product in enumerate(made, 1)}


def _product(
    rng: Random, name: str, category: str, price: int, brand: str, color: str
) -> dict[str, Any]:
    return {
        "name": f"{brand} {name}, {color}",
        "kind": name,
        "brand": brand,
        "category": category,
        "color": color,
        "price": round(price * rng.uniform(0.75, 1.6) / 10) * 10 - 1,
        "stock": 0 if rng.random() < 0.08 else rng.randrange(3, 60),
        "rating": rng.randrange(30, 50),
    }


def _orders(rng: Random, products: Objects, today: date) -> Objects:
    orders: Objects = {}
    numbers = rng.sample(range(40_000, 49_999), 14)
    for number in range(1, 15):
        lines: list[dict[str, Any]] = [
            {"product": key, "name": products[key]["name"], "count": rng.randrange(1, 4),
             "price": products[key]["price"]}
            for key in rng.sample(sorted(products), rng.randrange(1, 4))
        ]  # fmt: skip
        days = number * 3 - rng.randrange(3)
        status = "processing" if days < 6 else "shipped" if days < 12 else "delivered"
        orders[f"o{number:02}"] = {
            "number": f"SO-{numbers[number - 1]}",
            "date": (today - timedelta(days=days)).isoformat(),
            "lines": lines,
            "total": sum(line["count"] * line["price"] for line in lines),
            "status": status,
            "shipping": "standard",
            "reason": "",
        }
    return orders


def _messages(rng: Random, state: State, today: date) -> Objects:
    people = list(state["contacts"]["people"].values())
    products = list(state["shop"]["products"].values())
    me = state["me"]
    subjects: set[str] = set()
    messages: Objects = {}
    moments = sorted(rng.sample(range(21 * 12 * 60), 64))
    while len(messages) < 64:
        number = len(messages) + 1
        subject, body = rng.choice(words.TOPICS)
        facts = {
            "project": rng.choice(words.PROJECTS),
            "goods": rng.choice(products)["name"],
            "count": rng.randrange(5, 40),
            "amount": money(rng.randrange(200, 9000) * 100),
            "day": long_day((today + timedelta(days=rng.randrange(2, 25))).isoformat()),
            "weekday": WEEKDAYS[rng.randrange(5)],
            "number": f"INV-{rng.randrange(1000, 9999)}",
            "street": rng.choice(words.STREETS),
            "city": rng.choice(words.CITIES),
            "color": rng.choice(words.COLORS),
            "point": rng.choice(words.POINTS),
            "ask": rng.choice(words.ASKS),
        }
        title = subject.format(**facts)
        if title in subjects:
            if title in ("New phone list",) or rng.random() < 0.8:
                continue
            title = f"Re: {title}"
            if title in subjects:
                continue
        subjects.add(title)
        person = rng.choice(people)
        folder = rng.choices(("inbox", "archive", "sent"), (42, 14, 8))[0]
        sent = folder == "sent"
        hello = person["name"].split()[0] if sent else me["name"].split()[0]
        by = me["name"] if sent else person["name"]
        # Yesterday and before, from seven in the morning to seven in the evening.
        days, minutes = divmod(moments[number - 1], 12 * 60)
        evening = datetime.combine(today - timedelta(days=days + 1), time(19))
        when = evening - timedelta(minutes=minutes + 1)
        messages[f"m{number:02}"] = {
            "folder": folder,
            "from": me["email"] if sent else person["email"],
            "name": by,
            "to": [person["email"]] if sent else [me["email"]],
            "subject": title,
            "body": f"Hello {hello},\n\n{body.format(**facts)}\n\nBest regards\n{by.split()[0]}",
            "date": when.strftime("%Y-%m-%dT%H:%M"),
            "unread": folder == "inbox" and rng.random() < 0.4,
            "starred": rng.random() < 0.12,
            "label": rng.choice(("", "", "", "Work", "Private", "Later")),
        }
    return messages


def _events(rng: Random, people: Objects, today: date) -> Objects:
    monday = today - timedelta(days=today.weekday())
    taken: set[tuple[str, int]] = set()
    titles: set[str] = set()
    events: Objects = {}
    while len(events) < 36:
        day = monday + timedelta(days=rng.randrange(-7, 26))
        if day.weekday() > 4:
            continue
        start, length = rng.randrange(8, 17), rng.choice((1, 1, 1, 2))
        hours = {(day.isoformat(), hour) for hour in range(start, start + length)}
        person = rng.choice(list(people.values()))
        title = rng.choice(words.MEETINGS).format(
            project=rng.choice(words.PROJECTS),
            person=person["name"],
            role=rng.choice(words.ROLES).lower(),
            firm=rng.choice(words.FIRMS)[0],
            point=rng.choice(words.POINTS),
        )
        if hours & taken or title in titles:
            continue
        taken |= hours
        titles.add(title)
        guests = sorted({rng.choice(list(people.values()))["email"] for _ in range(2)})
        events[f"e{len(events) + 1:02}"] = {
            "title": title,
            "date": day.isoformat(),
            "start": f"{start:02}:00",
            "end": f"{start + length:02}:00",
            "place": rng.choice(words.ROOMS),
            "guests": guests if rng.random() < 0.7 else [],
        }
    return events
