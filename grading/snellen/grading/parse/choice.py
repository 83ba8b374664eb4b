"""Multiple-choice parsers: which lettered option did a text choose.

Two published parsers, reproduced with their mistakes because published numbers rest on them, one
adapter's shortcut, and `robust_choice`, which reads what the text says and would rather read
nothing than guess.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

_LAST_LETTER = 26

# --------------------------------------------------------------------------- VisualWebBench

_DELETED = r"[,.!?;:'\"]*+"


class _Search(NamedTuple):
    """The two searches of the VisualWebBench parser; both find the last occurrence."""

    bracketed: re.Pattern[str]
    spaced: re.Pattern[str]


@cache
def _search(options: int) -> _Search:
    """Compile the searches for the first so many letters.

    The published code deletes eight punctuation marks and then searches; here the patterns skip
    them, so that no second string is made. Greedy `.*` makes the first match the last occurrence.
    """
    letter = rf"{_DELETED}([A-{chr(ord('A') + options - 1)}]){_DELETED}"
    return _Search(
        re.compile(rf"(?s:.*)\({letter}\)"), re.compile(rf"(?:(?s:.*) |){letter}(?: |\Z)")
    )


_EIGHT = _search(8)


def visualwebbench_choice(text: str, options: int = 8) -> str | None:
    """Read the letter as VisualWebBench does, article "A", lower case and all.

    A single character is upper-cased, whatever it is; a capital and a full stop at the start is
    that letter, even beyond the options. Otherwise the marks `, . ! ? ; : ' "` count for nothing,
    a letter in brackets comes before a letter between spaces, and the last one wins. Only the
    space is a space: a newline next to a letter hides it.

    The published code answers "a" for an empty text and "z" where it finds nothing. Both are
    wrong on every item, because only "A" to "Z" become an index; so both are None here.

    Args:
        text: The response, after the model adapter's post-processing.
        options: How many letters, from A, are searched for, 1 to 26; the published code always
            searches for eight.

    Returns:
        What the published code returns, or None where it scores wrong on every item.

    Source: VisualWebBench utils/eval_utils.py, parse_multi_choice_response.

    >>> visualwebbench_choice("A or C"), visualwebbench_choice("I. text")
    ('C', 'I')
    >>> visualwebbench_choice("**B**") is None, visualwebbench_choice("A dog")
    (True, 'A')
    """
    if len(text) < 2:
        return text.upper() or None
    if text[1] == "." and "A" <= text[0] <= "Z":
        return text[0]
    search = _EIGHT if options == 8 else _search(options)
    if "(" in text:
        found = search.bracketed.match(text)
        if found is not None:
            return found[1]
    found = search.spaced.match(text)
    return None if found is None else found[1]


def visualwebbench_index(text: str, options: int = 8) -> int | None:
    """Read the option's index, counted from 0, as VisualWebBench does.

    "I. text" is 8 although there are eight options: it can only be wrong, as published.

    Returns:
        0 to 25, or None where the published code has -1, which is wrong on every item.

    >>> visualwebbench_index("D: Settings"), visualwebbench_index("7")
    (3, None)
    """
    letter = visualwebbench_choice(text, options)
    if letter is None or len(letter) != 1 or not "A" <= letter <= "Z":
        return None
    return ord(letter) - ord("A")


def first_character_choice(text: str) -> str | None:
    """Take the first character, upper-cased, for the letter: "The answer is B" gives "T".

    The published adapter raises IndexError on an empty text; here it gives None. The result goes
    through `visualwebbench_choice` next, which leaves one character as it is.

    Source: VisualWebBench model_adapters/qwen_vl_adapter.py (action prediction only); ScreenSuite
    0.0.1 does it for every model.

    >>> first_character_choice("b) Settings")
    'B'
    """
    return text[:1].upper() or None


# ----------------------------------------------------------------------------- MMBench-GUI

# Tried in this order, each over the whole text. Runs of spaces are possessive: no letter or colon
# is a space, so nothing else changes, and a long run no longer costs its square.
_MMBENCH_GUI = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\b([A-F])[.:](?!\w)",
        r"\boption\s++([A-F])\b",
        r"\banswer\s*+(?:[:\uff1a]\s*+)?([A-F])\b",
        r"^[ \t]*+([A-F])",
        r"['\"]([A-F])['\"]",
        r"\b([A-F])\b(?!\s++\w)",
    )
)


def mmbench_gui_choice(text: str) -> str | None:
    """Read the letter as MMBench-GUI L1 does: six searches for A to F in order, any case.

    A letter with "." or ":" after it; "Option X"; "Answer X" with or without a colon; any line
    that begins with a letter A to F, even of a word; a quoted letter; a letter alone that no word
    follows. The first search that finds anything wins, so "Based on the text, the answer is D"
    is B, and the failure message "Failed to obtain answer via API." is F.

    Source: MMBench-GUI utils/misc.py, parser_answers_into_option.

    >>> mmbench_gui_choice("(A)"), mmbench_gui_choice("Definitely C"), mmbench_gui_choice("G")
    ('A', 'D', None)
    """
    for pattern in _MMBENCH_GUI:
        found = pattern.search(text)
        if found is not None:
            return found[1].upper()
    return None


# ---------------------------------------------------------------------------------- robust

# Full-width forms, typographic quotes and brackets, circled letters, rare spaces. Not NFKC: it
# would also rewrite what stands around a letter, and its sorting of combining marks is quadratic.
_PLAIN = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **{0x24B6 + index: ord("A") + index for index in range(_LAST_LETTER)},
    **dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2009\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"), None),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019"), "'"),
    **dict.fromkeys(range(0x3008, 0x3012, 2), "["),
    **dict.fromkeys(range(0x3009, 0x3012, 2), "]"),
    **dict.fromkeys(map(ord, "\u2013\u2014\u2212"), "-"),
    **{ord("。"): ".", ord("、"): ",", ord("→"): ">"},
}

# A character of a Latin word. Chinese, Japanese and Korean run on without spaces, so a letter next
# to them still stands alone. Latin-1 only: wider sets cost ten times the compiling.
_WORD = r"[0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]"
_OPENING = r"[\s*_~`\"'(\[{<>$:=\\|#-]*+"
_CLOSING = r"[\s*_~`\"')\]}<>$|]*+"
_WRAPPING = " \t\r\n*_~`\"'()[]{}<>$|#-.,:;!"

# "a" and "A" before a word are the article and "I" is a pronoun, unless the word shows otherwise.
_NOT_A_WORD = (
    r"(?!(?<=[Aa-hj-z])[ \t]++(?!(?:because|since|as|is|and|or|nor|but|which|due)\b)"
    rf"[\"'*`]*{_WORD})"
    rf"(?!(?<=[Ii])[ \t]++(?!(?:because|since|is|which)\b)[\"'*`]*{_WORD})"
)
_END = rf"(?!{_WORD}|['&-]{_WORD}|[+#]){_NOT_A_WORD}"
# The first look ahead only saves time: it ends most attempts inside a word at once.
_LETTER = rf"([A-Za-z])(?![a-z])(?<!{_WORD}[A-Za-z])"
_STATED = rf"{_LETTER}(?!\.{_WORD}\.){_END}"

_FILLERS = (
    r"(?:(?:clearly|definitely|most|likely|probably|therefore|thus|the|option|choice|letter|"
    r"label|labell?ed|element|number|id|item|button|box|with|marked|text|mathrm|mathbf|textbf)"
    rf"(?!{_WORD})|选项|選項)"
)
_LINK = (
    r"(?:(?:is|was|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be)\b"
    r"|[:=]|应该?是|應該?是|是|为|為|は|은|는)"
)
_ABOUT = r"(?:\s+(?:to|for|here|of)\b[^.\n:;]{0,60}?(?=\s+is\b|:))?"


def _words(*words: str) -> str:
    """Match the rest of any of the words, its first character being behind."""
    return "|".join(f"(?<={word[0]}){word[1:]}" for word in words).replace(" ", r"\s+")


# Text that announces the answer. What needs a link ("option is B") is no announcement without
# one ("option B leads home"). Fillers are bounded, or a text of nothing else costs its square.
# The first characters come first and alone: the engine then skips ahead to them.
_STATEMENT = re.compile(
    rf"[AaCcEeGgIiLlOoPpSs答정选選应應\\](?<!{_WORD}[A-Za-z])"
    rf"(?i:(?:(?:{_words('answer')}){_ABOUT}|{_words('答案', '答え', '정답')}|(?<=\\)boxed)"
    rf"{_OPENING}(?:{_LINK}{_OPENING})?"
    rf"|(?:{_words('option', 'choice', 'selection', 'prediction', 'letter', 'element', 'label')}"
    rf"|{_words('id', 'pick', 'guess', '选项', '選項')})[\s*_~`\"']*+{_LINK}{_OPENING}"
    rf"|(?:{_words('choose', 'chose', 'selected', 'select', 'picked', 'pick')}"
    rf"|{_words('go with', 'going with', 'opt for')})(?!{_WORD}){_OPENING}"
    rf"|(?:{_words('应选', '應選', '选择', '選擇', '选', '選')}){_OPENING})"
    rf"(?:(?i:{_FILLERS}){_OPENING}){{0,6}}+{_STATED}"
)
_VERDICT = re.compile(
    rf"{_STATED}{_CLOSING}(?i:(?:is|seems|looks|would\s+be)\s+(?:clearly\s+)?(?:the\s+)?"
    r"(?:most\s+)?(?:correct|right|best|answer|appropriate|suitable)\b|是正确|是對的|是对的)"
)
_MENTION = re.compile(
    rf"{_LETTER}(?:(?<=[A-Z])(?<!{_WORD}['&.-].)(?!\.{_WORD}){_END}"
    r"|(?<=[(\[\"'`*][a-z])(?=[)\]\"'`*]))"
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|than|except|unlike|instead\s+of"
    r"|thought(?:\s+of|\s+it\s+was)?|considered|assumed|guessed|suspected)|n't)"
    r"\s+(?:(?:choose|select|pick|click|be|go\s+with)\s+)?(?:on\s+)?(?:the\s+)?"
    r"(?:(?:option|choice|element|letter)\s+)?[*_`\"'(\[]*\Z",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    rf"{_CLOSING}(?:(?:is|was|seems|looks|would\s+be)(?:\s+not\b|n't\b|\s+(?:\w+ly\s+)?"
    r"(?:wrong|incorrect|false))|不对|错)",
    re.IGNORECASE,
)
_OR = r"(?:[,/&]|\b(?i:or|and)\b|或|和)[\s*_`\"'(\[]*+(?:(?i:option|choice)\s+)?[*_`\"'(\[]*+"
_HEDGED_AFTER = re.compile(rf"{_CLOSING}{_OR}{_STATED}")
_HEDGED_BEFORE = re.compile(rf"(?<!{_WORD})[A-Z][*_`\"')\]]*\s*{_OR}\Z")
_LINE = re.compile(r"^[ \t*_~`\"'(\[{<>$#-]*+([A-Za-z])[ \t\r*_~`\"')\]}<>$.,:;!]*+$", re.MULTILINE)
_LEAD = re.compile(
    rf"{_OPENING}([A-Za-z])[*_`\"']*(?:[.):\]]|\s+[-|]\s"
    rf"|(?<=[A-Z]),|(?<=[A-Z]\*\*),)[*_`]*(?!{_WORD}\.)"
)
_LABEL = re.compile(rf"(?<!{_WORD})([A-Z])[*_`]*[.):\]][*_`]*\s+[*_`\"']*{_WORD}")
# A capital A before a number, a name, or the few words that an announcement ends with.
_UNMARKED = (
    re.compile(
        r"((?:^|:|\bis\b)[\s*_]{0,9}A)(?=[ \t]{2,}\S|[ \t]\d\S*(?:[ \t]+\S+){0,2}[ \t]*$"
        r"|(?:[ \t][A-Z][\w']*){1,3}[*_.]*[ \t]*$)",
        re.MULTILINE,
    ),
    re.compile(
        r"((?:[Aa]nswer|[Oo]ption|[Cc]hoice)[*_ ]*:[\s*_]{0,9}A)"
        r"(?=(?:[ \t][\w'-]+){1,3}[*_.]*[ \t]*$)",
        re.MULTILINE,
    ),
)
_FAILURE = re.compile(r"\W*(?:failed to obtain answer|error code\b)", re.IGNORECASE)
_LOOK_BACK = 32


def robust_choice(text: str, options: int | Sequence[str] | None = None) -> str | None:
    r"""Read the letter that the text chooses, or None where it leaves that open.

    In this order: a letter alone, whatever it is wrapped in; the exact text of one option; the
    last statement that announces an answer ("the answer is X", "Answer: X", `\boxed{X}`,
    `<answer>X</answer>`, `{"answer": "X"}`, "X is correct", "I choose X"); a line that is only a
    letter; a label at the start ("B. Settings"); the only letter that the text mentions without
    denying it. The article "a" and the pronoun "I" are no letters. A text that names several
    letters and settles on none, announces two ("B or C"), or reports a failed call gives None.

    Args:
        text: The response, as it came.
        options: How many options there are, or their texts in order; None allows A to Z.

    Returns:
        One of the offered letters, upper-case.

    Source: ours; the published parsers' mistakes that it avoids are listed in their tests.

    >>> robust_choice("**Answer:** B) Settings", 4), robust_choice("A button labelled B")
    ('B', 'B')
    >>> robust_choice("B or C") is None, robust_choice("home page", ["About", "Home page"])
    (True, 'B')
    """
    count = _LAST_LETTER if options is None else options
    count = min(count if isinstance(count, int) else len(count), _LAST_LETTER)
    offered = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: max(count, 0)]
    text = text if text.isascii() else text.translate(_PLAIN)
    letter = _read(_labelled(text, options), offered, options)
    return letter if letter is not None and letter in offered else None


def _read(text: str, offered: str, options: int | Sequence[str] | None) -> str | None:
    bare = text.strip(_WRAPPING)
    if len(bare) == 1:
        return bare.upper()
    if _FAILURE.match(text):
        return None
    if options is not None and not isinstance(options, int):
        letter = _by_text(text, options)
        if letter is not None:
            return letter
    stated = _last_statement(text)
    if stated is not None:
        return None if _is_hedged(text, stated) else stated[1].upper()
    lines = {letter.upper() for letter in _LINE.findall(text)}.intersection(offered)
    if lines:
        return lines.pop() if len(lines) == 1 else None
    return _lead(text, offered) or _only_mention(text, offered)


def _labelled(text: str, options: int | Sequence[str] | None) -> str:
    """Mark a capital A or I as a label where the text of its option follows, not a word."""
    for pattern in _UNMARKED:
        text = pattern.sub(r"\1.", text)
    if options is None or isinstance(options, int):
        return text
    for letter, option in zip("ABCDEFGHI", options, strict=False):
        words = r"\s+".join(map(re.escape, option.split()))
        if letter in "AI" and words:
            label = rf"(?<!{_WORD}){letter}(?=[*_\s]+(?i:{words})(?!{_WORD}))"
            text = re.sub(label, f"{letter}.", text)
    return text


def _by_text(text: str, options: Sequence[str]) -> str | None:
    """Return the letter of the one option that the whole text repeats."""
    wanted = " ".join(text.split()).casefold().strip(_WRAPPING)
    indexes = [
        index
        for index, option in enumerate(options)
        if " ".join(option.split()).casefold().strip(_WRAPPING) == wanted
    ]
    if len(indexes) != 1 or indexes[0] >= _LAST_LETTER or not wanted:
        return None
    return chr(ord("A") + indexes[0])


def _last_statement(text: str) -> re.Match[str] | None:
    """Return the last announcement that is not denied."""
    last: re.Match[str] | None = None
    for pattern in (_STATEMENT, _VERDICT):
        for found in pattern.finditer(text):
            later = last is None or found.start(1) > last.start(1)
            if later and not _is_denied(text, found.start(), found.end(1)):
                last = found
    return last


def _is_denied(text: str, start: int, end: int) -> bool:
    """Tell whether "not" and the like stand before, or "is wrong" after."""
    if _DENIED_AFTER.match(text, end):
        return True
    return _DENIED_BEFORE.search(text[max(0, start - _LOOK_BACK) : start]) is not None


def _is_hedged(text: str, stated: re.Match[str]) -> bool:
    """Tell whether the announced letter is one of several, as in "B or C"."""
    if _HEDGED_AFTER.match(text, stated.end(1)):
        return True
    before = text[max(0, stated.start(1) - _LOOK_BACK) : stated.start(1)]
    return _HEDGED_BEFORE.search(before) is not None


def _lead(text: str, offered: str) -> str | None:
    """Return the label that the text starts with, unless other options are labelled too."""
    found = _LEAD.match(text)
    if found is None or _is_denied(text, found.start(1), found.end()):
        return None
    if any(_HEDGED_AFTER.match(text, end) for end in (found.end(1), found.end())):
        return None
    labels = {label for label in _LABEL.findall(text) if label in offered}
    return found[1].upper() if labels <= {found[1].upper()} else None


def _only_mention(text: str, offered: str) -> str | None:
    """Return the one offered letter that stands alone in the text and is not denied."""
    letters: set[str] = set()
    for found in _MENTION.finditer(text):
        letter = found[1].upper()
        if letter in offered and not _is_denied(text, found.start(), found.end()):
            letters.add(letter)
    return letters.pop() if len(letters) == 1 else None
