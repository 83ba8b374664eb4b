"""Writing snapshots, whole or not at all, wherever their screens come from."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from snellen.tasks.building.elements import Screen
from snellen.tasks.building.snapshots import SCREEN, SNAPSHOT, Captured, Snapshot
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


def keep_screen(folder: Path, screen: Screen, image: bytes, *, site: str, page: str) -> Snapshot:
    """Write a snapshot of a screen that no browser was needed for: an app's.

    Args:
        folder: Where to; must not exist, or be empty.
        screen: What is on it.
        image: Its PNG, of the screen's size.
        site: The app's name; the screens of an app hang together as the pages of a site do.
        page: The screen's name.

    Raises:
        InputError: The folder holds something, or can't be written.
    """
    captured = Captured(page=page, site=site, source=f"{site}/{page}", screen=screen)
    return write_snapshot(folder, captured, {SCREEN: image})
