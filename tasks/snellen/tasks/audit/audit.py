"""Auditing a pack: solvers that must fail are tried on it, and items at fault are found."""

from collections import Counter
from collections.abc import Callable

from snellen.grading.errors import MetricError, MissingExtraError
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.audit.faults import faults_of, repeats_of
from snellen.tasks.audit.items import AuditItem, items_of
from snellen.tasks.audit.models import Audit, Fault, Solver, SolverScore, TaskAudit
from snellen.tasks.audit.pictures import looks_of
from snellen.tasks.audit.solvers import Texts, Tried, pooled, score_of, try_solvers
from snellen.tasks.pack.layout import RemovedItem
from snellen.tasks.pack.reading import Pack, References

_Scores = dict[Solver, list[tuple[Tried, SolverScore]]]


def audit_pack(
    pack: Pack,
    references: References,
    *,
    seed: int = 0,
    texts: Texts | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Audit:
    """Try what must fail on an exam, and find the items that are at fault.

    An item is removed for what is wrong with itself, never because a solver happened to guess it.
    What is wrong with a task as a whole, such as letters that are not balanced, shows in the
    solvers' lift and is its maker's to fix.

    Args:
        pack: The exam.
        references: Its references.
        seed: The seed of random choices.
        texts: Reads a picture by its digest, for the solver that has the text only; None: it is
            left out.
        watch: Called with how many pictures are looked at.

    Raises:
        DataError: A line or a picture can't be read.
    """
    images = (image for line in pack.lines for image in line.images.values())
    looks = looks_of(pack, images, watch)
    tasks: list[TaskAudit] = []
    removed: list[RemovedItem] = []
    scores: _Scores = {}
    for spec in pack.manifest.tasks:
        items = items_of(pack, references, spec.task)
        together = repeats_of(items, looks)
        faults: dict[int, list[Fault]] = {}
        for item in items:
            if found := [*faults_of(item, looks), *together.get(item.place, ())]:
                faults[item.place] = found
        solved = _tried(pack, items, faults, seed, texts, scores)
        removed += [
            RemovedItem(task=spec.task, item=items[place].item, reason=faults[place][0].value)
            for place in sorted(faults)
        ]
        tasks.append(
            TaskAudit(
                task=spec.task,
                items=len(items),
                solvers=tuple(solved),
                faults=dict(
                    sorted(Counter(fault for own in faults.values() for fault in own).items())
                ),
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
    )


def _tried(
    pack: Pack,
    items: list[AuditItem],
    faults: dict[int, list[Fault]],
    seed: int,
    texts: Texts | None,
    scores: _Scores,
) -> list[SolverScore]:
    task = items[0].task
    protocol = protocol_of(task, pack.task(task).protocol)
    try:
        tried = try_solvers(protocol, items, seed, texts)
    except (MetricError, MissingExtraError):
        # Nobody can grade it here; what is wrong with its items is reported all the same.
        return []
    found: list[SolverScore] = []
    for one in tried:
        score = score_of(one, protocol, faults)
        scores.setdefault(one.solver, []).append((one, score))
        found.append(score)
    return found
