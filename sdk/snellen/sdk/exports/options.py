"""What an export says that a report does not know."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from snellen.grading.errors import InputError
from snellen.grading.models.reports import PinVerdict
from snellen.sdk.data.selection import REFERENCES
from snellen.sdk.scored import ScoredReport
from snellen.tasks.benchmarks.table import benchmark_of

Relationship = Literal["first_party", "third_party", "collaborative", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What an export says that a report does not know.

    Attributes:
        model: The model's name as the format wants it (`org/name` on the Hub); None: the report's.
        dataset: The data's id on the Hub; None: where the benchmark is published there.
        dataset_task: The id of the task in that data set's `eval.yaml`.
        organization: Who ran the evaluation.
        relationship: What they are to the model's makers.
        source: The address of the answers or of a text about them.
        date: When it was run; None: now, where the format must say one.
        with_references: Whether an Inspect log holds the references.
    """

    model: str | None = None
    dataset: str | None = None
    dataset_task: str = "default"
    organization: str = ""
    relationship: Relationship = "other"
    source: str | None = None
    date: datetime | None = None
    with_references: bool = False

    def model_of(self, report: ScoredReport) -> str:
        """Return who answered.

        Raises:
            InputError: Nobody says it.
        """
        name = self.model or report.model
        if not name:
            raise InputError(
                "the answers name no model, or several; say which answered with model="
                " (--model ORG/NAME)"
            )
        return name

    def dataset_of(self, report: ScoredReport) -> str | None:
        """Return the data's id on the Hub; None where it is not known to be there."""
        if self.dataset is not None:
            return self.dataset
        place = benchmark_of(report.task).place
        pin = report.provenance.data
        if place is None or place.host != "huggingface.co":
            return None
        other = pin.release == REFERENCES or pin.verdict is PinVerdict.DIFFERS
        return None if other else place.name

    def moment(self) -> datetime:
        """Return when it was run, with its time zone: UTC where the date has none."""
        date = self.date or datetime.now(UTC)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
