"""Find the pairs and quadruples of numbers in a text that may be a point or a box.

This is the machinery of the robust parsers in `points`: where candidates stand, how
the numbers between two brackets are read, and which candidate a reader would choose.

No expression here backtracks over more than a bounded stretch, and only the end of a long text
is read.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import NamedTuple, TypeGuard, cast

from pydantic import JsonValue

from snellen.grading.models.geometry import Space
from snellen.grading.pointing.spelling import spelled_out
from snellen.grading.standing import is_answered

# The answer stands at the end; no reply needs more to say where it clicks.
_TAIL = 16_384
# Characters between two brackets that can still be one point or box.
_GROUP = 160

NUMBER = re.compile(r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?")
"""One number as people and programs write it, an exponent included."""

_N = NUMBER.pattern
_WORD = re.compile(rf"(?:([A-Za-z_]\w*+)=)?({_N})(%|px)?")
_BRACKETS = re.compile(rf"[(\[{{]([^()\[\]{{}}<>]{{3,{_GROUP}}})[)\]}}]")
# Looked for from every bracket: the second pair of one match may be the first of the next.
_CORNERS = re.compile(
    rf"(?=[(\[]([^()\[\]{{}}]{{3,{_GROUP}}})[)\]]\s{{0,4}}(?:[,;-]|to|and)?\s{{0,4}}"
    r"(?:(?:and )?(?:the )?(?:bottom|lower)[- ]right(?: corner)?(?: at| is)?[:= ]{0,3})?"
    rf"[(\[]([^()\[\]{{}}]{{3,{_GROUP}}})[)\]])"
)
_TAGS = re.compile(
    rf"<(?:\|(?:point|box)_start\||point|box|bbox|click|coordinates?)>([^<>]{{3,{_GROUP}}})"
    rf"</?(?:\|(?:point|box)_end\||point|box|bbox|click|coordinates?)>"
)
_KEYED = re.compile(
    rf"(?<!\w)(x[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?{_N}(?:%|px)?[\"']?\s{{0,4}}[,;]?\s{{0,4}}"
    rf"[\"']?y[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?{_N}(?:%|px)?)(?!,\d{{3}}(?!\d))",
    re.IGNORECASE,
)
_RUN = re.compile(
    rf"(?<![\w.%/-])(?<!\d:){_N}(?:%|px)?(?:\s{{0,4}}[,;]\s{{0,4}}{_N}(?:%|px)?){{1,7}}+(?![\w%:/])"
)
_NESTED = re.compile(r"[()\[\]]")
_OBJECT = re.compile(r"\{[^{}]*+\}")
_CUE = re.compile(r"\banswer[\"']?\s{0,4}(?:is\b:?|[:=])|<answer>|\\boxed", re.IGNORECASE)
_LINE_CUE = re.compile(
    r"^[ \t*_#]{0,9}(?:coordinates?|point|position|location|output|result)[*_]{0,3}\s{0,3}:"
    r"|^```\w{0,12}[ \t]*\n(?=[^`]*\d[^`]*```)",
    re.IGNORECASE | re.MULTILINE,
)
# 1,920 as one number: one or two digits, a comma without a space, three digits.
_THOUSANDS = re.compile(r"(?<![\d.])(?<!\d,)(\d{1,2}),(\d{3})(?!\d|,\S)")

# Full-width forms lie at a fixed distance from ASCII; the ideographic comma and the minus do not.
_WIDTHS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3001: ",", 0x2212: "-"}
_NO_QUOTES = str.maketrans("", "", "\"'")

_SIZED = (("x", "y", "width", "height"), ("x", "y", "w", "h"))
_KEYS = (
    ("left", "top", "right", "bottom"),
    ("x1", "y1", "x2", "y2"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
    *_SIZED,
    ("x", "y"),
)
_POINT_KEYS = ("point", "point_2d", "coordinate", "coordinates", "position", "click")
_LIST_KEYS = (*_POINT_KEYS, "bbox", "bbox_2d", "box", "bounds")
# Gemini's key, of thousandths with y first; GLM-4.1V's, if its box stands in a list of its own.
_Y_FIRST = "box_2d"


class Numbers(NamedTuple):
    """Two or four numbers, a point or an upright box."""

    numbers: tuple[float, ...]
    space: Space | None


class _Candidate(NamedTuple):
    """Numbers that may be the answer, and where they stand in the text."""

    start: int
    end: int
    found: Numbers


def find_numbers(text: str, *, boxes_only: bool = False, plainly: bool = False) -> Numbers | None:
    """The numbers that a reader would take for the answer in the last 16,384 characters.

    Numbers in brackets, tags or JSON, or behind x and y, come before bare ones. Among them the
    first after the last "answer is" or "answer:" counts, otherwise the last of the text.

    Args:
        text: What the agent wrote.
        boxes_only: Look for four numbers only.
        plainly: Leave out what only our own protocols read: two corners beside each other as a
            box where a point is looked for, `box_2d`, points in words, and where an answer stands.
    """
    prepared = text[-_TAIL:].translate(_WIDTHS)
    if not plainly:
        prepared = spelled_out(prepared)
    marked, rest = _read_objects(prepared, plainly=plainly)
    marked += _marked(rest)
    bare = _bare(rest)
    # Two corners beside each other are a box, whose middle is a point.
    if boxes_only or not plainly:
        marked += _corner_pairs(rest)
    if boxes_only:
        marked, bare = _boxes(marked), _boxes(bare)
    if not plainly:
        marked, bare = _claimed(marked, prepared), _claimed(bare, prepared)
    cues = [match.end() for match in _CUE.finditer(prepared)]
    if not cues and not plainly:
        cues = [match.end() for match in _LINE_CUE.finditer(prepared)]
    cue = max(cues, default=len(prepared))
    return _choose(marked, cue) or _choose(bare, cue)


def _read_objects(text: str, *, plainly: bool) -> tuple[list[_Candidate], str]:
    """Read the JSON objects with coordinates; return them, and the text without them."""
    found: list[_Candidate] = []

    def blank(match: re.Match[str]) -> str:
        data = read_json(match[0])
        named = {key.lower(): value for key, value in data.items()} if is_object(data) else {}
        read = None if plainly and _Y_FIRST in named else _read_object(named)
        if read:
            found.append(_Candidate(match.start(), match.end(), read))
        # What an object says is settled here: its parts are not looked at again.
        return " " * len(match[0]) if read or _Y_FIRST in named else match[0]

    rest = _OBJECT.sub(blank, text)
    return found, rest


def _marked(text: str) -> list[_Candidate]:
    """Numbers in tags and brackets, or behind x and y."""
    found: list[_Candidate] = []
    for pattern in (_TAGS, _BRACKETS, _KEYED):
        for match in pattern.finditer(text):
            read = _read(match[1])
            if read:
                found.append(_Candidate(match.start(), match.end(), read))
    return found


def _bare(text: str) -> list[_Candidate]:
    """Numbers with nothing around them, or a text that is nothing but numbers."""
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    if not _NESTED.search(text):
        runs.append((len(text) - len(text.lstrip()), len(text.rstrip())))
    reads = ((start, end, _read(text[start:end])) for start, end in runs)
    return [_Candidate(start, end, read) for start, end, read in reads if read]


def _corner_pairs(text: str) -> Iterator[_Candidate]:
    for match in _CORNERS.finditer(text):
        first, second = _read(match[1]), _read(match[2])
        if first and second and len(first.numbers) == len(second.numbers) == 2:
            numbers = first.numbers + second.numbers
            if first.space is second.space and _upright(numbers):
                yield _Candidate(match.start(), match.end(2) + 1, Numbers(numbers, first.space))


def _boxes(candidates: list[_Candidate]) -> list[_Candidate]:
    return [each for each in candidates if len(each.found.numbers) == 4]


def _choose(candidates: list[_Candidate], cue: int) -> Numbers | None:
    if not candidates:
        return None
    after = [each for each in candidates if each.start >= cue]
    if after:
        return min(after, key=lambda each: (each.start, -each.end)).found
    return max(candidates, key=lambda each: (each.end, -each.start)).found


def _claimed(candidates: list[_Candidate], text: str) -> list[_Candidate]:
    """Return the candidates that their sentence does not take back."""
    return [each for each in candidates if is_answered(text, each.start, each.end)]


def _read(content: str) -> Numbers | None:
    """Read what stands between brackets, with thousands separators if only they make sense."""
    if len(content) > _GROUP:
        return None
    flat = _NESTED.sub(";", content)
    plain = _read_words(flat)
    joined = _THOUSANDS.sub(r"\1\2", content)
    if flat != content or joined == content or re.search(r"\d,\d", joined):
        return plain
    grouped = _read_words(joined)
    # 1,180, 1,920 read as a box would be a line, which nobody answers with.
    if plain is None or not _upright(plain.numbers, area=True):
        return grouped
    return None if grouped else plain


def _read_words(content: str) -> Numbers | None:
    bare = re.sub(r"\s*[:=]\s*", "=", content).translate(_NO_QUOTES).strip(",; \t\r\n")
    words = [_WORD.fullmatch(word) for word in re.split(r"[,;\s]+", bare)]
    matches = [word for word in words if word]
    units = {match[3] for match in matches}
    if len(matches) != len(words) or len(words) not in {2, 4} or len(units) > 1:
        return None
    numbers = [float(match[2]) for match in matches]
    keys = [(match[1] or "").lower() for match in matches]
    return _arrange(dict(zip(keys, numbers, strict=True)) if any(keys) else numbers, "%" in units)


def _arrange(values: Mapping[str, float] | Sequence[float], percent: bool) -> Numbers | None:
    """Put keyed numbers in order, turn sizes into corners, percent into fractions."""
    if isinstance(values, Mapping):
        names = next((names for names in _KEYS if set(names) == set(values)), None)
        if names is None:
            return None
        numbers = [values[name] for name in names]
        if names in _SIZED:
            numbers[2:] = [numbers[0] + numbers[2], numbers[1] + numbers[3]]
    else:
        numbers = list(values)
    if not all(map(isfinite, numbers)) or not _upright(tuple(numbers)):
        return None
    if percent:
        return Numbers(tuple(number / 100 for number in numbers), Space.UNIT)
    return Numbers(tuple(numbers), None)


def _read_object(named: Mapping[str, JsonValue]) -> Numbers | None:
    if _Y_FIRST in named:
        return _read_thousandths(named[_Y_FIRST])
    for key in _LIST_KEYS:
        value = named.get(key)
        if isinstance(value, list):
            read = _read(", ".join(map(str, value)))
            if read:
                return read
    for names in _KEYS:
        if all(name in named for name in names):
            return _read(", ".join(f"{name}={named[name]}" for name in names))
    return None


def _read_thousandths(value: JsonValue) -> Numbers | None:
    """Read `[y, x, y, x]` of Gemini or `[[x, y, x, y]]` of GLM-4.1V, into fractions."""
    match value:
        case [[*sides]]:
            y_first = False
        case [*sides]:
            y_first = True
        case _:
            return None
    read = _read(", ".join(map(str, sides)))
    if read is None or len(read.numbers) != 4:
        return None
    left, top, right, bottom = (number / 1000 for number in read.numbers)
    numbers = (top, left, bottom, right) if y_first else (left, top, right, bottom)
    return Numbers(numbers, Space.UNIT)


def read_json(source: str) -> JsonValue:
    """The value of a JSON text; None where it is not one, or nests too deeply to tell."""
    try:
        return cast(JsonValue, json.loads(source))
    except (ValueError, RecursionError):
        return None


def is_object(data: JsonValue) -> TypeGuard[dict[str, JsonValue]]:
    """Whether a JSON value is an object."""
    return isinstance(data, dict)


def _upright(numbers: tuple[float, ...], *, area: bool = False) -> bool:
    """Whether four numbers are a box that is not inverted; two numbers always pass."""
    if len(numbers) != 4:
        return True
    left, top, right, bottom = numbers
    return (left < right and top < bottom) if area else (left <= right and top <= bottom)
