"""How GUI Knowledge Bench is scored: by the letter of an option, or by yes, no or unknown.

Source: Shi et al., 2025 (arXiv 2510.26098). Its authors publish no scorer; `official` restates
X-PLUG/MobileAgent 11cea57, Mobile-Agent-v3.5/grounding_and_kb/eval_gui_knowledge_benchmark.py.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from snellen.grading.parse.choice import robust_choice
from snellen.grading.parse.responses import as_python_text
from snellen.grading.protocols import base
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.texts import not_text, ours, text_parser

TASKS = tuple(f"gui-knowledge/{name}" for name in ("perception", "prediction", "instruction"))
LETTERS = tuple("ABCDEFGH")
WORDS = ("yes", "no", "unknown")
CHOICE, WORD = "multiple_choice", "yes_or_no"


class KnowledgeGold(msgspec.Struct, frozen=True):
    """The right answer of a question.

    Attributes:
        groundtruth: A letter, or `yes`, `no` or `unknown`.
        answer_type: The question's type, `multiple_choice` or `yes_or_no`; None: the one that the
            right answer belongs to.
    """

    groundtruth: str
    answer_type: str | None = None


def _gold(value: KnowledgeGold | str) -> KnowledgeGold:
    gold = KnowledgeGold(value) if isinstance(value, str) else value
    right = _normal(gold.groundtruth)
    own = WORD if right in WORDS else CHOICE if right in LETTERS else None
    return KnowledgeGold(gold.groundtruth, gold.answer_type or own)


GOLD = GoldShape(
    "an option's letter, or yes, no or unknown, or {groundtruth, answer_type}",
    KnowledgeGold | str,
    _gold,
    lambda gold: [gold.groundtruth],
    lambda gold: base.Context(form=gold.answer_type or ""),
    lambda answers, _, before: {"groundtruth": answers[0], "answer_type": before.answer_type},
)


# ---- official: the patterns, tried in order in any case ----------------------------------------


def _table(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def _all(patterns: Iterable[re.Pattern[str]], text: str) -> Iterator[str]:
    """Yield what each pattern finds first."""
    return (found[1] for pattern in patterns if (found := pattern.search(text)))


# Optional text at a pattern's start is left out, and runs of spaces give nothing back: neither
# changes an answer, and a long run does not cost the square of its length.
_LETTER, _WORD = "([A-H])", "(yes|no|unknown)"
_BOTH = (_LETTER, _WORD)
_KEYED = _table(
    r"[\"']answer\\*+[\"']\s*+:\s*+\\*+[\"']([^\"'\\]+)\\*+[\"']",
    r"[\"']answer[\"']\s*+:\s*+[\"']([^\"']+)[\"']",
    *(rf"[\"']answer[\"']\s*+:\s*+[\"']?{either}" for either in _BOTH),
    r"\banswer\s*+:\s*+[\"']([^\"']+)[\"']",
    *(rf"\banswer\s*+:\s*+{either}\b" for either in _BOTH),
    *(rf"answer\s*+(?:[\"']\s*+)?:\s*+(?:[\"']\s*+)?{either}" for either in _BOTH),
)
_CHINESE = _table(
    *(rf"答案\s*+[:\uff1a]\s*+{either}\b" for either in _BOTH),
    *(rf"答案是\s*+(?:[:\uff1a]\s*+)?{either}\b" for either in _BOTH),
)
_STATED = _table(
    *(rf"answer\s+is\s*+(?:[:\uff1a]\s*+)?[\"']?{either}" for either in _BOTH),
    rf"I\s+(?:would\s+)?(?:choose|select|pick)\s*+(?:[:\uff1a]\s*+)?[\"']?{_LETTER}",
    rf"\b(?:option|choice)\s+{_LETTER}\s+is\s+(?:the\s+)?(?:correct|right|best)",
    rf"(?:so|therefore|thus|hence)[,.]?\s+(?:the\s+answer\s+is\s+)?[\"']?{_LETTER}",
)
_ANYWHERE = _table(r"answer[\\\"'\s:]++([A-H]|yes|no|unknown)\b")
_LINES = _table(
    r"(?m:^)[^\S\n]*+(?:final\s+)?answer\s*[:\uff1a]\s*(.+)",
    r"answer\s+is(?:\s*+[:\uff1a.]|\s)\s*(.+)",
    r"(?m:^)[^\S\n]*+answer\s*=\s*(.+)",
    r"(?:so|therefore|thus|hence)\s*+(?:,\s*+)?(?:the\s+)?answer\s+is(?:\s*+[:\uff1a.]|\s)\s*(.+)",
    r"答案\s*(?:是|为|[:\uff1a])\s*(.[^\n。]*)",
    r"选择?\s*(.[^\n。]*)",
    r"I\s+(?:would\s+)?(?:choose|select|pick)\s+(.+?)(?m:$|\.(?:\s|$))",
    r"(?:option|choice)\s+([A-G])\b",
)
_HOLDS = (
    r"\A(?!(?s:.)*no)(?=(?s:.)*(yes))",
    r"\A(?!(?s:.)*(?:yes|unknown))(?=(?s:.)*(no))",
    "(unknown)",
)
_ALONE = {
    CHOICE: _table(
        r'"{3}\s*([A-G])\s*"{3}',
        r"`{1,3}\s*([A-G])\s*`{1,3}",
        r"[(\[]\s*([A-G])\s*[)\]]",
        r"(?:\A|[\s.,;:!?\"'`])([A-G])[.)\s]*\Z",
        r"\A(?=(?s:.){1,5}\Z)([A-G])",
    ),
    WORD: _table(rf"\A{_WORD}\b", rf"\b{_WORD}\s*[.!]?\s*\Z", *_HOLDS),
}
_SAME_LETTER = _table(
    r"\A([A-H])[.):\uff1a\s]",
    r"ANSWER\s*(?:IS|:)\s*([A-H])\b",
    r"(?:OPTION|CHOICE)\s+([A-H])\b",
    r"\b([A-H])\s*IS\s+(?:THE\s+)?(?:CORRECT|RIGHT|ANSWER)",
    r"(?:\A|[\s.,;:!?\"'`])([A-H])[.)\s]*\Z",
)
_SAME_WORD = _table(r"\A(yes)\b", r"\A(?!(?s:.)*unknown)(no)\b", r"\A(unknown)\b", *_HOLDS)

# ---- official: from a response to a text, and from a text to a verdict -------------------------

_AFTER = ("", *".\u3002)\uff09: ,")
_OBJECT = re.compile(r"\{[^{}]*\}")
_LEAD_IN = re.compile(r"\A(?:the\s+answer\s+is\s*+[:.]?\s*+)?(?:answer\s*+[:.]?\s*+)?")
_ESCAPES = (('\\"', '"'), ("\\'", "'"), ("\\n", "\n"), ("\\t", "\t"))


def _bare(text: str, marks: str) -> str:
    """Strip spaces, and then each of the marks in turn."""
    text = text.strip()
    for mark in marks:
        text = text.strip(mark)
    return text.strip()


def _unescaped(text: str) -> str:
    for _ in range(3):
        before = text
        try:
            text = json.loads(f'"{text}"')
        except ValueError:
            for escape, plain in (*_ESCAPES, ("\\\\", "\\")):
                text = text.replace(escape, plain)
        if text == before:
            break
    return text


def _forms(response: str) -> list[str]:
    """Return the response and what is left of it without fences and escapes, itself first."""
    raw = response.strip()
    inside = re.sub(r"```\s*", "", re.sub(r"```json\s*", "", raw)).strip()
    inside = re.sub(r"</?[a-zA-Z_]+>\Z", "", inside).strip()
    forms = [raw, inside, _unescaped(raw), _unescaped(inside)]
    for form in (raw, inside):
        for escape, plain in (('\\\\\\"', '"'), ("\\\\'", "'"), *_ESCAPES):
            form = form.replace(escape, plain)
        forms += [form, form.strip()]
    return list(filter(None, dict.fromkeys(forms)))


def _fields(text: str) -> Iterator[str]:
    for each in (*_OBJECT.findall(text), text):
        try:
            data: object = json.loads(each)
            if isinstance(data, dict):
                given = cast("dict[str, object]", data)
                keys = (key for key in ("answer", "Answer", "ANSWER") if key in given)
                yield from (_bare(str(given[key]), "\"'") for key in keys)
        except (ValueError, RecursionError):
            continue


def _answers(response: str, kind: str) -> Iterator[str]:
    """Yield what may be the answer, likeliest first: by `kind` where nothing announces it."""
    forms = _forms(response)
    for form in forms:
        yield from _fields(form)
    for form in forms:
        yield from (_bare(found, "\"'\\") for found in _all(_KEYED, form))
    for table in (_CHINESE, _STATED):
        for form in forms:
            yield from _all(table, form)
    yield from _all(_ANYWHERE, response)
    yield from (_bare(found, "\"'`.") for found in _all(_LINES, response.strip()))
    bare = _bare(response, "\"'`.")
    alone = response.strip() if kind == CHOICE else _bare(response.lower(), "\"'`.")
    yield from _all(_ALONE.get(kind, ()), alone)
    if len(bare) <= 10:
        yield bare


def _read(response: object, context: base.Context) -> base.Parsed:
    given: Any = response
    match given:
        case str(text) | {"choices": [{"message": {"content": str(text)}}, *_]}:
            found = next(filter(None, _answers(text, context.form)), None)
        case {"answer": answer}:
            found = as_python_text(answer)
        case _:
            return not_text(response)
    return base.unparsed("no answer in it") if found is None else base.Parsed(found.strip())


def _normal(text: str) -> str:
    text = _bare(text, "\"'\\")
    if text.lower() in WORDS:
        return text.lower()
    letter = text[:1].upper()
    return letter if letter in LETTERS and text[1:2] in _AFTER else text.upper()


def _word(text: str) -> str | None:
    return next(_all(_SAME_WORD, _bare(_LEAD_IN.sub("", text.lower()), "\"'.")), None)


def _letter(text: str) -> str | None:
    return next(_all(_SAME_LETTER, text.strip().upper()), None)


def _right(answer: str, gold: KnowledgeGold, _: object) -> tuple[float]:
    right = gold.groundtruth
    if not answer.strip() or not right.strip():
        return (0.0,)
    said, wanted = (_normal(text) or text for text in (answer, right))
    if gold.answer_type == WORD or wanted in WORDS:
        return (float(_word(said) is not None and _word(said) == _word(wanted)),)
    if gold.answer_type == CHOICE or wanted in LETTERS:
        return (float(_letter(said) is not None and _letter(said) == _letter(wanted)),)
    said, wanted = (" ".join(_bare(text.lower(), "\"'`.").split()) for text in (answer, right))
    return (float(said == wanted or (len(wanted) <= 20 and wanted in said)),)


# ---- robust ------------------------------------------------------------------------------------

_END = r"(?=\W*\Z|\s*[,.;:!)\n]|\s+(?:because|since|as)\b)"
_ANNOUNCED = _table(rf"\A(?s:.*)(?:\banswer(?:\s+is)?|答案[是为]?)\W*{_WORD}\b{_END}")
_EDGES = _table(
    rf"\A\W*(?:(?:so|therefore|thus|hence)\W+)?{_WORD}\b{_END}",
    rf"(?:\A|[,.;:\n])[^\w,.;:\n]*{_WORD}\W*\Z",
)


def _careful(text: str, context: base.Context) -> str | None:
    """Read a letter; or a word that is announced, or that alone opens or closes the text."""
    if context.form != WORD:
        return robust_choice(text, context.texts or context.options or len(LETTERS))
    words = {word.lower() for word in _all(_ANNOUNCED, text)}
    words = words or {word.lower() for word in _all(_EDGES, text)}
    return words.pop() if len(words) == 1 else None


def _same(answer: str, gold: KnowledgeGold, _: object) -> tuple[float]:
    right = _normal(gold.groundtruth)
    if right not in (*LETTERS, *WORDS):
        raise base.UnjudgeableError("the reference is no letter, and none of yes, no, unknown")
    return (float(answer == right),)


def _protocols(task: str) -> tuple[base.Protocol, ...]:
    return (
        base.Protocol(
            task,
            "robust",
            1,
            "ours",
            "reads the last explicit choice, never the article, or the word that is announced or"
            " opens or closes the text; two of them are not an answer",
            ours(
                text_parser(
                    "the explicit choice, or yes, no or unknown",
                    _careful,
                    "no single letter or word that is the answer",
                )
            ),
            base.AS_IS,
            base.pairwise("the right letter or word", ("accuracy",), "accuracy", _same),
        ),
        base.Protocol(
            task,
            "official",
            1,
            "X-PLUG/MobileAgent grounding_and_kb/eval_gui_knowledge_benchmark.py",
            "MobileAgent's scorer, as the authors publish none. It takes the first letter after"
            ' "answer is" even of a word, and "no" inside a word. It tries forms of the response'
            " in an order that differs from run to run; here the response itself comes first",
            base.Parser("MobileAgent's search for an answer", _read),
            base.AS_IS,
            base.pairwise(
                "the same letter or word, found in both", ("accuracy",), "accuracy", _right
            ),
        ),
    )


PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {task: _protocols(task) for task in TASKS}
GOLDS: Mapping[str, GoldShape] = dict.fromkeys(TASKS, GOLD)
