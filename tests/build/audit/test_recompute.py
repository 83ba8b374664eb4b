"""References compared with the elements of the frozen page."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from snellen.build.audit.builds import FrozenPage
from snellen.build.audit.recompute import CHECKS
from snellen.build.audit.views import Sight, View
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, Click, Snapshot, write_snapshot
from snellen.tasks.audit.items import items_of
from snellen.tasks.audit.models import Fault
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

PACK = open_pack(exam_folder("sample-full"))
Ask = Callable[..., list[Fault]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Ask a sample's question in other words about another page, and return its faults."""
    numbers = iter(range(100))

    def faults(
        task: str,
        question: str,
        *elements: Element,
        element: int = 0,
        clicks: tuple[Click, ...] = (),
        titles: Mapping[str, str] | None = None,
        kind: str = "",
        facts: tuple[dict[str, Any], ...] = (),
        **gold: Any,
    ) -> list[Fault]:
        item = next(one for one in items_of(PACK, open_references(PACK), task))
        line = item.line.model_copy(
            update={"item": item.line.item.model_copy(update={"prompt": question})}
        )
        own: dict[str, Any] = {"line": line, "record": {"element": element, **gold}, "options": ()}
        if kind:
            own |= {"tags": {"question": kind}, "gold": own["record"].pop("answers")}
        asked = type(item)(**{**{name: getattr(item, name) for name in item.__slots__}, **own})
        screen = Screen(1280, 800, elements, language="en")
        captured = Captured("index", "shop", "shop/index.html", screen, clicks=clicks, facts=facts)
        snapshot: Snapshot = write_snapshot(tmp_path / f"{next(numbers)}", captured, {})
        sight = Sight(FrozenPage("shop", "index", snapshot), {}, [asked], titles or {})
        found = (one for check in CHECKS for one in check(View(asked, sight)))
        return [one.fault for one in found if one.fault is not Fault.RECORD]

    return faults


TITLE = "7.2.2. Description of the “New Layer” Dialog"
LINK = Element(0, "a", (10, 10, 300, 30), role="link", text=TITLE, own=TITLE)
GROUND = "visualwebbench/element_ground"


def test_a_name_with_quotation_marks_of_its_own_is_its_elements(ask: Ask) -> None:
    assert ask(GROUND, f"Which one is the link “{TITLE}”?", LINK) == []


def test_a_link_says_the_alternative_text_of_its_picture(ask: Ask) -> None:
    bare = msgspec.structs.replace(LINK, text="", own="")
    picture = Element(1, "img", (10, 10, 40, 30), 0, "img", alt="Norwood Bank")
    assert ask(GROUND, "Which one is the link “Norwood Bank”?", bare, picture) == []


def test_a_name_that_another_element_says_is_a_fault(ask: Ask) -> None:
    other = msgspec.structs.replace(LINK, id=1, text="Home", own="Home")
    assert ask(GROUND, "Which one is the link “Home”?", LINK, other) == [Fault.WRONG_BOX]


def test_the_heading_of_a_buttons_card_says_which_one_is_meant(ask: Ask) -> None:
    card = Element(0, "div", (0, 0, 400, 200))
    title = Element(1, "h3", (10, 10, 200, 30), 0, "heading", text="Oak table", level=3)
    button = Element(2, "button", (10, 50, 90, 80), 0, "button", text="Buy")
    wish = "For “Oak table”, use what starts the purchase of the item."
    assert ask("visualwebbench/action_ground", wish, card, title, button, element=2) == []


def test_letters_that_are_taller_than_their_lines_belong_to_their_heading(ask: Ask) -> None:
    heading = Element(0, "h1", (0, 80, 1280, 194), role="heading", text="Welcome Norwood", level=1)
    lines = [
        Element(1, "span", (0, 80, 1280, 110), 0, own="Welcome", ink=(331, 78, 948, 114)),
        Element(2, "span", (0, 110, 1280, 194), 0, own="Norwood", ink=(266, 105, 1013, 204)),
    ]
    whole, other = [266, 78, 1013, 204], [266, 78, 1013, 304]
    question = "Which one is the heading “Welcome Norwood”?"
    assert ask(GROUND, question, heading, *lines, box=whole) == []
    assert ask(GROUND, question, heading, *lines, box=other) == [Fault.WRONG_BOX]


def test_two_columns_of_a_row_may_have_one_value(ask: Ask) -> None:
    headers, row = ["Item", "Unit price", "Amount"], ["Add-on", "$5.00", "$5.00"]
    fact = {"kind": "table", "headers": headers, "rows": [row, ["Plan", "$9.00", "$18.00"]]}
    cells = [Element(place, "td", (10, 10, 90, 30), text=text, own=text)
             for place, text in enumerate([*headers, *row])]  # fmt: skip
    asked = "Which “Unit price” and which “Amount” are listed for “Add-on”?"
    for right, faults in (("$5.00, $5.00", []), ("$5.00, $9.00", [Fault.NOT_ON_PAGE])):
        more: Any = {"kind": "row", "facts": (fact,), "answers": [right]}
        found = ask("screenqa/short", asked, *cells, **more)
        assert found[:1] == faults


def test_a_text_of_the_page_may_be_in_another_language_than_the_page_says(ask: Ask) -> None:
    text = "Los datos de la cuenta son para el cliente y no para las otras personas de la casa."
    for shown, faults in ((text, []), ("Account data", [Fault.LANGUAGE, Fault.NOT_ON_PAGE])):
        more: Any = {"kind": "text", "answers": text}
        part = Element(0, "p", (10, 10, 300, 30), text=shown, own=shown)
        assert ask("visualwebbench/element_ocr", "Read it.", part, **more) == faults


HOME = Element(0, "a", (10, 10, 90, 30), role="link", text="Norwood", href="/index.html")
TITLED = "Instruction: Go to the page with the title “Our story”."


@pytest.mark.parametrize(
    ("wish", "clicks", "titles", "right"),
    [
        ("Get back to the start page.", [Click(0, "Norwood", "/index.html")], {}, True),
        ("Get back to the start page.", [Click(0, "Norwood", "/")], {}, True),
        ("Get back to the start page.", [Click(0, "Norwood", "/login.html")], {}, False),
        ("Get back to the start page.", [Click(0, "", "", "same")], {}, False),
        ("Get back to the start page.", [], {}, False),
        (TITLED, [Click(0, "Our story", "/us.html#top")], {"shop/us.html": "Our story"}, True),
        (TITLED, [Click(0, "Our story", "/us.html")], {"shop/us.html": "Imprint"}, False),
        (TITLED, [Click(0, "Our story", "/us.html")], {}, True),
    ],
)
def test_an_instruction_leads_to_the_page_where_its_click_ended(
    ask: Ask, wish: str, clicks: list[Click], titles: dict[str, str], right: bool
) -> None:
    found = ask("mmbench-gui/l2_advanced", wish, HOME, clicks=tuple(clicks), titles=titles)
    assert (Fault.NOT_ON_PAGE not in found) is right
