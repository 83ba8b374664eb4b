"""Worlds come from seeds, and their applications agree."""

from typing import cast

import msgspec
import pytest

from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.kit.look import CHOICES, look_of, looks_of
from snellen.worlds.desk.kit.markup import PICTURES, language, translated
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.world.generator import make_world


def test_equal_seeds_give_equal_worlds() -> None:
    assert make_world(11) == make_world(11)
    assert make_world(11) != make_world(12)


@pytest.mark.parametrize("seed", range(20))
def test_people_and_goods_are_the_same_in_all_applications(seed: int) -> None:
    state = make_world(seed)
    emails = {person["email"]: person["name"] for person in state["contacts"]["people"].values()}
    for message in state["mail"]["messages"].values():
        if message["folder"] != "sent":
            assert emails[message["from"]] == message["name"]
        assert message["date"] < state["clock"]
    for event in state["calendar"]["events"].values():
        assert set(event["guests"]) <= set(emails)
    for order in state["shop"]["orders"].values():
        for line in order["lines"]:
            assert state["shop"]["products"][line["product"]]["name"] == line["name"]
    cells = state["sheet"]["sheets"]["s2"]["cells"]
    for row in range(2, 20):
        assert state["shop"]["products"][cells[f"A{row}"].lower()]["name"] == cells[f"B{row}"]
    for card in state["kanban"]["cards"].values():
        assert card["assignee"] in {"", *emails.values()}
    for booking in state["travel"]["bookings"].values():
        assert booking["trip"] in state["travel"]["trips"]
    for entry in state["files"]["entries"].values():
        assert entry["parent"] in {"", *state["files"]["entries"]}
        assert set(entry["shared"]) <= set(emails)


@pytest.mark.parametrize("seed", range(20))
def test_a_world_is_so_full_that_things_must_be_looked_for(seed: int) -> None:
    state = make_world(seed)
    assert len(state["mail"]["messages"]) >= 50
    assert len(state["contacts"]["people"]) >= 40
    assert len(state["shop"]["products"]) >= 50
    assert len(state["calendar"]["events"]) >= 30
    assert len(state["files"]["entries"]) >= 50
    assert len(state["travel"]["trips"]) >= 100
    assert len(state["kanban"]["cards"]) >= 30
    assert len(state["notes"]["notes"]) >= 20


@pytest.mark.parametrize("seed", range(8))
def test_a_world_is_full_and_its_things_can_be_told_apart(seed: int) -> None:
    state = make_world(seed)
    people = state["contacts"]["people"].values()
    assert len(people) >= 130
    for names in (("email",), ("name",), ("role", "company")):
        assert len({tuple(person[name] for name in names) for person in people}) == len(people)
    products = state["shop"]["products"].values()
    assert len({product["name"] for product in products}) == len(products) >= 200
    assert {product["kind"] for product in products} == set(PICTURES)
    assert len(set(PICTURES.values())) == len(PICTURES)
    assert all(trip["operator"] for trip in state["travel"]["trips"].values())


@pytest.mark.parametrize("seed", range(8))
def test_a_reply_quotes_the_messages_before_it(seed: int) -> None:
    state = make_world(seed)
    messages = state["mail"]["messages"].values()
    assert all(message["date"] < state["clock"] for message in messages)
    quoting = [message for message in messages if "\n> " in message["body"]]
    assert len(quoting) >= 14
    for reply in quoting:
        subject = reply["subject"].removeprefix("Re: ")
        earlier = [
            message
            for message in messages
            if message["subject"].removeprefix("Re: ") == subject
            and message["date"] < reply["date"]
            and {message["from"], *message["to"]} == {reply["from"], *reply["to"]}
        ]
        last = max(earlier, key=lambda message: message["date"])
        quoted = "".join(f"> {line}".rstrip() + "\n" for line in last["body"].split("\n"))
        assert f"{reply['body']}\n".endswith(f"{last['name']} wrote:\n{quoted}")


def test_looks_come_from_seeds() -> None:
    assert make_world(3)["look"] == look_of(3)
    found = [look_of(seed) for seed in range(200)]
    for part, values in CHOICES.items():
        assert {look[part] for look in found} == set(values)
    looks = [str(look_of(seed)) for seed in looks_of(7, 20)]
    assert len(set(looks)) == 20
    assert looks_of(7, 20)[:3] == looks_of(7, 3)


@pytest.mark.parametrize("seed", range(8))
def test_no_text_of_a_world_is_taken_for_one_of_the_interface(seed: int) -> None:
    state = make_world(seed)
    # Cells and values of settings are never translated.
    names = [name for name in state if name not in ("look", "sheet", "settings")]
    texts = [text for name in names for text in found(state[name])]
    texts += [setting["title"] for setting in state["settings"]["values"].values()]
    for name in CHOICES["language"]:
        with language(name):
            assert [text for text in texts if translated(text) != text] == []


def found(part: object) -> list[str]:
    if isinstance(part, dict):
        return [text for each in cast(State, part).values() for text in found(each)]
    if isinstance(part, list):
        return [text for each in cast(list[object], part) for text in found(each)]
    return [part] if isinstance(part, str) else []


def test_the_interface_is_in_the_language_of_the_look_and_cells_are_not() -> None:
    state = {**make_world(3), "look": {**look_of(3), "language": "de"}}
    html = Desktop(state, {"app": "sheet", "sheet.open": "s3"}).page.html
    for text in ("Einstellungen", "Eingeben", "Neues Blatt", ">Date<"):
        assert text in html
    assert "New sheet" not in html.replace('aria-label="New sheet"', "")
    html = Desktop({**state, "look": look_of(3) | {"language": "en"}}, {"app": "sheet"}).page.html
    assert "New sheet" in html


def test_a_world_is_plain_json() -> None:
    state = make_world(1)
    assert msgspec.json.decode(msgspec.json.encode(state)) == state
