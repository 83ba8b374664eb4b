"""Sentences and words of a page's text: boundaries, lengths and overlap."""

import re
from collections.abc import Sequence

_ABBREVIATIONS = "etc|vs|approx|cf|no|nr|dr|mr|mrs|ms|st|fig|ca|bzw|usw|vgl|ggf|evtl|ej|ex|sr"
# A single letter is an initial or a part of one, as in e.g. and z. B.
_SHORTENED = "".join(rf"(?<!\b{word}\.)" for word in (r"\w", *_ABBREVIATIONS.split("|")))
# A period between digits, as in 2.4, ends no sentence; scripts without spaces have none after it.
_SENTENCES = re.compile(
    rf"(?<=[.!?\u061f]){_SHORTENED}\s+|(?<=[\u3002\uff01\uff1f])\s*", re.IGNORECASE
)
_PAUSES = re.compile(r"(?<!\d),(?!\d)|[;|·•/:、\uff0c\uff1b\uff1a،؛]|\s[-\u2013\u2014]\s")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff]")
# Dots stand for omitted text.
_ENDS = re.compile(r"(?<!\.\.)[.!?\u3002\uff01\uff1f\u061f][\"'”\u2019»)]*$")
# Chart.js is the name of something else than a chart.
_WORD = re.compile(r"[^\W\d_]{3,}(?:\.\w+)*")
_STEM = 5
_PHRASE = 3.2
_SHORT = 3
_SHORT_PHRASES = 0.5
_FEW_PHRASES = 3
_FUNCTION_WORDS = 0.1
_JOINING = frozenset(
    re.findall(
        r"\w+",
        "a an the of in for and with to your our is are on at by from that this we you it as or"
        " how who what when where all their its be can about might will not no more do does has"
        " have us",
    )
)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for with are you your our from this that all its can was not any has have more"
        " into who what when where how they their will one two",
    )
)


def sentences(text: str) -> Sequence[str]:
    """Return the sentences of a text, spaces folded.

    >>> sentences("Version 2.4 is out, e.g. for phones.  It is free.")
    ['Version 2.4 is out, e.g. for phones.', 'It is free.']
    """
    return [part for part in _SENTENCES.split(" ".join(text.split())) if part]


def ends(sentence: str) -> bool:
    """Whether a sentence is complete; dots stand for omitted text."""
    return bool(_ENDS.search(sentence))


def first_sentences(text: str, count: int, words: int) -> str:
    """Return a text's first sentences within a limit of words; at least one sentence."""
    first = sentences(text)[:count]
    fitting = (n for n in range(len(first), 1, -1) if length(" ".join(first[:n])) <= words)
    return " ".join(first[: next(fitting, 1)])


def length(phrase: str) -> float:
    """Return the number of words; two characters of a script without spaces count as one."""
    return len(_UNSPACED.findall(phrase)) / 2 + len(_UNSPACED.sub(" ", phrase).split())


def content_words(text: str) -> set[str]:
    """Return the distinct words of three or more letters, without common English words."""
    return {word for word in _WORD.findall(text.casefold()) if word not in _COMMON}


def stems(text: str) -> set[str]:
    """Return the first five letters of each content word; names with a period are whole.

    >>> sorted(stems("Charts by Chart.js"))
    ['chart', 'chart.js']
    """
    return {word if "." in word else word[:_STEM] for word in content_words(text)}


def is_prose(text: str, language: str) -> bool:
    """Whether a text consists of sentences and is not a list of labels.

    >>> is_prose("Book a table in our garden and stay for dinner until midnight.", "en")
    True
    >>> is_prose("Shoes, boots, sandals, sneakers, free delivery, returns", "en")
    False
    """
    for sentence in (text, *sentences(text)):
        phrases = [length(phrase) for phrase in _PAUSES.split(sentence) if phrase.strip()]
        listed = sum(words <= _SHORT for words in phrases) > _SHORT_PHRASES * len(phrases)
        if len(phrases) >= _FEW_PHRASES and (listed or sum(phrases) < _PHRASE * len(phrases)):
            return False
    words = re.findall(r"\w+", text.casefold())
    joining = sum(word in _JOINING for word in words)
    english = language.casefold().startswith("en") and not _UNSPACED.search(text)
    return not english or joining >= _FUNCTION_WORDS * len(words)
