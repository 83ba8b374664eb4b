"""Every failure tag: a case that has it, and a near neighbour that has not."""

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from snellen.grading.errors import MetricError
from snellen.grading.failures.clues import NO_CLUES, Clues
from snellen.grading.failures.tagging import failure_tags
from snellen.grading.failures.tags import RULES, FailureGroup, FailureTag
from snellen.grading.grade import MAX_TEXT
from snellen.grading.models.geometry import Size
from snellen.grading.models.scores import TOO_LONG
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.table import gold_shape, protocol_of, protocols_of

T = FailureTag


def tags(
    task: str,
    response: object,
    reference: object,
    *,
    context: Context | None = None,
    clues: Clues = NO_CLUES,
    protocol: str | None = None,
    key: str | None = None,
) -> tuple[FailureTag, ...]:
    """Tag a response to a reference in the task's published shape, as published by default."""
    shape = gold_shape(task)
    default = next(one for one in protocols_of(task) if not one.is_ours)
    gold = shape.read(reference)
    return failure_tags(
        default if protocol is None else protocol_of(task, protocol),
        response,
        gold,
        context=shape.context(gold) if context is None else context,
        clues=clues,
        key=key,
    )


class Case(NamedTuple):
    """A response that has a tag, and a neighbour that has not."""

    tag: FailureTag
    task: str
    response: object
    neighbour: object
    reference: object
    more: Mapping[str, Any] = MappingProxyType({})


SHORT, LONG, LISTS = "screenqa/short", "screenqa/long", "screenqa/ui_contents"
BOXES, POSITION = "screenqa/ui_contents_boxes", "webrssbench/position"
POINT, BOX = "visualwebbench/element_ground_point", "visualwebbench/element_ground_bbox"
GROUND, L1, L2, L3 = (
    "visualwebbench/element_ground",
    "mmbench-gui/l1",
    "mmbench-gui/l2_basic",
    "mmbench-gui/l3",
)
STEP = "androidcontrol/high"


def said(action: str, **fields: object) -> dict[str, object]:
    return {"format": "plain", "action": action, **fields}


def step(kind: str, **fields: object) -> dict[str, object]:
    return {"action": {"type": kind, **fields}, "image_size": [1080, 2400]}


TAP = step("click", point=[210, 1260]) | {"boxes": [[60, 1200, 360, 1320]]}
FULL_HD = Context(width=1920, height=1080)
# 40 x 20 pixels at (400, 300) of 1920 x 1080.
PIXEL_BOX = {"bbox": [400, 300, 440, 320], "image_size": [1920, 1080]}
SIZED = {"bbox": [0.4, 0.4, 0.6, 0.6], "image_size": [1920, 1080]}
PAGE = (
    "Navigation links to products, pricing, documentation and login. Hero banner promotes spring"
    " discount with large photograph. Footer lists contact address, privacy policy, careers."
)
REGIONS = (
    "Products Pricing Documentation Login",
    "Spring discount: save twenty percent",
    "Contact address Privacy policy Careers",
)

CASES = [
    Case(T.MISSING, SHORT, None, "x", ["12"]),
    Case(T.EMPTY, SHORT, "  \n", ".", ["12"]),
    Case(T.REFUSED, SHORT, "Sorry, I can't see it", "Sorrel", ["12"]),
    Case(T.FORMAT, SHORT, '{"answer": "12"}', '{"answer": "13"}', ["12"]),
    Case(T.FORMAT, SHORT, "```text\n12\n```", "```text\n13\n```", ["12"]),
    Case(T.FORMAT, SHORT, "The answer is 12.", "The answer is 13.", ["12"]),
    Case(T.FORMAT, SHORT, "<think>11? no</think>\n12", "<think>12? no</think>\n11", ["12"]),
    Case(T.FORMAT, SHORT, "Let me count.\n12", "12\nLet me count.", ["12"]),
    Case(T.FORMAT, SHORT, r"So \boxed{12} it is", r"So \boxed{13} it is", ["12"]),
    Case(T.FORMAT, SHORT, 12, 13, ["12"]),
    Case(T.FORMAT, SHORT, "No answer.", "No answer key.", ["<no answer>"]),
    Case(T.FORMAT, SHORT, "Not available on screen", "Available", ["<no answer>"]),
    Case(T.FORMAT, LISTS, "unknown", "unknown caller", [[]]),
    Case(T.FORMAT, GROUND, "option 3", "option 4", 2),
    Case(T.FORMAT, GROUND, "3", "2", 2),
    Case(T.FORMAT, LISTS, {"answer": ["a", "b"]}, {"answer": ["c"]}, [["a", "b"]]),
    Case(T.FORMAT, GROUND, "**B**", "**D**", 1),
    Case(T.FORMAT, GROUND, "B) Settings", "C) Settings", 1),
    Case(T.FORMAT, L1, "Definitely C", "Definitely B", "C"),
    Case(T.FORMAT, L2, '{"x": 0.5, "y": 0.5}', '{"x": 0.9, "y": 0.5}', [0.4, 0.4, 0.6, 0.6]),
    Case(T.FORMAT, L2, "Step 1, 2: (0.5, 0.5)", "Step 1, 2: (0.9, 0.5)", SIZED),
    # Official reads pixels here, and nobody says of how many.
    Case(T.ERROR, L2, "Step 1, 2: (0.5, 0.5)", "Step 0, 1: (0.5, 0.5)", [0.4, 0.4, 0.6, 0.6]),
    Case(T.FORMAT, BOX, "The box is [1, 2, 30, 40].", "The box is [1, 2, 3, 4].", [1, 2, 30, 40]),
    Case(T.TOO_LONG, SHORT, "x" * (MAX_TEXT + 1), "x" * 100, ["12"]),
    Case(T.TOO_LONG, SHORT, TOO_LONG, "too long", ["12"]),
    Case(T.WRONG_SHAPE, SHORT, {"a": "b", "c": "d"}, "a b c d", ["12"]),
    Case(T.WRONG_SHAPE, LISTS, '[{"name": "a", "n": 1}]', '["x"]', [["a"]]),
    Case(T.WRONG_SHAPE, L2, '{"left": "a", "top": "b"}', "nowhere", [0.4, 0.4, 0.6, 0.6]),
    Case(T.UNPARSED, L2, "nowhere", "(0.9, 0.9)", [0.4, 0.4, 0.6, 0.6]),
    Case(T.UNPARSED, POSITION, "They are apart", "a is left of b", {"a|b": "top"}),
    Case(T.SAID_NO_ANSWER, SHORT, "<no answer>", "no", ["12"]),
    Case(T.SAID_NO_ANSWER, SHORT, "No answer.", "no one", ["12"], {"protocol": "robust"}),
    Case(T.SAID_NO_ANSWER, SHORT, "Not mentioned", "Not logged in", ["Wall Sit"]),
    Case(T.SAID_NO_ANSWER, LISTS, ["N/A"], ["Navy"], [["a b"]]),
    Case(T.SAID_NO_ANSWER, LISTS, "[]", "[a]", [["a b"]]),
    Case(T.SAID_NO_ANSWER, "webrssbench/safety", "sorry", "Cancel", "Delete"),
    Case(T.ANSWERED_UNANSWERABLE, SHORT, "12", "No answer.", ["<no answer>"]),
    Case(T.ANSWERED_UNANSWERABLE, LISTS, ["a"], "[]", [[]]),
    Case(
        T.DISTRACTOR,
        "webrssbench/color",
        "the Buy now button",
        "Help",
        "Sign in",
        {"clues": Clues(distractors=("Buy now",))},
    ),
    Case(T.CASE_OR_PUNCTUATION, "visualwebbench/heading_ocr", "sign in!", "sign on", "Sign In"),
    Case(T.CASE_OR_PUNCTUATION, LISTS, ["sign in"], ["sign on"], [["Sign in"]]),
    Case(T.SAME_VALUE, SHORT, "3.0", "3.1", ["3"]),
    Case(T.SAME_VALUE, SHORT, "7 pm", "7:10 pm", ["7:00 pm"]),
    Case(T.OPPOSITE, SHORT, "12:30 PM", "12:45 AM", ["12:30 AM"]),
    Case(T.OPPOSITE, SHORT, "not logged in", "now logged in", ["logged in"]),
    Case(T.OTHER_UNIT, SHORT, "5 km", "6 km", ["5 miles"]),
    Case(T.NUMBERS_DIFFER, SHORT, "13", "many", ["12"]),
    Case(T.NUMBERS_DIFFER, SHORT, "13 exercises", "a dozen exercises", ["12 exercises"]),
    Case(T.NUMBERS_DIFFER, SHORT, "7:30 PM", "half past", ["17:30 PM"]),
    Case(
        T.NUMBERS_DIFFER,
        SHORT,
        "it costs 12 dollars by card",
        "it costs dollars by card",
        ["it cost 13 dollars by card"],
    ),
    Case(T.ORDER, LONG, "cat the dog and", "cat the cow", ["the dog and cat"]),
    Case(T.ORDER, LISTS, ["b", "a"], ["b", "c"], [["a", "b"]], {"key": "exact_match"}),
    Case(T.EXTRA_WORDS, SHORT, "it shows 12 in all", "it shows 112 in all", ["12"]),
    Case(T.PART_OF_ANSWER, SHORT, "San", "Sa", ["San Francisco Bay"]),
    Case(T.NEAR_TEXT, SHORT, "Franzisco", "Fresno", ["Francisco"]),
    Case(T.ONE_REGION, "webrssbench/layout", "products, pricing, login", PAGE[:120], PAGE),
    Case(
        T.ONE_REGION,
        "webrssbench/text",
        "A page on products, pricing and documentation",
        "Products, pricing, login, then a spring discount to save",
        PAGE,
        {"clues": Clues(regions=REGIONS)},
    ),
    Case(T.MISSING_ELEMENTS, LISTS, ["a"], ["a", "c"], [["a", "b"]]),
    Case(T.EXTRA_ELEMENTS, LISTS, ["a", "b", "c"], ["a", "c"], [["a", "b"]]),
    Case(
        T.BOXES_ELSEWHERE,
        BOXES,
        [[[70, 70, 90, 90], "a"]],
        [[[70, 70, 90, 90], "b"]],
        [[[[0, 0, 10, 10], "a"]]],
    ),
    Case(T.SPACE_UNIT, POINT, "(0.2188, 0.287)", "(0.8, 0.2)", PIXEL_BOX),
    Case(T.SPACE_UNIT, POINT, "(21.88%, 28.7%)", "(80%, 20%)", PIXEL_BOX),
    Case(T.SPACE_HUNDRED, POINT, "(21.88, 28.7)", "(80, 20)", PIXEL_BOX),
    Case(T.SPACE_HUNDRED, L2, "(50, 50)", "(90, 50)", [0.4, 0.4, 0.6, 0.6], {"context": FULL_HD}),
    Case(T.SPACE_THOUSAND, POINT, "(218.8, 287)", "(800, 200)", PIXEL_BOX),
    Case(T.SPACE_THOUSAND, L2, "(219, 287)", "(800, 200)", PIXEL_BOX),
    Case(
        T.SPACE_PIXELS, POINT, "(960, 540)", "(99, 540)", [0.4, 0.4, 0.6, 0.6], {"context": FULL_HD}
    ),
    Case(
        T.SPACE_PIXELS,
        BOX,
        [192, 108, 384, 216],
        [1, 108, 384, 900],
        [0.1, 0.1, 0.2, 0.2],
        {"context": FULL_HD},
    ),
    # 5000 x 3000 is seen as 4620 x 2772 at most 16384 x 28 x 28: see the parser's own test.
    Case(
        T.SPACE_VIEW,
        L2,
        "(4600, 2760)",
        "(100, 2760)",
        {"bbox": [4950, 2950, 5000, 3000], "image_size": [5000, 3000]},
    ),
    Case(
        T.SPACE_VIEW,
        L2,
        "(210, 155)",
        "(310, 155)",
        PIXEL_BOX,
        {"clues": Clues(view=Size(width=960, height=540))},
    ),
    Case(
        T.SPACE_THOUSAND,
        BOXES,
        [[[100, 100, 200, 200], "a"]],
        [[[800, 1, 900, 2], "a"]],
        [[[[0.1, 0.1, 0.2, 0.2], "a"]]],
    ),
    Case(T.SWAPPED, POINT, "(310, 420)", "(310, 425)", {"bbox": [415, 305, 424, 315]}),
    Case(T.SWAPPED, POINT, "(287, 218.8)", "(287, 900)", PIXEL_BOX),
    Case(T.SWAPPED, BOX, [10, 200, 40, 300], [10, 200, 14, 300], [200, 10, 300, 40]),
    Case(T.CORNERS, BOX, [300, 40, 200, 10], [300, 40, 290, 10], [200, 10, 300, 40]),
    Case(T.SIZED_BOX, BOX, [200, 10, 100, 30], [200, 10, 300, 300], [200, 10, 300, 40]),
    Case(T.NEAR_TARGET, POINT, [445, 310], [490, 310], PIXEL_BOX),
    Case(T.NEAR_TARGET, BOX, [420, 300, 460, 320], [520, 300, 560, 320], PIXEL_BOX),
    Case(T.NEAR_TARGET, L2, "(0.65, 0.5)", "(0.95, 0.5)", [0.4, 0.4, 0.6, 0.6]),
    Case(T.NEIGHBOUR, GROUND, "C", "D", 1),
    Case(T.NEIGHBOUR, L1, "A", "D", "B"),
    Case(T.OUT_OF_RANGE, GROUND, "I", "H", 1),
    Case(T.OUT_OF_RANGE, L1, "E", "D", "A", {"context": Context(options=4)}),
    Case(T.OUT_OF_RANGE, L1, "E", "D", "A", {"context": Context(options=4), "protocol": "robust"}),
    Case(T.INVERTED, POSITION, "a is [right] of b", "a is [top] of b", {"a|b": "left"}),
    Case(
        T.INVERTED,
        POSITION,
        "a is at the [bottom-right] of b",
        "a is at the [top-right] of b",
        {"a|b": "top-left"},
    ),
    Case(
        T.MIRRORED,
        POSITION,
        "a is at the [top-right] of b",
        "a is at the [bottom-right] of b",
        {"a|b": "top-left"},
    ),
    Case(T.MIRRORED, "webrssbench/ui_grouping", "left sidebar", "top bar", "right"),
    Case(
        T.MISSING_PAIRS,
        POSITION,
        "a is left of b",
        "a is left of b\na is top of c",
        {"a|b": "left", "a|c": "right"},
    ),
    Case(T.OTHER_ACTION, STEP, said("wait"), said("click", x=5, y=5), TAP),
    Case(T.WRONG_TARGET, STEP, said("click", x=5, y=5), said("wait"), TAP),
    Case(T.NEAR_TARGET, STEP, said("click", x=425, y=1260), said("click", x=900, y=1260), TAP),
    Case(
        T.SCROLL_REVERSED,
        STEP,
        said("scroll", direction="up"),
        said("scroll", direction="left"),
        step("scroll", direction="down"),
        {"protocol": "robust"},
    ),
    Case(T.FINISHED_EARLY, STEP, said("finish"), said("wait"), TAP, {"protocol": "robust"}),
    Case(
        T.NEVER_FINISHED,
        STEP,
        said("wait"),
        said("finish", status="infeasible"),
        step("finish", status="success"),
        {"protocol": "robust"},
    ),
    Case(
        T.NUMBERS_DIFFER,
        STEP,
        said("type", text="13 exercises"),
        said("type", text="a walk"),
        step("type", text="12 exercises"),
    ),
    Case(T.OUT_OF_STEPS, L3, {"success": 0, "cost": 15}, {"success": 0, "cost": 14}, {"limit": 15}),
    Case(
        T.OUT_OF_STEPS,
        L3,
        {"success": 1, "cost": 20},
        {"success": 0, "cost": 14, "limit": 15},
        None,
        {"protocol": "scalecua_15"},
    ),
    Case(T.GAVE_UP_EARLY, L3, {"success": 0, "cost": 3}, {"success": 0, "cost": 9}, {"limit": 15}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tag}-{case.task}")
def test_a_response_with_the_fault_has_the_tag(case: Case) -> None:
    assert case.tag in tags(case.task, case.response, case.reference, **case.more)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tag}-{case.task}")
def test_a_near_neighbour_has_not_the_tag(case: Case) -> None:
    assert case.tag not in tags(case.task, case.neighbour, case.reference, **case.more)


def test_every_tag_has_a_case() -> None:
    # An error is nothing that a response can say: see the test of a batch.
    assert {case.tag for case in CASES} | {T.ERROR} == set(FailureTag)


@pytest.mark.parametrize("tag", list(FailureTag))
def test_a_tag_has_a_group_a_sentence_and_advice(tag: FailureTag) -> None:
    assert isinstance(tag.group, FailureGroup)
    for text in (tag.sentence, tag.advice):
        assert text.endswith((".", "?"))
        assert text[0].isupper()
        assert "\n" not in text


def test_the_tags_stand_group_by_group_and_each_has_one_rule() -> None:
    assert list(RULES) == list(FailureTag)
    groups = [tag.group for tag in FailureTag]
    assert len(list(dict.fromkeys(groups))) == 1 + sum(
        one is not other for one, other in pairwise(groups)
    )
    assert len({rule.sentence for rule in RULES.values()}) == len(FailureTag)


# ---- fine points -------------------------------------------------------------------------------


def test_a_format_that_is_forgiven_is_told_alone() -> None:
    assert tags(SHORT, "The answer is 12, I think\n12", ["12"]) == (T.FORMAT,)


def test_an_answer_of_half_the_value_is_not_format_unless_it_gains_as_much_again() -> None:
    # Unwrapping takes F1 from 2/5 to 2/3, which is less than half of the whole.
    assert tags(SHORT, "The answer is 12 men", ["12"]) == (T.EXTRA_WORDS,)


def test_a_letter_that_a_published_parser_finds_by_accident_is_no_format() -> None:
    article = tags(GROUND, "A button with nothing written on it", 0, protocol="robust")
    assert article == (T.UNPARSED,)
    first = tags("visualwebbench/action_prediction", "Because it is unclear", 1)
    assert first == (T.UNPARSED,)


def test_a_text_that_the_official_parser_cuts_is_a_matter_of_format() -> None:
    assert tags("visualwebbench/element_ocr", "Opening hours: seven", "Opening hours: seven") == (
        T.FORMAT,
    )


def test_a_text_is_compared_with_its_nearest_reference() -> None:
    assert tags(SHORT, "13 of them", ["something else", "12 of them"]) == (T.NUMBERS_DIFFER,)
    assert tags(SHORT, "a far cry", ["12", "twelve"]) == ()


def test_a_space_is_told_only_where_the_size_it_needs_is_known() -> None:
    pixels = {"bbox": [400, 300, 440, 320]}
    assert tags(POINT, "(0.2188, 0.287)", pixels) == ()
    assert tags(POINT, "(0.2188, 0.287)", pixels, context=FULL_HD) == (T.SPACE_UNIT,)


def test_every_space_that_would_hit_is_told() -> None:
    # The whole image: as fractions it is missed by nothing but the scale.
    found = tags(POINT, "(50, 40)", [0.0, 0.0, 1.0, 1.0], context=FULL_HD)
    assert found == (T.SPACE_HUNDRED, T.SPACE_THOUSAND, T.SPACE_PIXELS, T.SPACE_VIEW)


def test_an_exchange_is_told_with_its_space_only_where_it_does_not_hit_alone() -> None:
    assert tags(POINT, "(310, 420)", PIXEL_BOX) == (T.SWAPPED,)
    assert tags(POINT, "(287, 218.8)", PIXEL_BOX) == (T.SPACE_THOUSAND, T.SWAPPED)


def test_a_refusal_that_is_graded_is_a_refusal_before_it_is_wrong() -> None:
    assert tags(GROUND, "I cannot tell, maybe C", 1) == (T.REFUSED,)


def test_what_the_page_says_is_no_refusal() -> None:
    assert tags(SHORT, "Sorry, we're closed now", ["Sorry, we're closed"]) == (T.EXTRA_WORDS,)
    exact = tags(SHORT, "Sorry, we're closed now", ["Sorry, we're closed"], key="exact_match")
    assert exact == (T.EXTRA_WORDS,)
    assert tags(SHORT, "Sorry, I can't help. It may be closed", ["closed"]) == (T.REFUSED,)


def test_a_letter_that_only_the_published_parser_sees_is_no_choice() -> None:
    assert tags(L1, "Because the button...", "C") == ()
    assert tags(L1, "B because of the button", "C") == (T.NEIGHBOUR,)


def test_an_option_by_a_number_beyond_the_items_is_not_read() -> None:
    assert tags(GROUND, "option 27", 2) == (T.UNPARSED,)
    assert tags(GROUND, "option 0", 0) == (T.UNPARSED,)


def test_an_unparsed_choice_is_no_neighbour() -> None:
    assert tags(GROUND, "C) or so", 1) == (T.UNPARSED,)


def test_half_of_the_wrong_pairs_make_an_inversion() -> None:
    gold = {"a|b": "left", "a|c": "top", "b|c": "overlap"}
    half = "a is right of b\na is left of c\nb overlaps c"
    third = "a is right of b\na is left of c\nb is left of c"
    assert tags(POSITION, half, gold) == (T.INVERTED,)
    assert tags(POSITION, third, gold) == ()


def test_contain_and_inside_are_one_and_no_inversion() -> None:
    assert tags(POSITION, "a is inside of b", {"a|b": "contain"}) == ()


def test_an_episode_without_a_limit_or_a_cost_is_not_judged_by_it() -> None:
    assert tags(L3, {"success": 0, "cost": 3}, None) == ()
    assert tags(L3, {"success": 0}, {"limit": 15}) == ()
    assert tags(L3, {"success": 0, "cost": 3, "limit": 15}, None) == (T.GAVE_UP_EARLY,)


def test_a_word_that_several_regions_have_says_nothing_of_one() -> None:
    clues = Clues(regions=("shared words here", "shared words there"))
    assert tags("webrssbench/text", "shared words", PAGE, clues=clues) == ()


def test_a_short_reference_is_never_a_region_left_out() -> None:
    assert tags("webrssbench/layout", "products", "products, pricing, login") == (T.PART_OF_ANSWER,)


def test_another_metric_has_failures_of_its_own() -> None:
    assert tags(SHORT, "12 men", ["12", "12 men of the watch"]) == (T.EXTRA_WORDS,)
    assert tags(LISTS, ["b", "a"], [["a", "b"]]) == ()
    assert tags(LISTS, ["b", "a"], [["a", "b"]], key="exact_match") == (T.ORDER,)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(MetricError, match="official of screenqa/short has no metric 'bleu'"):
        tags(SHORT, "a", ["b"], key="bleu")
