"""The language of a page that does not declare it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

_FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        code: frozenset(words.split())
        for code, words in {
            "en": "the of and to in is that for it with as was are be by on this or which you from"
            " not have can will an if your",
            "de": "der die und das ist den von zu mit sich des auf für nicht ein eine als auch dem"
            " im werden wird sind oder sie bei kann einer durch",
            "es": "el la de que los del las por con una un para es al lo como más su se pero sus"
            " este ya está son puede cuando muy sin sobre y",
            "fr": "le la les des et un une du est pour dans que qui au sur pas plus par avec ce"
            " cette vous sont ou ne se être votre aux il",
            "pt": "o os do da em um uma não com para que no na por mais as dos das como mas ao ele"
            " seu sua ou quando muito são você pode é",
            "it": "il di che è la per un una del della sono con non si i le gli nel alla dei delle"
            " da come più anche questo essere può ha",
            "nl": "de het een van en is dat op te voor met zijn niet aan er om ook als bij door"
            " naar wordt kan deze dit uit maar worden of",
        }.items()
    }
)
"""Articles, prepositions, conjunctions and pronouns by language.

Two of the languages are listed only so that their pages are not mistaken for others.
"""

_WORD = re.compile(r"[^\W\d_]+")
_HAN, _KANA = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[\u3041-\u30ff]")
_ARABIC, _PERSIAN = (
    re.compile(r"[\u0621-\u064a]"),
    re.compile(r"[\u067e\u0686\u06a9\u06af\u06cc]"),
)
_LEAST_WORDS = 40
_LEAST_SIGNS = 40
_ENOUGH = ((0.2, 1.5), (0.1, 3.0))
"""The minimum share of a language's words, and the minimum ratio to any other language's."""


def recognized(texts: Iterable[str]) -> str:
    """Return the code of the language of texts; empty if that is not clear.

    A tenth of the words must be frequent words of the language, three times as many as of any other
    language; or a fifth, and 1.5 times as many. Chinese and Arabic are recognized by their
    characters, unless characters of Japanese, Persian or Urdu occur.

    >>> recognized(["The name of the page is what the author of it says that it is."] * 3)
    'en'
    >>> recognized(["OK"])
    ''
    """
    text = " ".join(texts).casefold()
    words = _WORD.findall(text)
    han, arabic = len(_HAN.findall(text)), len(_ARABIC.findall(text))
    letters = sum(map(len, words))
    if han >= _LEAST_SIGNS and 2 * han > letters and not _KANA.search(text):
        return "zh"
    if arabic >= _LEAST_SIGNS and 2 * arabic > letters and not _PERSIAN.search(text):
        return "ar"
    if len(words) < _LEAST_WORDS:
        return ""
    counts = Counter(words)
    hits = {
        code: sum(counts[word] for word in frequent) for code, frequent in _FUNCTION_WORDS.items()
    }
    (first, most), (_, second) = Counter(hits).most_common(2)
    clear = any(most >= share * len(words) and most >= ahead * second for share, ahead in _ENOUGH)
    return first if clear else ""
