"""Form fields for typed text: what each is for, and a plausible value."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.words.reading import field_kind, plain, words_of

NO_FIELD = "no empty text field"
NO_LANGUAGE = "no words for the language"
NO_RULE = "no rule for what is typed into its fields"

_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
_TYPED = {"email": "email", "tel": "phone", "url": "website"}
_COMPLETED = {
    "name": "name", "given-name": "first_name", "family-name": "last_name", "bday": "birth",
    "organization": "company", "street-address": "address", "address-line1": "address",
    "postal-code": "postcode", "address-level2": "city", "country-name": "country",
    "cc-number": "card", "cc-exp": "expiry", **_TYPED,
}  # fmt: skip
# Any account name, also an e-mail address, may be declared as a user's name.
_UNDECLARED = frozenset({"", "on", "off", "username"})
_NATIVE = frozenset({"date", "time", "datetime-local", "month", "week", "color", "range", "file"})
# These show a form of their own, so nothing needs to be inferred.
_COVERED = 0.05
_SMALLEST = (40.0, 14.0)
_FLUSH = 3.0
_PRESSED = frozenset({"button", "link", "combobox", *_ROLES})
_STEM = 5
_NUMBERS = frozenset({"people", "amount"})
_DATE = 5.0
_HUMPS = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
OPEN = frozenset({"name", "first_name", "last_name", "username", "company"})
"""Kinds with personal values, for which any other value is as correct."""
_FORMS: Mapping[str, re.Pattern[str]] = {
    "email": re.compile(
        r"^((your?|tu|su|votre|ihre?)?[._-]?(name|e?-?mail|nombre|nom|nome|correo)|you|user(name)?"
        r"|me|info|(jane|john)[._-]?doe)@",
        re.IGNORECASE,
    ),
    "phone": re.compile(r"(0[ ()./-]*){4}|[x#_]{3}", re.IGNORECASE),
    "website": re.compile(r"^https?:|^www\.|\w\.[a-z]{2,}$"),
    "date": re.compile(r"(?i)\b(dd|mm|yy(yy)?|tt|jj(jj)?|aaaa)\b|\d+[./-]\d+"),
    "birth": re.compile(r"(?i)\b(dd|mm|yy(yy)?|tt|jj(jj)?|aaaa)\b|\d+[./-]\d+"),
    "expiry": re.compile(r"(?i)mm\s?/\s?yy"),
    "card": re.compile(r"(\d{4} ?){2}"),
}
"""The format hints of kinds."""
_PARTS = re.compile(r"YYYY|JJJJ|AAAA|YY|AA|DD|TT|JJ|MM|年|月|日|سنة|شهر|يوم", re.IGNORECASE)
_YEAR = frozenset({"YYYY", "JJJJ", "AAAA", "年", "سنة"})
_SHORT_YEAR = frozenset({"YY", "AA"})
_MONTH = frozenset({"MM", "月", "شهر"})


def text_fields(screen: Screen) -> Sequence[Element]:
    """Return the empty fields that accept typed text, in document order."""
    return [
        element
        for element in screen.elements
        if element.role in _ROLES
        and element.tag in {"input", "textarea"}
        and element.kind not in _NATIVE | {"password"}
        and not element.value
        and not element.disabled
        and element.covered <= _COVERED
        and not element.clipped
        and element.width >= _SMALLEST[0]
        and element.height >= _SMALLEST[1]
        and not is_joined(screen, element)
    ]


def is_joined(screen: Screen, field: Element) -> bool:
    """Whether a text such as `$` or `.00` is joined to a field's side and part of its value."""
    left, top, right, bottom = field.box
    return any(
        other.text
        and other.role not in _PRESSED
        and other.painted
        and abs(other.box[1] - top) <= _FLUSH
        and abs(other.box[3] - bottom) <= _FLUSH
        and min(abs(other.box[2] - left), abs(other.box[0] - right)) <= _FLUSH
        for other in screen.elements
        if other.id != field.id
    )


def kinds_of(screen: Screen, field: Element) -> frozenset[str]:
    """Return the kinds of value that a field's type, autocomplete, key and label speak of."""
    words, english = words_of(screen.language), words_of("en")
    if words is None or english is None:
        return frozenset()
    declared = field.autocomplete.rpartition(" ")[2]
    key = _HUMPS.sub(" ", field.key)
    said = (
        _TYPED.get(field.kind),
        None if declared in _UNDECLARED else _COMPLETED.get(declared, declared),
        field_kind(english, [key]),
        field_kind(words, [text for text in (field.label, field.name) if text]),
    )
    return frozenset(kind for kind in said if kind is not None)


def kinds_on(screen: Screen) -> Counter[str]:
    """Return the number of a screen's fields for typed text that speak of each kind."""
    fields = (each for each in screen.elements if each.role in _ROLES)
    return Counter(kind for field in fields for kind in kinds_of(screen, field))


def kind_of(screen: Screen, field: Element) -> str | None:
    """Return a field's kind of value; None without a rule, or if its declarations disagree.

    A box that is too narrow for a date is a part of one. A number field holds nothing but numbers.
    """
    words, kinds = words_of(screen.language), kinds_of(screen, field)
    if words is None or len(kinds) != 1:
        return None
    (kind,) = kinds
    if kind in {"date", "birth"}:
        return kind if field.width >= _DATE * field.font_size else None
    if field.role == "spinbutton" and kind not in _NUMBERS:
        return None
    return kind if kind in words.kinds else None


def is_labelled(screen: Screen, field: Element) -> bool:
    """Whether a field's label alone determines its kind, without type, name or hint."""
    words, kind = words_of(screen.language), kind_of(screen, field)
    return words is not None and kind is not None and field_kind(words, [field.label]) == kind


def plausible_value(
    screen: Screen, field: Element, random: Random, person: Mapping[str, str] | None = None
) -> str | None:
    """Return a plausible value for a field; None without a rule for it.

    The value is in the page's language; a date has the format of the field's hint. It is never the
    hint.

    Args:
        screen: The page.
        field: One of its fields.
        random: The source of random choices.
        person: The person whose data are typed, one of the language's; any of them if omitted.
    """
    words, kind = words_of(screen.language), kind_of(screen, field)
    if words is None or kind is None:
        return None
    if kind in {"date", "birth"}:
        form = field.placeholder if _is_date_form(field.placeholder) else words.date
        # A planned date must be later than the years that pages mention.
        year = random.randrange(1962, 2004) if kind == "birth" else 2027
        return write_date(form, random.randrange(1, 29), random.randrange(1, 13), year)
    hint = plain(field.placeholder)
    fitting = [text for text in words.typed(kind, person) if plain(text) != hint]
    return random.choice(fitting) if fitting else None


def write_date(form: str, day: int, month: int, year: int) -> str:
    """Write a date in the format that a hint shows.

    >>> write_date("TT.MM.JJJJ", 4, 11, 2026), write_date("年-月-日", 4, 11, 2026)
    ('04.11.2026', '2026-11-04')
    """

    def part(found: re.Match[str]) -> str:
        letters = found.group().upper()
        if letters in _YEAR:
            return str(year)
        if letters in _SHORT_YEAR:
            return f"{year % 100:02}"
        return f"{month if letters in _MONTH else day:02}"

    return _PARTS.sub(part, form.strip())


def says_hint(screen: Screen, field: Element) -> bool:
    """Whether a page shows a field's hint elsewhere, so that it need not be inferred."""
    hint = plain(field.placeholder)
    return any(
        hint in {plain(text) for text in (other.own, other.placeholder, other.value) if text}
        for other in screen.elements
        if other.id != field.id
    )


def has_shown_label(screen: Screen, field: Element) -> bool:
    """Whether the page shows the field's label, and it differs from its hint."""
    label = plain(field.label)
    return (
        bool(label)
        and label != plain(field.placeholder)
        and any(label == plain(other.own) for other in screen.elements if other.id != field.id)
    )


def hintable_fields(screen: Screen) -> Sequence[Element]:
    """Return the fields whose hint can be inferred after it was removed."""
    return [
        field
        for field in text_fields(screen)
        if sum(letter.isalpha() for letter in field.placeholder) >= 4
        and has_shown_label(screen, field)
        and not says_hint(screen, field)
        and _can_infer(screen, field)
    ]


def _can_infer(screen: Screen, field: Element) -> bool:
    """Whether a hint has the format of its field, or shares longer words with its label."""
    kind = kind_of(screen, field) or ""
    if kind in OPEN:
        return False
    form = _FORMS.get(kind)
    if form is not None and form.search(field.placeholder):
        return True
    hint, label = (
        {word[:_STEM] for word in re.findall(r"[^\W\d_]{4,}", text.casefold())}
        for text in (field.placeholder, field.label)
    )
    # A number of digits can't be inferred, nor most other content of a hint.
    numbers = set(re.findall(r"\d+", field.placeholder)) - set(re.findall(r"\d+", field.label))
    return bool(hint) and 2 * len(hint & label) >= len(hint) and not numbers


def _is_date_form(hint: str) -> bool:
    parts = {part.upper() for part in _PARTS.findall(hint)}
    rest = _PARTS.sub("", hint).strip()
    return len(parts) == 3 and bool(parts & _MONTH) and all(mark in "/.- " for mark in rest)
