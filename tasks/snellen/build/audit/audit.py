"""Auditing a pack: baseline solvers are run on it, and faulty items are found."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from snellen.build.audit import answers, appearance, plots, recompute
from snellen.build.audit.builds import BuildFolder, code_of
from snellen.build.audit.reading import Reader, check_page, check_reading
from snellen.build.audit.records import check_prompt
from snellen.build.audit.remake import RemadeItems, compare, remake, workroom
from snellen.build.audit.twins import twins_of
from snellen.build.audit.views import Evidence, Sight, View
from snellen.grading.errors import MetricError, MissingExtraError
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.audit.faults import faults_of, repeats_of
from snellen.tasks.audit.items import AuditItem, items_of
from snellen.tasks.audit.models import Audit, Fault, Finding, Solver, SolverScore, TaskAudit
from snellen.tasks.audit.pictures import Look, Pixels, look_at, pixels_of
from snellen.tasks.audit.solvers import SolverRun, Texts, pooled, score_of, try_solvers
from snellen.tasks.pack.format import Built, RemovedItem
from snellen.tasks.pack.read import Pack, References

_Scores = dict[Solver, list[tuple[SolverRun, SolverScore]]]

_THREADS = 2
_PAGE = "page"
_OTHER_MAKERS = 0.5
_CHECKS = (*recompute.CHECKS, *answers.CHECKS, *appearance.CHECKS, plots.check_plot)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The sources of evidence for an audit, in addition to the pack.

    Attributes:
        build: The build that made the pack, with its frozen pages.
        remake: Whether to make the build's items again; not needed for items that were just made.
        texts: Returns the text of a picture by its digest. The names in a question must be in it,
            and one solver uses only this text.
        reader: Reads a part of a picture, to compare it with the reference.
    """

    build: BuildFolder | None = None
    remake: bool = True
    texts: Texts | None = None
    reader: Reader | None = None


def audit_pack(
    pack: Pack,
    references: References,
    *,
    seed: int = 0,
    witnesses: Witnesses | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Audit:
    """Run baseline solvers on an exam, and find the faulty items.

    An item is removed for its own faults, never because a solver guessed it. A fault of a whole
    task, such as unbalanced letters, shows in the solvers' lift; the author of the task must fix
    it.

    Args:
        pack: The exam.
        references: Its references.
        seed: The seed of random choices.
        witnesses: Sources of evidence; None for the pack alone.
        watch: Called with the number of pictures seen so far.

    Raises:
        DataError: A line or a picture can't be read.
    """
    witnesses = witnesses or Witnesses()
    by_task = {spec.task: items_of(pack, references, spec.task) for spec in pack.manifest.tasks}
    seen = _look(pack, by_task, witnesses, watch)
    tasks: list[TaskAudit] = []
    removed: list[RemovedItem] = []
    findings: list[Finding] = []
    scores: _Scores = {}
    for task, items in by_task.items():
        faults: dict[int, list[Evidence]] = {}
        for item in items:
            alone = faults_of(item, seen.looks)
            if found := [*map(Evidence, alone), *seen.found.get((task, item.item), ())]:
                faults[item.index] = found
        # A faulty item must not remove a good one that it repeats or contradicts.
        together = repeats_of([item for item in items if item.index not in faults], seen.looks)
        for index, found in together.items():
            faults[index] = [*map(Evidence, found)]
        by_index = {index: [one.fault for one in found] for index, found in faults.items()}
        solved = _tried(pack, items, by_index, seed, witnesses.texts, scores)
        for index in sorted(faults):
            name, found = items[index].item, faults[index]
            removed.append(RemovedItem(task=task, item=name, reason=found[0].fault.value))
            findings += [
                Finding(task=task, item=name, fault=f, expected=e, found=s) for f, e, s in found
            ]
        counts = Counter(fault for own in by_index.values() for fault in dict.fromkeys(own))
        tasks.append(
            TaskAudit(
                task=task,
                items=len(items),
                solvers=tuple(solved),
                faults=dict(sorted(counts.items())),
                removed=len(faults),
            )
        )
    return Audit(
        name=pack.name,
        seed=seed,
        items=len(pack.lines),
        tasks=tuple(tasks),
        overall=tuple(pooled(solver, tried) for solver, tried in scores.items()),
        removed=tuple(removed),
        findings=tuple(findings),
        notes=tuple(seen.notes),
    )


# ---- checking the items, page by page ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Page:
    """The results for one page.

    Attributes:
        looks: The looks of its pictures, by digest.
        found: The faults of its items, by task and id.
        made: Differences from the items that the makers make, by task and id.
        known: Whether the build has the page.
    """

    looks: Mapping[str, Look]
    found: Mapping[tuple[str, str], list[Evidence]]
    made: Mapping[tuple[str, str], list[Evidence]]
    known: bool


@dataclass(frozen=True, slots=True)
class _PageResults:
    """The results of all pages: looks of pictures, faults by task and item, and notes."""

    looks: Mapping[str, Look]
    found: Mapping[tuple[str, str], Sequence[Evidence]]
    notes: Sequence[str]


def _look(
    pack: Pack,
    by_task: Mapping[str, Sequence[AuditItem]],
    witnesses: Witnesses,
    watch: Callable[[int], None],
) -> _PageResults:
    """Check all items page by page, so that each picture is decoded once for a page."""
    looks: dict[str, Look] = {}
    found: dict[tuple[str, str], list[Evidence]] = {}
    made: dict[tuple[str, str], list[Evidence]] = {}
    notes: list[str] = []
    unknown = 0
    build = witnesses.build
    with ExitStack() as stack:
        remade: RemadeItems | None = None
        if build is not None and witnesses.remake:
            room = Path(stack.enter_context(workroom()))
            remade = remake(build, {spec.task: spec.prompt for spec in pack.manifest.tasks}, room)

        def look(items: Sequence[AuditItem]) -> _Page:
            sight = _sight(pack, items, build)
            views = [View(item, sight) for item in items]
            own = {view.key: [*_faults(view, pack, witnesses)] for view in views}
            at_fault = {key for key, faults in own.items() if faults}
            for view in views:
                if not own[view.key] and _is_built(pack.manifest.built):
                    own[view.key] += twins_of(view, at_fault)
            again = {
                view.key: [*compare(view, remade)]
                for view in views
                if remade is not None and (sight.page is not None or view.key in remade.sides)
            }
            seen = {digest: look_at(pixels) for digest, pixels in sight.pictures.items()}
            return _Page(seen, own, again, sight.page is not None)

        with ThreadPoolExecutor(_THREADS) as pool:
            for page in pool.map(look, _by_page(by_task, build)):
                looks.update(page.looks)
                found.update(page.found)
                made.update(page.made)
                unknown += 0 if page.known else len(page.found)
                watch(len(looks))
    if build is not None and unknown:
        notes.append(f"{unknown:,} items belong to pages that are not in the build")
    others = sum(map(bool, made.values()))
    if others > _OTHER_MAKERS * len(made):
        notes.append(
            f"{others:,} of {len(made):,} items differ from those that this version of snellen"
            " makes from the same pages: the build is from another version and is not compared"
        )
    else:
        for key, own in made.items():
            found[key] += own
    return _PageResults(looks, found, notes)


def _by_page(
    by_task: Mapping[str, Sequence[AuditItem]], build: BuildFolder | None
) -> Sequence[Sequence[AuditItem]]:
    groups: dict[str, list[AuditItem]] = {}
    for items in by_task.values():
        for item in items:
            groups.setdefault(_page_of(item, build), []).append(item)
    return list(groups.values())


def _page_of(item: AuditItem, build: BuildFolder | None) -> str:
    """Return a canonical name of an item's page, which tags name in two ways; else the item."""
    tag = item.tags.get(_PAGE)
    if tag is None or "/" not in tag:
        return f"{item.task} {item.item}"
    frozen = None if build is None else build.page(tag)
    if frozen is not None:
        return frozen.name
    site, _, page = tag.partition("/")
    coded = len(site) == len(page) == 9 and site.startswith("s") and page.startswith("p")
    return tag if coded else code_of(tag)


def _sight(pack: Pack, items: Sequence[AuditItem], build: BuildFolder | None) -> Sight:
    pictures: dict[str, Pixels] = {}
    for item in items:
        for image in item.line.images.values():
            if image.sha256 not in pictures:
                pictures[image.sha256] = pixels_of(pack.read_image(image))
    page = None if build is None else build.page(_page_of(items[0], build))
    return Sight(page, pictures, items, {} if build is None else build.titles)


def _is_built(built: Built | None) -> bool:
    """Whether a builder made a pack's items: its rules do not apply to people's references."""
    return built is not None and (bool(built.builder) or any(map(_is_built, built.parts)))


def _faults(view: View, pack: Pack, witnesses: Witnesses) -> Iterator[Evidence]:
    page = view.sight.page
    if page is not None and page.changed_files:
        yield Evidence(Fault.SNAPSHOT, "", ", ".join(page.changed_files))
    built = _is_built(pack.manifest.built) or witnesses.build is not None
    for check in _CHECKS if built else (check_prompt,):
        yield from check(view)
    if built and witnesses.reader is not None:
        yield from check_reading(view, witnesses.reader)
    if built and witnesses.texts is not None:
        yield from check_page(view, witnesses.texts)


# ---- the solvers -------------------------------------------------------------------------------


def _tried(
    pack: Pack,
    items: Sequence[AuditItem],
    faults: Mapping[int, Sequence[Fault]],
    seed: int,
    texts: Texts | None,
    scores: _Scores,
) -> list[SolverScore]:
    task = items[0].task
    protocol = protocol_of(task, pack.task(task).protocol)
    try:
        tried = try_solvers(protocol, items, seed, texts)
    except (MetricError, MissingExtraError):
        # The task can't be graded here; faults of its items are still reported.
        return []
    scored: list[SolverScore] = []
    for result in tried:
        score = score_of(result, protocol, faults)
        scores.setdefault(result.solver, []).append((result, score))
        scored.append(score)
    return scored
