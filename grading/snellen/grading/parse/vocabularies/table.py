"""The vocabularies by name."""

from collections.abc import Mapping
from types import MappingProxyType

from snellen.grading.parse.vocabularies.agentcpm import AGENTCPM, GUIEVALKIT
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.parse.vocabularies.cogagent import COGAGENT
from snellen.grading.parse.vocabularies.gui_r1 import GUI_R1
from snellen.grading.parse.vocabularies.odyssey import ODYSSEY
from snellen.grading.parse.vocabularies.os_atlas import OS_ATLAS
from snellen.grading.parse.vocabularies.plain import PLAIN
from snellen.grading.parse.vocabularies.pyautogui import PYAUTOGUI
from snellen.grading.parse.vocabularies.qwen import QWEN
from snellen.grading.parse.vocabularies.screensuite import SCREENSUITE
from snellen.grading.parse.vocabularies.uground import UGROUND
from snellen.grading.parse.vocabularies.ui_r1 import UI_R1
from snellen.grading.parse.vocabularies.ui_tars import UI_TARS, UI_TARS_15
from snellen.grading.parse.vocabularies.web import (
    SCREENSUITE_WEB,
    SEECLICK,
    SHOWUI,
    UGROUND_WEB,
)

VOCABULARIES: Mapping[str, Vocabulary] = MappingProxyType(
    {
        vocabulary.name: vocabulary
        for vocabulary in (
            QWEN,
            OS_ATLAS,
            GUI_R1,
            UI_TARS,
            UI_TARS_15,
            COGAGENT,
            UGROUND,
            GUIEVALKIT,
            AGENTCPM,
            PYAUTOGUI,
            SCREENSUITE,
            SEECLICK,
            SHOWUI,
            UGROUND_WEB,
            SCREENSUITE_WEB,
            ODYSSEY,
            PLAIN,
            # Its names stand in other vocabularies' texts, too.
            UI_R1,
        )
    }
)
"""Every vocabulary by its name, in the order in which a text of no declared one is tried: those
with a marker of their own first."""
