"""Samples: what is drawn, and what a report on one says of all items."""

import json
from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.stats.stratified import Strata, population_estimate
from snellen.grading.stats.summary import estimate
from snellen.sdk.inputs.samples import Sample
from snellen.sdk.inputs.stratify import stratify
from snellen.sdk.stored import reopen
from snellen.tasks.models import TaskData

DIMENSIONS, LEVELS = ("action", "perception", "reasoning"), ("L1", "L2")
SIZES = dict(zip(product(DIMENSIONS, LEVELS), (40, 20, 10, 8, 60, 30), strict=True))


def make(
    sizes: Mapping[tuple[str, str], int] = SIZES, *, turned: bool = False, pin: str = "a"
) -> TaskData:
    """Make data with two tags that cross, and a site for each three items of a cell."""
    rows = [
        (f"test/{row}-{column}/{number}", row, column, f"{row}-{column}-{number // 3}.com")
        for (row, column), size in sizes.items()
        for number in range(size)
    ]
    if turned:
        rows.reverse()
    ids = [row[0] for row in rows]
    return TaskData(
        task="screenqa/short",
        split="test",
        ids=ids,
        golds=Golds([["blue"]] * len(ids)),
        pin=DataPin(
            release="v1", sha256=64 * pin, count=len(ids), verdict=PinVerdict.UNKNOWN, path=None
        ),
        build_item=lambda place: Item(
            id=ids[place],
            task="screenqa/short",
            prompt="?",
            answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="red"),
        ),
        tags={
            "dimension": [row[1] for row in rows],
            "level": [row[2] for row in rows],
            "site": [row[3] for row in rows],
        },
    )


BY = ("dimension", "level")


def draw(data: TaskData | None = None, **options: Any) -> Sample:
    asked: dict[str, Any] = {"by": BY, "n": 30, "core": ["perception"], **options}
    return stratify(data or make(), **asked)


def drawn(sample: Sample) -> dict[str, int]:
    return {stratum.name: stratum.drawn for stratum in sample.design.strata}


def answers(data: TaskData) -> list[dict[str, str]]:
    rng = np.random.default_rng(0)
    right = {"action": 0.3, "perception": 0.9, "reasoning": 0.6}
    return [
        {"item_id": item_id, "response": "blue" if rng.random() < right[row] else "red"}
        for item_id, row in zip(data.ids, data.tags["dimension"], strict=True)
        if row is not None
    ]


def test_core_strata_are_kept_whole_and_the_others_shared_out_by_size() -> None:
    sample = draw()
    # 30 of 150 items in proportion to 40, 20, 60 and 30.
    assert drawn(sample) == {
        "action x L1": 8,
        "action x L2": 4,
        "perception x L1": 10,
        "perception x L2": 8,
        "reasoning x L1": 12,
        "reasoning x L2": 6,
    }
    assert len(sample) == len(set(sample.ids)) == 48
    assert sum(sample.weights.values()) == pytest.approx(sum(SIZES.values()))
    assert sample.weights["test/perception-L1/0"] == 1
    assert [stratum.core for stratum in sample.design.strata].count(True) == 2


def test_each_takes_as_many_of_every_stratum() -> None:
    assert set(drawn(draw(n=None, each=9, core=())).values()) == {9, 8}


def test_deviations_send_the_draws_where_values_vary() -> None:
    spread = {f"{row} x {column}": 0.5 if column == "L1" else 0.1 for row, column in SIZES}
    found = drawn(draw(deviations=spread))
    assert found["action x L1"] > 4 * found["action x L2"]


def test_neither_order_nor_other_strata_move_a_draw() -> None:
    sample = draw(n=None, each=5)
    assert draw(make(turned=True), n=None, each=5).ids == sample.ids
    more = {**SIZES, ("reasoning", "L1"): 90, ("reasoning", "L3"): 12}
    grown = draw(make(more), n=None, each=5)
    kept = [item_id for item_id in sample.ids if "reasoning" not in item_id]
    assert [item_id for item_id in grown.ids if "reasoning" not in item_id] == kept
    assert draw(n=None, each=5, seed=1).ids != sample.ids
    assert set(draw(n=None, each=4).ids) < set(sample.ids)


def test_whole_sites_are_drawn_or_left() -> None:
    data = make()
    sample = draw(data, whole="site")
    sites = dict(zip(data.ids, data.tags["site"], strict=True))
    per_site = Counter(sites.values())
    assert all(
        Counter(sites[i] for i in sample)[site] == per_site[site]
        for site in {sites[item_id] for item_id in sample}
    )
    first = sample.design.strata[0]
    assert (first.items, first.units, first.drawn_units) == (40, 14, 3)
    assert first.drawn in (7, 9)


def test_each_one_with_whole_sites_draws_one_site() -> None:
    sample = draw(n=None, each=1, core=(), whole="site")
    assert {stratum.drawn_units for stratum in sample.design.strata} == {1}


@pytest.mark.parametrize("values", [[("a x b", "c"), ("a", "b x c")], [("a", "-"), ("a", None)]])
def test_strata_whose_names_are_written_alike_are_drawn_apart(
    values: list[tuple[str, str | None]],
) -> None:
    data = make({("action", "L1"): 24})
    tags: dict[str, dict[str, str]] = {}
    for place, item_id in enumerate(data.ids):
        one, other = values[place % 3 > 0]
        tags[item_id] = {"one": one, **({} if other is None else {"other": other})}
    by = ("one", "other")
    sample = stratify(data, by=by, n=8, tags=tags, least=1)
    found = {one.values: (one.items, one.drawn) for one in sample.design.strata}
    # 8 and 16 of 24 items, of which 8 are drawn.
    (few, many) = (found[one] for one in values)
    assert (few[0], many[0], sum(one[1] for one in found.values())) == (8, 16, 8)
    assert many[1] == 5
    with pytest.raises(InputError, match=r"no standard deviation for stratum '\[\"a"):
        stratify(data, by=by, n=8, tags=tags, deviations={})
    spread = {json.dumps(one): float(place) for place, one in enumerate(values)}
    weighed = stratify(data, by=by, n=8, tags=tags, deviations=spread, least=1).design.strata
    assert {one.values: one.drawn for one in weighed} == dict(zip(values, (1, 7), strict=True))


def test_a_site_in_two_strata_cannot_be_drawn_whole() -> None:
    data = make()
    with pytest.raises(InputError, match=r"'all\.com' has items in the strata 'action x L1' and"):
        draw(data, whole="owner", tags={item_id: {"owner": "all.com"} for item_id in data.ids})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": None}, "either n=, in total, or each="),
        ({"each": 3}, "either n=, in total, or each="),
        ({"n": 7}, "the minimum is 8"),
        ({"n": 151}, "the maximum 150"),
        ({"by": ()}, "name the tags of the strata"),
        ({"by": ("level", "level")}, "names a tag twice"),
        ({"core": "perception"}, "takes a list of values"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(**options)


def test_unknown_tags_and_values_are_named() -> None:
    with pytest.raises(
        UnknownNameError, match="no tag of these items 'levle'; did you mean 'level'"
    ):
        draw(by="levle")
    with pytest.raises(UnknownNameError, match="no value of dimension or level 'percepton'"):
        draw(core=["percepton"])


def test_a_value_of_two_tags_takes_the_tag_s_name() -> None:
    data = make()
    twin = {
        item_id: {"twin": tag or ""}
        for item_id, tag in zip(data.ids, data.tags["dimension"], strict=True)
    }
    options: dict[str, Any] = {"by": ("dimension", "twin"), "n": 10, "tags": twin}
    with pytest.raises(InputError, match="several tags have the value 'action'; write dimension="):
        stratify(data, core=["action"], **options)
    sample = stratify(data, core=["twin=action"], **options)
    assert drawn(sample)["action x action"] == 60


def test_a_report_on_a_sample_estimates_all_items() -> None:
    data = make()
    sample = draw(data)
    report = sdk.grade(answers(data), data=data, items=sample)
    assert report.provenance.items == 48
    assert report.provenance.sample == sample.design
    assert f"|sample:sha256:{sample.sha256[:16]}|" in report.signature
    values = {score.item_id: score.value for score in report.scores}
    found = report.numbers.population["f1"]
    by_hand = sum(weight * values[item_id] for item_id, weight in sample.weights.items())
    assert found.value == pytest.approx(by_hand / sum(SIZES.values()))
    codes = np.array([place for place, ids in enumerate(sample.drawn) for _ in ids])
    sizes = np.array([stratum.items for stratum in sample.design.strata])
    plain = population_estimate([values[item_id] for item_id in sample], Strata(codes, sizes))
    assert found.interval is not None
    assert plain.interval is not None
    assert found.interval.low == pytest.approx(plain.interval.low)
    # The mean over the items drawn is another number: perception was kept whole.
    assert report.value > found.value


def test_over_many_samples_the_estimate_is_right_and_the_plain_mean_is_not() -> None:
    data = make()
    given = answers(data)
    whole = sdk.grade(given, data=data).value
    reports = [sdk.grade(given, data=data, items=draw(data, seed=seed)) for seed in range(60)]
    found = [report.numbers.population["f1"] for report in reports]
    error = np.std([each.value for each in found]) / np.sqrt(60)
    assert abs(np.mean([each.value for each in found]) - whole) < 4 * error
    assert np.mean([report.value for report in reports]) - whole > 4 * error
    held = [
        each.interval is not None and each.interval.low <= whole <= each.interval.high
        for each in found
    ]
    assert sum(held) >= 52


def test_a_sample_of_everything_says_what_all_items_score() -> None:
    data = make()
    report = sdk.grade(answers(data), data=data, items=draw(data, n=150))
    assert report.numbers.population["f1"].value == pytest.approx(report.value)
    assert report.numbers.population["f1"].standard_error == 0


def test_a_report_that_is_no_sample_has_no_population() -> None:
    data = make()
    report = sdk.grade(answers(data), data=data)
    assert (report.provenance.sample, report.numbers.population) == (None, {})
    assert "sample:" not in report.signature


def test_a_saved_report_keeps_its_sample_and_regrades_with_it(tmp_path: Path) -> None:
    data = make()
    report = sdk.grade(answers(data), data=data, items=draw(data, whole="site"))
    path = report.save(tmp_path / "report.json")
    back = sdk.load_report(path)
    assert back.provenance.sample == report.provenance.sample
    assert back.numbers.population == report.numbers.population
    again = sdk.regrade(back, protocol="robust", data=data)
    assert again.numbers.population["f1"].value == report.numbers.population["f1"].value
    assert again.provenance.sample == report.provenance.sample
    assert reopen(path, data=data).numbers.population == report.numbers.population
    assert back.grid() == report.grid()
    other = sdk.regrade(back, data=make(pin="b"))
    assert (other.provenance.sample, other.numbers.population) == (None, {})


def test_tags_that_a_sample_was_drawn_by_come_with_it() -> None:
    data = make()
    hard = {item_id: {"hard": "yes" if item_id.endswith("1") else "no"} for item_id in data.ids}
    sample = stratify(data, by="hard", n=40, tags=hard)
    report = sdk.grade(answers(data), data=data, items=sample)
    assert {cell.name for cell in report.by("hard").cells} == {"yes", "no"}
    assert "f1" in report.numbers.population


def test_a_sample_of_other_data_or_of_another_task_is_refused() -> None:
    data = make()
    sample = draw(data)
    with pytest.raises(InputError, match="drawn from other data"):
        sdk.grade(answers(data), data=make(pin="b"), items=sample)
    references = {item_id: ["blue"] for item_id in data.ids}
    with pytest.raises(InputError, match="of screenqa/short, not of screenqa/complex"):
        sdk.grade(answers(data), task="screenqa/complex", references=references, items=sample)
    changed = {item_id: {"hard": "no"} for item_id in data.ids}
    hard = stratify(data, by="hard", n=5, tags=changed)
    with pytest.raises(InputError, match="drawn with hard 'no' for item"):
        sdk.grade(
            answers(data),
            data=data,
            items=hard,
            tags={item_id: {"hard": "yes"} for item_id in data.ids},
        )


def test_a_grid_of_a_sample_weighs_its_items() -> None:
    data = make()
    sample = draw(data)
    report = sdk.grade(answers(data), data=data, items=sample)
    grid = report.grid(least=5)
    assert grid.weighted
    assert grid.total.population == sum(SIZES.values())
    assert grid.total.estimate is not None
    assert grid.total.estimate.value == pytest.approx(report.numbers.population["f1"].value)
    values = {score.item_id: score.value for score in report.scores}
    cell = grid.cell("reasoning", "L1")
    mine = [values[item_id] for item_id in sample if "reasoning-L1" in item_id]
    assert (cell.items, cell.population) == (12, 60)
    assert cell.estimate == estimate(mine)
    row = next(cell for cell in report.by("dimension").cells if cell.name == "reasoning")
    assert row.estimate == grid.row_totals[grid.row_names.index("reasoning")].estimate


def test_data_as_a_path_needs_its_task() -> None:
    with pytest.raises(InputError, match="the task is missing"):
        stratify("examples/screen_qa", by="question_word", n=4)
    with pytest.raises(InputError, match="loaded for screenqa/short, not for screenqa/long"):
        stratify(make(), by="level", n=4, task="screenqa/long")
