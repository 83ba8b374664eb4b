"""Generated pages, and the exams built from them.

What a browser shows depends on its version and on the machine's fonts: places of elements, and so
items and pictures. The files of a built exam are therefore stored for the machines that they were
built on, by `machine`; generated pages are equal everywhere.
"""

import json
import shutil
import subprocess
from collections import defaultdict
from hashlib import sha256
from pathlib import Path

from stored import digest, load

from snellen.build.build import BuildSettings
from snellen.build.exam import PackOptions, build_exam
from snellen.build.pages import find_pages
from snellen.build.sites import generate_site
from snellen.tasks.browser.finding import find_browser

SEEDS = (1, 2, 3)
PAGES = 2


def machine() -> str:
    """Return what pictures depend on: the version of Chromium, and a digest of the fonts."""
    program = str(find_browser().program)
    version = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=True
    ).stdout.split()
    fonts = "unknown"
    if (lists := shutil.which("fc-list")) is not None:
        listed = subprocess.run(
            [lists, ":", "family", "style", "fontversion"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        fonts = digest(sorted(listed.splitlines()))
    number = next(word for word in version if word[0].isdigit())
    return f"Chromium {number}, fonts {fonts}"


def generated(_: Path) -> dict[str, object]:
    """Return the digests of generated pages."""
    return {
        f"seed {seed}: page {name}": _digest_of(content)
        for seed in SEEDS
        for name, content in generate_site(seed, 0, most=PAGES).files.items()
    }


def built(folder: Path) -> dict[str, object]:
    """Return the digests of exams built from the seeds, on this machine."""
    here = machine()
    found: dict[str, object] = {}
    for seed in SEEDS:
        room = folder / f"{seed}"
        pages = room / "site"
        pages.mkdir(parents=True)
        for name, content in generate_site(seed, 0, most=PAGES).files.items():
            (pages / name).write_bytes(content)
        settings = BuildSettings(seed=seed, clicks=2)
        options = PackOptions("frozen", licence="CC0-1.0")
        build_exam(find_pages(pages), room / "work", room / "pack", settings, options)
        for name, entry in _pack(room / "pack").items():
            found[f"{here}, seed {seed}: {name}"] = entry
    return found


def built_here_and_elsewhere(folder: Path) -> dict[str, object]:
    """Return the built packs of this machine, and those that are stored for others."""
    here = machine()
    others = {key: value for key, value in load("built").items() if not key.startswith(here)}
    return {**others, **built(folder)}


def _pack(folder: Path) -> dict[str, object]:
    """Return the digests of a pack's files, of its images together, and of each task's records."""
    found: dict[str, object] = {}
    by_task: defaultdict[str, list[object]] = defaultdict(list)
    for name in ("items.jsonl", "references.jsonl"):
        body = (folder / name).read_bytes()
        found[name] = _digest_of(body)
        for line in body.decode().splitlines():
            record = json.loads(line)
            task = record.get("task") or record.get("item", {}).get("task") or "all tasks"
            by_task[f"{name}, {task}"].append(record)
    manifest = (folder / "manifest.json").read_bytes()
    version = json.loads(manifest)["built"]["builder"]
    found["manifest.json"] = _digest_of(manifest.replace(version.encode(), b"snellen"))
    images = sorted(path for path in (folder / "images").rglob("*") if path.is_file())
    found[f"{len(images)} images"] = digest([_digest_of(path.read_bytes()) for path in images])
    return {**found, **{name: digest(records) for name, records in by_task.items()}}


def _digest_of(body: bytes) -> str:
    return sha256(body).hexdigest()[:16]
