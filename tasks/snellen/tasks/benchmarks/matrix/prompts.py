"""How items of the matrix are asked, and what each metric asks an answer to look like."""

from collections.abc import Mapping
from types import MappingProxyType

from snellen.tasks.prompts import Prompt

PROMPTS = (
    Prompt("snellen-matrix-1", "", "{question}\n\nReply with the answer alone."),
    Prompt(
        "snellen-matrix-steps-1",
        "",
        '{question}\n\nThink step by step first. Then write "Answer:" at the start of a line, and'
        " your answer behind it.",
    ),
)
"""The question comes first, then the options, then the form of the answer."""

OPTIONS = "The answer is the letter of the right option."

ANSWER_FORMS: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "Answer in as few words as possible.",
        "exact_match": "Answer in as few words as possible.",
        "f1": "Answer in as few words as possible.",
        "contains": "Answer in as few words as possible.",
        "list_f1": 'The answer is a JSON list of texts, such as ["cup", "table"];'
        " [] if there is none.",
        "anls": "The answer is the text exactly as it is written.",
        "bleu": "The answer is one sentence.",
        "rougeL": "The answer is one sentence.",
        "numeric": "The answer is one number{unit}.",
        "relation": 'The answer has one line for each pair: "A is at the [relation] of B", the'
        " relation being one of left, right, top, bottom, top-left, top-right, bottom-left,"
        " bottom-right, contain, inside.",
        "point": "The answer is one point (x, y), x from the left and y from the top, in"
        " fractions of the image from 0 to 1.",
        "box": "The answer is one box [left, top, right, bottom], in fractions of the image from"
        " 0 to 1.",
        "spec": "The answer is one JSON document.",
        "tool_call": 'The answer is one tool call as JSON: {"name": ..., "arguments": {...}}.',
        "code": "The answer is one Python program in a code block. It may use the standard library"
        " alone.",
        "decisions": "Reply with a JSON list of the steps alone, in order: each a text, or a tool"
        ' call {"name": ..., "arguments": {...}}.',
    }
)
"""The sentence that asks for the answer's form, by metric; `{unit}` says a number's unit."""

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "B",
        "exact_match": "Sign in",
        "f1": "Sign in",
        "contains": "Sign in",
        "list_f1": '["cup", "table"]',
        "anls": "Sign in",
        "bleu": "A dog runs over a meadow.",
        "rougeL": "A dog runs over a meadow.",
        "numeric": "12.5",
        "relation": "A is at the [left] of B",
        "point": "(0.25, 0.5)",
        "box": "[0.1, 0.2, 0.3, 0.4]",
        "spec": '{"type": "bar", "values": [1, 2]}',
        "tool_call": '{"name": "click", "arguments": {"x": 10, "y": 20}}',
        "code": "print(1)",
        "decisions": '["open the menu", "choose Print"]',
    }
)
"""A made-up answer in each form."""
