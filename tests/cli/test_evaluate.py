"""`snellen evaluate` against a real local server, called as a shell would call it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import Model, model_server, said
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.tasks.benchmarks.table import load_task

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

ROWS = [
    {"image_id": number, "question": f"What is {number}?", "ground_truth": [str(number)]}
    for number in range(6)
]


@pytest.fixture
def server() -> Iterator[Model]:
    """A model that says the number in a question, and fails where it is told to."""
    pytest.importorskip("inspect_ai")
    with model_server() as found:
        found.reply = lambda question: (200, said("stop", number_in(question)))
        yield found


def number_in(question: str) -> str:
    return question.rpartition("What is ")[2].rstrip("?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "short_answers").mkdir()
    (tmp_path / "short_answers" / "test.json").write_text(json.dumps(ROWS))
    return tmp_path


def evaluate(folder: Path, server: Model, *more: str) -> Result:
    arguments = (
        *("evaluate", "screenqa/short", "--endpoint", server.url),
        *("--model", "toy", "--data", str(folder), "--no-images", "--run", str(folder / "run")),
        *(argument.replace("@", str(folder)) for argument in more),
    )
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)


def test_every_item_is_asked_once_and_graded(folder: Path, server: Model) -> None:
    result = evaluate(folder, server, "-o", "@/r.json", "-o", "@/r.html")
    assert result.exit_code == 0, result.output
    assert "100.00" in result.stdout
    assert len(server.asked) == 6
    report = json.loads((folder / "r.json").read_bytes())
    assert report["provenance"]["run"]["model"] == "toy"
    assert report["provenance"]["run"]["usage"]["input_tokens"] == 42
    assert "|model:toy|" in report["signature"]
    assert (folder / "r.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--limit", "2"), ["0", "1"]),
        (("--limit", "2-3"), ["1", "2"]),
        (("--sample-id", "4,1"), ["1", "4"]),
        (("--sample-id", "4,1", "--limit", "1"), ["4"]),
    ],
)
def test_some_items_are_asked_as_inspect_names_them(
    folder: Path, server: Model, options: tuple[str, ...], asked: list[str]
) -> None:
    answers = load_task("screenqa/short", folder)
    ids = {number_in(answers.item(one).prompt): one for one in answers.ids}
    options = tuple(
        ",".join(ids[one] for one in option.split(",")) if "," in option else option
        for option in options
    )
    result = evaluate(folder, server, *options, "-o", "@/r.json")
    assert result.exit_code == 0, result.output
    report = json.loads((folder / "r.json").read_bytes())
    assert report["provenance"]["items"] == len(asked) == len(server.asked)
    assert sorted(number_in(question) for question in server.prompts) == asked


@pytest.mark.parametrize("limit", ["0", "3-2", "few", "-1"])
def test_a_limit_is_a_number_or_a_range(folder: Path, server: Model, limit: str) -> None:
    result = evaluate(folder, server, f"--limit={limit}")
    assert result.exit_code == 2
    assert "--limit is a number or a range such as 11-20" in result.stderr
    assert not server.asked


def test_what_failed_is_asked_again_by_the_same_command(folder: Path, server: Model) -> None:
    answering = server.reply
    failed = (400, {"error": {"message": "no"}})
    server.reply = lambda question: failed if number_in(question) in "24" else answering(question)
    first = evaluate(folder, server)
    assert first.exit_code == 1
    assert "4 answered, 2 error" in first.stdout
    server.reply = answering
    asked = len(server.asked)
    second = evaluate(folder, server)
    assert second.exit_code == 0
    assert len(server.asked) == asked + 2
    assert "100.00" in second.stdout


def test_decoding_headers_and_further_fields_are_sent_as_told(folder: Path, server: Model) -> None:
    settings = (
        *("temperature=none", "max_tokens=none", 'headers={"X-Team": "eyes"}'),
        *('extra={"max_completion_tokens": 9}', "top_p=0.9", "seed=7"),
    )
    options = [word for setting in settings for word in ("--set", setting)]
    assert evaluate(folder, server, *options).exit_code == 0
    assert "temperature" not in server.asked[0]
    assert "max_tokens" not in server.asked[0]
    assert server.asked[0]["max_completion_tokens"] == 9
    assert (server.asked[0]["top_p"], server.asked[0]["seed"]) == (0.9, 7)
    assert server.headers[0]["x-team"] == "eyes"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--by", "nosuch"), "nosuch"),
        (("--prompt", "nosuch"), "screenqa-paper-short"),
        (("--images", "@"), "exclude one another"),
        (("-o", "@/r.txt"), ".json"),
        (("--set", "temprature=1"), "did you mean 'temperature'?"),
        (("--set", "temperature=warm"), "temperature=warm: Input should be a valid number"),
        (("--set", "temperature=-1"), "temperature=-1: Input should be greater than or equal to 0"),
        (("--set", "max_tokens=1.5"), "max_tokens=1.5: Input should be a valid integer"),
        (("--set", "extra=[]"), "extra=[]: Input should be an object"),
        (("--endpoint", "ftp://host"), "'ftp://host' is not an http or https URL"),
        (("--set", "retries=-1"), "retries=-1: Input should be greater than or equal to 0"),
        (("--set", "X-Team"), "--set takes KEY=VALUE"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_asked(
    folder: Path, server: Model, options: tuple[str, ...], message: str
) -> None:
    result = evaluate(folder, server, *options)
    assert result.exit_code == 2
    assert message in result.output
    assert not server.asked
