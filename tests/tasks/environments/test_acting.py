"""What agents say they do, in every vocabulary that is known, and what is done."""

from typing import Any, TypeAlias

import pytest

from snellen.grading.actions.formats import FORMATS
from snellen.grading.models.geometry import Space
from snellen.tasks.environments.acting import ACTIONS, Screen, read_act
from snellen.tasks.environments.arguments import ActError
from snellen.tasks.environments.inputs import Input, InputKind

SCREEN = Screen(1280, 800)
THOUSAND = Screen(1280, 800, Space.THOUSAND)
POINTED = Screen(1280, 800, pointer=(7.0, 9.0))

Case: TypeAlias = tuple[dict[str, Any], list[Input]]


def click(x: float, y: float, **more: Any) -> Input:
    return Input(InputKind.CLICK, ((x, y),), **more)


def keys(*names: str) -> Input:
    return Input(InputKind.KEY, keys=names)


def typed(text: str) -> Input:
    return Input(InputKind.TYPE, text=text)


def scrolled(across: float, down: float, *path: tuple[float, float]) -> Input:
    return Input(InputKind.SCROLL, path, scroll=(across, down))


def dragged(*path: tuple[float, float], **more: Any) -> Input:
    return Input(InputKind.DRAG, path, **more)


def wait(seconds: float) -> Input:
    return Input(InputKind.WAIT, seconds=seconds)


ANTHROPIC: list[Case] = [
    ({"action": "left_click", "coordinate": [10, 20]}, [click(10, 20)]),
    (
        {"action": "left_click", "coordinate": [10, 20], "text": "ctrl"},
        [click(10, 20, keys=("Control",))],
    ),
    ({"action": "right_click", "coordinate": [1, 2]}, [click(1, 2, button="right")]),
    ({"action": "middle_click", "coordinate": [1, 2]}, [click(1, 2, button="middle")]),
    ({"action": "double_click", "coordinate": [1, 2]}, [click(1, 2, count=2)]),
    ({"action": "triple_click", "coordinate": [1, 2]}, [click(1, 2, count=3)]),
    ({"action": "mouse_move", "coordinate": [5, 6]}, [Input(InputKind.MOVE, ((5, 6),))]),
    (
        {"action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [3, 4]},
        [dragged((1, 2), (3, 4))],
    ),
    ({"action": "left_mouse_down"}, [Input(InputKind.DOWN)]),
    ({"action": "left_mouse_up", "coordinate": [3, 4]}, [Input(InputKind.UP, ((3, 4),))]),
    (
        {"action": "scroll", "coordinate": [3, 4], "scroll_direction": "down", "scroll_amount": 3},
        [scrolled(0, 300, (3, 4))],
    ),
    ({"action": "scroll", "scroll_direction": "left", "scroll_amount": 1}, [scrolled(-100, 0)]),
    ({"action": "type", "text": "Grüße ✓\n"}, [typed("Grüße ✓\n")]),
    ({"action": "key", "text": "ctrl+s"}, [keys("Control", "s")]),
    ({"action": "key", "text": "Return"}, [keys("Enter")]),
    ({"action": "key", "text": "Page_Down"}, [keys("PageDown")]),
    ({"action": "hold_key", "text": "shift", "duration": 1}, [keys("Shift")]),
    ({"action": "wait", "duration": 2}, [wait(2)]),
]
OPENAI: list[Case] = [
    ({"type": "click", "x": 10, "y": 20, "button": "left"}, [click(10, 20)]),
    ({"type": "click", "x": 10, "y": 20, "button": "wheel"}, [click(10, 20, button="middle")]),
    ({"type": "click", "x": 1, "y": 2, "keys": ["CTRL"]}, [click(1, 2, keys=("Control",))]),
    ({"action": {"type": "double_click", "x": 1, "y": 2}}, [click(1, 2, count=2)]),
    (
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 240},
        [scrolled(0, 240, (1, 2))],
    ),
    ({"type": "keypress", "keys": ["CTRL", "A"]}, [keys("Control", "A")]),
    ({"type": "keypress", "keys": ["ENTER"]}, [keys("Enter")]),
    ({"type": "type", "text": "hello"}, [typed("hello")]),
    ({"type": "wait"}, [wait(1)]),
    ({"type": "move", "x": 1, "y": 2}, [Input(InputKind.MOVE, ((1, 2),))]),
    (
        {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}]},
        [dragged((1, 2), (3, 4), (5, 6))],
    ),
    (
        {"actions": [{"type": "click", "x": 1, "y": 2}, {"type": "type", "text": "a"}]},
        [click(1, 2), typed("a")],
    ),
]
QWEN: list[Case] = [
    ({"action": "left_click", "coordinate": [640, 400]}, [click(640, 400)]),
    ({"action": "left_click_drag", "coordinate": [3, 4]}, [dragged((7, 9), (3, 4))]),
    ({"action": "key", "keys": ["ctrl", "c"]}, [keys("Control", "c")]),
    ({"action": "scroll", "pixels": -300}, [scrolled(0, 300)]),
    ({"action": "hscroll", "pixels": 200}, [scrolled(200, 0)]),
    ({"action": "wait", "time": 3}, [wait(3)]),
    (
        {"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [1, 2]}},
        [click(1, 2)],
    ),
    (
        {"name": "computer_use", "arguments": '{"action": "type", "text": "x"}'},
        [typed("x")],
    ),
]
OSWORLD: list[Case] = [
    ({"action_type": "CLICK", "parameters": {"x": 1, "y": 2}}, [click(1, 2)]),
    (
        {"action_type": "CLICK", "x": 1, "y": 2, "button": "right", "num_clicks": 2},
        [click(1, 2, button="right", count=2)],
    ),
    ({"action_type": "CLICK"}, [click(7, 9)]),
    ({"action_type": "RIGHT_CLICK"}, [click(7, 9, button="right")]),
    ({"action_type": "DOUBLE_CLICK", "x": 1, "y": 2}, [click(1, 2, count=2)]),
    ({"action_type": "MOVE_TO", "x": 1, "y": 2}, [Input(InputKind.MOVE, ((1, 2),))]),
    ({"action_type": "DRAG_TO", "x": 1, "y": 2}, [dragged((7, 9), (1, 2))]),
    ({"action_type": "MOUSE_DOWN"}, [Input(InputKind.DOWN)]),
    ({"action_type": "MOUSE_UP", "button": "right"}, [Input(InputKind.UP, button="right")]),
    ({"action_type": "TYPING", "parameters": {"text": "hi"}}, [typed("hi")]),
    ({"action_type": "PRESS", "key": "enter"}, [keys("Enter")]),
    ({"action_type": "HOTKEY", "keys": ["ctrl", "c"]}, [keys("Control", "c")]),
    ({"action_type": "SCROLL", "dx": 0, "dy": -2}, [scrolled(0, 200)]),
    ({"action_type": "WAIT"}, [wait(1)]),
]
BROWSERGYM: list[Case] = [
    ({"action": "mouse_click(10, 20)"}, [click(10, 20)]),
    ({"action": "mouse_click(10, 20, button='right')"}, [click(10, 20, button="right")]),
    ({"action": "mouse_dblclick(1, 2)"}, [click(1, 2, count=2)]),
    ({"action": "mouse_move(1, 2)"}, [Input(InputKind.MOVE, ((1, 2),))]),
    ({"action": "mouse_down(1, 2)"}, [Input(InputKind.DOWN, ((1, 2),))]),
    ({"action": "mouse_drag_and_drop(1, 2, 3, 4)"}, [dragged((1, 2), (3, 4))]),
    ({"action": "keyboard_press('Control+A')"}, [keys("Control", "A")]),
    ({"action": "keyboard_type('abc')"}, [typed("abc")]),
    ({"action": "scroll(0, 200)"}, [scrolled(0, 200)]),
    ({"action": "noop(500)"}, [wait(0.5)]),
]
UI_TARS: list[Case] = [
    ({"action": "Action: click(start_box='(10,20)')"}, [click(10, 20)]),
    ({"action": "Thought: x\nAction: click(point='<point>10 20</point>')"}, [click(10, 20)]),
    ({"action": "click(start_box='(10,20,30,40)')"}, [click(20, 30)]),
    ({"action": "left_double(start_box='(10,20)')"}, [click(10, 20, count=2)]),
    ({"action": "right_single(start_box='(1,2)')"}, [click(1, 2, button="right")]),
    ({"action": "drag(start_box='(1,2)', end_box='(3,4)')"}, [dragged((1, 2), (3, 4))]),
    ({"action": "hotkey(key='ctrl c')"}, [keys("Control", "c")]),
    ({"action": "type(content='hi\\n')"}, [typed("hi\n")]),
    ({"action": "scroll(start_box='(1,2)', direction='down')"}, [scrolled(0, 500, (1, 2))]),
    ({"action": "wait()"}, [wait(1)]),
]
PYAUTOGUI: list[Case] = [
    ({"action": "pyautogui.click(10, 20)"}, [click(10, 20)]),
    ({"action": "pyautogui.click(x=10, y=20, clicks=2)"}, [click(10, 20, count=2)]),
    ({"action": "pyautogui.rightClick(1, 2)"}, [click(1, 2, button="right")]),
    ({"action": "pyautogui.moveTo(1, 2); pyautogui.dragTo(3, 4)"},
     [Input(InputKind.MOVE, ((1, 2),)), dragged((1, 2), (3, 4))]),
    ({"action": "pyautogui.write('hi')"}, [typed("hi")]),
    ({"action": "pyautogui.hotkey('ctrl', 'c')"}, [keys("Control", "c")]),
    ({"action": "pyautogui.press('pgdn')"}, [keys("PageDown")]),
    ({"action": "pyautogui.scroll(-3)"}, [scrolled(0, 300)]),
    ({"action": "pyautogui.hscroll(2)"}, [scrolled(200, 0)]),
]  # fmt: skip
GEMINI: list[Case] = [
    ({"name": "click_at", "args": {"x": 500, "y": 500}}, [click(640, 400)]),
    ({"name": "hover_at", "args": {"x": 0, "y": 0}}, [Input(InputKind.MOVE, ((0, 0),))]),
    (
        {"name": "type_text_at", "args": {"x": 500, "y": 500, "text": "a"}},
        [click(640, 400), keys("Control", "a"), keys("Backspace"), typed("a"), keys("Enter")],
    ),
    (
        {"name": "type_text_at",
         "args": {"x": 0, "y": 0, "text": "a", "press_enter": False, "clear_before_typing": False}},
        [click(0, 0), typed("a")],
    ),
    ({"name": "key_combination", "args": {"keys": "control+a"}}, [keys("Control", "a")]),
    ({"name": "scroll_document", "args": {"direction": "down"}}, [scrolled(0, 640)]),
    (
        {"name": "scroll_at", "args": {"x": 500, "y": 500, "direction": "right", "magnitude": 500}},
        [scrolled(640, 0, (640, 400))],
    ),
    (
        {"name": "drag_and_drop",
         "args": {"x": 0, "y": 0, "destination_x": 500, "destination_y": 500}},
        [dragged((0, 0), (640, 400))],
    ),
    ({"name": "wait_5_seconds", "args": {}}, [wait(5)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "meant"),
    [*ANTHROPIC, *OPENAI, *QWEN, *OSWORLD, *BROWSERGYM, *UI_TARS, *PYAUTOGUI],
)
def test_every_vocabulary_is_read_as_its_agents_mean_it(
    given: dict[str, Any], meant: list[Input]
) -> None:
    assert list(read_act(given, POINTED).inputs) == meant


@pytest.mark.parametrize(("given", "meant"), GEMINI)
def test_gemini_counts_in_thousandths_where_the_attempt_does(
    given: dict[str, Any], meant: list[Input]
) -> None:
    assert list(read_act(given, THOUSAND).inputs) == meant


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"molmo"}))
def test_every_format_that_is_graded_acts_where_it_is_graded(name: str) -> None:
    declared = {"format": name, "response": FORMATS[name].example}
    (click,) = read_act(declared, Screen(1080, 2400)).inputs
    assert (click.kind, click.path) == (InputKind.CLICK, ((540, 1200),))


@pytest.mark.parametrize(
    "response",
    [
        '{"action": "click", "x": 10, "y": 20}',
        '```json\n{"action": "left_click", "coordinate": [10, 20]}\n```',
        "<think>not click(1, 2)</think>click(10, 20)",
        "adb shell input tap 10 20",
        {"type": "tool_use", "id": "a", "name": "computer",
         "input": {"action": "left_click", "coordinate": [10, 20]}},
        {"type": "computer_call", "action": {"type": "click", "x": 10, "y": 20, "button": "left"}},
        {"tool_calls": [{"type": "function", "function": {
            "name": "click", "arguments": '{"x": 10, "y": 20}'}}]},
        {"candidates": [{"content": {"parts": [
            {"functionCall": {"name": "click_at", "args": {"x": 10, "y": 20}}}]}}]},
        {"name": "computer", "args": {"action": "left_click", "coordinate": [10, 20]}},
        {"POINT": [10, 20]},
    ],
)  # fmt: skip
def test_what_is_graded_as_an_action_acts(response: str | dict[str, Any]) -> None:
    given = response if isinstance(response, dict) else {"action": response}
    assert read_act(given, SCREEN).inputs == (click(10, 20),)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"action": "```python\nclick(1, 2)\n```\nThen\n```\npyautogui.press('tab')\n```"},
         [click(1, 2), keys("Tab")]),
        ({"action": "swipe", "direction": "up"}, [scrolled(0, 500)]),
        ({"action": "swipe", "start": [1, 500], "end": [1, 100]}, [scrolled(0, 400, (1, 500))]),
        ({"action": "scroll", "direction": "down", "pixels": 300}, [scrolled(0, 300)]),
        ({"action": "Scroll(start=(1, 500), end=(1, 100), direction='down')"},
         [scrolled(0, 400, (1, 500))]),
        ({"action": "scroll(3, 4, 'down')"}, [scrolled(0, 500, (3, 4))]),
        ({"action": "pyautogui.scroll(-3, 3, 4)"}, [scrolled(0, 300, (3, 4))]),
        ({"action": "type", "coordinate": [1, 2], "text": "a"}, [click(1, 2), typed("a")]),
        ({"action": "type", "text": "a", "press_enter": True}, [typed("a"), keys("Enter")]),
        ({"action": "long_press", "coordinate": [1, 2], "time": 2},
         [Input(InputKind.DOWN, ((1, 2),)), wait(2), Input(InputKind.UP, ((1, 2),))]),
        ({"action": "drag(1, 2, 3, 4)"}, [dragged((1, 2), (3, 4))]),
        ({"action": "drag", "x1": 1, "y1": 2, "x2": 3, "y2": 4}, [dragged((1, 2), (3, 4))]),
        ({"action": "pyautogui.click(1, 2, 2, 0.1, 'right')"},
         [click(1, 2, button="right", count=2)]),
        ({"action": "pyautogui.click((1, 2), button='secondary')"}, [click(1, 2, button="right")]),
        ({"action": "left_click", "coordinate": [1, 2], "num_clicks": "2"}, [click(1, 2, count=2)]),
        ({"action": "click", "x": "1", "y": "2", "modifiers": ["Shift"]},
         [click(1, 2, keys=("Shift",))]),
        ({"action": "pyautogui.press('tab', presses=2)"}, [keys("Tab")] * 2),
        ({"action": "pyautogui.press('tab', 2)"}, [keys("Tab")] * 2),
        ({"action": "key", "text": "Tab", "repeat": 2}, [keys("Tab")] * 2),
        ({"action": "pyautogui.press(['a', 'tab'])"}, [keys("a"), keys("Tab")]),
        ({"action": "pyautogui.hotkey(['ctrl', 'c'])"}, [keys("Control", "c")]),
        ({"action": "pyautogui.write(['a', 'left'])"}, [keys("a"), keys("ArrowLeft")]),
        ({"action": 'pyautogui.write(r"C:\\temp")'}, [typed("C:\\temp")]),
        ({"action": "key", "text": "Home"}, [keys("Home")]),
        ({"action": "press_enter"}, [keys("Enter")]),
        ({"space": "unit", "response": "click(0.5, 0.5)"}, [click(640, 400)]),
        ({"action": "left_click", "coordinate": [1, 2], "reasoning": "the menu", "keys": []},
         [click(1, 2)]),
    ],
)  # fmt: skip
def test_every_argument_that_is_known_is_done(given: dict[str, Any], meant: list[Input]) -> None:
    assert list(read_act(given, POINTED).inputs) == meant


@pytest.mark.parametrize("false", [False, "false", "False", 0, "0", "no"])
def test_false_is_false_however_it_is_written(false: object) -> None:
    given = {"text": "a", "x": 0, "y": 0, "press_enter": false, "clear_before_typing": false}
    acted = read_act({"name": "type_text_at", "args": given}, SCREEN)
    assert acted.inputs == (click(0, 0), typed("a"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"action": "click", "coords": [1, 2]}, "click does not use 'coords'"),
        ({"action": "left_click", "Coordinate": [1, 2]}, "did you mean 'coordinate'"),
        ({"action": "left_click", "mouse_button": "right"}, "did you mean 'button'"),
        ({"action": "left_click", "hold": "ctrl"}, "does not use 'hold'"),
        ({"action": "double_click", "times": 3}, "does not use 'times'"),
        ({"action": "mouse_move", "coordinate": [1, 2], "keys": ["ctrl"]}, "'keys'"),
        ({"action": "scroll", "direction": "down", "delta_y": 9}, "does not use 'delta_y'"),
        ({"action": "scroll", "direction": "down", "pixels": 9, "amount": 9}, "'amount'"),
        ({"action": "key", "text": "Enter", "coordinate": [1, 2]}, "'coordinate'"),
        ({"action": "left_click", "coordinate": [1, 2], "num_clicks": 1.5}, "a whole number"),
        ({"action": "double_click", "coordinate": [1, 2], "num_clicks": 3}, "clicks 2 times"),
        ({"action": "right_click", "coordinate": [1, 2], "button": "left"}, "the right button"),
        ({"action": "key", "text": "Tab", "presses": 0}, "presses must be a whole number"),
        ({"action": "type", "text": "a", "press_enter": "perhaps"}, "true or false"),
        ({"action": "drag", "start_coordinate": "here", "coordinate": [1, 2]}, "start_coordinate"),
        (
            {"action": "drag", "from_x": 1, "from_y": 2, "to_x": 3},
            "from_x, from_y, to_x, to_y must all",
        ),
        ({"action": "drag", "x1": 1, "y1": 2, "coordinate": [3, 4]}, "x1, y1, x2, y2 must all"),
        ({"action": "click", "element": "Save"}, "element must be [x, y]"),
        ({"action": "pyautogui.click(1, 2, 1, 0, 'left', 9)"}, "at most"),
        ({"action": "pyautogui.click(1, 2, x=3)"}, "x is given twice"),
        ({"action": "click(1, 2)", "coordinate": [3, 4]}, "'coordinate' beside a text"),
        ({"action": "pyautogui.click(1, 2); pyautogui.fly(3)"}, "no action 'pyautogui.fly'"),
        ({"action": "click(1, 2); click(x, 3)"}, "click can't be read"),
        ({"action": "for i in range(3):\n  pyautogui.press('tab')"}, "'for' of a program"),
        ({"actions": [{"type": "click", "x": 1, "y": 2}, {"type": "fly"}]}, "no action 'fly'"),
        ({"actions": []}, "no action is named"),
        ({"action": "scroll", "scroll_direction": "up", "scroll_amount": -3}, "not be negative"),
        ({"action": "pyautogui.keyDown('ctrl')"}, "not available here"),
        ({"action": "press_home"}, "not available here"),
        ({"format": "fly", "response": "click(1, 2)"}, "format"),
    ],
)
def test_what_is_not_done_is_refused_by_its_name(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ActError, match=r".") as caught:
        read_act(given, POINTED)
    assert said in str(caught.value)


def test_an_end_after_other_actions_is_noted_and_they_are_done() -> None:
    acted = read_act({"actions": [{"type": "wait"}, {"action": "done"}]}, SCREEN)
    assert (acted.inputs, acted.end) == ((wait(1),), "")
    assert "submit_answer" in acted.note


def test_a_key_that_is_to_be_held_is_pressed_and_a_note_says_so() -> None:
    acted = read_act({"action": "hold_key", "text": "shift", "duration": 2}, SCREEN)
    assert acted.inputs == (keys("Shift"),)
    assert "not held" in acted.note


def test_fractions_are_of_the_screen_and_its_far_edge_is_its_last_pixel() -> None:
    screen = Screen(1280, 800, Space.UNIT)
    (half,) = read_act({"action": "click", "coordinate": [0.5, 0.25]}, screen).inputs
    (edge,) = read_act({"action": "click", "coordinate": [1, 1]}, screen).inputs
    assert (half.path, edge.path) == (((640, 200),), ((1279, 799),))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("KP_0", "0"),
        ("Shift_L", "Shift"),
        ("Control_R", "Control"),
        ("plus", "+"),
        ("ArrowLeft", "ArrowLeft"),
        ("Left", "ArrowLeft"),
        ("ESC", "Escape"),
        ("f5", "F5"),
        ("space", " "),
        ("super", "Meta"),
        ("KP_Enter", "Enter"),
        ("BackSpace", "Backspace"),
    ],
)
def test_keys_go_by_the_names_that_x_and_others_give_them(name: str, key: str) -> None:
    assert read_act({"action": "key", "keys": [name]}, SCREEN).inputs == (keys(key),)


def test_a_plus_is_a_key_as_well() -> None:
    assert read_act({"action": "key", "text": "ctrl++"}, SCREEN).inputs == (keys("Control", "+"),)


def test_several_keys_between_spaces_are_several_steps() -> None:
    assert read_act({"action": "key", "text": "Tab Tab"}, SCREEN).inputs == (keys("Tab"),) * 2


def test_a_character_that_is_on_no_keyboard_is_typed() -> None:
    assert read_act({"action": "key", "text": "é"}, SCREEN).inputs == (typed("é"),)


def test_a_wait_of_a_minute_is_cut_and_says_so() -> None:
    acted = read_act({"action": "wait", "duration": 60}, SCREEN)
    assert acted.inputs == (wait(5),)
    assert "5 seconds" in acted.note


@pytest.mark.parametrize("action", ["screenshot", "zoom", "cursor_position"])
def test_asking_to_look_is_no_input(action: str) -> None:
    acted = read_act({"action": action}, SCREEN)
    assert (acted.look, acted.inputs) == (True, ())


@pytest.mark.parametrize(
    "given",
    [
        {"action": "finished(content='done')"},
        {"action_type": "DONE"},
        {"action": "terminate", "status": "success"},
    ],
)
def test_who_wants_to_end_is_told_how(given: dict[str, Any]) -> None:
    acted = read_act(given, SCREEN)
    assert "submit_answer" in acted.end
    assert acted.inputs == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no action is named"),
        ({"action": "clik", "coordinate": [1, 2]}, "did you mean 'click'"),
        ({"action": "mouse_move"}, "coordinate"),
        ({"action": "click", "coordinate": [1]}, "[x, y]"),
        ({"action": "click", "coordinate": [1, 2, 3]}, "[x, y]"),
        (
            {"action": "click", "coordinate": [1280.5, 2]},
            "outside the screen, which is 1280",
        ),
        ({"action": "click", "coordinate": [-1, 2]}, "outside"),
        ({"action": "click", "coordinate": [float("nan"), 2]}, "[x, y] in finite numbers"),
        ({"action": "click", "coordinate": [10**400, 2]}, "[x, y] in finite numbers"),
        ({"action": "click", "coordinate": [True, 2]}, "number"),
        ({"action": "click", "coordinate": ["left", 2]}, "number"),
        ({"action": "click", "x": 3}, "number"),
        ({"action": "click", "x": 1, "y": 2, "button": "paw"}, "no button 'paw'"),
        ({"action": "click", "x": 1, "y": 2, "num_clicks": 9}, "a whole number from 1 to 3"),
        ({"action": "type", "text": "x" * 1_000_000}, "1,000,000 characters"),
        ({"action": "type"}, "the text to type"),
        ({"action": "type", "text": "\ud800"}, "surrogate"),
        ({"action": "type", "text": "a\x00b"}, "control characters"),
        ({"action": "key", "text": "hyper+q"}, "no key 'hyper'"),
        ({"action": "key", "keys": [3]}, "a key must be a text"),
        ({"action": "key"}, "needs keys"),
        ({"action": "scroll", "coordinate": [1, 2]}, "scroll_direction"),
        ({"action": "scroll", "scroll_direction": "away"}, "no direction 'away'"),
        ({"action": "wait", "duration": -1}, "must not be negative"),
        ({"action": "drag", "path": [[1, 2]] * 501}, "501 points"),
        ({"action": "navigate", "url": "https://example.com"}, "not available here"),
        ({"action": "__import__('os').system('x')"}, "no action '__import__'"),
        ({"action": "click((1, 2"}, "click can't be read"),
        ({"actions": [{"type": "wait"}] * 51}, "51 inputs"),
        ({"actions": [3]}, "an object or a text, not 3"),
    ],
)
def test_what_cannot_be_read_says_why(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ActError, match=r".") as caught:
        read_act(given, SCREEN)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_that_is_listed_is_done_with_its_own_fields(name: str) -> None:
    own: dict[str, Any] = {"coordinate": [1, 2]}
    if name == "scroll":
        own |= {"scroll_direction": "down", "scroll_amount": 1}
    elif name == "wait":
        own = {"duration": 1}
    elif name in ("type", "key", "keypress"):
        own = {"text": "a"}
    assert len(read_act({"action": name, **own}, POINTED).inputs) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"action": "left_click"},
        {"action": "click", "button": "right"},
        {"action": "left_mouse_down"},
        {"action": "left_click_drag", "coordinate": [1, 2]},
        {"action": "pyautogui.click()"},
    ],
)
def test_an_action_without_a_place_is_refused_before_the_mouse_has_one(
    given: dict[str, Any],
) -> None:
    with pytest.raises(ActError, match="needs a coordinate"):
        read_act(given, SCREEN)
    assert len(read_act(given, POINTED).inputs) == 1


def test_in_one_call_an_action_begins_where_the_one_before_it_ended() -> None:
    moved = {"actions": [{"type": "move", "x": 5, "y": 6}, {"type": "click"}]}
    assert read_act(moved, SCREEN).inputs[-1] == click(5, 6)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ctrl-c", [keys("Control", "c")]),
        ("Ctrl-Shift-T", [keys("Control", "Shift", "T")]),
        ("ctrl--", [keys("Control", "-")]),
        ("ctrl-page-down", [keys("Control", "PageDown")]),
        ("page-down", [keys("PageDown")]),
        ("-", [keys("-")]),
        ("ctrl-a ctrl-c", [keys("Control", "a"), keys("Control", "c")]),
        ("e\u0301", [typed("é")]),
        ("Page Down", [keys("PageDown")]),
        ("ctrl + a", [keys("Control", "a")]),
        ("ctrl + +", [keys("Control", "+")]),
        ("ctrl+page down", [keys("Control", "PageDown")]),
        ("up arrow", [keys("ArrowUp")]),
        ("left shift", [keys("Shift")]),
        ("shift left", [keys("Shift", "ArrowLeft")]),
        ("Caps Lock Tab", [keys("CapsLock"), keys("Tab")]),
    ],
)
def test_keys_are_joined_and_named_as_people_write_them(written: str, meant: list[Input]) -> None:
    assert list(read_act({"action": "key", "text": written}, SCREEN).inputs) == meant


@pytest.mark.parametrize("held", [{"text": "ctrl"}, {"keys": ["CTRL"]}])
def test_a_scroll_holds_the_keys_that_it_names(held: dict[str, Any]) -> None:
    given = {"action": "scroll", "coordinate": [3, 4], "scroll_direction": "up", **held}
    (scroll,) = read_act(given, SCREEN).inputs
    assert (scroll.scroll, scroll.keys) == ((0, -500), ("Control",))
    across = {"action": "hscroll", "clicks": 1, **held}
    assert read_act(across, SCREEN).inputs[0].keys == ("Control",)
