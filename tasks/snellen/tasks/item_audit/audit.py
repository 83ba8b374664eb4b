"""Auditing a pack: baseline solvers are run on it, and faulty items are found."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from snellen.grading.errors import MetricError, MissingExtraError
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.item_audit.faults import faults_of, repeats_of
from snellen.tasks.item_audit.items import AuditItem, items_of
from snellen.tasks.item_audit.models import Audit, Fault, Finding, Solver, SolverScore, TaskAudit
from snellen.tasks.item_audit.pictures import Look, look_at, pixels_of
from snellen.tasks.item_audit.solvers import SolverRun, pooled, score_of, try_solvers
from snellen.tasks.pack.format import RemovedItem
from snellen.tasks.pack.read import Pack, References

_Scores = dict[Solver, list[tuple[SolverRun, SolverScore]]]


def audit_pack(
    pack: Pack,
    references: References,
    *,
    seed: int = 0,
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
        watch: Called after each new picture with the number of pictures seen so far.

    Raises:
        DataError: A line or a picture can't be read.
    """
    looks: dict[str, Look] = {}
    tasks: list[TaskAudit] = []
    removed: list[RemovedItem] = []
    findings: list[Finding] = []
    scores: _Scores = {}
    for spec in pack.manifest.tasks:
        items = items_of(pack, references, spec.task)
        for item in items:
            _look(pack, item, looks, watch)
        faults = {item.index: found for item in items if (found := faults_of(item, looks))}
        # A faulty item must not remove a good one that it repeats or contradicts.
        faults |= repeats_of([item for item in items if item.index not in faults], looks)
        solved = _tried(pack, items, faults, seed, scores)
        for index in sorted(faults):
            name, found = items[index].item, faults[index]
            removed.append(RemovedItem(task=spec.task, item=name, reason=found[0].value))
            findings += [Finding(task=spec.task, item=name, fault=fault) for fault in found]
        counts = Counter(fault for own in faults.values() for fault in dict.fromkeys(own))
        tasks.append(
            TaskAudit(
                task=spec.task,
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
    )


def _look(
    pack: Pack, item: AuditItem, looks: dict[str, Look], watch: Callable[[int], None]
) -> None:
    for image in item.line.images.values():
        if image.sha256 not in looks:
            looks[image.sha256] = look_at(pixels_of(pack.read_image(image)))
            watch(len(looks))


def _tried(
    pack: Pack,
    items: Sequence[AuditItem],
    faults: Mapping[int, Sequence[Fault]],
    seed: int,
    scores: _Scores,
) -> list[SolverScore]:
    task = items[0].task
    protocol = protocol_of(task, pack.task(task).protocol)
    try:
        tried = try_solvers(protocol, items, seed)
    except (MetricError, MissingExtraError):
        # The task can't be graded here; faults of its items are still reported.
        return []
    scored: list[SolverScore] = []
    for result in tried:
        score = score_of(result, protocol, faults)
        scores.setdefault(result.solver, []).append((result, score))
        scored.append(score)
    return scored
