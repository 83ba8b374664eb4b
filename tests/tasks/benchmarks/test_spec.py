from dataclasses import replace

import pytest

from snellen.grading.errors import PluginError
from snellen.grading.protocols import golds
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.benchmarks.table import task_of

TASK = "mine/words"
SPEC = replace(task_of("screenqa/short"), id=TASK)
PROTOCOL = replace(protocol_of("screenqa/short"), task=TASK)


def benchmark(*tasks: TaskSpec) -> Benchmark:
    return Benchmark(
        name="mine",
        protocols={TASK: (PROTOCOL,)},
        golds={TASK: golds.TEXTS},
        tasks=tasks,
        load=late("snellen.tasks.benchmarks.screenqa.load:load"),
    )


def test_a_benchmark_is_made_of_tasks_and_the_rules_for_them() -> None:
    made = benchmark(SPEC)
    assert (made.name, made.tasks) == ("mine", (SPEC,))


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ((), r"mine has the tasks \(none\), and protocols for mine/words"),
        ((SPEC, SPEC), "mine has the tasks mine/words, mine/words"),
        ((replace(SPEC, id="mine/other"),), "mine has the tasks mine/other"),
        ((replace(SPEC, primary="rougeL"),), "measured by 'rougeL'.* is 'f1'"),
    ],
)
def test_tasks_that_do_not_fit_the_rules(tasks: tuple[TaskSpec, ...], message: str) -> None:
    with pytest.raises(PluginError, match=message):
        benchmark(*tasks)
