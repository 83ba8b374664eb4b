"""What the commands print where characters have no code, and where nothing can be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TASK = ("--task", "screenqa/short", "--references")
WORDS = "twelve – 東京 ✓ 😀"


def run(folder: Path, *arguments: str, encoding: str = "utf-8", to: str = "") -> tuple[int, str]:
    """Return the exit status, and what was written in an encoding, or the errors beside a file."""
    references = folder / "references.json"
    references.write_text(json.dumps({"a": ["twelve"]}), encoding="utf-8")
    answers = folder / "answers.jsonl"
    row = {"item_id": "a", "response": WORDS}
    answers.write_text(json.dumps(row), encoding="utf-8")
    command = [
        str(Path(sys.executable).parent / "snellen"),
        *arguments,
        str(answers),
        *TASK,
        str(references),
    ]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    if to:
        with Path(to).open("w") as file:
            done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, env=environment)
        return done.returncode, done.stderr.decode(encoding)
    done = subprocess.run(command, capture_output=True, env=environment)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode(encoding)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "latin-1", "ascii"])
def test_what_an_encoding_lacks_is_escaped(tmp_path: Path, encoding: str) -> None:
    status, printed = run(tmp_path, "explain", encoding=encoding)
    assert (status, r"\u2713" in printed) == (0, True)


@pytest.mark.slow
def test_json_stays_json_in_any_encoding(tmp_path: Path) -> None:
    for encoding in ("utf-8", "ascii"):
        status, printed = run(tmp_path, "grade", "--json", encoding=encoding)
        assert (status, json.loads(printed)["numbers"]["primary"]) == (0, "f1")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_line_and_status_2(tmp_path: Path) -> None:
    for form in ((), ("--json",)):
        status, errors = run(tmp_path, "grade", *form, to="/dev/full")
        assert (status, errors) == (
            2,
            "error: the output can't be written: No space left on device\n",
        )
