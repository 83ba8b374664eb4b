"""The options of an export: facts that a report does not contain."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from snellen.grading.errors import InputError
from snellen.grading.models.reports import PinVerdict
from snellen.sdk.inputs.selection import REFERENCES
from snellen.sdk.scored import ScoredReport
from snellen.tasks.benchmarks.table import benchmark_of

Relationship = Literal["first_party", "third_party", "collaborative", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """Facts for an export that a report does not contain.

    Attributes:
        model: The model's name in the format's form (`org/name` on the Hub); None: the report's.
        dataset: The data's id on the Hub; None: the benchmark's published data set, if it is there.
        dataset_task: The id of the task in that data set's `eval.yaml`.
        organization: The organization that ran the evaluation.
        relationship: Its relationship to the model's developers.
        source: The URL of the answers or of a text about them.
        date: The date of the run; None: now, if the format requires a date.
        with_references: Whether an Inspect log contains the references.
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
        """Return the name of the model that answered.

        Raises:
            InputError: It is unknown.
        """
        name = self.model or report.model
        if not name:
            raise InputError(
                "the answers name no model, or several; give the model as model= (--model ORG/NAME)"
            )
        return name

    def dataset_of(self, report: ScoredReport) -> str | None:
        """Return the data's id on the Hub; None if the data is not known to be there."""
        if self.dataset is not None:
            return self.dataset
        place = benchmark_of(report.task).place
        pin = report.provenance.data
        if place is None or place.host != "huggingface.co":
            return None
        other = pin.release == REFERENCES or pin.verdict is PinVerdict.DIFFERS
        return None if other else place.name

    def moment(self) -> datetime:
        """Return the date of the run with its time zone, or UTC if it has none."""
        date = self.date or datetime.now(UTC)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
