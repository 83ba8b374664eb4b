"""Nothing an agent can reach holds gold: two packs that differ in it alone make equal traffic.

Every tool, resource, prompt, error, malformed call and log is compared, byte by byte, and the store
with them, until the attempt is finished: for every task, in every mode, over HTTP and over standard
input and output. The agent gives one pack's references as its answers, so that they are right for
one pack and wrong for the other. The gold of free text is a random marker, which is then searched
for everywhere.
"""

import json
import os
import re
import secrets
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from markers import is_in, markers_in

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import Exam
from snellen.server.mcp.tools import TOOLS
from snellen.tasks.benchmarks.matrix.rules.metrics import METRICS
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.pack.format import ITEMS, REFERENCES, SEALED
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.pack.references import canary_of
from snellen.tasks.pack.write import Part, strip_pack, write_pack

pytestmark = pytest.mark.thorough

WATCHED = Path(__file__).with_name("watched.py")
SECONDS = 600
ExamFiles = Any
"""An exam on disk, as the fixture `exams` makes two."""

# ---- watching them being taken ---------------------------------------------------------------


@dataclass(frozen=True)
class Traffic:
    """What a run of an exam left behind: its folder, and what its server logged."""

    folder: Path
    log: bytes

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return the records of a file of JSON lines."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def json(self, name: str) -> Any:
        """Return what a file of JSON holds."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def logged(self) -> list[dict[str, Any]]:
        """Return the log's lines without times."""
        lines = [json.loads(line) for line in self.log.splitlines()]
        return [
            {name: value for name, value in line.items() if name not in ("us", "timestamp")}
            for line in lines
        ]


@dataclass(frozen=True)
class Setup:
    """How an exam is taken: by which transport, era and rules, and whether the server has the key.

    Only a deferred exam can do without the key of its packs.
    """

    transport: str
    era: str
    rules: Mapping[str, object] = field(default_factory=dict[str, object])
    key: bool = True

    @property
    def mode(self) -> str:
        return str(self.rules.get("mode", "exam"))


NEW = "2026-07-28"
STRICT = {
    "submissions": 3,
    "counting": "best",
    "views": 3,
    "minutes": 600,
    "contexts": "fresh",
    "sample": 3,
    "seed": 5,
}
WAYS = {
    "exam over http": Setup("http", NEW, {"shuffle_options": False, "pairs_together": True}),
    "strict exam over http": Setup("http", "legacy", STRICT),
    "exam over stdio": Setup(
        "stdio", "legacy", {"submissions": 2, "sample": 2, "counting": "first"}
    ),
    "practice over http": Setup("http", "legacy", {"mode": "practice", "sample": 2}),
    "practice over stdio": Setup("stdio", NEW, {"mode": "practice", "submissions": 3, "sample": 2}),
    "deferred over http": Setup("http", NEW, {"mode": "deferred", "submissions": 2, "sample": 2}),
    "deferred over stdio": Setup("stdio", NEW, {"mode": "deferred", "sample": 2}, key=False),
}


def run(
    folder: Path, packs: Sequence[Path], key: Path | None, answers: Mapping[str, Any], way: Setup
) -> Traffic:
    """Let an exam be taken in a process of its own, whose every file lies in one folder."""
    for name in ("temp", "home"):
        (folder / name).mkdir(parents=True)
    given = {
        "packs": [str(pack) for pack in packs],
        "key": None if key is None else str(key),
        "answers": answers,
        "transport": way.transport,
        "era": way.era,
        "rules": way.rules,
        "out": str(folder),
    }
    (folder.parent / f"{folder.name}.json").write_text(json.dumps(given))
    done = subprocess.run(
        [sys.executable, str(WATCHED), str(folder.parent / f"{folder.name}.json")],
        env=environment(folder),
        cwd=folder / "temp",
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    (folder / "log").write_bytes(done.stderr)
    return Traffic(folder, done.stderr)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a process that keeps all of its files in a folder."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        "PYTHONHASHSEED": "0",
        "SNELLEN_HOME": str(folder / "home"),
        "SNELLEN_PACK_KEY": "",
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "temp"),
        "SQLITE_TMPDIR": str(folder / "temp"),
    }


@pytest.fixture(scope="module", params=[*WAYS])
def way(request: pytest.FixtureRequest) -> Setup:
    """Return a way in which an exam is taken."""
    return WAYS[request.param]


@pytest.fixture(scope="module")
def runs(
    exams: Sequence[ExamFiles], way: Setup, tmp_path_factory: pytest.TempPathFactory
) -> Sequence[Traffic]:
    """Return what two runs left: the agent says what is right for the first exam."""
    folder = tmp_path_factory.mktemp("runs")
    with ThreadPoolExecutor() as pool:
        begun = [
            pool.submit(
                run, folder / name, exam.packs, exam.key if way.key else None, exams[0].right, way
            )
            for name, exam in zip(("one", "other"), exams, strict=True)
        ]
        return [one.result() for one in begun]


# ---- what is taken ---------------------------------------------------------------------------

WITHOUT_GOLD = {
    "mmbench-gui/l3": "an answer says itself how the episode went",
    "mmbench-gui/l4": "an answer says itself how the episode went",
    "miniwob/episode": "an answer says itself how the episode went",
    "outcomes/run": "an answer says itself how the episode went",
    "venusbench-gd/refusal": "a refusal is right of every item",
}
"""Tasks that are in both exams and have nothing that could differ, and why."""


def test_every_task_is_in_the_exams_with_other_gold_and_the_same_items(
    exams: Sequence[ExamFiles],
) -> None:
    asked = [read_packs(exam) for exam in exams]
    assert asked[0].keys() == asked[1].keys() == {*TASKS}
    same = {task for task in TASKS if asked[0][task] == asked[1][task]}
    assert same == WITHOUT_GOLD.keys()
    for one, other in zip(exams[0].packs, exams[1].packs, strict=True):
        assert public(one) == public(other)


def read_packs(exam: ExamFiles) -> dict[str, Any]:
    """Return the gold of each task of an exam's packs."""
    key = exam.key.read_text(encoding="ascii").strip()
    packs = [open_pack(folder) for folder in exam.packs]
    return {
        task: golds for pack in packs for task, golds in open_references(pack, key).golds.items()
    }


def public(folder: Path) -> dict[str, bytes]:
    """Return a pack's files by name, without the references and what names their digest."""
    files = (path for path in folder.rglob("*") if path.is_file())
    kept = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    manifest = json.loads(kept.pop("manifest.json"))
    manifest["files"].pop(SEALED)
    return {**kept, SEALED: b"", "manifest.json": json.dumps(manifest).encode()}


def test_every_metric_of_the_matrix_is_in_them(exams: Sequence[ExamFiles]) -> None:
    assert {*exams[0].data["matrix/items"].tags["metric"]} == {*METRICS}


# ---- the proof -------------------------------------------------------------------------------


@pytest.mark.slow
def test_packs_that_differ_in_gold_alone_make_equal_traffic(
    runs: Sequence[Traffic], way: Setup
) -> None:
    told = [seen.lines("before.jsonl") for seen in runs]
    if way.mode == "practice":
        # What an answer is worth is all that practice tells, and it tells it.
        scores = [[score_in(line) for line in lines] for lines in told]
        assert scores[0] != scores[1]
        told = [[without_score(line) for line in lines] for lines in told]
    one, other = told
    assert len(one) == len(other) > 1000
    for mine, others in zip(one, other, strict=True):
        assert mine == others
    assert way.mode == "practice" or not any(score_in(line) for line in one)
    spoken = {line["request"].split(" ", 2)[0] for line in one}
    ways = {"POST", "GET", "DELETE", "PUT"} if way.transport == "http" else {"line", ""}
    assert spoken == ways
    text = "".join(line["request"] for line in one)
    assert all(f'"{name}"' in text for name in TOOLS)
    assert "resources/read" in text
    assert "prompts/get" in text


SCORE = re.compile(r',\\"score\\":(\{.*?\})(?=\})')
"""The last part of the receipt of an answer, within JSON within JSON."""


def score_in(line: Mapping[str, Any]) -> str | None:
    found = SCORE.search(line.get("body", ""))
    return None if found is None else found[1]


def without_score(line: Mapping[str, Any]) -> dict[str, Any]:
    headers = [pair for pair in line.get("headers", ()) if pair[0] != "content-length"]
    return {**line, "headers": headers, "body": SCORE.sub("", line.get("body", ""))}


@pytest.mark.slow
def test_organizers_metrics_let_no_examinee_in(runs: Sequence[Traffic], way: Setup) -> None:
    asked = [line for line in runs[0].lines("before.jsonl") if " /metrics" in line["request"]]
    assert bool(asked) == (way.transport == "http")
    assert {line["status"] for line in asked} <= {401, 403, 405}


@pytest.mark.slow
def test_they_make_equal_logs_and_equal_stores(runs: Sequence[Traffic], way: Setup) -> None:
    one, other = (seen.json("store.json") for seen in runs)
    assert one == other
    assert len(one["answers"]) > 30
    assert len(one["traces"]) > 500
    until = [
        next(n for n, line in enumerate(lines) if is_finish(line))
        for lines in (seen.logged() for seen in runs)
    ]
    logs = [seen.logged()[:end] for seen, end in zip(runs, until, strict=True)]
    if way.mode == "practice":
        # Each answer's score is told there, and 0.5 is longer than 1.
        logs = [[{**line, "bytes": None} for line in lines] for lines in logs]
    assert logs[0] == logs[1]
    assert len(logs[0]) > 1000
    assert not [line for line in logs[0] if line["event"] == "fault"]


def is_finish(line: Mapping[str, Any]) -> bool:
    return line.get("tool") == "finish_attempt" and line["outcome"] == "ok"


@pytest.mark.slow
def test_once_it_is_finished_the_reports_differ(runs: Sequence[Traffic], way: Setup) -> None:
    reports = [json.loads(text_in(seen.lines("after.jsonl"))) for seen in runs]
    if way.mode == "deferred":
        assert reports[0] == reports[1]
        assert all(task["value"] is None for task in reports[0]["tasks"])
        return
    values = [{task["task"]: task["value"] for task in report["tasks"]} for report in reports]
    assert values[0].keys() == values[1].keys() == {*TASKS}
    if way is WAYS["exam over http"]:
        # What was said is right for the first exam: had it shown, traffic would have differed.
        told = values[0].keys() - WITHOUT_GOLD.keys()
        assert not [task for task in told if values[0][task] <= values[1][task]], values
    else:
        assert values[0] != values[1]


def text_in(lines: Iterable[Mapping[str, Any]]) -> str:
    """Return the text that the first call of a tool returned."""
    (body, *_) = [line["body"] for line in lines if '"result"' in line.get("body", "")]
    (told,) = [one for one in body.splitlines() if '"result"' in one]
    return json.loads(told.removeprefix("data: "))["result"]["content"][0]["text"]


@pytest.mark.slow
def test_no_marker_is_anywhere(exams: Sequence[ExamFiles], runs: Sequence[Traffic]) -> None:
    # The first exam's markers are what the agent says in both runs: they show that the search
    # finds what is there. The second exam's are only in its references.
    everything = {
        path.relative_to(runs[1].folder): path.read_bytes()
        for path in runs[1].folder.rglob("*")
        if path.is_file()
    }
    everything |= {
        path.relative_to(pack.parent): path.read_bytes()
        for pack in exams[1].packs
        for path in pack.rglob("*")
        if path.is_file()
    }
    assert {Path("pages", SEALED), Path("pages", ITEMS)} <= everything.keys()
    names = {path.parts[0] for path in everything}
    assert {"before.jsonl", "after.jsonl", "begun", "store", "log", "store.json"} <= names
    assert Path("begun/exam.sqlite-wal") in everything
    for path, data in everything.items():
        assert markers_in(exams[1].markers, data) == [], f"{path} holds gold"
    assert markers_in(exams[0].markers, everything[Path("before.jsonl")])
    stored = everything[Path("begun/exam.sqlite")] + everything[Path("begun/exam.sqlite-wal")]
    assert markers_in(exams[0].markers, stored)


@pytest.mark.slow
def test_no_response_names_an_item_or_a_file(
    exams: Sequence[ExamFiles], runs: Sequence[Traffic]
) -> None:
    private: set[str] = set()
    for folder in exams[0].packs:
        pack = open_pack(folder)
        private |= {canary_of(pack.manifest.files[ITEMS].sha256), str(folder)}
        private |= {f'"{line.item.id}' for line in pack.lines}
        private |= {
            Path(kept.file or "").stem for line in pack.lines for kept in line.images.values()
        }
    assert len(private) > 100
    for name in ("before.jsonl", "after.jsonl"):
        told = "".join(line.get("body", "") for line in runs[0].lines(name)).replace('\\"', '"')
        assert not [words for words in private if words in told]


@pytest.mark.parametrize("code", ["hex", "base64", "sha256", "utf-16-le", "reversed"])
def test_the_search_finds_a_marker_however_it_is_coded(code: str) -> None:
    marker = f"gold{secrets.token_hex(12)}"
    coded: dict[str, Callable[[bytes], bytes]] = {
        "hex": lambda raw: raw.hex().encode(),
        "base64": lambda raw: b64encode(b"before " + raw + b" after"),
        "sha256": lambda raw: sha256(raw).digest(),
        "utf-16-le": lambda raw: raw.decode().encode("utf-16-le"),
        "reversed": lambda raw: raw[::-1],
    }
    hidden = coded[code](marker.encode())
    assert is_in(marker, b"words " + hidden + b" words")
    assert not is_in(marker, coded[code](b"gold of another item, not this"))
    others = [f"gold{secrets.token_hex(12)}" for _ in range(20)]
    for shift in range(9):
        assert markers_in([*others, marker], b"-" * shift + hidden) == [marker]
        assert markers_in(others, b"-" * shift + hidden) == []


@pytest.mark.slow
def test_only_an_exam_that_grades_opens_references(
    exams: Sequence[ExamFiles], runs: Sequence[Traffic], way: Setup
) -> None:
    opened = {Path(path).name for seen in runs for path in seen.json("opened.json")}
    assert {ITEMS, "exam.sqlite"} <= opened
    private = {REFERENCES, SEALED, exams[0].key.name}
    graded = {SEALED, exams[0].key.name}
    assert opened & private == (graded if way.mode != "deferred" else private - private)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["deferred over http"], indirect=True)
def test_a_deferred_exam_is_the_same_where_there_are_no_references(
    exams: Sequence[ExamFiles], runs: Sequence[Traffic], way: Setup, tmp_path: Path
) -> None:
    bare = [tmp_path / "bare" / pack.name for pack in exams[0].packs]
    for pack, folder in zip(exams[0].packs, bare, strict=True):
        strip_pack(open_pack(pack), folder)
    without = run(tmp_path / "without", bare, None, exams[0].right, way)
    beside = runs[0]
    assert without.lines("before.jsonl") == beside.lines("before.jsonl")
    assert without.lines("after.jsonl") == beside.lines("after.jsonl")
    assert without.json("store.json") == beside.json("store.json")


@pytest.mark.slow
def test_sealing_and_stripping_leave_no_marker_on_the_disk(
    exams: Sequence[ExamFiles], tmp_path: Path
) -> None:
    for name in ("temp", "home"):
        (tmp_path / name).mkdir()
    pack, parts = tmp_path / "pack", [Part(data) for data in exams[0].data.values()]
    write_pack(parts, pack, name="open", images=False)
    lines = (pack / REFERENCES).read_bytes()
    all_gold = shown(exams[0])
    gold = [marker for marker in exams[0].markers if marker in all_gold]
    assert markers_in(gold, lines) == gold
    key = tmp_path / "exam.key"
    for words in (
        ["seal", str(pack), "--key", str(key)],
        ["split", str(pack), "--without-references", "--output", str(tmp_path / "bare")],
    ):
        done = subprocess.run(
            [sys.executable, "-c", "from snellen.cli import main; main()", "pack", *words],
            env=environment(tmp_path),
            cwd=tmp_path / "temp",
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr.decode()
        (tmp_path / f"{words[0]}.log").write_bytes(done.stdout + done.stderr)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {pack / SEALED, pack / ITEMS, tmp_path / "bare" / ITEMS} <= files.keys()
    assert pack / REFERENCES not in files
    for path, data in files.items():
        assert markers_in(exams[0].markers, data) == [], path


def shown(exam: ExamFiles) -> str:
    """Return the gold of an exam as text: an explanation of L1 is no gold, and in no pack."""
    return repr([data.golds for data in exam.data.values()])


def test_a_deferred_exam_refuses_to_hold_references(exams: Sequence[ExamFiles]) -> None:
    pack = open_pack(exams[0].packs[0])
    with pytest.raises(ExamError, match="a deferred exam must not have references"):
        Exam([pack], Rules(mode=Mode.DEFERRED), {pack.name: open_references(pack, key_of(exams))})


def key_of(exams: Sequence[ExamFiles]) -> str:
    return exams[0].key.read_text(encoding="ascii").strip()
