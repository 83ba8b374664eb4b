"""Each task can be done as its oracle says, and in no way that is a little different."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest

from snellen import sdk
from snellen.tasks.environments.reasons import REASONS, Reason
from snellen.worlds.tiddlywiki.making import TEMPLATES, rows_of
from snellen.worlds.tiddlywiki.state import Edit, EditError, State, changes, edited
from snellen.worlds.tiddlywiki.tasks import (
    DIFFICULTIES,
    Difficulty,
    Task,
    draw,
    inputs_of,
)

SEEDS = range(20)
ALL = [*TEMPLATES.values()]


def succeeds(task: Task, after: State, answer: object = None, reason: str = "") -> bool:
    """Return whether an episode's record scores 1."""
    record = {
        "status": "infeasible" if reason else "done",
        "reason": reason or None,
        "answer": answer,
        "changes": changes(task.state, after),
        "cost": 5,
        "limit": task.limit,
    }
    (row,) = rows_of([task], "0" * 64)
    reference = msgspec.to_builtins(row.gold)
    return sdk.score("tiddlywiki/l3", response=record, reference=reference).metrics["sr"] == 1


def mutants(edit: Edit) -> Iterator[tuple[Edit, ...]]:
    """Yield what is done in place of an edit: nothing, a part of it or something like it."""
    yield ()
    if edit.kind == "new" or edit.to:
        named = edit.to or edit.title
        yield (
            replace(edit, title=f"{named} 2")
            if edit.kind == "new"
            else replace(edit, to=f"{named} 2"),
        )
    if edit.text is not None:
        yield (replace(edit, text=f"{edit.text}x"),)
        yield (replace(edit, text=edit.text[:-1]),)
        yield (replace(edit, text=None),)
    for tag in edit.tags:
        yield (replace(edit, tags=tuple(each for each in edit.tags if each != tag)),)
        yield (replace(edit, tags=(*edit.tags, "more")),)
        yield (replace(edit, tags=tuple(each.upper() for each in edit.tags)),)
    if edit.untags:
        yield (replace(edit, untags=()),)
        yield (replace(edit, tags=("more",)),)
    for name, value in edit.fields:
        yield (replace(edit, fields=((name, f"{value}s"),)),)
        yield (replace(edit, fields=((f"{name}s", value),)),)
        yield (replace(edit, fields=(*edit.fields, ("more", "x"))),)
    if edit.kind == "change":
        yield (replace(edit, kind="delete"),)


def strangers(task: Task, edit: Edit) -> Iterator[tuple[Edit, ...]]:
    """Yield the same edit of the first and the last other note, and of one note more."""
    if edit.kind == "new":
        return
    own = {each.title for each in task.oracle}
    others = [
        title
        for title, note in sorted(task.state.items())
        if title not in own and title[0] != "$" and {*edit.untags} <= {*note.get("tags", ())}
    ]
    for title in (others[0], others[-1]):
        yield (replace(edit, title=title),)
        yield (edit, replace(edit, title=title, to=edit.to and f"{edit.to} 2"))


def check(task: Task) -> None:
    """Check that the oracle alone passes."""
    after = edited(task.state, task.oracle)
    assert succeeds(task, after, task.answer)
    assert not succeeds(task, task.state)
    for reason in Reason:
        assert not succeeds(task, task.state, reason=reason)
        assert not succeeds(task, after, task.answer, reason)
    if task.answer is not None:
        assert not succeeds(task, after, f"{task.answer}0")


def check_mutants(task: Task) -> None:
    """Check that no edit can be left out, done in part, or done to another note."""
    for index, edit in enumerate(task.oracle):
        before, rest = task.oracle[:index], task.oracle[index + 1 :]
        for other in (*mutants(edit), *strangers(task, edit)):
            try:
                after = edited(task.state, (*before, *other, *rest))
            except EditError:
                continue
            assert not succeeds(task, after), f"{other} in place of {edit}"


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_oracle_passes_and_doing_nothing_does_not(name: str, difficulty: Difficulty) -> None:
    task = TEMPLATES[name].make(101, difficulty)
    check(task)
    assert 2 * sum(map(inputs_of, task.oracle)) < task.limit


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_mutant_of_the_oracle_passes(name: str) -> None:
    for seed, difficulty in enumerate(DIFFICULTIES):
        check_mutants(TEMPLATES[name].make(seed, difficulty))


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_twin_has_the_same_goal_and_differs_in_one_note(
    name: str, difficulty: Difficulty
) -> None:
    task = TEMPLATES[name].make(102, difficulty)
    twin = TEMPLATES[name].make(102, difficulty, feasible=False)
    assert (task.goal, task.limit) == (twin.goal, twin.limit)
    before, other = task.state, twin.state
    notes = {title for title in {*before, *other} if before.get(title) != other.get(title)}
    assert len(notes) == 1
    assert twin.reason in REASONS
    assert succeeds(twin, other, reason=twin.reason or "")
    assert not succeeds(twin, other)
    for reason in {*Reason} - {twin.reason}:
        assert not succeeds(twin, other, reason=reason)
    if not task.oracle:
        assert not succeeds(twin, other, task.answer)
        return
    possible = [edit for edit in task.oracle if (edit.title in other) == (edit.kind != "new")]
    if task.oracle[-1].to in other:
        possible = possible[:-1]
    for index in range(1, len(possible) + 1):
        after = edited(other, possible[:index])
        assert not succeeds(twin, after)
        assert not succeeds(twin, after, reason=twin.reason or "")


@pytest.mark.parametrize("name", TEMPLATES)
def test_equal_seeds_give_equal_tasks_and_others_do_not(name: str) -> None:
    template = TEMPLATES[name]
    assert template.make(5, "medium") == template.make(5, "medium")
    tasks = [template.make(seed, "medium") for seed in (5, 6)]
    assert len({repr((task.goal, task.answer, task.expected)) for task in tasks}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", TEMPLATES)
def test_the_oracle_alone_passes_on_twenty_seeds(name: str) -> None:
    for seed in SEEDS:
        for difficulty in DIFFICULTIES:
            task = TEMPLATES[name].make(seed, difficulty)
            check(task)
            check_mutants(task)


def test_one_task_in_ten_can_not_be_done_and_claiming_so_passes_no_more() -> None:
    tasks = draw(ALL, 100, seed=7)
    assert sum(task.tags["feasible"] == "no" for task in tasks) == 10
    for reason in Reason:
        assert sum(succeeds(task, task.state, reason=reason) for task in tasks) <= 10
    assert {task.tags["template"] for task in tasks if task.tags["feasible"] == "no"} == {
        *TEMPLATES
    }


def test_which_task_can_not_be_done_depends_on_the_seed() -> None:
    first = {[task.reason for task in draw(ALL, 10, seed)].index(None) for seed in range(20)}
    assert first == {0, 1}
    assert len(draw(ALL, 7, 1)) == 7


def test_the_same_note_is_meant_by_its_title_and_by_its_code() -> None:
    """A code is in one note alone, and no other code contains it."""
    for seed in SEEDS:
        notes = TEMPLATES["wiki-tag"].make(seed, "hard").tiddlers
        codes = [note["text"].partition("Code: ")[2] for note in notes if "Code: " in note["text"]]
        assert len(codes) == len({*codes}) == 23
        for code in codes:
            assert sum(code in note["text"] for note in notes) == 1
