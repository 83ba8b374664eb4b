"""Which tasks are for training: no template and no seed of the other side."""

import subprocess
import sys
from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.templates.table import TEMPLATES
from snellen.worlds.training.splits import FIRST_SEED, SEEDS, TEST, check_seed, templates_of


@pytest.mark.parametrize("environment", TEST)
def test_each_template_is_on_one_side(environment: str) -> None:
    train, test = (templates_of(environment, side) for side in ("train", "test"))
    assert sorted((*train, *test)) == sorted(templates_of(environment, "all"))
    assert set(test) == TEST[environment]
    assert len(train) > 2 * len(test)


def test_both_sides_have_each_application_that_has_several_templates() -> None:
    for side in ("train", "test"):
        apps = {app for name in templates_of("desk", side) for app in TEMPLATES[name].apps}
        assert len(apps) >= 9
        levels = {TEMPLATES[name].level for name in templates_of("desk", side)}
        assert levels == {3, 4}


@pytest.mark.parametrize("environment", FIRST_SEED)
def test_a_seed_of_an_exam_is_refused(environment: str) -> None:
    first = FIRST_SEED[environment]
    check_seed(environment, first)
    check_seed(environment, first + SEEDS - 1)
    for seed in (0, first - 1, first + SEEDS):
        with pytest.raises(InputError, match=f"{seed} is no seed for training"):
            check_seed(environment, seed)


def test_an_exam_can_t_be_made_of_a_seed_for_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"seeds from .* on are for training"):
        generated_exam("desk").make(tmp_path / "pack", seed=FIRST_SEED["desk"] - 10, count=20)


def test_without_gymnasium_the_import_names_the_extra() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; from snellen.worlds import WorldEnv"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'snellen[train]'" in done.stderr
