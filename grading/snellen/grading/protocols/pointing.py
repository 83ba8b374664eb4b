"""The parts of which protocols of pointing are made, for every benchmark that asks for a point.

The reading and the space are apart: harnesses read a point in their own ways and then disagree on
what its numbers count.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from snellen.grading.actions.declaring import SPACES, Declared, declared
from snellen.grading.actions.reading import ONLY_LOOKS, NoActionError, ReadAction, read_action
from snellen.grading.coordinates import HUNDRED, PIXELS, THOUSAND, UNIT, VIEW, CoordinateSpace
from snellen.grading.errors import InputError
from snellen.grading.models.actions import POINTED, ActionType, Point
from snellen.grading.models.geometry import Size
from snellen.grading.parse.envelope import opened
from snellen.grading.parse.final_answers import CUT_OFF, without_reasoning
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import ReadPoint, robust_point
from snellen.grading.protocols import base, spaces
from snellen.grading.protocols.golds import AreaTarget, Target

POINT_HIT = spaces.point_metric("the point in the box, edges included")

_EXACT = 20

Scale = Callable[[ReadPoint, base.Context], base.Parsed]
"""What a point's numbers count, given what is known of the item: a point in fractions, or in pixels
of an image of unknown size."""


def pointed(name: str, halves: base.Split, compared: object = None) -> base.Parser:
    """Make a parser of a point from its halves.

    Args:
        name: What protocol tables call it.
        halves: Finds the point, and says what it counts.
        compared: What stands for an answer without a point where published code compares it.
    """

    def read(response: object, context: base.Context) -> base.Parsed:
        point = halves.find(response, context)
        if point is None or isinstance(point, str):
            return base.unparsed(point or NO_POINT, compared=compared)
        return point if isinstance(point, base.Parsed) else halves.place(point, context)

    return base.Parser(name, read, split=halves)


def point_parser(name: str, read: Callable[[str], ReadPoint | None], scale: Scale) -> base.Parser:
    """Make a parser of a point.

    Args:
        name: What protocol tables call it.
        read: Finds the point in a text.
        scale: Says what its numbers count: `fractions`, `pixels`, `pixels_above_one`.
    """

    def find(response: object, _: base.Context) -> ReadPoint | None:
        text = as_python_text(response)
        return None if text is None else read(text)

    def place(point: ReadPoint, context: base.Context) -> base.Parsed:
        return spaces.placed(scale(point, context))

    unit = scale.__name__.strip("_").replace("_", " ")
    return pointed(name, base.Split(unit, find, place), spaces.NOWHERE)


def fractions(point: ReadPoint, _: base.Context) -> base.Parsed:
    """Take a point's numbers for fractions of the image."""
    return base.Parsed((point.x, point.y))


def pixels(point: ReadPoint, context: base.Context) -> base.Parsed:
    """Take a point's numbers for pixels of the image."""
    if not context.width or not context.height:
        return base.Parsed(spaces.InPixels((point.x, point.y)))
    return base.Parsed((point.x / context.width, point.y / context.height))


def pixels_above_one(point: ReadPoint, context: base.Context) -> base.Parsed:
    """Take a point's numbers for pixels when either exceeds 1, else for fractions."""
    if point.x > 1 or point.y > 1:
        parsed = pixels(point, context)
        return parsed._replace(note=parsed.note or "read as pixels because a number exceeds 1")
    return fractions(point, context)


def writes(
    form: str, space: CoordinateSpace = UNIT, decimals: int = 9
) -> Callable[[base.Gold], list[object]]:
    """Return how a target's middle is written in a harness's form: {x} and {y}.

    Args:
        form: The form, such as `click({x}, {y})`.
        space: What the numbers count in it.
        decimals: How many decimals they have; a target that is a point is written exactly.
    """

    def write(gold: Target) -> list[object]:
        left, top, right, bottom = spaces.box_in(space, gold)
        x, y = (left + right) / 2, (top + bottom) / 2
        # A whole pixel on an edge would be outside if it were rounded.
        places = _EXACT if decimals and (left, top) == (right, bottom) else decimals
        return [form.format(x=f"{x:.{places}f}", y=f"{y:.{places}f}")]

    return write


# ---- ours --------------------------------------------------------------------------------------


class OurPoint(NamedTuple):
    """The point that a careful reader takes for the answer.

    Attributes:
        x: As written, from the left.
        y: As written, from the top.
        space: What the numbers count, where the answer or its format says so; else None.
        view: The size of the image that the model saw, where the answer says it.
        note: What else a reader should know; empty for nothing.
    """

    x: float
    y: float
    space: CoordinateSpace | None = None
    view: Size | None = None
    note: str = ""


_SPACE_FIELD = re.compile(r"[\"']space[\"']\s{0,4}:\s{0,4}[\"'](unit|pixels|thousand|view)[\"']")
_HUNDREDTHS = re.compile(r"<points? x1?=\"[\d.]+\" y1?=\"[\d.]+\" alt=")
# Molmo's; and the marks that only formats in thousandths of the image have.
_THOUSANDTHS = re.compile(
    r"<\|begin_of_box\|>|<ref>|<\|det\|>|<grounding_think>|\bCLICK\(box=\[\["
    r"|\bdo\(action=|\"POINT\"|\baction:[A-Z]{3,12}\tpoint:"
)
NO_POINT = "no point in it"
_Y_FIRST = "box_2d"
_POINTING = POINTED | {ActionType.TYPE, ActionType.SELECT}
_NO_VIEW = "pixels of a view whose size it does not say"


def our_point(response: object) -> OurPoint | str:
    """Read the point of a response: declared, from an API's object, or in a text.

    Returns:
        The point; or the reason why there is none.
    """
    try:
        said = declared(response)
    except InputError as error:
        return str(error)
    api = opened(said.response)
    act = _act(said)
    if (api is not None and api.calls) or _is_call(said.response):
        return _called(said, act)
    text = said.response if api is None else api.text
    written = as_python_text(text)
    if written is None:
        return NO_POINT
    text = without_reasoning(text) if isinstance(text, str) else written
    if text is None:
        return CUT_OFF
    if isinstance(act, str):
        return act
    point = robust_point(text) if act is None or _Y_FIRST in text else ReadPoint(*_pointed(act))
    if point is None:
        return NO_POINT
    x, y = point.x, point.y
    if point.space is not None:
        return OurPoint(x, y, SPACES[point.space.value])
    if act is None and said.format is not None and said.format.y_first and "point" in text:
        x, y = y, x
    space = _counted(said, (x, y), written)
    if space is VIEW and said.view is None and said.format is None:
        return _NO_VIEW
    return OurPoint(x, y, space, said.view, "" if act is None else act.note)


def _counted(said: Declared, point: Point, text: str) -> CoordinateSpace | None:
    """Return what a point's numbers count, by what is declared, or by the marks of a format."""
    if said.counts is not None:
        return said.counts
    thousandths = 1 < max(point) <= 1000 and _THOUSANDTHS.search(text)
    if said.format is not None:
        space = said.format.counts(point)
        # InternVL's boxes count thousandths, its calls pixels of a view.
        return THOUSAND if space is VIEW and said.view is None and thousandths else space
    if named := _SPACE_FIELD.findall(text[-1000:]):
        return SPACES[named[-1]]
    if thousandths:
        return THOUSAND
    return HUNDRED if _HUNDREDTHS.search(text) else None


def _is_call(response: object) -> bool:
    """Whether an object is a call of a tool, such as Gemini's."""
    if not isinstance(response, dict):
        return False
    fields = cast("Mapping[str, object]", response)
    return isinstance(fields.get("name"), str) and isinstance(fields.get("args"), dict)


def _act(said: Declared) -> ReadAction | str | None:
    """Return the first call that acts; why it points nowhere; None where nothing is called."""
    try:
        read = read_action(said.response, said.format)
    except NoActionError as error:
        return NO_POINT if str(error) == ONLY_LOOKS else None
    pointing = read.action.point is not None and read.action.type in _POINTING
    return read if pointing else NO_POINT


def _pointed(act: ReadAction) -> Point:
    assert act.action.point is not None
    return act.action.point


def _called(said: Declared, act: ReadAction | str | None) -> OurPoint | str:
    """Return the point of the first tool that was called and acts."""
    if act is None or isinstance(act, str):
        return NO_POINT
    # Other APIs' tools are described by whoever offers them: the protocol says what they count.
    own = said.format is not None or act.format in ("claude", "gemini")
    space = said.counts or (act.space if own else None)
    return OurPoint(*_pointed(act), space, said.view, act.note)


class _NoForm(NamedTuple):
    """Why an answer can't be written in a protocol's form."""

    reason: str


def takes_declared(
    protocol: base.Protocol, write: Callable[[base.Gold], Sequence[object]] | None = None
) -> base.Protocol:
    """Let a published protocol take answers that declare their format or space.

    Such an answer is read by us, written in the protocol's own form and space, and then read as
    the published code reads it. An answer that declares nothing reaches the published reader as
    it is.

    Args:
        protocol: The protocol; ours are returned as they are.
        write: How a target is written in its form; None: as the protocol writes it.
    """
    published, write = protocol.parser, write or protocol.write
    if write is None or protocol.is_ours:
        return protocol

    def translated(response: object, context: base.Context) -> object | _NoForm:
        try:
            said = declared(response)
        except InputError as error:
            return _NoForm(str(error))
        if said.format is None and said.counts is None:
            return response
        point = our_point(response)
        if isinstance(point, str):
            return _NoForm(point)
        image = (context.width, context.height) if context.width and context.height else None
        extent = None if point.space is None else point.space.extent(image, point.view)
        if extent is None:
            return _NoForm("the image's size is needed to bring its coordinates into the form")
        x, y = point.x / extent[0], point.y / extent[1]
        try:
            return next(iter(write(AreaTarget((x, y, x, y), image))), None)
        except base.UnjudgeableError as error:
            return _NoForm(str(error))

    def read(response: object, context: base.Context) -> base.Parsed:
        written = translated(response, context)
        if isinstance(written, _NoForm):
            return base.unparsed(written.reason)
        return published.read(written, context)

    split = published.split
    if split is not None:

        def find(response: object, context: base.Context) -> object:
            written = translated(response, context)
            if isinstance(written, _NoForm):
                return written.reason
            return (
                halves.find(written, context)
                if written is response
                else published.read(written, context)
            )

        halves, split = split, split._replace(find=find)
    return replace(protocol, parser=replace(published, read=read, split=split))


Default = Callable[[OurPoint, base.Context], base.Parsed]
"""What a point's numbers count where neither the answer nor its format says it."""


def our_points(name: str, default: Default, unit: str) -> base.Parser:
    """Make our parser of a point, into fractions or pixels of an image of unknown size.

    Args:
        name: What protocol tables call it.
        default: Places a point of which nobody said what it counts.
        unit: What its numbers then count, in a few words.
    """

    def place(found: OurPoint | ReadPoint, context: base.Context) -> base.Parsed:
        point = found if isinstance(found, OurPoint) else ours(found)
        if point.space is None:
            parsed = default(point, context)
        else:
            parsed = in_image(point, point.space, context)
        if parsed.answer is None:
            return parsed
        note = "; ".join(filter(None, (parsed.note, point.note)))
        return spaces.placed(parsed._replace(note=note))

    return pointed(name, our_split(unit, place))


def our_split(unit: str, place: Callable[[Any, base.Context], base.Parsed]) -> base.Split:
    """Return the halves of our parser: a point that says what it counts needs no second half."""

    def find(response: object, context: base.Context) -> OurPoint | base.Parsed | str:
        point = our_point(response)
        known = not isinstance(point, str) and point.space is not None
        return place(point, context) if known else point

    return base.Split(f"as declared, else {unit}", find, place)


def ours(point: ReadPoint) -> OurPoint:
    """Return a point that published code found, with what its text declares."""
    return OurPoint(point.x, point.y, None if point.space is None else SPACES[point.space.value])


def in_image(point: OurPoint, space: CoordinateSpace, context: base.Context) -> base.Parsed:
    """Return a point in fractions of the image, or in pixels where its size is unknown."""
    image = (context.width, context.height) if context.width and context.height else None
    extent = space.extent(image, point.view)
    if extent is not None:
        return base.Parsed((point.x / extent[0], point.y / extent[1]))
    if space is PIXELS:
        return base.Parsed(spaces.InPixels((point.x, point.y)))
    return base.unparsed(_NO_VIEW)


def declared_points(task: str) -> tuple[base.Protocol, ...]:
    """Make the protocols `unit`, `pixels` and `thousand` of a task that asks for a point."""
    return tuple(
        spaces.declared_protocol(
            task,
            space,
            "point",
            our_points(
                f"a point in {space.words}",
                lambda point, context, space=space: in_image(point, space, context),
                space.words,
            ),
            spaces.POINT_IN_IMAGE,
        )
        for space in spaces.DECLARED
    )


def _by_its_form(point: OurPoint, context: base.Context) -> base.Parsed:
    inside = 0 <= point.x <= 1 and 0 <= point.y <= 1
    whole = point.x.is_integer() and point.y.is_integer()
    if inside and not whole:
        return in_image(point, UNIT, context)._replace(note="taken for fractions")
    return in_image(point, PIXELS, context)._replace(note="taken for pixels of the image")


def thousandths_by_form(point: OurPoint, context: base.Context) -> base.Parsed:
    """Place a point of a task that asks for thousandths: numbers over 1000 are pixels."""
    if 1 < max(point.x, point.y) <= 1000:
        return in_image(point, THOUSAND, context)._replace(note="taken for thousandths")
    return _by_its_form(point, context)


_READER = our_points(
    "the point that a reader would take, in its declared space", _by_its_form, "by its form"
)
_HIT = spaces.point_metric("the point in the box, edges included, in fractions or in pixels")


def robust_pointing(task: str) -> base.Protocol:
    """Return the protocol `robust` of a task that asks for a point in any space."""
    return base.Protocol(
        task,
        "robust",
        3,
        "ours",
        "reads the point that a human reader would identify, in any format; in the unit that the "
        "answer or its format declares, else fractions if it has decimals in 0..1, else pixels",
        _READER,
        base.AS_IS,
        _HIT,
        write=writes("({x}, {y})"),
    )


def points_of_adapters(task: str, space: CoordinateSpace, source: str) -> base.Protocol:
    """Return the protocol `official` of published code that an adapter hands a point in a space.

    Args:
        task: The task's id.
        space: What the point's numbers count there.
        source: The published code.
    """
    return replace(
        robust_pointing(task),
        id="official",
        version=2,
        source=source,
        special=f"the published code gets a point in {space.words} from each model's adapter, and"
        " no point is wrong; the parser here takes the point that a human reader would identify",
        parser=our_points(
            f"a point in {space.words}, as an adapter hands it over",
            lambda point, context: in_image(point, space, context),
            space.words,
        ),
        write=writes("({x}, {y})", space),
    )


def point_protocols(official: base.Protocol, *others: base.Protocol) -> tuple[base.Protocol, ...]:
    """Return the protocols of a task that asks for a point: `robust`, published ones, and ours.

    Args:
        official: The first of the published ones.
        others: Other published protocols.
    """
    task = official.task
    published = map(takes_declared, (official, *others))
    return robust_pointing(task), *published, *declared_points(task)
