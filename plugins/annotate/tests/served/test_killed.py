"""A server that is killed at a random moment has every answer that it acknowledged, and once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import Pack

TASK = "screenqa/short"
KILLS = 4


@pytest.mark.slow
def test_no_acknowledged_answer_is_lost(store: Path, exam: Pack) -> None:
    database = open_store(store)
    Annotations([exam], database).create(AnnotationPlan("checks", exam, (TASK,)))
    database.close()
    script = str(Path(__file__).parents[1] / "kit/answering.py")
    random = Random(3)
    kept: dict[str, str] = {}
    tried: dict[str, set[str]] = {}
    for kill in range(KILLS):
        rater = f"rater-{kill % 2}"
        child = subprocess.Popen(
            [sys.executable, script, str(store), rater],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(random.randint(20, 90))]
        child.kill()
        lines += child.stdout.readlines()
        child.stdout.close()
        assert child.wait() == -9
        for line in lines:
            # The last line may have been cut off by the kill: nobody heard it.
            said: dict[str, list[str]] = json.loads(line) if line.endswith(b"\n") else {}
            for item, given in said.values():
                tried.setdefault(f"{rater} {item}", set()).add(given)
            if "kept" in said:
                item, given = said["kept"]
                kept[f"{rater} {item}"] = given
        database = open_store(store)
        found = {
            f"{one.rater} {one.item_id}": one.given
            for one in Annotations([exam], database).answers("checks")
        }
        database.close()
        for place, given in kept.items():
            # What was tried after it and not acknowledged may be there.
            assert found[place] == given or found[place] in tried[place] - {given}
            number = int(str(found[place]).rpartition(" ")[2])
            assert number >= int(given.rpartition(" ")[2])
        assert found.keys() <= tried.keys()
    assert len(kept) == 2 * len(exam.index[TASK])
