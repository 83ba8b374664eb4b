"""Exports to training loops: what is in the folders, and their processes.

The packages themselves are in the suite `loops`, each in an environment of its own.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from miniatures import written

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.tasks.export.loops import export_nemo_gym, export_openenv, export_verifiers
from snellen.tasks.pack.read import open_pack
from snellen.tasks.pack.seal import KEY_VARIABLE, new_key
from snellen.tasks.pack.write import Part, seal_pack, write_pack
from snellen.tasks.samples import exam_folder

EXPORTS = {"verifiers": export_verifiers, "nemo-gym": export_nemo_gym}


@pytest.fixture(params=EXPORTS)
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The wireframes as a folder of each package."""
    pack = open_pack(exam_folder("wireframes"))
    folder = tmp_path / "out"
    EXPORTS[request.param](pack, folder, with_references=True, watch=lambda _: None)
    return folder


def loaded(script: Path) -> ModuleType:
    """Import a file of an export."""
    spec = spec_from_file_location(script.stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def process_of(folder: Path, script: str = "judge.py") -> Generator[Any]:
    """Yield the process that an export asks."""
    helper, program = (next(folder.rglob(name)) for name in ("process.py", script))
    process = loaded(helper).Process(program)
    try:
        yield process
    finally:
        process.close()


def test_the_questions_have_no_reference(exported: Path) -> None:
    shown = [path for path in exported.rglob("*") if path.is_file() and "judge" not in path.parts]
    assert not any("reference" in path.name for path in shown)
    questions = next(exported.rglob("questions.jsonl")).read_text(encoding="utf-8").splitlines()
    assert len(questions) == 12
    for line in questions:
        question = json.loads(line)
        assert question.keys() == {"task", "item_id", "prompt", "images", "answer_format"}
        for path in question["images"].values():
            assert (next(exported.rglob("questions.jsonl")).parent / path).is_file()


@pytest.mark.slow
def test_the_judge_has_the_values_of_a_reward(exported: Path) -> None:
    answer, wrong = "Simon Lacelle", "no idea"
    asked = {"task": "screenqa/short", "item_id": "test/4965/1"}
    reward = sdk.reward("screenqa/short", data=exam_folder("wireframes"))
    responses = {"output": [{"type": "message", "role": "assistant", "content": answer}]}
    with process_of(exported) as process:
        for said in (answer, wrong):
            given = process.ask(**asked, completion=said)
            assert given == {"reward": reward([said], [asked["item_id"]])[0]}
        assert process.ask(**asked, completion=answer, protocol="official")["reward"] == 1.0
        assert process.ask(**asked, completion=responses)["reward"] == 1.0


@pytest.mark.slow
def test_a_fault_of_the_judge_raises_and_the_next_question_is_answered(exported: Path) -> None:
    asked = {"task": "screenqa/short", "completion": "Simon Lacelle"}
    with process_of(exported) as process:
        with pytest.raises(RuntimeError, match="no item 'nope'"):
            process.ask(**asked, item_id="nope")
        with pytest.raises(RuntimeError, match="it is None"):
            process.ask(task="screenqa/short", item_id="test/4965/1", completion=None)
        assert process.ask(**asked, item_id="test/4965/1")["reward"] == 1.0


@pytest.mark.slow
def test_a_judge_that_ended_says_so_and_starts_again(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"task": "screenqa/short", "item_id": "test/4965/1", "completion": "Simon Lacelle"}
    with process_of(exported) as process:
        monkeypatch.setenv("SNELLEN_PYTHON", "/bin/true")
        with pytest.raises(RuntimeError, match=r"judge\.py ended"):
            process.ask(**asked)
        monkeypatch.setenv("SNELLEN_PYTHON", sys.executable)
        assert process.ask(**asked)["reward"] == 1.0


@pytest.mark.parametrize("to", EXPORTS)
def test_readable_references_are_taken_along_on_request_only(to: str, tmp_path: Path) -> None:
    pack = open_pack(exam_folder("wireframes"))
    with pytest.raises(InputError, match="--with-references"):
        EXPORTS[to](pack, tmp_path / "out", with_references=False, watch=lambda _: None)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_sealed_references_stay_sealed_and_need_their_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()
    shutil.copytree(exam_folder("wireframes"), tmp_path / "sealed")
    seal_pack(open_pack(tmp_path / "sealed"), key)
    pack = open_pack(tmp_path / "sealed")
    export_verifiers(pack, tmp_path / "out", with_references=False, watch=lambda _: None)
    asked = {"task": "screenqa/short", "item_id": "test/4965/1", "completion": "Simon Lacelle"}
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with process_of(tmp_path / "out") as process:
        with pytest.raises(RuntimeError, match=KEY_VARIABLE):
            process.ask(**asked)
        process.close()
        monkeypatch.setenv(KEY_VARIABLE, key)
        assert process.ask(**asked) == {"reward": 1.0}


@pytest.mark.parametrize("to", EXPORTS)
def test_interactive_items_are_refused(to: str, tmp_path: Path) -> None:
    data = sdk.load("desk/l3", written("desk", tmp_path))
    write_pack([Part(data)], tmp_path / "pack", name="desk")
    with pytest.raises(InputError, match="to openenv"):
        EXPORTS[to](
            open_pack(tmp_path / "pack"),
            tmp_path / "out",
            with_references=True,
            watch=lambda _: None,
        )


def test_equal_packs_give_equal_folders(tmp_path: Path) -> None:
    pack = open_pack(exam_folder("wireframes"))
    for to, export in EXPORTS.items():
        found: list[dict[str, bytes]] = []
        for number in range(2):
            folder = tmp_path / f"{to}-{number}"
            export(pack, folder, with_references=True, watch=lambda _: None)
            files = [path for path in folder.rglob("*") if path.is_file()]
            found.append({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})
        assert found[0] == found[1]


def test_a_world_of_openenv_is_played_through_its_process(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    export_openenv("desk", tmp_path / "out")
    settings = {"door": "tools", "templates": ["mail-delete"]}
    call: dict[str, Any] = {"tool": "list_messages", "arguments": {}}
    with process_of(tmp_path / "out", "world.py") as process:
        first = process.ask(world="a", do="reset", seed=1, settings=settings)
        other = process.ask(world="b", do="reset", seed=1, settings=settings)
        assert first == other
        assert first["observation"]["goal"]
        assert (first["reward"], first["done"]) == (None, False)
        listed = process.ask(world="a", do="step", action=call)
        assert json.loads(listed["observation"]["result"])
        with pytest.raises(RuntimeError, match="there is no tool 'fly'"):
            process.ask(world="a", do="step", action={"tool": "fly"})
        ended = process.ask(world="a", do="step", action={"action": "done"})
        assert (ended["reward"], ended["done"]) == (0.0, True)
        second = process.ask(world="b", do="step", action=call)
        assert second["observation"]["metadata"]["step"] == 1
        assert process.ask(world="b", do="close") == {}


def test_only_applications_become_worlds_of_openenv(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only desk and miniwob"):
        export_openenv("sample", tmp_path / "out")


@pytest.mark.thorough
@pytest.mark.parametrize("package", ["verifiers", "nemo_gym", "openenv"])
def test_the_package_itself_runs_the_folder(package: str, tmp_path: Path) -> None:
    python = os.environ.get(f"SNELLEN_{package.upper()}_PYTHON")
    if not python:
        pytest.skip(f"SNELLEN_{package.upper()}_PYTHON names no Python with the package")
    pack = open_pack(exam_folder("sample"))
    folder = tmp_path / "snellen_sample"
    if package == "openenv":
        folder = tmp_path / "snellen_desk"
        export_openenv("desk", folder)
    else:
        EXPORTS[package.replace("_", "-")](pack, folder, with_references=True, watch=lambda _: None)
    program = Path(__file__).parent / "packages" / f"{package}.py"
    done = subprocess.run(
        [python, program, folder],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SNELLEN_PYTHON": sys.executable, "PYTHONPATH": ""},
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith("as expected")
