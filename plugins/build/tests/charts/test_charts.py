"""Charts: the picture shows the table, and no label is more likely than another."""

import io
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageColor

from snellen.build.charts import tables
from snellen.build.charts.drawing import draw_chart, width_of, wrapped
from snellen.build.charts.styles import COLORS, Style, draw_style
from snellen.build.charts.subjects import TIMES, Subject, subjects_of
from snellen.build.sites.kinds import KINDS as SITES

STYLE = Style(
    size=(640, 400),
    colors=("blue", "red", "green", "brown", "purple", "gray", "black", "orange"),
    ground="#ffffff",
    ink="#222222",
    text=14,
    gap=0.3,
    centered=False,
    framed=False,
    legend="right",
    hole=0.0,
    marker="circle",
)
ALL = subjects_of("anything")


def table(kind: str, *values: tuple[float, ...], labelled: bool = False) -> tables.Table:
    names = ("North", "South", "West")[: len(values)]
    labels = ("Coast", "Lakes", "Alps", "City")[: len(values[0])]
    series = tuple(tables.Series(name, own) for name, own in zip(names, values, strict=True))
    return tables.Table(kind, "Guests", "guests", "region", labels, series, False, labelled, 20)


def picture(png: bytes) -> Image.Image:
    with Image.open(io.BytesIO(png)) as image:
        return image.convert("RGB")


def runs(image: Image.Image, color: str, *, down: bool) -> list[int]:
    """Return how long the columns (or the rows) of a color are, one number a block."""
    wanted = ImageColor.getrgb(COLORS[color])
    width, height = image.size
    found: list[int] = []
    before = 0
    for x in range(width if down else height):
        line = range(height if down else width)
        count = sum(image.getpixel((x, y) if down else (y, x)) == wanted for y in line)
        # The legend's squares are small.
        count = count if count > 18 else 0
        if count and not before:
            found.append(count)
        before = count
        if count:
            found[-1] = max(found[-1], count)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "down"), [("bars", True), ("rows", False)])
def test_a_bar_is_as_long_as_its_value_says(kind: str, down: bool) -> None:
    values = (80.0, 40.0, 20.0, 60.0)
    lengths = runs(picture(draw_chart(table(kind, values), STYLE)), "blue", down=down)
    assert len(lengths) == 4
    for length, value in zip(lengths, values, strict=True):
        assert length / max(lengths) == pytest.approx(value / 80, abs=0.02)


@pytest.mark.slow
def test_each_series_of_a_group_has_its_color_and_its_bars() -> None:
    first, second = (80.0, 40.0, 20.0, 60.0), (30.0, 90.0, 70.0, 50.0)
    image = picture(draw_chart(table("grouped", first, second), STYLE))
    for color, values in (("blue", first), ("red", second)):
        lengths = runs(image, color, down=True)
        longest = max(lengths)
        assert [round(each / longest, 1) for each in lengths] == [
            round(value / max(values), 1) for value in values
        ]


def test_stacked_bars_begin_where_the_one_below_ends() -> None:
    drawn = table("stacked", (40.0, 20.0), (20.0, 60.0), labelled=True)
    assert drawn.top == 80
    image = picture(draw_chart(drawn, STYLE))
    lower, upper = ImageColor.getrgb(COLORS["blue"]), ImageColor.getrgb(COLORS["red"])
    width, height = image.size
    for x in range(width - 120):
        column = [image.getpixel((x, y)) for y in range(height)]
        if column.count(lower) > 18:
            assert max(y for y in range(height) if column[y] == upper) < min(
                y for y in range(height) if column[y] == lower
            )


def test_slices_are_as_large_as_their_shares() -> None:
    values = (10.0, 20.0, 30.0, 40.0)
    image = picture(draw_chart(table("pie", values, labelled=True), STYLE))
    counts = Counter(image.get_flattened_data())
    areas = [counts[ImageColor.getrgb(COLORS[name])] for name in STYLE.colors[:4]]
    for area, value in zip(areas, values, strict=True):
        assert area / sum(areas) == pytest.approx(value / 100, abs=0.015)


def test_a_point_of_a_line_is_as_high_as_its_value() -> None:
    image = picture(draw_chart(table("line", (80.0, 40.0, 20.0, 60.0)), STYLE))
    color = ImageColor.getrgb(COLORS["blue"])
    places = [
        (x, y)
        for x in range(image.size[0])
        for y in range(image.size[1])
        if image.getpixel((x, y)) == color
    ]
    tops = {x: min(y for u, y in places if u == x) for x in {x for x, _ in places}}
    highest = min(tops, key=tops.__getitem__)
    lowest = max(y for _, y in places)
    # The first label's point is the highest; the third's, the lowest of all.
    assert highest < 200
    assert 200 < next(x for x, y in places if y == lowest) < 500


def test_one_bar_can_be_marked() -> None:
    image = picture(draw_chart(table("bars", (80.0, 40.0, 20.0, 60.0)), STYLE, marked=1))
    assert len(runs(image, "blue", down=True)) == 3
    (marked,) = runs(image, "orange", down=True)
    assert marked == pytest.approx(max(runs(image, "blue", down=True)) / 2, abs=3)


def test_a_note_stands_below_the_chart_and_leaves_it_alone() -> None:
    drawn = table("bars", (80.0, 40.0))
    plain = picture(draw_chart(drawn, STYLE))
    noted = picture(draw_chart(drawn, STYLE, note="Which value does the value have? " * 4))
    assert noted.size[1] > plain.size[1]
    assert noted.crop((0, 0, *plain.size)).tobytes() == plain.tobytes()
    below = noted.crop((0, plain.size[1], *noted.size))
    assert len(below.getcolors(1 << 16) or []) > 8


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_equal_choices_give_equal_bytes(seed: int) -> None:
    pngs = [
        draw_chart(tables.draw_table(random, ALL), draw_style(random))
        for random in (Random(seed), Random(seed))
    ]
    assert pngs[0] == pngs[1]


@given(st.integers(0, 10**6), st.sampled_from(tables.KINDS))
def test_tables_are_what_their_kind_needs(seed: int, kind: str) -> None:
    random = Random(seed)
    drawn = tables.draw_table(random, ALL, [kind])
    assert drawn.kind == kind
    assert (len(drawn.series) > 1) is (kind in tables.SEVERAL) is (kind not in tables.SINGLE)
    assert len(set(drawn.labels)) == len(drawn.labels) >= 4
    for series in drawn.series:
        assert len(series.values) == len(drawn.labels)
        for one, other in combinations(series.values, 2):
            assert abs(one - other) >= 0.1 * drawn.step
        assert all(0 < value <= drawn.top for value in series.values)
    assert tables.spec_of(drawn)["kind"] == kind
    assert 0 < tables.draw_value(random, drawn) <= drawn.top
    assert drawn.slack == (0 if drawn.labelled else drawn.step / 4)
    if kind in {"line", "lines"}:
        assert drawn.ordered
        times = TIMES[drawn.over]
        first = times.index(drawn.labels[0])
        assert drawn.labels == times[first : first + len(drawn.labels)]


def test_no_place_is_likelier_to_be_the_largest() -> None:
    counts: Counter[int] = Counter()
    for seed in range(1200):
        random = Random(seed)
        values = tables.draw_table(random, ALL, ["pie"]).series[0].values[:4]
        counts[values.index(max(values))] += 1
    assert all(counts[place] == pytest.approx(300, abs=60) for place in range(4))


def test_what_has_no_halves_is_counted_in_whole_numbers() -> None:
    halves: set[bool] = set()
    for seed in range(400):
        drawn = tables.draw_table(Random(seed), ALL)
        whole = all(value == int(value) for one in drawn.series for value in one.values)
        subject = next(one for one in ALL if (one.title, one.unit) == (drawn.title, drawn.unit))
        assert whole or subject.measured
        halves.add(whole)
    assert halves == {True, False}


def test_values_that_are_not_written_must_be_farther_apart_to_be_told_apart() -> None:
    assert tables.apart(table("bars", (1, 2), labelled=True), 40, 42)
    assert not tables.apart(table("bars", (1, 2)), 40, 42)
    assert tables.apart(table("bars", (1, 2)), 40, 51)


def test_every_kind_of_site_has_subjects_of_its_own() -> None:
    for kind in SITES:
        subjects = subjects_of(f"{kind}-en-001")
        assert {one.ordered for one in subjects} == {True, False}
        assert len(subjects) < len(ALL)
        for one in subjects:
            texts = (one.title, one.unit, one.over, *one.series, *one.labels)
            assert all(text.isascii() for text in texts)
            assert len(one.labels) == len(set(one.labels)) != 1
            assert one.labels == () or len(one.labels) >= 7
            assert one.over in TIMES or one.labels


def test_a_subject_is_ordered_where_its_labels_are_times() -> None:
    assert Subject("Guests", "guests", "month", ("North",)).ordered
    assert not Subject("Guests", "guests", "region", ("North",), ("Coast",)).ordered


def test_kinds_have_names_of_nearly_one_length() -> None:
    assert set(tables.NAMES) == set(tables.KINDS)
    assert max(map(len, tables.NAMES.values())) <= 2 * min(map(len, tables.NAMES.values()))


def test_notes_are_broken_between_words() -> None:
    lines = wrapped("one two three four five six", 16, 80)
    assert " ".join(lines) == "one two three four five six"
    assert len(lines) > 2
    assert all(width_of(line, 16) <= 80 for line in lines)
    assert wrapped("", 16, 80) == []
