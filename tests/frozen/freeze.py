"""Write the frozen digests anew.

    python tests/frozen/freeze.py                 everything
    python tests/frozen/freeze.py numbers tools   some subjects
    python tests/frozen/freeze.py numbers cagui   the numbers, or signatures, of some benchmarks

Run it only if an issue changes numbers, tools, routes or packs on purpose, and say in the commit
which entries change and why: `git diff` shows them by name. Packs need Chromium; the demonstration
needs the extra `demo`.
"""

import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":  # pytest finds them by its own setting
    sys.path.append(str(Path(__file__).parents[1] / "miniatures"))
    root = Path(__file__).parents[2]
    sys.path.extend(map(str, [root / "docs", *root.glob("plugins/*/tests/kit")]))

import stored

from snellen.grading.protocols.names import OWN

SUBJECTS: Mapping[str, str] = {
    "numbers": "frozen_numbers:numbers",
    "signatures": "frozen_numbers:signatures",
    "tools": "frozen_server:tools",
    "openapi": "frozen_server:openapi",
    "views": "frozen_views:views",
    "pages": "frozen_docs:pages",
    "generated": "frozen_build:generated",
    "built": "frozen_build:built_here_and_elsewhere",
    "worlds": "frozen_worlds:packs",
    "demo": "frozen_demo:scores",
}
"""What makes the entries of each subject, of a folder: a module and its function."""


def main(arguments: list[str]) -> None:
    """Store the subjects of these names; without names, all."""
    names = [name for name in arguments if name in SUBJECTS]
    benchmarks = [name for name in arguments if name not in SUBJECTS]
    if unknown := [name for name in benchmarks if name not in OWN]:
        sys.exit(f"there is no subject and no benchmark {unknown[0]}")
    for name in names or SUBJECTS:
        with tempfile.TemporaryDirectory(prefix="snellen-") as room:
            module, _, function = SUBJECTS[name].partition(":")
            made: stored.Entries = getattr(import_module(module), function)(Path(room), *benchmarks)
        others = (each for each in stored.load(name).items() if benchmarks)
        kept = {key: value for key, value in others if key.partition("/")[0] not in benchmarks}
        entries = {**kept, **made}
        changed = stored.differences(name, entries)
        stored.save(name, entries)
        sys.stdout.write(f"{name}: {len(made)} entries\n{changed}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
