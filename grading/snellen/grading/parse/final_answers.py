r"""Take the answer out of what a model puts around it: the readers of our robust protocols.

| function | takes off |
| --- | --- |
| `without_reasoning` | thoughts that open the response, or of which only the end is there |
| `unwrapped` | end tokens, `<answer>`, `\boxed{}`, a code fence, a JSON object around an answer |
| `final_answer` | what precedes the last `Answer:` at the start of a line |
| `without_lead_in` | what precedes the colon of a sentence that only introduces an answer |
| `described` | the tag around a page's description |

All but the first keep a text that has nothing to take off. None takes more than a bounded number of
looks at a character.
"""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import cast

from pydantic import JsonValue

from snellen.grading.pointing.text import is_object, read_json

_ANSWER = re.compile(
    r"^(?:[^\w\n]|_)*+(?:the\s++)?(?:final\s++)?answer(?:\s++is)?[*_`]*+\s*+[:\uff1a][*_`]*+(?P<said>.*)",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER_IS = re.compile(
    r"[\W_]*+(?:the\s++)?(?:(?:final|correct|right)\s++)?answer\s++(?:is|would\s++be)\s++",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*+```\w*+[ \t]*+\n?+(?P<body>.*)```\s*+", re.DOTALL)
_MOST_WRAPPINGS = 8
_END_TOKENS = re.compile(
    r"\s*+(?:<\|(?:im_end|end|eot_id|eom_id|endoftext|return|end_of_text|end_of_sentence|user)\|>|</s>"
    r"|<eos>|<end_of_turn>|\[EOS\]|<\uff5cend\u2581of\u2581sentence\uff5c>)\Z"
)
_GLM_BOX = "<|begin_of_box|>"
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname)\{(?P<said>[^{}]*+)\}")
_BOLD = re.compile(r"\*\*(?P<said>[^*]++)\*\*")
_ANSWER_KEYS = ("answer", "final_answer", "final answer")
_LONGEST_OBJECT = 100_000

# ---- lead-ins

_LONGEST_LEAD_IN = 160
_OPENING = re.compile(rf"(?P<said>[^:\uff1a\n]{{1,{_LONGEST_LEAD_IN}}})[:\uff1a][*_`]*+")
_SAYS = re.compile(
    rf"(?P<said>[^\"\u201c\u00ab\n]{{1,{_LONGEST_LEAD_IN}}})"
    r"(?:\"(?P<straight>.*)\"|\u201c(?P<curly>.*)\u201d|\u00ab(?P<angle>.*)\u00bb)[\s.*_`]*+",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NAMES = frozenset(
    {"answer", "caption", "content", "contents", "description", "heading", "headline", "ocr"}
    | {"text", "title", "transcription", "words", "wording"}
)
_AROUND = _NAMES | frozenset(
    {"a", "an", "and", "appears", "are", "area", "as", "be", "bounding", "box", "can"}
    | {"certainly", "course", "displayed", "element", "extracted", "final", "following"}
    | {"follows", "for", "found", "from", "here", "here's", "highlighted", "html", "i", "in"}
    | {"inside", "image", "is", "it", "it's", "main", "marked", "meta", "my", "of", "ok", "okay"}
    | {"on", "output", "outlined", "page", "page's", "primary", "reads", "recognized"}
    | {"recognized", "rectangle", "red", "region", "result", "says", "screenshot", "seen"}
    | {"shown", "site", "sure", "tag", "that", "the", "there", "this", "to", "visible", "web"}
    | {"webpage", "webpage's", "website", "website's", "which", "within", "would", "written"}
    | {"your"}
)
# One word and a colon begin many a text of a page; these are a model's.
_ALONE = frozenset({"answer", "caption", "description", "heading", "ocr", "transcription"})

# ---- tags

_META = re.compile(r"<meta\b", re.IGNORECASE)
_DESCRIBES = re.compile(
    r"\b(?:name|property|itemprop)\s{0,9}=\s{0,9}[\"']?(?:og:|twitter:)?description\b",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"\bcontent\s{0,9}=\s{0,9}(?P<quote>[\"'])", re.IGNORECASE)
# A quote that ends the tag or stands before the next attribute: there may be others inside.
_CLOSING = {
    quote: re.compile(rf"{quote}(?=\s{{0,9}}(?:/?\s{{0,9}}>|\w[\w:-]{{0,40}}\s{{0,9}}=))")
    for quote in "\"'"
}
_MOST_TAGS = 20
_MOST_ATTRIBUTES = 400

# ---- thoughts

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
_THOUGHT = re.compile(r"\s*+(" + "|".join(map(re.escape, _MARKS)) + ")", re.IGNORECASE)
_THOUGHT_ENDS = re.compile("|".join(map(re.escape, _MARKS.values())), re.IGNORECASE)
_ENDS = {end: begin for begin, end in _MARKS.items()}
_HINTS = re.compile(r"[<\[\u25c1]|hought|analysis", re.IGNORECASE)
_MOST_THOUGHTS = 50

# ---- gpt-oss: channels, with their marks or without
_CHANNEL = re.compile(r"\s*+(?:<\|start\|>assistant)?<\|channel\|>")
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*+final\b[^<]{0,40}<\|message\|>")
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
    for _ in range(_MOST_THOUGHTS):
        opening = _THOUGHT.match(said)
        if opening:
            ends = _MARKS[opening[1].lower()]
            found = re.compile(re.escape(ends), re.IGNORECASE).search(said, opening.end())
            if found is None:
                return None
        else:
            found = _THOUGHT_ENDS.search(said)
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
        ends = [found.end() for found in _FINAL_CHANNEL.finditer(text)]
        ends = ends or [found.end() for found in _CALLED.finditer(text)]
        return text[ends[-1] :] if ends else None
    if _BARE_FINAL in text and _BARE_ANALYSIS.match(text):
        return text.rpartition(_BARE_FINAL)[2]
    return text


def unwrapped(text: str) -> str:
    r"""Take off what stands around a whole answer.

    End tokens, `<answer>`, `\boxed{}`, GLM-V's box, a code fence, a JSON object with an `answer` or
    with one text or number, bold.

    >>> unwrapped('```json\n{"answer": "Paris"}\n```'), unwrapped(r"$\boxed{\text{Paris}}$")
    ('Paris', 'Paris')
    """
    text = text.strip()
    for _ in range(_MOST_WRAPPINGS):
        inner = _once_unwrapped(text).strip()
        if not inner or inner == text:
            break
        text = inner
    return text


def _once_unwrapped(text: str) -> str:
    if text[-1:] in (">", "]") and (ended := _END_TOKENS.search(text)):
        return text[: ended.start()]
    last = text[-1:]
    if last == ">" or "<answer>" in text:
        _, tag, inside = text.rpartition("<answer>")
        inside = inside.partition("</answer>")[0]
        if tag and inside.strip():
            return inside
    if _GLM_BOX in text:
        return text.rpartition(_GLM_BOX)[2].partition("<|end_of_box|>")[0]
    if "\\boxed{" in text:
        return _boxed(text)
    if last == "`" and (fenced := _FENCE.fullmatch(text)) and "```" not in fenced["body"]:
        return fenced["body"]
    if last == "}" and text[0] == "{" and len(text) <= _LONGEST_OBJECT:
        return _answer_field(text)
    if last == "}" and (latex := _LATEX_TEXT.fullmatch(text)):
        return latex["said"]
    if last == "*" and (bold := _BOLD.fullmatch(text)):
        return bold["said"]
    return text


def _boxed(text: str) -> str:
    r"""Return what the last `\boxed{}` holds; the text itself where it never ends."""
    start = text.rindex("\\boxed{") + len("\\boxed{")
    depth = 1
    for found in _BRACES.finditer(text, start):
        depth += 1 if found[0] == "{" else -1 if found[0] == "}" else 0
        if depth == 0:
            return text[start : found.start()]
    return text


def _answer_field(text: str) -> str:
    data = read_json(text)
    fields = data if is_object(data) else {}
    named = {key.lower(): value for key, value in fields.items()}
    for key in _ANSWER_KEYS:
        if key in named:
            return _plain_text(named[key]) or text
    return (_plain_text(next(iter(fields.values()))) or text) if len(fields) == 1 else text


def _plain_text(value: JsonValue) -> str:
    """Return a text or a number as text; an empty one for anything else."""
    if isinstance(value, str):
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return json.dumps(value) if number else ""


def final_answer(text: str) -> str:
    r"""Take what follows the last `Answer:` at the start of a line.

    An answer on the lines below its `Answer:` is taken too.

    >>> final_answer("It says 12 or 15.\n**Final answer:** 12")
    '12'
    """
    all_found = list(_ANSWER.finditer(text))
    if not all_found:
        return text.strip()
    last = all_found[-1]
    return last["said"].strip() or text[last.end() :].strip() or text.strip()


def short_answer(text: str) -> str:
    """Take a short answer: out of its wrapping, behind `Answer:` or "The answer is".

    >>> short_answer("The answer is 4.3 stars"), short_answer("Answer: 10:30")
    ('4.3 stars', '10:30')
    """
    said = final_answer(unwrapped(text))
    opening = _ANSWER_IS.match(said)
    return (said[opening.end() :] if opening else "") or said


def without_lead_in(text: str) -> str:
    """Take what follows a sentence that only introduces it, and the quotes around it.

    A lead-in is made of words such as "the text in the red box is" and of no others, and ends
    with a colon or before a quotation to the end. So "Open 10:30" is a text, not a lead-in.

    >>> without_lead_in("The text content within the red bounding box is: Open 10:30")
    'Open 10:30'
    >>> without_lead_in('The main heading reads "Our story".'), without_lead_in("Open 10:30")
    ('Our story', 'Open 10:30')
    """
    said = unwrapped(text)
    opening = _OPENING.match(said)
    if opening and _introduces(opening["said"]):
        return said[opening.end() :].strip() or said
    quoted = _SAYS.fullmatch(said)
    if quoted and _introduces(quoted["said"]):
        spoken = quoted["straight"] or quoted["curly"] or quoted["angle"] or ""
        return spoken.strip() or said
    return said


def described(text: str) -> str:
    r"""Take a page's description: out of its tag, or behind a lead-in such as "Meta Description:".

    The tag may be written in any case and over several lines, with its attributes in any order
    and any quotes, hold quotes itself, be followed by others, or break off.

    >>> described("<META content='Buy\nshoes' property=\"og:description\" />")
    'Buy\nshoes'
    >>> described("Meta Description: Buy shoes")
    'Buy shoes'
    """
    said = unwrapped(text)
    found = next(_descriptions(said), None) or next(_descriptions(text), None)
    return without_lead_in(said) if found is None else found


def _descriptions(text: str) -> Iterator[str]:
    starts = [tag.start() for tag in islice(_META.finditer(text), _MOST_TAGS)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        tag = text[start:end]
        content = _CONTENT.search(tag)
        if content is None:
            continue
        closing = _CLOSING[content["quote"]].search(tag, content.end())
        said = tag[content.end() : closing.start() if closing else len(tag)]
        rest = tag[closing.end() :][:_MOST_ATTRIBUTES].partition(">")[0] if closing else ""
        if any(map(_DESCRIBES.search, (tag[: content.start()], rest))) and said.strip():
            yield html.unescape(said.strip().removesuffix(content["quote"])).strip()


def _introduces(said: str) -> bool:
    found = cast("list[str]", _WORD.findall(said.lower().replace("\u2019", "'")))
    if len(found) < 2:
        return not _ALONE.isdisjoint(found)
    return not _NAMES.isdisjoint(found) and _AROUND.issuperset(found)
