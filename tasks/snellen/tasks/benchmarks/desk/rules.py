"""How the tasks in snellen's own applications are scored."""

from collections.abc import Mapping

from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.worlds import world_protocols

L3, L4 = "desk/l3", "desk/l4"

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {task: world_protocols(task) for task in (L3, L4)}
GOLDS: Mapping[str, GoldShape] = dict.fromkeys((L3, L4), golds.OUTCOME)
