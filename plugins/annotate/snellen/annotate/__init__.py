"""References that people check or make: annotations, agreement, imports, and the pack that results.

command              the commands `snellen annotation ...`
pages, service       the pages for raters and organizers; assignment and storage of answers
rated, report        reports on raters, of the store and of a task
rating               `rate`: raters' answers in a file or in memory, graded and compared
agreement, suspicion the human ceiling, agreement, and answers that no honest rater would give
forms, boxes         what a rater fills in, and the boxes to choose from
imports, confirm     answers of other programs, and the new pack

from snellen.annotate import rate

report = rate("raters.jsonl", data="my-exam")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snellen.annotate.models import RaterAnswer, RaterReport
    from snellen.annotate.rating import rate

__all__ = ["RaterAnswer", "RaterReport", "rate"]

_HOMES = {"RaterAnswer": "models", "RaterReport": "models", "rate": "rating"}


def __getattr__(name: str) -> Any:  # noqa: ANN401  # a class or a function
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"snellen.annotate.{_HOMES[name]}"), name)
