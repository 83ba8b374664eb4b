"""Porter's stemmer in NLTK's form, which rouge-score uses.

Source: Porter 1980, "An algorithm for suffix stripping", Program 14(3), 130-137; the steps have the
paper's numbers. Three changes are Porter's own, published on tartarus.org/martin/PorterStemmer: a
word of one or two letters stays, -bli becomes -ble, and -logi becomes -log. The other changes are
those of NLTK's default mode, NLTK_EXTENSIONS, and are named where they apply.
"""

import re
from collections.abc import Mapping
from typing import Final

# A y after a consonant is a vowel, and any other y is a consonant. So a run of either kind may
# begin with a y, but does not go on with one. The quantifiers are possessive, because a y given
# back by one run would match in the other.
_START: Final = "y?+[^aeiouy]*+"
_VC: Final = "[aeiouy][aeiou]*+[^aeiou]"
_HAS_VOWEL: Final = re.compile(f"{_START}[aeiouy]").match
# The paper's m counts the runs of vowels that have consonants after them.
_M_ABOVE: Final = (
    re.compile(f"{_START}{_VC}").match,
    re.compile(f"{_START}{_VC}[^aeiouy]*+{_VC}").match,
)
# The paper's *o where m is 1: consonants, one vowel, one consonant other than w, x and y. NLTK adds
# one vowel with any consonant.
_SHORT: Final = re.compile(f"(?=[^aeiou]){_START}[aeiouy][^aeiouwxy]|[aeiou][^aeiou]").fullmatch

# NLTK adds these.
_IRREGULAR: Final = {
    **dict.fromkeys(("sky", "skies"), "sky"),
    **{"dying": "die", "lying": "lie", "tying": "tie"},
    **dict.fromkeys(("inning", "innings"), "inning"),
    **dict.fromkeys(("outing", "outings"), "outing"),
    **dict.fromkeys(("canning", "cannings"), "canning"),
    **{word: word for word in ("exceed", "howe", "news", "proceed", "succeed")},
}

# By the last two letters of a suffix: the suffix, how many letters go, what takes their place.
_Rules = Mapping[str, list[tuple[str, int, str]]]


def _rules(lines: str) -> _Rules:
    """Read rules such as "ational>ate", those of a longer suffix before those of a shorter one.

    In "l+ogi>og" the l must be there, but is a part of the stem.
    """
    table: dict[str, list[tuple[str, int, str]]] = {}
    for rule in sorted(lines.split(), key=len, reverse=True):
        left, end = rule.split(">")
        suffix = left.replace("+", "")
        table.setdefault(suffix[-2:], []).append((suffix, len(left.rpartition("+")[2]), end))
    return table


# NLTK applies this rule before the others of step 2, so that one of them can follow it.
_STEP_2_FIRST: Final = _rules("alli>al")
# NLTK adds -fulli, and lets the l of -logi count as a part of the stem.
_STEP_2: Final = _rules(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble entli>ent eli>e ousli>ous"
    " ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al"
    " iviti>ive biliti>ble fulli>ful l+ogi>og"
)
_STEP_3: Final = _rules("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP_4: Final = _rules(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> s+ion> t+ion> ou> ism> ate> iti>"
    " ous> ive> ize>"
)
_STEP_5B: Final = _rules("l+l>")


def stem(word: str) -> str:
    """Reduce an English word to its stem, which need not be a word.

    Args:
        word: The word in lower case. Every character except a, e, i, o, u and y is a consonant.

    Example:
        >>> [stem(word) for word in ("nationally", "hopping", "flies", "dies")]
        ['nation', 'hop', 'fli', 'die']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_1b(_step_1a(word))
    # Step 1c. The paper asks for a vowel in the stem; NLTK for a consonant at the end of the stem,
    # and another letter.
    if word[-1:] == "y" and len(word) > 2 and _ends_in_consonant(word[:-1]):
        word = word[:-1] + "i"
    word = _apply(_STEP_2_FIRST, word, 0)
    word = _apply(_STEP_2, word, 0)
    word = _apply(_STEP_3, word, 0)
    word = _apply(_STEP_4, word, 1)
    # Step 5a.
    without = len(word) - 1
    if word[-1:] == "e" and _M_ABOVE[0](word, 0, without) and not _SHORT(word, 0, without):
        word = word[:-1]
    return _apply(_STEP_5B, word, 1)


def _step_1a(word: str) -> str:
    """Take the ending of a plural off."""
    if word[-1] != "s" or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        # NLTK parts ties, which gives tie, from flies.
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _step_1b(word: str) -> str:
    """Take -ed or -ing off, and repair the stem."""
    if word.endswith("ied"):
        # NLTK adds this rule, which does to tied and cried what step 1a does to ties and cries.
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _M_ABOVE[0](word, 0, len(word) - 3) else word
    cut = 2 if word.endswith("ed") else 3
    if not word.endswith(("ed", "ing")) or not _HAS_VOWEL(word, 0, len(word) - cut):
        return word
    word = word[:-cut]
    if word.endswith(("at", "bl", "iz")) or _SHORT(word):
        return word + "e"
    if word[-1] == word[-2:-1] and word[-1] not in "lsz" and _ends_in_consonant(word):
        return word[:-1]
    return word


def _apply(rules: _Rules, word: str, least: int) -> str:
    """Apply the rule of the longest suffix, if m of what stands before it is above a number."""
    for suffix, cut, end in rules.get(word[-2:], ()):
        if word.endswith(suffix):
            return word[:-cut] + end if _M_ABOVE[least](word, 0, len(word) - cut) else word
    return word


def _ends_in_consonant(word: str) -> bool:
    """Whether the last letter is a consonant; in a run of y, every second one is."""
    before = word.rstrip("y")
    after_vowel = not before or before[-1] in "aeiou"
    return after_vowel == ((len(word) - len(before)) % 2 == 1)
