"""Worlds come from seeds, and their applications agree."""

import msgspec
import pytest

from snellen.tasks.environments.desk.world.generator import make_world


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


def test_a_world_is_plain_json() -> None:
    state = make_world(1)
    assert msgspec.json.decode(msgspec.json.encode(state)) == state
