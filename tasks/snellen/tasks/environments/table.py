"""Every environment by its name; each is imported when it is first opened."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from snellen.grading.errors import UnknownNameError

if TYPE_CHECKING:
    from snellen.tasks.environments.base import Environment
    from snellen.tasks.environments.browser import Browser

ENVIRONMENTS: Mapping[str, str] = MappingProxyType(
    {
        "desk": "snellen.tasks.environments.desk.environment:Desk",
        "miniwob": "snellen.tasks.environments.miniwob.episodes:MiniWoB",
    }
)
"""`module:class` of each, which is made of the browser that shows it."""


def environment_of(name: str, browser: "Browser") -> "Environment":
    """Return an environment.

    Args:
        name: As packs call it.
        browser: Shows its pages.

    Raises:
        UnknownNameError: There is none of this name.
        MissingExtraError: It needs an optional dependency.
    """
    if name not in ENVIRONMENTS:
        raise UnknownNameError("environment", name, ENVIRONMENTS)
    module, _, kind = ENVIRONMENTS[name].partition(":")
    made: Environment = getattr(import_module(module), kind)(browser)
    return made
