"""Text forms that metrics compare: pure functions from a string to a string.

Every metric that takes `normalize=` takes one of these, or any other `Normalizer`. The SQuAD form
comes in more shapes, because millions of answers pass through it: as words, and as lines, which
many texts at once become in one pass.
"""

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeAlias

Normalizer: TypeAlias = Callable[[str], str]

_ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PUNCTUATION_BYTES = string.punctuation.encode()
_LOWER_BYTES = bytes(range(256)).lower()
_NOT_ALPHANUMERIC = re.compile(r"[^a-zA-Z0-9]+")
_EDGE_SYMBOLS = frozenset("<>|~^`\u00b4\ufe0e\ufe0f")


def identity(text: str) -> str:
    """Return the text as it is."""
    return text


def lower_strip(text: str) -> str:
    """Lower-case the text and strip whitespace at its ends."""
    return text.lower().strip()


def alphanumeric(text: str) -> str:
    """Lower-case the text and keep its ASCII letters and digits only.

    Accented and non-Latin letters disappear, as in the file that defines it: hunterheiden/lmms-eval
    (83a989c), lmms_eval/tasks/screenqa/utils.py.

    >>> alphanumeric("Café 4.3 ★")
    'caf43'
    """
    return _NOT_ALPHANUMERIC.sub("", text.lower())


def squad(text: str) -> str:
    """Lower-case, delete ASCII punctuation, drop the words a, an and the, collapse whitespace.

    The steps happen in this order, so "U.S." becomes "us" and "th.e" disappears. Source:
    SQuAD v1.1, evaluate-v1.1.py (normalize_answer), and screen_qa code/metrics.py
    (normalize_squad), which agree on every string.

    >>> squad("The U.S. dollar,  an old one")
    'us dollar old one'
    """
    return " ".join(squad_words(text))


def squad_or_raw(text: str) -> str:
    """Give the SQuAD form, or the lower-case text, single-spaced, where that form is empty.

    The published form is empty for answers such as "$", "+" or "A", and then any punctuation
    matches any other. This one keeps those answers apart.

    >>> squad_or_raw("$"), squad_or_raw("A"), squad_or_raw("A cat")
    ('$', 'a', 'cat')
    """
    return " ".join(squad_or_raw_words(text))


def squad_words(text: str) -> list[str]:
    """Split the SQuAD form of a text into its words.

    >>> squad_words("The U.S. dollar")
    ['us', 'dollar']
    """
    # In printable ASCII, words end at spaces once punctuation is deleted. Elsewhere they also end
    # at control characters and typographic marks, and lower-casing changes lengths.
    if text.isascii() and text.isprintable():
        words = text.encode().translate(_LOWER_BYTES, _PUNCTUATION_BYTES).decode().split()
        if _ARTICLES.isdisjoint(words):
            return words
        return [word for word in words if word not in _ARTICLES]
    return _ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def squad_or_raw_words(text: str) -> list[str]:
    """Split the form that `squad_or_raw` gives into its words."""
    return squad_words(text) or text.lower().split()


def squad_lines(texts: Sequence[str]) -> list[str]:
    """Normalize many texts in one pass, up to whitespace.

    Splitting a line at whitespace gives what `squad_words` gives for its text.

    >>> [line.split() for line in squad_lines(["The cat", "a big dog!"])]
    [['cat'], ['big', 'dog']]
    """
    if not texts:
        return []
    others = [
        index for index, text in enumerate(texts) if not (text.isascii() and text.isprintable())
    ]
    plain = list(texts)
    for index in others:
        plain[index] = ""
    # Printable texts hold no newline, so newlines can stand between them. Spaces are doubled so
    # that neighbouring words share none.
    joined = " \n ".join(plain).encode().translate(_LOWER_BYTES, _PUNCTUATION_BYTES)
    spaced = b" %b " % joined.replace(b" ", b"  ")
    kept = spaced.replace(b" a ", b"").replace(b" an ", b"").replace(b" the ", b"")
    lines = kept.decode().split("\n")
    for index in others:
        lines[index] = squad(texts[index])
    return lines


def squad_or_raw_lines(texts: Sequence[str]) -> list[str]:
    """Normalize many texts as `squad_or_raw` does, up to whitespace."""
    lines = squad_lines(texts)
    for index, line in enumerate(lines):
        if not line or line.isspace():
            lines[index] = texts[index].lower()
    return lines


def folded(text: str) -> str:
    r"""NFKC, case folded, every run of white space one space and none at the ends.

    >>> folded(" New  York\n")
    'new york'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def button(text: str) -> str:
    """Give the form in which two button texts are the same text.

    NFKC, lower case, single spaces, and no quotes, punctuation, arrows or zero-width characters
    at the ends. Currency signs, plus signs and icons stay. A text made of nothing else ("?",
    "→") stays whole, so that it does not equal the empty answer. Source: the WebRSSBench color
    robustness task compares button texts and publishes no normalizer; this is a decision.

    >>> button(" “Sign  Up” → "), button("Next >>"), button("→")
    ('sign up', 'next', '→')
    """
    # Lower-casing can leave a pair that composes (U+01F0), so NFKC comes again after it.
    lowered = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    whole = " ".join(lowered.split())
    start, end = 0, len(whole)
    while start < end and _is_edge(whole[start]):
        start += 1
    while start < end and _is_edge(whole[end - 1]):
        end -= 1
    return whole[start:end] or whole


def _is_edge(character: str) -> bool:
    """Tell what `button` strips from the ends of a text."""
    if character.isspace() or character in _EDGE_SYMBOLS:
        return True
    category = unicodedata.category(character)
    if category.startswith("S"):
        name = unicodedata.name(character, "")
        return "ARROW" in name or "-POINTING TRIANGLE" in name or "-POINTING POINTER" in name
    return category.startswith("P") or category == "Cf"
