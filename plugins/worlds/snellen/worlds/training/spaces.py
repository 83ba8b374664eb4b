"""The spaces of observations and actions that Gymnasium lacks: any text, and the vocabulary."""

from collections.abc import Callable, Sequence
from typing import Any

from gymnasium import Space

from snellen.grading.errors import InputError
from snellen.tasks.environments.acting import Screen, read_act
from snellen.worlds.training.actions import END, call_of, end_of


class Unicode(Space[str]):
    """Any text."""

    def __init__(self) -> None:
        super().__init__((), None)

    @property
    def is_np_flattenable(self) -> bool:
        """False."""
        return False

    def contains(self, x: Any) -> bool:  # noqa: ANN401  # as Gymnasium
        """Whether it is a text."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:  # noqa: ANN401
        """Return the empty text."""
        return ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return "Unicode()"


class ActSpace(Space[Any]):
    """The actions of a screen: what the exam's tool `act` takes, and an end.

    An action is an object such as `{"action": "left_click", "coordinate": [640, 400]}`, in any
    vocabulary that `act` reads, or the text of a call such as `click(640, 400)`. An end is
    `{"action": "done", "answer": ...}` or `{"action": "infeasible", "reason_code": ...}`.

    Args:
        width: Of the screen, in pixels.
        height: Of the screen, in pixels.
    """

    def __init__(self, width: int, height: int) -> None:
        super().__init__((), None)
        self.screen = Screen(width, height)

    @property
    def is_np_flattenable(self) -> bool:
        """False."""
        return False

    def check(self, action: Any) -> None:  # noqa: ANN401  # any vocabulary
        """Check that an action can be read.

        Raises:
            InputError: It can't be.
        """
        if end_of(action) is None and read_act(action, self.screen).end:
            raise InputError(END)

    def contains(self, x: Any) -> bool:  # noqa: ANN401  # as Gymnasium
        """Whether it can be read."""
        return _fits(self.check, x)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:  # noqa: ANN401
        """Return a click at a random place."""
        x, y = self.np_random.random(2) * (self.screen.width, self.screen.height)
        return {"action": "left_click", "coordinate": [int(x), int(y)]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActSpace) and self.screen == other.screen

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"ActSpace({self.screen.width}, {self.screen.height})"


class CallSpace(Space[Any]):
    """The actions of an application's tools: `{"tool": NAME, "arguments": {...}}`, and an end.

    Args:
        tools: The names of the tools.
    """

    def __init__(self, tools: Sequence[str]) -> None:
        super().__init__((), None)
        self.tools = tuple(tools)

    @property
    def is_np_flattenable(self) -> bool:
        """False."""
        return False

    def check(self, action: object) -> None:
        """Check that an action is a call or an end.

        Raises:
            InputError: It is neither.
        """
        if end_of(action) is None and (tool := call_of(action).tool) not in self.tools:
            raise InputError(f"there is no tool {tool!r}")

    def contains(self, x: Any) -> bool:  # noqa: ANN401  # as Gymnasium
        """Whether it is a call or an end."""
        return _fits(self.check, x)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:  # noqa: ANN401
        """Return a call of a random tool without arguments."""
        return {"tool": self.tools[int(self.np_random.integers(len(self.tools)))], "arguments": {}}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallSpace) and self.tools == other.tools

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"CallSpace({len(self.tools)} tools)"


def _fits(check: Callable[[Any], None], action: object) -> bool:
    try:
        check(action)
    except InputError:
        return False
    return True
