"""Packs of interactive tasks, made of a seed."""

from hashlib import sha256
from pathlib import Path

from snellen.tasks.samples.generated import generated_exam

NAMES = ("desk", "miniwob")


def packs(folder: Path) -> dict[str, object]:
    """Return the digests of the files of each pack."""
    found: dict[str, object] = {}
    for what in NAMES:
        generated_exam(what).make(folder / what, seed=11, count=6)
        for path in sorted((folder / what).iterdir()):
            found[f"{what}: {path.name}"] = sha256(path.read_bytes()).hexdigest()[:16]
    return found
