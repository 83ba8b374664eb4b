"""An exam in miniature, a clock that stands still, and services on one store."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.server.attempts.service import Clock, Service
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import Exam
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.write import Part, write_pack

MINUTE = 60_000


def rows(items: int) -> list[dict[str, Any]]:
    """Return ScreenQA questions, two about each screen."""
    return [
        {
            "image_id": number // 2,
            "question": f"What is {number}?",
            "ground_truth": [f"it is {number}", str(number)],
        }
        for number in range(items)
    ]


def questions(screens: int) -> list[dict[str, Any]]:
    """Return MMBench-GUI questions with four options each, three about each screen."""
    return [
        {
            "index": number,
            "image_path": f"{number}.png",
            "image_size": [1000, 2000],
            "platform": "os_mac",
            "app_name": "Fitness",
            "groups": [
                {
                    "question": f"Which is {number} and {difficulty}?",
                    "options": {letter: f"option {letter}{number}" for letter in "ABCD"},
                    "answer": "ABCD"[number % 4],
                    "explanation": "none",
                    "difficulty": difficulty,
                }
                for difficulty in ("easy", "medium", "hard")
            ],
        }
        for number in range(screens)
    ]


def elements(items: int) -> list[dict[str, Any]]:
    """Return elements to point at, in shares of the screen."""
    return [
        {
            "index": number,
            "image_path": f"{number}.png",
            "image_size": [1000, 2000],
            "platform": "os_mac",
            "app_name": "Fitness",
            "instruction": f"the element {number}",
            "bbox": [0.25, 0.125, 0.5, 0.25],
            "data_type": "icon",
            "grounding_type": "basic",
        }
        for number in range(items)
    ]


@pytest.fixture(scope="session")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of packs: `short`, `paired` (halves share a screen), `mixed` of two tasks."""
    folder = tmp_path_factory.mktemp("packs")
    screens, shots = folder / "screenqa", folder / "mmbench"
    screens.mkdir()
    shots.mkdir()
    (screens / "answers_and_bboxes").mkdir()
    (screens / "short_answers").mkdir()
    (screens / "short_answers" / "test.json").write_text(json.dumps(rows(8)))
    (shots / "L1_annotations.json").write_text(json.dumps(questions(2)))
    (shots / "L2_annotations.json").write_text(json.dumps(elements(3)))
    short = sdk.load("screenqa/short", screens)
    pairs = [f"pair{number // 2}" for number in range(len(short))]
    paired = replace(short, tags={**short.tags, "pair": pairs})
    points = sdk.load("mmbench-gui/l2_basic", shots)
    letters = sdk.load("mmbench-gui/l1", shots)
    write_pack([Part(short)], folder / "short", name="short", images=False)
    write_pack([Part(paired)], folder / "paired", name="paired", images=False)
    mixed = [Part(short), Part(letters), Part(points)]
    write_pack(mixed, folder / "mixed", name="mixed", images=False)
    return folder


@pytest.fixture
def now() -> list[int]:
    """Return the time, in milliseconds, which a test may change."""
    return [1_700_000_000_000]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return where the exam's store is."""
    return tmp_path / "store" / "exam.sqlite"


@pytest.fixture
def serve(packs: Path, now: list[int], store: Path) -> Iterator[Callable[..., Service]]:
    """Return a function that serves a pack by some rules, always on the same store."""
    opened: list[Callable[[], None]] = []

    def start(name: str = "short", **rules: object) -> Service:
        pack = open_pack(packs / name)
        checked = Rules.model_validate(rules)
        database = open_store(store)
        opened.append(database.close)
        clock = Clock(now=lambda: now[0])
        if checked.mode is Mode.DEFERRED:
            return Service(Exam([pack], checked), database, clock)
        references = {pack.name: open_references(pack)}
        return Service(Exam([pack], checked, references), database, clock)

    yield start
    for close in opened:
        close()


@pytest.fixture(scope="session")
def golds(packs: Path) -> Mapping[str, Any]:
    """Return each question of the packs with an answer that is right."""
    pack = open_pack(packs / "mixed")
    references = open_references(pack)
    found: dict[str, Any] = {}
    for line in pack.lines:
        gold = references.golds[line.item.task][line.item.id]
        found[line.item.id] = gold[0] if isinstance(gold, list) else gold
    return found
