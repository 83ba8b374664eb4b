"""What a page is for, as it says itself, and whether that can be seen by looking at it."""

import re

from snellen.tasks.builder.screen.elements import Screen

NO_DESCRIPTION = "no description"
TOO_SHORT = "its description is too short"
OTHER_LANGUAGE = "not in English, the language of the question"
GENERIC = "its description would fit any page"
NOT_SHOWN = "the page shows too little of what its description says"

_LEAST_WORDS = 6
_MOST_WORDS = 60
_SHOWN = 0.4
_FRAME = frozenset({"banner", "contentinfo", "navigation", "search"})
_GENERIC = re.compile(
    r"\b(admin|bootstrap|dashboard|html|landing page|web ?site) (template|theme)s?\b|lorem ipsum"
    r"|^(just another|my (new |awesome )?(web ?site|blog)|(web ?site )?created (with|using))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for with are you your our from this that all its can was not any has have more"
        " into who what when where how they their will one two",
    )
)


def purpose(screen: Screen) -> tuple[str, str]:
    """Return what a page is for by its meta description, and "" or why there is nothing.

    The description must be of some length, in English as the question is, and made of words of
    which the page's content shows a fair share: what all pages of a site have in common is not
    what this one is for.
    """
    said = " ".join(screen.description.split())
    if not said:
        return "", NO_DESCRIPTION
    if not screen.language.casefold().startswith("en"):
        return "", OTHER_LANGUAGE
    words = {word for word in _WORD.findall(said.casefold()) if word not in _COMMON}
    if len(words) < _LEAST_WORDS:
        return "", TOO_SHORT
    if _GENERIC.search(said):
        return "", GENERIC
    content = [
        one.own for one in screen.elements if one.landmark not in _FRAME or one.role == "heading"
    ]
    shown = set(_WORD.findall(" ".join(content).casefold()))
    if len(words & shown) < _SHOWN * len(words):
        return "", NOT_SHOWN
    return _shortened(said), ""


def page_kind(screen: Screen) -> str:
    """Return which kind of page it is, by what it is made of: one of few words, for a tag."""
    roles = [one.role for one in screen.elements]
    fields = sum(role in {"textbox", "combobox", "spinbutton"} for role in roles)
    if any(one.kind == "password" for one in screen.elements):
        return "account"
    if fields >= 4:
        return "form"
    if "table" in roles:
        return "table"
    if roles.count("article") >= 3 or roles.count("img") >= 4:
        return "list"
    return "text"


def _shortened(said: str) -> str:
    kept: list[str] = []
    for sentence in _SENTENCE.split(said):
        if kept and len(" ".join([*kept, sentence]).split()) > _MOST_WORDS:
            break
        kept.append(sentence)
    return " ".join(kept)
