"""A recipe's request over the wire, through Inspect AI, and its answer in the report."""

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Model, model_server, said
from PIL import Image
from typer.testing import CliRunner

from snellen import sdk
from snellen.cli.app import app
from snellen.grading.errors import InputError, UnknownNameError

TASK = "screenspot-v2/point"
ONE = sdk.Limits(concurrency=1, retries=0, first_wait=0)
CALL = '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [504, 252]}}'
inspected = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """ScreenSpot-v2 with two buttons on a screen of 1000 x 500 pixels, at its center and left."""
    whole = {"img_filename": "a.png", "img_size": [1000, 500], "data_type": "text"}
    rows = [
        {**whole, "bbox": [495, 245, 10, 10], "instruction": "press OK"},
        {**whole, "bbox": [0, 0, 10, 10], "instruction": "close"},
    ]
    (tmp_path / "screenspot_web_v2.json").write_text(json.dumps(rows))
    (tmp_path / "screenspotv2_image").mkdir()
    Image.new("RGB", (1000, 500), (9, 9, 9)).save(tmp_path / "screenspotv2_image" / "a.png")
    return tmp_path


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    pytest.importorskip("inspect_ai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with model_server() as found:
        found.reply = lambda question: (200, said("stop", f"<tool_call>\n{CALL}\n</tool_call>"))
        yield found


def asked(server: Model, folder: Path, **options: Any) -> sdk.Report:
    given: dict[str, Any] = {"model": server.url, "name": "toy", "limits": ONE, **options}
    return sdk.evaluate(TASK, data=folder, **given)


class TestOverTheWire:
    pytestmark = inspected

    def test_the_answer_counts_pixels_of_the_recipes_view_and_the_report_says_which(
        self, model: Model, folder: Path, tmp_path: Path
    ) -> None:
        report = asked(model, folder, recipe="qwen2.5-vl", run=tmp_path / "run")
        # 1000 x 500 becomes 1008 x 504, whose center is (504, 252).
        assert [score.value for score in report.scores] == [1, 0]
        assert "recipe:qwen2.5-vl@1" in report.signature
        system, user = model.asked[0]["messages"]
        assert "The screen's resolution is 1008x504." in system["content"]
        assert system["content"].startswith("You are a helpful assistant.\n\n# Tools")
        assert [part["type"] for part in user["content"]] == ["image_url", "text"]
        assert user["content"][1]["text"] == "press OK"
        assert not {"temperature", "max_tokens"} & set(model.asked[0])
        again = asked(model, folder, recipe="qwen2.5-vl", run=tmp_path / "run")
        assert (again.value, len(model.asked)) == (report.value, 2)
        with pytest.raises(InputError, match="prompt was"):
            asked(model, folder, recipe="qwen3-vl", run=tmp_path / "run")

    def test_the_image_is_resized_and_the_decoding_is_the_scripts(
        self, model: Model, folder: Path
    ) -> None:
        report = asked(model, folder, recipe="infigui-g1")
        _, user = model.asked[0]["messages"]
        data = base64.b64decode(user["content"][0]["image_url"]["url"].partition(",")[2])
        assert Image.open(io.BytesIO(data)).size == (1008, 504)
        assert report.provenance.run is not None
        sent = {"temperature": 0.0, "top_p": 0.95, "max_tokens": 1024}
        assert report.provenance.run.decoding == sent
        assert {name: model.asked[0][name] for name in sent} == sent

    def test_a_function_is_given_the_messages(self, folder: Path) -> None:
        pytest.importorskip("inspect_ai")
        seen: list[sdk.Question] = []

        async def toy(question: sdk.Question) -> str:
            seen.append(question)
            return "[0.5, 0.5]"

        report = sdk.evaluate(TASK, data=folder, model=toy, recipe="showui", limits=ONE)
        assert report.value == 0.5
        data = sdk.load(TASK, folder)
        item = data.ids[0]
        assert seen[0].messages == sdk.messages(data.item(item), data.image(item), "showui")

    def test_a_task_of_inspect_has_the_recipes_decoding(self, folder: Path) -> None:
        pytest.importorskip("inspect_ai")
        from snellen.sdk.models.inspect_tasks import inspect_task

        made = inspect_task(TASK, str(folder), recipe="gui-owl-1.5")
        assert (made.config.temperature, made.config.max_tokens) == (0.01, 2048)
        assert made.config.extra_body == {"top_k": 1, "repetition_penalty": 1.0}
        assert made.metadata is not None
        assert made.metadata["recipe"] == "recipe:gui-owl-1.5@1"

    @pytest.mark.parametrize(
        "beside",
        [{"prompt": "x"}, {"images": False}, {"max_view_side": 9}, {"decoding": sdk.Decoding()}],
    )
    def test_what_a_recipe_sets_can_not_be_set_beside_it(
        self, model: Model, folder: Path, beside: dict[str, Any]
    ) -> None:
        with pytest.raises(InputError, match="a recipe sets it"):
            asked(model, folder, recipe="showui", **beside)
        with pytest.raises(UnknownNameError, match="no recipe"):
            asked(model, folder, recipe="showui9")


def test_the_command_explains_where_two_recipes_differ(folder: Path) -> None:
    strip = {"img_filename": "b.png", "img_size": [900, 3], "data_type": "text"}
    row = {**strip, "bbox": [2, 1, 3, 2], "instruction": "close"}
    Image.new("RGB", (900, 3)).save(folder / "screenspotv2_image" / "b.png")
    file = folder / "screenspot_web_v2.json"
    file.write_text(json.dumps([*json.loads(file.read_text()), row]))
    given = ["explain", "--recipe", "qwen2.5-vl", "infigui-g1", "--task", TASK]
    done = CliRunner().invoke(app, [*given, "--data", str(folder), "--show", "1"])
    assert done.exit_code == 0, done.output
    assert "web/0: prompt, pixels, decoding\n" in done.output
    assert "'1000 x 500, image/png, sha256:" in done.output
    assert "web/1" not in done.output
    assert "web/2: an image of 900 x 3 pixels can't be sent" in " ".join(done.output.split())
    assert "qwen2.5-vl -> infigui-g1: 3 items, 1 without a request" in done.output
    for part, count in (("prompt", 2), ("pixels", 2), ("decoding", 2), ("reader", 0)):
        assert f"{part}: differs on {count}\n" in done.output
    assert CliRunner().invoke(app, [*given, "answers.jsonl"]).exit_code == 2


def test_the_command_that_evaluates_takes_a_recipe_and_no_other_decoding(folder: Path) -> None:
    given = ["evaluate", TASK, "--data", str(folder), "--run", str(folder / "run")]
    beside = ["--model", "m", "--recipe", "showui", "--set", "temperature=1"]
    done = CliRunner().invoke(app, [*given, *beside])
    assert done.exit_code == 2
    assert "--recipe sets it" in done.output
