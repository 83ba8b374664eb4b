"""Icons as inline SVG, with strokes in the color of the text."""

from snellen.build.sites.markup import Html

_PATHS = {
    "home": "M3 11 12 4l9 7M6 9.5V20h12V9.5M10 20v-6h4v6",
    "list": "M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01",
    "card": "M3 6h18v12H3zM3 10h18M7 15h4",
    "pen": "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
    "chart": "M4 20V4M4 20h16M8 17v-5M12 17V8M16 17v-7",
    "person": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 4-7 8-7s7 2 8 7",
    "cart": "M3 4h2l2 11h11l2-8H6M9 20h.01M17 20h.01",
    "calendar": "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
    "question": "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
    "mail": "M3 6h18v12H3zM3 7l9 7 9-7",
    "book": "M5 4h14v16H5zM9 4v16M12 8h4M12 12h4",
    "switches": "M4 8h16M4 16h16M9 8a2 2 0 1 0 .01 0M15 16a2 2 0 1 0 .01 0",
    "search": "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5",
    "menu": "M4 6h16M4 12h16M4 18h16",
    "save": "M6 4h12v16l-6-4-6 4z",
    "share": "M12 15V3M8 7l4-4 4 4M5 12v8h14v-8",
    "print": "M7 9V3h10v6M7 17H4v-8h16v8h-3M7 14h10v7H7z",
    "download": "M12 3v12M8 11l4 4 4-4M5 20h14",
    "copy": "M8 8h12v12H8zM16 8V4H4v12h4",
    "forward": "M13 6l6 6-6 6M19 12H5",
    "plus": "M12 4v16M4 12h16",
    "pin": "M12 21s-7-6-7-11a7 7 0 0 1 14 0c0 5-7 11-7 11zM12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    "bell": "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4",
    "next": "M9 5l7 7-7 7",
}

_OF_STRUCTURES = {
    "home": "home", "listing": "list", "menu": "list", "detail": "card", "plans": "card",
    "article": "book", "docs": "book", "reference": "card", "timetable": "calendar",
    "faq": "question", "form": "pen", "signin": "person", "checkout": "cart",
    "account": "person", "toggles": "switches", "dashboard": "chart", "inbox": "mail",
    "message": "mail", "feed": "list",
}  # fmt: skip


def icon(name: str, size: int = 20) -> Html:
    """Return an icon that is hidden from assistive technology."""
    return Html(
        f'<svg class="icon-{name}" width="{size}" height="{size}" viewBox="0 0 24 24" fill="none" '
        f'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" '
        f'aria-hidden="true"><path d="{_PATHS[name]}"/></svg>'
    )


def icon_of(structure: str, size: int = 20) -> Html:
    """Return the icon for pages of a structure."""
    return icon(_OF_STRUCTURES[structure], size)
