"""A recipe: the request that a model's published script sends, and how its answer is read.

Recipes are the files `NAME.toml` beside this module. `{{instruction}}`, `{{width}}` and
`{{height}}` stand for what differs between items; `{{image}}` alone is the place of the image.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from snellen.grading.actions.declaring import ReadAs
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.items import AnswerKind, Item
from snellen.sdk.recipes.pixels import Pixels, Resize, data_url, resized
from snellen.tasks.views import View, view

_HERE = "snellen.sdk.recipes"
_IMAGE = "{{image}}"
_PLACES = re.compile(r"\{\{(instruction|width|height)\}\}")
_ASKED = "\nInstruction: "
_BODY = ("temperature", "top_p", "max_tokens", "seed", "stop")
PREFIX = "recipe:"
"""What the name of a recipe begins with in a signature."""

PARTS = ("prompt", "pixels", "decoding", "reader")
"""The parts of a request, in which two may differ."""


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message: its role and its parts in order."""

    role: Literal["system", "user"]
    parts: tuple[str, ...]


class Reader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an answer is read.

    Attributes:
        space: What its coordinates count.
        format: The format that it is in; empty: none is declared.
        resize: The steps to the size whose pixels are counted; without any, that of the image
            that is sent.
    """

    space: Literal["unit", "thousand", "view"]
    format: str = ""
    resize: tuple[Resize, ...] = ()


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a published script sends, and where that stands.

    Attributes:
        name: Its name, which is that of its file.
        version: It grows when anything changes that is sent or read.
        source: The GitHub repository of the script.
        path: The script's path there.
        commit: The commit that was read.
        license: The repository's license.
        verified: The day on which the script's own requests were compared with these; empty: the
            script could not be run.
        differences: What is known to differ from the script.
    """

    name: str
    version: int
    source: str
    path: str
    commit: str
    license: str
    verified: str = ""
    differences: str = ""


class Recipe(Published, frozen=True, kw_only=True):
    """A published request.

    Attributes:
        turns: The messages.
        reader: How answers are read.
        image: The image as it is sent.
        decoding: The parameters under the names of `sdk.Decoding`; one that is missing is not
            sent.
        refusal: What is added to the first message where an item may have no target.
        refusal_in: The benchmarks where it is added.
    """

    turns: tuple[Turn, ...]
    reader: Reader
    image: Pixels = Pixels()
    decoding: dict[str, Any] = {}
    refusal: str = ""
    refusal_in: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """What a report's signature says of it, such as `recipe:qwen3-vl@1`."""
        return f"{PREFIX}{self.name}@{self.version}{'' if self.verified else '+unverified'}"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters for `client.chat.completions.create` of OpenAI's client."""
        found = {name: self.decoding[name] for name in _BODY if name in self.decoding}
        more = self.decoding.get("extra")
        return {**found, "extra_body": more} if more else found


def names() -> tuple[str, ...]:
    """Return the names of the recipes."""
    found = (file.name for file in files(_HERE).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def recipe(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name not in names():
        raise UnknownNameError("recipe", name, names())
    text = files(_HERE).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.convert({"name": name, **tomllib.loads(text)}, Recipe)


def chosen_recipe(given: str | Recipe | None, **others: object) -> Recipe | None:
    """Return a recipe that is given by itself or by its name; None for None.

    Args:
        given: The recipe.
        others: The other settings of a request, by name. None or False: not set.

    Raises:
        InputError: Another setting is given beside it.
        UnknownNameError: There is no such recipe.
    """
    if given is None:
        return None
    for name, value in others.items():
        if value is not None and value is not False:
            raise InputError("a recipe sets it; give only one of the two", field=name)
    return _named(given)


@dataclass(frozen=True, slots=True)
class Request:
    """What one item's request has in it."""

    messages: list[dict[str, Any]]  # as in OpenAI's chat completions
    image: View  # as sent
    read_as: ReadAs  # how the answer is read


def request(item: Item, image: bytes, recipe: Recipe) -> Request:
    """Return the request of an item that asks for a point.

    Args:
        item: The item, asked with the task's first prompt.
        image: The encoded bytes of its screenshot.
        recipe: The recipe.

    Raises:
        DataError: The bytes are no image, or the published resizing refuses its size.
        InputError: The item does not ask for a point, or its instruction can't be found.
    """
    sent = recipe.image.view(image)
    read_as = reading(recipe, image)
    width, height = read_as.view or (sent.width, sent.height)
    values = {"instruction": _instruction(item), "width": f"{width:g}", "height": f"{height:g}"}
    url = {"type": "image_url", "image_url": {"url": data_url(sent)}}
    added = recipe.refusal if item.task.partition("/")[0] in recipe.refusal_in else ""
    messages: list[dict[str, Any]] = []
    for turn in recipe.turns:
        texts = [part if messages else part + added for part in turn.parts]
        parts = [
            url if part == _IMAGE else {"type": "text", "text": _filled(part, values)}
            for part in texts
        ]
        messages.append({"role": turn.role, "content": parts})
    return Request(messages, sent, read_as)


def reading(recipe: Recipe, image: bytes) -> ReadAs:
    """Return how the answer about one image, of which these are the bytes, is read.

    Raises:
        DataError: The bytes are no image, or the published resizing refuses its size.
    """
    reader, size = recipe.reader, None
    if reader.space == "view":
        whole = view(image)
        size = resized(reader.resize or recipe.image.resize, (whole.width, whole.height))
    return ReadAs(reader.format or None, reader.space, size).checked()


def messages(item: Item, image: bytes, recipe: str | Recipe) -> list[dict[str, Any]]:
    """Return the messages of an item's request, as JSON of OpenAI's chat completions.

    `snellen.sdk.recipes.recipe(name).parameters` has the decoding parameters.

    Args:
        item: The item, such as `data.item(id)`.
        image: The bytes of its screenshot, such as `data.image(id)`.
        recipe: The recipe, or its name.

    Raises:
        DataError: The bytes are no image, or the published resizing refuses its size.
        InputError: The item does not ask for a point, or its instruction can't be found.
        UnknownNameError: There is no such recipe.
    """
    return request(item, image, _named(recipe)).messages


def differences(
    item: Item, image: bytes, first: str | Recipe, second: str | Recipe
) -> dict[str, tuple[str, str]]:
    """Return the parts in which two recipes' requests of an item differ, with both contents.

    The parts: `prompt` (roles, texts and the image's place), `pixels`, `decoding`, `reader`.

    Raises:
        DataError: The bytes are no image, or the published resizing refuses its size.
        InputError: The item does not ask for a point, or its instruction can't be found.
        UnknownNameError: There is no such recipe.
    """
    one, other = (_parts(item, image, _named(each)) for each in (first, second))
    return {part: (one[part], other[part]) for part in one if one[part] != other[part]}


def _named(given: str | Recipe) -> Recipe:
    return recipe(given) if isinstance(given, str) else given


def _parts(item: Item, image: bytes, recipe: Recipe) -> dict[str, str]:
    made = request(item, image, recipe)
    sent = made.image
    text = " ".join(
        f"[{turn['role']}] " + " ".join(part.get("text", _IMAGE) for part in turn["content"])
        for turn in made.messages
    )
    digest = hashlib.sha256(sent.data).hexdigest()[:8]
    pixels = f"{sent.width} x {sent.height}, {sent.media_type}, sha256:{digest}"
    decoding = json.dumps(recipe.decoding, sort_keys=True)
    return dict(zip(PARTS, (text, pixels, decoding, made.read_as.words), strict=True))


def _instruction(item: Item) -> str:
    if item.answer_format.kind is not AnswerKind.POINT:
        raise InputError(f"{item.task} does not ask for a point; recipes are for tasks that do")
    _, found, text = item.prompt.partition(_ASKED)
    if not found:
        prompt = item.tags.get("prompt", "its prompt")
        raise InputError(
            f"the instruction can't be found in {prompt!r}; load {item.task} without prompt="
        )
    return text


def _filled(text: str, values: Mapping[str, str]) -> str:
    # In one pass: an instruction may hold such braces itself.
    return _PLACES.sub(lambda match: values[match[1]], text)
