"""The published shapes of references, and the responses that each makes right.

A loader hands references over in these shapes and `sdk.score` takes them from a caller; both go
through `GoldShape.read`, so that a reference is never half understood.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec
from msgspec.structs import replace

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb, box_fault, point_in_polygon
from snellen.grading.models.actions import POINTED, Action, ActionType
from snellen.grading.models.items import AnswerForm
from snellen.grading.protocols.base import NO_CONTEXT, Context, Gold

# One task reads regions, one relations, one kind of task actions: their readers are imported there.
if TYPE_CHECKING:
    from snellen.grading.parse.regions import Region
    from snellen.grading.parse.relations import Pair, Relation

NonEmpty = msgspec.Meta(min_length=1)

LARGEST = 1e300
"""The largest amount that is read: sums of such amounts are still finite."""

Positive = Annotated[float, msgspec.Meta(gt=0, le=LARGEST)]
"""A finite number above 0."""


def plain(gold: Gold) -> Any:  # noqa: ANN401  # a JSON value
    """Return a reference in its published form, as a JSON value that `GoldShape.read` reads."""
    if isinstance(gold, Mapping):
        # Relations are keyed by pairs, which can't be keys in JSON.
        relations = cast("Mapping[object, object]", gold)
        return {
            "|".join(cast("tuple[str, str]", pair)) if isinstance(pair, tuple) else str(pair): str(
                relation
            )
            for pair, relation in relations.items()
        }
    return msgspec.to_builtins(gold)


class Target(msgspec.Struct, frozen=True):
    """Where to point: a box in any one space and, where the protocol needs it, the image size.

    `bbox` is left, top, right, bottom; `image_size` is width, height in pixels.
    """

    bbox: Ltrb
    image_size: tuple[float, float] | None = None


class ImageTarget(Target, frozen=True):
    """Where to point in an image, by MMBench-GUI's rules: a side of -1 is unknown and means 0."""

    image_size: tuple[Positive, Positive] | None = None


class AreaTarget(ImageTarget, frozen=True):
    """Where to point in an image, or that there is nothing to point at.

    Attributes:
        polygon: x, y, x, y, ... of the area's corners in pixels; empty: the box is the area.
        refused: Whether what is asked for is not there; the box is then (0, 0, 0, 0).
    """

    polygon: tuple[float, ...] = ()
    refused: bool = False


class BoxOrPoint(ImageTarget, frozen=True):
    """A target of which some items ask for a point in it, and some for its box."""

    boxed: bool = False


class EpisodeGold(msgspec.Struct, frozen=True):
    """What an episode was allowed; success is judged by its environment, not by a reference."""

    limit: Positive | None = None


class Changes(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How one state of a world differs from another; the order of what was added is sorted away.

    Attributes:
        changed: What has another value: its path to what it was and what it is.
        added: What is there in addition: a collection's path to objects without their ids.
        removed: What is gone, likewise.
    """

    changed: dict[str, tuple[Any, Any]] = {}
    added: dict[str, list[Any]] = {}
    removed: dict[str, list[Any]] = {}


class OutcomeGold(EpisodeGold, frozen=True, omit_defaults=True):
    """How an episode in a world of its own should end.

    Attributes:
        changes: How the last state differs from the first; None: not at all.
        answer: What is to be answered: a text, a number or a list; None: nothing.
        reason: Why the task can't be done, by its code; None: it can.
        kind: The form of the answer, by which every unambiguous way to write it is right: `date`,
            `time`, `money`, `number`, `list`, `place` or `text`; None: it is compared as it is.
    """

    changes: Changes | None = None
    answer: Any = None
    reason: str | None = None
    kind: AnswerForm | None = None


class PageEpisodeGold(EpisodeGold, frozen=True):
    """What an episode on one of several pages was allowed.

    Attributes:
        page: Its page's name; by it one knows what agents that understand nothing reach there.
    """

    page: str | None = None


class Node(msgspec.Struct, frozen=True):
    """A node of a screen's accessibility tree: its box in pixels, and what it says of itself."""

    box: Ltrb
    text: str = ""
    description: str = ""


class StepGold(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of a recorded episode.

    Attributes:
        action: What was done; points in pixels of the screenshot.
        image_size: Width and height of the screenshot, in pixels; None: the data does not say.
        boxes: The boxes that count as its target, in pixels.
        nodes: The screen's accessibility nodes; None: the data does not say them.
        episode: The episode it belongs to; empty: it is an episode of its own.
        step: Its index in the episode, from 0.
        group: What published code groups it by.
        name: What the target is called, or the step in words, where published code reads those.
        letters: The right ones of the choices that the agent is shown, where it is shown some.
        lost: Whether the data has no box of the target: published code drops such steps, or
            counts them as wrong.
    """

    action: Action
    image_size: tuple[Positive, Positive] | None = None
    boxes: tuple[Ltrb, ...] = ()
    nodes: tuple[Node, ...] | None = None
    episode: str = ""
    step: int = 0
    group: str = ""
    name: str = ""
    letters: str = ""
    lost: bool = False


@dataclass(frozen=True, slots=True)
class GoldShape:
    """One published shape of a reference.

    Attributes:
        name: What error messages call it.
        type: The msgspec type that it must have.
        check: Makes the gold out of the converted value; raises ValueError.
        responses: The responses that this gold makes right, any of which should do.
        context: What a parser may know of the item, where the shape says it.
        make: Makes a published reference of what raters who agree answered, each in the form that
            an annotation keeps (`made_of`); None: no reference of this shape is made of answers.
    """

    name: str
    type: Any
    check: Callable[[Gold], Gold]
    responses: Callable[[Gold], Sequence[object]]
    context: Callable[[Gold], Context] = lambda _: NO_CONTEXT
    make: Callable[[Sequence[Any], Context, Gold], object] | None = None

    def read(self, value: object, *, field: str = "reference") -> Gold:
        """Turn a published reference into a gold.

        Raises:
            DataError: The value is not of this shape.
        """
        try:
            return self.check(msgspec.convert(value, self.type))
        except (msgspec.ValidationError, ValueError) as error:
            raise DataError(f"expected {self.name}; {error}", field=field) from None

    def made_of(self, answers: Sequence[object], context: Context, before: Gold) -> object:
        """Return the reference, in its published form, that raters' answers make.

        Args:
            answers: What raters who agree gave: a text, an option's letter, a list of texts, or
                [left, top, right, bottom] in pixels of the original image.
            context: What a parser may know of the item; a box needs its width and height.
            before: The gold that the item has now, of which settings are kept.

        Raises:
            DataError: No reference of this shape is made of answers, or these make none.
        """
        if self.make is None:
            raise DataError(f"{self.name} can't be created from raters' answers: write it by hand")
        try:
            made = self.make(answers, context, before)
        except (TypeError, ValueError, IndexError) as error:
            raise DataError(f"the answer can't be a reference: {error}") from None
        self.read(made)
        return made


def _same(value: Gold) -> Gold:
    return value


def _each(gold: Gold) -> Sequence[Gold]:
    return gold


def _alone(gold: Gold) -> Sequence[Gold]:
    return [gold]


def _finite_boxes(raters: list[list[tuple[Ltrb, str]]]) -> list[list[tuple[Ltrb, str]]]:
    for rater in raters:
        for box, _ in rater:
            _finite(box)
    return raters


def _finite(box: Ltrb) -> Ltrb:
    if fault := box_fault(box):
        raise ValueError(fault)
    return box


def _target(value: Target | Ltrb) -> Target:
    target = value if isinstance(value, Target) else Target(value)
    if target.bbox != (-1.0, -1.0, -1.0, -1.0):
        _finite(target.bbox)
    return target


def is_in_fractions(box: Ltrb) -> bool:
    """Whether MMBench-GUI takes a box for fractions of the image: all four sides lie in 0..1.

    So [0, 0, 1, 1] is the whole image, and the image's first pixel can't be a target in pixels.
    Data in pixels that holds such a box has to refuse it, as our loader of ScreenSpot does.
    """
    return all(0 <= side <= 1 for side in box)


def without_unknowns(box: Ltrb) -> Ltrb:
    """Put 0 where a side is -1, as MMBench-GUI does (benchmarks/l2_element_grounding.py)."""
    left, top, right, bottom = (0.0 if side == -1 else side for side in box)
    return left, top, right, bottom


def unit_target(gold: Target, context: Context = NO_CONTEXT) -> Ltrb | None:
    """Return a target's box in fractions of the image, which it may leave.

    As MMBench-GUI does, the sides are asked what they count before unknown ones become 0: a box
    with a side of -1 is in pixels, whatever its other sides are.

    Returns:
        Left, top, right, bottom; None where it is in pixels and nobody says of how many.

    >>> unit_target(Target((10, 0, 30, 5), (100, 50)))
    (0.1, 0.0, 0.3, 0.1)
    """
    if is_in_fractions(gold.bbox):
        return gold.bbox
    size = sized(gold, context).image_size
    if size is None:
        return None
    left, top, right, bottom = known_box(gold)
    width, height = size
    return left / width, top / height, right / width, bottom / height


def known_box(gold: Target) -> Ltrb:
    """Return a target's box in its own space, by MMBench-GUI's rules where these are its own."""
    return without_unknowns(gold.bbox) if isinstance(gold, ImageTarget) else gold.bbox


def sized(gold: Gold, context: Context) -> Gold:
    """Return a target with the image's size that its context knows, where it says none itself."""
    if not isinstance(gold, Target) or gold.image_size or not (context.width and context.height):
        return gold
    return replace(gold, image_size=(context.width, context.height))


def _image_target(value: ImageTarget | Ltrb) -> Target:
    target = value if isinstance(value, ImageTarget) else ImageTarget(value)
    _finite(without_unknowns(target.bbox))
    if target.image_size is None and not is_in_fractions(target.bbox):
        raise ValueError(
            "a box with a side outside 0..1 is in pixels: write"
            " {bbox: [left, top, right, bottom], image_size: [width, height]}"
        )
    return target


def _area(target: AreaTarget) -> AreaTarget:
    if len(target.polygon) % 2 or len(target.polygon) == 2:
        raise ValueError("a polygon needs x and y of each of its corners, at least two of them")
    if not target.refused:
        _image_target(target)
    return target


def _any_area(value: AreaTarget | Ltrb) -> AreaTarget:
    """Take any finite box, also an empty or inverted one, which is never hit."""
    target = value if isinstance(value, AreaTarget) else AreaTarget(value)
    left, top, right, bottom = target.bbox
    (left, right), (top, bottom) = sorted((left, right)), sorted((top, bottom))
    _area(replace(target, bbox=(left, top, right, bottom)))
    return target


def point_of_area(target: AreaTarget) -> tuple[float, float]:
    """Return a point of an area in its own space: its middle, or one between a polygon's edges."""
    if target.refused:
        return -1.0, -1.0
    left, top, right, bottom = target.bbox
    steps = [0.5, *(step / 50 for step in range(1, 50))]
    places = ((left + a * (right - left), top + b * (bottom - top)) for b in steps for a in steps)
    middle = ((left + right) / 2, (top + bottom) / 2)
    if not target.polygon:
        return middle
    return next((place for place in places if point_in_polygon(*place, target.polygon)), middle)


def _center(box: Ltrb) -> Sequence[object]:
    return [[(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]]


def _target_context(target: Target) -> Context:
    if target.image_size is None:
        return NO_CONTEXT
    return Context(width=target.image_size[0], height=target.image_size[1])


def _step(value: StepGold) -> StepGold:
    for box in value.boxes:
        _finite(box)
    if value.action.type is ActionType.UNKNOWN:
        raise ValueError("a reference needs a type")
    if value.action.type in POINTED and value.action.point is None and not value.lost:
        raise ValueError(f"a {value.action.type.value} needs a point")
    return value


def _plain_step(gold: StepGold) -> Sequence[object]:
    from snellen.grading.parse.vocabularies.plain import plain_fields

    return [plain_fields(gold.action)]


def _letter(value: str) -> str:
    letter = value.strip().upper()
    if len(letter) != 1 or not "A" <= letter <= "Z":
        raise ValueError(f"{value!r} is not the letter of an option")
    return letter


def _region(value: str) -> "Region":
    from snellen.grading.parse.regions import Region, region

    found = region(value)
    if found is None:
        raise ValueError(f"{value!r} is none of {', '.join(Region)}")
    return found


def _relation(value: str) -> "Relation":
    from snellen.grading.parse.relations import Relation

    return Relation("-".join(value.lower().replace("-", " ").split()))


def _pair_key(key: str) -> tuple[str, str]:
    first, _, second = key.partition("|")
    if not first or not second:
        raise ValueError(f"{key!r} is not the name of a pair; write 'crop_1|crop_2'")
    return first, second


def _relations(value: dict[str, str]) -> "Mapping[Pair, Relation]":
    from snellen.grading.parse.relations import canonical

    if not value:
        raise ValueError("it has no pairs")
    return canonical({_pair_key(key): _relation(relation) for key, relation in value.items()})


def _relation_lines(gold: "Mapping[tuple[str, str], Relation]") -> Sequence[str]:
    """Write the pairs in the prompt's labels, which have no `inside`."""
    from snellen.grading.parse.relations import undirected

    lines = (f"{a} is at the [{undirected(known)}] of {b}" for (a, b), known in gold.items())
    return ["\n".join(lines)]


def _relation_context(gold: "Mapping[tuple[str, str], Relation]") -> Context:
    return Context(names=tuple(sorted({name for pair in gold for name in pair})))


def _distinct(answers: Sequence[str], _: Context, __: Gold) -> list[str]:
    return list(dict.fromkeys(answers))


def _every(answers: Sequence[object], _: Context, __: Gold) -> list[object]:
    return list(answers)


def _first(answers: Sequence[object], _: Context, __: Gold) -> object:
    return answers[0]


def _number(answers: Sequence[str], _: Context, __: Gold) -> int:
    return ord(_letter(answers[0])) - ord("A")


def _boxed(answers: Sequence[Ltrb], context: Context, before: Gold) -> dict[str, list[float]]:
    width, height = context.width, context.height
    if not width or not height:
        raise ValueError("the size of the image is missing")
    sides = [sum(sides) / len(answers) for sides in zip(*answers, strict=True)]
    if isinstance(before, Target) and is_in_fractions(before.bbox):
        sides = [side / size for side, size in zip(sides, (width, height) * 2, strict=True)]
    return {"bbox": sides, "image_size": [width, height]}


def _related(answers: Sequence[str], context: Context, before: Gold) -> dict[str, str]:
    from snellen.grading.parse.relations import relations

    names = context.names or _relation_context(before).names
    found = relations(answers[0], names)
    return {"|".join(pair): str(relation) for pair, relation in found.items()}


def _decoded(answers: Sequence[object], _: Context, __: Gold) -> list[object]:
    return [msgspec.json.decode(each) if isinstance(each, str) else each for each in answers]


def _outcome(value: OutcomeGold) -> OutcomeGold:
    if value.kind is not None and value.answer is not None:
        from snellen.grading.parse.answers import same_answer

        if not same_answer(value.kind, value.answer, value.answer):
            raise ValueError(f"its answer {value.answer!r} is no {value.kind}")
    return value


def _played(gold: OutcomeGold) -> Mapping[str, object]:
    """Return the record of an episode that ended as it should, in one step."""
    return {
        "status": "infeasible" if gold.reason else "done",
        "reason": gold.reason,
        "answer": gold.answer,
        "changes": msgspec.to_builtins(gold.changes or Changes()),
        "cost": 1,
    }


TEXTS = GoldShape(
    "a list of accepted texts", Annotated[list[str], NonEmpty], _same, _each, make=_distinct
)
TEXT = GoldShape("a text", str, _same, _alone, make=_first)
RATER_TEXTS = GoldShape(
    "a list of lists of texts, one a rater",
    Annotated[list[list[str]], NonEmpty],
    _same,
    _each,
    make=_every,
)
RATER_BOXES = GoldShape(
    "a list, one a rater, of lists of [[left, top, right, bottom], text]",
    Annotated[list[list[tuple[Ltrb, str]]], NonEmpty],
    _finite_boxes,
    _each,
    make=_decoded,
)
INDEX = GoldShape(
    "the right option's number, counted from 0",
    Annotated[int, msgspec.Meta(ge=0, le=25)],
    _same,
    lambda index: [chr(ord("A") + index)],
    make=_number,
)
LETTER = GoldShape("the right option's letter", str, _letter, _alone, make=_first)
TARGET_BOX = GoldShape(
    "a box [left, top, right, bottom], or {bbox, image_size}",
    Target | Ltrb,
    _target,
    lambda target: [list(target.bbox)],
    _target_context,
    _boxed,
)
TARGET_POINT = GoldShape(
    TARGET_BOX.name,
    TARGET_BOX.type,
    _target,
    lambda target: _center(target.bbox),
    _target_context,
    _boxed,
)
TARGET_IN_IMAGE = GoldShape(
    "a box [left, top, right, bottom] in 0..1, or {bbox, image_size}",
    ImageTarget | Ltrb,
    _image_target,
    lambda target: _center(without_unknowns(target.bbox)),
    _target_context,
    _boxed,
)
BOX_OR_POINT = GoldShape(
    "a box [left, top, right, bottom] in 0..1, or {bbox, image_size, boxed}",
    BoxOrPoint | Ltrb,
    lambda value: _image_target(value if isinstance(value, BoxOrPoint) else BoxOrPoint(value)),
    lambda target: [list(target.bbox)] if target.boxed else _center(target.bbox),
    _target_context,
    _boxed,
)
RELATIONS = GoldShape(
    "an object from pairs 'crop_1|crop_2' to relations",
    dict[str, str],
    _relations,
    _relation_lines,
    _relation_context,
    _related,
)
BUTTONS = GoldShape(
    "a button's text, or a list of accepted ones",
    str | Annotated[list[str], NonEmpty],
    lambda value: [value] if isinstance(value, str) else value,
    _each,
    make=_distinct,
)
REGION = GoldShape(
    "a region by any of its published names",
    str,
    _region,
    lambda gold: [gold.value],
    make=_first,
)
EPISODE = GoldShape(
    "an object {limit} (or null)",
    EpisodeGold | None,
    lambda value: value or EpisodeGold(),
    lambda gold: [{"success": 1.0, "cost": 1}],
    lambda gold: Context(limit=gold.limit),
)
OUTCOME = GoldShape(
    "an object {changes, answer, kind, reason, limit}",
    OutcomeGold,
    _outcome,
    lambda gold: [_played(gold)],
    lambda gold: Context(limit=gold.limit),
)
PAGE_EPISODE = GoldShape(
    "an object {limit, page} (or null)",
    PageEpisodeGold | None,
    lambda value: value or PageEpisodeGold(),
    lambda gold: [{"status": "done", "cost": 1, "end": "page", "reward": 1.0, "ended": True}],
    lambda gold: Context(limit=gold.limit),
)
STEP = GoldShape(
    "an object {action, image_size, boxes, nodes, episode, step}",
    StepGold,
    _step,
    _plain_step,
    lambda gold: (
        Context(width=gold.image_size[0], height=gold.image_size[1])
        if gold.image_size
        else NO_CONTEXT
    ),
)
TARGET_AREA = GoldShape(
    "an object {bbox, image_size, polygon, refused}",
    AreaTarget,
    _area,
    lambda target: [list(point_of_area(target))],
    _target_context,
)
ANY_AREA = GoldShape(
    "a box [left, top, right, bottom] in 0..1, or {bbox, image_size, polygon, refused}",
    AreaTarget | Ltrb,
    _any_area,
    TARGET_AREA.responses,
    _target_context,
)
