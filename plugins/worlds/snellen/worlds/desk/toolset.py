"""The tools of a desk: its applications' verbs, without a screen."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from pydantic import JsonValue

from snellen.tasks.environments.base import NO_HISTORY, CallError, History, WorldTool
from snellen.worlds.desk.apps.sheet import SHEET
from snellen.worlds.desk.apps.table import APPS, VERBS
from snellen.worlds.desk.beginning import beginning
from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.kit.verbs import UNDO, RefusalError, State, copied

NAME: Final = "desk"


class DeskCalls:
    """One desktop's state, which only tool calls change.

    Args:
        before: The world's first state.
        state: The current state.
    """

    def __init__(self, before: State, state: State) -> None:
        self._before = before
        self._state = state

    def call(self, tool: str, given: Mapping[str, JsonValue]) -> JsonValue:
        """Run a verb, and return its answer.

        Raises:
            CallError: It can't be done, an argument is wrong, or there is no such verb.
        """
        if tool not in VERBS:
            raise CallError(f"there is no tool {tool!r}")
        try:
            self._state, answer = VERBS[tool](self._state, given)
        except RefusalError as error:
            raise CallError(str(error)) from None
        return answer

    @property
    def snapshot(self) -> JsonValue:
        """The state; nothing is open on a screen."""
        return cast(JsonValue, copied({"state": self._state, "ui": {}}))

    @property
    def result(self) -> dict[str, JsonValue]:
        """The changes since the beginning, as on the screen."""
        return {"changes": changes(self._before, self._state)}


class DeskToolset:
    """The tools of a desk; see `snellen.tasks.environments.base.Toolset`."""

    @property
    def name(self) -> str:
        """`desk`."""
        return NAME

    @property
    def tools(self) -> Sequence[WorldTool]:
        """The verbs of all applications, in the order of the dock; the sheet's has undo, too."""
        verbs = [(app.name, verb) for app in APPS.values() for verb in app.verbs]
        return [
            WorldTool(app, verb.name, verb.description, verb.arguments, verb.reads)
            for app, verb in (*verbs, (SHEET.name, UNDO))
        ]

    def open(self, world: JsonValue, history: History = NO_HISTORY) -> DeskCalls:
        """Open a desktop, or open it again from its snapshot.

        Raises:
            DataError: `world` has no state, or one without some application.
        """
        before, state, _ = beginning(world, history)
        return DeskCalls(before, state)
