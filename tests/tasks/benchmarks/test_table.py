import re
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from miniatures import written

from snellen.grading import chance
from snellen.grading.coordinates import PIXELS, THOUSAND, UNIT
from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.grade import OUTCOMES, Answers
from snellen.grading.models.items import AnswerKind
from snellen.grading.models.scores import Outcome
from snellen.grading.parse.regions import Region
from snellen.grading.parse.relations import Relation, undirected
from snellen.grading.protocols.names import OWN
from snellen.grading.protocols.spaces import box_in
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.spec import Benchmark
from snellen.tasks.benchmarks.table import TASKS, benchmarks, load_task, task_of

PLACED = (AnswerKind.POINT, AnswerKind.BOX)
SPACES = {space.id: space for space in (UNIT, PIXELS, THOUSAND)}


def test_every_task_has_its_id_and_a_title_of_one_line() -> None:
    for task, spec in TASKS.items():
        assert spec.id == task
        assert spec.title
        assert "\n" not in spec.title
        assert not spec.title.endswith(".")


def test_tasks_are_listed_benchmark_by_benchmark() -> None:
    names = [task.partition("/")[0] for task in TASKS]
    changes = sum(one != other for one, other in pairwise(names))
    assert changes == len(set(names)) - 1


def test_tasks_with_a_fixed_number_of_choices_state_their_chance() -> None:
    options = {
        spec.id: spec.guess.options
        for spec in TASKS.values()
        if isinstance(spec.guess, chance.OneOf)
    }
    assert options == {
        "visualwebbench/element_ground": 8,
        "visualwebbench/action_prediction": 8,
        "visualwebbench/action_ground": 8,
        "webrssbench/position": 10,
        "webrssbench/ui_grouping": 6,
    }


def test_every_task_guesses_in_a_way_that_fits_its_answers() -> None:
    allowed: dict[AnswerKind, tuple[type, ...]] = {
        AnswerKind.TEXT: (chance.Constant, chance.NoGuess, chance.OptionOrNothing),
        AnswerKind.CHOICE: (chance.OneOf, chance.OneOfItsOptions),
        AnswerKind.UI_TEXTS: (chance.Constant,),
        AnswerKind.BOXED_TEXTS: (chance.Constant,),
        AnswerKind.POINT: (chance.RandomPoint, chance.NoGuess),
        AnswerKind.BOX: (chance.RandomBox, chance.NoGuess),
        AnswerKind.RELATIONS: (chance.OneOf,),
        AnswerKind.LABEL: (chance.OneOf,),
        AnswerKind.ACTION: (chance.Constant,),
        AnswerKind.EPISODE: (chance.Idle, chance.NoGuess, chance.NullAgents),
    }
    for spec in TASKS.values():
        assert isinstance(spec.guess, allowed[spec.kind]), spec.id


def test_the_options_guessed_at_are_those_that_the_labels_have() -> None:
    assert TASKS["webrssbench/ui_grouping"].guess == chance.OneOf(len(Region))
    # `inside` counts as `contain` when scored.
    assert TASKS["webrssbench/position"].guess == chance.OneOf(
        len({undirected(one) for one in Relation})
    )


def test_titles_tell_the_tasks_of_a_benchmark_apart() -> None:
    titles = [(task.partition("/")[0], spec.title) for task, spec in TASKS.items()]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("benchmark", list(benchmarks()), ids=lambda benchmark: benchmark.name)
def test_the_parts_of_every_benchmark_belong_together(benchmark: Benchmark) -> None:
    benchmark.check()
    assert benchmark.place is None or benchmark.place.benchmark == benchmark.name


def test_load_task_hands_everything_to_the_tasks_loader(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "11.png").write_bytes(b"eleven")
    data = load_task("screenqa/short", repo, split="validation", images=tmp_path)
    assert (data.task, data.ids) == ("screenqa/short", ["validation/11/0"])
    assert data.image("validation/11/0") == b"eleven"


def test_published_prompts_name_their_source_and_ours_do_not() -> None:
    for name in OWN:
        prompts = {one for asked in own(name).prompts.values() for one in asked}
        assert len({one.name for one in prompts}) == len(prompts)
        assert all(bool(one.source) is not ("snellen-" in one.name) for one in prompts), name


@pytest.mark.parametrize("task", TASKS)
def test_the_items_references_and_tags_of_a_task_belong_together(task: str, tmp_path: Path) -> None:
    data = load_task(task, written(task.partition("/")[0], tmp_path))
    if task != "webrssbench/position":
        # The keys of its references are written as texts.
        golds = [gold_shape(task).read(gold) for gold in data.golds]
        assert msgspec.to_builtins(golds) == msgspec.to_builtins(list(data.golds))
    assert len(data) == len(data.golds) == len(set(data.ids))
    assert {len(column) for column in data.tags.values()} <= {len(data)}
    assert len(data.contexts) in (0, len(data))
    for item_id in data.ids:
        item = data.item(item_id)
        assert (item.id, item.task, "prompt" in item.tags) == (item_id, task, True)


@pytest.mark.parametrize("task", TASKS)
def test_what_is_no_data_of_a_task_is_named(task: str, tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("nothing of ours")
    for folder, message in ((tmp_path, ""), (tmp_path / "nowhere", ": there is no ")):
        with pytest.raises(DataError) as caught:
            load_task(task, folder)
        assert f"{folder}{message}" in str(caught.value)


@pytest.mark.parametrize("task", TASKS)
def test_an_unknown_split_or_prompt_names_the_known_ones(task: str, tmp_path: Path) -> None:
    folder = written(task.partition("/")[0], tmp_path)
    with pytest.raises(UnknownNameError, match=r"no prompt 'none'\. Known: "):
        load_task(task, folder, prompt="none")
    with pytest.raises((UnknownNameError, DataError), match=r"split.*'none'"):
        load_task(task, folder, split="none")


def test_an_unknown_task_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'mmbench-gui/l1'\?"):
        load_task("mmbench_gui/l1", tmp_path)


def test_a_task_is_found_by_its_id() -> None:
    assert task_of("mmbench-gui/l3").kind is AnswerKind.EPISODE


@pytest.mark.parametrize("task", [task for task, spec in TASKS.items() if spec.kind in PLACED])
def test_an_agent_that_answers_in_the_space_it_is_asked_in_is_read_so(
    tmp_path: Path, task: str
) -> None:
    data = load_task(task, written(task.partition("/")[0], tmp_path))
    protocol = protocol_of(task)
    for place, item in enumerate(data.ids):
        asked, gold = data.item(item).answer_format, data.golds[place]
        if asked.space not in SPACES or gold.image_size is None:
            continue
        box = box_in(SPACES[asked.space], gold)
        if box[2] <= box[0]:
            # An inverted box is never hit.
            continue
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        numbers = box if asked.kind is AnswerKind.BOX else middle
        place_of = ", ".join(f"{number:.9f}" for number in numbers)
        said = re.sub(r"[\d., ]+\d", place_of, asked.example)
        given = Answers(np.array([place]), [0], [said])
        found = data.grader(protocol).batch(given)
        if not getattr(gold, "polygon", ()) and not getattr(gold, "refused", False):
            assert found.values[0, 0] > 0.99, (item, said)


@pytest.mark.parametrize("task", TASKS)
def test_the_example_of_an_answers_format_is_read_as_an_answer(tmp_path: Path, task: str) -> None:
    data = load_task(task, written(task.partition("/")[0], tmp_path))
    asked = data.item(data.ids[0]).answer_format
    # A miniature's screen is smaller than that of the example.
    small = re.sub(r"\d+", "3", asked.example) if asked.kind is AnswerKind.ACTION else asked.example
    columns = data.grader(protocol_of(task)).batch(Answers(np.array([0]), [0], [small]))
    assert OUTCOMES[columns.outcomes[0]] is Outcome.ANSWERED, small
