"""Fetching, against a real server on this machine."""

import hashlib
import io
import json
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock
from hub import Site

from snellen.grading.errors import InputError, MissingExtraError, UnknownNameError
from snellen.grading.models.reports import PinVerdict
from snellen.tasks.benchmarks.table import load_task, place_of
from snellen.tasks.data.fetch import FetchError, Progress, fetch
from snellen.tasks.data.pins import revision_of

BIG = bytes(range(256)) * 4_000
CAPTIONS = "web_caption/test-00000-of-00001.parquet"
HEADINGS = "heading_ocr/test.json"
WEBRSS = "huggingface.co/datasets/annoy-worker/WebRSSBench"


@pytest.fixture
def bench(site: Site) -> Site:
    """VisualWebBench as far as these tests need it."""
    rows = [{"id": "heading_ocr_1", "answer": "Welcome"}]
    site.files = {
        "README.md": b"# VisualWebBench\n",
        CAPTIONS: BIG,
        HEADINGS: json.dumps(rows).encode(),
        "other/file.bin": b"not asked for",
    }
    return site


def manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "snellen-fetch.json").read_text())


class Usage(NamedTuple):
    """What `shutil.disk_usage` returns."""

    total: int
    used: int
    free: int


def no_room(_: object) -> Usage:
    return Usage(10, 9, 1)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_fetch_brings_the_files_and_writes_down_what_they_are(
    bench: Site, tmp_path: Path
) -> None:
    fetched = fetch("visualwebbench", tmp_path)
    commit = place_of("visualwebbench").revision
    assert [file.path for file in fetched.files] == ["README.md", CAPTIONS, HEADINGS]
    assert set(fetched.new) == {"README.md", CAPTIONS, HEADINGS}
    assert (tmp_path / CAPTIONS).read_bytes() == BIG
    assert not (tmp_path / "other").exists()
    assert fetched.revision == commit
    assert fetched.size == sum(len(bench.files[file.path]) for file in fetched.files)
    written = manifest(tmp_path)
    assert written["revision"] == commit
    assert written["repository"] == "huggingface.co/datasets/visualwebbench/VisualWebBench"
    assert {file["path"]: file["sha256"] for file in written["files"]} == {
        path: hashlib.sha256(bench.files[path]).hexdigest()
        for path in ("README.md", CAPTIONS, HEADINGS)
    }


def test_what_was_fetched_loads(bench: Site, tmp_path: Path) -> None:
    fetch("visualwebbench", tmp_path, tasks=["visualwebbench/heading_ocr"])
    assert not (tmp_path / CAPTIONS).exists()
    assert list(load_task("visualwebbench/heading_ocr", tmp_path).ids) == ["test/heading_ocr_1"]


def test_a_second_fetch_downloads_nothing_and_writes_the_same(bench: Site, tmp_path: Path) -> None:
    fetch("visualwebbench", tmp_path)
    before = (tmp_path / "snellen-fetch.json").read_bytes()
    bench.asked.clear()
    again = fetch("visualwebbench", tmp_path)
    assert again.new == ()
    assert len(again.files) == 3
    assert bench.fetched() == []
    assert (tmp_path / "snellen-fetch.json").read_bytes() == before


def test_files_that_were_there_before_are_checked_and_kept(bench: Site, tmp_path: Path) -> None:
    for path in (CAPTIONS, HEADINGS):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_bytes(bench.files[path])
    assert fetch("visualwebbench", tmp_path).new == ("README.md",)


@pytest.mark.parametrize("path", [CAPTIONS, HEADINGS])
def test_a_file_that_changed_is_fetched_again(bench: Site, tmp_path: Path, path: str) -> None:
    fetch("visualwebbench", tmp_path)
    data = bytearray((tmp_path / path).read_bytes())
    data[3] ^= 1
    (tmp_path / path).write_bytes(data)
    assert fetch("visualwebbench", tmp_path).new == (path,)
    assert (tmp_path / path).read_bytes() == bench.files[path]


def test_a_connection_that_breaks_is_taken_up_where_it_broke(bench: Site, tmp_path: Path) -> None:
    bench.cuts[CAPTIONS] = [300_000, 200_000]
    fetch("visualwebbench", tmp_path)
    assert (tmp_path / CAPTIONS).read_bytes() == BIG
    asked = [start for path, start in bench.fetched() if path == CAPTIONS]
    assert asked[0] is None
    starts = [int(start.removeprefix("bytes=").rstrip("-")) for start in asked[1:] if start]
    assert len(starts) == 2
    assert 0 < starts[0] <= 300_000 < starts[1] <= 500_000


def test_an_interrupted_fetch_is_taken_up_by_the_next(bench: Site, tmp_path: Path) -> None:
    bench.cuts[CAPTIONS] = [300_000, 0]
    with pytest.raises(FetchError, match="run this again to go on") as caught:
        fetch("visualwebbench", tmp_path)
    assert "can't be reached" in caught.value.reason
    part = tmp_path / f"{CAPTIONS}.part"
    there = part.stat().st_size
    assert 0 < there <= 300_000
    assert not (tmp_path / CAPTIONS).exists()
    bench.asked.clear()
    assert CAPTIONS in fetch("visualwebbench", tmp_path).new
    assert (CAPTIONS, f"bytes={there}-") in bench.fetched()
    assert (tmp_path / CAPTIONS).read_bytes() == BIG
    assert not part.exists()


def test_a_part_that_is_whole_is_not_asked_for_again(bench: Site, tmp_path: Path) -> None:
    (tmp_path / CAPTIONS).parent.mkdir()
    (tmp_path / f"{CAPTIONS}.part").write_bytes(BIG)
    fetch("visualwebbench", tmp_path)
    assert CAPTIONS not in [path for path, _ in bench.fetched()]
    assert (tmp_path / CAPTIONS).read_bytes() == BIG


def test_a_part_that_is_too_long_is_started_over(bench: Site, tmp_path: Path) -> None:
    (tmp_path / CAPTIONS).parent.mkdir()
    (tmp_path / f"{CAPTIONS}.part").write_bytes(BIG + b"more")
    fetch("visualwebbench", tmp_path)
    assert (tmp_path / CAPTIONS).read_bytes() == BIG


def test_a_server_that_gives_no_parts_is_asked_for_the_whole(bench: Site, tmp_path: Path) -> None:
    bench.ranges = False
    bench.cuts[CAPTIONS] = [300_000]
    told: list[Progress] = []
    fetch("visualwebbench", tmp_path, watch=told.append)
    assert (tmp_path / CAPTIONS).read_bytes() == BIG
    assert told[-1].done == told[-1].total


def test_another_host_that_holds_the_bytes_is_sent_the_range_and_no_token(
    bench: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    bench.moved = {CAPTIONS}
    bench.cuts[CAPTIONS] = [300_000]
    fetch("visualwebbench", tmp_path)
    assert (tmp_path / CAPTIONS).read_bytes() == BIG
    assert [start is None for path, start in bench.fetched() if path == CAPTIONS] == [True, False]
    assert bench.tokens == {"127.0.0.1"}


@pytest.mark.parametrize("path", [CAPTIONS, HEADINGS])
def test_bytes_that_are_not_those_published_are_refused(
    bench: Site, tmp_path: Path, path: str
) -> None:
    bench.listed[path] = bytes(reversed(bench.files[path]))
    with pytest.raises(FetchError, match="is not what was published") as caught:
        fetch("visualwebbench", tmp_path)
    assert path in str(caught.value)
    assert not (tmp_path / path).exists()
    assert not (tmp_path / f"{path}.part").exists()


def test_progress_goes_up_to_the_whole(bench: Site, tmp_path: Path) -> None:
    told: list[Progress] = []
    fetched = fetch("visualwebbench", tmp_path, watch=told.append)
    done = [one.done for one in told]
    assert done == sorted(done)
    assert (told[-1].done, told[-1].total) == (fetched.size, fetched.size)
    assert (told[-1].files, told[-1].of) == (3, 3)


# ---- revisions ---------------------------------------------------------------------------------


def test_the_first_fetch_of_an_unpinned_repository_is_remembered(
    site: Site, tmp_path: Path
) -> None:
    site.files = {"data/page.html": b"<html>", "data/page.png": b"png"}
    assert revision_of(WEBRSS) is None
    first = fetch("webrssbench", tmp_path / "one")
    assert first.revision == revision_of(WEBRSS) == "c" * 40
    assert "remembered in" in first.notes[-1]
    site.commit = "d" * 40
    second = fetch("webrssbench", tmp_path / "two")
    assert second.revision == "c" * 40
    newest = fetch("webrssbench", tmp_path / "three", revision="main")
    assert newest.revision == "d" * 40
    assert f"the first fetch was {'c' * 40}" in newest.notes[-1]


def test_a_folder_holds_one_revision(bench: Site, tmp_path: Path) -> None:
    fetch("visualwebbench", tmp_path, revision="main")
    assert fetch("visualwebbench", tmp_path).revision == bench.commit
    with pytest.raises(InputError, match="give another folder with --to"):
        fetch("visualwebbench", tmp_path, revision="e" * 40)


def test_a_folder_holds_one_benchmark(bench: Site, tmp_path: Path) -> None:
    fetch("visualwebbench", tmp_path)
    with pytest.raises(InputError, match="VisualWebBench already"):
        fetch("webrssbench", tmp_path)


def test_a_damaged_manifest_is_named(bench: Site, tmp_path: Path) -> None:
    (tmp_path / "snellen-fetch.json").write_text("{")
    with pytest.raises(InputError, match=r"snellen-fetch\.json: can't be read"):
        fetch("visualwebbench", tmp_path)


# ---- what is asked for -------------------------------------------------------------------------


def test_an_unknown_benchmark_or_task_is_named_with_the_nearest(site: Site, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'visualwebbench'"):
        fetch("visualwebench", tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean 'web_caption'"):
        fetch("visualwebbench", tmp_path, tasks=["web_captions"])
    assert site.asked == []


def test_images_inside_the_data_can_not_be_left_out(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="inside the files that hold its questions"):
        fetch("visualwebbench", tmp_path, images=False)


def archive(*names: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as opened:
        for name in names:
            opened.writestr(name, f"image {name}")
    return data.getvalue()


def test_images_are_unpacked_where_the_loader_looks(site: Site, tmp_path: Path) -> None:
    row = {
        "image_path": "9e30.png",
        "instruction": "the blue button",
        "bbox": [0.1, 0.1, 0.2, 0.2],
        "image_size": [100, 200],
        "data_type": "icon",
        "platform": "os_ios",
        "grounding_type": "basic",
    }
    zipped = "MMBench-GUI-OfflineImages.zip"
    site.files = {
        "L1_annotations.json": b"[]",
        "L2_annotations.json": json.dumps([row]).encode(),
        zipped: archive("offline_images/os_ios/9e30.png", "__MACOSX/._9e30.png"),
    }
    fetched = fetch("mmbench-gui", tmp_path, tasks=["l2_basic"])
    assert {file.path: file.unpacked for file in fetched.files} == {
        "L2_annotations.json": None,
        zipped: 1,
    }
    assert (tmp_path / "offline_images/os_ios/9e30.png").read_text().startswith("image")
    assert load_task("mmbench-gui/l2_basic", tmp_path).load_image is not None
    plain = fetch("mmbench-gui", tmp_path / "plain", images=False)
    assert [file.path for file in plain.files] == ["L1_annotations.json", "L2_annotations.json"]


def test_a_repository_that_is_laid_out_otherwise_is_told(site: Site, tmp_path: Path) -> None:
    site.files = {"data/train.parquet": BIG}
    with pytest.raises(FetchError, match="holds none of the files that are known of it"):
        fetch("visualwebbench", tmp_path)


@pytest.mark.parametrize(
    "path", ["../evil", "/evil", "a/../../evil", "C:evil", "\\evil", "a/C:evil", "evil\0.png"]
)
def test_a_file_outside_of_the_folder_is_refused(site: Site, tmp_path: Path, path: str) -> None:
    site.files = {path: b"x"}
    with pytest.raises(FetchError, match="names a file outside of its folder"):
        fetch("webrssbench", tmp_path / "in")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "path",
    ["snellen-fetch.json", ".snellen-fetch.lock", "Snellen-Fetch.json", "snellen-fetch.json/a"],
)
def test_a_file_that_is_called_like_one_of_snellens_own_is_refused(
    site: Site, tmp_path: Path, path: str
) -> None:
    site.files = {path: b"x", "data/page.html": b"<html>"}
    with pytest.raises(FetchError, match="a name of snellen's own"):
        fetch("webrssbench", tmp_path)
    assert not (tmp_path / "data").exists()


# ---- GitHub ------------------------------------------------------------------------------------


@pytest.fixture
def screen_qa(site: Site) -> Site:
    """The files of the three tasks whose digests are not on record."""
    site.files = {
        "README.md": b"# ScreenQA\n",
        **{f"answers_and_bboxes/{split}.json": BIG for split in ("test", "validation", "train")},
    }
    return site


def test_files_on_github_are_fetched_at_the_pinned_commit(screen_qa: Site, tmp_path: Path) -> None:
    fetched = fetch("screenqa", tmp_path, tasks=["long"])
    assert fetched.revision == place_of("screenqa").revision
    assert len(fetched.new) == 4
    assert (tmp_path / "answers_and_bboxes/train.json").read_bytes() == BIG
    assert "RICO" in fetched.notes[0]
    screen_qa.asked.clear()
    assert fetch("screenqa", tmp_path, tasks=["long"]).new == ()
    assert screen_qa.asked == []


def test_files_without_a_published_digest_survive_an_interrupt(
    screen_qa: Site, tmp_path: Path
) -> None:
    screen_qa.cuts["answers_and_bboxes/train.json"] = [300_000, 0]
    with pytest.raises(FetchError):
        fetch("screenqa", tmp_path, tasks=["long"])
    there = {file["path"] for file in manifest(tmp_path)["files"]}
    assert "answers_and_bboxes/train.json" not in there
    assert (
        set(fetch("screenqa", tmp_path, tasks=["long"]).new)
        == {
            "README.md",
            *(f"answers_and_bboxes/{split}.json" for split in ("test", "validation", "train")),
        }
        - there
    )
    assert (tmp_path / "answers_and_bboxes/train.json").read_bytes() == BIG


def test_a_whole_part_of_unknown_size_is_taken_as_it_is(screen_qa: Site, tmp_path: Path) -> None:
    (tmp_path / "answers_and_bboxes").mkdir()
    (tmp_path / "answers_and_bboxes/train.json.part").write_bytes(BIG)
    (tmp_path / "answers_and_bboxes/test.json.part").write_bytes(BIG + b"of another file")
    fetch("screenqa", tmp_path, tasks=["long"])
    for split in ("train", "test"):
        assert (tmp_path / f"answers_and_bboxes/{split}.json").read_bytes() == BIG


@pytest.mark.slow
@pytest.mark.parametrize(
    "content_range", ["bytes {start}-{last}/{total}", "bytes {start}-{last}/*"]
)
def test_a_server_that_sends_less_than_it_was_asked_for_is_asked_again(
    screen_qa: Site, tmp_path: Path, content_range: str
) -> None:
    whole = BIG[:10_003]
    screen_qa.files["answers_and_bboxes/test.json"] = whole
    screen_qa.most, screen_qa.content_range = 1_000, content_range
    (tmp_path / "answers_and_bboxes").mkdir()
    (tmp_path / "answers_and_bboxes/test.json.part").write_bytes(whole[:1_000])
    fetch("screenqa", tmp_path, tasks=["long"])
    assert (tmp_path / "answers_and_bboxes/test.json").read_bytes() == whole


@pytest.mark.parametrize(
    ("content_range", "beyond"),
    [
        ("bytes 5-9/{total}", "bytes */{total}"),
        ("items 1-2/3", "bytes */{total}"),
        ("bytes {start}-{last}/*", "bytes */*"),
        ("bytes {start}-{last}/7", "bytes */{total}"),
    ],
)
def test_parts_that_do_not_fit_are_thrown_away_and_the_whole_is_fetched(
    screen_qa: Site, tmp_path: Path, content_range: str, beyond: str
) -> None:
    screen_qa.content_range, screen_qa.beyond = content_range, beyond
    (tmp_path / "answers_and_bboxes").mkdir()
    (tmp_path / "answers_and_bboxes/test.json.part").write_bytes(BIG[:1_000])
    fetch("screenqa", tmp_path, tasks=["long"])
    assert (tmp_path / "answers_and_bboxes/test.json").read_bytes() == BIG


@pytest.mark.parametrize(
    ("most", "content_range"), [(0, "bytes {start}-{last}/{total}"), (None, "bytes 5-9/{total}")]
)
def test_a_server_whose_parts_never_fit_is_given_up(
    screen_qa: Site, tmp_path: Path, most: int | None, content_range: str
) -> None:
    name = "answers_and_bboxes/test.json"
    screen_qa.most, screen_qa.content_range = most, content_range
    screen_qa.cuts[name] = [10_000] * 9
    with pytest.raises(FetchError, match=r"test\.json sends parts that make no whole file"):
        fetch("screenqa", tmp_path, tasks=["long"])
    assert not (tmp_path / name).exists()


def test_a_file_that_is_not_that_of_the_release_is_refused(site: Site, tmp_path: Path) -> None:
    site.files = {
        "README.md": b"",
        **{f"short_answers/{split}.json": b"[]" for split in ("test", "validation", "train")},
    }
    with pytest.raises(FetchError, match=r"short_answers/\w+\.json is not what was published"):
        fetch("screenqa", tmp_path, tasks=["short"])


@pytest.mark.realdata
def test_the_published_files_come_whole(site: Site, tmp_path: Path, screenqa_data: Path) -> None:
    site.files = {"README.md": b"", "short_answers/train.json": b"[]"}
    for name in ("short_answers/test.json", "short_answers/validation.json"):
        site.files[name] = (screenqa_data / name).read_bytes()
    site.cuts["short_answers/test.json"] = [400_000, 400_000]
    fetch("screenqa", tmp_path, tasks=["short"])
    assert load_task("screenqa/short", tmp_path).pin.verdict is PinVerdict.KNOWN


def test_a_branch_of_a_github_repository_is_refused(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give the 40 digits of one"):
        fetch("screenqa", tmp_path, revision="main")


# ---- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("benchmark", "variable"),
    [("visualwebbench", "HF_ENDPOINT"), ("screenqa", "SNELLEN_GITHUB_MIRROR")],
)
def test_without_a_network_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str, variable: str
) -> None:
    monkeypatch.setenv(variable, f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(FetchError, match="can't be reached") as caught:
        fetch(benchmark, tmp_path)
    told = str(caught.value)
    assert f"{variable} to a mirror" in told
    assert "By hand: download https://" in told
    assert f"into {tmp_path}" in told
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ((403, "GatedRepo"), "Accept its terms on its page, log in with `hf auth login`"),
        ((404, "RevisionNotFound"), "Give --revision=main"),
        ((401, "RepoNotFound"), "not to be seen without logging in"),
        ((404, "RepoNotFound"), "is not there"),
        ((500, ""), "the hub answered 500"),
    ],
)
def test_a_refusal_of_the_hub_is_explained(
    site: Site, tmp_path: Path, refusal: tuple[int, str], told: str
) -> None:
    site.refusals["api"] = refusal
    with pytest.raises(FetchError) as caught:
        fetch("visualwebbench", tmp_path)
    assert told in str(caught.value)
    assert "huggingface.co/datasets/visualwebbench/VisualWebBench" in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "told"),
    [(404, "It is not there"), (403, "It may not be read"), (429, "wait a while"), (502, "Look")],
)
def test_a_refused_file_is_named_and_the_others_are_kept(
    bench: Site, tmp_path: Path, status: int, told: str
) -> None:
    bench.refusals[CAPTIONS] = (status, "")
    with pytest.raises(FetchError, match=f"{CAPTIONS} answered {status}") as caught:
        fetch("visualwebbench", tmp_path)
    assert told in str(caught.value)
    del bench.refusals[CAPTIONS]
    assert CAPTIONS in fetch("visualwebbench", tmp_path).new


def test_redirects_without_an_end_are_told(bench: Site, tmp_path: Path) -> None:
    bench.loops = {CAPTIONS}
    with pytest.raises(FetchError, match="Exceeded maximum allowed redirects") as caught:
        fetch("visualwebbench", tmp_path)
    assert CAPTIONS in str(caught.value)


@pytest.mark.parametrize(
    ("proxy", "told"),
    [
        ("ftp://user:secret@127.0.0.1:1", r"can't be used \(ValueError\): see HTTPS_PROXY"),
        ("socks5://127.0.0.1:1", r"pip install 'httpx2\[socks\]'"),
    ],
)
@pytest.mark.parametrize("benchmark", ["visualwebbench", "screenqa"])
def test_a_proxy_that_can_not_be_used_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str, proxy: str, told: str
) -> None:
    from huggingface_hub.utils import close_session

    close_session()
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(FetchError, match=told) as caught:
        fetch(benchmark, tmp_path)
    assert "secret" not in str(caught.value)


def test_a_token_that_can_not_be_sent_is_told_and_not_shown(
    bench: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_s\u00e9cret")
    with pytest.raises(FetchError, match="it is not ASCII") as caught:
        fetch("visualwebbench", tmp_path)
    assert "cret" not in str(caught.value)
    assert bench.asked == []


def test_a_disk_without_room_is_told_before_anything_is_fetched(
    bench: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", no_room)
    with pytest.raises(FetchError, match="has room for 1"):
        fetch("visualwebbench", tmp_path)
    assert bench.fetched() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_gets_full_is_told(bench: Site, tmp_path: Path) -> None:
    (tmp_path / CAPTIONS).parent.mkdir()
    (tmp_path / f"{CAPTIONS}.part").symlink_to("/dev/full")
    with pytest.raises(FetchError, match=r"the disk of .* is full"):
        fetch("visualwebbench", tmp_path)


def test_two_fetches_into_one_folder_do_not_meet(bench: Site, tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / ".snellen-fetch.lock"),
        pytest.raises(FetchError, match="is under way"),
    ):
        fetch("visualwebbench", tmp_path)
    assert fetch("visualwebbench", tmp_path).new


def test_a_folder_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FetchError, match="can't be written to"):
        fetch("visualwebbench", tmp_path / "file" / "folder")


def test_the_missing_extra_is_named(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[fetch\]"):
        fetch("visualwebbench", tmp_path)


@pytest.mark.slow
def test_what_asks_a_network_is_imported_when_it_is_asked() -> None:
    code = "import sys; from snellen.tasks.data import check, fetch; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"httpx2", "huggingface_hub"} & set(done.stdout.split())
