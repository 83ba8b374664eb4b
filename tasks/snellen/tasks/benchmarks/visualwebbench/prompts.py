"""How VisualWebBench's tasks can be asked: our own prompts, and the published ones by name.

The published wording is quoted, misspelling and all, because an answer depends on it; its
placeholders have their published names. There are none for the box and point variants.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from snellen.tasks.benchmarks.visualwebbench.format import LETTERS
from snellen.tasks.prompts import Prompt

_PUBLISHED = "github.com/VisualWebBench/VisualWebBench utils/prompts.py"
_CONFIGS = "github.com/VisualWebBench/VisualWebBench configs/gemini.yaml and claude.yaml"

_PAGE = "You see a screenshot of a web page."
_MARKED = (
    "You see a screenshot of a web page with a red box at {bbox} (left, top, right, bottom, as "
    "fractions of the width and height)."
)
_LETTERED = "Some of its elements are in boxes lettered {letters}."
_ONE_LETTER = "Reply with its letter alone."
_DESCRIBED = "Description: {elem_desc}"
_INSTRUCTED = "Task: {instruction}"
_FIND = "Find the element that fits the description."
_CLICK = "Find the element to click for the task."
_BOX = "Reply with its bounding box as [left, top, right, bottom] and nothing else. {space}"
_POINT = "Reply with one point on it as [x, y] and nothing else. {space}"


def _own(task: str, text: str) -> Prompt:
    return Prompt(f"snellen-visualwebbench-{task.replace('_', '-')}-1", text, question="")


def _published(task: str, text: str, *, by: str = "", source: str = _PUBLISHED) -> Prompt:
    return Prompt(f"visualwebbench-{by}{task.replace('_', '-')}", text, question="", source=source)


PROMPTS: Mapping[str, tuple[Prompt, ...]] = MappingProxyType(
    {
        "web_caption": (
            _own(
                "web_caption",
                f"{_PAGE} Write the description that its author would put into the tag "
                '<meta name="description">: what the page is and what it offers. Reply with the '
                "text of the description alone, without the tag.",
            ),
            _published(
                "web_caption",
                "You are given a screenshot of a webpage. Please generate the meta web "
                "description information of this webpage, i.e., content attribute in "
                '<meta name="description" content=""> HTML element.\n\nYou should use the '
                "following format, and do not output any explanation or any other contents:\n"
                '<meta name="description" content="YOUR ANSWER">\n',
            ),
            _published(
                "web_caption",
                "You are given a screenshot of a webpage. Please generate the meta web "
                "description information of this webpage, i.e., content attribute in "
                '<meta name="description" content=""> HTML element.\n\nYou should use this '
                "format, and do not output any explanation or any other contents:\n"
                "Meta Description: YOUR ANSWER\n",
                by="gemini-",
                source=_CONFIGS,
            ),
        ),
        "heading_ocr": (
            _own(
                "heading_ocr",
                f"{_PAGE} Read its main heading exactly as it is written. Reply with that text "
                "alone.",
            ),
            _published(
                "heading_ocr",
                "You are given a screenshot of a webpage. Please generate the main text within "
                "the screenshot, which can be regarded as the heading of the webpage.\n\nYou "
                "should directly tell me the main content, and do not output any explanation or "
                "any other contents.\n",
            ),
        ),
        "webqa": (
            _own(
                "webqa",
                f"{_PAGE} Answer the question from what it shows. Reply with the answer alone, in "
                "the fewest words possible.\n\nQuestion: {question}",
            ),
            _published(
                "webqa",
                "{question}\nYou should directly tell me your answer in the fewest words "
                "possible, and do not output any explanation or any other contents.\n",
            ),
        ),
        "element_ocr": (
            # The lead-in, because the default protocol cuts what precedes the first colon.
            _own(
                "element_ocr",
                f"{_MARKED} Read all of the text in the red box exactly as it is written. Reply "
                "in this form and with nothing else:\nThe text in the box is: YOUR ANSWER",
            ),
            _published(
                "element_ocr",
                "You are given a screenshot of a webpage with a red rectangle bounding box. The "
                "[x1, y1, x2, y2] coordinates of the bounding box is {bbox_ratio}.\nPlease "
                "perform OCR in the bounding box and recognize the text content within the red "
                "bounding box.\n\nYou should use the following format:\nThe text content within "
                "the red bounding box is: <YOUR ANSWER>\n",
            ),
            _published(
                "element_ocr",
                "You are given a screenshot of a webpage with a red rectangle bounding box. The "
                "[x1, y1, x2, y2] coordinates of the bounding box is {bbox_ratio}.\nPlease tell "
                "me the text content within the red bounding box.\n\nYou should use the "
                "following format:\nThe text content within the red bounding box is: "
                "<YOUR ANSWER>\n",
                by="gemini-",
                source=f"{_CONFIGS}, openai.yaml too",
            ),
        ),
        "element_ground": (
            _own(
                "element_ground",
                f"{_PAGE} {_LETTERED} Which one fits the description?\n\n{_DESCRIBED}\n\n"
                f"{_ONE_LETTER}",
            ),
            _published(
                "element_ground",
                "In this website screenshot, I have labeled IDs for some HTML elements as "
                "candicates. Tell me which one best matches the description: {element_desc}\n\nYou "
                "should directly tell me your choice in a single uppercase letter, and do not "
                "output any explanation or any other contents.\n",
            ),
        ),
        "action_prediction": (
            _own(
                "action_prediction",
                f"{_MARKED} Which of these pages opens when the element in the red box is "
                f"clicked?\n\n{{options}}\n\n{_ONE_LETTER}",
            ),
            _published(
                "action_prediction",
                "You are given a screenshot of a webpage with a red rectangle bounding box. The "
                "[x1, y1, x2, y2] coordinates of the bounding box is {bbox_ratio}.\nPlease "
                "select the best webpage description that matches the new webpage after clicking "
                "the selected element in the bounding box:\n{choices_text}\n\nYou should "
                "directly tell me your choice in a single uppercase letter, and do not output "
                "any explanation or any other contents.\n",
            ),
        ),
        "action_ground": (
            _own(
                "action_ground",
                f"{_PAGE} {_LETTERED} Which one is to be clicked for the task?\n\n{_INSTRUCTED}"
                f"\n\n{_ONE_LETTER}",
            ),
            _published(
                "action_ground",
                "In this website screenshot, I have labeled IDs for some HTML elements as "
                "candicates. Tell me which one I should click to complete the following task: "
                "{instruction}\n\nYou should directly tell me your choice in a single uppercase "
                "letter, and do not output any explanation or any other contents.\n",
            ),
        ),
        "element_ground_bbox": (
            _own("element_ground_bbox", f"{_PAGE} {_FIND}\n\n{_DESCRIBED}\n\n{_BOX}"),
        ),
        "element_ground_point": (
            _own("element_ground_point", f"{_PAGE} {_FIND}\n\n{_DESCRIBED}\n\n{_POINT}"),
        ),
        "action_ground_bbox": (
            _own("action_ground_bbox", f"{_PAGE} {_CLICK}\n\n{_INSTRUCTED}\n\n{_BOX}"),
        ),
        "action_ground_point": (
            _own("action_ground_point", f"{_PAGE} {_CLICK}\n\n{_INSTRUCTED}\n\n{_POINT}"),
        ),
    }
)
"""The prompts of every task, without `visualwebbench/`; the first is the default."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def fill(prompt: Prompt, values: Mapping[str, str]) -> str:
    """Put an item's texts into a prompt; braces in these texts are only braces.

    Args:
        prompt: One of `PROMPTS`.
        values: A text for each of the prompt's placeholders.

    >>> fill(Prompt("x", "Q: {question}"), {"question": "what is {bbox}?"})
    'Q: what is {bbox}?'
    """
    return _PLACEHOLDER.sub(lambda found: values[found[1]], prompt.instruction)


def lettered(options: Sequence[str]) -> str:
    """Write options one a line, each with its letter; line breaks in an option become spaces.

    >>> print(lettered(["Home", "About us"]))
    A. Home
    B. About us
    """
    return "\n".join(
        f"{letter}. {' '.join(option.split())}"
        for letter, option in zip(LETTERS, options, strict=False)
    )
