"""The buttons of a screen, and its primary button (call to action)."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from snellen.build.screen.contrast import contrast, saturation
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.words import reading

SMALLEST_AREA = 50.0
"""In square pixels: smaller elements are not visible as buttons. Source: WebRSSBench's script."""

NO_BUTTON = "no button with a text"
NOT_FILLED = "no button stands out"
NEAR_EQUAL = "two buttons stand out alike"
MENU_ENTRY = "what stands out most is an entry of a menu"

_LONGEST = 40
_MARGIN = 1.0
_FILLED = 1.5
_COVERED = 0.2
_TALL = 300.0
_BUTTON_HEIGHT = 24
_FORMS = frozenset({"form", "dialog", "alertdialog"})
_TO_SOMETHING = frozenset({"Deletes this entry.", "Saves this."})
_FILLED_IN = frozenset({"textbox", "searchbox", "spinbutton", "combobox", "checkbox", "radio"})
_PAGE_ADDRESS = re.compile(r"(/|\.x?html?|\.php|(^|/)[^./]+)$")
_BOXES = frozenset({"div", "aside", "section", "article", "li"})
_LABEL = 24
_MENUS = frozenset({"navigation", "menu", "menubar", "tablist", "tree"})
_PRESSED = frozenset({"link", "button", "menuitem", "tab", "treeitem"})
_ENTRIES = 3
_PAGE = frozenset({"main", "body", "html"})


def buttons(screen: Screen) -> Sequence[Element]:
    """Return the buttons that can be read and clicked, in document order.

    A link counts as a button if its fill differs from the color around it.
    """
    return [
        element
        for element in screen.elements
        if _is_button(screen, element)
        and not element.disabled
        and element.covered <= _COVERED
        and element.width * element.height >= SMALLEST_AREA
    ]


def labelled_buttons(screen: Screen) -> Sequence[Element]:
    """Return the buttons that show a complete text of at most 40 characters."""
    return [
        element
        for element in buttons(screen)
        if any(letter.isalpha() for letter in element.text)
        and len(element.text) <= _LONGEST
        and not element.cut
        and not element.clipped
    ]


def primary_button(screen: Screen) -> Element | str:
    """Return the call to action: the button that looks most important; else the reason for none.

    The weight of a button is the sum of its fill (contrast with the surroundings, saturation), its
    relative size and its place (content rather than bars, above the fold). Irreversible actions and
    advertisements are excluded. A reason is returned if there is no button, if none stands out, if
    a second one is nearly as strong, if another one with its text is filled (as a status in each
    row of a table), or if the strongest is a menu entry (filled because its page is open).
    """
    candidates = [each for each in labelled_buttons(screen) if not is_advertised(screen, each)]
    if not candidates:
        return NO_BUTTON
    largest = max(each.width * each.height for each in candidates)
    ranked = [(_weight(screen, each, largest), each) for each in candidates]
    ranked.sort(key=lambda pair: (-pair[0], pair[1].id))
    weight, first = ranked[0]
    if fill_of(screen, first) < _FILLED:
        return NOT_FILLED
    repeated = any(
        other.text.casefold() == first.text.casefold() and fill_of(screen, other) >= _FILLED
        for _, other in ranked[1:]
    )
    if repeated or (len(ranked) > 1 and weight - ranked[1][0] < _MARGIN):
        return NEAR_EQUAL
    if any(_on_picture(screen, each) for each in screen.elements if not screen.nested(each, first)):
        return NEAR_EQUAL
    return MENU_ENTRY if is_menu_entry(screen, first) else first


def is_menu_entry(screen: Screen, element: Element) -> bool:
    """Whether an element is an entry of a menu, in a bar, a list or a sidebar.

    A list is a menu if its entries are its only text; so is a column of links.
    """
    return element.landmark == "navigation" or any(
        outer.role in _MENUS or _is_menu(screen, outer) for outer in screen.ancestors(element)
    )


def _is_menu(screen: Screen, outer: Element) -> bool:
    entries = [each for each in screen.inside(outer) if each.role in _PRESSED and each.text]
    text = "".join(each.text for each in entries).replace(" ", "")
    if len(entries) < _ENTRIES or text != outer.text.replace(" ", ""):
        return False
    column = {(round(each.box[0]), round(each.box[2])) for each in entries}
    links = all(each.role == "link" for each in entries)
    return outer.role == "list" or (links and len(column) == 1)


def fill_of(screen: Screen, element: Element) -> float:
    """Return the contrast of an element's fill with its surroundings; 1 for no difference."""
    around = surroundings(screen, element)
    if not element.background or not around:
        return 1.0
    ratio = contrast(element.background, around)
    apart = abs(saturation(element.background) - saturation(around))
    return max(ratio, 1 + 2 * apart)


def surroundings(screen: Screen, element: Element) -> str:
    """Return the color around an element; empty for a picture or a gradient."""
    outer = next(screen.ancestors(element), None)
    return "#ffffff" if outer is None else outer.background


def is_advertised(screen: Screen, element: Element) -> bool:
    """Whether an element is in an advertisement, by a region's name or by a box's first text."""
    around = (element, *screen.ancestors(element))
    return any(
        reading.is_advertisement(outer.name) or reading.is_advertisement(outer.label)
        for outer in around
        if outer.role in {"region", "complementary", "group"} or outer.tag == "section"
    ) or any(
        _says_advertisement(screen, outer)
        for outer in around
        if outer.tag in _BOXES and outer.width * outer.height < screen.width * screen.height / 4
    )


def _says_advertisement(screen: Screen, box: Element) -> bool:
    first = next((element.own for element in screen.inside(box) if element.own), "")
    return len(first) <= _LABEL and reading.is_advertisement(first)


def deed_of(screen: Screen, words: reading.Words, element: Element) -> str | None:
    """Return what a button does, in English; None if unknown or if its object is unknown."""
    does = None if ends_unknown(screen, words, element) else reading.deed(words, element.text)
    return None if does in _TO_SOMETHING else does


def ends_unknown(screen: Screen, words: reading.Words, element: Element) -> bool:
    """Whether the result of a button may differ from its text.

    Cancel may cancel anything, such as the order beside it, unless a form or a dialog around it can
    be closed. Outside a form, Send may open one, Search may open a field, and Subscribe may buy a
    plan. Start, below the fields of a form, submits the form. A link to another page does not
    download yet. Only a button of that kind empties a form: another one may reset what stands
    beside it.
    """
    does = reading.deed(words, element.text or element.name) or ""
    if does.startswith("Downloads") and _PAGE_ADDRESS.search(urlsplit(element.href).path):
        return True
    if does.startswith("Empties all fields"):
        return element.kind != "reset"
    if does.startswith("Starts an application"):
        return any(outer.tag in _FORMS for outer in screen.ancestors(element))
    if not does.startswith(("Sends", "Starts a search", "Subscribes")) and not reading.is_cancel(
        words, element.text or element.name
    ):
        return False
    for outer in screen.ancestors(element):
        if outer.role in _FORMS or outer.tag in _FORMS:
            return False
        # What holds most of a page also holds fields of other parts.
        whole = 4 * outer.width * outer.height > screen.width * screen.height
        if whole or outer.tag in _PAGE or outer.role == "main":
            return True
        if any(each.role in _FILLED_IN for each in screen.inside(outer)):
            return False
    return True


def _is_button(screen: Screen, element: Element) -> bool:
    if element.role == "button":
        return True
    if element.role != "link" or not element.painted or not element.text:
        return False
    inside = {"navigation", "contentinfo"} & {element.landmark}
    return not inside and fill_of(screen, element) >= _FILLED and element.height >= _BUTTON_HEIGHT


def _on_picture(screen: Screen, element: Element) -> bool:
    """Whether a link may look like a button on a picture, where its contrast can't be measured."""
    return (
        element.role == "link"
        and bool(element.painted and element.text and element.background)
        and element.landmark not in {"navigation", "contentinfo"}
        and not surroundings(screen, element)
        and element.height >= _BUTTON_HEIGHT
    )


def _weight(screen: Screen, element: Element, largest: float) -> float:
    fill = fill_of(screen, element)
    weight = 3.0 if fill >= _FILLED else 0.0
    if element.background and fill >= _FILLED:
        weight += saturation(element.background)
    weight += element.width * element.height / largest
    # A tall banner is not a bar: it has the first text of the page, and usually its call to action.
    tall = any(
        outer.role == "banner" and outer.height > _TALL for outer in screen.ancestors(element)
    )
    if tall or element.landmark in {"main", "form", "region", ""}:
        weight += 1.5
    if element.box[1] < 800:
        weight += 0.5
    words = reading.words_of(screen.language)
    return weight - 2 * (words is not None and reading.is_dangerous(words, element.text))
