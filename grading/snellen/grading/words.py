"""The words of a text in any script: what the robust protocols compare.

The published rules see ASCII: rouge-score drops every other letter, so that Chinese text scores
0, and SQuAD's form keeps marks that ASCII does not have, such as the euro sign and curly quotes.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"a", "an", "the"})
# Scripts that put no space between words: each character is one.
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_NUMBER = re.compile(r"(?:\d++(?:[.,:]\d++)*+|\.\d++)")
_GROUPED = re.compile(r"\d{1,3}(?:(?:,\d{2})*|(?:,\d{3})*),\d{3}(?:\.\d++)?+")
_DECIMAL = re.compile(r"\d*+\.\d++")
_MINUS = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212")

_RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_FRACTIONS = "\u00bc-\u00be\u2150-\u215e\u2189"
_MARKS = {0x66B: ".", 0x66C: ","}
_POWER = re.compile(rf"(\d{{1,6}})(\u207b?[{_RAISED}]{{1,2}})")
_MIXED = re.compile(rf"(?:(?<![\d.,/])(\d{{1,9}})\s?)?([{_FRACTIONS}])")
_PROPER = re.compile(r"(?<![\d.,/])(\d{1,9}) (\d)/(\d\d?)(?![\d/])")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\d,])")
_EXPONENT = re.compile(r"(?<![\w.])(\d{1,17}(?:\.\d{1,17})?|\.\d{1,17})[eE]([-+]?\d{1,2})(?!\w)")


def words(text: str) -> str:
    """Give the words of a text in lower case, with single spaces between them.

    A word is a run of letters, digits and combining marks of any script after NFKC; a Chinese or
    Japanese character is a word. Character references of HTML are the characters. On ASCII text
    these are rouge-score's tokens. A text without any word stays whole, in lower case, so that it
    can equal itself.

    >>> words("Café &amp; Bar: “Sign-in”"), words("你好!"), words("★ ★")
    ('café bar sign in', '你 好', '★ ★')
    """
    return " ".join(_or_whole(_words, _plain(html.unescape(text))))


def answer_words(text: str) -> str:
    """Give the words of a short answer, with numbers as values and single spaces between.

    As SQuAD's form: lower case, no punctuation, no article, hyphenated words joined. Unlike it: a
    number is what it amounts to ("1,000" is "1000", "4.30" is "4.3", and "3.4" is not "34"), it
    keeps its minus and stands apart from its unit ("10km" is "10 km"); signs of any script are
    left out, currencies and percent included; a text of which nothing is left stays whole.

    >>> answer_words("The $1,299.00"), answer_words("10km"), answer_words("-5 °C")
    ('1299', '10 km', '-5 c')
    >>> answer_words("10:30 a.m."), answer_words("$")
    ('10:30 am', '$')
    """
    return " ".join(_or_whole(_answer_words, _plain(_by_value(text))))


def _by_value(text: str) -> str:
    """Write numbers of any script, fractions, powers and exponents in digits and a point."""
    if not text.isascii():
        text = "".join(map(_digit, text.translate(_MARKS)))
        text = _POWER.sub(lambda found: _written(_power(found[1], found[2])), text)
        text = _MIXED.sub(
            lambda found: _written(int(found[1] or 0) + Fraction(_exact(found[2]))), text
        )
    text = _SPACED.sub(lambda found: "".join(found[0].split()), text)
    text = _PROPER.sub(_mixed, text)
    return _EXPONENT.sub(
        lambda found: _written(Fraction(found[1]) * Fraction(10) ** int(found[2])), text
    )


def _digit(char: str) -> str:
    return str(unicodedata.digit(char)) if unicodedata.category(char) == "Nd" else char


def _power(base: str, raised: str) -> Fraction:
    digits = "".join(str(unicodedata.digit(char)) for char in raised.removeprefix("\u207b"))
    exponent = min(int(digits), 20)
    if base == "0" or not raised.startswith("\u207b"):
        return Fraction(int(base) ** exponent)
    return Fraction(1, int(base) ** exponent)


def _exact(fraction: str) -> Fraction:
    return Fraction(unicodedata.numeric(fraction)).limit_denominator(10)


def _mixed(found: re.Match[str]) -> str:
    whole, above, below = map(int, found.groups())
    return _written(whole + Fraction(above, below)) if 0 < above < below else found[0]


def _written(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.12f}"


def _plain(text: str) -> str:
    """Fold compatibility forms and case; drop what has no width."""
    if text.isascii():
        return text.lower()
    # Folding can leave a pair that composes (U+01F0), so NFKC comes again after it.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = (char for char in folded if char.isascii() or unicodedata.category(char) != "Cf")
    return _UNSPACED.sub(r" \g<0> ", "".join(kept))


def _or_whole(split: Callable[[str], Iterable[str]], text: str) -> list[str]:
    return list(split(text)) or text.split()


def _words(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return "".join(char if _is_letter(char) else " " for char in text).split()


def _answer_words(text: str) -> Iterator[str]:
    for chunk in text.split():
        for word in _chunk_words(chunk):
            if word not in _ARTICLES:
                yield word


def _chunk_words(chunk: str) -> Iterator[str]:
    """Split what stands between two spaces: a word, or numbers and what stands around them."""
    start, length = 0, len(chunk)
    signed = True
    while start < length:
        before = start
        while start < length and not (_is_letter(chunk[start]) or _NUMBER.match(chunk, start)):
            start += 1
        number = _NUMBER.match(chunk, start)
        if number is None:
            word = "".join(filter(_is_letter, chunk[start:]))
            if word:
                yield word
            return
        # In "5-10" the dash is no minus.
        minus = signed and not _MINUS.isdisjoint(chunk[before:start])
        yield f"{'-' if minus else ''}{_value(number[0])}"
        start, signed = number.end(), False


def _value(number: str) -> str:
    plain = number.replace(",", "") if _GROUPED.fullmatch(number) else number
    if not _DECIMAL.fullmatch(plain):
        return plain
    whole, _, decimals = plain.partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole or '0'}.{decimals}" if decimals else whole or "0"


def _is_letter(char: str) -> bool:
    """Whether a character is a letter, a digit or a mark that combines with one."""
    return char.isalnum() if char.isascii() else unicodedata.category(char)[0] in "LNM"
