"""Table of all failure tags: their meaning and the advice for each.

A tag's value is its id in documentation, reports and tests.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class FailureGroup(StrEnum):
    """The kind of a failure."""

    RESPONSE = "response"
    FORMAT = "format"
    TEXT = "text"
    ELEMENTS = "elements"
    PLACE = "place"
    CHOICE = "choice"
    RELATION = "relation"
    ACTION = "action"
    EPISODE = "episode"


class FailureTag(StrEnum):
    """The reason why a response missed the best score."""

    MISSING = "missing"
    ERROR = "error"
    EMPTY = "empty"
    REFUSED = "refused"

    FORMAT = "format"
    TOO_LONG = "too-long"
    WRONG_SHAPE = "wrong-shape"
    UNPARSED = "unparsed"

    SAID_NO_ANSWER = "said-no-answer"
    ANSWERED_UNANSWERABLE = "answered-unanswerable"
    DISTRACTOR = "distractor"
    CASE_OR_PUNCTUATION = "case-or-punctuation"
    SAME_VALUE = "same-value"
    OPPOSITE = "opposite"
    OTHER_UNIT = "other-unit"
    NUMBERS_DIFFER = "numbers-differ"
    ORDER = "order"
    EXTRA_WORDS = "extra-words"
    PART_OF_ANSWER = "part-of-answer"
    NEAR_TEXT = "near-text"
    ONE_REGION = "one-region"

    MISSING_ELEMENTS = "missing-elements"
    EXTRA_ELEMENTS = "extra-elements"
    BOXES_ELSEWHERE = "boxes-elsewhere"

    SPACE_UNIT = "space-unit"
    SPACE_HUNDRED = "space-hundred"
    SPACE_THOUSAND = "space-thousand"
    SPACE_PIXELS = "space-pixels"
    SPACE_VIEW = "space-view"
    SWAPPED = "swapped"
    SIZED_BOX = "sized-box"
    CORNERS = "corners"
    NEAR_TARGET = "near-target"

    NEIGHBOUR = "neighbour"
    OUT_OF_RANGE = "out-of-range"

    INVERTED = "inverted"
    MIRRORED = "mirrored"
    MISSING_PAIRS = "missing-pairs"

    OTHER_ACTION = "other-action"
    WRONG_TARGET = "wrong-target"
    SCROLL_REVERSED = "scroll-reversed"
    FINISHED_EARLY = "finished-early"
    NEVER_FINISHED = "never-finished"

    OUT_OF_STEPS = "out-of-steps"
    GAVE_UP_EARLY = "gave-up-early"

    @property
    def group(self) -> FailureGroup:
        """The kind of the failure."""
        return RULES[self].group

    @property
    def sentence(self) -> str:
        """The observation of the rule, in a sentence."""
        return RULES[self].sentence

    @property
    def advice(self) -> str:
        """The advice, in a sentence.

        >>> FailureTag.SWAPPED.advice
        'Ask for x first, or read y first for this model.'
        """
        return RULES[self].advice


class Rule(NamedTuple):
    """One tag's group, its meaning and its advice."""

    group: FailureGroup
    sentence: str
    advice: str


_SPACE_ADVICE = "State the coordinate space in the prompt, or convert this model's coordinates."

RULES: Mapping[FailureTag, Rule] = MappingProxyType(
    {
        FailureTag.MISSING: Rule(
            FailureGroup.RESPONSE,
            "There is no response to the item.",
            "Get answers to these items before comparing: each scores 0.",
        ),
        FailureTag.ERROR: Rule(
            FailureGroup.RESPONSE,
            "An error occurred before there was an answer.",
            "Check the error messages and repeat these items.",
        ),
        FailureTag.EMPTY: Rule(
            FailureGroup.RESPONSE,
            "The response is empty.",
            "Raise the output limit and look for stop sequences that end the answer immediately.",
        ),
        FailureTag.REFUSED: Rule(
            FailureGroup.RESPONSE,
            "The response begins like a refusal.",
            "Check that the model receives the image and that the system prompt allows the task.",
        ),
        FailureTag.FORMAT: Rule(
            FailureGroup.FORMAT,
            "The response contains the correct answer in a format that the protocol does not read.",
            "Ask for only the answer, in the prompt's format, or report the robust protocol too.",
        ),
        FailureTag.TOO_LONG: Rule(
            FailureGroup.FORMAT,
            "The response is longer than the limit of the parser.",
            "Lower the output limit and look for endless repetition.",
        ),
        FailureTag.WRONG_SHAPE: Rule(
            FailureGroup.FORMAT,
            "The response is JSON in another format than the task's answers.",
            "Show the model the expected format from the item's answer format.",
        ),
        FailureTag.UNPARSED: Rule(
            FailureGroup.FORMAT,
            "The parser found no answer in the response.",
            "Read some of these responses: is an answer there, was it cut off, or was none given?",
        ),
        FailureTag.SAID_NO_ANSWER: Rule(
            FailureGroup.TEXT,
            "The response says that there is no answer, and there is one.",
            "Check that the text is legible at the sent size, and how the prompt describes "
            "this option.",
        ),
        FailureTag.ANSWERED_UNANSWERABLE: Rule(
            FailureGroup.TEXT,
            "The response answers a question that the screen does not answer.",
            "Describe the no-answer reply in the prompt, and look for answers from general "
            "knowledge.",
        ),
        FailureTag.DISTRACTOR: Rule(
            FailureGroup.TEXT,
            "The response names a button that was recolored as a distractor.",
            "Compare with the same pages in their original colors to measure the effect of color.",
        ),
        FailureTag.CASE_OR_PUNCTUATION: Rule(
            FailureGroup.TEXT,
            "The response equals a reference except for case, punctuation or spaces.",
            "The protocol is strict here: ask for the text exactly as written.",
        ),
        FailureTag.SAME_VALUE: Rule(
            FailureGroup.TEXT,
            "The response equals a reference except for the format of numbers or units.",
            "The value was read correctly: ask for numbers exactly as the screen shows them.",
        ),
        FailureTag.OPPOSITE: Rule(
            FailureGroup.TEXT,
            "The response is the opposite of a reference: on for off, AM for PM, no for yes.",
            "A state was misread: check that toggles, check marks and AM or PM are legible.",
        ),
        FailureTag.OTHER_UNIT: Rule(
            FailureGroup.TEXT,
            "The response is a reference with other units.",
            "Ask for units as the screen shows them, without conversion.",
        ),
        FailureTag.NUMBERS_DIFFER: Rule(
            FailureGroup.TEXT,
            "The response is a reference with other numbers.",
            "Check that digits are legible at the sent size; zoom in on small text.",
        ),
        FailureTag.ORDER: Rule(
            FailureGroup.TEXT,
            "The response contains a reference's words or elements in another order.",
            "Ask for reading order, or report a protocol that ignores the order.",
        ),
        FailureTag.EXTRA_WORDS: Rule(
            FailureGroup.TEXT,
            "The response contains a reference with other words around it.",
            "Ask for the fewest words possible.",
        ),
        FailureTag.PART_OF_ANSWER: Rule(
            FailureGroup.TEXT,
            "The response is part of a reference.",
            "Ask for the whole text; look for line breaks at which the model stops.",
        ),
        FailureTag.NEAR_TEXT: Rule(
            FailureGroup.TEXT,
            "The response is spelled almost like a reference.",
            "Likely misread characters: check the size at which images are sent.",
        ),
        FailureTag.ONE_REGION: Rule(
            FailureGroup.TEXT,
            "The response describes one part of the page and omits the rest.",
            "Ask for every part of the page in turn, or send the page at a larger size.",
        ),
        FailureTag.MISSING_ELEMENTS: Rule(
            FailureGroup.ELEMENTS,
            "The response lists some of a rater's elements and nothing else.",
            "Ask for all elements that contain the answer.",
        ),
        FailureTag.EXTRA_ELEMENTS: Rule(
            FailureGroup.ELEMENTS,
            "The response lists all of a rater's elements, and others.",
            "Ask for only those elements that contain the answer.",
        ),
        FailureTag.BOXES_ELSEWHERE: Rule(
            FailureGroup.ELEMENTS,
            "The response lists a rater's texts with boxes in other places.",
            "The model reads but does not point: try a model that was trained on grounding.",
        ),
        FailureTag.SPACE_UNIT: Rule(
            FailureGroup.PLACE,
            "The coordinates would hit if read as fractions of the image, 0 to 1.",
            _SPACE_ADVICE,
        ),
        FailureTag.SPACE_HUNDRED: Rule(
            FailureGroup.PLACE,
            "The coordinates would hit if read as hundredths of the image, 0 to 100.",
            _SPACE_ADVICE,
        ),
        FailureTag.SPACE_THOUSAND: Rule(
            FailureGroup.PLACE,
            "The coordinates would hit if read as thousandths of the image, 0 to 1000.",
            _SPACE_ADVICE,
        ),
        FailureTag.SPACE_PIXELS: Rule(
            FailureGroup.PLACE,
            "The coordinates would hit if read as pixels of the original image.",
            _SPACE_ADVICE,
        ),
        FailureTag.SPACE_VIEW: Rule(
            FailureGroup.PLACE,
            "The coordinates would hit if read as pixels of the resized view.",
            "Scale this model's coordinates back from the size of its view.",
        ),
        FailureTag.SWAPPED: Rule(
            FailureGroup.PLACE,
            "The coordinates would hit with x and y exchanged.",
            "Ask for x first, or read y first for this model.",
        ),
        FailureTag.SIZED_BOX: Rule(
            FailureGroup.PLACE,
            "The box would hit if its last two numbers were its width and height.",
            "Ask for left, top, right, bottom.",
        ),
        FailureTag.CORNERS: Rule(
            FailureGroup.PLACE,
            "The box would hit with its left and right, or top and bottom, exchanged.",
            "Ask for left, top, right, bottom, or put the sides of this model's boxes in order.",
        ),
        FailureTag.NEAR_TARGET: Rule(
            FailureGroup.PLACE,
            "The point or box misses the target by no more than the target's own size.",
            "The element was found, but the position is imprecise: send a larger image or crop.",
        ),
        FailureTag.NEIGHBOUR: Rule(
            FailureGroup.CHOICE,
            "The response is the option next to the correct one.",
            "If this is more frequent than with guessing, check the positions of the letters.",
        ),
        FailureTag.OUT_OF_RANGE: Rule(
            FailureGroup.CHOICE,
            "The response is an option that the item does not have.",
            "List the options in the prompt, or check that the letters are legible.",
        ),
        FailureTag.INVERTED: Rule(
            FailureGroup.RELATION,
            "Most of the wrong relations are correct with subject and object exchanged.",
            "Show an example of a relation with its direction.",
        ),
        FailureTag.MIRRORED: Rule(
            FailureGroup.RELATION,
            "Left and right, or top and bottom, are confused.",
            "Check that the image is not flipped, then treat it as a spatial error.",
        ),
        FailureTag.MISSING_PAIRS: Rule(
            FailureGroup.RELATION,
            "Some pairs of regions have no relation in the response.",
            "Ask for one line per pair and list the pairs; raise the output limit.",
        ),
        FailureTag.OTHER_ACTION: Rule(
            FailureGroup.ACTION,
            "The action is of another kind than the reference's.",
            "Check which kinds are confused; another way to the same goal counts as wrong.",
        ),
        FailureTag.WRONG_TARGET: Rule(
            FailureGroup.ACTION,
            "The kind of action is correct, but its target is not.",
            "To distinguish grounding from planning, ask for the target in words.",
        ),
        FailureTag.SCROLL_REVERSED: Rule(
            FailureGroup.ACTION,
            "The scroll has the opposite direction.",
            "Say in the prompt whether the direction is the finger's or the content's.",
        ),
        FailureTag.FINISHED_EARLY: Rule(
            FailureGroup.ACTION,
            "The response says that the task is done, but the reference continues.",
            "Check if the last part of the goal is missed, or an earlier screen mistaken for it.",
        ),
        FailureTag.NEVER_FINISHED: Rule(
            FailureGroup.ACTION,
            "The response is another action, but the reference says that the task is done.",
            "State in the prompt which action ends a task, and when to use it.",
        ),
        FailureTag.OUT_OF_STEPS: Rule(
            FailureGroup.EPISODE,
            "The episode failed and used its whole step limit.",
            "Run these with a larger limit to distinguish a lack of steps from a lack of ability.",
        ),
        FailureTag.GAVE_UP_EARLY: Rule(
            FailureGroup.EPISODE,
            "The episode failed and used less than half of its step limit.",
            "Check how these episodes end: the agent considered the task done, or gave up.",
        ),
    }
)
"""Every tag's rule."""
