"""An application: its name, its verbs, its view."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.worlds.desk.kit.verbs import Verb
from snellen.worlds.desk.kit.view import View


@dataclass(frozen=True, slots=True)
class App:
    """An application.

    Attributes:
        name: Its name in keys and tags, and its icon's name.
        title: Its name on the screen.
        view: The function that draws it.
        verbs: Its verbs, which change or read its state.
    """

    name: str
    title: str
    view: Callable[[View], Markup]
    verbs: Sequence[Verb]
