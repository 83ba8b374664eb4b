"""What the printed tables say of themselves: they add up, but for the misfits listed here.

A check that finds nothing proves nothing, so every list is asserted whole: what is on it misfits,
what is not fits.
"""

from collections.abc import Iterable, Mapping

import pytest

from snellen.grading.metrics.robustness import robustness_index, unchanged_bounds
from snellen.tasks.published.tables import published_table

VWB_1 = "VisualWebBench table 1"
VWB_2 = "VisualWebBench table 2"
VWB_README = "VisualWebBench README"
RSS_2 = "WebRSSBench table 2"
RSS_4 = "WebRSSBench table 4"
L2 = "MMBench-GUI L2"
MULTIPLE_CHOICE = ("element_ground", "action_prediction", "action_ground")
SEVEN = ("web_caption", "webqa", "heading_ocr", "element_ocr", *MULTIPLE_CHOICE)
ROBUSTNESS = ("color", "text", "layout")
EPISODES = [(level, steps) for level in ("L3", "L4") for steps in (15, 50)]
PLATFORMS = ("windows", "macos", "linux", "ios", "android", "web")


def printed(source: str, column: str) -> dict[str, float]:
    """Return a column in percent, as the paper prints it."""
    cells = published_table(source).cells
    return {model: round(row[column] * 100, 4) for model, row in cells.items() if column in row}


def counts(source: str) -> dict[str, int]:
    """Return how many items each column says it is over."""
    return {column.name: column.n or 0 for column in published_table(source).columns}


def is_share(percent: float, n: int, digits: int) -> bool:
    """Tell whether a percentage can be k of n, rounded either way at a half."""
    k = round(percent * n / 100)
    return any(
        abs(100 * near / n - percent) <= 0.5 * 10**-digits + 1e-9 for near in (k - 1, k, k + 1)
    )


def misfits(column: Mapping[str, float], n: int, digits: int = 1) -> dict[str, float]:
    return {model: value for model, value in column.items() if not is_share(value, n, digits)}


def fitting(values: Iterable[float], sizes: Iterable[int]) -> list[int]:
    """Return the numbers of items of which all of these can be shares."""
    known = list(values)
    return [n for n in sizes if all(is_share(value, n, 1) for value in known)]


def weighted(values: Mapping[str, float], weights: Mapping[str, int]) -> float:
    return sum(values[name] * weights[name] for name in values) / sum(
        weights[name] for name in values
    )


# VisualWebBench


def test_the_average_of_visualwebbench_is_the_plain_mean_of_seven_tasks_in_all_23_rows() -> None:
    for source, models in ((VWB_1, 22), (VWB_README, 1)):
        averages = printed(source, "average")
        assert len(averages) == models
        for model, average in averages.items():
            mean = sum(printed(source, task)[model] for task in SEVEN) / 7
            assert mean == pytest.approx(average, abs=0.05 + 1e-9), model


def test_weighting_by_items_does_not_give_the_average_of_visualwebbench() -> None:
    sizes = counts(VWB_1)
    assert sum(sizes[task] for task in SEVEN) == 1_534
    sonnet = {task: printed(VWB_1, task)["Claude-Sonnet"] for task in SEVEN}
    assert weighted(sonnet, sizes) == pytest.approx(69.6, abs=0.05)
    assert printed(VWB_1, "average")["Claude-Sonnet"] == 65.8


def test_action_grounding_was_printed_over_103_items_where_the_paper_says_101() -> None:
    column = {**printed(VWB_1, "action_ground"), **printed(VWB_README, "action_ground")}
    assert counts(VWB_1)["action_ground"] == 101
    assert misfits(column, 103) == {}
    assert {model for model in column if model not in misfits(column, 101)} == {"Otter"}
    assert column["Otter"] == 0


@pytest.mark.parametrize("variant", ["bbox", "point"])
def test_boxes_and_points_of_action_grounding_were_printed_over_101_items(variant: str) -> None:
    column = printed(VWB_2, f"action_ground_{variant}")
    assert misfits(column, 101) == {}
    assert misfits(column, 103)


@pytest.mark.parametrize(
    ("source", "column", "expected"),
    [
        (VWB_1, "element_ground", {"Claude-Opus": 57.7, "GPT-4V": 67.5}),
        (VWB_1, "action_prediction", {"Claude-Sonnet": 63.4, "Claude-Opus": 60.4}),
        (VWB_2, "element_ground_point", {"VILA-13B": 7.8, "CogAgent-Chat": 46.3}),
        (VWB_2, "element_ground_bbox", {}),
    ],
)
def test_a_few_cells_of_visualwebbench_are_no_share_of_all_items(
    source: str, column: str, expected: dict[str, float]
) -> None:
    assert misfits(printed(source, column), counts(source)[column]) == expected


@pytest.mark.parametrize(
    ("column", "model", "n"),
    [
        ("element_ground", "Claude-Opus", 411),
        ("element_ground", "GPT-4V", 412),
        ("action_prediction", "Claude-Sonnet", 279),
        ("action_prediction", "Claude-Opus", 280),
    ],
)
def test_leaving_out_a_few_items_would_explain_them(column: str, model: str, n: int) -> None:
    assert is_share(printed(VWB_1, column)[model], n, 1)


@pytest.mark.parametrize("column", ["element_ground", "action_ground"])
def test_table_2_of_visualwebbench_repeats_table_1(column: str) -> None:
    repeated = printed(VWB_2, column)
    first = printed(VWB_1, column)
    assert len(repeated) == 9
    assert repeated == {model: first[model] for model in repeated}


# WebRSSBench


def test_the_drops_of_webrssbench_are_exact_but_for_eight_off_by_a_tenth() -> None:
    off: dict[tuple[str, str], tuple[float, float]] = {}
    for task in ROBUSTNESS:
        before, after = printed(RSS_2, f"{task} before"), printed(RSS_2, f"{task} after")
        for model, drop in printed(RSS_2, f"{task} drop").items():
            computed = round(before[model] - after[model], 1)
            if computed != drop:
                off[model, task] = (drop, computed)
    assert off == {
        ("Gemini 2.5-Pro", "text"): (4.0, 4.1),
        ("Pixtral-Large", "text"): (7.3, 7.2),
        ("Pixtral-Large", "layout"): (5.2, 5.1),
        ("Qwen-vl-plus", "text"): (8.5, 8.4),
        ("Qwen2.5-VL-32B", "text"): (9.7, 9.6),
        ("Intern-S1", "color"): (6.8, 6.9),
        ("Qwen2.5-VL-7B", "color"): (4.7, 4.6),
        ("Qwen2.5-VL-7B", "layout"): (1.1, 1.0),
    }


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("GPT-5", (66, 72.5, 99)),
        ("Claude-4-Sonnet", (53.5, 64.5, 86.5)),
        ("Gemini 2.5-Pro", (54.5, 80, 94)),
        ("Pixtral-Large", (66, 63.5, 74)),
        ("InternVL3-78B", (46.5, 34, 62.5)),
        ("Qwen2.5-VL-72B", (55.5, 51, 75.5)),
        ("Qwen-vl-plus", (77, 57.5, 62.5)),
        ("Qwen2.5-VL-32B", (85.5, 51.5, 66)),
        ("Intern-S1", (66, 50.5, 68)),
        ("Llama4-Scout17B", (76, 65.5, 84.5)),
        ("Pixtral-12B", (69.5, 76.5, 96)),
        ("Qwen2.5-VL-7B", (76.5, 55, 94.5)),
    ],
)
def test_the_printed_drops_give_the_robustness_index(
    model: str, expected: tuple[float, float, float]
) -> None:
    drops = [printed(RSS_2, f"{task} drop")[model] for task in ROBUSTNESS]
    assert [robustness_index(drop / 100) for drop in drops] == pytest.approx(expected)


def test_only_45_items_or_twice_as_many_give_the_safety_column() -> None:
    assert fitting(printed(RSS_2, "safety").values(), range(20, 121)) == [45, 90]
    assert counts(RSS_2)["safety"] == 45


def test_the_other_accuracies_of_webrssbench_need_hundreds_of_items() -> None:
    assert fitting(printed(RSS_2, "ui_grouping").values(), range(45, 720)) == [655, 680]
    both = [*printed(RSS_2, "color before").values(), *printed(RSS_2, "color after").values()]
    assert fitting(both, range(45, 721)) == []


def test_open_models_lead_six_columns_of_webrssbench_and_tie_one() -> None:
    closed = {"GPT-5", "Claude-4-Sonnet", "Gemini 2.5-Pro"}
    outright: set[str] = set()
    tied: set[str] = set()
    for column in published_table(RSS_2).columns:
        if column.metric == "drop":
            continue
        values = printed(RSS_2, column.name)
        best = {model for model, value in values.items() if value == max(values.values())}
        if not best & closed:
            outright.add(column.name)
        elif best - closed:
            tied.add(column.name)
    assert outright == {
        "form_filling hard",
        "color before",
        "text before",
        "text after",
        "layout before",
        "layout after",
    }
    assert tied == {"safety"}


def test_harder_is_not_worse_for_half_the_models_of_webrssbench() -> None:
    easy, medium, hard = (
        printed(RSS_2, f"position {level}") for level in ("easy", "medium", "hard")
    )
    uneven = {model for model in easy if not easy[model] >= medium[model] >= hard[model]}
    assert uneven == {
        "InternVL3-78B",
        "Qwen-vl-plus",
        "Intern-S1",
        "Llama4-Scout17B",
        "Pixtral-12B",
        "Qwen2.5-VL-7B",
    }
    easy, hard = printed(RSS_2, "form_filling easy"), printed(RSS_2, "form_filling hard")
    assert {model for model in easy if hard[model] > easy[model]} == {"Claude-4-Sonnet"}


def test_the_unchanged_shares_of_color_lie_within_their_bounds() -> None:
    before, after = printed(RSS_2, "color before"), printed(RSS_2, "color after")
    unchanged = printed(RSS_4, "color")
    assert len(unchanged) == 12
    for model, share in unchanged.items():
        assert unchanged_bounds(before[model] / 100, after[model] / 100).hold(share / 100), model


# MMBench-GUI


def test_the_overall_of_l1_is_weighted_by_items_but_for_one_row() -> None:
    wrong: dict[tuple[str, str], float] = {}
    rounded = 0
    for level in ("easy", "medium", "hard"):
        source = f"MMBench-GUI L1 {level}"
        sizes = counts(source)
        assert sum(sizes[platform] for platform in PLATFORMS) == sizes["overall"] == 1_194
        for model, overall in printed(source, "overall").items():
            cells = {platform: printed(source, platform)[model] for platform in PLATFORMS}
            mean = weighted(cells, sizes)
            if abs(mean - overall) > 0.007:
                wrong[level, model] = round(mean, 3)
            elif abs(mean - overall) > 0.005:
                rounded += 1
    assert wrong == {("hard", "Claude-3.5"): 37.578}
    assert printed("MMBench-GUI L1 hard", "overall")["Claude-3.5"] == 37.55
    assert rounded == 3


def test_no_cell_of_l1_is_a_plain_accuracy() -> None:
    # Weighted by the options, so a cell need not be k of n; that none is says that all are so.
    for level in ("easy", "medium", "hard"):
        source = f"MMBench-GUI L1 {level}"
        sizes = counts(source)
        for platform in PLATFORMS:
            column = printed(source, platform)
            assert misfits(column, sizes[platform], digits=2) == column


def test_every_cell_of_l2_is_a_share_but_for_four_and_a_miscounted_column() -> None:
    sizes = counts(L2)
    off = {
        name: misfits(printed(L2, name), n, digits=2)
        for name, n in sizes.items()
        if name not in ("average", "android advanced")
    }
    assert {name: models for name, models in off.items() if models} == {
        "windows advanced": {"InternVL3-72B": 42.64},
        "macos basic": {"GPT-4o": 8.69},
        "macos advanced": {"Aguvis-7B-720P": 33.27},
        "android basic": {"OS-Atlas-Base-7B": 69.6},
    }


def test_android_advanced_was_printed_over_355_items_where_the_paper_says_335() -> None:
    column = printed(L2, "android advanced")
    assert counts(L2)["android advanced"] == 335
    assert set(column) - set(misfits(column, 335, digits=2)) == {"UI-TARS-72B-DPO"}
    assert misfits(column, 355, digits=2) == {"Claude-3.7": 1.4, "UI-TARS-1.5-7B": 69.29}


def test_one_average_of_l2_is_the_weighted_mean_and_eleven_lie_below_it() -> None:
    sizes = {**counts(L2), "android advanced": 355}
    sizes.pop("average")
    assert sum(sizes.values()) == 3_594
    averages = printed(L2, "average")
    below: dict[str, float] = {}
    for model, average in averages.items():
        mean = weighted({name: printed(L2, name)[model] for name in sizes}, sizes)
        if abs(mean - average) > 0.005:
            below[model] = mean
            assert average < mean
    assert set(averages) - set(below) == {"InternVL3-72B"}
    assert len(below) == 11
    assert below["GPT-4o"] == pytest.approx(3.23, abs=0.005)
    assert below["OS-Atlas-Base-7B"] == pytest.approx(43.79, abs=0.005)


def test_the_averages_of_l3_and_l4_are_weighted_by_tasks_but_for_these() -> None:
    # The first number is printed, then the mean that counts an empty cell as 0, then the one that
    # leaves it out; most of L4's rows with an empty cell fit the first, Qwen2.5-VL's the second.
    found = {
        (level, steps, model, metric): (average, round(zero, 3), round(skip, 3))
        for level, steps in EPISODES
        for metric in ("sr", "eqa")
        for model, (average, zero, skip) in averages(level, steps, metric).items()
        if min(abs(zero - average), abs(skip - average)) > 0.011
    }
    assert found == {
        ("L3", 50, "GPT-4o+UGround", "eqa"): (17.5, 17.47, 17.47),
        ("L4", 15, "GPT-4o", "sr"): (2.85, 2.886, 2.886),
        ("L4", 15, "GPT-4o", "eqa"): (1.8, 1.833, 1.833),
        ("L4", 15, "Aguvis-72B", "sr"): (1.5, 1.516, 1.87),
        ("L4", 15, "Aguvis-72B", "eqa"): (0.94, 0.957, 1.18),
        ("L4", 15, "UI-TARS-72B-DPO", "sr"): (5.53, 5.507, 6.794),
        ("L4", 15, "GPT-4o+UGround", "sr"): (3.94, 3.985, 3.985),
        ("L4", 15, "GPT-4o+UGround", "eqa"): (2.23, 2.25, 2.25),
        ("L4", 15, "GPT-4o+UI-TARS-1.5-7B", "sr"): (7.6, 7.638, 7.638),
        ("L4", 50, "GPT-4o", "sr"): (3.68, 3.703, 3.703),
        ("L4", 50, "UI-TARS-1.5-7B", "eqa"): (4.78, 4.793, 5.914),
        ("L4", 50, "UI-TARS-72B-DPO", "sr"): (7.96, 7.975, 9.84),
        ("L4", 50, "Qwen2.5-VL-72B", "eqa"): (2.82, 2.059, 2.541),
        ("L4", 50, "GPT-4o+UGround", "sr"): (4.31, 4.347, 4.347),
        ("L4", 50, "GPT-4o+UGround", "eqa"): (2.99, 3.011, 3.011),
        ("L4", 50, "GPT-4o+UI-TARS-1.5-7B", "sr"): (8.78, 8.807, 8.807),
    }


def test_an_empty_cell_of_l4_is_sometimes_zero_and_sometimes_left_out() -> None:
    skipped = {
        (steps, model)
        for steps in (15, 50)
        for model, (average, zero, skip) in averages("L4", steps, "sr").items()
        if zero != skip and abs(skip - average) < abs(zero - average)
    }
    assert skipped == {(15, "Qwen2.5-VL-72B"), (50, "Qwen2.5-VL-72B")}


def averages(level: str, steps: int, metric: str) -> dict[str, tuple[float, float, float]]:
    """Return what is printed, and the mean with empty cells as 0 and without them."""
    source = f"MMBench-GUI {level} {steps} steps"
    sizes = counts(source)
    names = [name for name in sizes if name.endswith(f" {metric}") and "average" not in name]
    total = sizes[f"average {metric}"]
    assert sum(sizes[name] for name in names) == total
    found: dict[str, tuple[float, float, float]] = {}
    for model, average in printed(source, f"average {metric}").items():
        columns = {name: printed(source, name) for name in names}
        cells = {name: column[model] for name, column in columns.items() if model in column}
        held = sum(sizes[name] for name in cells)
        skip = weighted(cells, sizes)
        found[model] = (average, skip * held / total, skip)
    return found


def test_the_row_of_infigui_has_the_success_rates_that_its_readme_says_twice() -> None:
    # "success rates on its test split of 92.1% and 71.1%", and again in the table under SR.
    assert printed("InfiGUI-R1 README", "low step") == {"InfiGUI-R1-3B": 92.1}
    assert printed("InfiGUI-R1 README", "high step") == {"InfiGUI-R1-3B": 71.1}


@pytest.mark.parametrize("level", ["low", "high"])
def test_a_step_is_right_no_oftener_than_its_type(level: str) -> None:
    types = printed("InfiGUI-R1 README", f"{level} type")
    steps = printed("InfiGUI-R1 README", f"{level} step")
    assert all(steps[model] <= types[model] for model in types)
