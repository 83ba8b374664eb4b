"""The coordinate audit of a report, and of answers during grading."""

from math import isfinite

from snellen.grading.audit import Auditor, CoordinateAudit, Targets, audit_coordinates, auditable
from snellen.grading.errors import InputError
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.sdk.data.selection import Selection
from snellen.sdk.scored import ScoredReport, intake_of

AUDITED = 2_000
"""How many answers are audited while a run is graded; `report.audit()` takes them all."""


def auditor_of(
    selection: Selection, protocol: Protocol, *, most: int | None = None
) -> Auditor | None:
    """Return an auditor for a task whose references are targets; None if the protocol has none."""
    if not auditable(protocol, selection.golds):
        return None
    return Auditor(protocol, _targets(selection), most=most)


def audit_of(report: ScoredReport, view: float | None = None) -> CoordinateAudit | None:
    """Audit all answers of a report; see `Report.audit`."""
    if view is not None and not (isfinite(view) and view > 0):
        raise InputError(f"view= must be the longest side in pixels, greater than 0, not {view:g}")
    intake = intake_of(report)
    if intake is None:
        raise InputError(
            "the audit needs the references, which no report holds: grade the answers again, or"
            " sdk.regrade the saved report"
        )
    selection = intake.selection
    targets = _targets(selection)
    if view is not None and auditable(
        protocol_of(report.task, report.provenance.protocol), targets.golds
    ):
        targets = targets.seen_in(view)
    return audit_coordinates(
        protocol_of(report.task, report.provenance.protocol),
        targets,
        report.scores.answers(),
        clusters=report.clusters(),
    )


def _targets(selection: Selection) -> Targets:
    contexts = selection.contexts
    if not contexts:
        shape = gold_shape(selection.task)
        contexts = [shape.context(gold) for gold in selection.golds]
    return Targets(selection.golds, contexts)
