"""How AndroidControl's steps are scored, by each public implementation that could be run.

They differ in how far off a click may be, in what typed text has to share, in whether the type of
the action counts, and in which steps they drop. Points of references are in pixels of the
screenshot; each protocol's own vocabulary says what an answer's numbers count.
"""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.protocols.androidcontrol.gui_r1 import GUI_R1_RULE
from snellen.grading.protocols.androidcontrol.nodes import (
    AGENTCPM_RULE,
    GUIEVALKIT_RULE,
    UGROUND_RULE,
)
from snellen.grading.protocols.androidcontrol.os_atlas import OS_ATLAS_RULE
from snellen.grading.protocols.androidcontrol.parts import HIGH, LOW
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE, UI_S1_RULE
from snellen.grading.protocols.androidcontrol.screensuite import SCREENSUITE_RULE
from snellen.grading.protocols.androidcontrol.ui_r1 import UI_R1_RULE
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import STEP, GoldShape
from snellen.grading.protocols.robust_steps import robust_steps

_ALL = (
    robust_steps(HIGH),
    QWEN_RULE,
    OS_ATLAS_RULE,
    GUI_R1_RULE,
    AGENTCPM_RULE,
    GUIEVALKIT_RULE,
    UGROUND_RULE,
    UI_S1_RULE,
    UI_R1_RULE,
    SCREENSUITE_RULE,
)

# The references of scrolls changed with version 3, which is in no rule.
_VERSION = 3

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    task: tuple(replace(protocol, task=task, version=_VERSION) for protocol in _ALL)
    for task in (HIGH, LOW)
}

GOLDS: Mapping[str, GoldShape] = {HIGH: STEP, LOW: STEP}
