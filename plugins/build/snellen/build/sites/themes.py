"""Themes: the colors of a site, and the fonts that stylesheets choose from.

Every text color has a contrast of at least 4.5 to its background (WCAG 2.2, 1.4.3). The fonts are
those of Debian's `fonts-liberation` and `fonts-dejavu-core`; Arabic is in the latter, Chinese needs
`fonts-wqy-microhei` (1.6 MB), `fonts-droid-fallback` or `fonts-noto-cjk`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_REST = '"WenQuanYi Micro Hei", "Noto Sans CJK SC", "Droid Sans Fallback"'
SANS = f'"Liberation Sans", Arial, Helvetica, {_REST}, sans-serif'
WIDE = f'"DejaVu Sans", Verdana, {_REST}, sans-serif'
NARROW = f'"Liberation Sans Narrow", "Arial Narrow", "Liberation Sans", {_REST}, sans-serif'
SERIF = f'"Liberation Serif", "Times New Roman", {_REST}, serif'
BOOK = f'"DejaVu Serif", Georgia, {_REST}, serif'
MONO = f'"Liberation Mono", "DejaVu Sans Mono", {_REST}, monospace'


@dataclass(frozen=True, slots=True)
class Colors:
    """The colors of a theme, `#rrggbb`; `on_x` is the text on `x`."""

    page: str
    surface: str
    sunken: str
    text: str
    muted: str
    line: str
    link: str
    primary: str
    on_primary: str
    header: str
    on_header: str
    footer: str
    on_footer: str
    danger: str = "#b3261e"
    on_danger: str = "#ffffff"
    badge: str = "#e3f1e4"
    on_badge: str = "#1b5425"
    notice: str = "#fff3d1"
    on_notice: str = "#5c4200"

    def pairs(self) -> list[tuple[str, str]]:
        """Return each text color with each of its background colors."""
        plain = [
            (front, back)
            for front in (self.text, self.muted, self.link)
            for back in (self.page, self.surface, self.sunken)
        ]
        return [
            *plain,
            (self.on_primary, self.primary),
            (self.on_header, self.header),
            (self.on_footer, self.footer),
            (self.on_danger, self.danger),
            (self.on_badge, self.badge),
            (self.on_notice, self.notice),
        ]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colors of a site."""

    name: str  # its name, a tag of the page
    colors: Colors


FONTS = {
    "sans": SANS,
    "wide": WIDE,
    "narrow": NARROW,
    "serif": SERIF,
    "book": BOOK,
    "mono": MONO,
}
"""The fonts, by the name of their variable in stylesheets."""

_THEMES = (
    Theme(
        "harbor",
        Colors(
            page="#f5f8fb", surface="#ffffff", sunken="#e7eef5", text="#17293a", muted="#4a5f73",
            line="#c6d4e0", link="#0b5394", primary="#0b5ca8", on_primary="#ffffff",
            header="#0d2f52", on_header="#f2f7fc", footer="#0d2f52", on_footer="#dbe7f2",
        ),
    ),
    Theme(
        "orchard",
        Colors(
            page="#fbfaf4", surface="#ffffff", sunken="#eef1e2", text="#26301c", muted="#56614a",
            line="#d5dbc4", link="#2f6418", primary="#3a7320", on_primary="#ffffff",
            header="#ffffff", on_header="#26301c", footer="#eef1e2", on_footer="#3c4731",
        ),
    ),
    Theme(
        "ledger",
        Colors(
            page="#ffffff", surface="#ffffff", sunken="#f1f1f1", text="#1b1b1b", muted="#565656",
            line="#bdbdbd", link="#00458b", primary="#1b1b1b", on_primary="#ffffff",
            header="#ffffff", on_header="#1b1b1b", footer="#1b1b1b", on_footer="#e6e6e6",
        ),
    ),
    Theme(
        "console",
        Colors(
            page="#14181f", surface="#1d232d", sunken="#272f3b", text="#e8edf4", muted="#aab6c5",
            line="#3a4453", link="#7cc0ff", primary="#4fa8f7", on_primary="#06121f",
            header="#0e1117", on_header="#e8edf4", footer="#0e1117", on_footer="#b9c4d1",
            danger="#ff8f85", on_danger="#2b0400", badge="#173d2a", on_badge="#9be7b9",
            notice="#42360f", on_notice="#ffe08a",
        ),
    ),
    Theme(
        "poppy",
        Colors(
            page="#fffdfb", surface="#ffffff", sunken="#fdeee8", text="#33201b", muted="#715149",
            line="#eed3c8", link="#a3321a", primary="#bf3b1f", on_primary="#ffffff",
            header="#bf3b1f", on_header="#ffffff", footer="#3b211a", on_footer="#f7ded5",
        ),
    ),
    Theme(
        "civic",
        Colors(
            page="#ffffff", surface="#f7f8fa", sunken="#e9ecf1", text="#15191f", muted="#4b5563",
            line="#c3cad4", link="#1d4ed8", primary="#1a4fb4", on_primary="#ffffff",
            header="#f7f8fa", on_header="#15191f", footer="#15191f", on_footer="#e4e8ee",
        ),
    ),
    Theme(
        "violet",
        Colors(
            page="#f7f5fc", surface="#ffffff", sunken="#ece7f8", text="#241b38", muted="#5a4f74",
            line="#d3c9ea", link="#5b2fb5", primary="#6434c4", on_primary="#ffffff",
            header="#ffffff", on_header="#241b38", footer="#241b38", on_footer="#ddd3f1",
        ),
    ),
    Theme(
        "slate",
        Colors(
            page="#eceff1", surface="#ffffff", sunken="#dde3e7", text="#202a30", muted="#4a5860",
            line="#b4c0c7", link="#005a66", primary="#00606d", on_primary="#ffffff",
            header="#2a3940", on_header="#eef4f6", footer="#2a3940", on_footer="#d5e0e4",
        ),
    ),
    Theme(
        "sand",
        Colors(
            page="#f6f0e6", surface="#fffaf1", sunken="#ebe1cf", text="#33291a", muted="#63543b",
            line="#d3c4a6", link="#7a4300", primary="#855000", on_primary="#ffffff",
            header="#33291a", on_header="#f6ead4", footer="#33291a", on_footer="#e3d5ba",
        ),
    ),
    Theme(
        "mint",
        Colors(
            page="#f2faf8", surface="#ffffff", sunken="#def1ec", text="#10302a", muted="#41625b",
            line="#b7dbd2", link="#00665a", primary="#007163", on_primary="#ffffff",
            header="#e0f3ee", on_header="#10302a", footer="#0d3b33", on_footer="#cfeae3",
        ),
    ),
    Theme(
        "midnight",
        Colors(
            page="#191326", surface="#231b35", sunken="#2f2546", text="#f1ecfb", muted="#bcb0d4",
            line="#46395f", link="#d0a6ff", primary="#f2c14e", on_primary="#261b00",
            header="#191326", on_header="#f1ecfb", footer="#100b1a", on_footer="#c9bedf",
            danger="#ff938a", on_danger="#2b0400", badge="#173d2a", on_badge="#9be7b9",
            notice="#42360f", on_notice="#ffe08a",
        ),
    ),
    Theme(
        "press",
        Colors(
            page="#fffefa", surface="#fffefa", sunken="#f3efe4", text="#1a1814", muted="#5d574a",
            line="#c9c1ae", link="#8a1538", primary="#8a1538", on_primary="#ffffff",
            header="#fffefa", on_header="#1a1814", footer="#1a1814", on_footer="#e8e2d3",
        ),
    ),
)  # fmt: skip

THEMES: Mapping[str, Theme] = {theme.name: theme for theme in _THEMES}
"""The themes by name."""
