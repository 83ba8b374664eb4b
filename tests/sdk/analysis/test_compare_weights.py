"""Runs on a stratified sample compared: the verdict is about all items, not about the sample."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.grading.models.comparisons import Verdict
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.protocols.base import Context
from snellen.sdk.inputs.stratify import stratify
from snellen.tasks.models import TaskData

Right = Callable[[str], bool]


def make(sizes: Mapping[str, int]) -> TaskData:
    """Make items named `kind/number`, five to a site."""
    ids = [f"{kind}/{number}" for kind, size in sizes.items() for number in range(size)]
    kinds = [one.partition("/")[0] for one in ids]
    return TaskData(
        task="screenqa/short",
        split="test",
        ids=ids,
        golds=Golds([["blue"]] * len(ids)),
        pin=DataPin(
            release="v1", sha256=64 * "a", count=len(ids), verdict=PinVerdict.UNKNOWN, path=None
        ),
        build_item=lambda place: Item(
            id=ids[place],
            task="screenqa/short",
            prompt="?",
            answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="red"),
        ),
        tags={
            "kind": kinds,
            "site": [f"{one.partition('/')[0]}-{place // 5}" for place, one in enumerate(ids)],
        },
    )


DATA = make({"core": 40, "other": 960})
SAMPLE = stratify(DATA, by="kind", n=20, core=["core"])


def run(right: Right, items: Iterable[str] | None = SAMPLE, data: TaskData = DATA) -> sdk.Report:
    ids = data.ids if items is None else list(items)
    answers = [{"item_id": one, "response": "blue" if right(one) else "zzz"} for one in ids]
    return sdk.grade(answers, data=data, items=items)


def is_core(item_id: str) -> bool:
    return item_id.startswith("core")


def is_other(item_id: str) -> bool:
    return not is_core(item_id)


def test_the_verdict_is_that_of_the_population_where_the_sample_says_the_opposite() -> None:
    first, second = run(is_core), run(is_other)
    assert first.value > second.value
    found = first.compare(second)
    assert found.verdict is Verdict.BETTER
    populations = [
        report.numbers.population[report.numbers.primary].value for report in (first, second)
    ]
    assert [found.first_value, found.second_value] == pytest.approx(populations)
    assert populations == pytest.approx([0.04, 0.96])
    assert found.difference.value == pytest.approx(0.92)
    interval = found.difference.interval
    assert interval is not None
    assert interval.low > 0
    assert "60 sampled items stand for 1,000; each counts as often as it stands for" in found.note
    assert [test.name for test in found.tests] == ["t", "permutation"]
    assert all(test.p < 0.05 for test in found.tests)
    assert found.bootstrap is None
    assert second.compare(first).verdict is Verdict.WORSE


def test_weights_that_are_all_equal_change_nothing() -> None:
    data = make({"core": 40, "other": 960})
    sample = stratify(data, by="kind", n=100, least=1)
    assert len(set(sample.weights.values())) == 1
    rng = np.random.default_rng(5)
    chosen = [{one for one in data.ids if rng.random() < share} for share in (0.4, 0.7)]
    first, second = (run(lambda one, ids=ids: one in ids, sample, data) for ids in chosen)
    found = first.compare(second)
    assert found.difference.interval is not None
    assert found.difference.interval.method == "t"
    assert found.bootstrap is not None
    assert found.difference.value == pytest.approx(second.value - first.value)


def test_a_sample_and_a_run_on_all_items_are_weighed_and_so_are_two_draws() -> None:
    whole = run(is_other, None)
    other = run(is_other, stratify(DATA, by="kind", n=500, core=["core"], seed=7))
    for second in (whole, other):
        found = run(is_core).compare(second)
        assert found.difference.value == pytest.approx(0.92)
        assert found.verdict is Verdict.BETTER


def test_samples_that_do_not_go_together_are_refused() -> None:
    apart = stratify(DATA, by="site", n=400, core=["core-0"])
    with pytest.raises(InputError, match="run and run #2 are of samples drawn from different"):
        run(is_core).compare(run(is_other, apart))
    few = [stratify(DATA, by="kind", n=2, core=["core"], seed=seed) for seed in (1, 2)]
    with pytest.raises(InputError, match="no item of the stratum 'other' in common"):
        run(is_core, few[0]).compare(run(is_other, few[1]))


def test_what_was_drawn_whole_is_one_cluster() -> None:
    sample = stratify(DATA, by="kind", n=100, core=["core"], whole="site")
    found = run(is_core, sample).compare(run(is_other, sample))
    assert found.clusters == 28


def test_a_bootstrap_that_would_not_weigh_is_refused() -> None:
    with pytest.raises(InputError, match=r"population\[metric\]\.interval"):
        run(is_core).bootstrap()


def test_the_lift_over_chance_is_that_of_all_items() -> None:
    # Items of kind `few` have 2 options, those of `many` 6: a tenth of all items and the rest.
    counts = {"few": 2, "many": 6}
    loaded = make({"few": 10, "many": 90})
    data = replace(
        loaded,
        task="mmbench-gui/l1",
        golds=Golds(["A"] * len(loaded.ids)),
        contexts=[Context(options=counts[kind or ""]) for kind in loaded.tags["kind"]],
    )
    sample = stratify(data, by="kind", n=9, core=["few"])
    answers = [{"item_id": one, "response": "A" if "few" in one else "B"} for one in sample]
    report = sdk.grade(answers, data=data, items=sample)
    assert report.numbers.chance is not None
    assert report.numbers.chance.value == pytest.approx(0.1 / 2 + 0.9 / 6)
    assert report.lift == pytest.approx(0.1 - 0.2)


def test_a_summary_of_a_sample_says_that_it_counts_each_item_once() -> None:
    (table,) = run(is_core).summary().tables
    assert "a stratified sample, and each counts once here; report.population" in table.note
    (whole,) = run(is_core, None).summary().tables
    assert whole.note == ""
