"""All failure tags; their meanings and the advice for each are in `tags.toml`.

A tag's value is its id in documentation, reports and tests.
"""

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from importlib.resources import files
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


def _rules() -> Iterator[tuple[FailureTag, Rule]]:
    """Read the rules from `tags.toml`."""
    text = files("snellen.grading.failures").joinpath("tags.toml").read_text(encoding="utf-8")
    for group, tags in tomllib.loads(text).items():
        for tag, (sentence, advice) in tags.items():
            yield FailureTag(tag), Rule(FailureGroup(group), sentence, advice)


RULES: Mapping[FailureTag, Rule] = MappingProxyType(dict(_rules()))
"""Every tag's rule."""
