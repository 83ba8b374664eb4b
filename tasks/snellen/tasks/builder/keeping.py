"""Writing snapshots, whole or not at all."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from snellen.tasks.builder.snapshots import SNAPSHOT, Captured, Snapshot
from snellen.tasks.pack.folders import new_folder


def write_snapshot(folder: Path, captured: Captured, files: Mapping[str, bytes]) -> Snapshot:
    """Write a snapshot and return it.

    Args:
        folder: Where to; must not exist, or be empty.
        captured: What it says; its digests are made here.
        files: The bytes of its other files, by their paths in the folder.

    Raises:
        InputError: The folder holds something, or can't be written.
    """
    digests = {name: sha256(body).hexdigest() for name, body in sorted(files.items())}
    said = msgspec.json.encode(
        msgspec.structs.replace(captured, digests=digests), order="deterministic"
    )
    with new_folder(folder) as room:
        for name, body in files.items():
            path = room / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (room / SNAPSHOT).write_bytes(msgspec.json.format(said, indent=1) + b"\n")
    return Snapshot(folder)
