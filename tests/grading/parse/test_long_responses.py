"""Every parser returns from long responses: none looks at all of a text again from each place."""

import pytest

from snellen.grading.protocols.base import Context, Parser
from snellen.grading.protocols.table import PROTOCOLS

LENGTH = 100_000
CONTEXT = Context(options=8, width=1280, height=800, names=("crop_1", "crop_2"), limit=15)
# Whatever some parser looks for, begun and not ended, and what may stand between.
PIECES = (
    *(" ", "\n", "a", "_", "-", "*_", "* ", "**", "\\", "é", "Ａ", "\u0301", "1", "a.", "a,", ":"),
    *("'", '"', "“", "`", "```", "```a", "{", "}", "[", "]", "(", "['a',", '{"a":', "&amp;", '">'),
    *(
        "f(",
        "f(x=1)\n",
        "f(x=)\n",
        '{"name":"f"}',
        "answer ",
        "Answer:\n",
        "answer to ",
        "option: ",
    ),
    *(
        "A ",
        "A, ",
        "A is ",
        "(A)",
        "*\n",
        r"\boxed{",
        "答案",
        "the ",
        "the text ",
        "hint",
        "</think>",
    ),
    *("not ", "no ", "top ", "left ", "left", "not in the ", "crop", "crop_1 ", "- ", "<answer>"),
    *("crop_1 is left of crop_2\n", "i ", "sorry ", "I am ", "<meta ", '<meta content="', "1e9,"),
    *("<meta content='a' ", '<meta name="description" content="a " ', "(0.5, ", "[1, 2, "),
)
# Parsers of one name read alike, for whatever task.
PARSERS = {
    protocol.parser.name: pytest.param(protocol.parser, id=f"{task}-{protocol.id}")
    for task, protocols in PROTOCOLS.items()
    for protocol in protocols
}


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("parser", PARSERS.values())
def test_a_long_response_comes_back(parser: Parser) -> None:
    for piece in PIECES:
        text = piece * (LENGTH // len(piece))
        parser.read(text, CONTEXT)
        parser.read(f"[{text[:9000]}]", CONTEXT)
