"""Building an exam: pages to items, items to a pack, and an audit that removes faulty items.

In addition to the files of `build`, the folder of a build has

    data/               the items in the benchmarks' published layouts, each with made.jsonl
    draft/              the pack while it is written and audited
    webp/               images as lossless WebP, if requested
"""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from snellen.build import build
from snellen.build.items import Refused
from snellen.build.pages import Pages
from snellen.build.writers.base import Side, bounded, read_sides
from snellen.build.writers.table import MAKING, BenchmarkMaking
from snellen.build.writers.webrssbench.rows import HEIGHTS
from snellen.grading.errors import InputError
from snellen.grading.models.tags import TagColumn
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.item_audit.audit import audit_pack
from snellen.tasks.item_audit.models import Audit
from snellen.tasks.models import TaskData
from snellen.tasks.pack.folders import new_folder, replace_hashed
from snellen.tasks.pack.format import Built, Manifest
from snellen.tasks.pack.groups import SITE
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.remove import remove
from snellen.tasks.pack.write import Part, check_name, seal_pack, write_pack

FREQUENT = "left out, so that no question template has more than a fifth of the items"
"""The reason of items whose template is too frequent."""

DATA, DRAFT, WEBP = "data", "draft", "webp"
_PAGE = "page"
_CHUNK = 1 << 20
_FEW = 5


@dataclass(frozen=True, slots=True)
class PackOptions:
    """The options of a build's pack.

    Attributes:
        name: The pack's name, in small letters, digits and dashes.
        title: A line for people.
        licence: The licence of the pages.
        key: Seals the references; None leaves them readable.
        audit: Whether to find faulty items and remove them.
        webp: Whether to store images as lossless WebP: a third of PNG's bytes, but slower to make.
    """

    name: str
    title: str = ""
    licence: str = ""
    key: str | None = None
    audit: bool = True
    webp: bool = False


class BuiltExam(NamedTuple):
    """The result of a build."""

    manifest: Manifest  # the pack's manifest
    audit: Audit | None  # the result of the audit before items were removed; None without an audit
    worked: build.Worked  # the results of the pages


@dataclass(frozen=True, slots=True)
class Watch:
    """Callbacks for progress.

    Attributes:
        page: Called with each page when it is done.
        packing: Called with the number of packed items.
        looking: Called with the number of pictures that the audit has seen.
    """

    page: Callable[[build.PageDone], None] = lambda _: None
    packing: Callable[[int], None] = lambda _: None
    looking: Callable[[int], None] = lambda _: None


def build_exam(
    pages: Pages,
    folder: Path,
    output: Path,
    settings: build.BuildSettings,
    options: PackOptions,
    *,
    jobs: int = 1,
    watch: Watch | None = None,
) -> BuiltExam:
    """Make an exam from pages.

    A stopped build resumes with the missing pages. Equal snapshots and settings give an equal pack,
    byte for byte.

    Args:
        pages: The pages and the skipped pages.
        folder: The folder of the build; it contains readable references.
        output: The pack's folder; must not exist, or be empty.
        settings: The settings of the build.
        options: The options of the pack.
        jobs: The number of pages to work on at a time, each with its own browser.
        watch: Callbacks for progress.

    Raises:
        InputError: The folder belongs to a build with other settings or pages, another build works
            in it, something can't be written, there is no browser, or no page gives an item.
        MissingExtraError: Playwright is not installed.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise InputError(
            "it exists and is not an empty folder; choose a new folder", file=str(output)
        )
    check_name(options.name)
    settings = replace(settings, pages=digest_of(pages))
    with build.alone(folder):
        return _build(pages, folder, output, settings, options, jobs, watch or Watch())


def _build(
    pages: Pages,
    folder: Path,
    output: Path,
    settings: build.BuildSettings,
    options: PackOptions,
    jobs: int,
    watch: Watch,
) -> BuiltExam:
    worked = build.work_through(pages.pages, folder, settings, jobs, watch.page)
    skipped = {
        **{page.page: page.reason for page in pages.skipped},
        **{page.page: page.problem for page in worked.problems if page.problem is not None},
    }
    parts, worked = _parts(worked, folder / DATA, settings)
    if not parts:
        raise InputError(f"no page gives an item: {_why(skipped, worked)}", file=str(folder))
    if options.webp:
        smaller = folder / WEBP
        smaller.mkdir(exist_ok=True)
        parts = [replace(part, data=_as_webp(part.data, smaller)) for part in parts]
    built = _built(worked, settings, skipped, options.licence)
    draft = folder / DRAFT
    shutil.rmtree(draft, ignore_errors=True)
    manifest = write_pack(
        parts,
        draft,
        name=options.name,
        title=options.title,
        licence=options.licence,
        built=built,
        watch=watch.packing,
    )
    report = None
    if options.audit:
        pack = open_pack(draft)
        report = audit_pack(
            pack,
            open_references(pack, None),
            seed=settings.seed,
            watch=watch.looking,
        )
    if options.key is not None:
        manifest = seal_pack(open_pack(draft), options.key)
    if report is not None and report.removed:
        manifest = remove(open_pack(draft), report.removed, output, key=options.key)
    else:
        with new_folder(output) as room:
            for entry in sorted(draft.iterdir()):
                shutil.move(entry, room / entry.name)
    shutil.rmtree(draft)
    return BuiltExam(manifest, report, worked)


def digest_of(pages: Pages) -> str:
    """Return the SHA-256 of all files of the pages' sites and their names.

    Raises:
        InputError: A file can't be read.
    """
    whole = sha256()
    for root in sorted({page.root for page in pages.pages}):
        for path in sorted(root.rglob("*")):
            if not path.is_file():
                continue
            own = sha256()
            try:
                with path.open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        own.update(chunk)
            except OSError as error:
                raise InputError(f"can't be read: {error.strerror}", file=str(path)) from error
            name = f"{root.name}/{path.relative_to(root).as_posix()}"
            whole.update(f"{name}\0{own.hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _why(skipped: Mapping[str, str], worked: build.Worked) -> str:
    parts = [f"{page}: {reason}" for page, reason in skipped.items()]
    parts += [f"{task}: {reason}" for task, reasons in worked.refused.items() for reason in reasons]
    return "; ".join([*parts[:_FEW], *(["..."] if parts[_FEW:] else [])])


def _parts(
    worked: build.Worked, folder: Path, settings: build.BuildSettings
) -> tuple[Sequence[Part], build.Worked]:
    """Write the items in their benchmarks' layouts and load them with the benchmarks' loaders."""
    shutil.rmtree(folder, ignore_errors=True)
    parts: list[Part] = []
    for benchmark, making in MAKING.items():
        if making.balance is not None:
            worked = worked._replace(items=making.balance(worked.items, settings.seed))
        made = (item.task for page in worked.items for item in page.made)
        if not any(task.partition("/")[0] == benchmark for task in made):
            continue
        place = folder / benchmark
        place.parent.mkdir(parents=True, exist_ok=True)
        making.write(worked.items, place)
        sides = read_sides(place)
        for task in dict.fromkeys(side.task for side in sides):
            if not settings.tasks or task in settings.tasks:
                own = [side for side in sides if side.task == task]
                kept = _kept(own, making, settings.seed)
                parts.append(
                    _part(task, place, making, own, kept, upright=settings.browser.upright)
                )
                worked = _refusing(worked, [side for side in own if side.item not in kept])
    return parts, worked


def _kept(sides: Sequence[Side], making: BenchmarkMaking, seed: int) -> Set[str]:
    """Return the items of a task without those of too frequent question templates."""
    templates = {side.item: side.tags.get(making.template, "") for side in sides}
    plain = {item for item, template in templates.items() if not template}
    return plain | bounded({item: templates[item] for item in templates if item not in plain}, seed)


def _refusing(worked: build.Worked, sides: Sequence[Side]) -> build.Worked:
    """Record on its page each item that was left out for its question template."""
    refused: dict[tuple[str, str], list[Refused]] = {}
    for side in sides:
        refused.setdefault((side.site, side.page), []).append(Refused(side.task, FREQUENT))
    return worked._replace(
        items=[
            page._replace(refused=[*page.refused, *refused.get((page.site, page.page), ())])
            for page in worked.items
        ]
    )


def _part(
    task: str,
    place: Path,
    making: BenchmarkMaking,
    sides: Sequence[Side],
    kept: Set[str],
    *,
    upright: bool,
) -> Part:
    images = None if making.images is None else place / making.images
    prompt = None if upright else making.page_prompts.get(task)
    data = load_task(task, place, images=images, prompt=prompt)
    by_item = {side.item: side for side in sides}
    return Part(
        replace(data, tags={**data.tags, **_tags(data, by_item)}),
        [item for item in data.ids if item in kept],
        protocol=making.protocols.get(task),
        records={item: side.record for item, side in by_item.items() if side.record},
    )


def _tags(data: TaskData, sides: Mapping[str, Side]) -> Mapping[str, TagColumn]:
    names = dict.fromkeys(name for side in sides.values() for name in side.tags)
    tags: dict[str, TagColumn] = {
        SITE: [sides[item].site if item in sides else None for item in data.ids],
        _PAGE: [
            f"{sides[item].site}/{sides[item].page}" if item in sides else None for item in data.ids
        ],
    }
    for name in names:
        tags[name] = [sides[item].tags.get(name) if item in sides else None for item in data.ids]
    return {name: column for name, column in tags.items() if name not in data.tags}


def _as_webp(data: TaskData, folder: Path) -> TaskData:
    """Return the data with its images as lossless WebP: other bytes, the same pixels.

    Each image is converted once and stored in the folder, even if several items show it.
    """
    load = data.load_image
    if load is None:
        return data

    def encoded(place: int, name: str) -> bytes:
        png = load(place, name)
        kept = folder / f"{sha256(png).hexdigest()}.webp"
        if not kept.exists():
            replace_hashed(kept, [_webp(png)])
        return kept.read_bytes()

    return replace(data, load_image=encoded)


def _webp(png: bytes) -> bytes:
    from PIL import Image

    kept = BytesIO()
    with Image.open(BytesIO(png)) as opened:
        opened.convert("RGB").save(kept, "WEBP", lossless=True, quality=80, method=4)
    return kept.getvalue()


def _built(
    worked: build.Worked, settings: build.BuildSettings, skipped: Mapping[str, str], licence: str
) -> Built:
    sites = sorted({page.site for page in worked.items})
    browsers = Counter(
        snapshot.captured.browser for snapshot in worked.snapshots if snapshot.captured.browser
    )
    return Built(
        builder=f"snellen {version('snellen')}",
        seed=settings.seed,
        browser=", ".join(sorted(browsers)),
        sites=len(sites),
        pages=len(worked.items),
        thresholds={"page height": tuple(map(float, HEIGHTS))},
        unstable=tuple(worked.unstable),
        skipped=dict(sorted(skipped.items())),
        refused={task: dict(counts) for task, counts in worked.refused.items()},
        licences=dict.fromkeys(sites, licence) if licence else {},
    )
