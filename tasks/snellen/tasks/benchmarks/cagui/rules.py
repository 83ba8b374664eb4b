"""How CAGUI is scored: a point in the target's box, a text that is the same, or a next action.

Source: AgentCPM-GUI eval/grounding_eval/code (acbaf50), which has a reader for each model. All
compare points in pixels of the screenshot, edges of boxes included.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from snellen.grading.coordinates import PIXELS, THOUSAND
from snellen.grading.normalize import folded
from snellen.grading.pointing.points import ReadPoint
from snellen.grading.protocols import base, golds, pointing
from snellen.grading.protocols.agentcpm_steps import common_mode
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.spaces import InPixels
from snellen.grading.protocols.texts import equal, ours, text_parser

FUN2POINT, TEXT2POINT, BBOX2TEXT = "cagui/fun2point", "cagui/text2point", "cagui/bbox2text"
AGENT = "cagui/agent"
_CODE = "AgentCPM-GUI eval/grounding_eval/code"
_DIGITS = re.compile(r"\d+")


def _of_json(text: str) -> ReadPoint | None:
    """Read `{"POINT": [x, y]}`: the whole answer is JSON."""
    try:
        x, y = json.loads(_squeezed(text))["POINT"][:2]
        return ReadPoint(x / 1.0, y / 1.0)
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError):
        return None


def _first(pattern: str) -> Callable[[str], ReadPoint | None]:
    found = re.compile(pattern)

    def read(text: str) -> ReadPoint | None:
        match = found.search(_squeezed(text))
        if match is None:
            return None
        x, y = _DIGITS.findall(match[0])
        return ReadPoint(float(x), float(y))

    return read


def _squeezed(text: str) -> str:
    return text.strip("\n").replace(" ", "")


def _thousandths(point: ReadPoint, context: base.Context) -> base.Parsed:
    if not context.width or not context.height:
        return pointing.fractions(ReadPoint(point.x / 1000, point.y / 1000), context)
    # As published, in this order: the last digits can decide on an edge.
    return base.Parsed(InPixels((point.x / 1000 * context.width, point.y / 1000 * context.height)))


def _pixels(point: ReadPoint, context: base.Context) -> base.Parsed:
    return pointing.pixels(point, base.Context())


def _protocols(task: str) -> tuple[base.Protocol, ...]:
    official = replace(
        pointing.robust_pointing(task),
        id="official",
        version=1,
        source=f"{_CODE}/minicpm (acbaf50)",
        special='requires JSON with "POINT" in thousandths and no other text',
        parser=pointing.point_parser('the `"POINT"` of a JSON answer', _of_json, _thousandths),
        write=pointing.writes('{{"POINT":[{x},{y}]}}', THOUSAND),
    )
    qwen = replace(
        official,
        id="qwen",
        source=f"{_CODE}/Qwen2.5-VL, GPT-4o (acbaf50)",
        special="requires `<x,y>`, whole numbers in pixels of the screenshot",
        parser=pointing.point_parser("the first `<x,y>`", _first(r"<\d++,\d++>"), _pixels),
        write=pointing.writes("<{x},{y}>", PIXELS, 0),
    )
    os_atlas = replace(
        official,
        id="os-atlas",
        source=f"{_CODE}/OS-Altas (acbaf50)",
        special="requires `[[x,y]]`, whole numbers in thousandths",
        parser=pointing.point_parser(
            "the first `[[x,y]]`", _first(r"\[\[\d++,\d++\]\]"), _thousandths
        ),
        write=pointing.writes("[[{x},{y}]]", THOUSAND, 0),
    )
    ui_tars = replace(
        official,
        id="ui-tars",
        source=f"{_CODE}/UI-TARS (acbaf50)",
        special="the first two whole numbers with a comma between them, in thousandths",
        parser=pointing.point_parser("the first `x,y`", _first(r"(?<!\d)\d++,\d+"), _thousandths),
        write=pointing.writes("({x},{y})", THOUSAND, 0),
    )
    return pointing.point_protocols(official, qwen, os_atlas, ui_tars)


_SAME_TEXT = equal("the same text")
_OFFICIAL_TEXT = base.Protocol(
    BBOX2TEXT,
    "official",
    1,
    f"{_CODE}/minicpm (acbaf50), as every other script there",
    "deletes the spaces of the answer and not of the reference, so that a text with a space is"
    " never right",
    text_parser("the answer without its spaces", lambda text, _: _squeezed(text)),
    base.AS_IS,
    _SAME_TEXT,
)
_WITHOUT_SPACES = base.Normalizer(
    "NFKC, case folded, without white space", lambda text: "".join(folded(text).split())
)
_ROBUST_TEXT = replace(
    _OFFICIAL_TEXT,
    id="robust",
    version=2,
    source="ours",
    special="the answer without reasoning and wrapping; spaces and case don't count",
    parser=ours(text_parser("the text", lambda text, _: text)),
    normalizer=_WITHOUT_SPACES,
    metric=base.pairwise(
        "the same text",
        ("accuracy",),
        "accuracy",
        lambda answer, gold, normalize: (float(normalize(answer) == normalize(gold)),),
    ),
)

_AGENTCPM, _GUIEVALKIT = common_mode(AGENT, "in a node x 1.2 that holds the reference, or ")

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    FUN2POINT: _protocols(FUN2POINT),
    TEXT2POINT: _protocols(TEXT2POINT),
    BBOX2TEXT: (_OFFICIAL_TEXT, _ROBUST_TEXT),
    AGENT: (robust_steps(AGENT), _AGENTCPM, _GUIEVALKIT),
}
GOLDS: Mapping[str, GoldShape] = {
    FUN2POINT: golds.TARGET_IN_IMAGE,
    TEXT2POINT: golds.TARGET_IN_IMAGE,
    BBOX2TEXT: golds.TEXT,
    AGENT: golds.STEP,
}
