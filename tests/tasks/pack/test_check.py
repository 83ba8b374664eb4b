"""A check finds all faults of a pack, and shows no reference."""

import os
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import Custody, PackCheck, check_pack
from snellen.tasks.pack.read import Pack
from snellen.tasks.pack.seal import new_key
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]
LoadShort = Callable[..., TaskData]
Rehash = Callable[..., None]
KEY = bytes(range(64)).hex()
FILE, LINE = "images/", "items.jsonl"


def faults(folder: Path, key: str | None = None) -> list[str]:
    found = check_pack(folder, key)
    assert "gold 5" not in found.model_dump_json()
    return [f"{one.file}|{one.line}|{one.message}" for one in found.faults]


def image_of(pack: Pack) -> Path:
    return pack.folder / "images" / (pack.lines[0].images["screen"].file or "")


def png(size: tuple[int, int]) -> bytes:
    out = BytesIO()
    Image.linear_gradient("L").resize(size).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("made", "given", "custody"),
    [
        (None, None, Custody.READABLE),
        (KEY, None, Custody.SEALED),
        (KEY, KEY, Custody.OPENED),
    ],
)
def test_a_whole_pack_is_fine(
    made: str | None, given: str | None, custody: Custody, make_pack: MakePack
) -> None:
    seen: list[int] = []
    found = check_pack(make_pack(key=made).folder, given, watch=seen.append)
    assert found.fine
    assert (found.images, found.references) == (2, custody)
    assert seen == [1, 2, 3, 4, 5, 6]
    attainable = None if custody is Custody.SEALED else 1.0
    assert [(task.task, task.items, task.attainable) for task in found.tasks] == [
        ("screenqa/short", 6, attainable)
    ]
    assert found == PackCheck.model_validate_json(found.model_dump_json())


@pytest.mark.parametrize("task", TASKS)
def test_a_pack_of_any_task_is_fine(
    task: str, every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    data = load_task(task, every_benchmark[task.partition("/")[0]])
    write_pack([Part(data)], tmp_path / "pack", name="demo", images=False)
    found = check_pack(tmp_path / "pack")
    assert found.faults == ()
    assert (found.tasks[0].attainable or 0) > 0.5


def test_what_is_no_pack_can_not_be_checked(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a pack"):
        check_pack(tmp_path)


def test_items_that_were_changed_are_one_fault_and_the_rest_is_not_guessed_at(
    make_pack: MakePack,
) -> None:
    folder = make_pack().folder
    (folder / "items.jsonl").write_text("")
    assert [one.partition("|")[0] for one in faults(folder)] == ["items.jsonl"]


def test_images_missing_changed_exchanged_and_too_much_are_each_named(
    make_pack: MakePack,
) -> None:
    pack = make_pack()
    path = image_of(pack)
    name = path.relative_to(pack.folder).as_posix()
    data = path.read_bytes()
    path.unlink()
    assert faults(pack.folder) == [f"{name}|None|it is missing; fetch the pack again"]
    path.write_bytes(data[:-1] + b"!")
    assert "does not match its digest" in faults(pack.folder)[0]
    path.write_bytes(data + b"!")
    assert "bytes instead of" in faults(pack.folder)[0]
    path.write_bytes(data)
    (pack.folder / "images" / "extra.png").write_bytes(data)
    (pack.folder / "notes").mkdir()
    (pack.folder / "notes" / "key").write_text(new_key())
    assert faults(pack.folder) == [
        "images/extra.png|None|it does not belong to the pack: remove it",
        "notes/key|None|it does not belong to the pack: remove it",
    ]


@pytest.mark.skipif(os.name == "nt", reason="links take a right that few have there")
def test_links_are_named(make_pack: MakePack, tmp_path: Path) -> None:
    pack = make_pack()
    (pack.folder / "out").symlink_to(tmp_path)
    assert faults(pack.folder) == ["out|None|it does not belong to the pack: remove it"]


def exchange(pack: Pack, rehash: Rehash, data: bytes, **sizes: int) -> None:
    """Put another image into a pack and fix every digest, like a forger."""
    path = image_of(pack)
    old = path.read_bytes()
    path.write_bytes(data)
    items = (pack.folder / "items.jsonl").read_bytes()
    items = items.replace(sha256(old).hexdigest().encode(), sha256(data).hexdigest().encode())
    items = items.replace(f'"bytes":{len(old)}'.encode(), f'"bytes":{len(data)}'.encode())
    rehash(pack.folder, "items.jsonl", items)


def test_an_image_of_another_size_is_named_by_the_items_that_show_it(
    make_pack: MakePack, rehash: Rehash
) -> None:
    pack = make_pack()
    exchange(pack, rehash, png((41, 60)))
    found = faults(pack.folder)
    assert [one.partition("|image")[0] for one in found[:3]] == [
        f"items.jsonl|{line}" for line in (1, 2, 3)
    ]
    assert "is listed as 40 x 60 pixels but has 41 x 60" in found[0]
    assert any("it lists 2 images of" in one for one in found)


@pytest.mark.parametrize("broken", [b"no image", png((400, 600))[:900]])
def test_an_image_that_can_not_be_decoded_is_named(
    broken: bytes, make_pack: MakePack, rehash: Rehash
) -> None:
    pack = make_pack()
    name = image_of(pack).relative_to(pack.folder).as_posix()
    exchange(pack, rehash, broken)
    assert [one for one in faults(pack.folder) if one.startswith(f"{name}|None|")]


def test_items_that_say_different_things_of_a_file_are_found(
    make_pack: MakePack, rehash: Rehash
) -> None:
    pack = make_pack()
    lines = (pack.folder / "items.jsonl").read_bytes().splitlines(keepends=True)
    digest = (pack.lines[0].images["screen"].sha256 or "").encode()
    lines[1] = lines[1].replace(digest, b"0" * 64)
    rehash(pack.folder, "items.jsonl", b"".join(lines))
    assert any("items list different digests or sizes for it" in one for one in faults(pack.folder))


def test_a_line_that_can_not_be_read_is_named_and_the_others_are_looked_at(
    make_pack: MakePack, rehash: Rehash
) -> None:
    pack = make_pack()
    image_of(pack).unlink()
    data = (pack.folder / "items.jsonl").read_bytes()
    rehash(pack.folder, "items.jsonl", data.replace(b'"prompt":', b'"prmpt":', 1))
    found = faults(pack.folder)
    assert found[0].startswith("items.jsonl|1|item.prompt: ")
    assert any("it is missing" in one for one in found)


def test_references_changed_missing_or_of_another_key_are_named_unseen(
    make_pack: MakePack, rehash: Rehash
) -> None:
    folder = make_pack("a").folder
    path = folder / "references.jsonl"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"gold 5 0", b"gold 5 9"))
    assert "does not match the manifest" in faults(folder)[0]
    rehash(folder, path.name, data.replace(b'["gold 5 0","gold"]', b'"gold 5 0"'))
    assert faults(folder) == ["references.jsonl|3|expected a list of accepted texts"]
    path.unlink()
    assert faults(folder) == ["references.jsonl|None|it is missing; fetch the pack again"]
    sealed = make_pack("b", key=KEY).folder
    assert "sealed with the key" in faults(sealed, new_key())[0]
    (sealed / "references.sealed").write_bytes(b"x" * 10)
    assert faults(sealed)[0].startswith("references.sealed|None|it has 10 bytes")


def test_references_left_beside_sealed_ones_are_a_fault(
    make_pack: MakePack, tmp_path: Path
) -> None:
    plain, sealed = make_pack("a").folder, make_pack("b", key=KEY).folder
    (sealed / "references.jsonl").write_bytes((plain / "references.jsonl").read_bytes())
    assert faults(sealed, KEY) == [
        "references.jsonl|None|the references are sealed, but this readable file exists:"
        " run snellen pack seal again, or remove it"
    ]


def test_references_that_grade_nothing_are_a_fault(
    load_short: LoadShort, make_pack: MakePack
) -> None:
    rows: list[dict[str, Any]] = [
        {"image_id": 5, "question": f"What is {n}?", "ground_truth": ["..."]} for n in range(2)
    ]
    found = check_pack(make_pack(data=load_short(rows)).folder)
    assert found.tasks[0].attainable == 0
    assert "every reference of screenqa/short scores 0" in found.faults[0].message


def test_items_whose_reference_misses_the_best_are_counted_and_no_fault(
    load_short: LoadShort, make_pack: MakePack
) -> None:
    rows: list[dict[str, Any]] = [
        {"image_id": 5, "question": f"What is {n}?", "ground_truth": gold}
        for n, gold in enumerate((["good"], ["...", "good"], ["fine"]))
    ]
    found = check_pack(make_pack(data=load_short(rows)).folder)
    assert found.fine
    assert found.tasks[0].below == ("test/5/1",)
