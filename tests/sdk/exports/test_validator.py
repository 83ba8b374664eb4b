"""Every Eval Ever's own validator on our records; `.ci/exports` installs it, on a newer Python."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from snellen import sdk

pytestmark = pytest.mark.thorough


def valid(path: Path, home: Path) -> bool:
    program = shutil.which("every_eval_ever")
    if program is None:
        pytest.skip("every-eval-ever is not installed: run .ci/exports")
    command = [program, "validate", str(path.relative_to(home))]
    return subprocess.run(command, cwd=home, check=False).returncode == 0


def test_a_record_is_valid_and_one_without_its_model_is_not(tmp_path: Path) -> None:
    report = sdk.grade(
        [{"item_id": "a", "response": "right", "model": "acme/eye"}],
        task="screenqa/short",
        references={"a": ["right"], "b": ["other"]},
        progress=False,
    )
    folder = tmp_path / "data" / "screenqa_short" / "acme" / "eye"
    folder.mkdir(parents=True)
    path = report.export("every_eval_ever", folder / "4f3c1c9e-8d9f-4b6f-9a53-0d8a6b1e2c3d.json")
    assert valid(path, tmp_path)
    record = json.loads(path.read_text("utf-8"))
    del record["model_info"]
    path.write_text(json.dumps(record))
    assert not valid(path, tmp_path)
