"""AITZ as it is published: `test/SUBSET/EPISODE/EPISODE.json`, with the screenshots beside.

Source: Zhang et al., 2024, "Android in the Zoo"; github.com/IMNearth/CoAT.
"""

from snellen.tasks.benchmarks.aitw_steps import StepSet
from snellen.tasks.benchmarks.aitz.rules import HIGH
from snellen.tasks.benchmarks.declared import own

SUBSETS = ("general", "google_apps", "install", "web_shopping")
BELOW = ("test", "android_in_the_zoo/test")

load = StepSet(HIGH, SUBSETS, BELOW, own("aitz").releases).load
