"""Each task can be done as its oracle says, and in no way that is a little different."""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from pydantic import JsonValue

from snellen.tasks.environments.desk.changes import changes
from snellen.tasks.environments.desk.desktop import Desktop
from snellen.tasks.environments.desk.kit.verbs import State
from snellen.tasks.environments.desk.tasks import (
    DIFFICULTIES,
    REASONS,
    Answer,
    PathError,
    Reason,
    Step,
    Task,
    called,
    passes,
    perform,
)
from snellen.tasks.environments.desk.templates.table import TEMPLATES, draw

SEEDS = range(20)


def right(task: Task) -> JsonValue:
    return task.answer.value if task.answer else None


def done(task: Task, steps: tuple[Step, ...]) -> Desktop:
    """Return the desktop after steps, up to the first that can't be done."""
    desktop = Desktop(task.state)
    for step in steps:
        try:
            perform(desktop, [step])
        except PathError:
            break
    return desktop


def clicked_at_random(task: Task, rng: Random, clicks: int) -> State:
    desktop = Desktop(task.state)
    for _ in range(clicks):
        page = desktop.page
        desktop.write({name: rng.choice(("", "3", "Anna", "x@y.example")) for name in page.fields})
        desktop.open_step()
        desktop.handle(rng.choice(sorted(page.controls)), {})
        desktop.close_step()
    return desktop.state


def siblings(task: Task, steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps with another row chosen, or another text written, once each."""
    desktop = Desktop(task.state)
    for index, step in enumerate(steps):
        others: list[Step] = []
        if step.text is not None:
            number = step.text.isdigit()
            others = [replace(step, text=str(int(step.text) + 1) if number else step.text + "x")]
        elif ":" in step.control and not step.looks:
            kind = step.control.partition(":")[0] + ":"
            keys = [control.key for control in desktop.page.controls.values()]
            rows = [key for key in keys if key.startswith(kind) and key != step.control]
            others = [Step(key) for key in rows[:1] + rows[-1:]]
        for other in others:
            yield (*steps[:index], other, *steps[index + 1 :])
        perform(desktop, [step])


def check_mutants(task: Task) -> None:
    """Check that a task that must change the world fails with any step left out or another."""
    steps = task.oracle
    if task.expected == changes(task.state, task.state):
        return
    for index in range(len(steps)):
        if steps[index].looks:
            continue
        left_out = done(task, (*steps[:index], *steps[index + 1 :]))
        assert not passes(task, left_out.state, right(task)), f"without {steps[index]}"
        before = done(task, steps[: index + 1])
        twice = done(task, (*steps[: index + 1], steps[index]))
        if changes(before.state, twice.state) != changes(before.state, before.state):
            doubled = done(task, (*steps[: index + 1], *steps[index:]))
            assert not passes(task, doubled.state, right(task)), f"twice {steps[index]}"
    for mutant in siblings(task, steps):
        changed = next(own for own, other in zip(mutant, steps, strict=True) if own != other)
        assert not passes(task, done(task, mutant).state, right(task)), f"with {changed}"


def check(task: Task) -> None:
    """Check that the oracle alone passes."""
    after = done(task, task.oracle).state
    assert passes(task, after, right(task))
    assert passes(task, called(task.state, task.calls), right(task))
    for reason in Reason:
        assert not passes(task, task.state, reason=reason)
    if task.answer is not None:
        assert not passes(task, after)
        assert not passes(task, after, wrong(task.answer))
    assert not passes(task, task.state)


def wrong(answer: Answer) -> JsonValue:
    value = answer.value
    return [value] if isinstance(value, list | str) else f"{value}"


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_oracle_passes_and_doing_nothing_does_not(name: str, difficulty: str) -> None:
    task = TEMPLATES[name].make(101, DIFFICULTIES[DIFFICULTIES.index(difficulty)])  # pyright: ignore[reportArgumentType]  # one of them
    check(task)
    assert len(task.oracle) <= task.limit


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_twin_has_the_same_goal_and_differs_in_one_object(name: str) -> None:
    for difficulty in DIFFICULTIES:
        task = TEMPLATES[name].make(102, difficulty)
        twin = TEMPLATES[name].make(102, difficulty, feasible=False)
        assert task.goal == twin.goal
        assert task.limit == twin.limit
        found = changes(task.state, twin.state)
        objects = {path.rpartition(".")[0] for path in found["changed"]}
        objects |= {
            f"{path} {number}"
            for part in ("added", "removed")
            for path, values in found[part].items()
            for number in range(len(values))
        }
        assert len(objects) == 1
        assert twin.reason in REASONS
        assert passes(twin, twin.state, reason=twin.reason or "")
        assert not passes(twin, twin.state)
        assert not passes(twin, done(twin, task.oracle).state)


@pytest.mark.parametrize("name", TEMPLATES)
def test_equal_seeds_give_equal_tasks_and_others_do_not(name: str) -> None:
    template = TEMPLATES[name]
    assert template.make(5, "medium") == template.make(5, "medium")
    tasks = [template.make(seed, "medium") for seed in range(5)]
    assert len({repr((task.goal, task.answer, task.expected)) for task in tasks}) == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", TEMPLATES)
def test_no_mutant_of_the_oracle_passes(name: str) -> None:
    for seed, difficulty in enumerate(DIFFICULTIES):
        check_mutants(TEMPLATES[name].make(seed, difficulty))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEMPLATES)
def test_the_oracle_passes_and_random_clicks_fail_on_twenty_seeds(name: str) -> None:
    for seed in SEEDS:
        task = TEMPLATES[name].make(seed, DIFFICULTIES[seed % 3])
        check(task)
        assert not passes(task, clicked_at_random(task, Random(seed), 25))


@pytest.mark.thorough
@pytest.mark.parametrize("name", TEMPLATES)
def test_no_mutant_of_the_oracle_passes_on_twenty_seeds(name: str) -> None:
    for seed in SEEDS:
        for difficulty in DIFFICULTIES:
            task = TEMPLATES[name].make(seed, difficulty)
            check(task)
            if DIFFICULTIES[seed % 3] == difficulty:
                check_mutants(task)


def test_one_task_in_ten_can_not_be_done_and_claiming_so_passes_no_more() -> None:
    tasks = draw(100, seed=7)
    assert sum(task.tags["feasible"] == "no" for task in tasks) == 10
    for reason in Reason:
        assert sum(passes(task, task.state, reason=reason) for task in tasks) <= 10
    assert len({task.tags["template"] for task in tasks}) == len(TEMPLATES)


def test_templates_name_applications_and_difficulties_and_words_in_goals_are_filled_in() -> None:
    for task in draw(2 * len(TEMPLATES), seed=3):
        assert not re.search(r"[{}]|None|\bp\d\d\b|\bm\d\d\b", task.goal)
        assert task.tags["level"] == ("L3" if "+" not in task.tags["apps"] else "L4")


def test_a_step_that_the_page_does_not_offer_is_an_error_that_names_it() -> None:
    task = draw(1, seed=3)[0]
    with pytest.raises(PathError, match=r"step 1: the page has no control mail\.send"):
        perform(Desktop(task.state), [Step("mail.send")])
    with pytest.raises(PathError, match=r"no field form\.body"):
        perform(Desktop(task.state), [Step("form.body", "x")])
