"""The blind baseline: the agent's answers without the images.

Its score shows how much of the exam can be answered without looking. Compare it with the score of
the agent that looks.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from string import ascii_uppercase

from snellen.sdk.demo.choices import options_of
from snellen.sdk.demo.findings import Finding, no_idea
from snellen.sdk.demo.quotes import NO_ANSWER
from snellen.sdk.exam.client import ExamItem

_BY_TASK: Mapping[str, str] = {
    "webrssbench/ui_grouping": "main content",
    "webrssbench/safety": "sorry",
    "webrssbench/color": "Submit",
    "webrssbench/text": "Submits the form",
    "webrssbench/layout": "The page presents an organization and what it offers.",
    "webrssbench/form_filling": "Jane Doe",
    "webrssbench/hint_text": "Enter your name",
    "visualwebbench/web_caption": "The official website: products, services and contact.",
    "visualwebbench/heading_ocr": "Welcome",
    "visualwebbench/webqa": "Yes",
    "screenqa/complex": "2",
}


def guess(question: ExamItem) -> Finding:
    """Answer a question without looking at an image."""
    if question.task in _BY_TASK:
        return _guessed(_BY_TASK[question.task])
    if NO_ANSWER in question.prompt:
        return _guessed(NO_ANSWER)
    form = _BY_FORM.get(question.kind)
    return form(question) if form is not None else no_idea("nothing can be said without looking")


def _longest(question: ExamItem) -> Finding:
    options = options_of(question)
    longest = max(range(len(options)), key=lambda place: len(options[place]), default=0)
    return _guessed(ascii_uppercase[longest])


def _middle(question: ExamItem) -> Finding:
    return _guessed(f"({', '.join(_sides(question, (0.5, 0.5)))})")


def _half(question: ExamItem) -> Finding:
    return _guessed(f"[{', '.join(_sides(question, (0.25, 0.25, 0.75, 0.75)))}]")


def _sides(question: ExamItem, parts: tuple[float, ...]) -> list[str]:
    image = question.images[0]
    match question.space:
        case "pixels":
            sides = (image.width or 1280, image.height or 1000)
        case "thousand":
            sides = (1000, 1000)
        case _:
            sides = (1, 1)
    return [f"{part * sides[place % 2]:g}" for place, part in enumerate(parts)]


def _all_left(question: ExamItem) -> Finding:
    names = sorted(image.name for image in question.images[1:])
    said = [f"{one} is at the [left] of {other}" for one, other in combinations(names, 2)]
    return _guessed("\n".join(said)) if said else no_idea("there is nothing to compare")


_BY_FORM: Mapping[str, Callable[[ExamItem], Finding]] = {
    "choice": _longest,
    "point": _middle,
    "box": _half,
    "relations": _all_left,
    "ui_texts": lambda _: _guessed("[]"),
    "boxed_texts": lambda _: _guessed("[]"),
}


def _guessed(answer: str) -> Finding:
    return Finding(answer, "guessed without looking")
