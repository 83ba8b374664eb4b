import gzip
import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_data_path

from snellen.grading.errors import DataError
from snellen.grading.models.base import digest_of
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.tasks.benchmarks.table import benchmarks
from snellen.tasks.data import pins

RELEASES = [release for benchmark in benchmarks() for release in benchmark.releases]
SHORT_TEST = "dfe055f73e40beeb587b134ff0e79e03aec416f0426543226e4e9a39ea0d7037"
OTHER = "0" * 64

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "home" / "pins.json"


def pinned(
    role: str, split: str, path: str, data: bytes | str, count: int, store: Path | None = None
) -> DataPin:
    return pins.pin(role, split, path, data, count, RELEASES, store)


def pin_boxes(store: Path, sha256: str, count: int = 8_419) -> DataPin:
    return pinned("answers_and_bboxes", "test", "x.json", sha256, count, store)


def test_a_known_checksum_is_the_release(store: Path) -> None:
    found = pinned("short_answers", "test", "a/test.json", SHORT_TEST, 8_419, store)
    assert found == DataPin(
        release="v1.2",
        sha256=SHORT_TEST,
        count=8_419,
        verdict=PinVerdict.KNOWN,
        path="a/test.json",
    )
    assert not store.exists()


@pytest.mark.parametrize(
    ("role", "split"), [("short_answers", "mine"), ("complex_qa", "data"), ("unheard_of", "test")]
)
def test_a_known_file_under_another_name_is_named(store: Path, role: str, split: str) -> None:
    found = pinned(role, split, "x.json", SHORT_TEST, 8_419, store)
    assert (found.verdict, found.release) == (PinVerdict.KNOWN, "v1.2")
    assert found.note == "this is short_answers/test, under another name"


def test_a_changed_copy_of_a_known_file_differs(store: Path) -> None:
    found = pinned("short_answers", "test", "x.json", OTHER, 8_419, store)
    assert (found.verdict, found.release) == (PinVerdict.DIFFERS, "unknown")
    assert found.note == (
        "as many questions as v1.2, but not its bytes: expected sha256 dfe055f73e40…"
    )
    assert not store.exists()


def test_another_number_of_questions_is_unknown_and_told_what_was_published(store: Path) -> None:
    found = pinned("short_answers", "test", "x.json", OTHER, 8, store)
    assert (found.verdict, found.release) == (PinVerdict.UNKNOWN, "unknown")
    assert found.note == "8 questions; the published short_answers holds: v1.2 test 8,419"
    assert not store.exists()


def test_the_mirrors_first_release_is_not_taken_for_the_repositorys(store: Path) -> None:
    found = pinned("short_answers", "test", "x.json", OTHER, 8_427, store)
    assert found.verdict is PinVerdict.UNKNOWN
    mirrored = pinned("RICO-ScreenQA-Short", "test", "x.parquet", OTHER, 8_427, store)
    assert (mirrored.verdict, mirrored.release) == (PinVerdict.FIRST_SEEN, "v1-by-count")


def test_an_unheard_of_split_is_unknown_whatever_its_size(store: Path) -> None:
    found = pinned("short_answers", "mine", "x.json", OTHER, 8_419, store)
    assert found.verdict is PinVerdict.UNKNOWN
    assert "v1.2 test 8,419, v1.2 validation 8,614, v1.2 train 68,951" in found.note


def test_an_unheard_of_role_is_unknown(store: Path) -> None:
    found = pinned("RICO-ScreenQA-Complex", "test", "x.parquet", OTHER, 11_781, store)
    assert found.verdict is PinVerdict.UNKNOWN
    assert found.note == "11,781 questions; no release of RICO-ScreenQA-Complex is on record"


def test_a_file_without_a_checksum_on_record_is_remembered(store: Path) -> None:
    first = pin_boxes(store, "1" * 64)
    assert (first.verdict, first.release) == (PinVerdict.FIRST_SEEN, "v1.2-by-count")
    assert first.note == (
        f"as many questions as v1.2, of which no checksum is on record; remembered in {store}"
    )
    again = pin_boxes(store, "1" * 64)
    assert (again.verdict, again.release) == (PinVerdict.SEEN_BEFORE, "v1.2-by-count")
    other = pin_boxes(store, "2" * 64)
    assert (other.verdict, other.release) == (PinVerdict.DIFFERS, "unknown")
    assert other.note == (
        "as many questions as v1.2, but not the bytes first seen here"
        f" (in {Path('x.json').absolute()}): sha256 111111111111…;"
        " no checksum of the release is on record, so either may be it;"
        f" to forget the first, remove 'v1.2/answers_and_bboxes/test' from {store}"
    )
    assert pin_boxes(store, "1" * 64).verdict is PinVerdict.SEEN_BEFORE


def test_who_only_looks_remembers_nothing_and_is_told_what_others_remembered(store: Path) -> None:
    with pins.only_looking():
        first = pin_boxes(store, "1" * 64)
        assert first.note == "as many questions as v1.2, of which no checksum is on record"
        assert pin_boxes(store, "2" * 64).verdict is first.verdict is PinVerdict.FIRST_SEEN
    assert not store.parent.exists()
    pin_boxes(store, "1" * 64)
    with pins.only_looking():
        assert pin_boxes(store, "1" * 64).verdict is PinVerdict.SEEN_BEFORE
        assert pin_boxes(store, "2" * 64).verdict is PinVerdict.DIFFERS


def test_a_store_that_says_not_where_something_was_seen_is_read(store: Path) -> None:
    store.parent.mkdir()
    store.write_text(json.dumps({"files": {"v1.2/answers_and_bboxes/test": "1" * 64}}))
    assert pin_boxes(store, "1" * 64).verdict is PinVerdict.SEEN_BEFORE
    assert "first seen here: sha256 1111" in pin_boxes(store, "2" * 64).note


def test_one_question_is_not_several(store: Path) -> None:
    assert pinned("short_answers", "test", "x", OTHER, 1, store).note.startswith("1 question; ")


def test_splits_and_roles_are_remembered_apart(store: Path) -> None:
    pin_boxes(store, "1" * 64)
    for role, split, count in (
        ("answers_and_bboxes", "validation", 8_614),
        ("short_answers", "train", 68_951),
        ("RICO-ScreenQA", "test", 8_427),
    ):
        assert pinned(role, split, "x", OTHER, count, store).verdict is PinVerdict.FIRST_SEEN
    assert pin_boxes(store, "1" * 64).verdict is PinVerdict.SEEN_BEFORE


def test_a_file_of_another_size_is_not_remembered(store: Path) -> None:
    pin_boxes(store, "1" * 64, count=100)
    assert not store.exists()


def test_bytes_and_their_digest_pin_alike(store: Path) -> None:
    digest = hashlib.sha256(b"data").hexdigest()
    assert pinned("r", "s", "x", b"data", 1, store) == pinned("r", "s", "x", digest, 1, store)


def test_the_store_is_under_snellen_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path))
    assert pins.default_store() == tmp_path / "pins.json"
    assert pinned("answers_and_bboxes", "test", "x", OTHER, 8_419).verdict is PinVerdict.FIRST_SEEN
    assert pins.default_store().exists()
    monkeypatch.delenv("SNELLEN_HOME")
    assert pins.default_store() == user_data_path("snellen", appauthor=False) / "pins.json"


def test_a_home_that_can_not_be_written_does_not_stop_grading(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    found = pin_boxes(blocked / "pins.json", "1" * 64)
    assert found.verdict is PinVerdict.FIRST_SEEN
    assert "could not be remembered in" in found.note
    assert "Not a directory" in found.note


def test_a_remembered_file_is_known_in_a_home_that_can_not_be_written(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin_boxes(store, "1" * 64)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr("os.replace", refuse)
    assert pin_boxes(store, "1" * 64).verdict is PinVerdict.SEEN_BEFORE


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"files": 3}', b"\xff"])
def test_a_damaged_store_is_named_and_left_alone(store: Path, content: bytes) -> None:
    store.parent.mkdir()
    store.write_bytes(content)
    found = pin_boxes(store, "1" * 64)
    assert found.verdict is PinVerdict.FIRST_SEEN
    assert f"could not be remembered in {store}" in found.note
    assert store.read_bytes() == content


def test_nothing_but_the_store_and_its_lock_is_left_behind(store: Path) -> None:
    pin_boxes(store, "1" * 64)
    assert sorted(path.name for path in store.parent.iterdir()) == ["pins.json", "pins.lock"]


ONE_PROCESS = """
import sys
from pathlib import Path
from snellen.tasks.benchmarks.table import benchmarks
from snellen.tasks.data.pins import pin
RELEASES = [release for benchmark in benchmarks() for release in benchmark.releases]
digest, store = sys.argv[1], Path(sys.argv[2])
for release in RELEASES:
    if release.sha256 is None:
        found = pin(release.role, release.split, "x", digest, release.count, RELEASES, store)
        print(release.role, release.split, found.verdict)
"""


@pytest.mark.slow
def test_processes_at_once_lose_no_first_sight_and_agree_on_one(store: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", ONE_PROCESS, str(number) * 64, str(store)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    lines = [line for process in running for line in process.communicate()[0].splitlines()]
    assert [process.returncode for process in running] == [0] * 4
    unrecorded = [release for release in RELEASES if release.sha256 is None]
    files = json.loads(store.read_text())["files"]
    assert len(files) == len(unrecorded)
    for release in unrecorded:
        verdicts = [
            line.split(maxsplit=2)[2]
            for line in lines
            if line.startswith(f"{release.role} {release.split} ")
        ]
        assert sorted(verdicts) == ["differs", "differs", "differs", "first seen"]


def test_threads_at_once_agree_on_one_first_sight(store: Path) -> None:
    digests = [f"{number:064}" for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(partial(pin_boxes, store), digests))
    verdicts = [each.verdict for each in found]
    assert verdicts.count(PinVerdict.FIRST_SEEN) == 1
    assert verdicts.count(PinVerdict.DIFFERS) == 15


def test_the_digest_of_one_file_is_its_bytes_and_of_parts_their_digests(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(name.encode())
    a, b = (hashlib.sha256(name).hexdigest() for name in (b"a", b"b"))
    assert pins.digest_of_files([tmp_path / "a"]) == a
    both = hashlib.sha256(f"{a}\n{b}".encode()).hexdigest()
    assert pins.digest_of_files([tmp_path / "a", tmp_path / "b"]) == both


def test_the_digest_of_a_missing_file_names_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone: can't be read: No such file"):
        pins.digest_of_files([tmp_path / "gone"])


def test_a_compressed_file_has_the_digest_of_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a" * 99)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a" * 99))
    assert pins.digest_of_files([tmp_path / "a.gz"]) == pins.digest_of_files([tmp_path / "a"])
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a" * 99)[:-5])
    with pytest.raises(DataError, match="is no whole gzip file"):
        pins.digest_of_files([tmp_path / "a.gz"])


@given(json_values)
def test_the_digest_of_a_value_is_that_of_its_compact_sorted_json(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert digest_of(value) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}.__iter__()}, "\ud800"])
def test_the_digest_of_what_is_no_json_is_refused(value: object) -> None:
    with pytest.raises(DataError, match="the references are not a JSON value"):
        digest_of(value)


def test_the_revision_of_a_first_fetch_is_remembered(store: Path) -> None:
    assert pins.revision_of("host/owner/name", store) is None
    assert "remembered in" in pins.remember_revision("host/owner/name", "a" * 40, store)
    assert "first fetch was aaaa" in pins.remember_revision("host/owner/name", "b" * 40, store)
    assert pins.revision_of("host/owner/name", store) == "a" * 40
    assert pins.revision_of("host/owner/other", store) is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"files": 3}'])
def test_a_damaged_store_does_not_stop_a_fetch(store: Path, content: bytes) -> None:
    store.parent.mkdir()
    store.write_bytes(content)
    assert pins.revision_of("host/owner/name", store) is None
    assert "could not be remembered" in pins.remember_revision("host/owner/name", "a" * 40, store)
    assert store.read_bytes() == content


def test_every_release_stands_once_and_counts_add_up() -> None:
    keys = [(release.role, release.split) for release in RELEASES]
    assert len(keys) == len(set(keys))
    counts = {(release.role, release.split): release.count for release in RELEASES}
    splits = ("train", "validation", "test")
    # BENCHMARKS 3.1 and 7.7: 68,951 + 8,614 + 8,419 = 85,984.
    for role in ("short_answers", "answers_and_bboxes"):
        assert sum(counts[role, split] for split in splits) == 85_984
    for role in ("RICO-ScreenQA", "RICO-ScreenQA-Short"):
        assert [counts[role, split] for split in splits] == [68_980, 8_618, 8_427]
    assert counts["complex_qa", "data"] == 11_781
    assert all(release.sha256 is None or len(release.sha256) == 64 for release in RELEASES)
