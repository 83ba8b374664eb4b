"""Form fields that somebody types into: what for, and what they would type."""

import re
from collections.abc import Mapping, Sequence
from random import Random

from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.screen.words.reading import field_kind, plain, words_of

NO_FIELD = "no empty text field"
NO_LANGUAGE = "no words for the language"
NO_RULE = "no rule for what is typed into its fields"

_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
_TYPED = {"email": "email", "tel": "phone", "url": "website"}
_NATIVE = frozenset({"date", "time", "datetime-local", "month", "week", "color", "range", "file"})
# These show a form of their own, so that nothing is left to guess.
_COVERED = 0.05
_SMALLEST = (40.0, 14.0)
_FLUSH = 3.0
_PRESSED = frozenset({"button", "link", "combobox", *_ROLES})
_STEM = 5
OPEN = frozenset({"name", "first_name", "last_name", "username", "company"})
"""What has a value of everybody's own, so that any other is as right."""
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
"""How hints show the form of what is typed."""
_PARTS = re.compile(r"YYYY|JJJJ|AAAA|YY|AA|DD|TT|JJ|MM|年|月|日|سنة|شهر|يوم", re.IGNORECASE)
_YEAR = frozenset({"YYYY", "JJJJ", "AAAA", "年", "سنة"})
_SHORT_YEAR = frozenset({"YY", "AA"})
_MONTH = frozenset({"MM", "月", "شهر"})


def text_fields(screen: Screen) -> Sequence[Element]:
    """Return the fields that are empty and can be typed into, in document order."""
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
    """Whether a text is joined to a field's side, such as `$` or `.00`: a part of what it holds."""
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


def kind_of(screen: Screen, field: Element) -> str | None:
    """Return what is typed into a field, by its type, label, name and hint; None without a rule."""
    words = words_of(screen.language)
    if words is None:
        return None
    kind = _TYPED.get(field.kind) or field_kind(
        words, [text for text in (field.label, field.name) if text]
    )
    return kind if kind in {"date", "birth"} or kind in words.kinds else None


def is_labelled(screen: Screen, field: Element) -> bool:
    """Whether a field's label alone says what is typed into it, without type, name or hint."""
    words, kind = words_of(screen.language), kind_of(screen, field)
    return words is not None and kind is not None and field_kind(words, [field.label]) == kind


def plausible_value(
    screen: Screen, field: Element, random: Random, person: Mapping[str, str] | None = None
) -> str | None:
    """Return what somebody would type into a field; None without a rule for it.

    In the page's language; dates in the form that the field's hint asks for. Never the hint.

    Args:
        screen: The page.
        field: One of its fields.
        random: What the choice is drawn from.
        person: Whose data are typed, one of the language's; anybody's when left out.
    """
    words, kind = words_of(screen.language), kind_of(screen, field)
    if words is None or kind is None:
        return None
    if kind in {"date", "birth"}:
        form = field.placeholder if _is_date_form(field.placeholder) else words.date
        # What is planned on a page of these years is still ahead.
        year = random.randrange(1962, 2004) if kind == "birth" else 2027
        return write_date(form, random.randrange(1, 29), random.randrange(1, 13), year)
    hint = plain(field.placeholder)
    fitting = [text for text in words.typed(kind, person) if plain(text) != hint]
    return random.choice(fitting) if fitting else None


def write_date(form: str, day: int, month: int, year: int) -> str:
    """Write a date in the form that a hint shows.

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
    """Whether the page shows what the field is called, unlike its hint."""
    label = plain(field.label)
    return (
        bool(label)
        and label != plain(field.placeholder)
        and any(label == plain(other.own) for other in screen.elements if other.id != field.id)
    )


def hintable_fields(screen: Screen) -> Sequence[Element]:
    """Return the fields whose hint can be inferred once it is gone."""
    return [
        field
        for field in text_fields(screen)
        if sum(letter.isalpha() for letter in field.placeholder) >= 4
        and has_shown_label(screen, field)
        and not says_hint(screen, field)
        and _can_infer(screen, field)
    ]


def _can_infer(screen: Screen, field: Element) -> bool:
    """Whether a hint has the form of what its field takes, or a longer word of its label."""
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
    # Nobody infers a number of digits, or most of what else a hint says.
    numbers = set(re.findall(r"\d+", field.placeholder)) - set(re.findall(r"\d+", field.label))
    return bool(hint) and 2 * len(hint & label) >= len(hint) and not numbers


def _is_date_form(hint: str) -> bool:
    parts = {part.upper() for part in _PARTS.findall(hint)}
    rest = _PARTS.sub("", hint).strip()
    return len(parts) == 3 and bool(parts & _MONTH) and all(mark in "/.- " for mark in rest)
