"""A pack as a task of Harbor: what the agent sees, what the verifier has, and the reward."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.tasks.export.harbor import export_harbor
from snellen.tasks.pack.read import Pack, open_pack
from snellen.tasks.pack.seal import KEY_VARIABLE, new_key
from snellen.tasks.pack.write import seal_pack, strip_pack
from snellen.tasks.samples import exam_folder

ANSWERS = """
{"item_id": "test/4965/1", "response": "Simon Lacelle"}
{"item_id": "test/8006/2", "response": "no idea"}
{"item_id": "test/16665/0", "response": "184 offers"}
{"item_id": "test/17838/0", "response": "It says: AddaLine"}
""".lstrip()


def copied(folder: Path) -> Pack:
    shutil.copytree(exam_folder("wireframes"), folder)
    return open_pack(folder)


def verified(
    task: Path, answers: Path, reward: Path, key: str | None = None
) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    if key is not None:
        environment[KEY_VARIABLE] = key
    return subprocess.run(
        [sys.executable, task / "tests" / "grade.py", answers, reward],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def test_the_folder_is_laid_out_as_harbor_documents_it(tmp_path: Path) -> None:
    made = export_harbor(copied(tmp_path / "pack"), tmp_path / "task", with_references=True)
    assert (made.name, made.items, made.images, made.sealed) == (
        "snellen/wireframes",
        12,
        10,
        False,
    )
    names = {
        path.relative_to(tmp_path / "task").as_posix()
        for path in (tmp_path / "task").rglob("*")
        if path.is_file() and path.suffix != ".png"
    }
    assert names == {
        "task.toml",
        "instruction.md",
        "environment/Dockerfile",
        "environment/exam/questions.jsonl",
        "tests/Dockerfile",
        "tests/test.sh",
        "tests/grade.py",
        "tests/exam/manifest.json",
        "tests/exam/items.jsonl",
        "tests/exam/references.jsonl",
    }
    assert os.access(tmp_path / "task" / "tests" / "test.sh", os.X_OK)
    config = tomllib.loads((tmp_path / "task" / "task.toml").read_text("utf-8"))
    assert config["schema_version"] == "1.4"
    assert config["task"]["name"] == "snellen/wireframes"
    assert config["verifier"]["environment_mode"] == "separate"
    assert config["artifacts"] == ["/app/answers.jsonl"]
    assert "env" not in config["verifier"]


def test_the_agents_container_holds_every_image_and_no_reference(tmp_path: Path) -> None:
    pack = copied(tmp_path / "pack")
    export_harbor(pack, tmp_path / "task", with_references=True)
    room = tmp_path / "task" / "environment" / "exam"
    questions = [json.loads(line) for line in (room / "questions.jsonl").read_text().splitlines()]
    assert [row["item_id"] for row in questions] == [line.item.id for line in pack.lines]
    assert {key for row in questions for key in row} == {
        *("task", "item_id", "prompt", "images", "answer_format"),
    }
    for row in questions:
        assert all((room / path).is_file() for path in row["images"].values())
    # The items of a pack are public: what the agent sees is that, and nothing else.
    public = [line.item for line in pack.lines]
    assert [row["prompt"] for row in questions] == [item.prompt for item in public]
    agents = {path.name for path in (tmp_path / "task" / "environment").rglob("*.*")}
    assert {name for name in agents if not name.endswith(".png")} == {"questions.jsonl"}


@pytest.mark.slow
def test_the_reward_is_what_snellen_grades(tmp_path: Path) -> None:
    pack = copied(tmp_path / "pack")
    export_harbor(pack, tmp_path / "task", with_references=True)
    answers = tmp_path / "answers.jsonl"
    answers.write_text(ANSWERS)
    done = verified(tmp_path / "task", answers, tmp_path / "reward.json")
    assert done.returncode == 0, done.stderr
    report = sdk.grade(answers, task="screenqa/short", data=pack.folder)
    rewards = json.loads((tmp_path / "reward.json").read_text())
    assert rewards == {"reward": report.value, "screenqa/short": report.value}
    assert report.signature in done.stdout


@pytest.mark.slow
def test_bad_answers_count_zero_and_are_named(tmp_path: Path) -> None:
    export_harbor(copied(tmp_path / "pack"), tmp_path / "task", with_references=True)
    answers = tmp_path / "answers.jsonl"
    answers.write_text('nonsense\n[1]\n{"item_id": "no such item", "response": "x"}\n')
    done = verified(tmp_path / "task", answers, tmp_path / "reward.json")
    assert json.loads((tmp_path / "reward.json").read_text())["reward"] == 0
    assert "line 1: it is no JSON object" in done.stderr
    assert "line 2: it is no JSON object" in done.stderr
    assert "none of the 1 item ids" in done.stderr


@pytest.mark.slow
def test_sealed_references_stay_sealed_and_need_the_key_to_reward(tmp_path: Path) -> None:
    pack = copied(tmp_path / "pack")
    key = new_key()
    seal_pack(pack, key)
    made = export_harbor(open_pack(pack.folder), tmp_path / "task")
    assert made.sealed
    config = tomllib.loads((tmp_path / "task" / "task.toml").read_text("utf-8"))
    assert config["verifier"]["env"] == {KEY_VARIABLE: f"${{{KEY_VARIABLE}}}"}
    assert not list((tmp_path / "task").rglob("references.jsonl"))
    locked = verified(tmp_path / "task", tmp_path / "none", tmp_path / "reward.json")
    assert locked.returncode != 0
    assert not (tmp_path / "reward.json").exists()
    answers = tmp_path / "answers.jsonl"
    answers.write_text(ANSWERS)
    opened = verified(tmp_path / "task", answers, tmp_path / "reward.json", key)
    assert opened.returncode == 0, opened.stderr
    assert json.loads((tmp_path / "reward.json").read_text())["reward"] > 0


def test_equal_packs_make_equal_folders_and_a_wheel_goes_with_them(tmp_path: Path) -> None:
    pack = copied(tmp_path / "pack")
    wheel = tmp_path / "snellen-9-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    for name in ("one", "two"):
        export_harbor(pack, tmp_path / name, with_references=True, wheel=wheel)
    first, second = (
        {
            path.relative_to(tmp_path / name).as_posix(): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert first == second
    assert first[f"tests/{wheel.name}"] == b"a wheel"
    assert f"/tests/{wheel.name}" in first["tests/Dockerfile"].decode()


def test_what_can_not_be_verified_or_was_not_asked_for_is_refused(tmp_path: Path) -> None:
    pack = copied(tmp_path / "pack")
    with pytest.raises(InputError, match="its references are readable"):
        export_harbor(pack, tmp_path / "task")
    strip_pack(pack, tmp_path / "bare")
    with pytest.raises(InputError, match="the pack has no references"):
        export_harbor(open_pack(tmp_path / "bare"), tmp_path / "task", with_references=True)
    assert not (tmp_path / "task").exists()
