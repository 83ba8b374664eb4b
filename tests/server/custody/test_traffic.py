"""Nothing an agent can reach holds gold: two packs that differ in it alone make equal traffic.

Every tool, resource, prompt, error, malformed call and log is compared, byte by byte, and the store
with them, until the attempt is finished. The agent gives one pack's references as its answers, so
that they are right for one pack and wrong for the other. The gold of free text is a random marker,
which is then searched for everywhere.
"""

import json
import os
import secrets
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5, sha1, sha256
from pathlib import Path
from typing import Any

import pytest

from snellen.sdk.cli.serving import grade_taken
from snellen.server.errors import ExamError
from snellen.server.exam import Exam
from snellen.server.mcp_tools import TOOLS
from snellen.server.rules import Mode, Rules
from snellen.tasks.pack.layout import ITEMS, REFERENCES, SEALED
from snellen.tasks.pack.reading import open_pack, open_references
from snellen.tasks.pack.writing import strip_pack

WATCHED = Path(__file__).with_name("watched.py")
SECONDS = 300
Kept = Any
"""An exam on disk, as the fixture `exams` makes two."""

# ---- watching them being taken ---------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
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


def run(
    folder: Path,
    packs: Sequence[Path],
    key: Path | None,
    answers: Mapping[str, Any],
    era: str,
    rules: Mapping[str, object],
) -> Seen:
    """Let an exam be taken in a process of its own, whose every file lies in one folder."""
    for name in ("temp", "home"):
        (folder / name).mkdir(parents=True)
    given = {
        "packs": [str(pack) for pack in packs],
        "key": None if key is None else str(key),
        "answers": answers,
        "era": era,
        "rules": rules,
        "out": str(folder),
    }
    (folder.parent / f"{folder.name}.json").write_text(json.dumps(given))
    done = subprocess.run(
        [sys.executable, str(WATCHED), str(folder.parent / f"{folder.name}.json")],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "PYTHONHASHSEED": "0",
            "SNELLEN_HOME": str(folder / "home"),
            "SNELLEN_PACK_KEY": "",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "temp"),
            "SQLITE_TMPDIR": str(folder / "temp"),
        },
        cwd=folder / "temp",
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    (folder / "log").write_bytes(done.stderr)
    return Seen(folder, done.stderr)


POLICIES: dict[str, dict[str, object]] = {
    "plain": {"shuffle_options": False, "pairs_together": True},
    "strict": {
        "submissions": 3,
        "counting": "best",
        "views": 3,
        "minutes": 600,
        "contexts": "fresh",
        "sample": 3,
        "seed": 5,
    },
    "deferred": {"mode": "deferred", "submissions": 2},
}


@pytest.fixture(scope="module", params=[*POLICIES])
def policy(request: pytest.FixtureRequest) -> str:
    """Return the name of a set of rules."""
    return request.param


@pytest.fixture(scope="module")
def runs(
    exams: Sequence[Kept], policy: str, tmp_path_factory: pytest.TempPathFactory
) -> Sequence[Seen]:
    """Return what two runs by some rules left: the agent says what is right for the first exam."""
    folder = tmp_path_factory.mktemp(f"runs-{policy}")
    era = "legacy" if policy == "strict" else "2026-07-28"
    return [
        run(folder / name, exam.packs, exam.key, exams[0].right, era, POLICIES[policy])
        for name, exam in zip(("one", "other"), exams, strict=True)
    ]


# ---- the proof -------------------------------------------------------------------------------


@pytest.mark.slow
def test_packs_that_differ_in_gold_alone_make_equal_traffic(runs: Sequence[Seen]) -> None:
    one, other = (seen.lines("before.jsonl") for seen in runs)
    assert len(one) == len(other) > 400
    for mine, others in zip(one, other, strict=True):
        assert mine == others
    spoken = {line["request"].split(" ", 2)[0] for line in one}
    assert spoken == {"POST", "GET", "DELETE", "PUT"}
    text = "".join(line["request"] for line in one)
    assert all(f'"{name}"' in text for name in TOOLS)
    assert "resources/read" in text
    assert "prompts/get" in text


@pytest.mark.slow
def test_they_make_equal_logs_and_equal_stores(runs: Sequence[Seen]) -> None:
    one, other = (seen.json("store.json") for seen in runs)
    assert one == other
    assert len(one["answers"]) > 10
    assert len(one["traces"]) > 100
    until = [
        next(n for n, line in enumerate(lines) if is_finish(line))
        for lines in (seen.logged() for seen in runs)
    ]
    logs = [seen.logged()[:end] for seen, end in zip(runs, until, strict=True)]
    assert logs[0] == logs[1]
    assert len(logs[0]) > 300
    assert not [line for line in logs[0] if line["event"] == "fault"]


def is_finish(line: Mapping[str, Any]) -> bool:
    return line.get("tool") == "finish_attempt" and line["outcome"] == "ok"


@pytest.mark.slow
def test_once_it_is_finished_the_reports_differ(runs: Sequence[Seen], policy: str) -> None:
    reports = [json.loads(text_in(seen.lines("after.jsonl")[0])) for seen in runs]
    if policy == "deferred":
        assert reports[0] == reports[1]
        assert all(task["value"] is None for task in reports[0]["tasks"])
        return
    values = [{task["task"]: task["value"] for task in report["tasks"]} for report in reports]
    assert values[0].keys() == values[1].keys()
    if policy == "plain":
        # What was said is right for the first exam: had it shown, traffic would have differed.
        assert all(values[0][task] > values[1][task] for task in values[0]), values
    else:
        assert values[0] != values[1]


def text_in(kept: Mapping[str, Any]) -> str:
    """Return the text that a kept call of a tool returned."""
    (line,) = [one for one in kept["body"].splitlines() if '"result"' in one]
    return json.loads(line.removeprefix("data: "))["result"]["content"][0]["text"]


@pytest.mark.slow
def test_no_marker_is_anywhere(exams: Sequence[Kept], runs: Sequence[Seen]) -> None:
    # The first exam's markers are what the agent says in both runs: they show that the search
    # finds what is there. The second exam's are only in its references.
    everything = {
        path.relative_to(runs[1].folder): path.read_bytes()
        for path in runs[1].folder.rglob("*")
        if path.is_file()
    }
    names = {path.parts[0] for path in everything}
    assert {"before.jsonl", "after.jsonl", "begun", "store", "log", "store.json"} <= names
    assert Path("begun/exam.sqlite-wal") in everything
    for path, data in everything.items():
        found = [marker for marker in exams[1].markers if is_in(marker, data)]
        assert not found, f"{path} holds gold"
    assert any(is_in(marker, everything[Path("before.jsonl")]) for marker in exams[0].markers)
    stored = everything[Path("begun/exam.sqlite")] + everything[Path("begun/exam.sqlite-wal")]
    assert any(is_in(marker, stored) for marker in exams[0].markers)


def is_in(marker: str, data: bytes) -> bool:
    """Whether a text is in some bytes: as it is, coded in a usual way, or as a digest of it."""
    return any(form in data for form in forms(marker))


def forms(marker: str) -> Iterable[bytes]:
    raw = marker.encode()
    yield raw
    yield raw[4:]
    yield raw[::-1]
    yield marker.upper().encode()
    yield marker.encode("utf-16-le")
    yield raw.hex().encode()
    for shift in range(3):
        # Wherever in a longer text it stands, its middle is coded in one of three ways.
        yield b64encode(b"\0" * shift + raw)[4:-4]
    for digest in (md5, sha1, sha256):
        yield digest(raw).digest()
        yield digest(raw).hexdigest().encode()


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
    assert is_in(marker, b"words " + coded[code](marker.encode()) + b" words")
    assert not is_in(marker, coded[code](b"gold of another item, not this"))


@pytest.mark.slow
def test_only_an_exam_that_grades_opens_references(
    exams: Sequence[Kept], runs: Sequence[Seen], policy: str
) -> None:
    opened = {Path(path).name for seen in runs for path in seen.json("opened.json")}
    assert {ITEMS, "exam.sqlite"} <= opened
    private = {REFERENCES, SEALED, exams[0].key.name}
    assert opened & private == (set() if policy == "deferred" else {SEALED, exams[0].key.name})


@pytest.mark.slow
def test_a_deferred_exam_is_the_same_where_there_are_no_references(
    exams: Sequence[Kept], tmp_path: Path
) -> None:
    bare = [tmp_path / "bare" / pack.name for pack in exams[0].packs]
    for pack, folder in zip(exams[0].packs, bare, strict=True):
        strip_pack(open_pack(pack), folder)
    given = (exams[0].right, "2026-07-28", POLICIES["deferred"])
    without = run(tmp_path / "without", bare, None, *given)
    beside = run(tmp_path / "beside", exams[0].packs, None, *given)
    assert without.lines("before.jsonl") == beside.lines("before.jsonl")
    assert without.lines("after.jsonl") == beside.lines("after.jsonl")
    assert without.json("store.json") == beside.json("store.json")


def test_a_deferred_exam_refuses_to_hold_references(exams: Sequence[Kept]) -> None:
    pack = open_pack(exams[0].packs[0])
    with pytest.raises(ExamError, match="a deferred exam holds no references"):
        Exam([pack], Rules(mode=Mode.DEFERRED), {pack.name: open_references(pack, key_of(exams))})
    with pytest.raises(ExamError, match="a deferred exam holds no references"):
        Exam([pack], Rules(mode=Mode.DEFERRED), grade=grade_taken)


def key_of(exams: Sequence[Kept]) -> str:
    return exams[0].key.read_text(encoding="ascii").strip()
