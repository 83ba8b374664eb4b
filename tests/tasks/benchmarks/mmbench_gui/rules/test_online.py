"""MMBench-GUI's episodes by every reading of EQA, and by ScaleCUA's."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.grading.grade import Answers, Grader
from snellen.grading.metrics.efficiency import Episode, success_rate, truncated
from snellen.grading.metrics.eqa import eqa_exact
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import EpisodeGold
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.tally import Tally

L3 = "mmbench-gui/l3"
PAPERS = ("paper", "exact", "half_open")


def score(task: str, response: object, reference: object, protocol: str | None = None) -> Score:
    return sdk.score(task, response=response, reference=reference, protocol=protocol)


def graded(
    responses: list[object], limit: float | Sequence[float | None] | None, protocol: str
) -> dict[str, MetricValue]:
    shape, chosen = gold_shape(L3), protocol_of(L3, protocol)
    limits = limit if isinstance(limit, Sequence) else [limit] * len(responses)
    golds = [shape.read(None if most is None else {"limit": most}) for most in limits]
    tally = Tally(chosen, golds)
    answers = Answers(np.arange(len(responses)), [0] * len(responses), responses)
    tally.add(answers, Grader.of(chosen, golds).batch(answers))
    return tally.metrics(1)


def runs(*pairs: tuple[float, float]) -> list[object]:
    return [{"success": success, "cost": cost} for success, cost in pairs]


# ---- what is read ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "response",
    [
        "it worked",
        "[1]",
        "\ud83d",
        '{"success":' + "[" * 100_000,
        '{"success": 1e400}',
        {"success": 2},
        {"success": "yes"},
        {"success": float("nan")},
        {"success": 1, "cost": -1},
        {"success": 1, "cost": float("inf")},
        {"success": 1, "cost": 10**400},
        {"success": 1, "cost": True},
        {"success": 1, "limit": 0},
        {"cost": 5},
        {1: 2},
        [],
        7,
        object(),
    ],
)
@pytest.mark.parametrize("protocol", [one.id for one in PROTOCOLS[L3]])
def test_what_is_no_episode_is_unparsed_and_nothing_is_raised(
    response: object, protocol: str
) -> None:
    context = gold_shape(L3).context(EpisodeGold(15))
    read = protocol_of(L3, protocol).parser.read(response, context)
    assert read.outcome is Outcome.UNPARSED
    assert "expected {success, cost, limit}" in read.note


@pytest.mark.parametrize("limit", [0, -5, float("inf"), float("nan"), "15", True])
def test_a_limit_in_a_reference_is_a_number_above_0(limit: object) -> None:
    with pytest.raises(DataError):
        gold_shape(L3).read({"limit": limit})


# ---- the limit ---------------------------------------------------------------------------------


def test_the_limit_of_the_responses_counts_where_no_reference_has_one() -> None:
    said: list[object] = [{"success": 1, "cost": 5, "limit": 15}, {"success": 0, "cost": 9}]
    # T_max = 30, u_1 = 1/6.
    assert graded(said, None, "exact")["eqa"].value == pytest.approx(5 / 12, abs=1e-15)


def test_a_response_never_contradicts_the_limit_of_the_references() -> None:
    said: list[object] = [{"success": 1, "cost": 5, "limit": 50}, {"success": 1, "cost": 5}]
    plain = graded(runs((1, 5), (1, 5)), 15, "paper")
    assert graded(said, 15, "paper") == plain
    assert graded(said, [15, None], "paper") == plain


@pytest.mark.parametrize("limit", [[15, 50], [None, None]])
def test_several_limits_leave_eqa_out_and_keep_sr(limit: list[float | None]) -> None:
    said: list[object] = [
        {"success": 1, "cost": 5, "limit": 15},
        {"success": 1, "cost": 5, "limit": 50},
    ]
    found = graded(said, limit, "paper")
    assert found.keys() == {"sr"}
    assert found["sr"].value == 1


@pytest.mark.parametrize("protocol", PAPERS)
def test_an_episode_over_the_limit_failed_and_is_charged_the_limit(protocol: str) -> None:
    over = graded(runs((1, 99), (1, 16), (0.5, 15), (1, 5)), 15, protocol)
    assert over == graded(runs((0, 15), (0, 15), (0.5, 15), (1, 5)), 15, protocol)
    assert over["sr"].value == 1.5 / 4


@given(
    pairs=st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.integers(1, 60)), min_size=1),
    limit=st.integers(1, 50),
)
def test_a_run_beyond_its_limit_is_worth_what_it_is_when_cut_at_it(
    pairs: list[tuple[float, int]], limit: int
) -> None:
    cut = truncated([Episode(*pair) for pair in pairs], limit)
    found = graded(runs(*pairs), limit, "exact")
    assert found["sr"].value == pytest.approx(success_rate(cut), abs=1e-15)
    assert found["eqa"].value == eqa_exact(cut, limit)


def note_of(response: object, context: Context, protocol: str = "paper") -> str:
    return protocol_of(L3, protocol).parser.read(response, context).note


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({"cost": 15, "limit": 15, "platform": "os_mac"}, ""),
        ({"cost": 15, "limit": 15, "platform": "macos"}, ""),
        ({"limit": 15}, "it does not say its cost"),
        ({"cost": 16}, "it took more than its limit, which is a failure (16 of 15)"),
        (
            {"cost": 5, "limit": 50},
            "it says another limit than the item's, which counts (50, not 15)",
        ),
        (
            {"cost": 5, "platform": "os_beos"},
            "it says another platform than the item's, which counts ('os_beos', not 'macos')",
        ),
        (
            {"cost": 20, "limit": 50},
            "it took more than its limit, which is a failure (20 of 15); it says another limit"
            " than the item's, which counts (50, not 15)",
        ),
    ],
)
def test_what_an_episode_says_against_its_item_is_noted(said: dict[str, object], note: str) -> None:
    context = Context(limit=15, platform="macos")
    assert note_of({"success": 1, **said}, context) == note
    assert note_of({"success": 1, **said}, Context()) == ("" if "cost" in said else note)


def test_scalecua_has_limits_of_its_own_and_notes_no_episode_over_them() -> None:
    assert note_of({"success": 1, "cost": 20}, Context(limit=15), "scalecua_50") == ""
    assert score(L3, {"success": 1, "cost": 60}, {"limit": 15}, "scalecua_50").value == 1


@pytest.mark.parametrize("protocol", PAPERS)
def test_an_episode_that_does_not_say_its_cost_is_charged_the_limit(protocol: str) -> None:
    said: list[object] = [{"success": True}, {"success": True, "cost": 5}]
    assert graded(said, 15, protocol) == graded(runs((1, 15), (1, 5)), 15, protocol)


@pytest.mark.parametrize("protocol", PAPERS)
def test_the_paper_knows_no_episode_that_costs_nothing(protocol: str) -> None:
    found = score(L3, {"success": 1, "cost": 0}, {"limit": 15}, protocol)
    assert (found.outcome, found.value) == (Outcome.UNPARSED, 0)
    assert found.note == "an episode costs more than 0"


@pytest.mark.parametrize(
    ("pairs", "limit", "exact", "paper", "half_open"),
    [
        # BENCHMARKS 5.4.
        ([(1, 1)], 50, 49 / 50, 99 / 101, 98 / 101),
        ([(1, 50)], 50, 0, 1 / 101, 0),
        ([(0, 50)], 50, 0, 0, 0),
        ([(1, 1)] * 10, 50, 989 / 1000, 199 / 202, 993 / 1010),
        ([(1, 50)] * 10, 50, 9 / 20, 46 / 101, 45 / 101),
        ([(1, 5), (0, 15), (1, 3), (1, 10)], 15, 119 / 240, 50 / 101, 199 / 404),
        ([(0, 15), (1, 5), (1, 3), (1, 10)], 15, 13 / 30, 175 / 404, 87 / 202),
        ([(1, 5), (0, 2), (1, 3), (1, 10)], 15, 29 / 48, 243 / 404, 243 / 404),
        ([(1, 50), (0, 50)] * 50, 50, 1 / 4, 51 / 202, 25 / 101),
        ([(1, 10)] * 4, 10, 3 / 8, 77 / 202, 75 / 202),
        ([(0.5, 5), (1, 5)], 10, 7 / 16, 89 / 202, 175 / 404),
    ],
)
def test_the_readings_of_the_paper_differ_as_they_should(
    pairs: list[tuple[float, float]], limit: int, exact: float, paper: float, half_open: float
) -> None:
    found = [graded(runs(*pairs), limit, protocol)["eqa"].value for protocol in PAPERS]
    assert found == pytest.approx([paper, exact, half_open], abs=1e-15)


# ---- ScaleCUA ----------------------------------------------------------------------------------


def published(files: list[tuple[float, float]], steps: int) -> tuple[float, float]:
    """SR and EQA by ScaleCUA's rules, from what its files say: success and steps used."""
    if steps == 15:
        files = [(float(done and used <= 15), min(15, used)) for done, used in files]
    n = len(files)
    solved = np.cumsum([0.0, *(done for done, _ in files)])
    spent = np.cumsum([0.0, *(used for _, used in files)])
    share = np.clip(spent, None, steps * n) / (steps * n)
    curve = np.interp(np.linspace(0, 1, 101), share, solved / n)
    return solved[-1] / n, float(curve.mean())


@given(
    files=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 60)), min_size=1, max_size=12),
    missing=st.integers(0, 2),
    steps=st.sampled_from([15, 50]),
)
def test_scalecua_prints_what_its_script_prints(
    files: list[tuple[int, int]], missing: int, steps: int
) -> None:
    said: list[object] = [*runs(*files), *([None] * missing)]
    found = graded(said, 7, f"scalecua_{steps}")
    sr, area = published([*files], steps)
    assert found["sr"].as_published == pytest.approx(sr, abs=1e-12)
    assert found["eqa"].as_published == pytest.approx(area, abs=1e-12)
    # Over all items, one without a response failed and used up its steps.
    sr, area = published([*files, *([(0, steps)] * missing)], steps)
    assert found["sr"].value == pytest.approx(sr, abs=1e-12)
    assert found["eqa"].value == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize(
    ("pairs", "eqa"),
    [([(1, 1)], 0.9619), ([(1, 15)], 0.50), ([(1, 15)] * 10, 0.50)],
)
def test_scalecua_interpolates_between_successes(
    pairs: list[tuple[float, float]], eqa: float
) -> None:
    # PROTOCOLS 1.4.
    assert graded(runs(*pairs), None, "scalecua_15")["eqa"].value == pytest.approx(eqa, abs=5e-5)


def test_a_success_after_15_steps_fails_at_15_and_counts_at_50_even_beyond_them() -> None:
    said = runs((1, 5), (1, 16), (1, 70))
    assert graded(said, None, "scalecua_15")["sr"].value == pytest.approx(1 / 3)
    assert graded(said, None, "scalecua_50")["sr"].value == 1


def test_steps_that_are_not_said_are_none_by_scalecua() -> None:
    silent: list[object] = [{"success": True}, {"success": True, "cost": 9}]
    for protocol in ("scalecua_15", "scalecua_50"):
        found = graded(silent, None, protocol)
        assert found == graded(runs((1, 0), (1, 9)), None, protocol)
        assert found["eqa"].as_published == published([(1, 0), (1, 9)], int(protocol[-2:]))[1]


def test_a_cost_that_is_too_large_to_add_up_is_unparsed() -> None:
    found = graded(runs((1, 1e300), (1, 1e300)), None, "scalecua_50")
    assert found["sr"].value == 1
    assert graded(runs((1, 1e301)), None, "scalecua_50")["sr"].value == 0


def test_scalecua_without_a_response_prints_nothing() -> None:
    found = graded([None, None], None, "scalecua_15")
    assert found["eqa"] == MetricValue(value=0, value_answered=None, as_published=None)
    assert found["sr"] == MetricValue(value=0, value_answered=None, as_published=None)


# ---- through the front door --------------------------------------------------------------------


def test_one_bad_episode_never_costs_the_others_their_grade(tmp_path: Any) -> None:
    said: list[object] = [
        {"success": True, "cost": 5, "limit": 99},
        {"success": 1, "cost": 500},
        {"success": 1, "cost": 0},
        json.dumps({"success": True, "cost": 3}),
        "?",
    ]
    report = sdk.grade(
        [{"item_id": str(place), "response": response} for place, response in enumerate(said)],
        task=L3,
        references={str(place): {"limit": 15} for place in range(6)},
    )
    assert report.metrics["sr"].value == 2 / 6
    clean = graded(runs((1, 5), (0, 15), (0, 15), (1, 3), (0, 15), (0, 15)), 15, "paper")
    assert report.metrics["eqa"].value == clean["eqa"].value
    report.save(tmp_path / "scores.csv")
    header, *rows = (tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()
    assert header.split(",")[4:6] == ["sr", "response"]
    assert len(rows) == 6
