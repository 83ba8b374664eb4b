"""The one way to print with colors and in tables: control characters in texts are made visible.

Rich's own consoles drop five of them, and pass on the one that terminals take commands after.
"""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from snellen.cli.plain import printable


class Terminal(Console):
    """A console whose texts can't steer the terminal; markup in them is for callers to escape.

    Args:
        stderr: Write to standard error.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False)
        # Looked up when something is printed, not when the module of a command is imported.
        self._width = self._height = None

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield what is to be written, in pieces; those that are commands are rich's own."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(printable(segment.text), segment.style)
            else:
                yield segment
