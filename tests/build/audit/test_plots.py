"""A chart's picture is measured against its numbers, whatever it looks like."""

from random import Random

import msgspec
import pytest

from snellen.build.audit.charts import Chart
from snellen.build.audit.plots import unseen
from snellen.build.charts.drawing import draw_chart
from snellen.build.charts.styles import draw_style
from snellen.build.charts.subjects import subjects_of
from snellen.build.charts.tables import KINDS, Kind, Table, draw_table, spec_of
from snellen.tasks.audit.pictures import Pixels, pixels_of

SUBJECTS = subjects_of("anything")


def drawn(kind: Kind, seed: int) -> tuple[Table, Pixels]:
    random = Random(seed)
    table = draw_table(random, SUBJECTS, [kind])
    marked = random.randrange(len(table.labels)) if kind in {"bars", "rows"} else None
    note = "What is the value at the first of them?" if seed % 2 else ""
    return table, pixels_of(draw_chart(table, draw_style(random), note=note, marked=marked))


def chart(table: Table) -> Chart:
    return msgspec.convert(spec_of(table), Chart)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_shows_its_own_numbers(kind: Kind) -> None:
    for seed in range(12):
        table, pixels = drawn(kind, seed)
        assert unseen(pixels, chart(table)) is None, seed


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_does_not_show_another_number(kind: Kind) -> None:
    for seed in range(6):
        table, pixels = drawn(kind, seed)
        shown = chart(table)
        values = shown.series[table.series[-1].name]
        values[1] += 1.5 * table.step
        assert unseen(pixels, shown) is not None, seed


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_without_its_middle_or_its_colors_does_not_show_its_numbers(kind: Kind) -> None:
    table, pixels = drawn(kind, 3)
    white = pixels[0, 0]
    width = pixels.shape[1]
    cut, bare = pixels.copy(), pixels.copy()
    cut[:, width // 4 : 3 * width // 4] = white
    bare[:] = white
    assert unseen(cut, chart(table)) is not None
    assert unseen(bare, chart(table)) is not None


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_hardly_a_good_chart_is_taken_for_a_bad_one(kind: Kind) -> None:
    wrong = [seed for seed in range(150) if unseen(*_shown(kind, seed)) is not None]
    # A line of several may lie behind the others for most of its length.
    assert len(wrong) <= 3, wrong


def _shown(kind: Kind, seed: int) -> tuple[Pixels, Chart]:
    table, pixels = drawn(kind, seed)
    return pixels, chart(table)
