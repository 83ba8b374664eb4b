"""A second witness of built items: each reference, derived again from its frozen page.

It shares no code with the builder's writers. It trusts the captured data of a build alone, and
recomputes answers, boxes, marks, pictures and charts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from snellen.tasks.item_audit.items import AuditItem, items_of
from snellen.tasks.item_audit.pictures import Pixels, pixels_of
from snellen.tasks.pack.read import Pack, References
from witness import answers, appearance, plots, recompute
from witness.builds import BuildFolder, code_of
from witness.faults import Evidence
from witness.views import Sight, View

CHECKS = (*recompute.CHECKS, *answers.CHECKS, *appearance.CHECKS, plots.check_plot)

Found = Mapping[tuple[str, str], Sequence[Evidence]]


def all_items(pack: Pack, references: References) -> list[AuditItem]:
    """Return the items of all tasks of a pack."""
    tasks = [spec.task for spec in pack.manifest.tasks]
    return [item for task in tasks for item in items_of(pack, references, task)]


def evidence_against(pack: Pack, items: Iterable[AuditItem], build: BuildFolder) -> Found:
    """Return what speaks against items of a pack, by task and id: those without a fault, too."""
    groups: dict[str, list[AuditItem]] = {}
    for item in items:
        groups.setdefault(_page_of(item, build), []).append(item)
    found: dict[tuple[str, str], Sequence[Evidence]] = {}
    for name, own in groups.items():
        pictures: dict[str, Pixels] = {}
        for image in (image for item in own for image in item.line.images.values()):
            if image.sha256 not in pictures:
                pictures[image.sha256] = pixels_of(pack.read_image(image))
        sight = Sight(build.page(name), pictures, own, build.titles)
        for view in (View(item, sight) for item in own):
            found[view.key] = [*_faults(view)]
    return found


def _faults(view: View) -> Iterator[Evidence]:
    for check in CHECKS:
        yield from check(view)


def _page_of(item: AuditItem, build: BuildFolder) -> str:
    """Return a canonical name of an item's page, which tags name in two ways; else the item."""
    tag = item.tags.get("page")
    if tag is None or "/" not in tag:
        return f"{item.task} {item.item}"
    frozen = build.page(tag)
    return frozen.name if frozen is not None else code_of(tag)
