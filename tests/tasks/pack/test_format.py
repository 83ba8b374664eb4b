"""Valid and invalid manifests and lines of packs."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.tasks.pack.format import Manifest, PackImage, PackItem, PackReference

SHA = "a" * 64
FORM = AnswerFormat(kind=AnswerKind.TEXT, example="x")
MANIFEST: dict[str, Any] = {
    "name": "demo",
    "tasks": [{"task": "screenqa/short", "split": "test", "items": 1, "protocol": "official@1"}],
    "files": {"items.jsonl": {"sha256": SHA, "bytes": 1}},
    "images": 0,
    "image_bytes": 0,
    "canary": "",
}


@pytest.mark.parametrize("file", ["ab/cd.png", "a.b-c_D9.webp", "x/y/z.gif", "console.png"])
def test_a_files_name_may_be_of_plain_letters(file: str) -> None:
    assert PackImage(file=file, sha256=SHA, bytes=1).file == file


@pytest.mark.parametrize(
    "file",
    [
        "",
        "../references.jsonl",
        "a/../../b.png",
        "/etc/passwd",
        "a//b.png",
        "a\\b.png",
        "C:/b.png",
        "c:b.png",
        "a/.hidden",
        "a.png.",
        "a b.png",
        "a.png\n",
        "ünï.png",
        "CON",
        "con.png",
        "a/Nul.jpg",
        "com1.png",
        "LPT9",
        "x" * 201,
        "file.png:stream",
    ],
)
def test_a_files_name_can_not_leave_the_pack_and_is_one_on_windows(file: str) -> None:
    with pytest.raises(ValidationError):
        PackImage(file=file, sha256=SHA, bytes=1)


@given(st.text(max_size=30))
def test_no_name_that_passes_leads_elsewhere(file: str) -> None:
    try:
        PackImage(file=file, sha256=SHA, bytes=1)
    except ValidationError:
        return
    assert not set(file.split("/")) & {"", ".", ".."}
    assert not set(file) & set('\\:*?"<>|\0 ')


def test_an_image_on_the_web_is_refused_and_the_message_says_what_to_do() -> None:
    with pytest.raises(ValidationError, match="snellen pack create --images FOLDER") as caught:
        PackImage.model_validate({"url": "https://example.com/a.png", "sha256": SHA, "bytes": 7})
    assert "the image is on the web, at 'https://example.com/a.png'" in str(caught.value)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"file": "a.png"},
        {"file": "a.png", "sha256": SHA},
        {"file": "a.png", "sha256": SHA, "bytes": 0},
        {"file": "a.png", "sha256": "A" * 64, "bytes": 1},
        {"file": "a.png", "sha256": SHA, "bytes": 1, "url": "https://example.com/a.png"},
    ],
)
def test_an_image_is_a_file_with_its_digest(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PackImage(**fields)


def test_an_items_images_are_those_that_it_shows() -> None:
    place = PackImage(file="a.png", sha256=SHA, bytes=1)
    item = Item(id="a", task="t", prompt="p", images=(Image(name="screen"),), answer_format=FORM)
    assert PackItem(item=item, images={"screen": place}).images["screen"] is place
    for images in ({}, {"other": place}, {"screen": place, "other": place}):
        with pytest.raises(ValidationError, match="do not match"):
            PackItem(item=item, images=images)


@pytest.mark.parametrize("name", ["a", "9", "my-exam-2", "a" * 64])
def test_a_packs_name_is_of_small_letters_digits_and_dashes(name: str) -> None:
    assert Manifest.model_validate({**MANIFEST, "name": name}).name == name


@pytest.mark.parametrize("name", ["", "-a", "A", "a b", "a/b", "..", "a" * 65, "con", "nul"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Manifest.model_validate({**MANIFEST, "name": name})


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("tasks", [], "at least 1"),
        ("tasks", MANIFEST["tasks"] * 2, "twice"),
        ("files", {}, "does not list items.jsonl"),
        ("files", {**MANIFEST["files"], "../x": {"sha256": SHA, "bytes": 1}}, "'../x'"),
        (
            "files",
            {
                name: {"sha256": SHA, "bytes": 1}
                for name in ("items.jsonl", "references.jsonl", "references.sealed")
            },
            "not both",
        ),
        ("images", -1, "greater than or equal"),
        ("surprise", 1, "not permitted"),
    ],
)
def test_a_manifest_adds_up(field: str, value: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Manifest.model_validate_json(json.dumps({**MANIFEST, field: value}))


def test_a_references_gold_and_tags_show_in_no_repr() -> None:
    line = PackReference(item_id="a", task="t", gold=["SECRET"], tags={"answer": "SECRET"})
    assert "SECRET" not in f"{line!r} {line}"


@pytest.mark.parametrize(
    "context", [NO_CONTEXT, Context(4), Context(None, 1280, 800.5, ("a", "b"))]
)
def test_a_context_is_written_as_an_object_of_what_is_known(context: Context) -> None:
    item = Item(id="a", task="t", prompt="p", answer_format=FORM)
    line = PackItem(item=item, context=context)
    text = line.model_dump_json(exclude_defaults=True)
    assert PackItem.model_validate_json(text) == line
    assert ("context" in json.loads(text)) is (context != NO_CONTEXT)
    assert "null" not in text


def test_a_context_of_what_no_parser_knows_is_refused() -> None:
    item = {"id": "a", "task": "t", "prompt": "p", "answer_format": FORM.model_dump(mode="json")}
    with pytest.raises(ValidationError, match=r"context\.surprise"):
        PackItem.model_validate_json(json.dumps({"item": item, "context": {"surprise": 1}}))
