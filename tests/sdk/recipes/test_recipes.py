"""Each recipe's request beside that of its published script.

`vectors.json` was recorded by running the scripts themselves, at the commits that the recipes name,
with a stub in place of the model: digests of the texts with the image's place, the pixels handed
on, the size whose pixels are counted, and the parameters.
"""

import hashlib
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.items import Image as Named
from snellen.sdk import recipes

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text())
INSTRUCTION = "click on the “Save as…” {button}."
PICTURES = {
    "phone": ("RGB", 1080, 2400),
    "desktop": ("RGB", 1920, 1080),
    "huge": ("RGB", 5120, 2880),
    "narrow": ("RGB", 3000, 40),
    "tall": ("RGB", 31, 2500),
    "tiny": ("RGB", 20, 12),
    "alpha": ("RGBA", 641, 479),
    "gray": ("L", 801, 600),
    "palette": ("P", 333, 777),
    "strip": ("RGB", 4000, 10),
}


@cache
def picture(name: str) -> bytes:
    """Make a picture of ramps as PNG."""
    mode, width, height = PICTURES[name]
    ramp = Image.linear_gradient("L")
    bands = [ramp, ramp.transpose(Image.Transpose.ROTATE_90), Image.radial_gradient("L"), ramp]
    bands = [band.resize((width, height), Image.Resampling.NEAREST) for band in bands]
    made = bands[2] if mode in "LP" else Image.merge(mode, bands[: len(mode)])
    if mode == "P":
        made = made.convert("P")
        made.putpalette([7 * value % 256 for value in range(768)])
    out = io.BytesIO()
    made.save(out, "PNG", compress_level=1)
    return out.getvalue()


def item(task: str = "screenspot-pro/point", instruction: str = INSTRUCTION, **more: Any) -> Item:
    kind: AnswerKind = more.get("kind", AnswerKind.POINT)
    return Item(
        id="test/0",
        task=task,
        prompt=more.get("prompt", f"Point.\n\nInstruction: {instruction}"),
        images=(Named(name="screen"),),
        answer_format=AnswerFormat(kind=kind, example="(0.5, 0.5)"),
    )


def digest(messages: list[dict[str, Any]]) -> str:
    parts = [
        [one["role"], [part.get("text", "image") for part in one["content"]]] for one in messages
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def pixels(data: bytes) -> list[object]:
    with Image.open(io.BytesIO(data)) as image:
        return [image.mode, *image.size, hashlib.sha256(image.tobytes()).hexdigest()]


@pytest.mark.parametrize("name", VECTORS)
def test_a_request_has_the_texts_pixels_and_parameters_of_the_published_script(name: str) -> None:
    chosen = recipes.recipe(name)
    for shown, row in VECTORS[name]["pictures"].items():
        if "refused" in row or shown == "strip":
            continue
        made = recipes.request(item(), picture(shown), chosen)
        assert digest(made.messages) == row["texts"], shown
        if chosen.image.encode == "PNG":
            assert pixels(made.image.data) == row["pixels"], shown
        else:
            # What a JPEG decodes to depends on the library; its size does not.
            assert [made.image.width, made.image.height] == row["pixels"][1:3]
            assert made.image.media_type == "image/jpeg"
        assert made.read_as.view == (tuple(row["view"]) if row["view"] else None), shown
    sent = dict(VECTORS[name]["decoding"])
    if "max_new_tokens" in sent:
        sent["max_tokens"] = sent.pop("max_new_tokens")
    body = dict(chosen.parameters)
    assert {**body.pop("extra_body", {}), **body} == {**sent.pop("extra_body", {}), **sent}


def test_what_may_be_refused_is_asked_as_the_script_asks_it() -> None:
    made = sdk.messages(item("osworld-g/original"), picture("phone"), "gui-owl-1.5")
    assert digest(made) == VECTORS["gui-owl-1.5"]["refusal"]


def test_sides_of_too_large_a_ratio_are_refused_as_published() -> None:
    refused = {name for name in VECTORS if "refused" in VECTORS[name]["pictures"]["strip"]}
    assert refused == set(VECTORS) - {"opencua"}
    with pytest.raises(DataError, match=r"4000 x 10 pixels.*ratio above 200"):
        sdk.messages(item(), picture("strip"), "mai-ui")


def test_every_recipe_was_run_or_says_that_it_was_not() -> None:
    assert set(VECTORS) == {name for name in recipes.names() if recipes.recipe(name).verified}
    assert recipes.recipe("ui-tars-1.5").signature == "recipe:ui-tars-1.5@1+unverified"
    assert recipes.recipe("qwen3-vl").signature == "recipe:qwen3-vl@1"
    for name in recipes.names():
        assert len(recipes.recipe(name).commit) == 40
        sdk.messages(item(), picture("phone"), name)


def test_an_instruction_with_a_place_in_it_is_sent_as_it_is() -> None:
    asked = "type {{width}}\nInstruction: twice"
    *_, user = sdk.messages(item(instruction=asked), picture("tiny"), "qwen2.5-vl")
    assert user["content"][1]["text"] == asked


def test_what_no_recipe_can_ask_says_why() -> None:
    with pytest.raises(UnknownNameError, match="no recipe"):
        sdk.messages(item(), picture("tiny"), "qwen9")
    with pytest.raises(InputError, match="does not ask for a point"):
        sdk.messages(item(kind=AnswerKind.TEXT), picture("tiny"), "qwen3-vl")
    with pytest.raises(InputError, match="without prompt="):
        sdk.messages(item(prompt="Where is it?"), picture("tiny"), "qwen3-vl")


def test_two_recipes_differ_in_named_parts() -> None:
    found = recipes.differences(item(), picture("phone"), "qwen2.5-vl", "qwen3-vl")
    assert set(found) == {"prompt", "reader"}
    assert found["reader"] == ("qwen,space=view,view=1092x2408", "qwen3-vl,space=thousand")
    assert not recipes.differences(item(), picture("phone"), "showui", "showui")
    everything = recipes.differences(item(), picture("phone"), "showui", "infigui-g1")
    assert set(everything) == {"prompt", "pixels", "decoding", "reader"}
