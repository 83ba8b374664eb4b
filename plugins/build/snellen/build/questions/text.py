"""Texts of a page: normalization for comparisons, word counts, and whether a text can be typed."""

import re
import unicodedata
from functools import lru_cache

from snellen.build.screen.elements import Screen

UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff]")
"""A character of a script without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese."""

_SHORTEST, _STEM = 3, 5
_UNTYPED = re.compile("[\u2500-\u257f\ufffd]")
_OTHER = re.compile(r"[\W_]+")
_SEPARATORS = re.compile(r"[\s:\uff1a|\u00b7\u2022*\u2013\u2014-]+$")


def language_of(screen: Screen) -> str:
    """Return the code of a page's language without its region, or an empty text.

    >>> language_of(Screen(1, 1, (), language="zh-Hans-CN"))
    'zh'
    """
    return re.split("[-_]", screen.language.strip().casefold())[0]


def one_line(text: str) -> str:
    """Return a text with each run of white space replaced by one space.

    >>> one_line(" Buy   now ")
    'Buy now'
    """
    return " ".join(text.split())


def label_of(text: str) -> str:
    """Return a label in one line, without its separator from the value.

    >>> label_of("E-mail *:"), label_of("Price |")
    ('E-mail', 'Price')
    """
    return _SEPARATORS.sub("", one_line(text))


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """Normalize a text for comparison: case-folded letters and digits, with single spaces.

    >>> folded("  Buy  NOW! ") == folded("buy now")
    True
    """
    return _OTHER.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def occurrences(name: str, texts: str) -> int:
    r"""Count a name in texts as whole words; both must be normalized by `folded`.

    >>> occurrences("sign in", "sign in\nplease sign in or assign ink")
    2
    """
    count = texts.count(name)
    if count <= 1 or not name.isascii():
        # Scripts without spaces between words have no word boundaries.
        return count
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", texts))


def stems(text: str) -> set[str]:
    """Return the first five letters of a text's words, and pairs of unspaced characters.

    Words of fewer than three letters are ignored; scripts without spaces give pairs of characters.
    Plural, singular and most inflections have the same stem.

    >>> sorted(stems("Garden tables")), sorted(stems("关于我们"))
    (['garde', 'table'], ['于我', '关于', '我们'])
    """
    units: set[str] = set()
    for word in folded(text).split():
        signs = "".join(UNSPACED.findall(word))
        units.update(signs[place : place + 2] for place in range(len(signs) - 1))
        rest = UNSPACED.sub("", word)
        if len(rest) >= _SHORTEST:
            units.add(rest[:_STEM])
    return units


def count_words(text: str) -> int:
    """Count a text's words.

    A word is text between spaces with a letter or a digit. Han, kana, Thai and related scripts have
    no spaces between words; two of their characters count as a word.

    >>> count_words("Hello - big world"), count_words("你好世界"), count_words("iOS 版本")
    (3, 2, 2)
    """
    signs = len(UNSPACED.findall(text))
    spaced = UNSPACED.sub(" ", text).split()
    return (signs + 1) // 2 + sum(any(map(str.isalnum, word)) for word in spaced)


def is_plain(text: str) -> bool:
    """Whether a text can be typed: no icon fonts, replacement characters or box-drawing lines.

    >>> is_plain("flaskr/"), is_plain("├── flaskr/")
    (True, False)
    """
    private = any(unicodedata.category(each) in {"Co", "Cn", "Cs"} for each in text)
    return not private and not _UNTYPED.search(text)
