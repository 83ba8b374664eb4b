"""What models write is read as a careful person would read it, whatever the format."""

import json
import math
import random
import re
from collections.abc import Callable
from contextlib import suppress

import pytest

from snellen.grading.actions.formats import FORMATS, format_of
from snellen.grading.actions.reading import NoActionError, ReadAction, read_action
from snellen.grading.coordinates import CoordinateSpace
from snellen.grading.errors import UnknownNameError
from snellen.grading.models.actions import ActionType

IMAGE = (1080.0, 2400.0)
ACTED = [form for form in FORMATS.values() if form.name != "molmo"]
"""The formats of actions; Molmo writes points alone."""


def in_image(read: ReadAction) -> tuple[float, float]:
    extent = read.space.extent(IMAGE)
    assert extent is not None
    assert read.action.point is not None
    x, y = read.action.point
    return x / extent[0] * IMAGE[0], y / extent[1] * IMAGE[1]


@pytest.mark.parametrize("form", ACTED, ids=lambda form: form.name)
def test_the_example_of_a_declared_format_is_a_click_in_the_middle(form: object) -> None:
    assert isinstance(form, type(ACTED[0]))
    read = read_action(form.example, form)
    assert read.action.type is ActionType.CLICK
    assert in_image(read) == pytest.approx((540, 1200), abs=4)


ONE_SPACE = [
    form
    for form in ACTED
    if form.name
    not in (
        "qwen3-vl",
        "mai-ui",
        "ui-tars-1.5",
        "holo2",
        "ui-r1",
        "seeclick",
        "gui-owl",
        "kimi-vl",
        "ui-venus-1.5",
    )
]


@pytest.mark.parametrize("form", ONE_SPACE, ids=lambda form: form.name)
def test_a_format_with_marks_of_its_own_need_not_be_declared(form: object) -> None:
    assert isinstance(form, type(ACTED[0]))
    assert in_image(read_action(form.example)) == pytest.approx((540, 1200), abs=12)


@pytest.mark.parametrize("name", ["Qwen2.5-VL", "M3A", "aguvis", "GUI-R1"])
def test_a_format_is_named_in_any_case(name: str) -> None:
    assert format_of(name).name in FORMATS


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no format 'qwen-9'.*Known: qwen, qwen3-vl"):
        format_of("qwen-9")


def what(response: object, form: str | None = None) -> tuple[object, ...]:
    read = read_action(response, None if form is None else format_of(form))
    action = read.action
    return (action.type.value, action.direction or action.text or action.app or action.button)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ('computer.scroll(direction="down")', ("scroll", "down")),
        ({"type": "scroll", "x": 1, "y": 1, "scroll_x": 0, "scroll_y": -40}, ("scroll", "up")),
        ("pyautogui.scroll(-5)", ("scroll", "down")),
        ("scroll(0, -200)", ("scroll", "up")),
        ('{"action_type": "SCROLL", "parameters": {"dx": 0, "dy": -3}}', ("scroll", "down")),
        ("adb shell input swipe 500 1500 500 500 300", ("scroll", "down")),
        ('adb shell input text "new%syork"', ("type", "new york")),
        ("adb shell input keyevent 4", ("navigate", "back")),
        ('page.keyboard.press("Return")', ("key", "enter")),
        ('{"tool_name": "write_desktop", "content": "hi"}', ("type", "hi")),
        ("pyautogui.hscroll(3)", ("scroll", "right")),
        (
            '{"name": "computer_use", "arguments": {"action": "scroll", "pixels": 300}}',
            ("scroll", "up"),
        ),
        ('{"POINT": [1, 2], "to": "up"}', ("scroll", "down")),
        ("swipe(direction='left')", ("scroll", "right")),
        ("actions:\nSCROLL [LEFT]", ("scroll", "left")),
        ("SCROLL: LEFT", ("scroll", "right")),
        ("Scroll(start=(500, 900), end=(500, 300), direction='down')", ("scroll", "down")),
        ("pyautogui.hotkey('ctrl', 'c')", ("key", "ctrl+c")),
        ('{"action": "key", "keys": ["Ctrl", "A"]}', ("key", "ctrl+a")),
        ('{"action": "system_button", "button": "Back"}', ("navigate", "back")),
        ("press_home()", ("navigate", "home")),
        ('do(action="Launch", app="Gmail")', ("open_app", "Gmail")),
        ("TYPE: two words.", ("type", "two words.")),
        ("type(content='it's click(1, 2)')", ("type", "it's click(1, 2)")),
        ("pyautogui.write(['a', 'b'])", ("type", "ab")),
        ('{"action": "answer", "text": "42"}', ("finish", "42")),
        ("call_user()", ("finish", "")),
        ("pyautogui.tripleClick(0.5, 0.5)", ("triple_click", "")),
        ("pyautogui.click(0.5, 0.5, button='right')", ("right_click", "")),
        ("pyautogui.click(x=0.5, y=0.5, clicks=2)", ("double_click", "")),
    ],
)
def test_an_action_means_the_same_in_every_spelling(
    response: object, expected: tuple[str, str]
) -> None:
    assert what(response) == expected


@pytest.mark.parametrize(
    ("response", "space"),
    [
        ("click_at(x=500, y=500)", "thousand"),
        (
            '<function_calls><invoke name="computer"><parameter name="action">click</parameter>'
            '<parameter name="coordinate">[540, 1200]</parameter></invoke></function_calls>',
            "pixels",
        ),
        ("await page.mouse.click(540, 1200)", "pixels"),
        ("```bash\nadb shell input tap 540 1200\n```", "pixels"),
        ('{"action_type": "CLICK", "parameters": {"x": 540, "y": 1200}}', "pixels"),
        ('[{"name": "Tap", "arguments": {"x": 540, "y": 1200}}]', "pixels"),
    ],
)
def test_a_call_of_another_library_says_what_it_counts(response: str, space: str) -> None:
    read = read_action(response)
    assert (read.action.type, read.space.id) == (ActionType.CLICK, space)
    assert in_image(read) == pytest.approx((540, 1200))


def test_a_move_says_where_the_click_is() -> None:
    read = read_action("pyautogui.moveTo(0.5, 0.25)\npyautogui.click()")
    assert (read.action.type, read.action.point) == (ActionType.CLICK, (0.5, 0.25))


def test_of_several_actions_the_first_that_acts_is_the_step() -> None:
    calls = [
        {"type": "tool_use", "id": "1", "name": "computer", "input": {"action": "screenshot"}},
        {
            "type": "tool_use",
            "id": "2",
            "name": "computer",
            "input": {"action": "left_click", "coordinate": [1, 2]},
        },
        {
            "type": "tool_use",
            "id": "3",
            "name": "computer",
            "input": {"action": "type", "text": "x"},
        },
    ]
    read = read_action(calls)
    assert (read.action.type, read.note) == (
        ActionType.CLICK,
        "its first action is the step; there are more",
    )


@pytest.mark.parametrize(
    "response",
    [
        "I would click the button at the top.",
        "The user can scroll down or type(something).",
        "Do not click(500, 500).",
        'Never do {"action": "click", "coordinate": [500, 500]}.',
        "I won't click(start_box='(500,500)').",
        "<think>I should click(500, 500)</think>",
        "<think>I should click(500, 500), or maybe",
        "click on the one at (500, 500)",
        "# pyautogui.click(0.5, 0.5)",
        '{"action": "click"}',
        '{"action": "click", "coordinate": null}',
        '{"action": "click", "coordinate": [1, 2, 3]}',
        '{"click": [1, 2]}',
        '{"x": 1, "y": 2}',
        "WAIT for the page.\nThen press the button.\nIt is blue.\nDone.\nReally.",
        [],
        {},
        None,
        12,
        "",
    ],
)
def test_what_is_no_action_is_none(response: object) -> None:
    with pytest.raises(NoActionError):
        read_action(response)


def test_digits_of_any_length_are_read_or_refused() -> None:
    with pytest.raises(NoActionError):
        read_action(f"click({'9' * 400}, 1)")
    assert read_action("click(212.61528918901234, 966.1234567890123)").action.point == (
        212.61528918901234,
        966.1234567890123,
    )


def within(depth: int, name: str | None, inner: object) -> object:
    for _ in range(depth):
        inner = [inner] if name is None else {name: inner}
    return inner


@pytest.mark.parametrize("depth", [400, 2_000])
@pytest.mark.parametrize("name", [None, "action", "input", "function", "arguments", "content"])
def test_what_is_nested_too_deep_is_no_action(name: str | None, depth: int) -> None:
    for inner in (
        within(depth, name, {}),
        {"name": "computer_use", "arguments": within(depth, name, 1)},
    ):
        for whole in (inner, {"type": "tool_use", "name": "computer", "input": inner}):
            with pytest.raises(NoActionError):
                read_action(whole)
            if depth < 1_000:
                with pytest.raises(NoActionError):
                    read_action(json.dumps(whole))


FIELDS = sorted(
    set(re.findall(r"\w+", " ".join(repr(form.example) for form in FORMATS.values())))
    | {"STATUS", "duration", "role", "type", "actions", "choices", "thought", "keys", "status"}
)
ODD: list[object] = [
    *({}, [], {"a": 1}, [1], None, True, 1.5, 10**400, math.nan, "", "x", [[]], [{}], [None]),
]


@pytest.mark.parametrize("action", ["click", "type", "scroll", "swipe", "key", "wait", None])
def test_a_field_of_a_wrong_kind_is_an_action_without_it_or_none(action: str | None) -> None:
    given = {} if action is None else {"action": action}
    for name in FIELDS:
        for odd in ODD:
            fields = {**given, name: odd}
            for whole in (fields, [fields], {"name": "computer_use", "arguments": fields}):
                with suppress(NoActionError):
                    assert read_action(whole).action.type in ActionType


def test_full_width_signs_count_where_nothing_is_found_without() -> None:
    read = read_action("Action: click\uff08\uff11\uff12\uff0c \uff13\uff14\uff09")
    assert read.action.point == (12, 34)
    assert what("type(content='\uff08a\uff0cb\uff09')") == ("type", "\uff08a\uff0cb\uff09")


# ---- no wrong credit ---------------------------------------------------------------------------

RIGHT = "CLICKED"


def near_misses(seed: int) -> tuple[object, str]:
    """Return a response that does not say the right click at (300, 400), and why."""
    chance = random.Random(seed)
    right = chance.choice(
        [
            "click(300, 400)",
            "pyautogui.click(300, 400)",
            '{"action": "click", "coordinate": [300, 400]}',
            "click(start_box='(300,400)')",
            "CLICK: (300, 400)",
            "<point>300 400</point>",
            "(300, 400)",
        ]
    )
    other = chance.choice(
        ["click(700, 900)", '{"action": "click", "coordinate": [700, 900]}', "type(content='x')"]
    )
    thought = chance.choice(
        [
            "<think>{}</think>",
            "<thinking>{}</thinking>\n",
            "\u25c1think\u25b7{}\u25c1/think\u25b7",
            "[THINK]{}[/THINK]",
            "{}</think>",
            "Thought: {}\nAction: ",
            "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
        ]
    ).format(f"I could do {right}.")
    ways: dict[str, Callable[[], object]] = {
        "a thought that names it, and another action": lambda: thought + other,
        "a thought alone": lambda: thought,
        "a thought that never ends": lambda: f"<think>I could do {right}",
        "denied": lambda: f"Do not {right}. {other}",
        "prose": lambda: f"The button is near 300 and 400, so click there ({chance.random()}).",
        "typed": lambda: f"type(content={right!r})",
        "typed as JSON": lambda: json.dumps({"action": "type", "text": right}),
        "a comment": lambda: f"# {right}\n{other}",
        "another action first": lambda: f"{other}\n{right}",
        "the other button": lambda: "pyautogui.click(300, 400, button='right')",
    }
    name = chance.choice(list(ways))
    return ways[name](), name


@pytest.mark.slow
def test_of_twenty_thousand_near_misses_none_is_the_right_click() -> None:
    credited: list[object] = []
    for seed in range(20_000):
        response, why = near_misses(seed)
        try:
            read = read_action(response)
        except NoActionError:
            continue
        action = read.action
        if action.type is ActionType.CLICK and action.point == (300, 400):
            credited.append((why, response))
    assert credited == []


def test_a_format_by_form_counts_fractions_up_to_one() -> None:
    spaces: list[CoordinateSpace] = [
        read_action(f"pyautogui.click(x={x}, y={y})").space for x, y in ((0.5, 0.5), (540, 0.5))
    ]
    assert [space.id for space in spaces] == ["unit", "view"]
