"""Fields of forms: what a user would type into one, and which hint it should show."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from snellen.sdk.demo.marks import red_box
from snellen.sdk.demo.saying import Finding, first, no_idea
from snellen.sdk.demo.wording import without_end
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.ocr.pictures import Box, Picture


class Typical(NamedTuple):
    """What is typical of a kind of field: words of its label, a value, a hint."""

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
"""What is typical, the more special kinds before the more general ones."""

_REACH = 260
_TICK = 40


def value(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Say what a user would type into the field in the red box."""
    return _said(question, pictures, hint=False)


def hint(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Say which hint the field in the red box should show."""
    return _said(question, pictures, hint=True)


def typical(label: str) -> Typical | None:
    """Return what is typical of a field with such a label."""
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
        # The label of a box to tick stands behind it.
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
