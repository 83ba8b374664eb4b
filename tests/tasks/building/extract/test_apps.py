"""RICO's hierarchies and UIAutomator's dumps become screens of the same model."""

import io
import json
from typing import Any

import pytest
from PIL import Image, ImageDraw

from snellen.grading.errors import DataError
from snellen.tasks.building.elements import Screen
from snellen.tasks.building.extract.hierarchy import screen_from_rico
from snellen.tasks.building.extract.uiautomator import screen_from_uiautomator


def screenshot(width: int = 540, height: int = 960) -> bytes:
    image = Image.new("RGB", (width, height), "#ffffff")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, height // 10), fill="#2196f3")
    draw.rectangle((width // 4, height // 40, width // 2, height // 20), fill="#000000")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def view(name: str, bounds: list[int], *children: object, **said: object) -> dict[str, Any]:
    return {"class": name, "bounds": bounds, "visible-to-user": True, **said, "children": children}


RICO = {
    "activity_name": "com.example.mail/com.example.mail.Main",
    "is_keyboard_deployed": False,
    "activity": {
        "root": view(
            "com.android.internal.policy.PhoneWindow$DecorView",
            [0, 0, 1440, 2560],
            view(
                "android.support.v7.widget.Toolbar",
                [0, 0, 1440, 256],
                view("android.widget.TextView", [320, 40, 900, 160], text="Inbox"),
                view(
                    "android.support.v7.widget.AppCompatImageButton",
                    [0, 0, 200, 256],
                    **{"content-desc": ["Open menu"], "clickable": True},
                ),
            ),
            view(
                "com.example.FancyField",
                [80, 400, 1360, 520],
                ancestors=["android.widget.EditText", "android.widget.TextView"],
                **{"text-hint": "Search mail"},
            ),
            view(
                "android.widget.LinearLayout",
                [0, 600, 1440, 760],
                view("android.widget.TextView", [80, 620, 900, 740], text="Ann  Lee"),
                view("android.widget.CheckBox", [1200, 620, 1400, 740], checked=True),
                None,
                clickable=True,
            ),
            view("android.widget.TextView", [0, 2000, 900, 2100], text="ghost", visibility="gone"),
            view("android.widget.TextView", [0, 2600, 900, 2700], text="below"),
            view("android.widget.Button", [900, 2400, 1900, 2560], text="Compose", clickable=True),
        )
    },
}

SEMANTIC = view(
    "com.android.internal.policy.PhoneWindow$DecorView",
    [0, 0, 1440, 2560],
    view("X", [0, 0, 1440, 256], componentLabel="Toolbar", text="Inbox"),
    view("X", [0, 300, 200, 500], componentLabel="Icon", iconClass="menu", clickable=True),
    view("X", [300, 300, 700, 500], componentLabel="Text Button", text="Send", clickable=True),
    view("X", [300, 600, 700, 800], componentLabel="Input", text="To"),
)

DUMP = b"""<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy rotation="0">
<node index="0" text="" class="android.widget.FrameLayout" content-desc="" clickable="false"
 enabled="true" bounds="[0,0][1080,1920]">
<node index="0" text="Sign in" class="android.widget.TextView" bounds="[40,100][500,180]"
 clickable="false" content-desc="" enabled="true"/>
<node index="1" text="" hint="Password" password="true" class="android.widget.EditText"
 bounds="[40,300][1040,420]" clickable="true" content-desc="" enabled="true"/>
<node index="2" text="Go &amp; see" class="android.widget.Button" bounds="[40,500][1040,620]"
 clickable="true" content-desc="" enabled="false"/>
</node></hierarchy>"""


def summary(screen: Screen) -> list[tuple[str, str, str, tuple[float, ...]]]:
    return [(each.role, each.name, each.own, each.box) for each in screen.elements]


def test_a_rico_hierarchy_is_scaled_to_its_screenshot() -> None:
    screen = screen_from_rico(json.dumps(RICO).encode(), screenshot())
    assert (screen.width, screen.height, screen.platform) == (540, 960, "android")
    assert summary(screen)[1:] == [
        ("toolbar", "Inbox", "", (0, 0, 540, 96)),
        ("", "Inbox", "Inbox", (120, 15, 337.5, 60)),
        ("button", "Open menu", "", (0, 0, 75, 96)),
        ("textbox", "Search mail", "Search mail", (30, 150, 510, 195)),
        ("", "Ann Lee", "", (0, 225, 540, 285)),
        ("", "Ann Lee", "Ann Lee", (30, 232.5, 337.5, 277.5)),
        ("checkbox", "", "", (450, 232.5, 525, 277.5)),
        ("button", "Compose", "Compose", (337.5, 900, 540, 960)),
    ]
    assert [each.parent for each in screen.elements] == [None, 0, 1, 1, 0, 0, 5, 5, 0]
    field = screen.elements[4]
    assert (field.kind, field.placeholder, field.value) == ("text", "Search mail", "")
    assert screen.elements[7].value == "on"


def test_colours_come_from_the_screenshot() -> None:
    screen = screen_from_rico(json.dumps(RICO).encode(), screenshot())
    title = screen.elements[2]
    assert (title.color, title.background) in {("#000000", "#2196f3"), ("#2196f3", "#000000")}
    assert screen.elements[1].background == "#2196f3"


def test_semantic_annotations_tell_the_roles() -> None:
    screen = screen_from_rico(json.dumps(SEMANTIC).encode(), screenshot(1440, 2560))
    assert [(each.role, each.own) for each in screen.elements[1:]] == [
        ("toolbar", "Inbox"),
        ("button", ""),
        ("button", "Send"),
        ("textbox", "To"),
    ]
    assert screen.elements[3].box == (300, 300, 700, 500)


def test_a_uiautomator_dump_is_the_same_model() -> None:
    screen = screen_from_uiautomator(DUMP, screenshot(1080, 1920))
    assert summary(screen)[1:] == [
        ("", "Sign in", "Sign in", (40, 100, 500, 180)),
        ("textbox", "Password", "Password", (40, 300, 1040, 420)),
        ("button", "Go & see", "Go & see", (40, 500, 1040, 620)),
    ]
    assert (screen.elements[2].kind, screen.elements[2].value) == ("password", "")
    assert [each.disabled for each in screen.elements[1:]] == [False, False, True]


def test_windows_of_a_dump_are_one_screen() -> None:
    bar = (
        '<node class="android.widget.TextView" text="9:41" bounds="[0,0][1080,60]"'
        ' content-desc=""/></hierarchy>'
    )
    screen = screen_from_uiautomator(
        DUMP.replace(b"</hierarchy>", bar.encode()), screenshot(1080, 1920)
    )
    assert {"9:41", "Sign in"} <= {each.own for each in screen.elements}


@pytest.mark.parametrize(
    ("dump", "message"),
    [
        (b"{", "no JSON"),
        (b"[]", "not an object"),
        (b'{"activity": {}}', "no outermost view"),
        (b'{"class": "x", "bounds": [0, 0, 1]}', "not four numbers"),
        (b'{"class": "x", "bounds": [0, 0, 0, 0]}', "no size"),
    ],
)
def test_what_is_no_hierarchy_is_named(dump: bytes, message: str) -> None:
    with pytest.raises(DataError, match=f"screen.json.*: .*{message}"):
        screen_from_rico(dump, screenshot(), file="screen.json")


@pytest.mark.parametrize(
    ("dump", "message"),
    [
        (b"<hier", "no XML"),
        (b"<html/>", "no dump"),
        (b"<hierarchy/>", "no dump"),
        (b'<hierarchy><node bounds="0,0"/></hierarchy>', "bounds are '0,0'"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><hierarchy/>', "document type"),
    ],
)
def test_what_is_no_dump_is_named(dump: bytes, message: str) -> None:
    with pytest.raises(DataError, match=f"screen.xml: .*{message}"):
        screen_from_uiautomator(dump, screenshot(), file="screen.xml")


def test_a_screenshot_that_is_none_is_named() -> None:
    with pytest.raises(DataError, match="no image"):
        screen_from_uiautomator(DUMP, b"text")
