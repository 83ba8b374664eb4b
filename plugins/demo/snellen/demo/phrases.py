"""Words, and the similarity of two texts."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab\u300c]\s*([^\"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d]{1,80}?)"
    r"\s*[\"\u201c\u201d\u00bb\u300d]"
)
_WORD = re.compile(r"[^\W_]+(?:[.,:/'\u2019@-][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

# Stop words of prompts in English, German, Spanish, French and Portuguese.
_EMPTY_WORDS = """
a an the of on in at to for from by with and or is are was were be been do does did has have
had it its this that these those there here what which who whom whose when where why how many
much you your i me my we our can could would should will may page website site screen screenshot
shown show shows displayed listed app image element button link field named called labelled
according please find click tap select open go say says tell give as given text
der die das den dem ein eine einer einem einen ist sind und oder wie was wann wo wer welche
welcher welches viel viele auf im in am zu zum zur von vom mit seite
el la los las un una unos unas es son y o de del al en por para que qué cuál cuándo dónde cómo
cuánto cuánta cuántos cuántas página
le les des du et ou est sont quel quelle quels quelles quand où combien sur dans pour avec
o os um uma uns umas e é são qual quais quando onde quanto quantos em no na nos nas
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def quoted(text: str) -> list[str]:
    """Return the texts between quotation marks.

    >>> quoted('Which "Name" has \u201c12 %\u201d?')
    ['Name', '12 %']
    """
    return _QUOTED.findall(text)


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """Return a text's words in lower case; for Chinese and Japanese, each pair of characters.

    >>> words("Opening Hours: 9:00"), words("营业时间")
    (('opening', 'hours', '9:00'), ('营业', '业时', '时间'))
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for word in _WORD.findall(plain):
        if _CJK.search(word):
            found += [word[i : i + 2] for i in range(max(len(word) - 1, 1))]
        else:
            found.append(word)
    return tuple(found)


def content(text: str) -> tuple[str, ...]:
    """Return a text's words without stop words.

    >>> content("What are the opening hours on Sunday?")
    ('opening', 'hours', 'sunday')
    """
    return tuple(dict.fromkeys(word for word in words(text) if word not in _EMPTY))


def hits(wanted: Collection[str], text: str) -> set[str]:
    """Return the words that occur in a text, also with an OCR error or another ending."""
    there = words(text)
    return {
        word
        for word in wanted
        if any(word == other or (len(word) > 3 and _alike(word, other)) for other in there)
    }


def agreement(one: str, other: str) -> float:
    """Return the similarity of two texts, 0..1; other orders of words only cost a little."""
    first, second = " ".join(words(one)), " ".join(words(other))
    if not first or not second:
        return 0.0
    return max(fuzz.ratio(first, second), 0.95 * fuzz.token_sort_ratio(first, second)) / 100


def overlap(one: str, other: str) -> float:
    """Return the larger share of one text's content words that the other contains, 0..1.

    >>> overlap("the contact", "Contact - Harbour Bank")
    1.0
    """
    first, second = content(one) or words(one), content(other) or words(other)
    if not first or not second:
        return 0.0
    return max(
        len(hits(first, " ".join(second))) / len(first),
        len(hits(second, " ".join(first))) / len(second),
    )


def best(texts: Sequence[str], wanted: str) -> tuple[int, float]:
    """Return the index and score of the text that matches a wanted one best; -1 without texts."""
    scored = [agreement(text, wanted) + 0.5 * overlap(text, wanted) for text in texts]
    if not scored:
        return -1, 0.0
    place = max(range(len(scored)), key=scored.__getitem__)
    return place, scored[place]


def without_end(text: str) -> str:
    """Return a text without the quotes around it and the characters that end a label.

    >>> without_end("Phone number:")
    'Phone number'
    """
    return text.strip().strip("\"'\u201c\u201d\u2018\u2019").rstrip(":\uff1a*").strip()


def _alike(one: str, other: str) -> bool:
    return len(other) > 3 and (
        fuzz.ratio(one, other) >= 84
        or (min(len(one), len(other)) >= 5 and (one.startswith(other) or other.startswith(one)))
    )
