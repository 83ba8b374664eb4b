"""Other readings of a response: the correct answer in a form that the protocol does not read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import cast

from snellen.grading.failures.clues import Failure
from snellen.grading.failures.wordings import Reword
from snellen.grading.pointing.text import read_json
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import AnswerValue, Parser, Protocol
from snellen.grading.protocols.table import GOLDS, PROTOCOLS

_KEYS = ("final_answer", "answer", "response", "result", "prediction", "output", "text", "label")
_MOST = 12
_LETTERS = (golds.INDEX, golds.LETTER)
_TARGETS = (golds.TARGET_POINT, golds.TARGET_BOX, golds.TARGET_IN_IMAGE)

# A plain answer has none of these. Most answers are plain, so this check comes first.
_MARKS = re.compile(r"[`*{\[<\\\"'\u201c\n]|answer", re.IGNORECASE)
_FENCE = re.compile(r"```(?:\w*\n)?(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"(?s:.*)</think(?:ing)?>")
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_LEAD_IN = re.compile(
    r"\banswer(?:\s+is\s*[:\uff1a]?|\s*[*_]*[:\uff1a])[ \t]*([^\n]+)", re.IGNORECASE
)
_EDGES = " \t\r\n*`\"'\u201c\u201d"


def parsers_of(protocol: Protocol) -> tuple[Parser, ...]:
    """Return a protocol's parser, followed by the lenient parsers of the task's other protocols.

    A published parser of letters also reads letters that are not answers (an article, the first
    character of a word). So only the robust parser shows that a response contains a letter. Parsers
    of points and boxes differ in the coordinate space, not in the form; `spaces` handles those.
    """
    shape = GOLDS.get(protocol.task)
    if shape in _TARGETS:
        return (protocol.parser,)
    others = [
        one.parser
        for one in PROTOCOLS.get(protocol.task, ())
        if one.id == "robust" or shape not in _LETTERS
    ]
    return tuple(dict.fromkeys((protocol.parser, *others)))


def forgiving_answers(
    parsers: Sequence[Parser], failure: Failure, reword: Reword | None = None
) -> Iterator[AnswerValue]:
    """Yield the answers that a more lenient reading gives, other than the protocol's own.

    These are the answers of the parsers of the task's other protocols, and those of the protocol's
    own parser after the response is unwrapped, reworded for the protocol, or both.

    Args:
        parsers: The protocol's parser first, then the others.
        failure: The failure, with the answer of the first parser.
        reword: Rewords a text for the protocol; returns None if it can't.
    """
    own, *others = parsers
    bare = list(unwrapped(failure.response))
    readings = [
        *((parser, failure.response) for parser in others),
        *((own, response) for response in bare),
    ]
    if reword is not None:
        texts = [text for text in (failure.response, *bare) if isinstance(text, str)]
        reworded = (reword(text) for text in texts)
        readings.extend((own, text) for text in reworded if text is not None)
    for parser, response in readings:
        parsed = parser.read(response, failure.context)
        if parsed.outcome is None and parsed.answer != failure.answer:
            yield parsed.answer


def unwrapped(response: object) -> Iterator[object]:
    r"""Yield a response without its wrappers, layer by layer, at most twelve forms.

    It removes code fences, reasoning up to `</think>`, `<answer>` tags and `\boxed{}`, all text
    before "the answer is" or "answer:", all lines except the last, and emphasis and quotes around
    the whole. It unwraps JSON objects with an answer key or with only one key, lists of one
    element, and numbers as text.

    >>> list(unwrapped('```json\n{"answer": "12"}\n```'))
    ['{"answer": "12"}', {'answer': '12'}, '12']
    """
    texts = {response} if isinstance(response, str) else set[str]()
    found: list[object] = [response]
    # The list grows during the iteration: each unwrapped form is unwrapped again.
    for outer in found:
        for inner in _inside(outer):
            if len(found) > _MOST or (isinstance(inner, str) and inner in texts):
                continue
            if isinstance(inner, str):
                texts.add(inner)
            found.append(inner)
            yield inner


def _inside(response: object) -> Iterator[object]:
    if isinstance(response, str):
        if _MARKS.search(response):
            yield from _inside_text(response)
    elif isinstance(response, bool):
        return
    elif isinstance(response, int | float):
        with suppress(ValueError):  # Python refuses to write out thousands of digits.
            yield str(response)
    elif isinstance(response, Mapping):
        entries = cast("Mapping[str, object]", response)
        yield from (entries[key] for key in _KEYS if key in entries)
        if len(entries) == 1:
            yield from entries.values()
    elif isinstance(response, list | tuple):
        elements = cast("Sequence[object]", response)
        if len(elements) == 1:
            yield elements[0]


def _inside_text(text: str) -> Iterator[object]:
    thought = _THOUGHT.match(text)
    if thought:
        yield text[thought.end() :].strip()
    fences = _FENCE.findall(text)
    yield from (content.strip() for content in fences[-1:])
    body = text.strip()
    if body[:1] in {"{", "["}:
        data = read_json(body)
        if data is not None:
            yield data
    opening, end = text.rfind("<answer>"), text.rfind("</answer>")
    if 0 <= opening < end:
        yield text[opening + len("<answer>") : end].strip()
    yield from _BOXED.findall(text)[-1:]
    yield from _LEAD_IN.findall(text)[-1:]
    if fences:
        return
    yield body.strip(_EDGES)
    if "\n" in body:
        yield body.rsplit("\n", 1)[1].strip()
