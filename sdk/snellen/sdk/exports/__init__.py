"""A report in the formats of other projects: an Inspect log, Hub results, Every Eval Ever."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from snellen.grading.errors import InputError, UnknownNameError
from snellen.sdk.exports.every_eval import every_eval_record
from snellen.sdk.exports.hub import hub_results
from snellen.sdk.exports.inspect_log import inspect_log
from snellen.sdk.exports.options import ExportOptions
from snellen.sdk.files import check_ending, write_atomically
from snellen.sdk.scored import ScoredReport

__all__ = ["ENDINGS", "TARGETS", "ExportOptions", "Target", "export_report"]

Target = Literal["inspect", "eval_results", "every_eval_ever"]
TARGETS: tuple[Target, ...] = get_args(Target)

_Make = Callable[[ScoredReport, ExportOptions, str], bytes]
_MAKERS: dict[str, _Make] = {
    "inspect": inspect_log,
    "eval_results": hub_results,
    "every_eval_ever": every_eval_record,
}
ENDINGS = {
    "inspect": (".eval", ".json"),
    "eval_results": (".yaml", ".yml"),
    "every_eval_ever": (".json",),
}
"""The endings that a file of each format may have."""


def export_report(report: ScoredReport, to: str, path: str | Path, options: ExportOptions) -> Path:
    """Write a report in the format of another project, whole or not at all; see `Report.export`."""
    if to not in _MAKERS:
        raise UnknownNameError("format to export a report to", to, TARGETS)
    target = Path(path)
    ending = check_ending(target, ENDINGS[to], f"an export to {to}")
    if options.with_references and to != "inspect":
        raise InputError("only an Inspect log can store references", file=str(target))
    write_atomically(target, [_MAKERS[to](report, options, ending)])
    return target
