"""The coordinate audit of a report, and of answers during grading."""

from collections.abc import Sequence
from math import isfinite

from snellen.grading import point_audit
from snellen.grading.errors import InputError
from snellen.grading.protocols.base import Context, Protocol
from snellen.grading.protocols.golds import StepGold
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.step_audit import StepAuditor
from snellen.sdk.inputs.selection import Selection
from snellen.sdk.scored import ScoredReport, intake_of

AUDITED = 2_000
"""How many answers are audited while a run is graded; `report.audit()` takes them all."""


def auditor_of(
    selection: Selection, protocol: Protocol, *, most: int | None = None
) -> point_audit.Auditor | StepAuditor | None:
    """Return an auditor of a task's points, boxes or steps; None if the protocol has none."""
    if isinstance(selection.golds[0], StepGold):
        return StepAuditor(protocol, selection.golds, _contexts(selection), most=most)
    if not point_audit.auditable(protocol, selection.golds):
        return None
    return point_audit.Auditor(protocol, _targets(selection), most=most)


def audit_of(report: ScoredReport, view: float | None = None) -> point_audit.CoordinateAudit | None:
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
    if isinstance(selection.golds[0], StepGold):
        protocol = protocol_of(report.task, report.provenance.protocol)
        steps = StepAuditor(protocol, selection.golds, _contexts(selection))
        grader = selection.grader(protocol)
        for answers in report.scores.answers():
            steps.add(answers, grader.batch(answers))
        return steps.result()
    targets = _targets(selection)
    if view is not None and point_audit.auditable(
        protocol_of(report.task, report.provenance.protocol), targets.golds
    ):
        targets = targets.seen_in(view)
    return point_audit.audit_coordinates(
        protocol_of(report.task, report.provenance.protocol),
        targets,
        report.scores.answers(),
        clusters=report.clusters(),
    )


def best_space(report: ScoredReport) -> str:
    """Return the space that alone explains a report's answers; empty if none does.

    A space alone explains them if its score is higher than that of the protocol's reading and of
    every other space by at least `LEAST_GAIN`, as the audit tests it.
    """
    notice = next((one for one in report.input.notices if one.code == "space"), None)
    if notice is None or not notice.space:
        return ""
    audit = audit_of(report)
    if audit is None or len(audit.readings) < 2:
        return ""
    best, second = audit.readings[:2]
    alone = best.space.id == notice.space and best.score - second.score >= point_audit.LEAST_GAIN
    return notice.space if alone else ""


def _contexts(selection: Selection) -> Sequence[Context]:
    if selection.contexts:
        return selection.contexts
    shape = gold_shape(selection.task)
    return [shape.context(gold) for gold in selection.golds]


def _targets(selection: Selection) -> point_audit.Targets:
    return point_audit.Targets(selection.golds, _contexts(selection))
