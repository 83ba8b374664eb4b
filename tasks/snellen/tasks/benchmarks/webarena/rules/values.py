"""Values with a type: normalized by a JSON schema, and compared by the rule of their type.

Source: WebArena-Verified 1.2.3 (ServiceNow/webarena-verified 6473f72), `core/evaluation`:
`value_normalizer.py`, `value_comparator.py` and `data_types/`. A list where the schema has a single
value holds alternatives. Text is transliterated here only where Unicode says how (accents, full
width); published code transliterates every script.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from rapidfuzz import fuzz
from rapidfuzz.utils import default_process

from snellen.grading.parse import quantities

Json: TypeAlias = Any
Schema: TypeAlias = Mapping[str, Any]

_MARKS = str.maketrans(dict.fromkeys("\u2122\u00ae\u2120\u00a9"))
_ASCII = str.maketrans(
    {
        **{"\u2018": "'", "\u2019": "'", "\u2032": "'", "\u2033": "''", "\u2044": "/"},
        **{"\u201c": '"', "\u201d": '"', "\u00ab": "<<", "\u00bb": ">>", "\u00bf": "?"},
        **{"\u00c6": "AE", "\u00e6": "ae", "\u0152": "OE", "\u0153": "oe", "\u0131": "i"},
        **{"\u00d8": "O", "\u00f8": "o", "\u0141": "L", "\u0142": "l", "\u00d0": "D"},
        **{"\u20ac": "EUR", "\u00a3": "PS", "\u00a5": "Y=", "\u00b0": "deg", "\u2022": "*"},
        **{"\u00d7": "x", "\u00f7": "/", "\u00b1": "+-", "\u03bc": "m"},
    }
)
_HYPHEN = "[-\u2010-\u2015\u2212\u00ad]"
_HYPHENS = re.compile(rf"(?<=[a-zA-Z]){_HYPHEN}|{_HYPHEN}(?=[a-zA-Z])")
_REPEATED = re.compile(r"[*+{]")
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_EDGES = "'\"`.,;:!?"
_SIMILAR = 80
_HALF = 0.1
_TEN_METERS = Decimal(10)
_TWO_PERCENT = Decimal("0.02")
_THREE_MINUTES = 180.0
_DEGREES = 1e-5


class SchemaError(ValueError):
    """A schema asks for what there is no rule for, or a reference is not of its type."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of values.

    Attributes:
        read: Normalizes one value; raises ValueError, or TypeError, where it can't.
        same: Whether two normalized values are equal.
        plain: Whether text is cleaned (`plain`) before it is read.
        first: Whether published code compares the first alternative alone.
        whole: Whether a list of two is one value, not two alternatives.
    """

    read: Callable[[Any], Any]
    same: Callable[[Any, Any], bool] = lambda one, other: one == other
    plain: bool = True
    first: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A normalized value: what it was in all its alternatives."""

    kind: Kind
    alternatives: tuple[Any, ...]

    def equals(self, other: object, *, fixed: bool) -> bool:
        """Whether any alternative of both is the same.

        Args:
            other: Anything; what is no value of the same type differs.
            fixed: Whether every alternative counts, also where published code forgets some.
        """
        if not isinstance(other, Value) or other.kind is not self.kind:
            return False
        if self.kind.first and not fixed:
            return self.kind.same(self.alternatives[0], other.alternatives[0])
        return any(
            self.kind.same(one, two) for one in self.alternatives for two in other.alternatives
        )


def is_pattern(value: object) -> bool:
    """Whether a text is a regular expression: it begins with ^ and ends with $."""
    return isinstance(value, str) and len(value) > 1 and value[0] == "^" and value[-1] == "$"


def matches(
    pattern: str, text: str, flags: re.RegexFlag = re.IGNORECASE, *, foreign: bool = False
) -> bool:
    """Whether a whole text is of a pattern; False for a pattern that is none.

    Args:
        pattern: A regular expression.
        text: The text.
        flags: Of the expression.
        foreign: Whether it is an answer's: one that could take forever is then not tried, as one
            with a repeated group or with more than three repetitions.
    """
    if foreign and (len(_REPEATED.findall(pattern)) > 3 or _REPEATED_GROUP.search(pattern)):
        return False
    try:
        return re.compile(pattern, flags).fullmatch(text) is not None
    except re.error:
        return False


def plain(text: str) -> str:
    """Return text without marks, accents, control characters, hyphens at letters and case.

    >>> plain("  Bob-in-Vegas™ ﬁve\u2013Ló ")
    'bob in vegas five lo'
    """
    if not text or is_pattern(text):
        return text
    text = unicodedata.normalize("NFKC", text.translate(_MARKS))
    text = _HYPHENS.sub(" ", text).translate(_ASCII)
    kept = "".join(
        " " if letter in "\t\n\r" else letter
        for letter in unicodedata.normalize("NFKD", text)
        if letter in "\t\n\r" or unicodedata.category(letter)[0] not in "CM"
    )
    kept = re.sub(_HYPHEN, "-", kept)
    return " ".join(kept.split()).casefold()


def _text(value: Json) -> str:
    if not value:
        return ""
    return str(value).strip() if is_pattern(value) else str(value).lower().strip()


def _same_text(reference: str, answer: str) -> bool:
    if _fits(reference, answer, re.IGNORECASE) or reference == answer:
        return True
    return reference.strip(_EDGES) == answer.strip(_EDGES)


def _fits(reference: str, answer: str, flags: re.RegexFlag) -> bool:
    """Whether one of both is a pattern that the other one fits."""
    if is_pattern(reference) and matches(reference, answer, flags):
        return True
    return is_pattern(answer) and matches(answer, reference, flags, foreign=True)


def _same_length(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= max(_TEN_METERS, max(one, other) * _TWO_PERCENT)


def _same_time(one: float, other: float) -> bool:
    return abs(one - other) <= max(_THREE_MINUTES, max(one, other) * _HALF)


def _near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(abs(a - b) <= _DEGREES for a, b in zip(one, other, strict=True))


def _same_name(one: str, other: str) -> bool:
    if not one or not other:
        return one == other
    return round(fuzz.token_sort_ratio(one, other, processor=default_process)) >= _SIMILAR


def _listed(value: Json) -> tuple[str, ...]:
    found = sorted(part.strip() for part in str(value).split(",") if part.strip())
    if not value or not found:
        raise ValueError("an empty list")
    return tuple(found)


def _json(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return json.dumps(json.loads(value), sort_keys=True, ensure_ascii=False)


def _markdown(value: Json) -> str:
    """Return markdown with one form of lists, headings, blank lines and links."""
    if not isinstance(value, str) or not value:
        raise ValueError("no text")
    text = value.strip().replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = re.sub(r"^(\s*)(#{1,6})[ \t]+", r"\1\2 ", text, flags=re.MULTILINE)
    text = re.sub(r"^(\s*)[*+][ \t]+", r"\1- ", text, flags=re.MULTILINE)
    text = re.sub(r"^[ \t]+-", "  -", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    return re.sub(r"\(\s*([^)]+?)\s*\)", r"(\1)", text).strip()


def _nothing(value: Json) -> None:
    empty = not value and not isinstance(value, int | float)
    if not empty and value not in ("n/a", "na", "nan", "null", "none"):
        raise ValueError("a value")


def _address(value: Json) -> str:
    """Return an address; of a repository's SSH address what is not its host."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("no address")
    text = value.strip()
    if is_pattern(text):
        return text
    found = re.fullmatch(
        r"(?:ssh://(?:(?P<user>[^@/]+)@)?[^/]*/|git@[^:]*:)(?P<path>.*)",
        text.rstrip("/"),
        re.IGNORECASE,
    )
    if found is None:
        return text.rstrip("/").lower()
    return f"{(found['user'] or 'git').lower()}@__SSH_HOST__:{found['path'].lstrip('/').lower()}"


def _same_address(reference: str, answer: str) -> bool:
    return reference == answer or _fits(reference, answer, re.NOFLAG)


STRING = Kind(_text, _same_text)
MONEY = Kind(quantities.money, lambda one, two: abs(one - two) <= Decimal("0.1"), first=True)
THOUSANDS = Kind(lambda value: quantities.money(value, thousands=True), MONEY.same)
_NUMBER = Kind(quantities.number)
KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "string": STRING,
        "currency": MONEY,
        "number": _NUMBER,
        "integer": _NUMBER,
        "boolean": Kind(quantities.truth),
        "date": Kind(quantities.day),
        "month": Kind(quantities.month),
        "duration": Kind(quantities.seconds, _same_time),
        "distance": Kind(quantities.meters, _same_length),
        "coordinates": Kind(quantities.position, _near, plain=False, first=True, whole=True),
        "location-name": Kind(_text, _same_name),
        "url": Kind(_address, _same_address, plain=False),
        "string_list": Kind(_listed),
        "json": Kind(_json),
        "markdown": Kind(_markdown, plain=False),
        "null": Kind(_nothing),
    }
)
"""The types by the name that a schema has for them, as `format` or as `type`."""


class Reading:
    """How a side of a comparison is normalized.

    Args:
        strict: Whether a value that is not of its type raises, as in references; in an answer it
            stays as it is, and equals no reference.
        fixed: Whether a list of one is one alternative, and a comma before three digits separates
            thousands: what `robust` changes.
        literal: Whether text is no regular expression, and a list no alternatives.
        clean: What is done to a text before it is cleaned.
    """

    def __init__(
        self,
        *,
        strict: bool,
        fixed: bool = False,
        literal: bool = False,
        clean: Callable[[str], str] | None = None,
    ) -> None:
        self.strict = strict
        self.fixed = fixed
        self.literal = literal
        self.clean = clean

    def kind_of(self, schema: Schema | None) -> Kind:
        """Return the type of a single value."""
        name = (schema or {}).get("format") or (schema or {}).get("type", "string")
        if name not in KINDS:
            raise SchemaError(f"there is no rule for the type {name!r}")
        kind = KINDS[name]
        return THOUSANDS if self.fixed and kind is MONEY else kind

    def single(self, value: Json, kind: Kind) -> Json:
        """Normalize a value, or a list of alternatives."""
        try:
            if not isinstance(value, list | tuple) or (
                kind.whole and _is_pair(cast("Sequence[Any]", value))
            ):
                return Value(kind, (self._one(value, kind),))
            several = cast("Sequence[Any]", value)
            if self.literal or len(several) < (1 if self.fixed else 2):
                raise ValueError("a list is no single value")
            return Value(kind, tuple(self._one(each, kind) for each in several))
        except (ValueError, TypeError, ArithmeticError) as error:
            if self.strict:
                raise SchemaError(f"a reference can't be read: {value!r}: {error}") from error
            return cast("object", value)

    def _one(self, value: Json, kind: Kind) -> Json:
        if isinstance(value, str) and kind.plain:
            if self.literal and is_pattern(value):
                raise ValueError("an answer is literal text")
            value = plain(self.clean(value) if self.clean and "http" in value else value)
        return kind.read(value)

    def array(self, value: Json, schema: Schema | None) -> Json:
        """Normalize a list by the schema of its items."""
        if schema is not None and schema.get("type", "array") != "array":
            raise SchemaError(f"the schema's type is {schema['type']!r}, and there is a list")
        items: Schema | None = None if schema is None else schema.get("items", {})
        if items and items.get("type", "string") == "object":
            return [self.object(each, items) for each in value]
        kind = self.kind_of(items)
        return [self.single(each, kind) for each in value]

    def object(self, value: Json, schema: Schema) -> Json:
        """Normalize an object, or each of a list of them, by the schema of its properties."""
        if isinstance(value, list | tuple):
            return [self.object(each, schema) for each in cast("Sequence[Any]", value)]
        value = _decoded(value, dict)
        if not isinstance(value, Mapping):
            if self.strict:
                raise SchemaError(f"a reference is no object: {value!r}")
            return value
        properties: Mapping[str, Schema] = schema.get("properties", {})
        fields = cast("Mapping[str, Any]", value)
        return {name: self._property(each, properties.get(name)) for name, each in fields.items()}

    def _property(self, value: Json, schema: Schema | None) -> Json:
        if value is None:
            return None
        kind = "" if schema is None else schema.get("type")
        if kind == "array":
            value = _decoded(value, list)
            items = cast("Schema", schema).get("items", {})
            one = self.kind_of(items)
            if isinstance(value, list | tuple):
                return [self.single(each, one) for each in cast("Sequence[Any]", value)]
            if self.strict:
                raise SchemaError(f"a reference is no list: {value!r}")
            return value
        if kind == "object":
            return self.object(value, cast("Schema", schema))
        return self.single(value, self.kind_of(schema))


def _is_pair(value: Sequence[Any]) -> bool:
    return len(value) == 2 and all(isinstance(side, int | float | str) for side in value)


def _decoded(value: Json, kind: type) -> Json:
    """Return what a text says in JSON, if that is of a type."""
    if isinstance(value, str):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return found if isinstance(found, kind) else value
    return value


def same(
    reference: Json,
    answer: Json,
    *,
    ordered: bool = False,
    extra: bool = False,
    fixed: bool = False,
) -> bool:
    """Whether an answer is a reference, value by value; lists in any order unless `ordered`.

    Args:
        reference: Normalized.
        answer: Normalized.
        ordered: Whether the order of lists counts.
        extra: Whether an object may have more fields than the reference.
        fixed: As of `Value.equals`.
    """
    if reference is None or answer is None:
        return reference is answer
    if isinstance(reference, Value):
        return reference.equals(answer, fixed=fixed)
    options = {"ordered": ordered, "extra": extra, "fixed": fixed}
    if isinstance(reference, Mapping):
        fields = cast("Mapping[str, Any]", reference)
        if not isinstance(answer, Mapping):
            return False
        given = cast("Mapping[str, Any]", answer)
        if not fields.keys() <= given.keys() or not (extra or given.keys() <= fields.keys()):
            return False
        return all(same(value, given[name], **options) for name, value in fields.items())
    if isinstance(reference, list):
        several = cast("list[Any]", reference)
        if not isinstance(answer, list):
            return False
        rest = list(cast("list[Any]", answer))
        if len(rest) != len(several):
            return False
        if ordered:
            return all(same(one, two, **options) for one, two in zip(several, rest, strict=True))
        for one in several:
            index = next((i for i, two in enumerate(rest) if same(one, two, **options)), None)
            if index is None:
                return False
            del rest[index]
        return True
    return bool(reference == answer)
