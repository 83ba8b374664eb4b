"""The commands that make packs out of packs and look at them, called as a shell would."""

import json
import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from snellen.cli.app import app
from snellen.tasks.pack.seal import KEY_VARIABLE

ROWS = [
    {
        "image_id": image,
        "question": f"What is {n} of {image}?",
        "ground_truth": [f"SECRET {image} {n}"],
    }
    for image in (5, 9)
    for n in range(3)
]
TOLD = {"image_id": 9, "question": "Who is SECRET OF 9?", "ground_truth": ["SECRET OF 9"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack of seven questions about two screenshots; one of them tells its answer."""
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "short_answers").mkdir(parents=True)
    path = tmp_path / "data" / "short_answers" / "test.json"
    path.write_text(json.dumps([*ROWS, TOLD]))
    (tmp_path / "images").mkdir()
    for number in (5, 9):
        out = BytesIO()
        image = Image.new("RGB", (40, 60), (number, 0, 0))
        image.paste((200, 200, 20 * number), (5, 5, 30, 30))
        image.save(out, "PNG")
        (tmp_path / "images" / f"{number}.png").write_bytes(out.getvalue())
    made = run(
        tmp_path,
        "pack",
        "create",
        "--task",
        "screenqa/short",
        "--data",
        "@/data",
        "--images",
        "@/images",
        "--name",
        "demo",
        "-o",
        "@/demo",
    )
    assert made.exit_code == 0
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    filled = [argument.replace("@/", f"{folder}/") for argument in arguments]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, filled)
    assert "SECRET 5" not in result.output
    return result


def items(pack: Path) -> list[str]:
    lines = (pack / "items.jsonl").read_text().splitlines()
    return [json.loads(line)["item"]["id"] for line in lines]


def test_check_prints_numbers_and_no_reference(folder: Path) -> None:
    result = run(folder, "pack", "check", "@/demo")
    assert result.exit_code == 0
    assert "demo: 7 items, 2 images" in result.stdout
    assert "2 by image_id" in result.stdout
    told = json.loads(run(folder, "pack", "check", "@/demo", "--json").stdout)
    assert told["stat"]["tasks"][0]["items"] == 7


def test_check_of_a_sealed_pack_without_the_key_counts_what_anybody_sees(folder: Path) -> None:
    assert run(folder, "pack", "seal", "@/demo", "--key", "@/key").exit_code == 0
    told = json.loads(run(folder, "pack", "check", "@/demo", "--json").stdout)
    assert told["stat"]["tasks"][0]["references"] == {}
    opened = run(folder, "pack", "check", "@/demo", "--json", "--key", "@/key")
    assert json.loads(opened.stdout)["stat"]["tasks"][0]["references"] == {"1 text": 7}


def test_split_makes_parts_of_about_the_shares(folder: Path) -> None:
    result = run(folder, "pack", "split", "@/demo", "--parts", "train=0.5,test=0.5", "-o", "@/p")
    assert result.exit_code == 0
    sizes = [len(items(folder / "p" / part)) for part in ("train", "test")]
    assert sorted(sizes) == [3, 4]
    refused = run(folder, "pack", "split", "@/demo", "--parts", "a=2", "-o", "@/q")
    assert refused.exit_code == 2
    assert not (folder / "q").exists()


def test_sample_draws_a_pack(folder: Path) -> None:
    result = run(
        folder, "pack", "sample", "@/demo", "--n", "4", "--by", "task,image_id", "-o", "@/s"
    )
    assert result.exit_code == 0
    assert len(items(folder / "s")) == 4
    assert run(folder, "pack", "check", "@/s").exit_code == 0


def test_remove_takes_lists_and_never_changes_a_pack_in_place(folder: Path) -> None:
    (folder / "removed.txt").write_text("test/5/0\n")
    (folder / "more.txt").write_text("screenqa/short\ttest/9/1\tblurred\n")
    result = run(folder, "pack", "remove", "@/demo", "@/removed.txt", "@/more.txt", "-o", "@/new")
    assert result.exit_code == 0
    assert len(items(folder / "new")) == 5
    manifest = json.loads((folder / "new" / "manifest.json").read_text())
    assert [one["reason"] for one in manifest["built"]["struck"]] == ["removed by hand", "blurred"]
    assert "built" not in json.loads((folder / "demo" / "manifest.json").read_text())
    again = run(folder, "pack", "remove", "@/demo", "@/removed.txt", "-o", "@/demo")
    assert again.exit_code == 2
    assert "never changed in place" in again.stderr


def test_preview_writes_a_page(folder: Path) -> None:
    result = run(folder, "pack", "preview", "@/demo", "-o", "@/sheet.html")
    assert result.exit_code == 0
    assert "1 pages" in result.stdout
    assert b"SECRET 9 1" in (folder / "sheet.html").read_bytes()
    run(folder, "pack", "preview", "@/demo", "-o", "@/sheet.html", "--without-references")
    assert b"SECRET 9 1" not in (folder / "sheet.html").read_bytes()
    for wrong in ("@/sheet.pdf", "@/demo/sheet.html", "@/nowhere/sheet.html"):
        assert run(folder, "pack", "preview", "@/demo", "-o", wrong).exit_code == 2


def test_audit_lists_what_is_at_fault_and_removes_it(folder: Path) -> None:
    result = run(folder, "pack", "audit", "@/demo", "-o", "@/removed.txt")
    assert result.exit_code == 1
    assert "1 of 7 items are at fault" in result.stdout
    assert "screenqa/short test/9/3: the answer stands in the prompt" in result.stdout
    # Nobody is at a terminal: no table is cut to its width.
    assert "…" not in result.stdout
    listed = (folder / "removed.txt").read_text().splitlines()
    assert [json.loads(line) for line in listed] == [
        {
            "task": "screenqa/short",
            "item": "test/9/3",
            "reason": "the answer stands in the prompt",
            "exclude": True,
            "source": "snellen pack audit",
        }
    ]
    removed = run(folder, "pack", "remove", "@/demo", "@/removed.txt", "-o", "@/new")
    assert removed.exit_code == 0
    assert len(items(folder / "new")) == 6
    again = run(folder, "pack", "audit", "@/new", "-o", "@/none.txt", "--json")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["removed"] == []


def test_an_audit_writes_no_file_unasked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = sorted(os.listdir(folder))
    result = run(folder, "pack", "audit", "@/demo")
    assert "1 of 7 items are at fault\n" in result.stdout
    assert sorted(os.listdir(folder)) == before


def test_export_writes_chats(folder: Path) -> None:
    result = run(folder, "export", "@/demo", "-o", "@/train.jsonl")
    assert result.exit_code == 0
    lines = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]
    assert lines[0]["messages"][1] == {"role": "assistant", "content": "SECRET 5 0"}
    result = run(folder, "export", "@/demo", "-o", "@/chats", "--parts", "train=0.5,test=0.5")
    assert result.exit_code == 0
    assert sorted(os.listdir(folder / "chats")) == [
        "export.json",
        "images",
        "test.items.tsv",
        "test.jsonl",
        "train.items.tsv",
        "train.jsonl",
    ]
    assert run(folder, "export", "@/demo", "-o", "@/train.jsonl").exit_code == 2
