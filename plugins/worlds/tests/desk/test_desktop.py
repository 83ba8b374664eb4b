"""A desktop changes by the controls of its last page only, one in a step."""

from copy import deepcopy

import pytest

from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.world.generator import make_world


@pytest.fixture
def desktop() -> Desktop:
    return Desktop(make_world(3))


def press(desktop: Desktop, *names: str) -> None:
    for name in names:
        token = desktop.page.token(name)
        assert token is not None, name
        desktop.open_step()
        desktop.handle(token, {})
        desktop.close_step()


def first(desktop: Desktop, kind: str) -> str:
    return next(
        control.key for control in desktop.page.controls.values() if control.key.startswith(kind)
    )


def test_nothing_happens_outside_a_step(desktop: Desktop) -> None:
    token = desktop.page.token("dock:mail")
    assert token is not None
    page = desktop.handle(token, {})
    assert page is desktop.page
    assert "app" not in desktop.ui


def test_of_many_posts_in_a_step_one_works(desktop: Desktop) -> None:
    press(desktop, "dock:mail")
    star = first(desktop, "mail.star:")
    before = deepcopy(desktop.state)
    desktop.open_step()
    for _ in range(22):
        token = desktop.page.token(star)
        assert token is not None
        desktop.handle(token, {})
    desktop.close_step()
    assert len(changes(before, desktop.state)["changed"]) == 1


def test_a_control_of_an_earlier_page_does_nothing(desktop: Desktop) -> None:
    press(desktop, "dock:mail")
    old = desktop.page.token(first(desktop, "mail.star:"))
    assert old is not None
    press(desktop, "dock:mail")
    before = deepcopy(desktop.state)
    desktop.open_step()
    desktop.handle(old, {})
    assert desktop.state == before


def test_tokens_are_made_anew_at_each_rendering(desktop: Desktop) -> None:
    tokens = set(desktop.page.controls)
    assert not tokens & set(desktop.refresh().controls)


def test_under_a_dialog_and_under_a_menu_no_control_works(desktop: Desktop) -> None:
    press(desktop, "dock:calendar", "New event")
    assert desktop.page.token("dock:mail") is None
    assert desktop.page.token("calendar.save") is not None
    press(desktop, "form.date")
    assert desktop.page.token("calendar.save") is None
    press(desktop, "menu.close", "dialog.close")
    assert desktop.page.token("dock:mail") is not None


def test_fields_that_the_page_does_not_have_are_not_kept(desktop: Desktop) -> None:
    press(desktop, "dock:mail", "mail.new")
    desktop.write({"form.subject": "Hello", "app": "shop", "mail.open": "m01", "form.body": 3})
    assert desktop.ui["form.subject"] == "Hello"
    assert desktop.ui["app"] == "mail"
    assert "mail.open" not in desktop.ui
    assert "form.body" not in desktop.ui


def test_a_long_text_is_cut_to_two_thousand_characters(desktop: Desktop) -> None:
    press(desktop, "dock:mail", "mail.new")
    desktop.write({"form.subject": "a" * 1_000_000})
    assert desktop.ui["form.subject"] == "a" * 2000


def test_a_refused_verb_changes_nothing_keeps_the_form_and_says_why(desktop: Desktop) -> None:
    press(desktop, "dock:mail", "mail.new")
    desktop.write({"form.to": "nobody", "form.subject": "<b>Hi</b>", "form.body": "x"})
    before = deepcopy(desktop.state)
    press(desktop, "mail.send")
    assert desktop.state == before
    assert "nobody is no mail address" in desktop.page.html
    assert "&lt;b&gt;Hi&lt;/b&gt;" in desktop.page.html
    assert desktop.ui["dialog"] == "mail.new"


def test_the_page_depends_on_state_and_ui_alone(desktop: Desktop) -> None:
    def shown(own: Desktop) -> str:
        html = own.page.html
        for token in (*own.page.controls, *own.page.drops):
            html = html.replace(token, "")
        return html

    press(desktop, "dock:shop", "shop.category", "Kitchen")
    other = Desktop(deepcopy(desktop.state), deepcopy(desktop.ui))
    assert shown(other) == shown(desktop)


def test_texts_of_the_world_are_escaped_on_the_page() -> None:
    state = make_world(3)
    for message in state["mail"]["messages"].values():
        message["subject"] = "<script>alert(1)</script>\" onclick='x'"
    desktop = Desktop(state, {"app": "mail"})
    assert "<script>" not in desktop.page.html
    assert "&lt;script&gt;alert(1)" in desktop.page.html


def test_a_search_lists_what_contains_all_words(desktop: Desktop) -> None:
    press(desktop, "dock:shop")
    desktop.write({"shop.search": "lamp black"})
    press(desktop, "shop.search.go")
    labels = [
        control.label
        for control in desktop.page.controls.values()
        if control.key.startswith("shop.open:") and not control.key.endswith((".drag", ".menu"))
    ]
    expected = [
        product["name"]
        for product in desktop.state["shop"]["products"].values()
        if "lamp" in product["name"].lower() and "black" in product["name"].lower()
    ]
    assert sorted(labels) == sorted(expected)


def test_what_is_dragged_is_dropped_at_a_place_of_the_page_once_in_a_step() -> None:
    desktop = Desktop(make_world(3), {"app": "kanban"})
    before = deepcopy(desktop.state)

    def drag(place: str | None) -> None:
        controls = desktop.page.controls.items()
        token = next(token for token, control in controls if control.grab is not None)
        onto = "" if place is None else desktop.page.place(place) or place
        desktop.handle(token, {}, onto)

    drag("kanban.to:Done")
    assert desktop.state == before
    desktop.open_step()
    for place in (None, "", "no token", "kanban.open:k1"):
        drag(place)
    assert desktop.state == before
    for column in ("Done", "Doing", "Review", "Backlog"):
        drag(f"kanban.to:{column}")
    desktop.close_step()
    assert len(changes(before, desktop.state)["changed"]) <= 1
    assert len(desktop.state["history"]) == 1


def test_under_a_dialog_nothing_is_dragged_and_only_its_keys_work() -> None:
    desktop = Desktop(make_world(3), {"app": "calendar", "dialog": "calendar.new"})
    assert not desktop.page.drops
    assert not any(control.grab for control in desktop.page.controls.values())
    assert desktop.page.token("undo") is None
    assert desktop.page.token("dialog.escape") is not None


def test_a_list_that_scrolls_has_all_rows_on_one_page() -> None:
    for app, path in (("contacts", "people"), ("shop", "products"), ("notes", "notes")):
        state = make_world(3)
        controls = Desktop(state, {"app": app}).page.controls.values()
        keys = {each.key.removesuffix(".menu").removesuffix(".drag") for each in controls}
        rows = {key for key in keys if key.startswith(f"{app}.open:")}
        assert rows == {f"{app}.open:{key}" for key in state[app][path]}
