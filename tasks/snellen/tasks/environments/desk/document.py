"""The HTML document that shows a desktop, with its style and script."""

from functools import cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup

from snellen.tasks.environments.desk.desktop import Page

SIZE: Final = (1280, 800)


def document(page: Page) -> str:
    """Return a whole HTML document that shows a page."""
    return str(
        Markup(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Desktop</title>'
            '<style>{}</style></head><body><div id="root">{}</div><script>{}</script></body></html>'
        ).format(_text("desk.css"), Markup(page.html), _text("desk.js"))
    )


@cache
def _text(name: str) -> Markup:
    return Markup((files(__package__ or "") / name).read_text(encoding="utf-8"))
