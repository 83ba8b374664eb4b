import json
from typing import Any

import pytest

from snellen.grading.errors import DataError, MetricError, UnknownNameError
from snellen.grading.protocols.table import PROTOCOLS, protocol_of
from snellen.tasks.published import tables

OF_THE_PAPERS = {"drop", "unchanged", "weighted_accuracy"}


def document(**changes: Any) -> dict[str, Any]:
    table = {
        "name": "table 1",
        "unit": "percent",
        "columns": [{"name": "short", "task": "screenqa/short", "metric": "f1", "n": 8}],
        "rows": {"A": [50.5], "B": [None]},
    }
    return {
        "benchmark": "screenqa",
        "paper": "Some paper",
        "url": "https://example.org",
        "tables": [table | changes],
    }


def read(value: object) -> Any:
    return tables.read_tables(json.dumps(value).encode(), file="some.json")


def test_a_row_says_all_that_its_table_knows_of_it() -> None:
    assert tables.published_rows("visualwebbench/element_ground_bbox")[0] == tables.PublishedRow(
        task="visualwebbench/element_ground_bbox",
        model="Fuyu-8B",
        metric="accuracy",
        value=0.0,
        n=413,
        source="VisualWebBench table 2",
        protocols=("official@1",),
        note="it is not said how each model's coordinates were converted",
    )
    assert tables.PublishedRow(
        task="mmbench-gui/l3",
        model="UI-TARS-72B-DPO",
        metric="eqa",
        value=0.1958,
        part="50 steps",
        n=719,
        source="MMBench-GUI L3 50 steps",
        protocols=("exact@1",),
        note="that EQA is Eq. 12's integral is inferred: it alone fits the cells with one success",
    ) in tables.published_rows("mmbench-gui/l3")


@pytest.mark.parametrize(
    ("task", "metric", "part", "models"),
    [
        ("androidcontrol/low", "grounding", "", 1),
        ("androidcontrol/high", "step", "", 1),
        ("visualwebbench/web_caption", "rougeL", "", 23),
        ("visualwebbench/element_ground", "accuracy", "", 23),
        ("visualwebbench/element_ground_bbox", "accuracy", "", 9),
        ("webrssbench/position", "accuracy", "hard", 12),
        ("webrssbench/color", "accuracy", "before", 12),
        ("webrssbench/color", "accuracy", "after", 12),
        ("webrssbench/color", "drop", "", 12),
        ("webrssbench/layout", "unchanged", "", 12),
        ("mmbench-gui/l1", "weighted_accuracy", "easy x ios", 7),
        ("mmbench-gui/l1", "weighted_accuracy", "hard", 7),
        ("mmbench-gui/l2_basic", "accuracy", "android", 12),
        ("mmbench-gui/l2_advanced", "accuracy", "web", 12),
        ("mmbench-gui/l3", "sr", "15 steps", 8),
        ("mmbench-gui/l4", "eqa", "50 steps x linux", 8),
        ("mmbench-gui/l4", "sr", "15 steps x web", 4),
    ],
)
def test_each_model_stands_once_in_a_column(task: str, metric: str, part: str, models: int) -> None:
    rows = [row for row in tables.published_rows(task) if (row.metric, row.part) == (metric, part)]
    assert len(rows) == len({row.model for row in rows}) == models


def test_every_row_is_of_a_task_that_exists_and_of_a_metric_of_it_or_of_the_paper() -> None:
    rows = [row for table in tables.published_tables() for row in table.rows()]
    assert len(rows) == 1_102
    for row in rows:
        keys = {
            key
            for protocol in PROTOCOLS[row.task]
            for key in (*protocol.metric.keys, *protocol.metric.corpus_keys)
        }
        assert row.metric in keys | OF_THE_PAPERS, row
        assert 0 <= row.value <= 1
        assert row.source


def test_every_row_names_protocols_of_its_task_that_exist_and_are_not_outdated() -> None:
    for row in (row for table in tables.published_tables() for row in table.rows()):
        assert row.protocols, row
        for name in row.protocols:
            assert protocol_of(row.task, name).name == name


def test_a_protocol_that_a_row_names_has_its_metric_unless_it_is_of_the_paper() -> None:
    for row in (row for table in tables.published_tables() for row in table.rows()):
        if row.metric not in OF_THE_PAPERS:
            metric = protocol_of(row.task, row.protocols[0]).metric
            assert row.metric in (*metric.keys, *metric.corpus_keys), row


@pytest.mark.parametrize(
    ("of", "models", "first"),
    [("visualwebbench", 23, 0.036), ("mmbench-gui/l2", 12, 0.0287), ("screenqa", 0, None)],
)
def test_averages_over_tasks_stand_apart_from_the_rows_of_tasks(
    of: str, models: int, first: float | None
) -> None:
    rows = tables.published_averages(of)
    assert len(rows) == models
    # By name, for the order of the sources is not the papers'.
    known = {row.model: row.value for row in rows}
    assert first is None or first in known.values()
    assert all((row.metric, row.task) == ("average", of) for row in rows)


def test_every_model_of_every_row_is_told_from_every_other_number_of_its_source() -> None:
    rows = [row for table in tables.published_tables() for row in table.rows()]
    keys = {(row.task, row.model, row.metric, row.part) for row in rows}
    assert len(keys) == len(rows)


def test_a_value_has_no_more_decimals_than_the_paper_prints() -> None:
    assert tables.published_table("VisualWebBench table 1").cells["Otter"]["webqa"] == 0.007


def test_an_unknown_task_or_table_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'screenqa/short'"):
        tables.published_rows("screenqa/shrt")
    with pytest.raises(UnknownNameError, match="did you mean 'VisualWebBench table 1'"):
        tables.published_table("VisualWebBench Table 1")


def test_a_task_of_which_nothing_is_on_record_has_no_rows() -> None:
    assert tables.published_rows("screenqa/short") == ()


def test_a_table_of_fractions_or_percentages_reads_alike_and_an_empty_cell_is_none() -> None:
    (percent,) = read(document())
    (fraction,) = read(document(unit="fraction", rows={"A": [0.505], "B": [None]}))
    assert percent == fraction
    assert dict(percent.cells["B"]) == {}
    assert [row.value for row in percent.rows()] == [0.505]
    assert percent.source == "Some paper table 1"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": {"A": [50.5, 1]}}, "some.json, field 'table 1: A': the row has 2 values for 1"),
        ({"rows": {"A": [101]}}, "some.json, field 'table 1: A': short is 1.01, not within 0..1"),
        ({"rows": {"A": [-1]}}, "not within 0..1"),
        ({"rows": {"A": ["50"]}}, "expected a file of published tables; Expected `float | null`"),
        ({"unit": "points"}, "some.json: expected a file of published tables; Invalid enum value"),
        ({"colums": []}, "unknown field `colums`"),
        (
            {"columns": [{"name": "short"}, {"name": "short"}], "rows": {}},
            "some.json, field 'table 1': two columns have one name",
        ),
    ],
)
def test_a_broken_file_is_an_error_that_says_where(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(document(**changes))
    assert message in str(caught.value)


def test_what_is_no_json_is_an_error() -> None:
    with pytest.raises(DataError, match=r"some\.json: expected a file of published tables"):
        tables.read_tables(b"{", file="some.json")
    with pytest.raises(DataError, match=r"some\.json: expected a file of published tables"):
        tables.read_tables(b'"\xff"', file="some.json")


def rows_of(*values: float) -> list[tables.PublishedRow]:
    return [
        tables.PublishedRow("screenqa/short", f"model {value}", "f1", value) for value in values
    ]


def test_a_value_stands_between_its_neighbours() -> None:
    where = tables.standing(rows_of(0.2, 0.8, 0.5), 0.6)
    assert where.above is not None
    assert where.below is not None
    assert (where.above.value, where.below.value) == (0.8, 0.5)
    assert (where.rank, where.of, where.equal) == (2, 3, ())


def test_a_value_may_be_the_best_the_worst_equal_or_alone() -> None:
    rows = rows_of(0.2, 0.5, 0.5)
    assert tables.standing(rows, 0.9).above is None
    assert tables.standing(rows, 0.9).rank == 1
    assert tables.standing(rows, 0.1).below is None
    assert tables.standing(rows, 0.1).rank == 4
    tied = tables.standing(rows, 0.5)
    assert (len(tied.equal), tied.rank, tied.above) == (2, 1, None)
    assert tables.standing([], 0.5).of == 0


def test_a_value_stands_nowhere_among_numbers_of_different_kinds() -> None:
    with pytest.raises(MetricError, match="of one task, metric and part, not of 3: webrssbench"):
        tables.standing(tables.published_rows("webrssbench/position"), 0.5)
