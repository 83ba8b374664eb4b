"""What is pinned so that a page looks the same each time: flags, fonts, clock, chance.

Pinned: Chromium's flags; the window's size, one device pixel to a CSS pixel; English (United
States) and UTC; light colors, less motion; the date, which stands still at `NOW`; `Math.random`;
on Linux the fonts, by a fontconfig of our own that knows `FAMILIES` only. Not pinned: Chromium's
version and the fonts' versions, which a build records.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from shutil import which
from typing import Any, Final
from xml.sax.saxutils import escape

from snellen.tasks.browser.settings import BrowserSettings

NOW: Final = 1_750_068_000_000
"""Monday, 16 June 2025, 10:00 UTC, in milliseconds."""

LOCALE: Final = "en-US"
TIMEZONE: Final = "UTC"

FLAGS: Final = (
    # Drawing: the same on each machine.
    "--disable-gpu",
    "--disable-lcd-text",
    "--disable-font-subpixel-positioning",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--disable-partial-raster",
    "--disable-skia-runtime-opts",
    "--blink-settings=imageAnimationPolicy=2",
    # Reaching nothing: neither by name, nor by number, nor past the proxy.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://blocked.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    # Talking to nobody, asking nothing.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
)

SANS: Final = "Liberation Sans"
SERIF: Final = "Liberation Serif"
MONO: Final = "Liberation Mono"
FALLBACKS: Final = (
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Naskh Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Sans CJK SC",
    "Noto Sans CJK TC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Noto Color Emoji",
)
FAMILIES: Final = (
    SANS,
    SERIF,
    MONO,
    "DejaVu Serif",
    "DejaVu Sans Mono",
    "Noto Serif",
    "Noto Sans Mono",
    *FALLBACKS,
)
_SAME: Final = {
    SANS: ("Arial", "Helvetica", "Helvetica Neue", "Segoe UI", "Roboto", "system-ui", "sans-serif"),
    SERIF: ("Times New Roman", "Times", "Georgia", "serif"),
    MONO: ("Courier New", "Courier", "Consolas", "Menlo", "monospace"),
    "DejaVu Sans": ("Verdana", "Tahoma"),
}
_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts")


@cache
def script(name: str) -> str:
    """Return a script that ships with snellen, by its path below it, such as `build/a/b.js`."""
    package, _, path = name.partition("/")
    return (files(f"snellen.{package}") / path).read_text(encoding="utf-8")


def init_script(seed: int) -> str:
    """Return what runs before any script of a page.

    Args:
        seed: Of `Math.random`.
    """
    # A year a frame would make dates of it; ten seconds end any animation.
    return f"{script('tasks/browser/pinning.js')}({{now: {NOW}, seed: {seed}, step: 10000}});"


def context_options(settings: BrowserSettings) -> dict[str, Any]:
    """Return what a browser context is made with."""
    return {
        "viewport": {"width": settings.width, "height": settings.height},
        "screen": {"width": settings.width, "height": settings.height},
        "device_scale_factor": 1,
        "locale": LOCALE,
        "timezone_id": TIMEZONE,
        "color_scheme": "light",
        "reduced_motion": "reduce",
        "forced_colors": "none",
        "service_workers": "block",
        "accept_downloads": False,
        "permissions": [],
    }


def fontconfig(extra: Sequence[Path] = ()) -> str:
    """Return a fontconfig that knows the pinned families only.

    Args:
        extra: More folders of fonts.
    """
    folders = "".join(f"<dir>{escape(str(folder))}</dir>" for folder in (*_FOLDERS, *extra))
    # By properties: a file that is rejected by its name can't be accepted by its family.
    rejected = "".join(
        f'<pattern><patelt name="scalable"><bool>{value}</bool></patelt></pattern>'
        for value in ("true", "false")
    )
    accepted = "".join(
        f'<pattern><patelt name="family"><string>{family}</string></patelt></pattern>'
        for family in FAMILIES
    )
    same = "".join(
        f'<alias binding="same"><family>{name}</family><prefer><family>{family}</family>'
        f"{_fallbacks(name)}</prefer></alias>"
        for family, names in _SAME.items()
        for name in names
    )
    settings = "".join(
        f'<edit name="{name}" mode="assign"><{kind}>{value}</{kind}></edit>'
        for name, kind, value in (
            ("antialias", "bool", "true"),
            ("hinting", "bool", "false"),
            ("hintstyle", "const", "hintnone"),
            ("rgba", "const", "none"),
            ("embeddedbitmap", "bool", "true"),
        )
    )
    return (
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>'
        f'{folders}<cachedir>/var/cache/fontconfig</cachedir><cachedir prefix="xdg">fontconfig'
        f"</cachedir><selectfont><rejectfont>{rejected}</rejectfont><acceptfont>"
        f'{accepted}</acceptfont></selectfont>{same}<match target="font">{settings}</match>'
        "</fontconfig>\n"
    )


def _fallbacks(name: str) -> str:
    general = name in {"sans-serif", "serif", "monospace", "system-ui"}
    return "".join(f"<family>{family}</family>" for family in FALLBACKS) if general else ""


def font_digests(config: Path) -> Mapping[str, str]:
    """Return which pinned families there are: the SHA-256 of each one's files, shortened.

    Empty where fontconfig's `fc-list` is not installed.
    """
    program = which("fc-list")
    if program is None:
        return {}
    listed = subprocess.run(
        [program, "--format", "%{family[0]}\t%{file}\n"],
        env={**os.environ, "FONTCONFIG_FILE": str(config)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    ).stdout
    paths: dict[str, set[str]] = {}
    for line in listed.splitlines():
        family, _, path = line.partition("\t")
        paths.setdefault(family, set()).add(path)
    return {
        family: sha256(b"".join(Path(path).read_bytes() for path in sorted(found))).hexdigest()[:16]
        for family, found in sorted(paths.items())
    }
