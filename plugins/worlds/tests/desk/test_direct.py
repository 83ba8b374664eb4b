"""The desk in the browser: keys, drags, menus, lists that scroll, windows."""

from collections.abc import AsyncIterator
from copy import deepcopy
from typing import Any, cast

import pytest
import pytest_asyncio
from desk_oracle import inputs, locate

from snellen.tasks.environments.base import History
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.desk.environment import IGNORED, UNCHANGED, Desk, DeskEpisode
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.tasks import DIFFICULTIES, Step, passes
from snellen.worlds.desk.templates.direct import DIRECT
from snellen.worlds.desk.templates.pointer import POINTER
from snellen.worlds.desk.templates.table import TEMPLATES
from snellen.worlds.desk.world.generator import make_world

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# Without a look, so that it has the plain one.
STATE = {name: part for name, part in make_world(5).items() if name != "look"}
CELLS = STATE["sheet"]["sheets"]["s1"]["cells"]
NEW = [template.name for template in (*DIRECT, *POINTER)]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def desk(browser: Browser) -> AsyncIterator[Desk]:
    yield Desk(browser)


class Hand:
    """An agent's hand at a desktop.

    Attributes:
        episode: The desktop.
        acted: The inputs so far.
    """

    def __init__(self, episode: DeskEpisode) -> None:
        self.episode = episode
        self.acted: list[Input] = []

    async def act(self, kind: InputKind, **fields: Any) -> str:
        given = Input(kind, **fields)
        note = await self.episode.act(given)
        self.acted.append(given)
        return note

    async def keys(self, *combinations: str) -> str:
        note = ""
        for each in combinations:
            note = await self.act(InputKind.KEY, keys=tuple(each.split("+")))
        return note

    async def type(self, text: str) -> str:
        return await self.act(InputKind.TYPE, text=text)

    async def click(self, key: str, **fields: Any) -> str:
        place = await locate(self.episode, Step(key))
        return await self.act(InputKind.CLICK, path=(place,), **fields)

    async def hover(self, key: str) -> str:
        (move,) = await inputs(self.episode, Step(key, hovers=True))
        return await self.act(InputKind.MOVE, path=move.path)

    async def do(self, *steps: Step) -> None:
        for step in steps:
            note = ""
            for given in await inputs(self.episode, step):
                note = await self.act(given.kind, **_fields(given))
            # A click into a field that has the focus changes nothing; what follows it does.
            assert note == "", step

    @property
    def ui(self) -> dict[str, Any]:
        return self.episode.desktop.ui

    @property
    def changed(self) -> Any:
        return cast(Any, self.episode.result["changes"])["changed"]

    @property
    def cells(self) -> dict[str, str]:
        return self.episode.desktop.state["sheet"]["sheets"]["s1"]["cells"]


def _fields(given: Input) -> dict[str, Any]:
    names = ("path", "button", "count", "keys", "text", "scroll", "seconds")
    return {name: getattr(given, name) for name in names}


@pytest_asyncio.fixture(loop_scope="module")
async def hand(desk: Desk, request: pytest.FixtureRequest) -> AsyncIterator[Hand]:
    """Open the application that a test names."""
    episode = await desk.open({"state": STATE, "ui": {"app": request.param}})
    yield Hand(episode)
    await episode.close()


def at(app: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("hand", [app], indirect=True)


def first(hand: Hand, kind: str) -> str:
    controls = hand.episode.desktop.page.controls.values()
    return next(each.key for each in controls if each.key.startswith(kind) and not each.grab)


def find(collection: State, **fields: str) -> str:
    return next(
        key
        for key, each in collection.items()
        if all(each[name] == value for name, value in fields.items())
    )


# ---- Escape -----------------------------------------------------------------------------------


@at("calendar")
async def test_escape_closes_the_menu_then_the_dialog_and_then_nothing(hand: Hand) -> None:
    await hand.do(Step("calendar.new"), Step("form.title", "Talk"), Step("form.date"))
    assert await hand.keys("Escape") == ""
    assert (hand.ui.get("menu"), hand.ui["dialog"]) == (None, "calendar.new")
    assert hand.ui["form.title"] == "Talk"
    assert await hand.keys("Escape") == ""
    assert "dialog" not in hand.ui
    assert await hand.keys("Escape") == UNCHANGED
    assert hand.episode.desktop.state == STATE


# ---- the sheet --------------------------------------------------------------------------------


@at("sheet")
async def test_what_is_typed_on_a_cell_replaces_it_and_enter_goes_down(hand: Hand) -> None:
    await hand.click("sheet.cell:B3")
    await hand.type("81")
    assert hand.cells == CELLS
    await hand.keys("Enter")
    assert (hand.cells["B3"], hand.ui["sheet.cell"]) == ("81", "B4")
    await hand.type("é")
    await hand.keys("Tab")
    assert (hand.cells["B4"], hand.ui["sheet.cell"]) == ("é", "C4")


@at("sheet")
async def test_arrows_move_and_change_nothing(hand: Hand) -> None:
    await hand.keys("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowLeft")
    assert hand.ui["sheet.cell"] == "A2"
    assert hand.episode.desktop.state == STATE


@at("sheet")
async def test_a_double_click_edits_what_is_in_the_cell(hand: Hand) -> None:
    await hand.click("sheet.cell:B3", count=2)
    await hand.type("7")
    await hand.keys("ArrowLeft", "ArrowLeft", "Enter")
    assert hand.cells["B3"] == CELLS["B3"] + "7"
    await hand.keys("F2", "Backspace")
    await hand.type("1")
    await hand.keys("Escape")
    assert hand.cells["B4"] == CELLS["B4"]
    assert hand.ui["sheet.value"] == CELLS["B4"]


@at("sheet")
async def test_delete_clears_and_cells_are_copied_and_cut(hand: Hand) -> None:
    await hand.click("sheet.cell:B3")
    await hand.keys("Control+c", "ArrowDown", "Control+v")
    assert hand.cells["B4"] == CELLS["B3"]
    await hand.keys("Control+x", "ArrowDown", "Control+v", "ArrowUp")
    assert "B4" not in hand.cells
    assert hand.cells["B5"] == CELLS["B3"]
    await hand.keys("ArrowDown", "Delete")
    assert "B5" not in hand.cells


@at("sheet")
async def test_control_z_undoes_one_change_after_the_other(hand: Hand) -> None:
    await hand.click("sheet.cell:B3")
    for text in ("1", "2"):
        await hand.type(text)
        await hand.keys("Enter")
    assert (hand.cells["B3"], hand.cells["B4"]) == ("1", "2")
    await hand.keys("Control+z")
    assert (hand.cells["B3"], hand.cells["B4"]) == ("1", CELLS["B4"])
    await hand.keys("Control+z")
    assert hand.changed == {}
    await hand.keys("Control+z")
    assert hand.ui["toast"] == "There is nothing to undo"


@at("kanban")
async def test_keys_that_nothing_has_change_nothing_and_say_so(hand: Hand) -> None:
    assert await hand.keys("Control+Shift+z") == UNCHANGED
    assert await hand.keys("Delete") == UNCHANGED
    assert await hand.type("abc") == UNCHANGED
    assert hand.episode.desktop.state == STATE


@at("sheet")
async def test_a_step_changes_one_cell_and_says_so_of_more(hand: Hand) -> None:
    await hand.click("sheet.cell:B3")
    assert await hand.type("5\n6\n7\n") == IGNORED
    assert hand.changed == {"sheet.sheets.s1.cells.B3": [CELLS["B3"], "5"]}


@at("sheet")
async def test_a_click_on_another_cell_keeps_what_is_written(hand: Hand) -> None:
    await hand.click("sheet.cell:B3")
    await hand.type("81")
    await hand.click("sheet.cell:C5")
    assert hand.cells["B3"] == "81"
    assert hand.ui["sheet.value"] == CELLS["C5"]


@at("sheet")
async def test_what_is_half_written_and_copied_comes_back_from_a_snapshot(
    hand: Hand, desk: Desk
) -> None:
    await hand.click("sheet.cell:B3")
    await hand.keys("Control+c", "ArrowDown")
    await hand.type("12")
    history = History(hand.acted, deepcopy(hand.episode.snapshot))
    again = Hand(await desk.open({"state": STATE}, history))
    assert await again.episode.view() == await hand.episode.view()
    await again.keys("Enter", "Control+v")
    assert (again.cells["B4"], again.cells["B5"]) == ("12", CELLS["B3"])
    await again.episode.close()


# ---- drags ------------------------------------------------------------------------------------


@at("kanban")
async def test_a_card_is_dragged_to_another_column_and_back_by_undo(hand: Hand) -> None:
    card = first(hand, "kanban.open:")
    key = card.partition(":")[2]
    before = STATE["kanban"]["cards"][key]["column"]
    column = "Done" if before != "Done" else "Doing"
    await hand.do(Step(card, onto=f"kanban.to:{column}"))
    assert hand.changed == {f"kanban.cards.{key}.column": [before, column]}
    await hand.keys("Control+z")
    assert hand.changed == {}


@at("kanban")
async def test_a_card_is_dragged_by_press_move_and_release(hand: Hand) -> None:
    card = first(hand, "kanban.open:")
    start = await locate(hand.episode, Step(card))
    shown = await hand.episode.view()
    await hand.act(InputKind.DOWN, path=(start,))
    await hand.act(InputKind.MOVE, path=((1150, 500),))
    assert await hand.episode.view() != shown
    assert hand.changed == {}
    assert await hand.act(InputKind.UP) == ""
    assert next(iter(hand.changed.values()))[1] == "Done"


@at("kanban")
async def test_a_drag_that_ends_nowhere_or_is_given_up_changes_nothing(hand: Hand) -> None:
    card = first(hand, "kanban.open:")
    start = await locate(hand.episode, Step(card))
    assert await hand.act(InputKind.DRAG, path=(start, (40, 790))) == UNCHANGED
    await hand.act(InputKind.DOWN, path=(start,))
    await hand.act(InputKind.MOVE, path=((1150, 500),))
    await hand.keys("Escape")
    await hand.act(InputKind.UP)
    assert hand.episode.desktop.state == STATE
    assert "dialog" not in hand.ui


@at("calendar")
async def test_an_event_is_dragged_to_another_day_and_hour_and_keeps_its_length(
    hand: Hand,
) -> None:
    event = first(hand, "calendar.open:")
    key = event.partition(":")[2]
    before = STATE["calendar"]["events"][key]
    place = next(
        drop.key
        for drop in hand.episode.desktop.page.drops.values()
        if drop.key.endswith("T16:30") and before["date"] not in drop.key
    )
    await hand.do(Step(event, onto=place))
    after = hand.episode.desktop.state["calendar"]["events"][key]
    lasts = int(before["end"][:2]) - int(before["start"][:2])
    assert (after["start"], after["end"]) == ("16:30", f"{16 + lasts}:30")
    assert f"calendar.to:{after['date']}T16:30" == place


@at("calendar")
async def test_an_event_that_is_held_at_its_lower_end_is_dropped_where_its_beginning_is(
    hand: Hand,
) -> None:
    event = first(hand, "calendar.open:")
    key = event.partition(":")[2]
    before = STATE["calendar"]["events"][key]
    x, y = await locate(hand.episode, Step(event))
    # An hour is 56 pixels high, and a day 162 wide.
    low = y + 28 * (int(before["end"][:2]) - int(before["start"][:2])) - 6
    await hand.act(InputKind.DRAG, path=((x, low), (x + 162, low)))
    assert hand.changed.keys() == {f"calendar.events.{key}.date"}


@at("calendar")
async def test_a_double_click_in_the_calendar_begins_an_event_there(hand: Hand) -> None:
    day = hand.episode.desktop.state["clock"][:10]
    await hand.do(Step(f"calendar.slot:{day}T18:00"))
    assert hand.ui["dialog"] == "calendar.new"
    assert hand.ui["form.date"] == day
    assert (hand.ui["form.start"], hand.ui["form.end"]) == ("18:00", "19:00")


@at("files")
async def test_a_file_is_dragged_into_a_folder_of_the_tree(hand: Hand) -> None:
    key = find(STATE["files"]["entries"], kind="file", parent="d2")
    await hand.do(Step("files.folder:d2"), Step(f"files.open:{key}", onto="files.to:d3"))
    assert hand.changed == {f"files.entries.{key}.parent": ["d2", "d3"]}


@at("files")
async def test_a_drag_that_ends_where_it_began_is_no_click(hand: Hand) -> None:
    await hand.click("files.folder:d2")
    x, y = await locate(hand.episode, Step(first(hand, "files.open:f")))
    assert await hand.act(InputKind.DRAG, path=((x, y), (x + 60, y + 60), (x, y + 4))) == UNCHANGED
    assert not hand.ui.get("files.open")


@at("mail")
async def test_a_message_is_dragged_into_a_folder(hand: Hand) -> None:
    message = first(hand, "mail.open:")
    await hand.do(Step(message, onto="mail.to:archive"))
    key = message.partition(":")[2]
    assert hand.changed == {f"mail.messages.{key}.folder": ["inbox", "archive"]}


# ---- context menus and arrows -----------------------------------------------------------------


@at("kanban")
async def test_a_right_click_opens_a_menu_in_which_arrows_and_enter_choose(hand: Hand) -> None:
    card = first(hand, "kanban.open:")
    key = card.partition(":")[2]
    before = STATE["kanban"]["cards"][key]["column"]
    await hand.click(card, button="right")
    assert hand.ui["menu"] == f"{card}.menu"
    await hand.keys("ArrowDown", "ArrowDown", "ArrowUp", "Enter")
    column = "Backlog" if before != "Backlog" else "Doing"
    assert hand.changed == {f"kanban.cards.{key}.column": [before, column]}


@pytest.mark.parametrize(
    ("hand", "row"),
    [
        ("mail", "mail.open:"),
        ("files", "files.open:f"),
        ("calendar", "calendar.open:"),
        ("kanban", "kanban.open:"),
    ],
    indirect=["hand"],
)
async def test_rows_have_menus_and_what_is_no_row_has_none(hand: Hand, row: str) -> None:
    if row == "files.open:f":
        await hand.click("files.folder:d2")
    key = first(hand, row)
    await hand.click(key, button="right")
    assert hand.ui["menu"] == f"{key}.menu"
    await hand.keys("Escape")
    assert await hand.act(InputKind.CLICK, path=((40, 790),), button="right") == UNCHANGED
    assert hand.episode.desktop.state == STATE


@at("mail")
async def test_arrows_go_through_a_list_that_scrolls_and_enter_opens(hand: Hand) -> None:
    await hand.keys(*["ArrowDown"] * 12)
    focused = hand.ui["focus"]
    assert "scrolled" in hand.ui
    await hand.keys("Enter")
    assert f"mail.open:{hand.ui['mail.open']}" == focused


@at("mail")
async def test_the_wheel_scrolls_a_list_which_stays_where_it_is_when_a_row_is_opened(
    hand: Hand,
) -> None:
    await hand.act(InputKind.SCROLL, path=((500, 500),), scroll=(0, 740))
    scrolled = hand.ui["scrolled"]
    assert scrolled == {"mail.page.inbox.all.": [0, 740]}
    await hand.act(InputKind.CLICK, path=((500, 500),))
    assert hand.ui["mail.open"]
    assert hand.ui["scrolled"] == scrolled
    await hand.act(InputKind.SCROLL, path=((500, 500),), scroll=(0, 99999))
    assert await hand.act(InputKind.SCROLL, path=((500, 500),), scroll=(0, 400)) == UNCHANGED


# ---- what shows more, knobs, edges, two windows ------------------------------------------------


@at("travel")
async def test_what_the_pointer_is_over_shows_more_and_nothing_changes(hand: Hand) -> None:
    await hand.act(InputKind.MOVE, path=((640, 20),))
    shown = await hand.episode.view()
    trips = STATE["travel"]["trips"]
    first = min(trips, key=lambda key: (trips[key]["date"], trips[key]["departs"], key))
    assert await hand.hover(f"travel.fare:{first}") == ""
    assert await hand.episode.view() != shown
    await hand.act(InputKind.MOVE, path=((640, 20),))
    assert await hand.episode.view() == shown
    assert hand.episode.desktop.state == STATE


@at("shop")
async def test_a_menu_opens_under_the_pointer_and_stays_while_it_goes_there(hand: Hand) -> None:
    await hand.hover("shop.departments")
    await hand.click("shop.kind:Sofa")
    listed = {key for key in hand.episode.desktop.page.hovers if key.startswith("shop.look:")}
    assert listed == {
        f"shop.look:{key}"
        for key, product in STATE["shop"]["products"].items()
        if product["kind"] == "Sofa"
    }


@at("sheet")
async def test_a_column_is_as_wide_as_its_edge_was_dragged_also_from_a_snapshot(
    hand: Hand, desk: Desk
) -> None:
    await hand.do(Step("sheet.handle:A", onto="sheet.edge:400"))
    # The numbers of the rows are 44 pixels wide.
    assert hand.ui["sheet.width.s1.A"] == 356
    assert hand.episode.desktop.state == STATE
    history = History(hand.acted, deepcopy(hand.episode.snapshot))
    again = await desk.open({"state": STATE}, history)
    assert await again.view() == await hand.episode.view()
    await again.close()


@at("settings")
async def test_a_knob_stops_where_it_was_dragged_to_and_a_click_moves_none(hand: Hand) -> None:
    await hand.click("settings.section:Sound")
    key = find(STATE["settings"]["values"], title="Volume")
    assert await hand.click(f"settings.{key}") == UNCHANGED
    value = "30" if STATE["settings"]["values"][key]["value"] != "30" else "40"
    await hand.do(Step(f"settings.{key}", onto=f"settings.{key}.to:{value}"))
    assert hand.episode.desktop.state["settings"]["values"][key]["value"] == value


@at("kanban")
async def test_two_applications_share_the_screen_and_things_go_from_one_to_the_other(
    hand: Hand,
) -> None:
    await hand.do(Step("dock:contacts.menu"), Step("dock:contacts.menu:beside"))
    card, person = first(hand, "kanban.open:"), first(hand, "contacts.open:")
    key = card.partition(":")[2]
    await hand.do(Step(person, onto=f"kanban.card:{key}"))
    name = STATE["contacts"]["people"][person.partition(":")[2]]["name"]
    assert hand.episode.desktop.state["kanban"]["cards"][key]["assignee"] == name
    await hand.keys("Control+z")
    assert hand.changed == {}
    await hand.do(Step("window.close:kanban"))
    assert (hand.ui["app"], hand.ui.get("beside")) == ("contacts", None)


# ---- tasks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *NEW,
        *(pytest.param(name, marks=pytest.mark.thorough) for name in TEMPLATES if name not in NEW),
    ],
)
async def test_a_task_is_done_by_mouse_and_keyboard(desk: Desk, name: str) -> None:
    index = list(TEMPLATES).index(name)
    task = TEMPLATES[name].make(40 + index, DIFFICULTIES[index % 3])
    hand = Hand(await desk.open({"state": task.state}))
    await hand.do(*task.oracle)
    assert len(hand.acted) <= task.limit
    assert passes(task, hand.episode.desktop.state, task.answer.value if task.answer else None)
    history = History(hand.acted, deepcopy(hand.episode.snapshot))
    again = await desk.open({"state": task.state}, history)
    assert await again.view() == await hand.episode.view()
    await again.close()
    await hand.episode.close()
