"""How the items of a report were drawn from their benchmark, where they are a stratified sample."""

from collections.abc import Sequence

from pydantic import Field

from snellen.grading.models.base import Closed


def stratum_name(values: Sequence[str | None]) -> str:
    """Return a stratum's values in one text, as a breakdown writes them.

    >>> stratum_name(("perception", None))
    'perception x -'
    """
    return " x ".join("-" if value is None else value for value in values)


class Stratum(Closed):
    """One stratum: how many items it has and how many of them were drawn.

    Attributes:
        values: Its value of each tag of the design; None: its items lack that tag.
        core: Whether all of it is kept.
        items: How many items it has, N_h.
        drawn: How many were drawn, n_h; each stands for N_h / n_h items.
        units: How many units it has: clusters where whole ones were drawn, else items.
        drawn_units: How many units were drawn.
    """

    values: tuple[str | None, ...]
    core: bool = False
    items: int = Field(gt=0)
    drawn: int = Field(gt=0)
    units: int = Field(gt=0)
    drawn_units: int = Field(gt=0)

    @property
    def name(self) -> str:
        """Its values in one text, as a breakdown writes them."""
        return stratum_name(self.values)


class SampleDesign(Closed):
    """How a sample was drawn; with the items' tags, all that its estimates rest on.

    Attributes:
        by: The tags whose combined values are the strata.
        whole: The tag whose values were drawn as one, such as a site; None: items were drawn.
        seed: What the draw started from.
        sha256: The digest of the sample's file.
        strata: Every stratum.
    """

    by: tuple[str, ...]
    whole: str | None = None
    seed: int
    sha256: str
    strata: tuple[Stratum, ...]

    @property
    def items(self) -> int:
        """How many items there were to draw from."""
        return sum(stratum.items for stratum in self.strata)
