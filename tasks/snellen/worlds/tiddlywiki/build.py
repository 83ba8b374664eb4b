"""Build the empty wiki, an HTML file, from the installed npm package, and cache it by its digest.

snellen contains no part of TiddlyWiki. A version of TiddlyWiki always builds the same bytes,
with any version of Node.js.
"""

import os
import subprocess
import tempfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Final

from snellen.grading.errors import InputError, MissingProgramError

VARIABLE: Final = "SNELLEN_TIDDLYWIKI"
VERSION: Final = "5.4.1"
HOW: Final = (
    f"install it with `npm install tiddlywiki@{VERSION}`, and name its folder,"
    f" node_modules/tiddlywiki, in {VARIABLE} unless it is in the folder that you are in"
)

_PROGRAM: Final = "tiddlywiki.js"
_SECONDS: Final = 120.0


def find_package() -> Path:
    """Return the folder of TiddlyWiki's npm package.

    Raises:
        MissingProgramError: It is not installed.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named or "node_modules/tiddlywiki")
    if (folder / _PROGRAM).is_file():
        return folder.resolve()
    if named:
        raise MissingProgramError(f"{VARIABLE} is {named!r}, which has no {_PROGRAM}: {HOW}")
    raise MissingProgramError(f"TiddlyWiki is not on this machine: {HOW}")


def build_wiki() -> str:
    """Build the empty wiki of the installed package, and cache it.

    Returns:
        Its SHA-256, by which `wiki_html` finds it.

    Raises:
        InputError: The package or Node.js is not installed, or the wiki can't be made.
    """
    package = find_package()
    with tempfile.TemporaryDirectory(prefix="snellen-") as room:
        command = [
            *(_node(), _PROGRAM, "editions/empty", "--output", room),
            *("--render", "$:/core/save/all", "wiki.html", "text/plain"),
        ]
        own = {name: value for name, value in os.environ.items() if "TIDDLYWIKI_" not in name}
        try:
            subprocess.run(
                command, cwd=package, env=own, check=True, capture_output=True, timeout=_SECONDS
            )
            html = (Path(room) / "wiki.html").read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", None) or b""
            last = said.decode(errors="replace").strip()[-300:]
            raise InputError(f"the wiki can't be made of {package}: {error} {last}") from error
    digest = sha256(html).hexdigest()
    file = _kept(digest)
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_bytes(html)
    beside.replace(file)
    return digest


def wiki_html(digest: str) -> str:
    """Return an empty wiki; build it if it is not in the cache.

    Args:
        digest: Its SHA-256.

    Raises:
        InputError: It is not in the cache, and the installed package, if any, builds another one.
    """
    html = _read(digest)
    if html is None:
        made = build_wiki()
        html = _read(digest)
        if html is None:
            raise InputError(
                f"the tasks are set in the wiki {digest[:12]}, and the installed package makes"
                f" {made[:12]}: {HOW}"
            )
    return html


def _read(digest: str) -> str | None:
    try:
        html = _kept(digest).read_bytes()
    except FileNotFoundError:
        return None
    # A cached file may be cut off or changed; then it is built again.
    return html.decode() if sha256(html).hexdigest() == digest else None


def _kept(digest: str) -> Path:
    from platformdirs import user_cache_path

    named = os.environ.get("SNELLEN_HOME")
    folder = Path(named) if named else user_cache_path("snellen", appauthor=False)
    return folder / "tiddlywiki" / f"{digest}.html"


def _node() -> str:
    playwright = find_spec("playwright")
    if playwright is not None and playwright.origin is not None:
        for name in ("node", "node.exe"):
            bundled = Path(playwright.origin).parent / "driver" / name
            if bundled.is_file():
                return str(bundled)
    found = which("node")
    if found is None:
        raise MissingProgramError(
            "there is no Node.js to run TiddlyWiki with: pip install playwright"
        )
    return found
