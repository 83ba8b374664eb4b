"""What can be clicked can be done by a tool, and refuses the same."""

from typing import Any

import pytest

from snellen.worlds.desk.apps.sheet import shown
from snellen.worlds.desk.apps.table import APPS, VERBS
from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.kit.verbs import RefusalError, State
from snellen.worlds.desk.world.generator import make_world


@pytest.fixture
def state() -> State:
    return make_world(4)


def messages(state: State, **fields: Any) -> list[str]:
    found = state["mail"]["messages"].items()
    return [key for key, own in found if all(own[name] == fields[name] for name in fields)]


def orders(state: State, status: str) -> list[str]:
    found = state["shop"]["orders"].items()
    return [key for key, order in found if order["status"] == status]


@pytest.mark.parametrize("name", VERBS)
def test_a_tool_has_a_sentence_and_flat_typed_arguments(name: str) -> None:
    verb = VERBS[name]
    schema = verb.arguments.model_json_schema()
    assert verb.description.endswith(".")
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not {"oneOf", "anyOf", "allOf"} & set(schema)


def test_tools_are_called_by_different_names() -> None:
    names = [verb.name for app in APPS.values() for verb in app.verbs]
    assert sorted([*names, "undo_change"]) == sorted(VERBS)


def test_reading_changes_nothing(state: State) -> None:
    for name, given in (
        ("list_messages", {}),
        ("list_contacts", {"text": "a"}),
        ("list_products", {"category": "Kitchen"}),
        ("list_orders", {}),
        ("read_clock", {}),
        ("list_events", {"first": "2025-01-01", "last": "2026-12-31"}),
    ):
        after, answer = VERBS[name](state, given)
        assert after is state
        assert answer


def test_the_clock_that_the_screen_shows_can_be_read_by_tools(state: State) -> None:
    state["clock"] = "2025-06-16T09:15"
    _, answer = VERBS["read_clock"](state, {})
    assert answer == {"now": "2025-06-16T09:15", "weekday": "Monday"}


def test_a_verb_leaves_the_state_that_it_was_given(state: State) -> None:
    key = messages(state, folder="inbox")[0]
    before = make_world(4)
    after, _ = VERBS["move_message"](state, {"message": key, "folder": "archive"})
    assert state == before
    assert after["mail"]["messages"][key]["folder"] == "archive"


def test_a_reply_goes_to_the_sender_under_the_same_subject(state: State) -> None:
    key = messages(state, folder="inbox")[0]
    message = state["mail"]["messages"][key]
    after, _ = VERBS["reply_to_message"](state, {"message": key, "body": "Yes."})
    (sent,) = changes(state, after)["added"]["mail.messages"]
    assert sent["to"] == [message["from"]]
    assert sent["subject"].endswith(message["subject"])
    assert sent["subject"].startswith("Re: ")
    assert (sent["folder"], sent["body"]) == ("sent", "Yes.")


def test_an_order_takes_the_cart_s_pieces_out_of_the_stock(state: State) -> None:
    key = next(key for key, own in state["shop"]["products"].items() if own["stock"] > 4)
    product = state["shop"]["products"][key]
    state, _ = VERBS["add_to_cart"](state, {"product": key, "count": 3})
    state, _ = VERBS["add_to_cart"](state, {"product": key, "count": "1"})
    after, _ = VERBS["place_order"](state, {"shipping": "express"})
    (order,) = changes(state, after)["added"]["shop.orders"]
    assert order["total"] == 4 * product["price"]
    assert after["shop"]["products"][key]["stock"] == product["stock"] - 4
    assert after["shop"]["cart"] == {}


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("send_message", {"to": "a.b", "subject": "x", "body": ""}, "a.b is no mail address"),
        ("send_message", {"to": "", "subject": "x", "body": ""}, "at least one address"),
        ("send_message", {"to": "a@b.c", "subject": " ", "body": ""}, "subject"),
        ("reply_to_message", {"message": "m01", "body": " "}, "answer"),
        ("read_message", {"message": "zz"}, "There is no message zz"),
        ("move_message", {"message": "m01", "folder": "sent"}, "Sent"),
        ("move_message", {"message": "m01", "folder": "attic"}, "Folder: Input should be"),
        ("place_order", {}, "cart is empty"),
        ("add_to_cart", {"product": "g001", "count": "many"}, "Count: Input should be"),
        ("add_to_cart", {"product": "g001", "count": 99}, "in stock|sold out"),
        ("add_contact", {"name": ""}, "Name: String should have at least 1 character"),
        (
            "add_contact",
            {"name": "A", "nick": "B"},
            "Nick: add_contact has no such argument; it takes name, email",
        ),
        ("move_file", {"file": "d1", "folder": ""}, "Contracts is a folder"),
        ("move_file", {"file": "f01", "folder": "f02"}, "f02 is no folder"),
        ("make_folder", {"name": "invoices"}, "something called invoices in this folder"),
        ("share_file", {"file": "f01", "email": "x"}, "Email: write it like ann@firm.example"),
        ("set_cell", {"sheet": "s1", "cell": "Z9", "value": ""}, "Cell: write it like B7"),
        ("set_cell", {"sheet": "s1", "cel": "B2", "value": ""}, "Cel: set_cell has no such"),
        ("set_cell", {"sheet": "s1", "cell": "B2", "value": "=1+1"}, "Formulas look like"),
        ("add_sheet", {"name": "Budget"}, "There is a sheet Budget already"),
        ("add_card", {"board": "Zebra", "title": "A", "due": "2025-06-16"}, "no board Zebra"),
        ("change_card", {"card": "k01", "assignee": "Nobody"}, "no Nobody in the contacts"),
        ("change_card", {"card": "k01", "due": "soon"}, "Due: choose a date"),
        ("add_note", {"title": "", "text": "x"}, "Title: String should have"),
        ("book_trip", {"trip": "j001", "travelers": 0}, "Travelers: Input should be"),
        ("change_setting", {"setting": "v01", "value": "Latin"}, "Latin is none of English"),
        (
            "add_event",
            {"title": "A", "date": "", "start": "09:00", "end": "10:00"},
            "Date: choose a date, such as 2025-06-16",
        ),
        (
            "add_event",
            {"title": "A", "date": "2025-06-16", "start": "9", "end": "10:00"},
            "Start: write it like 09:30",
        ),
        (
            "add_event",
            {"title": "A", "date": "2025-06-16", "start": "09:00", "end": "09:00"},
            "ends after it starts",
        ),
    ],
)
def test_what_can_not_be_done_is_refused_with_a_reason(
    state: State, name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(RefusalError, match=said):
        VERBS[name](state, given)


def test_only_an_order_in_processing_can_be_canceled(state: State) -> None:
    after, _ = VERBS["cancel_order"](state, {"order": orders(state, "processing")[0]})
    assert changes(state, after)["changed"]
    with pytest.raises(RefusalError, match="delivered: it is too late"):
        VERBS["cancel_order"](state, {"order": orders(state, "delivered")[0]})


def test_only_a_delivered_order_goes_back(state: State) -> None:
    given = {"order": orders(state, "delivered")[0], "reason": "wrong"}
    after, _ = VERBS["return_order"](state, given)
    order = after["shop"]["orders"][given["order"]]
    assert (order["status"], order["reason"]) == ("return requested", "wrong")
    with pytest.raises(RefusalError, match="processing"):
        VERBS["return_order"](state, {**given, "order": orders(state, "processing")[0]})


def test_a_full_trip_can_not_be_booked_and_a_booking_takes_seats(state: State) -> None:
    trip = state["travel"]["trips"]["j001"]
    after, _ = VERBS["book_trip"](state, {"trip": "j001", "travelers": "2"})
    assert after["travel"]["trips"]["j001"]["seats"] == trip["seats"] - 2
    (booking,) = changes(state, after)["added"]["travel.bookings"]
    assert booking["total"] == 2 * trip["price"]
    trip["seats"] = 0
    with pytest.raises(RefusalError, match="fully booked"):
        VERBS["book_trip"](state, {"trip": "j001"})


def test_only_a_refundable_booking_can_be_canceled_and_only_once(state: State) -> None:
    trip = state["travel"]["trips"][state["travel"]["bookings"]["b1"]["trip"]]
    trip["refundable"] = False
    with pytest.raises(RefusalError, match="not refunded"):
        VERBS["cancel_booking"](state, {"booking": "b1"})
    trip["refundable"] = True
    after, _ = VERBS["cancel_booking"](state, {"booking": "b1"})
    with pytest.raises(RefusalError, match="canceled already"):
        VERBS["cancel_booking"](after, {"booking": "b1"})


def test_a_locked_setting_stays(state: State) -> None:
    after, _ = VERBS["change_setting"](state, {"setting": "v01", "value": "French"})
    assert after["settings"]["values"]["v01"]["value"] == "French"
    state["settings"]["values"]["v01"]["locked"] = True
    with pytest.raises(RefusalError, match="“Language” is managed by your organization"):
        VERBS["change_setting"](state, {"setting": "v01", "value": "French"})


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=SUM(A1:B2)", "7.5"),
        ("=AVERAGE(A1:B2)", "2.5"),
        ("=MIN(A1:B2)", "1"),
        ("=max(a1:b2)", "4"),
        ("=COUNT(A1:B3)", "3"),
        ("=AVERAGE(C1:C3)", "0"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_a_formula_counts_numbers_and_leaves_texts_out(formula: str, value: str) -> None:
    cells = {"A1": "1", "A2": "2.5", "B1": "4", "B2": "four", "B3": "", "D1": formula}
    assert shown(cells, "D1") == value


def run(state: State, *calls: tuple[str, dict[str, Any]]) -> State:
    for name, given in calls:
        state, _ = VERBS[name](state, given)
    return state


CELL = {"sheet": "s1", "cell": "B2"}


def test_undo_brings_back_what_was_there_newest_first_in_its_application() -> None:
    state = make_world(4)
    one = run(state, ("set_cell", {**CELL, "value": "1"}))
    after = run(
        one,
        ("add_note", {"title": "A", "text": "x"}),
        ("set_cell", {**CELL, "value": "2"}),
        ("undo_change", {"app": "sheet"}),
    )
    assert after["sheet"] == one["sheet"]
    assert changes(one, after)["added"]["notes.notes"]
    after = run(after, ("undo_change", {"app": "sheet"}), ("undo_change", {"app": "notes"}))
    assert changes(state, after) == changes(state, state)
    with pytest.raises(RefusalError, match="nothing to undo"):
        run(after, ("undo_change", {"app": "sheet"}))


def test_what_was_removed_comes_back_with_its_id() -> None:
    state = make_world(4)
    after = run(state, ("remove_note", {"note": "t01"}), ("undo_change", {"app": "notes"}))
    assert after["notes"] == state["notes"]


def test_what_was_sent_stays_and_nothing_before_it_is_undone() -> None:
    state = make_world(4)
    key = messages(state, folder="inbox")[0]
    after = run(
        state,
        (
            "star_message",
            {"message": key, "starred": not state["mail"]["messages"][key]["starred"]},
        ),
        ("reply_to_message", {"message": key, "body": "Yes."}),
    )
    with pytest.raises(RefusalError, match="nothing to undo"):
        run(after, ("undo_change", {"app": "mail"}))


def test_a_change_that_changes_nothing_is_not_undone_and_the_history_has_an_end() -> None:
    state = make_world(4)
    same = state["sheet"]["sheets"]["s1"]["cells"]["B2"]
    assert run(state, ("set_cell", {**CELL, "value": same}))["history"] == []
    for number in range(30):
        state = run(state, ("set_cell", {**CELL, "value": f"{number}"}))
    assert len(state["history"]) == 20
