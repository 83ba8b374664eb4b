"""Lookups in the word tables: what a button does, if that can be undone, what a field is for."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ar")

_BEGINNING = 90
_SPACES = re.compile(r"\s+")
_ASKS = re.compile(r"[?\uff1f\u061f]\s*$")
_EDGES = re.compile(r"^[^\w]+|[^\w%]+$")


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language's words, as regular expressions that are searched in case-folded texts.

    Attributes:
        does: Texts of buttons and what the buttons do, in English; the first expression that
            matches the whole text counts. `{0}` is the match of the expression's first group.
        harmless: Texts that resemble irreversible actions but can be undone.
        cancels: Texts of buttons that leave a form or a dialog unchanged; if empty, unknown.
        defines: Phrases that say what the subject of a sentence is or does.
        denies: Phrases that deny or limit that.
        irreversible: Texts of irreversible actions.
        doubtful: Texts of actions that may be irreversible; a page that has one is not used for
            either.
        warns: Texts that warn of an irreversible action.
        fields: Texts of fields' labels, by the kind of the value that is typed into them.
        persons: People and their values (name, address, town...), by kind.
        values: Values that do not belong to a person, by kind.
        date: The format of dates, in the letters that hints use: `MM/DD/YYYY`.
        places: Texts of links to the pages that almost all sites have, by the pages' purposes.
    """

    does: tuple[tuple[str, str], ...]
    harmless: str
    cancels: str
    defines: str
    denies: str
    irreversible: str
    doubtful: str
    warns: str
    fields: dict[str, str]
    persons: tuple[dict[str, str], ...]
    values: dict[str, tuple[str, ...]]
    date: str
    places: dict[str, str] = {}

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds for which values are known, except dates."""
        return frozenset(self.values).union(*self.persons)

    def typed(self, kind: str, person: Mapping[str, str] | None = None) -> Sequence[str]:
        """Return the values for a kind, of one person or of all.

        >>> english = words_of("en")
        >>> english.typed("email", english.persons[0])
        ['anna.keller@example.com']
        """
        people = self.persons if person is None else (person,)
        own = dict.fromkeys(each[kind] for each in people if kind in each)
        return [*own, *self.values.get(kind, ())]


def words_of(language: str) -> Words | None:
    """Return the words of a language by its code (`en`, `zh-CN`); None if it has no table."""
    code = re.split("[-_]", language.strip().lower())[0]
    return _read(code) if code in LANGUAGES else None


@cache
def _read(code: str) -> Words:
    source = files(__package__ or "") / f"{code}.json"
    return msgspec.json.decode(source.read_bytes(), type=Words)


def plain(text: str) -> str:
    """Return a text prepared for lookups: case-folded, single spaces, no punctuation at its ends.

    >>> plain("  Buy  NOW! →")
    'buy now'
    """
    return _EDGES.sub("", _SPACES.sub(" ", text.casefold()).strip())


def deed(words: Words, text: str) -> str | None:
    """Return what a button with a text does, in English; None if the text is unknown.

    >>> english = words_of("en")
    >>> deed(english, "Delete account"), deed(english, "Frobnicate")
    ('Deletes the account for good.', None)
    """
    prepared = plain(text)
    for pattern, sentence in words.does:
        match = re.fullmatch(pattern, prepared)
        if match is not None:
            return sentence.format(*(group or "" for group in match.groups()))
    return None


def is_dangerous(words: Words, text: str) -> bool:
    """Whether a click on a button with a text can't be undone; False for a question."""
    prepared = plain(text)
    return (
        not _ASKS.search(text)
        and not re.search(words.harmless, prepared)
        and bool(re.search(words.irreversible, prepared))
    )


def is_doubtful(words: Words, text: str) -> bool:
    """Whether a button's text leaves open if a click can be undone."""
    prepared = plain(text)
    return (
        not re.search(words.harmless, prepared)
        and not re.search(words.irreversible, prepared)
        and bool(re.search(words.doubtful, prepared))
    )


def is_cancel(words: Words, text: str) -> bool:
    """Whether a button with a text leaves a form or a dialog unchanged.

    >>> is_cancel(words_of("de"), "Abbrechen"), is_cancel(words_of("en"), "Cancel order")
    (True, False)
    """
    return bool(re.search(words.cancels, plain(text)))


def is_warning(words: Words, text: str) -> bool:
    """Whether a text says that something can't be undone.

    >>> is_warning(words_of("en"), "This can not be undone.")
    True
    """
    return bool(re.search(words.warns, plain(text)))


def is_definition(language: str, sentence: str) -> bool:
    """Whether a sentence begins by saying what its subject is or does, without a limitation.

    False for languages without a word table.

    >>> is_definition("en", "The Crop tool removes the edges of a picture.")
    True
    >>> is_definition("en", "The Crop tool is not available on phones.")
    False
    """
    words, text = words_of(language), sentence.casefold()
    if words is None or re.search(words.denies, text):
        return False
    return bool(re.search(words.defines, text[:_BEGINNING]))


def field_kind(words: Words, said: Sequence[str]) -> str | None:
    """Return the kind of value that is typed into a field, from the first text that names one.

    >>> field_kind(words_of("en"), ["Your e-mail address *"])
    'email'
    """
    for text in map(plain, said):
        for kind, pattern in words.fields.items():
            if re.search(pattern, text):
                return kind
    return None


_ADVERTISEMENT = re.compile(
    r"^(advertisement|advert|ad|ads|sponsored|promoted|anzeige|werbung|publicidad|anuncio"
    r"|publicité|annonce|publicidade|anúncio|广告|إعلان)\b|广告"
)


def is_advertisement(name: str) -> bool:
    """Whether the name of a part of a page names an advertisement."""
    return bool(_ADVERTISEMENT.search(plain(name)))
