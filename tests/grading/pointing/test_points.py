import json
import math
import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snellen.grading.errors import InputError
from snellen.grading.models.geometry import Size, Space
from snellen.grading.pointing import points

FULL_HD = Size(width=1920, height=1080)


def ui_tars_on_full_hd(text: str) -> points.ReadPoint | None:
    return points.ui_tars_point(text, FULL_HD)


PARSERS: list[Callable[[str], object]] = [
    points.mmbench_gui_point,
    points.seeclick_point_or_box,
    points.box_four_numbers,
    points.robust_point,
    points.robust_box,
    points.boxed_texts,
    ui_tars_on_full_hd,
]

# BENCHMARKS 4.2: the published parser, and what a reader would take for the answer.
TABLE = [
    ("(0.5, 0.3)", (0.5, 0.3), (0.5, 0.3)),
    ("x=0.5, y=0.3", (0.5, 0.3), (0.5, 0.3)),
    ("<point>123 456</point>", (123, 456), (123, 456)),
    ("click(x=100, y=200)", (100, 200), (100, 200)),
    ('{"point_2d":[100,200]}', (100, 200), (100, 200)),
    ("[0.1,0.2,0.3,0.4]", (0.1, 0.2), (0.2, 0.3)),
    ('{"x": 0.5, "y": 0.3}', None, (0.5, 0.3)),
    ("Step 1, 2 ... (0.2,0.4)", (1, 2), (0.2, 0.4)),
    ("(0.5，0.3)", None, (0.5, 0.3)),
    ("50%, 30%", None, (0.5, 0.3)),
    ("(5.,3.)", None, (5, 3)),
    ("(1,920, 1,080)", (1, 920), (1920, 1080)),
    ("1e-1, 2e-1", (-1, 2), (0.1, 0.2)),
    ("1. (0.2, 0.4)", (0.2, 0.4), (0.2, 0.4)),
]


@pytest.mark.parametrize(("text", "official", "robust"), TABLE)
def test_the_table_of_responses(
    text: str, official: tuple[float, float] | None, robust: tuple[float, float]
) -> None:
    read = points.mmbench_gui_point(text)
    assert (read and read[:2]) == official
    answer = points.robust_point(text)
    assert answer is not None
    assert answer[:2] == pytest.approx(robust)


def test_the_step_number_of_the_issue_is_read_as_published() -> None:
    # PROTOCOLS 1.3, point 6
    text = "step 1, 2 is at (512,300)"
    assert points.mmbench_gui_point(text) == (1, 2, None)
    assert points.robust_point(text) == (512, 300, None)


@pytest.mark.parametrize("text", ["", "None", "I can't see it", "(5)", "x", "-", "()", "click()"])
def test_nothing_to_read_is_none_and_never_the_origin(text: str) -> None:
    # BENCHMARKS 4.2: the published GPT parser returns (0, 0) instead of failure.
    assert all(parse(text) is None for parse in PARSERS)


def first_pair_by_scanning(text: str) -> tuple[float, float] | None:
    """The published rule, character by character: try every start, the longest number first."""

    def digits(at: int) -> int:
        end = at
        while end < len(text) and text[end].isdecimal():
            end += 1
        return end

    def number_ends(at: int) -> list[int]:
        if at < len(text) and text[at] in "+-":
            at += 1
        whole = digits(at)
        ends = list(range(whole, at, -1))
        if whole < len(text) and text[whole] == "." and digits(whole + 1) > whole + 1:
            ends = [*range(digits(whole + 1), whole + 1, -1), *ends]
        return ends

    def spaces(at: int) -> int:
        while at < len(text) and text[at].isspace():
            at += 1
        return at

    for start in range(len(text)):
        for end in number_ends(start):
            after = end
            while after < len(text) and (text[after] in ",;" or text[after].isspace()):
                after += 1
            if after == end:
                continue
            starts = [after]
            if after < len(text) and text[after] in "yY":
                value = spaces(after + 1)
                if value < len(text) and text[value] in ":=":
                    value = spaces(value + 1)
                starts.append(value)
            for second in starts:
                ends = number_ends(second)
                if ends:
                    return float(text[start:end]), float(text[second : ends[0]])
    return None


@given(st.text(alphabet="12.,;+- y=:(xY\n", max_size=14))
@example("1.2.3, 4")
@example("1-2, 3")
@example("1..5, 3")
@example(".5 .5")
@example("1, y: -2")
def test_the_published_rule_agrees_with_a_scan_of_every_start(text: str) -> None:
    read = points.mmbench_gui_point(text)
    assert (read and read[:2]) == first_pair_by_scanning(text)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (0.5, 0.3, (0.5, 0.3, False)),
        # BENCHMARKS 4.2: (1, 1) px is read as the bottom right corner, (0.5, 2) mixes units.
        (1, 1, (1, 1, False)),
        (0.5, 2, (0.5 / 1920, 2 / 1080, True)),
        (960, 540, (0.5, 0.5, True)),
        (-5, 0.5, (-5, 0.5, False)),
    ],
)
def test_over_one_means_pixels(x: float, y: float, expected: tuple[float, float, bool]) -> None:
    assert points.to_unit_official(x, y, 1920, 1080) == expected


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (-1, 5), (math.nan, 5)])
def test_an_image_without_size_is_refused(width: float, height: float) -> None:
    with pytest.raises(InputError, match="no size to divide by"):
        points.to_unit_official(5, 5, width, height)


@pytest.mark.parametrize(
    ("size", "seen"),
    [
        # 28 * round(1920 / 28) and 28 * round(1080 / 28)
        (FULL_HD, (1932, 1092)),
        (Size(width=1280, height=720), (1288, 728)),
        # Round half to even, as the published code's language does: 70 / 28 = 2.5.
        (Size(width=1190, height=1190), (1176, 1176)),
        # Under 100 * 28^2 pixels: enlarged, sides rounded up.
        (Size(width=280, height=140), (420, 224)),
        # Over 16384 * 28^2 pixels: shrunk, sides rounded down.
        (Size(width=8000, height=4000), (5068, 2520)),
    ],
)
def test_ui_tars_counts_pixels_of_the_resized_image(size: Size, seen: tuple[int, int]) -> None:
    read = points.ui_tars_point(f"click(point='<point>{seen[0]} {seen[1]}</point>')", size)
    assert read == points.ReadPoint(1, 1, Space.UNIT)


@given(st.integers(28, 6000), st.integers(28, 6000))
def test_the_image_that_ui_tars_sees_is_within_its_bounds(width: int, height: int) -> None:
    read = points.ui_tars_point("1 1", Size(width=width, height=height))
    if max(width, height) > 200 * min(width, height):
        assert read is None
    else:
        assert read is not None
        wide, high = round(1 / read.x), round(1 / read.y)
        assert wide % 28 == high % 28 == 0
        assert 100 * 28**2 <= wide * high <= 16384 * 28**2


@pytest.mark.parametrize("text", ["0.5 0.3", "(1, 2, 3)", "7", "Step 1: (2, 3)"])
def test_ui_tars_needs_exactly_two_whole_numbers(text: str) -> None:
    # BENCHMARKS 4.2: exactly two integers in the whole reply (decimals break it).
    assert points.ui_tars_point(text, FULL_HD) is None


def test_ui_tars_refuses_an_image_200_times_as_long_as_wide() -> None:
    assert points.ui_tars_point("1 1", Size(width=20_001, height=100)) is None
    assert points.ui_tars_point("1 1", Size(width=20_000, height=100)) is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(0.5,0.3)", (0.5, 0.3)),
        ("[0.1, 0.2, 0.3, 0.6]", (0.2, 0.4)),
        ("-0.5 and 1.", (-0.5, 1.0)),
        # PROTOCOLS 2, ScreenSpot: box to center, in thousandths.
        ("<ref>OK</ref><box>(100,200),(300,400)</box>", (0.2, 0.3)),
        ("<box>(0,0),(10,10)</box> or <box>(90,90),(99,99)</box>", (0.005, 0.005)),
        ("the box (0.5,0.3)", None),
        ("<box>(100, 200),(300, 400)</box>", None),
        ("0.1 0.2 0.3", None),
        ("1 2 3 4 5", None),
        ("5", None),
    ],
)
def test_seeclick_reads_a_point_or_a_box(text: str, expected: tuple[float, float] | None) -> None:
    read = points.seeclick_point_or_box(text)
    if expected is None:
        assert read is None
    else:
        assert read is not None
        assert read[:2] == pytest.approx(expected)
        assert read.space is Space.UNIT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[0.1, 0.2, 0.3, 0.4]", (0.1, 0.2, 0.3, 0.4)),
        (" (1 2 3 4)\n", (1, 2, 3, 4)),
        ("1,2,3,4", (1, 2, 3, 4)),
        ("[9, 9, 1, 1]", (9, 9, 1, 1)),
        # BENCHMARKS 2.5: malformed values are counted wrong.
        ("", None),
        ("[1, 2, 3]", None),
        ("[1, 2, 3, 4, 5]", None),
        ("[1, 2, 3, x]", None),
        ("the box is [1, 2, 3, 4]", None),
        ("[nan, 2, 3, 4]", None),
        ("[1e999, 2, 3, 4]", None),
    ],
)
def test_four_numbers_and_nothing_else_are_a_box(
    text: str, expected: tuple[float, float, float, float] | None
) -> None:
    read = points.box_four_numbers(text)
    assert (read and read.ltrb) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"y": 1, "x": 2}', (2, 1)),
        ("top-left (10, 20) bottom-right (30, 40)", (20, 30)),
        ("(10, 20), (30, 40)", (20, 30)),
        ("Step 1 (10, 20). Step 2 (30, 40).", (30, 40)),
        ("(540, 1200), not at (10, 10)", (540, 1200)),
        ("Rather than (1, 2) I click (5, 6).", (5, 6)),
        ('{"box_2d": [20, 10, 40, 30], "label": "OK"}', (0.02, 0.03)),
        ('{"action_type": "click", "box_2d": [[10, 20, 30, 40]]}', (0.02, 0.03)),
        ('{"action": "click", "arguments": {"x": 1, "button": "left", "y": 2}}', (1, 2)),
        ('```json\n{"point_2d": [10, 20], "label": "(3, 4)"}\n```', (10, 20)),
        ('{"x": 10, "y": 20, "width": 4, "height": 6}', (12, 23)),
        ('{"x": "10%", "y": "20%"}', (0.1, 0.2)),
        ("{'x': 3, 'y': 4}", (3, 4)),
        ("click(start_box='(100,200)')", (100, 200)),
        ("pyautogui.click(100, 200)", (100, 200)),
        ('pyautogui.click(x=100, y=200, button="left")', (100, 200)),
        ("<|box_start|>(100,200),(300,400)<|box_end|>", (200, 300)),
        ("<box>(1,2),(3,4)</box>", (2, 3)),
        ('<point x="10.9" y="53.2" alt="OK">OK</point>', (10.9, 53.2)),
        (r"\boxed{0.2, 0.4}", (0.2, 0.4)),
        ("坐标：（１２，３４）", (12, 34)),
        ("坐标：12、34", (12, 34)),
        ("(−5, 3)", (-5, 3)),
        ("(100px, 200px)", (100, 200)),
        ("12 34", (12, 34)),
        ("The point is at 0.5, 0.3.", (0.5, 0.3)),
        # The last explicit answer, or the first after the word.
        ("First (1, 2), then (3, 4)", (3, 4)),
        ("Answer: (0.2, 0.4), because (0.1, 0.4) is a label", (0.2, 0.4)),
        ("(9, 9)? No, the answer is (1, 2).", (1, 2)),
        ("The answer is above (7, 8)", (7, 8)),
        # Thousands separators, where only they make sense.
        ("(540, 1,080)", (540, 1080)),
        ("x=1,920, y=1,080", (1920, 1080)),
        ("(1,180, 1,920)", (1180, 1920)),
        ("(12,345)", (12, 345)),
    ],
)
def test_a_reader_finds_the_point(text: str, expected: tuple[float, float]) -> None:
    read = points.robust_point(text)
    assert read is not None
    assert read[:2] == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "(1,920,1,080)",
        "(1,180, 2,920)",
        "(50%, 3)",
        "(1, 2, 3)",
        "[30, 40, 10, 20]",
        "(x=1, z=2)",
        "10:30, 11:30",
        "(1e999, 2)",
        '{"x": NaN, "y": 1}',
        '{"x": true, "y": 1}',
        '{"box_2d": [1, 2, 3]}',
        "It is not at (10, 10).",
    ],
)
def test_what_can_be_read_two_ways_or_none_is_not_guessed(text: str) -> None:
    assert points.robust_point(text) is None


def test_only_percent_fixes_the_space() -> None:
    assert points.robust_point("(50%, 30%)") == (0.5, 0.3, Space.UNIT)
    assert points.robust_point("(0.5, 0.3)") == (0.5, 0.3, None)
    assert points.robust_box("[10%, 20%, 30%, 40%]") == (0.1, 0.2, 0.3, 0.4, Space.UNIT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2, 3, 4]", (1, 2, 3, 4)),
        ('[{"bbox_2d": [10, 20, 30, 40], "label": "(2, 3)"}]', (10, 20, 30, 40)),
        ('{"left": 1, "top": 2, "right": 3, "bottom": 4}', (1, 2, 3, 4)),
        ('{"x1": 1, "y1": 2, "x2": 3, "y2": 4}', (1, 2, 3, 4)),
        ('{"x": 1, "y": 2, "width": 4, "height": 6}', (1, 2, 5, 8)),
        ("(x1=1, y1=2, x2=3, y2=4)", (1, 2, 3, 4)),
        ("from (1, 2) to (3, 4)", (1, 2, 3, 4)),
        ("[[1,2],[3,4]]", (1, 2, 3, 4)),
        ("[[001,080,100,200]]", (1, 80, 100, 200)),
        ("<box>(1,2),(3,4)</box>", (1, 2, 3, 4)),
        ("1, 2, 3, 4", (1, 2, 3, 4)),
        ("[1, 2, 3, 4] near (9, 9)", (1, 2, 3, 4)),
        ("[1,000, 1,200, 1,100, 1,300]", (1000, 1200, 1100, 1300)),
        ("(1, 2), (0, 0), (3, 4)", (0, 0, 3, 4)),
        ("(1, 2)", None),
        ("[3, 4, 1, 2]", None),
        ("(3, 4), (1, 2)", None),
    ],
)
def test_a_reader_finds_the_box(
    text: str, expected: tuple[float, float, float, float] | None
) -> None:
    read = points.robust_box(text)
    assert (read and read.ltrb) == expected


def test_the_center_of_a_box_is_a_point_in_its_space() -> None:
    assert points.ReadBox(0, 0, 2, 4, Space.UNIT).center == points.ReadPoint(1, 2, Space.UNIT)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from(["({}, {})", "[{},{}]"]))
def test_any_pair_in_brackets_is_read_back(x: float, y: float, form: str) -> None:
    assert points.robust_point(f"Click {form.format(x, y)} now") == (x, y, None)
    assert points.robust_point(json.dumps({"x": x, "y": y})) == (x, y, None)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_any_upright_box_is_read_back(x: float, y: float, width: float, height: float) -> None:
    box = (x, y, x + width, y + height)
    assert points.robust_box(str(list(box))) == (*box, None)
    read = points.box_four_numbers(str(box))
    assert read is not None
    assert read.ltrb == box


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", []),
        ('[{"text": "OK", "box": [1, 2, 3, 4]}]', [((1, 2, 3, 4), "OK")]),
        ('[{"text": "OK", "bounds": [1, 2, 3, 4], "vh_index": 7}]', [((1, 2, 3, 4), "OK")]),
        ('[{"text": "", "bbox": [1, 2, 3, 4]}]', [((1, 2, 3, 4), "")]),
        (
            '[[[1, 2, 3.5, 4], "OK"], [[0, 0, 1, 1], "b"]]',
            [((1, 2, 3.5, 4), "OK"), ((0, 0, 1, 1), "b")],
        ),
        (
            '[{"text": "a", "box": {"bottom": 4, "left": 1, "top": 2, "right": 3}}]',
            [((1, 2, 3, 4), "a")],
        ),
        ('Here:\n```json\n[[[1, 2, 3, 4], "OK"]]\n```\nDone.', [((1, 2, 3, 4), "OK")]),
        ('The elements are [[[1, 2, 3, 4], "OK"]].', [((1, 2, 3, 4), "OK")]),
        ("No answer.", None),
        ("[", None),
        ("{}", None),
        ("null", None),
        ('["OK"]', None),
        ('[{"text": "OK"}]', None),
        ('[{"text": 5, "box": [1, 2, 3, 4]}]', None),
        ('[{"text": "OK", "box": [1, 2, 3]}]', None),
        ('[{"text": "OK", "box": [1, 2, 3, "4"]}]', None),
        ('[{"text": "OK", "box": [1, 2, 3, true]}]', None),
        ('[{"text": "OK", "box": [1, 2, 3, NaN]}]', None),
        ('[{"text": "OK", "box": [1, 2, 3, 1e999]}]', None),
        ('[[[1, 2, 3, 4], "OK"], "b"]', None),
    ],
)
def test_a_list_of_boxed_texts(
    text: str, expected: list[tuple[tuple[float, ...], str]] | None
) -> None:
    read = points.boxed_texts(text)
    assert (None if read is None else list(read)) == expected


def test_boxed_texts_name_their_parts() -> None:
    assert points.boxed_texts('[[[1, 2, 3, 4], "OK"]]') == (points.ReadElement((1, 2, 3, 4), "OK"),)


UNITS = [
    "1",
    "1.",
    "1,",
    "1e",
    "1, y ",
    "(1,",
    "(1,2)",
    "1,y",
    "x=",
    "x=1,",
    "<box>(",
    "<point>",
    "```",
    "(",
    "{",
    "[",
    ".",
    "-",
    " ",
    "a",
    "answer is ",
    "\\boxed",
    '{"a":1}',
    '{"point":["  ',
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_half_a_megabyte_of_anything_comes_to_an_end(unit: str) -> None:
    # In quadratic time this would take hours.
    huge = unit * (500_000 // len(unit))
    for parse in PARSERS:
        parse("1" + huge)


@pytest.mark.slow
def test_ten_megabytes_come_to_an_end() -> None:
    huge = "Step 1 (at 5) " * 700_000
    for parse in PARSERS:
        assert parse(huge) is None


def test_only_the_end_of_a_long_text_is_read() -> None:
    assert points.robust_point("(1, 2)" + "." * 20_000) is None
    assert points.robust_point("(1, 2)" + "." * 20_000 + "(3, 4)") == (3, 4, None)


@pytest.mark.slow
def test_numbers_too_long_for_a_float_are_not_read() -> None:
    long = "9" * 5000
    for text in (f"({long}, 1)", f"{long} 1", f"[{long}, 1, 2, 3]"):
        others = [parse for parse in PARSERS if parse is not points.mmbench_gui_point]
        assert all(parse(text) is None for parse in others)
    assert points.seeclick_point_or_box(f"<box>({long},1),(2,3)</box>") is None


def test_a_number_too_long_for_a_float_is_the_largest_where_the_published_parser_reads_it() -> None:
    largest = sys.float_info.max
    assert points.mmbench_gui_point(f"({'9' * 350}, 1)") == (largest, 1, None)
    assert points.mmbench_gui_point(f"(1, -{'9' * 350})") == (1, -largest, None)


@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for parse in PARSERS:
        parse(text)


@given(st.from_regex(re.compile(r"[\[\](){}<>0-9.,;:%xy= \"'a-e]{0,40}"), fullmatch=True))
def test_any_heap_of_brackets_and_numbers_gives_finite_numbers(text: str) -> None:
    for read in (
        points.mmbench_gui_point(text),
        points.robust_point(text),
        points.seeclick_point_or_box(text),
    ):
        assert read is None or (math.isfinite(read.x) and math.isfinite(read.y))
    box = points.robust_box(text)
    assert box is None or (box.left <= box.right and box.top <= box.bottom)
