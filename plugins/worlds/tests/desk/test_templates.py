"""Each task can be done as its oracle says, and in no way that is a little different."""

import re
from copy import copy
from dataclasses import replace
from random import Random

import pytest
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.tasks.environments.reasons import REASONS, Reason
from snellen.worlds.desk.apps.table import APPS
from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.tasks import (
    DIFFICULTIES,
    INPUTS_OF_TEXT,
    Answer,
    Difficulty,
    PathError,
    Step,
    Task,
    called,
    passes,
    perform,
)
from snellen.worlds.desk.templates.table import LONG_TEMPLATES, TEMPLATES, draw, gold_of

EVERY = {**TEMPLATES, **LONG_TEMPLATES}
NAMES = [*TEMPLATES, *(pytest.param(name, id=f"long-{name}") for name in LONG_TEMPLATES)]

FEW = range(3)
MORE = range(3, 12)
STEPS = 6
"""About the most steps of an oracle that one seed leaves out or changes."""
ROUNDS = 4
"""The seeds of each difficulty."""


def right(task: Task) -> JsonValue:
    return task.answer.value if task.answer else None


def done(task: Task, steps: tuple[Step, ...]) -> State:
    """Return the world after steps, up to the first that can't be done."""
    return after(Desktop(task.state), steps)


def after(desktop: Desktop, steps: tuple[Step, ...]) -> State:
    for step in steps:
        try:
            perform(desktop, [step])
        except PathError:
            break
    return desktop.state


def stations(task: Task) -> list[Desktop]:
    """Return the desktop before each step of the oracle, and after the last."""
    desktop = Desktop(task.state)
    passed = [again(desktop)]
    for step in task.oracle:
        perform(desktop, [step])
        passed.append(again(desktop))
    return passed


def again(desktop: Desktop) -> Desktop:
    """Return a desktop that shows the same page, and goes its own way from there."""
    # It is not drawn a second time: most of these tests' time goes into drawing.
    other = copy(desktop)
    other.ui = dict(desktop.ui)
    return other


def clicked_at_random(task: Task, rng: Random, clicks: int) -> State:
    desktop = Desktop(task.state)
    for _ in range(clicks):
        page = desktop.page
        desktop.write({name: rng.choice(("", "3", "Anna", "x@y.example")) for name in page.fields})
        desktop.open_step()
        # By their keys: tokens are others each time.
        tokens = sorted(page.controls, key=lambda token: (page.controls[token].key, token))
        desktop.handle(rng.choice(tokens), {})
        desktop.close_step()
    return desktop.state


def others(desktop: Desktop, step: Step) -> list[Step]:
    """Return a step with another text, or with the first and the last other row."""
    if step.text is not None:
        text = str(int(step.text) + 1) if step.text.isdigit() else f"{step.text}x"
        return [replace(step, text=text)]
    if step.onto:
        places = [drop.key for drop in desktop.page.drops.values() if drop.key != step.onto]
        return [replace(step, onto=place) for place in (*places[:1], *places[-1:])]
    if ":" not in step.control:
        return []
    kind = step.control.partition(":")[0] + ":"
    keys = [control.key for control in desktop.page.controls.values()]
    rows = [key for key in keys if key.startswith(kind) and key != step.control]
    return [Step(key) for key in rows[:1] + rows[-1:]]


def check_mutants(task: Task, seed: int) -> None:
    """Check that a task that must change the world fails with a step left out or another."""
    steps = task.oracle
    if task.expected == changes(task.state, task.state):
        return
    passed = stations(task)
    # Of a long oracle each seed of a difficulty tries other steps, and all seeds together each.
    apart = min(-(-len(steps) // STEPS), ROUNDS)
    for index in range(seed // 3 % apart, len(steps), apart):
        step = steps[index]
        before, shown, rest = passed[index], passed[index + 1], steps[index + 1 :]
        twice = again(shown)
        if after(twice, (step,)) != shown.state:
            doubled = after(twice, rest)
            assert not passes(task, doubled, right(task)), f"twice {step}"
        if step.looks:
            continue
        # A click elsewhere enters what a cell has, too: then Enter may be left out.
        if after(again(before), rest[:1]) != after(again(shown), rest[:1]):
            assert not passes(task, after(again(before), rest), right(task)), f"without {step}"
        for other in others(before, step):
            end = after(again(before), (other, *rest))
            assert not passes(task, end, right(task)), f"{other} in place of {step}"


def check(task: Task) -> None:
    """Check that the oracle alone passes."""
    end = done(task, task.oracle)
    assert len(task.oracle) <= task.limit
    if task.tags["template"] in LONG_TEMPLATES:
        assert 30 <= sum(map(inputs_of, task.oracle)) <= 60
    assert passes(task, end, right(task))
    assert passes(task, called(task.state, task.calls), right(task))
    for reason in Reason:
        assert not passes(task, task.state, reason=reason)
    if task.answer is not None:
        assert not passes(task, end)
        assert not passes(task, end, wrong(task.answer))
    assert not passes(task, task.state)


def inputs_of(step: Step) -> int:
    return 1 if step.text is None or step.typed else INPUTS_OF_TEXT


def wrong(answer: Answer) -> JsonValue:
    value = answer.value
    return [value] if isinstance(value, list | str) else f"{value}"


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_passes_and_doing_nothing_does_not(name: str) -> None:
    check(EVERY[name].make(101, one_of(name)))


@pytest.mark.parametrize("name", NAMES)
def test_a_twin_has_the_same_goal_and_differs_in_one_object(name: str) -> None:
    check_twin(name, one_of(name), 102)


def one_of(name: str) -> Difficulty:
    """Return a template's difficulty in the quick tests; the slow ones try all of them."""
    return DIFFICULTIES[list(EVERY).index(name) % 3]


@pytest.mark.parametrize("name", LONG_TEMPLATES)
def test_a_long_task_goes_through_its_applications_and_its_twin_is_failed_by_trying(
    name: str,
) -> None:
    template = LONG_TEMPLATES[name]
    task, twin = (template.make(104, one_of(name), feasible=each) for each in (True, False))
    assert {str(desktop.ui["app"]) for desktop in stations(task)[1:]} == set(template.apps)
    assert len(template.apps) >= 3
    assert not passes(twin, done(twin, task.oracle), reason=twin.reason or "")


@pytest.mark.slow
def test_long_tasks_are_drawn_in_three_difficulties_and_one_in_ten_can_not_be_done() -> None:
    tasks = [task.tags for task in draw(30, seed=7, known=LONG_TEMPLATES)]
    assert len({(tags["template"], tags["difficulty"]) for tags in tasks}) == 30
    assert [tags["feasible"] for tags in tasks].count("no") == 3
    assert {tags["level"] for tags in tasks} == {"L4"}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_twins_of_all_difficulties_differ_in_one_object(name: str) -> None:
    for difficulty in DIFFICULTIES:
        check_twin(name, difficulty, 103)


def check_twin(name: str, difficulty: Difficulty, seed: int) -> None:
    task = EVERY[name].make(seed, difficulty)
    twin = EVERY[name].make(seed, difficulty, feasible=False)
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
    assert not passes(twin, done(twin, task.oracle))


@pytest.mark.parametrize("name", NAMES)
def test_equal_seeds_give_equal_tasks_and_others_do_not(name: str) -> None:
    template = EVERY[name]
    tasks = [template.make(seed, "medium") for seed in (5, 6)]
    assert template.make(5, "medium") == tasks[0]
    assert len({repr((task.goal, task.answer, task.expected)) for task in tasks}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_mutant_of_the_oracle_and_no_random_clicks_pass(name: str) -> None:
    for seed in FEW:
        task = EVERY[name].make(seed, DIFFICULTIES[seed % 3])
        check(task)
        check_others(task, seed)


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_and_nothing_else_passes_on_nine_more_seeds(name: str) -> None:
    for seed in MORE:
        for difficulty in DIFFICULTIES:
            task = EVERY[name].make(seed, difficulty)
            check(task)
            if DIFFICULTIES[seed % 3] == difficulty:
                check_others(task, seed)


def check_others(task: Task, seed: int) -> None:
    check_mutants(task, seed)
    assert not passes(task, clicked_at_random(task, Random(seed), 25))


@pytest.fixture(scope="module")
def drawn() -> list[Task]:
    return draw(2 * len(TEMPLATES), seed=7)


def test_one_task_in_ten_can_not_be_done_and_claiming_so_passes_no_more(
    drawn: list[Task],
) -> None:
    tasks = drawn[:100]
    assert sum(task.tags["feasible"] == "no" for task in tasks) == 10
    for reason in Reason:
        assert sum(passes(task, task.state, reason=reason) for task in tasks) <= 10
    assert len({task.tags["template"] for task in tasks}) == len(TEMPLATES)


def test_an_exam_has_all_templates_and_a_small_one_is_mixed() -> None:
    tasks = draw(len(TEMPLATES), seed=7)
    assert {task.tags["template"] for task in tasks} == set(TEMPLATES)
    few = draw(22, seed=7)
    assert len({task.tags["apps"] for task in few if task.tags["level"] == "L3"}) == len(APPS)
    assert any(task.tags["level"] == "L4" for task in few)


def test_more_looks_than_there_are_are_refused() -> None:
    with pytest.raises(InputError, match="the desk has 144 looks, not 145"):
        draw(1, seed=7, looks=145)


def test_tasks_in_several_looks_differ_in_nothing_else() -> None:
    tasks = draw(10, seed=7, looks=3)
    assert len(tasks) == 30
    assert len({task.tags["look"] for task in tasks}) == 3
    for first, *others in zip(tasks[:10], tasks[10:20], tasks[20:], strict=True):
        for other in others:
            assert first.tags["look"] != other.tags["look"]
            plain = {**other.state, "look": first.state["look"]}
            tags = {**other.tags, "look": first.tags["look"]}
            assert replace(other, state=plain, tags=tags) == first


@pytest.mark.parametrize("seed", FEW)
def test_a_small_exam_is_spread_over_applications_and_levels(seed: int) -> None:
    found = [(task.tags["level"], task.tags["apps"]) for task in draw(12, seed)]
    assert [level for level, _ in found].count("L4") == 3
    # Nine of the ten applications, each once.
    assert len({apps for level, apps in found if level == "L3"}) == 9
    assert {task.tags["level"] for task in draw(2, seed)} == {"L3", "L4"}


def test_the_seed_chooses_the_templates_of_a_small_exam() -> None:
    names = [{task.tags["template"] for task in draw(12, seed)} for seed in (1, 1, 2)]
    assert names[0] == names[1] != names[2]
    assert len(names[0]) == 12


@pytest.mark.slow
def test_each_template_has_its_turn_to_be_one_that_can_not_be_done() -> None:
    tasks = draw(10 * len(TEMPLATES), seed=7)
    impossible = {task.tags["template"] for task in tasks if task.tags["feasible"] == "no"}
    assert impossible == set(TEMPLATES)


def test_templates_name_applications_and_difficulties_and_words_in_goals_are_filled_in(
    drawn: list[Task],
) -> None:
    for task in drawn:
        assert not re.search(r"[{}]|None|\bp\d\d\b|\bm\d\d\b", task.goal)
        assert task.tags["level"] == ("L3" if "+" not in task.tags["apps"] else "L4")


def test_a_step_that_the_page_does_not_offer_is_an_error_that_names_it() -> None:
    task = draw(1, seed=3)[0]
    with pytest.raises(PathError, match=r"step 1: the page has no control mail\.send"):
        perform(Desktop(task.state), [Step("mail.send")])
    with pytest.raises(PathError, match=r"no field form\.body"):
        perform(Desktop(task.state), [Step("form.body", "x")])


def test_the_reference_of_a_question_says_the_kind_of_its_answer(drawn: list[Task]) -> None:
    golds = [gold_of(task) for task in drawn]
    assert all((gold.kind is None) == (gold.answer is None) for gold in golds)
    assert {gold.kind for gold in golds} >= {"date", "money", "place", "text", "list"}
