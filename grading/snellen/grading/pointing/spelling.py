"""Bring the many ways to write a point into `(x, y)`, `x=1, y=2` or JSON."""

import json
import re
from collections.abc import Mapping
from typing import cast

from snellen.grading.calls import TooManyError, scan
from snellen.grading.standing import without_quotations

Fields = Mapping[str, object]

_N = r"[-+]?(?:\d++(?:\.\d++)?+|\.\d++)"
_UNIT = r"(?:\s?(?:%|px\b|pixels?\b))?"
_AXIS = re.compile(
    r"(?<![\w.])[*_`]{0,3}([xy])[*_`]{0,3}(?:[ _-]?(?:coord(?:inate)?|position|value|axis))?"
    r"[*_`]{0,3}\s{0,3}(?:\bis\b|\bequals\b|[:=\u2248~])\s{0,3}[*_`]{0,3}(?=[-+]?\.?\d)",
    re.IGNORECASE,
)
_BOTH = re.compile(rf"\b(x=)({_N}){_UNIT}[\s,;*_`]{{1,6}}(?:and\s)?\s?(y=)({_N}){_UNIT}")
_SIDES = re.compile(
    rf"({_N})\s?(%|px\b|pixels?\b)?[^\d%.\n]{{0,30}}\bleft\b[^\d%.\n]{{1,30}}({_N})\s?(?:%|px\b|pixels?\b)?"
    r"[^\d%.\n]{0,30}\btop\b",
    re.IGNORECASE,
)
_TOKENS = re.compile(r"<(?:loc_)?\d{1,4}>(?:<(?:loc_)?\d{1,4}>){1,3}")
_OPEN_TAG = re.compile(rf"<point>\s{{0,4}}({_N})[,\s]\s{{0,4}}({_N})(?![\d.]|\s{{0,4}}</)")
_FIRST_OF_SEVERAL = re.compile(rf"\bx1=\"({_N})\"\s{{1,4}}y1=\"({_N})\"")
_NUMBERED = re.compile(rf"\bcoords=\"\d{{1,3}}\s\d{{1,3}}\s({_N})\s({_N})[^\"]{{0,400}}\"")

# ---- fields of an object -----------------------------------------------------------------------

_NO_ANSWER = re.compile(
    r"think|thought|reason|reflect|analy|scratch|plan|observ|rational|memor|comment|note|hint"
    r"|example|explan|descri|size|resolution|viewport|dimension|reject|previous|old_|wrong|avoid"
    r"|distract|alternativ|not_",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"answer|point|coord|box|position|location|click|target|response|output|result|action|content"
    r"|argument|parameter|value|center|grounding|\A[xy]\d?\Z",
    re.IGNORECASE,
)
_FOUND = re.compile(r"found|visible|exist|present|available", re.IGNORECASE)
_LOST = frozenset({"not_found", "missing", "absent", "invisible", "failure", "failed", "error"})
_NO_ACTS = frozenset({"none", "null", "nothing", "no", "noaction", "noop", "skip", "unknown", ""})


def spelled_out(text: str) -> str:
    """Return a text without what is no answer in it, its points in the usual spelling."""
    text = _without_fields(without_quotations(text))
    text = _AXIS.sub(lambda found: f"{found[1].lower()}=", text)
    text = _BOTH.sub(_keyed, text)
    text = _SIDES.sub(
        lambda found: f"({found[1]}{_percent(found[2])}, {found[3]}{_percent(found[2])})", text
    )
    text = _TOKENS.sub(lambda found: f"[{', '.join(re.findall(r'[0-9]+', found[0]))}]", text)
    for pattern in (_OPEN_TAG, _FIRST_OF_SEVERAL, _NUMBERED):
        text = pattern.sub(r"(\1, \2)", text)
    return text


def _keyed(found: re.Match[str]) -> str:
    percent = "%" if "%" in found[0] else ""
    return f"x={found[2]}{percent}, y={found[4]}{percent}"


def _percent(unit: str | None) -> str:
    return "%" if unit == "%" else ""


def _without_fields(text: str) -> str:
    """Return a text with the objects in it less the fields that answer nothing."""
    if "{" not in text:
        return text
    parts: list[str] = []
    end = 0
    try:
        for call in scan(text, ()):
            kept = _answering(call.given)
            if kept != call.given:
                parts += [text[end : call.start], json.dumps(kept, ensure_ascii=False)]
                end = call.end
    except TooManyError:
        return text
    return "".join((*parts, text[end:]))


def _answering(value: object) -> object:
    if isinstance(value, list):
        return [_answering(each) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("Fields", value)
    if any(flag is False and _FOUND.search(name) for name, flag in fields.items()):
        return {}
    if any(
        str(fields.get(name)).lower().replace(" ", "_") in _LOST for name in ("status", "result")
    ):
        return {}
    act = fields.get("action", fields.get("action_type", "click"))
    if act is None or (
        isinstance(act, str) and act.strip(" ._").lower().replace("_", "") in _NO_ACTS
    ):
        return {}
    kept = {
        name: _answering(each)
        for name, each in fields.items()
        if not _NO_ANSWER.search(name)
        and (not isinstance(each, str) or len(fields) == 1 or _ANSWERS.search(name))
    }
    corners = [kept.get(name) for name in ("top_left", "bottom_right")]
    if all(isinstance(corner, list) for corner in corners):
        kept = {"bbox": [side for corner in cast("list[list[object]]", corners) for side in corner]}
    return kept
