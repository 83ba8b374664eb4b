"""The faults that only the page of an item shows."""

from enum import StrEnum
from typing import NamedTuple


class Fault(StrEnum):
    """What is wrong with an item."""

    WRONG_SIZE = "the prompt names another size or space than its picture's"
    WRONG_PLACE = "the prompt names another place than the one that is marked"
    TOLERANCE = "nearly any number counts as right"
    LANGUAGE = "the reference is in another language than the page"
    RECORD = "the reference is not what its record says"
    NOT_ON_PAGE = "the reference is not what its page says"
    ANSWERED = "the page answers a question that is called unanswerable"
    UNANSWERED = "the reference is that there is no answer, and nothing says why"
    RELATIONS = "the relations are not those of the boxes"
    CHART = "the reference is not what the chart's numbers give"
    OPTION_COUNT = "it offers more or fewer options than its answers are read by"
    PLOT = "the picture does not show the chart's numbers"
    WRONG_OPTION = "another option is right"
    WRONG_BOX = "the box is not where its element is"
    FLAT = "nothing is seen in the box"
    LOOSE = "the box is much larger than what is seen in it"
    CUT = "the box cuts through what it should hold"
    TWO_PLACES = "what is asked for is in two places of the picture"
    NOT_MARKED = "what the record names is not marked in the picture"
    WRONG_MARK = "another letter stands at what the record names"
    PICTURE_SIZE = "a picture is not of the size that the item says"
    TURNED = "a picture is turned or mirrored"
    BLURRED = "a picture is blurred"
    OTHER_PAGE = "a picture is of another page"
    PAINTED = "a picture differs from its page"
    SAME_AFTER = "nothing changed between the two pictures of a pair"
    NO_CROP = "a part is not in the picture that it was cut from"
    DISAGREES = "accepted answers contradict one another"


class Evidence(NamedTuple):
    """A fault found by a check, and the evidence."""

    fault: Fault
    expected: str = ""
    found: str = ""
