"""The arguments of an action: by name, each used or refused."""

import math
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias

from snellen.grading.actions.meaning import POINT_KEYS, Named, known_name, meant
from snellen.grading.actions.reading import NAME_KEYS, TOOLS
from snellen.grading.calls import plain_name
from snellen.grading.errors import InputError
from snellen.grading.models.actions import ActionType, direction_of

Fields: TypeAlias = Mapping[str, Any]

QUIET = frozenset(
    {"thought", "thoughts", "thinking", "reasoning", "reason", "rationale", "explanation",
     "explain", "description", "summary", "conclusion", "comment", "intent", "element_info",
     "element_type", "element_description", "target_description", "id", "call_id", "status",
     "pending_safety_checks", "safety_decision", "interval", "duration", "tween", "_pause",
     "logScreenshot", "format", "space", "view"}
)  # fmt: skip
"""Arguments that change nothing on the screen: what an agent says, and how long a move lasts."""

_PROSE = frozenset({"element", "target"})
# As clients fill the fields of the tool's schema.
_DEFAULTS: tuple[tuple[str, object], ...] = (("button", "left"), ("scroll_amount", 0))
_EMPTY: tuple[object, ...] = (None, "", "None", "no input text", [], {})


class ActError(InputError):
    """An action that can't be read or done. It costs a step and changes nothing."""


class Arguments(Mapping[str, object]):
    """The arguments of an action, which know what nothing looked at; `given` looks at none."""

    def __init__(self, given: Fields) -> None:
        self.given = filled(given)
        self._known: set[str] = set()
        self._used: set[str] = set()

    def __getitem__(self, name: str) -> object:
        self._known.add(name)
        value = self.given[name]
        self._used.add(name)
        return value

    def __contains__(self, name: object) -> bool:
        self._known.add(str(name))
        return name in self.given

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    def take(self, *names: str) -> object:
        """Return the first of these arguments that is given; None for none."""
        return next((self[name] for name in names if name in self), None)

    def refuse_unused(self, action: str) -> None:
        """Check that something looked at every argument.

        Raises:
            ActError: Nothing looked at one; the message names it and what is known.
        """
        for name, value in self.given.items():
            idle = name in QUIET or (name in _PROSE and isinstance(value, str))
            if name in self._used or idle or (name, value) in _DEFAULTS:
                continue
            close = get_close_matches(name.lower(), self._known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            # Of the many names of a point, one is enough.
            known = ", ".join(sorted(self._known - set(POINT_KEYS[1:])))
            raise ActError(f"{action} does not use {name[:40]!r}{hint}; it can use {known}")


def filled(given: Fields) -> Fields:
    """Return the arguments that ask for something: clients send the others empty."""
    return {name: value for name, value in given.items() if value not in _EMPTY}


# ---- by name -----------------------------------------------------------------------------------

_CLICKED = ("x", "y", "clicks", "interval", "button")
_PARAMETERS: Mapping[str, Sequence[str]] = {
    "mousedown": ("x", "y", "button"),
    "mouseup": ("x", "y", "button"),
    "dragto": ("x", "y", "duration", "tween", "button"),
    "leftclickdrag": ("x", "y"),
    "press": ("key", "presses", "interval"),
    "noop": ("wait_ms",),
    ActionType.CLICK: _CLICKED,
    ActionType.DOUBLE_CLICK: _CLICKED,
    ActionType.TRIPLE_CLICK: _CLICKED,
    ActionType.RIGHT_CLICK: _CLICKED,
    ActionType.MIDDLE_CLICK: _CLICKED,
    ActionType.LONG_PRESS: ("x", "y", "seconds"),
    ActionType.HOVER: ("x", "y", "duration", "tween"),
    ActionType.DRAG: ("from_x", "from_y", "to_x", "to_y"),
    ActionType.TYPE: ("text", "interval"),
    ActionType.KEY: ("key",),
    ActionType.NAVIGATE: ("key",),
    ActionType.WAIT: ("seconds",),
}
"""The parameters of a call in their order, by its name or else by its type."""


def arguments_of(named: Named) -> Arguments:
    """Return all arguments of a call by name.

    Raises:
        ActError: It has more without a name than are known, or one twice.
    """
    given = {name: value for name, value in named.given.items() if not _is_name(value, named, name)}
    values = list(named.positional)
    if known_name(named.name) == "hotkey" and values:
        listed = len(values) == 1 and isinstance(values[0], list)
        names, values = ("keys",), values if listed else [values]
    else:
        names = _parameters(named, values) if values else ()
    if len(values) > len(names):
        raise ActError(f"{named.name} takes {len(names)} arguments without a name at most")
    twice = [name for name in names[: len(values)] if name in given]
    if twice:
        raise ActError(f"{twice[0]} is given twice")
    return Arguments({**given, **dict(zip(names, values, strict=False))})


def _is_name(value: object, named: Named, argument: str) -> bool:
    """Whether an argument is the action's own name, or its tool's."""
    if argument not in NAME_KEYS or not isinstance(value, str):
        return argument == "action_type"
    plain = plain_name(value)
    return plain == named.name or known_name(value) == known_name(named.name) or plain in TOOLS


def _parameters(named: Named, values: Sequence[object]) -> Sequence[str]:
    name, action = known_name(named.name), meant(named)
    ways = [direction_of(value) for value in values]
    if "scroll" in name:
        if any(ways):
            count = iter(("x", "y", "amount") if len(values) > 2 else ("amount",))
            return ["direction" if way else next(count, "amount") for way in ways]
        if not isinstance(values[0], int | float):
            return ("point", "clicks")
        # BrowserGym's, and pyautogui's.
        return ("delta_x", "delta_y") if len(values) == 2 else ("clicks", "x", "y")
    names = _PARAMETERS.get(name) or _PARAMETERS.get(action.type if action else "")
    if names is None:
        if len(values) == 4:
            return ("x1", "y1", "x2", "y2")
        return [
            "direction" if way else end for way, end in zip(ways, ("start", "end"), strict=False)
        ]
    if len(values) == 3 and isinstance(values[2], str) and names == _CLICKED:
        return ("x", "y", "button")
    if isinstance(values[0], str | list | tuple) and names[:2] == ("x", "y"):
        return ("point", *names[2:])
    return ("start", "end") if names[0] == "from_x" and len(values) == 2 else names


# ---- values ------------------------------------------------------------------------------------


def number(value: object, name: str, least: float = -math.inf) -> float:
    """Return a number, which may be written as a text.

    Raises:
        ActError: It is no finite number, or less than the least.
    """
    try:
        read = math.nan if isinstance(value, bool) else float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        read = math.nan
    if not math.isfinite(read):
        raise ActError(f"{name} must be a finite number, not {short(value)}")
    if read < least:
        raise ActError(f"{name} must not be negative")
    return read


def whole(value: object, name: str, most: int) -> int:
    """Return a whole number from 1.

    Raises:
        ActError: It is none, or more than the most.
    """
    read = number(value, name)
    if read not in range(1, most + 1):
        raise ActError(f"{name} must be a whole number from 1 to {most}, not {read:g}")
    return int(read)


_TRUTHS: Mapping[str, bool] = {
    "true": True, "1": True, "yes": True, "false": False, "0": False, "no": False,
}  # fmt: skip


def flag(value: object, name: str, default: bool) -> bool:
    """Return a truth value, which may be written as a text or a number.

    Raises:
        ActError: It is none.
    """
    if value is None:
        return default
    truth = _TRUTHS.get(str(value).strip().lower())
    if truth is None:
        raise ActError(f"{name} must be true or false, not {short(value)}")
    return truth


def short(value: object) -> str:
    """Return the beginning of a value, for a message."""
    return repr(value)[:40] if value is not None else "nothing"
