"""Every environment by its name; each is imported at its first use."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from snellen.grading.errors import InputError, MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from snellen.tasks.environments.base import Environment, Toolset
    from snellen.tasks.environments.browser import Browser

ENVIRONMENTS: Mapping[str, str] = MappingProxyType(
    {
        "desk": "snellen.worlds.desk.environment:Desk",
        "miniwob": "snellen.worlds.miniwob.episodes:MiniWoB",
    }
)
"""`module:class` of each; the class takes the browser that shows it."""

TOOLSETS: Mapping[str, str] = MappingProxyType({"desk": "snellen.worlds.desk.toolset:DeskToolset"})
"""`module:class` of the environments that also have tools; they need no browser."""


PACKS: Mapping[str, str] = MappingProxyType(
    {
        "desk": "desk",
        "desk-2": "desk",
        "desk-easy": "desk",
        "miniwob": "miniwob",
        "miniwob-browsergym": "miniwob",
    }
)
"""The packs of interactive tasks, and the environment of each."""

TRAINING_SEEDS = 2**62
"""The seeds of worlds for training begin here; those of exams are below."""


def environment_of(name: str, browser: "Browser") -> "Environment":
    """Return an environment.

    Args:
        name: Its name in packs.
        browser: The browser that shows its pages.

    Raises:
        UnknownNameError: There is no environment of this name.
        MissingExtraError: It needs an optional dependency.
    """
    if name not in ENVIRONMENTS:
        raise UnknownNameError("environment", name, ENVIRONMENTS)
    made: Environment = _imported(ENVIRONMENTS[name])(browser)
    return made


def toolset_of(name: str) -> "Toolset":
    """Return the tools of an environment.

    Args:
        name: Its name in packs.

    Raises:
        UnknownNameError: There is no environment of this name.
        InputError: It has no tools, only a screen.
        MissingExtraError: It needs an optional dependency.
    """
    if name not in ENVIRONMENTS:
        raise UnknownNameError("environment", name, ENVIRONMENTS)
    if name not in TOOLSETS:
        raise InputError(f"{name} has no tools: agents can only use its screen")
    made: Toolset = _imported(TOOLSETS[name])()
    return made


def need_extra() -> None:
    """Check that what applications are drawn with is installed.

    Raises:
        MissingExtraError: It is not.
    """
    if find_spec("markupsafe") is None:
        raise MissingExtraError("an exam of interactive tasks", "miniwob")


def _imported(home: str) -> Any:  # noqa: ANN401  # a class by its name
    need_extra()
    module, _, kind = home.partition(":")
    return getattr(import_module(module), kind)
