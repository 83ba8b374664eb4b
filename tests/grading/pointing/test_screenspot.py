import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.pointing.points import ReadPoint
from snellen.grading.pointing.screenspot import (
    evalscope_point,
    lmms_eval_point,
    screensuite_click,
    vlmevalkit_point,
)


def xy(point: ReadPoint | None) -> tuple[float, float] | None:
    return None if point is None else (point.x, point.y)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[0.5, 0.25]", (0.5, 0.25)),
        ("(512 300)", (512, 300)),
        ("[50%, 25%]", (0.5, 0.25)),
        ("The button is at [10, 20] or [30, 40]", (10, 20)),
        ("<bbox>10 20 30 60</bbox>", (20, 40)),
        ("< BBOX id=1 >10, 20, 30, 60< / bbox >", (20, 40)),
        ("<bbox>10 20</bbox> (1, 2)", (1, 2)),
        ("<bbox>10 20", (10, 20)),
        ("click(x=5, then y: 7)", (5, 7)),
        ("max = 3, y = 4", (3, 4)),
        # No point, and two numbers all the same.
        ("Step 1 of 2", (1, 2)),
        ("the box is 10 20 30 60", (20, 40)),
        ("it is 10 20 30 60", (10, 20)),
        ("[-5, 7]", (-5, 7)),
        ("no idea", None),
        ("7", None),
        ("", None),
    ],
)
def test_what_lmms_eval_reads(text: str, expected: tuple[float, float] | None) -> None:
    assert xy(lmms_eval_point(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: [0.5, 0.25]", (0.5, 0.25)),
        ("answer：\n\n0.5 0.25", (0.5, 0.25)),
        ("Answer: [1, 2]\nFinal answer: [3, 4]", (3, 4)),
        ("Answer: x=5, y=7", (5, 7)),
        ("Answer: about x: 1, y: 2 or x: 3, y: 4", (3, 4)),
        ("Answer: 1 of 2: 30 40", (30, 40)),
        ("Answer: <bbox>10 20 30 60</bbox>", (20, 40)),
        ("Answer: <bbox>1 1 1 1</bbox> <bbox>10 20 30 60</bbox>", (20, 40)),
        # The line holds none, so the whole text is searched, for pairs in brackets only.
        ("I see [7, 8].\nAnswer: the button", (7, 8)),
        ("Answer: the button\n[7, 8]", (7, 8)),
        ("[1, 2] then (3, 4)", (3, 4)),
        ("x=5, y=7", None),
        ("the 5th of 6", None),
        ("", None),
    ],
)
def test_what_evalscope_reads(text: str, expected: tuple[float, float] | None) -> None:
    assert xy(evalscope_point(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pyautogui.click(x=0.5, y=0.25)", (0.5, 0.25)),
        ("x=1, y=2 x=3, y=4", (1, 2)),
        # One space after the comma, none elsewhere: else the point (0, 0).
        ("x=1,y=2", (0, 0)),
        ("x = 1, y = 2", (0, 0)),
        ("x=-1, y=2", (0, 0)),
        ("(1, 2)", (0, 0)),
        ("", (0, 0)),
        ("x=1.2.3, y=2", None),
        ("x=., y=2", None),
    ],
)
def test_what_vlmevalkit_reads(text: str, expected: tuple[float, float] | None) -> None:
    assert xy(vlmevalkit_point(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Action: click(640, 360)", (640, 360)),
        ("CLICK(x=640, y=360)", (640, 360)),
        ("click(1) click(2, 3)", None),
        ("click(1\n2) then click(3, 4)", (3, 4)),
        ("click(1, 2, 3)", (1, 2)),
        ("double_click(1, 2)", (1, 2)),
        ("click(1.2.3, 4)", None),
        ("click(-5, 7)", (5, 7)),
        ("click(1, 2", None),
        ("(1, 2)", None),
    ],
)
def test_what_screensuite_reads(text: str, expected: tuple[float, float] | None) -> None:
    assert xy(screensuite_click(text)) == expected


# ---- second witnesses: plain expressions that may backtrack, on short texts ---------------------

NUM = r"-?\d+(?:\.\d+)?%?"


def value(token: str) -> float:
    return float(token.rstrip("%")) / (100 if token.endswith("%") else 1)


def halfway(tokens: list[str]) -> tuple[float, float]:
    a, b, c, d = (value(token) for token in tokens[:4])
    return (a + c) / 2, (b + d) / 2


def slow_lmms_eval(text: str) -> tuple[float, float] | None:
    tag = re.search(r"<\s*bbox[^>]*>(.*?)<\s*/\s*bbox\s*>", text, re.I | re.S)
    if tag and len(re.findall(NUM, tag[1])) >= 4:
        return halfway(re.findall(NUM, tag[1]))
    pair = re.search(rf"[\[(]\s*({NUM})\s*[,\s]\s*({NUM})\s*[\])]", text)
    keyed = re.search(rf"x['\"]?\s*[:=]\s*({NUM}).*?y['\"]?\s*[:=]\s*({NUM})", text, re.I | re.S)
    for found in (pair, keyed):
        if found:
            return value(found[1]), value(found[2])
    numbers = re.findall(NUM, text)
    if len(numbers) >= 4 and re.search("box|rect", text, re.I):
        return halfway(numbers)
    return (value(numbers[0]), value(numbers[1])) if len(numbers) >= 2 else None


def slow_marked(text: str) -> tuple[float, float] | None:
    tags = re.findall(r"<\s*bbox[^>]*>(.*?)<\s*/\s*bbox\s*>", text, re.I | re.S)
    if tags and len(re.findall(NUM, tags[-1])) >= 4:
        return halfway(re.findall(NUM, tags[-1]))
    pairs = re.findall(rf"[\[(]\s*({NUM})\s*[,\s]\s*({NUM})\s*[\])]", text)
    return (value(pairs[-1][0]), value(pairs[-1][1])) if pairs else None


def slow_evalscope(text: str) -> tuple[float, float] | None:
    parts = re.split("answer\\s*[:\uff1a]", text, flags=re.I)
    if len(parts) > 1:
        line = parts[-1].lstrip().split("\n")[0]
        point = slow_marked(line)
        loose = re.findall(
            rf"x['\"]?\s*[:=]\s*({NUM})[^\d\-]*?y['\"]?\s*[:=]\s*({NUM})", line, re.I
        )
        numbers = re.findall(NUM, line)
        if point is None and loose:
            point = value(loose[-1][0]), value(loose[-1][1])
        if point is None and len(numbers) >= 2:
            point = value(numbers[-2]), value(numbers[-1])
        if point is not None:
            return point
    return slow_marked(text)


def slow_screensuite(text: str) -> tuple[float, float] | None:
    found = re.search(r"click\((.*?)\)", text.lower())
    numbers = re.findall(r"[\d.]+", found[1]) if found else []
    try:
        return (float(numbers[0]), float(numbers[1])) if len(numbers) >= 2 else None
    except ValueError:
        return None


PIECES = (
    *("<bbox>", "</bbox>", "< bbox a", ">", "[", "]", "(", ")", ",", " ", "\n", "  ", "x", "y"),
    *("=", ":", "12", "3.5", "-7", "50%", ".", "%", "'", "answer:", "Answer", "click(", "box", "q"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(texts)
def test_lmms_eval_agrees_with_expressions_that_backtrack(text: str) -> None:
    assert xy(lmms_eval_point(text)) == slow_lmms_eval(text)


@given(texts)
def test_evalscope_agrees_with_expressions_that_backtrack(text: str) -> None:
    assert xy(evalscope_point(text)) == slow_evalscope(text)


@given(texts)
def test_screensuite_agrees_with_an_expression_that_backtracks(text: str) -> None:
    assert xy(screensuite_click(text)) == slow_screensuite(text)


@pytest.mark.parametrize("read", [lmms_eval_point, evalscope_point, screensuite_click])
@pytest.mark.parametrize(
    "piece", ["<bbox", "<bbox>", "x=1 ", "click(", "(1 ", "[ ", "answer:", "< ", "9", "y= "]
)
def test_long_texts_end_soon(read: Callable[[str], ReadPoint | None], piece: str) -> None:
    # With an expression that backtracks, each of these would take hours.
    found = read(piece * 100_000)
    assert found is None or isinstance(found, ReadPoint)
