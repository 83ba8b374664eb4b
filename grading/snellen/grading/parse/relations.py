"""Position relationships: how two named crops of a page lie to each other.

Relations are directed, `first` is at the relation of `second`, and pairs are kept with their
names in lexicographic order of strings: "crop_10" comes before "crop_2".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple


class Relation(StrEnum):
    """The ten labels of the prompt, and `inside`, which only the published labeller has."""

    TOP_LEFT = "top-left"
    TOP_RIGHT = "top-right"
    BOTTOM_LEFT = "bottom-left"
    BOTTOM_RIGHT = "bottom-right"
    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
    BOTTOM = "bottom"
    OVERLAP = "overlap"
    CONTAIN = "contain"
    INSIDE = "inside"


class Pair(NamedTuple):
    """Two names of one item, `first` before `second` in the order of strings."""

    first: str
    second: str


class _Statement(NamedTuple):
    """One line's claim: `subject` is at `relation` of `object`."""

    subject: str
    relation: Relation
    object: str


class _Mention(NamedTuple):
    """Where a line names a crop; `name` is None for a crop that the item does not have."""

    name: str | None
    start: int
    end: int


_HALF = {
    Relation.TOP_LEFT: Relation.BOTTOM_RIGHT,
    Relation.TOP_RIGHT: Relation.BOTTOM_LEFT,
    Relation.LEFT: Relation.RIGHT,
    Relation.TOP: Relation.BOTTOM,
    Relation.CONTAIN: Relation.INSIDE,
    Relation.OVERLAP: Relation.OVERLAP,
}
_INVERSE = {**_HALF, **{inverse: relation for relation, inverse in _HALF.items()}}

# Words in the order in which they decide: an area relation before a direction.
_AREA = {
    Relation.INSIDE: re.compile(r"\b(?:inside|within|contained)\b"),
    Relation.CONTAIN: re.compile(r"\bcontain(?:s|ing)?\b"),
    Relation.OVERLAP: re.compile(r"\boverlap(?:s|ped|ping)?\b"),
}
_VERTICAL = {
    "top": re.compile(r"(?:\b(?:top|upper)(?=left|right|\b)|\babove\b)"),
    "bottom": re.compile(
        r"(?:\b(?:bottom|lower)(?=left|right|\b)|\bbelow\b|\bunder(?:neath)?\b|\bbeneath\b)"
    ),
}
_HORIZONTAL = {
    "left": re.compile(r"(?:\b|(?<=top|per|wer)|(?<=bottom))left\b"),
    "right": re.compile(r"(?:\b|(?<=top|per|wer)|(?<=bottom))right\b"),
}
_DENIED = re.compile(r"(?:\b(?:not|no|without)|n't)\s++(?:\w+ly\s++)?\w++")
_CLAUSE = re.compile(r"[\n;\uff1b\u3002]|\.\s")
_RUNS = re.compile(r"[^\W\d_]+|\d+")
_EXTENSION = re.compile(r"\.(?:png|jpe?g|webp)\Z", re.IGNORECASE)


def invert(relation: Relation) -> Relation:
    """Return the relation seen from the other side; twice gives the relation again.

    >>> invert(Relation.TOP_LEFT), invert(Relation.CONTAIN)
    (<Relation.BOTTOM_RIGHT: 'bottom-right'>, <Relation.INSIDE: 'inside'>)
    """
    return _INVERSE[relation]


def undirected(relation: Relation) -> Relation:
    """Map `inside` to `contain`, for scoring: the prompt offers ten labels, without `inside`.

    What is lost: an answer that says the wrong one of two nested crops contains the other counts
    as right.
    """
    return Relation.CONTAIN if relation is Relation.INSIDE else relation


def canonical(relations: Mapping[tuple[str, str], Relation]) -> dict[Pair, Relation]:
    """Put every pair in the order of strings and invert its relation where that swaps it.

    >>> canonical({("crop_2", "crop_10"): Relation.LEFT})
    {Pair(first='crop_10', second='crop_2'): <Relation.RIGHT: 'right'>}
    """
    ordered: dict[Pair, Relation] = {}
    for (first, second), relation in relations.items():
        if first <= second:
            ordered[Pair(first, second)] = relation
        else:
            ordered[Pair(second, first)] = invert(relation)
    return ordered


def relations(text: str, names: Sequence[str]) -> dict[Pair, Relation]:
    """Read which relation a text states for every pair of the item's crops.

    One statement a line, such as `crop_1 is at the [top-left] of crop_2`. Accepted as well:
    bullets, brackets and markdown; "crop 1" and "crop_1.png"; "top left", "topleft",
    "upper-left", "above", "below", "inside", "contains"; a pair the other way round (its relation
    is inverted); the relation after both names ("crop_1, crop_2: left"). The first line that
    states a relation for a pair counts. A line that names a crop which the item does not have, or
    more or fewer than two crops, or opposite directions, states nothing.

    Args:
        text: The response.
        names: The item's crops.

    Returns:
        The relation of each stated pair, the pair in the order of strings. `inside` stays apart
        from `contain`; see `undirected`.

    Source: WebRSSBench appendix A.1 for the demanded format; how to read other forms is
    published nowhere, so that is a decision.

    >>> relations("- Crop 2 is above crop_1.png", ["crop_1", "crop_2"])
    {Pair(first='crop_1', second='crop_2'): <Relation.BOTTOM: 'bottom'>}
    """
    found: dict[Pair, Relation] = {}
    known = {_key(name): name for name in names if name}
    if len(known) < 2:
        return found
    pattern = _mention_pattern(known)
    for clause in _CLAUSE.split(text):
        statement = _statement(clause, pattern, known)
        if statement is not None:
            pair = (statement.subject, statement.object)
            for key, relation in canonical({pair: statement.relation}).items():
                found.setdefault(key, relation)
    return found


def _key(name: str) -> tuple[str, ...]:
    """Split a name without its file extension into words and numbers: ("crop", "1")."""
    return tuple(_RUNS.findall(_EXTENSION.sub("", name).casefold())) or (name,)


def _mention_pattern(keys: Iterable[tuple[str, ...]]) -> re.Pattern[str]:
    """Match any of the names, and any number in the place of their numbers."""
    shapes = {
        r"[\s_\-]{0,3}".join(r"\d{1,9}" if part.isdigit() else re.escape(part) for part in parts)
        for parts in keys
    }
    longest_first = "|".join(sorted(shapes, key=lambda shape: (-len(shape), shape)))
    return re.compile(
        rf"(?<![^\W_])({longest_first})(?:\.(?:png|jpe?g|webp))?(?![^\W_])", re.IGNORECASE
    )


def _statement(
    clause: str, pattern: re.Pattern[str], known: Mapping[tuple[str, ...], str]
) -> _Statement | None:
    mentions = [
        _Mention(known.get(_key(found[1])), found.start(), found.end())
        for found in pattern.finditer(clause)
    ]
    if len(mentions) != 2:
        return None
    first, second = mentions
    if first.name is None or second.name is None or first.name == second.name:
        return None
    relation = _relation(clause[first.end : second.start]) or _relation(clause[second.end :])
    return None if relation is None else _Statement(first.name, relation, second.name)


def _relation(words: str) -> Relation | None:
    """Read the one relation that a phrase states; None for none and for opposite ones."""
    phrase = _DENIED.sub(" ", words.casefold().replace("_", " "))
    for relation, pattern in _AREA.items():
        if pattern.search(phrase):
            return relation
    sides = [
        [side for side, pattern in axis.items() if pattern.search(phrase)]
        for axis in (_VERTICAL, _HORIZONTAL)
    ]
    if any(len(axis) > 1 for axis in sides) or not any(sides):
        return None
    return Relation("-".join(side for axis in sides for side in axis))
