"""The commands about data, called as a shell would call them."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.tasks.benchmarks.table import load_task, place_of

QUESTION = {"image_id": 5, "question": "How many?", "ground_truth": ["12"]}
FULL = {
    "image_id": 5,
    "image_width": 1080,
    "image_height": 1920,
    "question": "How many?",
    "ground_truth": [
        {"full_answer": "There are 12.", "ui_elements": [{"text": "12", "bounds": [1, 2, 3, 4]}]}
    ],
}
COMMIT = str(place_of("screenqa").revision)


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point SNELLEN_HOME to a folder without first sights."""
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path_factory.mktemp("home")))


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(one) for one in arguments])


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder's files, and says nothing of it."""

    def log_message(self, *_: Any, **__: Any) -> None:
        """Say nothing on standard error."""


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A mirror of GitHub that holds one repository; returns that repository's folder."""
    root = tmp_path / "mirror"
    repository = root / "google-research-datasets/screen_qa" / COMMIT
    (repository / "answers_and_bboxes").mkdir(parents=True)
    (repository / "README.md").write_text("# ScreenQA\n")
    for split in ("test", "validation", "train"):
        (repository / f"answers_and_bboxes/{split}.json").write_text(json.dumps([FULL]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("SNELLEN_GITHUB_MIRROR", f"http://127.0.0.1:{server.server_port}")
    try:
        yield repository
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_fetch_says_what_came_from_where_and_what_it_is(mirror: Path, tmp_path: Path) -> None:
    result = run("fetch", "screenqa", "--task", "long", "--to", tmp_path / "here")
    assert result.exit_code == 0, result.output
    assert "screenqa: 4 files" in result.stdout
    assert "4 of them downloaded now" in result.stdout
    assert f"github.com/google-research-datasets/screen_qa at {COMMIT}" in result.stdout
    assert "licence: CC BY 4.0" in result.stdout
    assert "RICO" in result.stdout
    assert "screenqa/ui_contents_boxes" in result.stdout
    again = run("fetch", "screenqa", "--task", "long", "--to", tmp_path / "here")
    assert "nothing was lacking" in again.stdout


def test_a_fetch_that_fails_ends_with_status_1_and_says_what_to_do(
    mirror: Path, tmp_path: Path
) -> None:
    (mirror / "answers_and_bboxes/train.json").unlink()
    result = run("fetch", "screenqa", "--task", "long", "--to", tmp_path / "here")
    assert result.exit_code == 1
    assert "train.json answered 404" in result.stderr
    assert "run this again to go on" in result.stderr


def test_what_can_not_be_asked_for_ends_with_status_2(tmp_path: Path) -> None:
    unknown = run("fetch", "screen_qa", "--to", tmp_path)
    assert unknown.exit_code == 2
    assert "did you mean 'screenqa'" in unknown.stderr
    inside = run("fetch", "visualwebbench", "--no-images", "--to", tmp_path)
    assert inside.exit_code == 2
    assert "inside the files that hold its questions" in inside.stderr


def test_check_says_what_a_folder_is(tmp_path: Path) -> None:
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers/test.json").write_text(json.dumps([QUESTION]))
    result = run("fetch", "--check", tmp_path)
    assert result.exit_code == 0
    assert "screenqa/short" in result.stdout
    assert "the published short_answers holds: v1.2 test 8,419" in result.stdout
    assert "no images came with screenqa/short; grading needs none" in result.stdout
    assert "it loads; it is no known release" in result.stdout


def test_check_says_where_grading_needs_images(tmp_path: Path) -> None:
    row = {"img_filename": "a.png", "bbox": [1, 2, 3, 4], "instruction": "x", "data_type": "icon"}
    (tmp_path / "screenspot_web_v2.json").write_text(json.dumps([row]))
    result = run("fetch", "--check", tmp_path / "screenspot_web_v2.json")
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "needs none" not in said
    assert (
        "no images came with screenspot-v2/point, and nothing else says how large they are:"
        " answers in pixels can be graded, others can't"
    ) in said


def test_check_says_once_what_is_noted_of_a_file_and_what_is_left_out(tmp_path: Path) -> None:
    options = {letter: letter for letter in "ABCD"}
    groups = [
        {"question": "?", "options": options, "answer": "A", "difficulty": difficulty}
        for difficulty in ("easy", "medium", "hard")
    ]
    row = {"image_path": "1.png", "image_size": [9, 9], "platform": "os_ios", "groups": groups}
    (tmp_path / "L1_annotations.json").write_text(json.dumps([row]))
    result = run("fetch", "--check", tmp_path)
    assert result.exit_code == 0
    assert "mmbench-gui/l1 all, easy, medium, hard: 3 questions; the publ" in result.stdout
    assert result.stdout.count("3 questions") == 1


def test_check_of_other_bytes_than_first_seen_speaks_of_no_release(tmp_path: Path) -> None:
    row = {"img_filename": "a.png", "bbox": [1, 2, 3, 4], "instruction": "x", "data_type": "icon"}
    file = tmp_path / "screenspot_web_v2.json"
    file.write_text(json.dumps([row] * 437))
    assert run("fetch", "--check", file).exit_code == 0
    load_task("screenspot-v2/point", file)
    file.write_text(json.dumps([{**row, "instruction": "y"}] * 437))
    result = run("fetch", "--check", file)
    assert result.exit_code == 1
    assert f"not the bytes first seen here (in {tmp_path})" in result.stderr
    assert "to forget the first, remove 'v2/screenspot-v2/web' from" in result.stderr
    assert "not the bytes" not in result.stdout


def test_check_tells_what_is_wrong_with_status_1(tmp_path: Path) -> None:
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers/test.json").write_text(json.dumps([QUESTION]))
    bad = tmp_path / "short_answers/train.json"
    bad.write_text(json.dumps([QUESTION, {**QUESTION, "ground_truth": []}]))
    result = run("fetch", "--check", tmp_path)
    assert result.exit_code == 1
    assert str(bad) in result.stderr
    assert "ground_truth" in result.stderr
    assert "(screenqa/short)" in result.stderr


def test_check_lists_missing_images_and_how_many_more(tmp_path: Path) -> None:
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "combined").mkdir()
    rows = [{**QUESTION, "image_id": number} for number in range(8)]
    (tmp_path / "short_answers/test.json").write_text(json.dumps(rows))
    result = run("fetch", "--check", tmp_path, "--images", tmp_path / "combined")
    assert result.exit_code == 1
    assert "screenqa/short, test/0/0, image 'screen': missing" in result.stderr
    assert "and 3 more; --json lists all" in result.stderr
    asked = ("fetch", "--check", tmp_path, "--images", tmp_path / "combined", "--json")
    told = json.loads(run(*asked).stdout)
    assert len(told["images"][0]["faults"]) == 8
    assert run(*asked, "--no-images").exit_code == 0


def test_check_of_no_benchmarks_folder_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "sub/short_answers").mkdir(parents=True)
    (tmp_path / "sub/short_answers/test.json").write_text(json.dumps([QUESTION]))
    result = run("fetch", "--check", tmp_path)
    assert result.exit_code == 1
    assert "is no data that snellen knows" in result.stdout
    assert "sub is screenqa: give that folder" in result.stdout
    assert run("fetch", "--check", tmp_path / "nowhere").exit_code == 2


STALLS = """
import sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(b"x" * 5000)
        self.wfile.flush()
        print("sent", flush=True)
        threading.Event().wait(30)

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
"""


# Ctrl-C is respected in a process that was started in the background, too.
FETCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from snellen.cli import main
sys.argv[0] = "snellen"
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_ctrl_c_keeps_what_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STALLS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            port = server.stdout.readline().strip()
            monkeypatch.setenv("SNELLEN_GITHUB_MIRROR", f"http://127.0.0.1:{port}")
            asked = ["fetch", "screenqa", "--task", "complex", "--to", str(tmp_path / "here")]
            with subprocess.Popen(
                [sys.executable, "-c", FETCH, *asked], stderr=subprocess.PIPE, text=True
            ) as fetching:
                late = threading.Timer(20, server.kill)
                late.start()
                said = server.stdout.readline()
                late.cancel()
                fetching.send_signal(signal.SIGINT)
                server.kill()
                _, told = fetching.communicate(timeout=20)
        finally:
            server.kill()
    # Two files may be on their way, and say so on one line.
    assert said.startswith("sent")
    assert fetching.returncode not in (0, 2)
    assert "Traceback" not in told
    parts = list((tmp_path / "here").rglob("*.part"))
    assert all(part.stat().st_size <= 5000 for part in parts)
    assert (tmp_path / "here/snellen-fetch.json").exists()


def test_options_of_a_check_and_of_a_fetch_exclude_one_another(tmp_path: Path) -> None:
    for words, message in (
        (("--check", tmp_path, "--to", tmp_path), "--check excludes --to and --revision"),
        (("--check", tmp_path, "--task", "a", "--task", "b"), "--check takes one --task"),
        (("screenqa", "--json"), "--images and --json need --check"),
    ):
        result = run("fetch", *words)
        assert result.exit_code == 2
        assert message in result.stderr
