"""Read an action that names an element: a mark of the screenshot, or a ref of the tree.

The reader is `read_act`: an id becomes a point that no agent writes, and the point its element.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, cast

import msgspec

from snellen.grading.actions.meaning import Named, meant, point_in
from snellen.grading.actions.reading import NAME_KEYS
from snellen.grading.models.actions import POINTED, ActionType, Point
from snellen.tasks.environments.acting import Acted, Screen, read_act
from snellen.tasks.environments.arguments import ActError, Fields
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.survey import Element

_WHERE: Final = {"mark": "on the last screenshot", "ref": "in the last tree"}
_AT: Final = ("mark", "ref", "bid", "element", "target")
_FROM: Final = ("start_mark", "start_ref", "startRef", "from_bid", "start", "from")
_TO: Final = ("end_mark", "end_ref", "endRef", "to_bid", "end", "to")
_SAID: Final = frozenset({"element", "target", "startElement", "endElement", "slowly"})
_BETWEEN: Final = 0.4375  # no coordinate that an agent writes, and exact
_SIDE: Final = 2**20
_BY_KEYBOARD: Final = frozenset({ActionType.TYPE, ActionType.SELECT, ActionType.KEY})


def aimed(given: object, elements: Mapping[str, Element], word: Literal["mark", "ref"]) -> Acted:
    """Parse a call of `act` that names marks or refs; without a name of an action it is a click.

    Text for an element replaces what is in it, by three inputs: a click, ctrl+a, the text.

    Args:
        given: The arguments as received, in the vocabularies of `read_act`; those of BrowserGym and
            Playwright MCP with their ids.
        elements: The elements by their ids on the last screenshot, or in the last tree.
        word: What the attempt's ids are called.

    Raises:
        ActError: It can't be read or done, has a coordinate, or an id that does not exist.
    """
    aim = _Aim(elements, word)
    acted = read_act(_named(given), Screen(_SIDE, _SIDE, pointer=(0, _BETWEEN)), aim.parts)
    return acted._replace(inputs=tuple(map(aim.at_element, acted.inputs)))


def _named(given: object) -> object:
    """Return a call with a name, without the prefix of Playwright MCP's tools."""
    if not isinstance(given, Mapping):
        return given
    fields = {
        key: str(value).removeprefix("browser_")
        if key in NAME_KEYS and isinstance(value, str)
        else value
        for key, value in cast("Fields", given).items()
        if key not in ("format", "space", "view")
    }
    if not fields.keys() & {*NAME_KEYS} and fields.keys() & {*_AT}:
        fields["action"] = "type" if fields.get("text") else "click"
    return fields


class _Aim:
    def __init__(self, elements: Mapping[str, Element], word: str) -> None:
        self._word = word
        self._points = {name: (float(n), _BETWEEN) for n, name in enumerate(elements, 1)}
        self._elements = dict(zip(self._points.values(), elements.values(), strict=True))

    def parts(self, named: Named) -> Sequence[Named]:
        """Return the calls that a call stands for, with points instead of ids."""
        named = replace(named, name=named.name.removeprefix("browser"))
        action = meant(named)
        kind = action and action.type
        given = _by_name(named, kind)
        if kind is ActionType.DRAG:
            start, end, other = (self._point(given, keys) for keys in (_FROM, _TO, _AT[:3]))
            if end is None and self._word == "mark":
                # On a screenshot a place without a mark can be pointed at.
                end = point_in(given.pop("coordinate", given.pop("end_coordinate", None)))
            ends = {"start_coordinate": start or other, "end_coordinate": end or (start and other)}
            if None in ends.values():
                raise self._lacking()
            return (_call(named, given, **ends),)
        point = self._point(given, _AT)
        if point is None and kind in POINTED:
            raise self._lacking()
        if point is None:
            return (named,)
        if kind not in _BY_KEYBOARD:
            twice = {"clicks": 2} if given.pop("doubleClick", False) else {}
            return (_call(named, given, coordinate=point, **twice),)
        click = Named("click", {"coordinate": point})
        if kind is ActionType.TYPE:
            if "submit" in given:
                given["press_enter"] = given.pop("submit")
            return click, Named("key", {"text": "ctrl+a"}), _call(named, given)
        if kind is ActionType.SELECT:
            # The first letters of an option choose it, and Enter closes the list.
            text = given.get("text") or (given.get("values") or [None])[0]
            return click, Named("type", {"text": text, "press_enter": True})
        return click, _call(named, given)

    def at_element(self, given: Input) -> Input:
        """Return an input at elements instead of their points."""
        if (
            given.kind is InputKind.DRAG
            and self._word == "mark"
            and given.path[0] in self._elements
        ):
            start, end = given.path
            if end not in self._elements:
                return msgspec.structs.replace(given, path=(end,), element=self._elements[start])
        if not self._elements.keys() >= {*given.path}:
            raise self._lacking()
        element, onto = [*(self._elements[point] for point in given.path), (), ()][:2]
        return msgspec.structs.replace(given, path=(), element=element, onto=onto)

    def _point(self, given: dict[str, Any], keys: Sequence[str]) -> Point | None:
        """Take an id out of arguments, and what is said of it, and return its point."""
        name = next((given.pop(key) for key in keys if given.get(key) is not None), None)
        if name is None:
            return None
        for said in _SAID & given.keys():
            del given[said]
        plain = re.sub(r"\A\W*(?:(?:ref|mark)\W+)?|\W+\Z", "", str(name))
        if plain not in self._points:
            raise ActError(f"there is no {self._word} {plain[:40]} {_WHERE[self._word]}")
        return self._points[plain]

    def _lacking(self) -> ActError:
        where = _WHERE[self._word]
        return ActError(f"this attempt acts by {self._word}s: name a {self._word} {where}")


def _by_name(named: Named, kind: ActionType | None) -> dict[str, Any]:
    """Return arguments by name; those without a name are BrowserGym's."""
    names: Sequence[str] = ()
    values = named.positional
    if kind is ActionType.DRAG:
        names = ("start_ref", "end_ref")
    elif kind in POINTED and not isinstance((*values, "", "")[1], int | float):
        names = ("ref", "button")
    elif len(values) == 2 and (kind in _BY_KEYBOARD and named.name != "hotkey"):
        names = ("ref", "text")
    return {**dict(zip(names, values, strict=False)), **named.given}


def _call(named: Named, given: Fields, **more: object) -> Named:
    if not more.keys().isdisjoint(given):
        raise ActError(f"{' and '.join(more)} can't be given beside what is acted on")
    return Named(named.name, {**given, **more})
