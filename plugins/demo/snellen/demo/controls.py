"""Controls: the purpose and importance of buttons; the values of form fields."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snellen.demo.findings import Finding, first, no_idea
from snellen.demo.marks import button_around, ground_of, red_box, vividness
from snellen.demo.ocr.pictures import Box, Picture
from snellen.demo.phrases import without_end, words
from snellen.demo.quotes import find_heading, read_inside
from snellen.sdk.exam.client import ExamItem

SORRY = "sorry"

IRREVERSIBLE = re.compile(
    r"\b(?:delete|erase|remove|destroy|wipe|purge|terminate|deactivate|reset|format|uninstall"
    r"|discard|unsubscribe|revoke|withdraw|transfer|pay|send payment|confirm payment|place order"
    r"|close (?:my |your |the )?account|cancel (?:my |your |the )?(?:subscription|membership|plan"
    r"|order|booking|appointment|account)|empty (?:trash|bin)|factory"
    r"|löschen|entfernen|kündigen|zurücksetzen|bezahlen|überweisen|endgültig"
    r"|eliminar|borrar|cancelar (?:la |mi )?(?:suscripción|cuenta|cita|reserva)|restablecer|pagar"
    r"|supprimer|effacer|résilier|réinitialiser|payer"
    r"|excluir|apagar|encerrar)\b"
    r"|删除|清空|注销|永久|付款|支付|转账|重置|取消订阅|取消订单|移除",
    re.IGNORECASE,
)
"""Words for actions that can't be undone, in the languages that the reader supports."""

_REVERSIBLE = re.compile(
    r"\b(?:filters?|draft|search|form|selection|from (?:list|wishlist|favourites|favorites|compare)"
    r"|tag|password|view|column|preview)\b|筛选",
    re.IGNORECASE,
)

_PURPOSES: tuple[tuple[str, str], ...] = (
    (r"sign ?in|log ?in|anmelden|iniciar sesión|登录", "Signs the user in to their account"),
    (r"sign ?up|register|create (?:an )?account|join|注册", "Creates a new account"),
    (r"log ?out|sign ?out", "Signs the user out"),
    (r"search|find|suchen|buscar|搜索", "Searches the site for what was typed"),
    (r"add to (?:cart|basket|bag)|加入购物车", "Adds the product to the shopping cart"),
    (r"buy|order|checkout|check out|purchase|kaufen|comprar|购买", "Starts buying the product"),
    (r"subscribe", "Subscribes the user to the newsletter or service"),
    (r"book|reserve|schedule|预约|预订", "Books an appointment or a reservation"),
    (r"download", "Downloads a file"),
    (r"save|apply|update|speichern|guardar|保存", "Saves the changes that were made"),
    (r"send|submit|absenden|enviar|提交|发送", "Sends the form"),
    (r"delete|remove|erase|löschen|eliminar|删除", "Deletes the item for good"),
    (r"cancel", "Cancels the action"),
    (r"contact", "Opens a way to get in touch"),
    (r"learn more|read more|more|details|view|see", "Opens a page with more about it"),
    (r"share", "Shares the page with others"),
    (r"next|continue|weiter|siguiente|下一步", "Goes on to the next step"),
    (r"back|previous", "Goes back to the step before"),
    (r"filter", "Filters the list"),
    (r"edit|change", "Opens it to be edited"),
)

_MOST_WORDS = 6
_ALIKE = 10


class Button(NamedTuple):
    """A button: its text, its area, and the vividness of its color."""

    text: str
    box: Box
    vivid: float


def irreversible(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the text of the button whose action can't be undone, or `SORRY` if there is none."""
    picture = first(question, pictures)
    suspects = [
        line
        for line in picture.lines()
        if len(words(line.text)) <= _MOST_WORDS
        and IRREVERSIBLE.search(line.text)
        and not _REVERSIBLE.search(line.text)
    ]
    framed = [line for line in suspects if button_around(picture.pixels, line.box) is not None]
    if not framed:
        return Finding(SORRY, "no button has a word of what can't be undone")
    line = max(framed, key=lambda one: _alarm(picture, one.box))
    return Finding(line.text, "its words, and that it is a button", line.box)


def most_important(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the text of the most prominent button, by its area, color and position."""
    picture = first(question, pictures)
    buttons = find_buttons(picture)
    if not buttons:
        return no_idea("no button can be found")
    best = max(buttons, key=lambda one: _weight(picture, one))
    return Finding(best.text, "the button that stands out most", best.box)


def purpose(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the purpose of the button in the red box, by its text."""
    picture = first(question, pictures)
    box = red_box(picture.pixels)
    text = "" if box is None else fixed(read_inside(picture, box))
    if not text:
        return no_idea("no text can be read in a red box")
    for pattern, does in _PURPOSES:
        if re.search(pattern, text, re.IGNORECASE):
            return Finding(f"{does} ({text})", f"the button says {text!r}", box)
    return Finding(f"Lets the user {text[0].lower()}{text[1:]}", f"the button says {text!r}", box)


def fixed(text: str) -> str:
    """Undo perturbations of a button's text: spaced letters, added characters, look-alikes.

    >>> fixed("S i g n  i n !"), fixed("D0wnl0ad ~")
    ('Signin', 'Download')
    """
    plain = re.sub(r"[!~·•|]+", " ", text)
    letters = plain.split()
    if len(letters) >= 3 and sum(len(letter) == 1 for letter in letters) > 0.6 * len(letters):
        plain = "".join(letters)
    pairs = str.maketrans("013457@$", "oieastas")
    fixed_words = [
        word.translate(pairs) if re.search(r"[^\W\d_]{2}", word) else word for word in plain.split()
    ]
    return " ".join(fixed_words)


def find_buttons(picture: Picture) -> Sequence[Button]:
    """Return the short texts on small areas with their own color."""
    found: list[Button] = []
    for box in picture.boxes:
        if box.width > 22 * box.height:
            continue
        around = button_around(picture.pixels, box)
        if around is None:
            continue
        inner = ground_of(picture.pixels, box)
        if _goes_on(picture, around, inner):
            continue
        text = picture.text(box)
        if text and len(words(text)) <= _MOST_WORDS and re.search(r"[^\W\d_]", text):
            found.append(Button(text, around, vividness(inner)))
    return found


def _goes_on(picture: Picture, area: Box, color: tuple[int, int, int]) -> bool:
    """Whether an area's color continues beyond its edge, as in a table's head or a page."""
    x, y = area.center
    beyond = (
        Box(x - 8, area.top - 9, x + 8, area.top - 4),
        Box(area.left - 9, y - 3, area.left - 4, y + 3),
        Box(area.right + 4, y - 3, area.right + 9, y + 3),
    )
    grounds = (ground_of(picture.pixels, box) for box in beyond)
    return any(
        max(abs(one - other) for one, other in zip(ground, color, strict=True)) < _ALIKE
        for ground in grounds
    )


def _weight(picture: Picture, button: Button) -> float:
    size = min(button.box.area / 12_000, 1.5)
    down = button.box.center[1] / max(picture.height, 1)
    title = find_heading(picture)
    under = title is not None and -40 < button.box.top - title.box.bottom < 420
    dark = 1 - sum(ground_of(picture.pixels, button.box)) / 765
    return size + 1.2 * button.vivid + 0.4 * dark + 0.4 * under - 0.5 * down


def _alarm(picture: Picture, box: Box) -> float:
    red, green, blue = ground_of(picture.pixels, box)
    return (red - max(green, blue)) / 255 + box.top / max(picture.height, 1) / 4


class Typical(NamedTuple):
    """A kind of field: a pattern for its label, a typical value, a typical hint."""

    label: str
    value: str
    hint: str


TYPICAL: tuple[Typical, ...] = (
    Typical(r"e-?mail|correo|邮箱|courriel", "jane.doe@example.com", "name@example.com"),
    Typical(r"confirm.*password|password|passwort|contraseña|密码", "S3cure-Pass!", "Password"),
    Typical(r"user ?name|benutzername|usuario|用户名", "janedoe", "Choose a username"),
    Typical(r"first name|given name|vorname|prénom", "Jane", "First name"),
    Typical(r"last name|surname|family name|nachname|apellidos?", "Doe", "Last name"),
    Typical(r"phone|telephone|mobile|teléfono|telefon|电话|手机", "+1 555 0123", "+1 555 0100"),
    Typical(r"birth|geburt|nacimiento|出生", "14/05/1990", "DD/MM/YYYY"),
    Typical(
        r"check.?in|arrival|depart|return|\bdate\b|datum|fecha|日期", "15/06/2025", "DD/MM/YYYY"
    ),
    Typical(r"\btime\b|uhrzeit|hora\b|时间", "10:30", "HH:MM"),
    Typical(r"card number|kartennummer|tarjeta|卡号", "4111 1111 1111 1111", "1234 5678 9012 3456"),
    Typical(r"expir", "12/27", "MM/YY"),
    Typical(r"cvc|cvv|security code", "123", "CVC"),
    Typical(r"zip|post(?:al)? ?code|postleitzahl|\bplz\b|código postal|邮编", "90210", "ZIP code"),
    Typical(r"street|address|adresse|dirección|地址", "12 Main Street", "Street and number"),
    Typical(r"city|town|stadt|\bort\b|ciudad|城市", "Springfield", "City"),
    Typical(r"country|land\b|país|国家", "United States", "Country"),
    Typical(r"company|organi[sz]ation|firma|empresa|公司", "Acme Ltd", "Company name"),
    Typical(r"coupon|promo|voucher|discount|gutschein", "SAVE10", "Enter code"),
    Typical(r"amount|betrag|importe|金额", "50.00", "0.00"),
    Typical(r"quantity|guests|adults|number of|menge|cantidad|数量", "2", "1"),
    Typical(r"subject|betreff|asunto|主题", "Question about my order", "What is it about?"),
    Typical(
        r"message|comment|notes?|feedback|nachricht|mensaje|留言",
        "Hello, I have a question about my order.",
        "Write your message here",
    ),
    Typical(r"search|suche|buscar|搜索", "running shoes", "Search..."),
    Typical(r"website|url", "https://www.example.com", "https://"),
    Typical(r"name|姓名|nombre", "Jane Doe", "Full name"),
)
"""The kinds of fields, specific ones before general ones."""

_REACH = 260
_TICK = 40


def value(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the text that a user would type into the field in the red box."""
    return _said(question, pictures, hint=False)


def hint(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the hint that the field in the red box should show."""
    return _said(question, pictures, hint=True)


def typical(label: str) -> Typical | None:
    """Return the kind of the field with a label; None if no kind matches."""
    return next((one for one in TYPICAL if re.search(one.label, label, re.IGNORECASE)), None)


def label_of(picture: Picture, box: Box) -> str:
    """Return the label of a field: the text above it, else the one to its left."""
    size = max(min(box.height, 40.0), 16.0)
    above = [
        one
        for one in picture.boxes
        if one.bottom <= box.top + 0.5 * size
        and box.top - one.bottom < 1.6 * size
        and one.right > box.left
        and one.left < box.left + 0.6 * box.width
    ]
    left = [
        one
        for one in picture.boxes
        if one.right <= box.left + 4 and box.left - one.right < _REACH and one.beside(box) > 0.5
    ]
    if max(box.width, box.height) <= _TICK:
        # The label of a checkbox is to its right.
        after = [
            one
            for one in picture.boxes
            if one.left >= box.right - 4 and one.left - box.right < _TICK and one.beside(box) > 0.5
        ]
        left = [one for one in picture.boxes if one.right <= box.left + 4 and one.beside(box) > 0.5]
        left = [min(after)] if after else left
        above = []
    for near in (max(above, key=lambda one: one.bottom, default=None), max(left, default=None)):
        if near is not None and (text := without_end(picture.text(near))):
            return text
    return ""


def _said(question: ExamItem, pictures: Mapping[str, Picture], *, hint: bool) -> Finding:
    picture = first(question, pictures)
    box = red_box(picture.pixels)
    if box is None:
        return no_idea("there is no red box to be seen")
    shown = " ".join(line.text for line in picture.inside(box.grown(-2)))
    label = label_of(picture, box)
    known = typical(label) or typical(shown)
    if known is not None:
        return Finding(known.hint if hint else known.value, f"the label {label or shown!r}", box)
    if not label and not shown:
        return no_idea("the field has no label that can be read")
    if hint:
        return Finding(f"Enter {label.lower()}", f"the label {label!r}", box)
    return Finding(shown or label, f"the label {label or shown!r}", box)
