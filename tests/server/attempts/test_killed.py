"""The server is killed at random moments under load: no acknowledged answer is lost or doubled.

SNELLEN_KILLS sets how often; a few hundred take some minutes.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, text

from snellen import sdk
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import answers, attempts, items
from snellen.tasks.pack.write import Part, write_pack

pytestmark = pytest.mark.thorough

KILLS = int(os.environ.get("SNELLEN_KILLS", "12"))
SEED = int(os.environ.get("SNELLEN_KILL_SEED", "1"))
ITEMS = 300


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a pack with items enough for some rounds."""
    screens = tmp_path / "screenqa"
    (screens / "answers_and_bboxes").mkdir(parents=True)
    (screens / "short_answers").mkdir()
    rows = [
        {"image_id": n // 2, "question": f"What is {n}?", "ground_truth": [str(n)]}
        for n in range(ITEMS)
    ]
    (screens / "short_answers" / "test.json").write_text(json.dumps(rows))
    write_pack(
        [Part(sdk.load("screenqa/short", screens))], tmp_path / "pack", name="many", images=False
    )
    return tmp_path / "pack"


def run_and_kill(store: Path, pack: Path, handle: str, random: Random) -> list[dict[str, Any]]:
    """Let a server take answers, kill it at a random moment, and return all that it said."""
    script = Path(__file__).with_name("answering.py")
    child = subprocess.Popen(
        [sys.executable, str(script), str(store), str(pack), handle, str(random.getrandbits(32))],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(random.randint(1, 250))]
    child.kill()
    lines += child.stdout.readlines()
    child.stdout.close()
    assert child.wait() == -9
    # The last line may have been cut off by the kill: nobody heard it.
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def check(store: Path, tried: set[str], stored: dict[str, tuple[str, int]]) -> None:
    """Open the store again and compare it with all that was ever acknowledged."""
    database = open_store(store)
    assert database.read(lambda c: c.execute(text("PRAGMA integrity_check")).scalar()) == "ok"
    query = select(
        answers.c.attempt, items.c.opaque, answers.c.number, answers.c.response
    ).join_from(
        answers, items, (answers.c.attempt == items.c.attempt) & (answers.c.place == items.c.place)
    )
    kept = database.read(lambda c: c.execute(query).all())
    found = {json.loads(row.response): (row.opaque, row.number) for row in kept}
    lost = {said: where for said, where in stored.items() if found.get(said) != where}
    assert not lost, "acknowledged and lost, or counted at another place"
    assert len(found) == len(kept), "an answer was counted twice"
    assert found.keys() <= tried
    numbers = Counter((row.attempt, row.opaque) for row in kept)
    highest = {(row.attempt, row.opaque): 0 for row in kept}
    for row in kept:
        key = (row.attempt, row.opaque)
        highest[key] = max(highest[key], row.number)
    assert numbers == highest, "numbers of answers have a gap"
    counted = database.read(lambda c: c.execute(select(attempts.c.id, attempts.c.answered)).all())
    by_attempt = Counter(attempt for attempt, _ in numbers)
    assert {row.id: row.answered for row in counted} == {
        row.id: by_attempt[row.id] for row in counted
    }
    marked = select(func.count()).where(items.c.answered)
    assert database.read(lambda c: c.execute(marked).scalar()) == len(numbers)
    database.close()


@pytest.mark.slow
def test_no_acknowledged_answer_is_lost_or_counted_twice(tmp_path: Path, pack: Path) -> None:
    random = Random(SEED)
    store = tmp_path / "exam.sqlite"
    handle = "-"
    tried: set[str] = set()
    stored: dict[str, tuple[str, int]] = {}
    for _ in range(KILLS):
        for line in run_and_kill(store, pack, handle, random):
            if "begun" in line:
                handle = line["begun"]
            elif "trying" in line:
                tried.add(line["trying"])
            else:
                stored[line["stored"]] = (line["item"], line["number"])
        check(store, tried, stored)
    assert len(stored) > 20 * KILLS
