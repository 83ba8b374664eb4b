"""Measurements of a page: boxes, texts, roles, names, colors, and hidden elements."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from snellen.build.browser.session import Session
from snellen.build.pages import Page
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.html import Extracted, extract, extract_again

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]
Read = Callable[..., Extracted]

RESET = "<style>* { margin: 0; padding: 0 } body { font: 16px/20px Arial }</style>"


@pytest.fixture
def read(session: Session, make_page: MakePage) -> Read:
    """Write a page and extract it."""

    def read(html: str, **files: str) -> Extracted:
        with session.visit(make_page(f"<!doctype html><title>t</title>{RESET}{html}")) as visit:
            return extract(visit, visit.settle()["height"])

    return read


def named(screen: Screen, text: str) -> Element:
    """Return the deepest element with a text."""
    return [each for each in screen.elements if each.text == text][-1]


def texts(found: Extracted) -> list[str]:
    return [each.own for each in found.screen.elements if each.own]


def test_boxes_are_page_pixels_and_ids_are_places(read: Read) -> None:
    screen = read(
        "<main><h1 style='width:300px;height:40px'>Title</h1>"
        "<p style='position:absolute;left:100.25px;top:1000.5px;width:50px;height:20px'>low</p>"
        "</main>"
    ).screen
    assert [each.id for each in screen.elements] == list(range(len(screen.elements)))
    assert named(screen, "Title").box == (0, 0, 300, 40)
    assert named(screen, "low").box == (100.25, 1000.5, 150.25, 1020.5)
    assert (screen.width, screen.height) == (1280, 1021)
    assert {screen.elements[each.parent].tag for each in screen.elements if each.parent is not None}


HIDING = (
    "display:none",
    "visibility:hidden",
    "opacity:0",
    "font-size:0",
    "color:transparent",
    "position:absolute;left:-500px",
    "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)",
    "position:absolute;clip-path:inset(50%)",
    "height:0;overflow:hidden",
    "text-indent:-9999px",
    "content-visibility:hidden",
    "transform:scale(0)",
)


def test_what_is_hidden_is_not_read(read: Read) -> None:
    hidden = "".join(
        f"<p style='{style}'>{style}</p><div style='{style}'><b>{style}</b></div>"
        for style in HIDING
    )
    assert texts(read(f"<p>seen</p>{hidden}<p>seen, too</p>")) == ["seen", "seen, too"]


def test_what_is_only_hidden_from_screen_readers_is_seen(read: Read) -> None:
    screen = read("<div aria-hidden=true><button>Go</button><a href=/x>There</a></div>").screen
    assert (named(screen, "Go").role, named(screen, "Go").name) == ("button", "Go")
    assert (named(screen, "There").role, named(screen, "There").href) == ("link", "/x")


def test_children_of_the_invisible_may_be_visible(read: Read) -> None:
    found = read(
        "<div style='visibility:hidden'>a<p style='visibility:visible'>b</p></div>"
        "<details><summary>more</summary><p>closed</p></details>"
        "<details open><summary>less</summary><p>open</p></details>"
        "<div style='display:contents'>c</div>"
    )
    assert texts(found) == ["b", "more", "less", "open"]


def test_boxes_are_clipped_as_they_are_seen(read: Read) -> None:
    screen = read(
        "<div style='width:100px;height:50px;overflow:hidden;position:relative'>"
        "<p style='width:300px;height:30px'>one</p>"
        "<p style='position:absolute;left:20px;top:40px;width:60px;height:60px'>two</p></div>"
        "<div style='width:100px;height:50px;overflow:hidden'>"
        "<p style='position:absolute;left:20px;top:60px;width:300px;height:20px'>three</p></div>"
        "<p style='width:3000px'>four</p>"
    ).screen
    assert named(screen, "one").box == (0, 0, 100, 30)
    assert named(screen, "two").box == (20, 40, 80, 50)
    assert named(screen, "three").box == (20, 60, 320, 80)
    assert named(screen, "four").box == (0, 100, 1280, 120)
    assert [named(screen, each).clipped for each in ("one", "two", "three", "four")] == [
        True, True, False, True,
    ]  # fmt: skip


def test_what_is_folded_up_is_no_element_though_a_line_of_it_is_seen(read: Read) -> None:
    screen = read(
        "<button>Menu</button><ul style='height:3px;overflow:hidden'>"
        "<li><a href=a.html style='display:block;height:30px'>Orders</a></ul>"
        "<a href=b.html style='display:block;height:3px;background:#00f'></a><hr>"
    ).screen
    assert [each.href for each in screen.elements if each.role == "link"] == ["/b.html"]
    assert {each.tag for each in screen.elements} >= {"button", "hr"}


def test_text_that_is_cut_is_said_to_be(read: Read) -> None:
    screen = read(
        "<p style='width:60px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis'>"
        "much too long for it</p><p style='width:500px'>short</p>"
        "<p style='width:60px;height:20px;overflow:hidden'>line one line two line three</p>"
        "<p style='font-size:24px;height:22px;overflow:hidden'>a tight line</p>"
    ).screen
    assert [each.cut for each in screen.elements if each.tag == "p"] == [True, False, True, False]


def test_the_name_of_an_icon_that_its_font_would_draw_is_no_text(read: Read) -> None:
    """The font's name is visible without the font; no item uses the icon."""
    screen = read(
        "<a href=a.html><i class='material-icons-round'>dashboard</i> Overview</a>"
        "<a href=b.html><span>dashboard</span> Help</a>"
    ).screen
    links = [each for each in screen.elements if each.role == "link"]
    assert [(each.text, each.cut) for each in links] == [
        ("Overview", True),
        ("dashboard Help", False),
    ]


def test_pictures_that_are_drawn_in_the_page_are_told_from_files(read: Read) -> None:
    svg = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
    gif = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
    screen = read(
        f'<img width=80 height=80 src="{svg}"><img width=80 height=80 src="{gif}">'
    ).screen
    assert [each.drawn for each in screen.elements if each.tag == "img"] == [True, False]


def test_text_is_as_rendered(read: Read) -> None:
    found = read(
        "<style>.u {text-transform:uppercase} .c {text-transform:capitalize}"
        ".b::before {content:'New '} .i::before {content:'\\f00c'}"
        ".d::after {content:' / '}</style>"
        "<p class=u>straße now</p><p class=c>two words</p><p class=b>thing</p><p class=i>icon</p>"
        "<p class=d>crumb</p><p>  many\n  spaces<br>and&shy;lines </p><p>a<b>b</b>c <i>d</i></p>"
        "<ul><li>one</li><li>two</li></ul>"
    )
    screen = found.screen
    assert [each.text for each in screen.elements if each.tag in {"p", "ul"}] == [
        "STRASSE NOW",
        "Two Words",
        "New thing",
        "icon",
        "crumb",
        "many spaces andlines",
        "abc d",
        "one two",
    ]


@pytest.mark.parametrize(
    ("form", "empties"),
    [
        ("<form><p><input></p><button type=reset>Reset</button></form>", True),
        ("<form><p><select><option>All</select><input></p><input type=reset></form>", True),
        (
            "<form><p><select><option>All</select></p><input type=reset></form>",
            False,
        ),
        ("<form><p><input></p><button type=button>Reset</button></form>", False),
        ("<p><input></p><button type=reset>Reset</button>", False),
        ("<form><p><input value=John></p><input type=reset></form>", False),
        ("<form><p><input><input type=radio checked></p><input type=reset></form>", False),
        ("<form><p><button type=reset>Reset</button></p><p><input></p></form>", False),
    ],
)
def test_what_resets_a_form_empties_it_below_fields_without_a_value(
    read: Read, form: str, empties: bool
) -> None:
    (reset,) = (each for each in read(form).screen.elements if each.role == "button")
    assert (reset.kind == "reset") is empties


def test_what_takes_no_click_is_disabled_however_it_is_made(read: Read) -> None:
    style = "<style>.off { pointer-events: none; opacity: .65 }</style>"
    screen = read(f"{style}<button class=off>Submit</button><button>Send</button>").screen
    told = {each.text: each.disabled for each in screen.elements if each.tag == "button"}
    assert told == {"Submit": True, "Send": False}


def test_roles_names_and_landmarks_are_chromiums(read: Read) -> None:
    screen = read(
        "<header><nav aria-label=Main><a href=a.html>Home</a></nav></header>"
        "<main><h2 id=h>Profile</h2><form aria-labelledby=h><label for=f>Mail</label>"
        "<input id=f type=email autocomplete='billing email' placeholder=name@example.org>"
        "<select><option>One<option>Two"
        "</select><input type=checkbox aria-label=Agree checked><textarea>word</textarea>"
        "<button type=button disabled><svg width=10 height=10><title>Close</title></svg></button>"
        "</form><div role=button aria-label='Play film'>&gt;</div>"
        "<img src=x alt='A cat' width=20 height=20><h3 aria-level=4>Deep</h3></main>"
        "<aside><p>by</p></aside><footer>end</footer>"
    ).screen
    told = {
        (each.tag, each.kind): (each.role, each.name, each.landmark) for each in screen.elements
    }
    assert told["header", ""] == ("banner", "", "")
    assert told["nav", ""] == ("navigation", "Main", "banner")
    assert told["a", ""] == ("link", "Home", "navigation")
    assert told["h2", ""] == ("heading", "Profile", "main")
    assert told["form", ""] == ("form", "Profile", "main")
    assert told["input", "email"] == ("textbox", "Mail", "form")
    assert told["input", "checkbox"] == ("checkbox", "Agree", "form")
    assert told["select", "select"][0] == "combobox"
    assert told["button", ""] == ("button", "Close", "form")
    assert told["div", ""] == ("button", "Play film", "main")
    assert told["img", ""] == ("img", "A cat", "main")
    assert told["aside", ""][0] == "complementary"
    assert told["footer", ""][0] == "contentinfo"
    by = {(each.tag, each.kind): each for each in screen.elements}
    assert (by["h2", ""].level, by["h3", ""].level) == (2, 4)
    field = by["input", "email"]
    assert (field.key, field.autocomplete) == ("f", "billing email")
    assert (field.label, field.placeholder, field.value, field.text) == (
        "Mail",
        "name@example.org",
        "",
        "name@example.org",
    )
    assert (by["select", "select"].options, by["select", "select"].value) == (("One", "Two"), "One")
    assert by["input", "checkbox"].value == "on"
    assert by["textarea", "textarea"].value == "word"
    assert by["button", ""].disabled
    assert by["img", ""].alt == "A cat"


def test_links_lead_within_the_site(read: Read) -> None:
    screen = read(
        "<a href='a.html?x=1#y'>a</a> <a href='#'>b</a> <a href='https://example.com/z'>c</a>"
        " <a href='mailto:x@example.org'>d</a> <a>e</a>"
    ).screen
    assert [each.href for each in screen.elements if each.tag == "a"] == [
        "/a.html?x=1#y",
        "/index.html#",
        "https://example.com/z",
        "mailto:x@example.org",
        "",
    ]


def test_colors_are_those_that_are_painted(read: Read) -> None:
    screen = read(
        "<style>body {background:#eee}</style>"
        "<div style='background:#102030'><p style='color:rgb(255 255 255 / 50%)'>a</p>"
        "<p style='background:rgb(255 0 0 / 50%);color:oklch(1 0 0)'>b</p></div>"
        "<p style='background:linear-gradient(red,blue)'>c</p><p>d</p>"
    ).screen
    assert [(named(screen, each).color, named(screen, each).background) for each in "abcd"] == [
        ("#889098", "#102030"),
        ("#ffffff", "#881018"),
        ("#000000", ""),
        ("#000000", "#eeeeee"),
    ]


def test_what_is_covered_is_said_to_be_however_far_down(read: Read) -> None:
    screen = read(
        "<style>div, p, a {position:absolute;width:120px;height:60px}</style>"
        "<p style='top:20px'>under</p><div style='top:20px;background:red'></div>"
        "<p style='top:3000px'>half</p><div style='top:3030px;background:red'></div>"
        "<p style='top:200px'>glass</p><div style='top:200px'></div>"
        "<p style='top:300px'>mouse</p>"
        "<div style='top:300px;background:red;pointer-events:none'></div>"
        "<a style='top:400px' href=x>stretched<b style='position:absolute;inset:0'></b></a>"
        "<div style='position:fixed;top:0;left:600px;background:#ccc'>fixed</div>"
        "<p style='left:600px;top:820px'>clear</p>"
    ).screen
    covered = {
        each: named(screen, each).covered
        for each in ("under", "half", "glass", "mouse", "stretched", "fixed", "clear")
    }
    assert covered == {
        "under": 1,
        "half": pytest.approx(0.5, abs=0.2),
        "glass": 0,
        "mouse": 1,
        "stretched": 0,
        "fixed": 0,
        "clear": 0,
    }


def test_ink_is_where_the_text_is(read: Read) -> None:
    element = named(read("<p style='width:500px;padding:10px'>word</p>").screen, "word")
    assert element.box == (0, 0, 520, 40)
    assert element.ink is not None
    left, top, right, bottom = element.ink
    assert (left, right) == (10, pytest.approx(46, abs=6))
    assert 10 <= top < bottom <= 30


def test_shadow_trees_are_part_of_the_page(read: Read) -> None:
    found = read(
        "<x-card><b slot=title>Slotted</b>left out</x-card><script>"
        "customElements.define('x-card', class extends HTMLElement { connectedCallback() {"
        "this.attachShadow({mode: 'open'}).innerHTML = "
        "'<button>Inside</button><slot name=title></slot>'; } })</script>"
    )
    assert texts(found) == ["Inside", "Slotted"]
    assert named(found.screen, "Inside").role == "button"


def test_texts_of_charts_are_read(read: Read) -> None:
    found = read(
        "<svg width=200 height=100 role=img aria-label=Sales><rect width=200 height=99 fill=#eee />"
        "<text x=10 y=30 fill=#c00>Jan</text><text x=60 y=30>Feb</text></svg>"
    )
    assert texts(found) == ["Jan", "Feb"]
    assert named(found.screen, "Jan").color == "#cc0000"


def kinds(found: Extracted, kind: str) -> list[Mapping[str, Any]]:
    return [fact for fact in found.facts if fact["kind"] == kind]


def test_tables_are_facts_with_the_cells_elements(read: Read) -> None:
    found = read(
        "<h2>Fees</h2><table><thead><tr><th>Plan<th>Price</tr></thead><tbody>"
        "<tr><td>Basic<td>$5</tr><tr style='display:none'><td>Gone<td>$1</tr>"
        "<tr><td>Pro<td>$9</tr></tbody><tfoot><tr><td>Sum<td>$14</table>"
        "<table><tr><td colspan=2>odd</tr><tr><td>a<td>b</table>"
    )
    (table,) = kinds(found, "table")
    assert (table["caption"], table["headers"], table["rows"]) == (
        "Fees",
        ["Plan", "Price"],
        [["Basic", "$5"], ["Pro", "$9"]],
    )
    ids: list[list[int]] = table["cells"]
    cells = [[found.screen.elements[cell].text for cell in row] for row in ids]
    assert cells == table["rows"]


def test_a_cell_tells_neither_initials_before_a_name_nor_smaller_print_below_it(read: Read) -> None:
    found = read(
        "<table><thead><tr><th>Who<th>Seen</tr></thead><tbody>"
        "<tr><td><div style='display:flex'><i>RJ</i><div><div>Robert Jones</div>"
        "<div style='font-size:10px'>robert@example.com</div></div></div><td><b>2</b> days</tr>"
        "<tr><td><div style='display:flex'><i>GH</i><span>github.com</span></div>"
        "<td><div>$5</div><div>or more</div></tr>"
        "<tr><td><b>X</b> <span>Robert Jones</span><td><span>$9</span> <small>a month</small></tr>"
    )
    (table,) = kinds(found, "table")
    assert table["rows"] == [
        ["Robert Jones", "2 days"],
        ["github.com", "$5 or more"],
        ["X Robert Jones", "$9 a month"],
    ]
    ids: list[list[int]] = table["cells"]
    assert found.screen.elements[ids[0][0]].text == "RJ Robert Jones robert@example.com"


def test_definition_lists_and_labelled_lines_are_pairs(read: Read) -> None:
    found = read(
        "<h2>Visit</h2><dl><dt>Monday</dt><dd>9 to 5</dd><dt>Sunday:</dt><dd>closed</dd></dl>"
        "<h3>About</h3><ul><li><b>Phone:</b> 555-0100</li><li>Floor: second</li>"
        "<li>Just a line</li></ul><table><tr><th>Size<td>Large</tr><tr><th>Weight<td>2 kg</table>"
    )
    told = [
        (fact["caption"], [(pair["label"], pair["value"]) for pair in fact["pairs"]])
        for fact in kinds(found, "pairs")
    ]
    assert sorted(told) == [
        ("About", [("Phone", "555-0100"), ("Floor", "second")]),
        ("About", [("Size", "Large"), ("Weight", "2 kg")]),
        ("Visit", [("Monday", "9 to 5"), ("Sunday", "closed")]),
    ]
    for fact in kinds(found, "pairs"):
        for pair in fact["pairs"]:
            element: int = pair["element"]
            assert pair["value"] in found.screen.elements[element].text


def test_a_colon_in_a_sentence_makes_no_label(read: Read) -> None:
    lines = ("Opening hours this week: from 9 to 5", "And now try with some hats: red")
    found = read("".join(f"<p>{line}</p>" for line in lines))
    told = [pair["label"] for fact in kinds(found, "pairs") for pair in fact["pairs"]]
    assert told == ["Opening hours this week"]


def test_prices_know_what_they_are_for(read: Read) -> None:
    found = read(
        "<h2>Shoes</h2><div><article><h3>Red boot</h3><p>$49.00</p></article>"
        "<article><h3>Blue boot</h3><p><b>$39.50</b></p></article></div>"
        "<p>Write to <a href=mailto:a@example.org>a@example.org</a></p>"
    )
    (prices,) = kinds(found, "prices")
    assert prices["caption"] == "Shoes"
    assert [(item["name"], item["price"]) for item in prices["items"]] == [
        ("Red boot", "$49.00"),
        ("Blue boot", "$39.50"),
    ]
    (contact,) = kinds(found, "contact")
    assert (contact["label"], contact["value"]) == ("email", "a@example.org")


def test_facts_that_are_cut_off_are_none(read: Read) -> None:
    found = read(
        "<dl><dt>Long</dt><dd style='width:40px;overflow:hidden;white-space:nowrap'>"
        "much too long</dd><dt>Short</dt><dd>ok</dd></dl>"
    )
    (pairs,) = kinds(found, "pairs")
    assert [pair["label"] for pair in pairs["pairs"]] == ["Short"]


def test_characters_that_no_font_has_are_told(read: Read) -> None:
    assert read("<p>naïve Ω Ж 5 €</p>").missing == ""
    assert read("<p>plain \U00013000</p>").missing == "\U00013000"


def test_marks_lead_from_an_element_to_its_place_in_the_page(
    session: Session, make_page: MakePage
) -> None:
    page = make_page("<title>t</title><p>one</p><div><p>two</p></div><button>three</button>")
    with session.visit(page) as visit:
        height = visit.settle()["height"]
        screen = extract(visit, height).screen
        for element in screen.elements:
            found = visit.tab.locator(f'[data-snellen-id="{element.id}"]')
            assert found.inner_text() == element.text
        visit.tab.evaluate("document.querySelector('button').textContent = 'four'")
        visit.tab.evaluate("document.querySelector('p').remove()")
        after = extract_again(visit, height)
        button, gone = named(screen, "three"), named(screen, "one")
        assert after.elements[button.id].text == "four"
        assert after.elements[button.id].id == button.id
        assert gone.id not in after.elements
        unmarked = extract(visit, height, mark=False)
        assert unmarked.screen == after.screen
        assert visit.tab.locator("[data-snellen-id]").count() == 0


def test_menus_are_facts_in_their_order_with_the_entry_that_looks_like_the_current_one(
    read: Read,
) -> None:
    style = "<style>nav li { float: left; margin: 9px } .active { font-weight: 700 }</style>"
    here = "<li class=active><a href='#'>Fees</a>"
    entries = f"<li><a href='/a'>Start</a>{here}<li><a href='/c'>Help</a>"
    found = read(f"{style}<nav><ul>{entries}</ul></nav>")
    (menu,) = kinds(found, "menu")
    assert [each["label"] for each in menu["items"]] == ["Start", "Fees", "Help"]
    assert menu["current"] == "Fees"
    paler = style.replace("font-weight: 700", "color: #99f")
    for looks in ("", paler):
        (plain,) = kinds(read(f"{looks}<nav><ul>{entries}</ul></nav>"), "menu")
        assert plain["current"] == ""


@pytest.mark.parametrize(("place", "found"), [(0, 1), (2, 0), (3, 1)])
def test_a_button_among_the_links_of_a_menu_is_an_entry_that_no_link_tells(
    read: Read, place: int, found: int
) -> None:
    entries = [f"<a href='/{n}'>Part {n}</a> " for n in "abc"]
    entries.insert(place, "<button>More</button> ")
    assert len(kinds(read(f"<nav>{''.join(entries)}</nav>"), "menu")) == found


def test_entries_in_two_columns_are_no_menu(read: Read) -> None:
    entry = "<li style='position:absolute;left:{}px;top:{}px'><a href=/x>Entry {}</a>"
    entries = "".join(entry.format(200 * (n % 2), 30 * (n // 2), n) for n in range(4))
    assert kinds(read(f"<nav><ul>{entries}</ul></nav>"), "menu") == []


def test_an_accordion_is_no_menu(read: Read) -> None:
    def entries(between: str) -> str:
        return "".join(f"<a href='/{n}' role=tab>Part {n}</a>{between}" for n in "abc")

    assert len(kinds(read(f"<div role=tablist>{entries(' ')}</div>"), "menu")) == 1
    assert kinds(read(f"<div role=tablist>{entries('<p>Text</p>')}</div>"), "menu") == []
    assert kinds(read(f"<nav>{entries('<p>One<br>Two<br>Six</p>')}</nav>"), "menu") == []


def test_charts_whose_values_are_written_are_facts(read: Read) -> None:
    bars = "".join(
        f"<rect x={20 + 60 * n} y=40 width=40 height=50 />"
        f"<text x={40 + 60 * n} y=35 text-anchor=middle>{value}</text>"
        f"<text x={40 + 60 * n} y=110 text-anchor=middle>{label}</text>"
        for n, (label, value) in enumerate((("Mon", "12"), ("Tue", "30"), ("Wed", "21")))
    )
    axis = "<text x=2 y=90>0</text><text x=2 y=60>20</text>"
    chart = f"<h2>Visits</h2><svg width=240 height=130>{axis}{bars}</svg>"
    (fact,) = kinds(read(chart), "chart")
    assert fact["caption"] == "Visits"
    assert [(each["label"], each["value"]) for each in fact["items"]] == [
        ("Mon", "12"),
        ("Tue", "30"),
        ("Wed", "21"),
    ]
    shares = "<rect width=9 height=9 /><text y=20>Tea: 40 %</text><text y=50>Cake: 60 %</text>"
    (key,) = kinds(read(f"<svg width=240 height=130>{shares}</svg>"), "chart")
    assert [each["value"] for each in key["items"]] == ["40 %", "60 %"]
    without = chart.replace("12</text>", "</text>")
    assert kinds(read(without), "chart") == []


def test_values_that_lie_on_lines_of_an_axis_are_read_from_it(read: Read) -> None:
    axis = "".join(
        f"<path d='M40 {100 - 20 * n} H280' stroke=gray /><text x=34 y={104 - 20 * n}"
        f" text-anchor=end font-size=12>{10 * n}</text>"
        for n in range(5)
    )
    heights = (("Mon", 40), ("Tue", 60), ("Wed", 50), ("Thu", 20))
    bars = "".join(
        f"<rect x={60 + 50 * n} y={100 - height} width=30 height={height} />"
        f"<text x={75 + 50 * n} y=120 text-anchor=middle font-size=12>{label}</text>"
        for n, (label, height) in enumerate(heights)
    )
    points = "".join(
        f"<circle cx={75 + 50 * n} cy={100 - height} r=4 />"
        f"<text x={75 + 50 * n} y=120 text-anchor=middle font-size=12>{label}</text>"
        for n, (label, height) in enumerate(heights)
    )
    for marks in (bars, points):
        (fact,) = kinds(read(f"<svg width=300 height=130>{axis}{marks}</svg>"), "chart")
        # The third ends between two lines.
        assert [(one["label"], one["value"], one["element"]) for one in fact["items"]] == [
            ("Mon", "20", None), ("Tue", "30", None), ("Thu", "10", None),
        ]  # fmt: skip
    bare = axis.replace("stroke=gray", "stroke=gray transform='translate(0 9)'")
    assert kinds(read(f"<svg width=300 height=130>{bare}{bars}</svg>"), "chart") == []


def test_cells_of_several_links_blocks_or_pictures_are_no_pairs(read: Read) -> None:
    found = read(
        "<table><tr><td>Size<td>40 cm</tr><tr><td>More<td><a href=a>one</a> <a href=b>two</a></tr>"
        "<tr><td><p>Left</p><p>again</p><td>Right</tr></table>"
        "<dl><dt>Team</dt><dd><img width=20 height=20 src=x.png alt=Ann>+3</dd></dl>"
    )
    assert [each["label"] for fact in kinds(found, "pairs") for each in fact["pairs"]] == ["Size"]


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html xml:lang=de-AT><p>Hallo", "de-AT"),
        ("<html><meta http-equiv=Content-Language content=es><p>Hola", "es"),
        ("<html><meta property=og:locale content=fr_CA><p>Salut", "fr-CA"),
        ("<p>" + "The name of it is what the author says that it is. " * 6, "en"),
        ("<p>Hello", ""),
    ],
)
def test_the_language_is_what_the_page_says_or_is_written_in(
    session: Session, make_page: MakePage, html: str, language: str
) -> None:
    with session.visit(make_page(f"<!doctype html>{html}")) as visit:
        assert extract(visit, visit.settle()["height"]).screen.language == language


def test_what_the_author_says_of_a_page_is_read_from_its_head(
    session: Session, make_page: MakePage
) -> None:
    head = (
        "<meta property=og:description content='For networks.'>"
        '<script type=\'application/ld+json\'>{"@graph": [{"description": "For machines."}]}'
        "</script><script type='application/ld+json'>{ broken</script>"
    )
    with session.visit(make_page(f"<!doctype html><html><head>{head}</head><p>x")) as visit:
        screen = extract(visit, visit.settle()["height"]).screen
    assert (screen.description, screen.descriptions) == ("For networks.", ("For machines.",))


def test_a_sign_that_css_puts_before_a_heading_leaves_it_unread(read: Read) -> None:
    style = "<style>h1::before { content: '# ' } h2::before { content: 'No. ' }</style>"
    screen = read(f"{style}<h1>One</h1><h2>Two</h2>").screen
    first, second = (each for each in screen.elements if each.role == "heading")
    assert (first.cut, second.cut) == (True, False)


def test_a_text_of_css_that_is_not_shown_is_no_text(read: Read) -> None:
    style = "<style>a::after { content: attr(title) } #b::after { opacity: 0 }</style>"
    links = "<p><a href=x title=Shown>A</a> <a href=y id=b title=Hidden>B</a>"
    found = [each for each in read(style + links).screen.elements if each.tag == "a"]
    assert [(each.text, each.name) for each in found] == [("A Shown", "AShown"), ("B", "B")]


def test_a_contact_is_the_number_or_the_address_alone(read: Read) -> None:
    found = read(
        "<a href='tel:5215550189'>Call Ingrid Quayle, (521) 555-0189</a> <a href=tel:1>Call us</a>"
        "<a href='mailto:a@b.example'>Write to ann.lee@b.example today</a>"
    )
    assert [each["value"] for each in kinds(found, "contact")] == [
        "(521) 555-0189",
        "ann.lee@b.example",
    ]


def test_a_row_across_columns_is_none_of_a_table(read: Read) -> None:
    found = read(
        "<table><tr><th>Item<th>Fee</tr><tr><td>Tea<td>$3</tr><tr><td>Cake<td>$4</tr>"
        "<tr><td colspan=2>Total $7</tr></table>"
    )
    (table,) = kinds(found, "table")
    assert (table["rows"], table["partial"]) == ([["Tea", "$3"], ["Cake", "$4"]], True)


def test_a_price_is_of_the_only_text_above_it(read: Read) -> None:
    card = "<div><div>{}</div><b style='font-size:30px'>${}</b><div>Mail</div><div>Maps</div></div>"
    cards = "".join(card.format(*each) for each in (("Free", 0), ("Plus", 9), ("Team", 19)))
    (prices,) = kinds(read(f"<main><section>{cards}</section></main>"), "prices")
    assert [(each["name"], each["price"]) for each in prices["items"]] == [
        ("Free", "$0"),
        ("Plus", "$9"),
        ("Team", "$19"),
    ]
