"""The form of a short text: a price, a date, a percentage, or words."""

import re

_MONTH = (
    r"\b(jan|feb|fév|m[aä]r|apr|avr|abr|ma[iyj]|jui?n|jui?l|aug|ao[uû]|ago|sep|o[ck]t|nov|de[cz]|dic"
    r"|ene)[a-zû]*\b\.?"
)
_FORMS = (
    ("address", re.compile(r"@|^https?:|^www\.")),
    ("money", re.compile(r"[$€£¥₹]|درهم|元")),
    ("share", re.compile(r"^[+\-\u2212]?\d[\d.,]*\s?%$")),
    ("time", re.compile(r"\d{1,2}:\d{2}|\d\s?[ap]\.?m\b", re.IGNORECASE)),
    (
        "date",
        re.compile(
            rf"\b(19|20)\d\d\b|\d[./]\d{{1,2}}[./]|\d{{1,2}}\.? {_MONTH}|{_MONTH} \d{{1,2}}\b|月",
            re.IGNORECASE,
        ),
    ),
    ("phone", re.compile(r"^\+?\(?\d(?:[ ()./-]*\d){6,}$")),
    ("measure", re.compile(r"^\D{0,6}\d[\d.,\s]*[^\W\d_]")),
    ("number", re.compile(r"^[+\-\u2212(#]?\d[\d.,\s()+-]*\D{0,12}$")),
)
_WORD = re.compile(r"[^\W\d_]+")
_FEW_WORDS = 2


def form_of(text: str) -> str:
    """Return the form of a text; an option whose form is unique would be chosen for its form.

    A text with a form inside a sentence has another form than the bare form.
    """
    form = next((name for name, pattern in _FORMS if pattern.search(text)), "words")
    wordy = len(_WORD.findall(text)) > _FEW_WORDS
    return f"{form} in words" if wordy and form != "words" else form
