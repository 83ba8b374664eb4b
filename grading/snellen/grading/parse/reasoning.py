"""Take a model's thoughts off its answer.

A mark counts only where it opens the response, or where only its end is there (a chat template
wrote the beginning): a page's text that is the answer may hold one.
"""

import re

_MARKS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<reflection>": "</reflection>",
    "<grounding_think>": "</grounding_think>",
    "<seed:think>": "</seed:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|thinking|>": "<|/thinking|>",
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
    "[think]": "[/think]",
}
_OPENING = re.compile(r"\s*+(" + "|".join(map(re.escape, _MARKS)) + ")", re.IGNORECASE)
_CLOSING = re.compile("|".join(map(re.escape, _MARKS.values())), re.IGNORECASE)
_ENDS = {end: begin for begin, end in _MARKS.items()}
_HINTS = re.compile(r"[<\[\u25c1]|hought|analysis", re.IGNORECASE)
_MOST = 50

# ---- gpt-oss: channels, with their marks or without
_CHANNEL = re.compile(r"\s*+(?:<\|start\|>assistant)?<\|channel\|>")
_FINAL = re.compile(r"<\|channel\|>\s*+final\b[^<]{0,40}<\|message\|>")
_CALLED = re.compile(r"<\|channel\|>\s*+commentary to=[^<]{1,80}<\|message\|>")
_BARE_ANALYSIS, _BARE_FINAL = re.compile(r"\s*+analysis(?=[A-Z\s])"), "assistantfinal"

# ---- agents: a paragraph that says so, and then what they do
_AGENT = re.compile(r"[\s#*_]*+thoughts?[*_]*+\s*+[:\uff1a]", re.IGNORECASE)
_ACTS = re.compile(
    r"^[ \t#*_]*+(?:final[ \t]answer|answer|actions?)[*_]*+[ \t]*+[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)

CUT_OFF = "cut off in its reasoning, before any answer"
"""Why a response was not read of which the thought has no end."""


def without_reasoning(text: str) -> str | None:
    r"""Return what follows a response's thoughts.

    Returns:
        The text itself where it opens with no thought; None where a thought never ends, or where
        nothing follows it.

    >>> without_reasoning("<think>A? No.</think>\n\nB"), without_reasoning("so A? No.</think>B")
    ('B', 'B')
    >>> without_reasoning("<think>Perhaps A, but") is None
    True
    """
    if not _HINTS.search(text):
        return text
    said = _final_channel(text)
    if said is None:
        return None
    thought = said is not text
    for _ in range(_MOST):
        opening = _OPENING.match(said)
        if opening:
            ends = _MARKS[opening[1].lower()]
            found = re.compile(re.escape(ends), re.IGNORECASE).search(said, opening.end())
            if found is None:
                return None
        else:
            found = _CLOSING.search(said)
            if found is None or _ENDS[found[0].lower()] in said[: found.start()].lower():
                break
        said, thought = said[found.end() :], True
    if _AGENT.match(said):
        acts = [found.start() for found in _ACTS.finditer(said)]
        said = said[acts[-1] :] if acts else said
    if not thought:
        return said
    return said.strip() or None


def _final_channel(text: str) -> str | None:
    """Return what gpt-oss says in its last channel that is for others."""
    if _CHANNEL.match(text):
        ends = [found.end() for found in _FINAL.finditer(text)]
        ends = ends or [found.end() for found in _CALLED.finditer(text)]
        return text[ends[-1] :] if ends else None
    if _BARE_FINAL in text and _BARE_ANALYSIS.match(text):
        return text.rpartition(_BARE_FINAL)[2]
    return text
