"""Whoever names a mark or a ref acts on its element, in every spelling, and never by a point."""

from typing import Any

import pytest

from snellen.tasks.environments.acting import ACTIONS
from snellen.tasks.environments.aiming import aimed
from snellen.tasks.environments.arguments import ActError
from snellen.tasks.environments.inputs import Input, InputKind

SEND, FIELD = (1, 0), (1, 1, 2)
ELEMENTS = {"12": SEND, "3": FIELD, "e12": SEND, "e3": FIELD}


def click(element: tuple[int, ...] = SEND, **more: Any) -> Input:
    return Input(InputKind.CLICK, element=element, **more)


def keys(*names: str) -> Input:
    return Input(InputKind.KEY, keys=names)


def filled(text: str, *more: Input) -> list[Input]:
    return [click(FIELD), keys("Control", "a"), Input(InputKind.TYPE, text=text), *more]


MOVE = Input(InputKind.MOVE, element=SEND)
DRAG = Input(InputKind.DRAG, element=SEND, onto=FIELD)
DOWN = Input(InputKind.SCROLL, element=SEND, scroll=(0, 300))


def called(name: str, **given: Any) -> dict[str, Any]:
    return {"name": name, "arguments": given}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"mark": 12}, [click()]),
        ({"mark": "[12]"}, [click()]),
        ({"ref": "ref=e12"}, [click()]),
        ({"ref": "e3", "text": "a"}, filled("a")),
        ({"action": "left_click", "mark": 12, "text": "ctrl"}, [click(keys=("Control",))]),
        ({"action": "click", "element": "e12"}, [click()]),
        ({"action": "click", "target": 12, "space": "unit"}, [click()]),
        ({"action": {"type": "click", "ref": "e12", "button": "right"}}, [click(button="right")]),
        ({"action": "double_click", "mark": 12}, [click(count=2)]),
        ({"action": "right_click", "mark": 12}, [click(button="right")]),
        ({"action": "mouse_move", "mark": 12}, [MOVE]),
        ({"action": "left_click_drag", "start_mark": 12, "end_mark": 3}, [DRAG]),
        ({"action": "left_click_drag", "start_ref": "e12", "end_ref": "e3"}, [DRAG]),
        ({"action": "drag", "mark": 12, "end": 3}, [DRAG]),
        ({"action": "left_click_drag", "mark": 12, "coordinate": [40, 9]},
         [Input(InputKind.DRAG, ((40, 9),), element=SEND)]),
        (
            {"action": "scroll", "mark": 12, "scroll_direction": "down", "scroll_amount": 3},
            [DOWN],
        ),
        ({"action": "type", "mark": 3, "text": "a", "press_enter": True},
         filled("a", keys("Enter"))),
        ({"action": "left_mouse_down", "mark": 12}, [Input(InputKind.DOWN, element=SEND)]),
        ({"action": "left_mouse_up"}, [Input(InputKind.UP)]),
        ({"actions": [{"mark": 12, "action": "click"}, {"action": "type", "text": "a"}]},
         [click(), Input(InputKind.TYPE, text="a")]),
        # BrowserGym
        ({"action": "click('12')"}, [click()]),
        ({"action": "click('12', button='right')"}, [click(button="right")]),
        ({"action": "click('12', 'middle')"}, [click(button="middle")]),
        ({"action": "dblclick('12')"}, [click(count=2)]),
        ({"action": "hover('12')"}, [MOVE]),
        ({"action": "fill('3', 'some text')"}, filled("some text")),
        ({"action": "press('12', 'Control+a')"}, [click(), keys("Control", "a")]),
        ({"action": "drag_and_drop('12', '3')"}, [DRAG]),
        ({"action": "select_option('3', 'Oslo')"},
         [click(FIELD), Input(InputKind.TYPE, text="Oslo"), keys("Enter")]),
        ({"action": "scroll(0, 200)"}, [Input(InputKind.SCROLL, scroll=(0, 200))]),
        ({"action": "keyboard_press('Escape')"}, [keys("Escape")]),
        # Playwright MCP
        ({"action": "browser_click", "ref": "e12"}, [click()]),
        (called("browser_click", element="Send 2", ref="e12"), [click()]),
        (called("browser_click", ref="e12", doubleClick=True), [click(count=2)]),
        (called("browser_hover", ref="e12"), [MOVE]),
        (called("browser_type", element="Field", ref="e3", text="a", submit=True, slowly=False),
         filled("a", keys("Enter"))),
        (called("browser_type", ref="e3", text="a", submit=False), filled("a")),
        (called("browser_drag", startElement="a", startRef="e12", endElement="b", endRef="e3"),
         [DRAG]),
        (called("browser_select_option", ref="e3", values=["Oslo"]),
         [click(FIELD), Input(InputKind.TYPE, text="Oslo"), keys("Enter")]),
        (called("browser_press_key", key="Enter"), [keys("Enter")]),
    ],
)  # fmt: skip
def test_every_spelling_acts_on_the_element(given: dict[str, Any], meant: list[Input]) -> None:
    assert list(aimed(given, ELEMENTS, "mark").inputs) == meant


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"action": "click", "coordinate": [10, 20]}, "acts by marks: name a mark"),
        ({"action": "click", "coordinate": [1, 0.4375]}, "acts by marks"),
        ({"action": "click(10, 20)"}, "acts by marks"),
        ({"action": "scroll", "coordinate": [1, 2], "scroll_direction": "up"}, "acts by marks"),
        ({"action": "type", "coordinate": [1, 2], "text": "a"}, "acts by marks"),
        ({"action": "left_click_drag", "start_coordinate": [1, 2], "mark": 12}, "acts by marks"),
        ({"action": "drag", "path": [[1, 2], [3, 4]]}, "acts by marks"),
        ({"action": "left_click"}, "acts by marks"),
        ({"mark": 12, "coordinate": [1, 2]}, "coordinate can't be given beside"),
        ({"mark": 99}, "there is no mark 99 on the last screenshot"),
        ({"action": "fill('e9', 'a')"}, "there is no mark e9"),
        ({"action": "click", "element": "Send"}, "there is no mark Send"),
        ({"mark": 12, "force": True}, "does not use 'force'"),
        ({"action": "fly", "mark": 12}, "there is no action 'fly'"),
        ({"action": "fill", "mark": 3}, "needs text"),
    ],
)
def test_a_point_and_an_unknown_id_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ActError) as caught:
        aimed(given, ELEMENTS, "mark")
    assert said in str(caught.value)


def test_refs_are_called_refs() -> None:
    with pytest.raises(ActError, match="there is no ref e99 in the last tree"):
        aimed({"ref": "e99"}, ELEMENTS, "ref")
    with pytest.raises(ActError, match="acts by refs: name a ref in the last tree"):
        aimed({"action": "click(1, 2)"}, ELEMENTS, "ref")


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_that_is_listed_is_done_with_a_mark(name: str) -> None:
    own: dict[str, Any] = {"mark": 12}
    if "drag" in name:
        own = {"start_mark": 12, "end_mark": 3}
    elif name == "scroll":
        own |= {"scroll_direction": "down"}
    elif name in ("type", "key", "keypress"):
        own |= {"text": "a"}
    elif name == "wait":
        own = {"duration": 1}
    acted = aimed({"action": name, **own}, ELEMENTS, "mark")
    assert acted.inputs[0].element == (() if name == "wait" else SEND)
