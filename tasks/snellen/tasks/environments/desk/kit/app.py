"""An application: its name, its verbs, its view."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.tasks.environments.desk.kit.verbs import Verb
from snellen.tasks.environments.desk.kit.view import View


@dataclass(frozen=True, slots=True)
class App:
    """An application.

    Attributes:
        name: What it is called in keys and tags, and its icon's name.
        title: What the screen calls it.
        view: What draws it.
        verbs: What can be done and read in it.
    """

    name: str
    title: str
    view: Callable[[View], Markup]
    verbs: Sequence[Verb]

    def tools(self) -> Mapping[str, Verb]:
        """Return what an agent can do and read without a screen, by name."""
        return {verb.name: verb for verb in self.verbs}
