"""How many items each of two runs' common items stands for, where they are a stratified sample."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from snellen.grading.breakdown import strata_of
from snellen.grading.errors import InputError
from snellen.sdk.scored import ScoredReport

if TYPE_CHECKING:
    from snellen.grading.models.samples import SampleDesign
    from snellen.grading.protocols.base import FloatArray


def common_weights(
    names: tuple[str, str], reports: tuple[ScoredReport, ScoredReport], ids: Sequence[str]
) -> "FloatArray | None":
    """Return how many items each common item of two runs stands for; None where none is sampled.

    Of a stratum of N_h items of which both runs have c_h, each stands for N_h / c_h: those that
    two draws have in common, or a draw and a run on all items, are a draw themselves.

    Args:
        names: What the runs are called.
        reports: The runs.
        ids: The items that both have.

    Raises:
        InputError: The runs are of samples drawn from different strata, or a stratum has no item
            in common.
    """
    sampled = [one for one in reports if one.provenance.sample is not None]
    designs = [one.provenance.sample for one in sampled if one.provenance.sample is not None]
    if not designs:
        return None
    named = " and ".join(names)
    if len({_strata(design) for design in designs}) > 1:
        raise InputError(
            f"{named} are of samples drawn from different strata, so nothing says how many items"
            " each common item stands for; grade both on one sample"
        )
    report, design = sampled[0], designs[0]
    rows = [report.scores.places[item_id] for item_id in ids]
    tags = {tag: [column[row] for row in rows] for tag, column in report.tags.items()}
    strata = strata_of(design, tags)
    drawn = np.bincount(strata.codes, minlength=len(strata.items))
    if not drawn.all():
        lacking = design.strata[int(drawn.argmin())].name
        raise InputError(
            f"{named} have no item of the stratum {lacking!r} in common, so that the items they"
            " share say nothing of all items; grade both on one sample"
        )
    return strata.weights


def _strata(design: "SampleDesign") -> object:
    return design.by, frozenset((one.values, one.items) for one in design.strata)
