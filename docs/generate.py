# ruff: noqa: INP001  (a script beside the pages that it writes)
"""Write the parts of these pages that come from the code: `python docs/generate.py [PAGE ...]`.

PAGE is the name of a page without its ending, such as metrics; without one, all are written.
Between `<!-- generated: NAME -->` and `<!-- end -->` stands what the function of that name in
`parts.py` returns, in README.md and mkdocs.yml too. Below each `$` line of a console block, and
each `>>>` line of a pycon block, stands what it prints. With `--check` nothing is written: the
status is 1 when a page is not what it would be.
"""

import contextlib
import difflib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

from parts import PARTS, ROOT

DOCS = ROOT / "docs"
COLUMNS = 100

_PART = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?([# ]*<!-- end -->\n)", re.DOTALL)
_CONSOLE = re.compile(r"(```console\n)(?P<body>.*?)(```\n)", re.DOTALL)
_SESSION = re.compile(r"(```pycon\n)(?P<body>.*?)(```\n)", re.DOTALL)


def main() -> int:
    """Write every page, or with --check compare them; return the exit status."""
    os.environ["SNELLEN_HOME"] = tempfile.mkdtemp()
    given = sys.argv[1:]
    check, names = "--check" in given, {name for name in given if name != "--check"}
    pages = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "mkdocs.yml"]
    if unknown := names - {page.stem for page in pages}:
        sys.exit(f"there is no page {min(unknown)}")
    stale = 0
    for page in pages:
        if names and page.stem not in names:
            continue
        old = page.read_text(encoding="utf-8")
        new = render(old)
        if new == old:
            continue
        stale += 1
        if check:
            sys.stdout.writelines(
                difflib.unified_diff(
                    old.splitlines(keepends=True),
                    new.splitlines(keepends=True),
                    f"{page.name} as it is",
                    f"{page.name} as docs/generate.py writes it",
                )
            )
        else:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    return int(check and stale > 0)


def render(page: str) -> str:
    """Return a page with its generated parts and its outputs as they are now."""

    def shell(match: re.Match[str]) -> str:
        return match[1] + console(match["body"]) + match[3]

    def python(match: re.Match[str]) -> str:
        return match[1] + session(match["body"]) + match[3]

    return _SESSION.sub(python, _CONSOLE.sub(shell, parts(page)))


def parts(page: str) -> str:
    """Return a page with its generated parts as they are now."""

    def part(match: re.Match[str]) -> str:
        return f"{match[1]}\n{PARTS[match['name']]()}\n{match[3]}"

    return _PART.sub(part, page)


def console(body: str) -> str:
    """Return a console block with each command's output as it is now.

    A block with a line `...` differs from machine to machine: it is left as it is.
    """
    if "\n...\n" in body:
        return body
    with _room() as folder:
        shown = "".join(_run(line, folder) for line in body.splitlines() if line[:1] == "$")
        return shown.replace(str(folder), "/home/me")


def session(body: str) -> str:
    """Return a Python session with each statement's output as it is now."""
    names: dict[str, object] = {"__name__": "__main__"}
    lines: list[str] = []
    with _room() as folder, contextlib.chdir(folder):
        for example in doctest.DocTestParser().get_examples(body):
            first, *others = example.source.splitlines()
            lines += [f">>> {first}", *(f"... {line}" for line in others)]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(example.source, "<docs>", "single"), names)
            lines += [line or "<BLANKLINE>" for line in printed.getvalue().splitlines()]
    return "".join(f"{line}\n" for line in lines)


@contextlib.contextmanager
def _room() -> Generator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder, "examples"))
        yield Path(folder)


def _run(line: str, folder: Path) -> str:
    command = line.removeprefix("$ ")
    environment = {
        **os.environ,
        "COLUMNS": str(COLUMNS),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TERM": "dumb",
    }
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = [text.rstrip() for text in done.stdout.splitlines()]
    status = [f"[exit status {done.returncode}]"] if done.returncode else []
    return "".join(f"{text}\n" for text in [line, *printed, *status])


if __name__ == "__main__":
    sys.exit(main())
