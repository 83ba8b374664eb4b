"""How the steps of CAGUI's agent part are scored: by its authors' code, and by guievalkit's."""

from collections.abc import Mapping

from snellen.grading.protocols.agentcpm_steps import common_mode
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import STEP, GoldShape
from snellen.grading.protocols.robust_steps import robust_steps

AGENT = "cagui-agent/high"
_AGENTCPM, _GUIEVALKIT = common_mode(AGENT, "in a node x 1.2 that holds the reference, or ")

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    AGENT: (_AGENTCPM, robust_steps(AGENT), _GUIEVALKIT)
}
GOLDS: Mapping[str, GoldShape] = {AGENT: STEP}
