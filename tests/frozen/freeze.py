"""Write the frozen digests anew.

    python tests/frozen/freeze.py                 everything
    python tests/frozen/freeze.py numbers tools   some subjects

Run it only if an issue changes numbers, tools, routes or packs on purpose, and say in the commit
which entries change and why: `git diff` shows them by name. Packs need Chromium; the demonstration
needs the extra `demo`.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

if __name__ == "__main__":  # pytest finds the miniatures by its own setting
    sys.path.append(str(Path(__file__).parents[1] / "miniatures"))

import frozen_demo
import frozen_numbers
import frozen_packs
import frozen_server
import stored

Make = Callable[[Path], stored.Entries]


def numbers(folder: Path) -> stored.Entries:
    """Return the numbers of all tasks under all protocols."""
    found = frozen_numbers.graded(folder)
    return {graded.name: frozen_numbers.summary(graded.report) for graded in found}


def signatures(folder: Path) -> stored.Entries:
    """Return the signatures of all tasks under all protocols."""
    found = frozen_numbers.graded(folder)
    return {graded.name: frozen_numbers.signature(graded.report) for graded in found}


def built(folder: Path) -> stored.Entries:
    """Return the built packs of this machine, and those that are stored for others."""
    here = frozen_packs.machine()
    others = {key: value for key, value in stored.load("built").items() if not key.startswith(here)}
    return {**others, **frozen_packs.built(folder)}


SUBJECTS: Mapping[str, Make] = {
    "numbers": numbers,
    "signatures": signatures,
    "tools": frozen_server.tools,
    "openapi": frozen_server.openapi,
    "generated": frozen_packs.generated,
    "built": built,
    "demo": frozen_demo.scores,
}


def main(names: list[str]) -> None:
    """Store the subjects of these names; without names, all."""
    for name in names or SUBJECTS:
        with tempfile.TemporaryDirectory(prefix="snellen-") as room:
            entries = SUBJECTS[name](Path(room))
            changed = stored.differences(name, entries)
            stored.save(name, entries)
        sys.stdout.write(f"{name}: {len(entries)} entries\n{changed}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
