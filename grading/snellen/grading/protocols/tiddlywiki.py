"""How the tasks in TiddlyWiki are scored."""

from collections.abc import Mapping

from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.worlds import world_protocols

L3 = "tiddlywiki/l3"

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {L3: world_protocols(L3)}
GOLDS: Mapping[str, GoldShape] = {L3: golds.OUTCOME}
