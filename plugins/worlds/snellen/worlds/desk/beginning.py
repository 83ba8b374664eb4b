"""Read the first or a later state of a desk from JSON."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from snellen.grading.errors import DataError
from snellen.tasks.environments.base import EpisodeError, History
from snellen.worlds.desk.apps.table import APPS
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import Ui


class Beginning(NamedTuple):
    """The state in which a world is opened."""

    before: State  # its first state
    state: State  # its current state
    ui: Ui  # the state of its screen, such as open windows


def beginning(world: JsonValue, history: History) -> Beginning:
    """Read a world and its history.

    Args:
        world: `state`, and `ui` if something is open at the beginning.
        history: Its history; the snapshot is enough.

    Raises:
        DataError: `world` has no state, or one without some application.
        EpisodeError: The history has inputs and no snapshot.
    """
    before = _part(world, "state", "the world of a desk")
    for name in ("clock", "me", *APPS):
        if name not in before:
            raise DataError(f"the state of a desk's world has no {name!r}")
    if history.snapshot is not None:
        state = _part(history.snapshot, "state", "a desk's snapshot")
        return Beginning(before, state, _part(history.snapshot, "ui", "a desk's snapshot"))
    if history.inputs:
        raise EpisodeError("a desk is reopened from its snapshot, and there is none")
    ui = _part(world, "ui", "the world of a desk") if "ui" in _keys(world) else {}
    return Beginning(before, before, ui)


def _keys(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _part(value: JsonValue, name: str, what: str) -> dict[str, Any]:
    part = _keys(value).get(name)
    if not isinstance(part, dict):
        raise DataError(f"{what} needs {name!r}, a JSON object")
    return cast(dict[str, Any], part)
