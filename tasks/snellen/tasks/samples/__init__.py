"""The sample exam that ships: 145 items of every task that needs no interaction.

`snellen build` made it of sites that it made up; `docs/building.md` has the commands. A score on it
is no score of a benchmark, and its references lie open.
"""

from pathlib import Path


def sample_pack() -> Path:
    """Return the folder of the sample's pack."""
    return Path(__file__).with_name("exam")
