"""An application: its name, its verbs, its view."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.worlds.desk.kit.verbs import Verb
from snellen.worlds.desk.kit.view import View


@dataclass(frozen=True, slots=True)
class App:
    """An application."""

    name: str  # its name in keys and tags, and its icon's name
    title: str  # its name on the screen
    view: Callable[[View], Markup]  # the function that draws it
    verbs: Sequence[Verb]  # its verbs, which change or read its state
