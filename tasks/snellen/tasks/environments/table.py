"""Every environment by its name.

Installed packages register them by entry points: the groups are `snellen.environments`
(`module:class`; the class takes the browser that shows it), and, of the environments that also have
them, `snellen.toolsets`, and `snellen.url` and `snellen.webmcp` (pages for other browsers). Each is
imported at its first use.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from snellen.grading.errors import InputError, MissingExtraError, UnknownNameError
from snellen.grading.protocols.plugins import registered

if TYPE_CHECKING:
    from snellen.tasks.environments.base import Environment, Pages, Toolset
    from snellen.tasks.environments.browser import Browser

ENVIRONMENTS, TOOLSETS = "snellen.environments", "snellen.toolsets"

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
    need_extra()
    made: Environment = _loaded(ENVIRONMENTS, name)(browser)
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
    if name in registered(ENVIRONMENTS) and name not in registered(TOOLSETS):
        raise InputError(f"{name} has no tools: agents can only use its screen")
    need_extra()
    made: Toolset = _loaded(TOOLSETS, name)()
    return made


def pages_of(name: str, door: str) -> "Pages":
    """Return the pages of an environment for browsers that are not the server's.

    Args:
        name: Its name in packs.
        door: `url` or `webmcp`: what the pages have.

    Raises:
        UnknownNameError: There is no environment of this name.
        InputError: It has no such pages.
        MissingExtraError: It needs an optional dependency.
    """
    group = f"snellen.{door}"
    if name in registered(ENVIRONMENTS) and name not in registered(group):
        raise InputError(
            f"{name} can't be done with door {door}: its pages keep the score in their own script,"
            " which must not run in an agent's browser"
        )
    need_extra()
    made: Pages = _loaded(group, name)()
    return made


def need_extra() -> None:
    """Check that what applications are drawn with is installed.

    Raises:
        MissingExtraError: It is not.
    """
    if find_spec("markupsafe") is None:
        raise MissingExtraError("an exam of interactive tasks", "miniwob")


def _loaded(group: str, name: str) -> Any:  # noqa: ANN401  # what a package registers
    known = registered(group)
    if name not in known:
        raise UnknownNameError("environment", name, known)
    return known[name][0].load()
