"""MMBench-GUI's protocols: letters, points, and episodes by every reading of EQA."""

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
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.tally import Tally

L1, L2, L3 = "mmbench-gui/l1", "mmbench-gui/l2_basic", "mmbench-gui/l3"
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


def test_the_two_halves_of_a_level_share_their_protocols() -> None:
    for one, other in ((L2, "mmbench-gui/l2_advanced"), (L3, "mmbench-gui/l4")):
        pairs = zip(PROTOCOLS[one], PROTOCOLS[other], strict=True)
        assert all((a.id, a.metric, b.task) == (b.id, b.metric, other) for a, b in pairs)


# ---- L1 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("Based on the text, the answer is D", "B"),
        ("Failed to obtain answer via API.", "F"),
        # The published code writes JSON as Python does and reads that: {'answer': 'C'}.
        ({"answer": "C"}, "C"),
        (["D", "E"], "D"),
        ([["b"]], "B"),
    ],
)
def test_the_published_letter_is_read_in_text_and_in_json(response: object, letter: str) -> None:
    # BENCHMARKS 4.1; MMBench-GUI benchmarks/l1_content_understanding.py, `evaluate`.
    assert score(L1, response, letter).value == 1


@pytest.mark.parametrize("response", [5, True, [], {}, "G"])
def test_json_without_a_letter_has_none(response: object) -> None:
    assert score(L1, response, "A").outcome is Outcome.UNPARSED


def test_the_robust_letter_is_read_in_text_only() -> None:
    assert score(L1, "The answer is not clear. Option C", "C", "robust").value == 1
    assert score(L1, {"answer": "C"}, "C", "robust").note == "expected text, got dict"


@pytest.mark.parametrize("task", [L1, L2])
def test_what_python_can_not_write_is_unparsed(task: str) -> None:
    nested: list[Any] = []
    nested.append(10**5000)
    read = protocol_of(task).parser.read(nested, gold_shape(task).context(_gold(task)))
    assert read.outcome is Outcome.UNPARSED


def _gold(task: str) -> Any:
    return gold_shape(task).read("A" if task == L1 else [0, 0, 1, 1])


# ---- L2 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "x", "y"),
    [
        ("(0.5, 0.3)", 0.5, 0.3),
        ("x=0.5, y=0.3", 0.5, 0.3),
        ("<point>123 456</point>", 123, 456),
        ("click(x=100, y=200)", 100, 200),
        ('{"point_2d":[100,200]}', 100, 200),
        ("[0.1,0.2,0.3,0.4]", 0.1, 0.2),
        ("Step 1, 2 ... (0.2,0.4)", 1, 2),
        ("(1,920, 1,080)", 1, 920),
        ("1. (0.2, 0.4)", 0.2, 0.4),
        # JSON is read as Python writes it.
        ({"point_2d": [100, 200]}, 100, 200),
        ([100, 200], 100, 200),
        ([[0.5, 0.3]], 0.5, 0.3),
    ],
)
def test_the_first_two_numbers_are_the_point(response: object, x: float, y: float) -> None:
    # BENCHMARKS 4.2, both tables; pixels when either exceeds 1.
    width, height = 2000, 1000
    pixels = x > 1 or y > 1
    answer = sdk.read(L2, response=response, reference=box([0, 0, 9, 9], width, height)).answer
    assert answer == ((x / width, y / height) if pixels else (x, y))


@pytest.mark.parametrize(
    "response",
    # The third has a full-width comma.
    ['{"x": 0.5, "y": 0.3}', {"x": 0.5, "y": 0.3}, "(0.5\uff0c0.3)", "50%, 30%", "(5.,3.)", 7],
)
def test_without_two_numbers_in_a_row_there_is_no_point(response: object) -> None:
    found = score(L2, response, [0, 0, 1, 1])
    assert (found.outcome, found.value) == (Outcome.UNPARSED, 0)


def test_pixels_can_not_be_read_without_the_size_of_the_image() -> None:
    assert "image's size" in score(L2, "(512, 300)", [0, 0, 1, 1]).note


def box(sides: list[float], width: float = 100, height: float = 50) -> dict[str, object]:
    return {"bbox": sides, "image_size": [width, height]}


def test_a_box_in_pixels_is_divided_by_the_size_and_its_edges_count() -> None:
    assert score(L2, "(10, 20)", box([10, 20, 30, 40])).value == 1
    assert score(L2, "(0.3, 0.8)", box([10, 20, 30, 40])).value == 1
    assert score(L2, "(31, 20)", box([10, 20, 30, 40])).value == 0


def test_minus_one_is_zero_where_the_box_is_in_pixels() -> None:
    # It makes the box one in pixels: (0, 0, 0.5, 0.5) of a pixel.
    assert score(L2, "(0, 0)", box([-1, 0, 0.5, 0.5])).value == 1
    assert score(L2, "(0.3, 0.3)", box([-1, 0, 0.5, 0.5])).value == 0
    assert score(L2, "(0, 0)", box([-1, -1, -1, -1])).value == 1


@pytest.mark.parametrize("sides", [[-2, 0, 10, 10], [-0.5, 0, 10, 10], [0, 0, 101, 10]])
def test_a_box_that_leaves_the_image_ends_the_published_run(sides: list[float]) -> None:
    found = score(L2, "(0, 0)", box(sides))
    assert (found.value, found.crashed) == (0, True)
    chosen, shape = protocol_of(L2), gold_shape(L2)
    golds = [shape.read(box(sides)), shape.read(box([0, 0, 100, 50]))]
    tally = Tally(chosen, golds)
    answers = Answers(np.arange(2), [0, 0], ["(0, 0)", "(0, 0)"])
    tally.add(answers, Grader.of(chosen, golds).batch(answers))
    assert tally.metrics(1)["accuracy"] == MetricValue(
        value=0.5, value_answered=0.5, as_published=None
    )


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ([10, 20, 30, 40], "a side outside 0..1 is in pixels: write"),
        ([-1, 0.2, 0.3, 0.4], "a side outside 0..1 is in pixels: write"),
        ({"bbox": [10, 20, 30, 40]}, "image_size: \\[width, height\\]"),
        (box([0, 0, 1, 1], 0), r"Expected `float` > 0.0 - at `\$.image_size\[0\]`"),
        (box([0, 0, 1, 1], 5, -3), r"Expected `float` > 0.0 - at `\$.image_size\[1\]`"),
        (box([0, 0, 1, 1], 5, float("inf")), r"at `\$.image_size\[1\]`"),
        ({"bbox": [0, 0, 1, 1], "image_size": [5]}, "image_size"),
        ([0.5, 0, 0.2, 1], "inverted"),
        (box([9, 0, -1, 5]), "inverted"),
        ([0, 0, float("nan"), 1], "no finite number"),
    ],
)
def test_a_target_that_can_not_be_used_says_what_to_do(reference: object, text: str) -> None:
    with pytest.raises(DataError, match=text):
        score(L2, "(0, 0)", reference)


# ---- L3 and L4: what is read -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "sr"),
    [
        ({"success": True, "cost": 5}, 1),
        ({"success": False, "cost": 5}, 0),
        ({"success": True}, 1),
        ({"success": 0.25, "cost": 5.5, "limit": 15}, 0.25),
        ('{"success": true, "cost": 5}', 1),
        (' {"success": 1, "agent": "x"}\n', 1),
    ],
)
@pytest.mark.parametrize("protocol", [one.id for one in PROTOCOLS[L3]])
def test_success_may_be_a_boolean_or_a_share_in_json_or_its_text(
    response: object, sr: float, protocol: str
) -> None:
    assert score(L3, response, {"limit": 15}, protocol).value == sr


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
    read = protocol_of(L3, protocol).parser.read(response, gold_shape(L3).context(None))
    assert read.outcome is Outcome.UNPARSED
    assert "expected {success, cost, limit}" in read.note


@pytest.mark.parametrize("limit", [0, -5, float("inf"), float("nan"), "15", True])
def test_a_limit_in_a_reference_is_a_number_above_0(limit: object) -> None:
    with pytest.raises(DataError):
        gold_shape(L3).read({"limit": limit})


@pytest.mark.parametrize("reference", [None, {"limit": None}, {}])
def test_one_episode_without_any_limit_has_its_sr_alone(reference: object) -> None:
    found = score(L3, {"success": 1, "cost": 5}, reference)
    assert found.metrics == {"sr": 1.0}


# ---- L3 and L4: the limit ----------------------------------------------------------------------


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
def test_an_episode_over_the_limit_is_charged_the_limit(protocol: str) -> None:
    over = graded(runs((1, 99), (1, 5)), 15, protocol)
    assert over == graded(runs((1, 15), (1, 5)), 15, protocol)
    assert over["sr"].value == 1


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
    assert report.metrics["sr"].value == 3 / 6
    clean = graded(runs((1, 5), (1, 15), (0, 15), (1, 3), (0, 15), (0, 15)), 15, "paper")
    assert report.metrics["eqa"].value == clean["eqa"].value
    report.save(tmp_path / "scores.csv")
    header, *rows = (tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()
    assert header.split(",")[4:6] == ["sr", "response"]
    assert len(rows) == 6
