"""AITZ as it is published: `test/SUBSET/EPISODE/EPISODE.json`, with the screenshots beside.

Source: Zhang et al., 2024, "Android in the Zoo"; github.com/IMNearth/CoAT.
"""

from snellen.tasks.benchmarks.aitw_steps import StepSet
from snellen.tasks.benchmarks.aitz import BELOW, RELEASES, SUBSETS
from snellen.tasks.benchmarks.aitz.rules import HIGH

load = StepSet(HIGH, SUBSETS, BELOW, RELEASES).load
