"""The first stages of our own readers, for every task alike: envelope, reasoning, wrapping."""

from collections.abc import Callable
from dataclasses import replace

from snellen.grading.parse.envelope import Opened, opened
from snellen.grading.parse.final_answers import unwrapped
from snellen.grading.parse.reasoning import CUT_OFF, without_reasoning
from snellen.grading.protocols.base import Context, Parsed, Parser, unparsed

_ANSWER_FIELDS = ("answer", "text", "content", "response", "value")


def ours(parser: Parser, take_off: Callable[[str], str] = unwrapped) -> Parser:
    """Let a parser read what is left of a response without its envelope, thoughts and wrapping.

    Args:
        parser: Reads the form that is asked for.
        take_off: What takes the wrapping off a text.
    """

    def read(response: object, context: Context) -> Parsed:
        said = opened(response)
        if said is not None:
            response = spoken(said)
        if not isinstance(response, str):
            return parser.read(response, context)
        text = without_reasoning(response)
        return unparsed(CUT_OFF) if text is None else parser.read(take_off(text), context)

    return replace(parser, read=read, plain=False)


def spoken(said: Opened) -> str:
    """Return what was said to a user, or given to the last tool that was called as an answer."""
    if said.text.strip() or not said.calls:
        return said.text
    given = said.calls[-1].arguments
    values = [given[name] for name in _ANSWER_FIELDS if name in given]
    return str(values[0]) if values else ""
