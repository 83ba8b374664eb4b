"""Reading the tables: what a button does, whether that can be undone, what a field is for."""

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
    """A language's words, as regular expressions that are looked for in case-folded texts.

    Attributes:
        does: What buttons say, and what they do, in English; the first that fits all of the text
            counts. `{0}` is what the expression's first group found.
        harmless: What may sound like it, and can be undone.
        cancels: What leaves a form or a dialog as it was; without one, nobody knows what it ends.
        defines: What says that its subject is or does something, as the first sentence of a page.
        denies: What denies or limits that.
        irreversible: What can't be undone.
        doubtful: What may or may not; a page that has it says nothing about either.
        warns: What a text says of something that can't be undone.
        fields: What fields' labels say, by the kind of what is typed into them.
        persons: People with what is theirs (name, address, town...), each by that kind.
        values: What anybody may type, by that kind.
        date: How dates are written, in the letters that hints use: `MM/DD/YYYY`.
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

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of which it is known what is typed, dates left out."""
        return frozenset(self.values).union(*self.persons)

    def typed(self, kind: str, person: Mapping[str, str] | None = None) -> Sequence[str]:
        """Return what is typed for a kind, by one person or by any.

        >>> english = words_of("en")
        >>> english.typed("email", english.persons[0])
        ['anna.keller@example.com']
        """
        people = self.persons if person is None else (person,)
        own = dict.fromkeys(each[kind] for each in people if kind in each)
        return [*own, *self.values.get(kind, ())]


def words_of(language: str) -> Words | None:
    """Return the words of a language by its code (`en`, `zh-CN`); None for one without."""
    code = re.split("[-_]", language.strip().lower())[0]
    return _read(code) if code in LANGUAGES else None


@cache
def _read(code: str) -> Words:
    source = files(__package__ or "") / f"{code}.json"
    return msgspec.json.decode(source.read_bytes(), type=Words)


def plain(text: str) -> str:
    """Return a text for looking up: case folded, one space between words, bare ends.

    >>> plain("  Buy  NOW! →")
    'buy now'
    """
    return _EDGES.sub("", _SPACES.sub(" ", text.casefold()).strip())


def deed(words: Words, text: str) -> str | None:
    """Return what a button of a text does, in English; None where its words are not known.

    >>> english = words_of("en")
    >>> deed(english, "Delete account"), deed(english, "Frobnicate")
    ('Deletes the account for good.', None)
    """
    said = plain(text)
    for pattern, sentence in words.does:
        found = re.fullmatch(pattern, said)
        if found is not None:
            return sentence.format(*(group or "" for group in found.groups()))
    return None


def is_dangerous(words: Words, text: str) -> bool:
    """Whether a click on a button of a text could not be undone; a question does nothing."""
    said = plain(text)
    return (
        not _ASKS.search(text)
        and not re.search(words.harmless, said)
        and bool(re.search(words.irreversible, said))
    )


def is_doubtful(words: Words, text: str) -> bool:
    """Whether nobody can tell from a button's text if a click could be undone."""
    said = plain(text)
    return (
        not re.search(words.harmless, said)
        and not re.search(words.irreversible, said)
        and bool(re.search(words.doubtful, said))
    )


def is_cancel(words: Words, text: str) -> bool:
    """Whether a button of a text leaves a form or a dialog as it was.

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
    """Whether a sentence begins with what its subject is or does, and limits that in no way.

    False for languages without words.

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
    """Return what is typed into a field, by the first text about it that says so.

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
    """Whether a part of a page with a name is paid for."""
    return bool(_ADVERTISEMENT.search(plain(name)))
