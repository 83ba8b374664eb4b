"""CAGUI's agent part as it is published: `CAGUI_agent/domestic/EPISODE/EPISODE.json`.

Source: Zhang et al., 2025, "AgentCPM-GUI"; huggingface.co/datasets/openbmb/CAGUI.
"""

from snellen.grading.protocols.cagui_agent import AGENT
from snellen.tasks.benchmarks.aitw_steps import StepSet
from snellen.tasks.benchmarks.cagui_agent import BELOW, RELEASES, SUBSETS

load = StepSet(AGENT, SUBSETS, BELOW, RELEASES).load
