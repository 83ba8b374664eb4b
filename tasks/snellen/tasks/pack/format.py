"""The layout of a pack on disk: a manifest, public items and images, and references.

    my-exam/
        manifest.json       the content, with digests
        items.jsonl         one public item a line
        images/             unchanged image files, named by digest
        references.jsonl    the references, or
        references.sealed   the same, encrypted, or neither: a deferred exam

Equal input gives equal bytes: no file contains a date, a random number or a path of the machine.
Only the two files of references depend on references: two packs that differ only in references have
the same items and images, and their manifests differ only in the digest of the references.
"""

import re
from typing import Annotated, cast

from pydantic import AfterValidator, Field, JsonValue, field_serializer, model_validator

from snellen.grading.models.base import Closed
from snellen.grading.models.items import Item
from snellen.grading.models.reports import DataPin
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.tasks.models import World

FORMAT = "snellen-pack@1"
ITEMS = "items.jsonl"
IMAGES = "images"
REFERENCES = "references.jsonl"
SEALED = "references.sealed"

_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{name}{n}" for name in ("com", "lpt") for n in "123456789"
}
_LONGEST = 200


def is_pack_name(name: str) -> bool:
    """Whether a name is valid for a pack."""
    try:
        _portable(name)
    except ValueError:
        return False
    return bool(re.fullmatch(_NAME, name))


def _portable(name: str) -> str:
    """Refuse names that are invalid on some system, or could lead out of the folder of images."""
    parts = name.split("/")
    for part in parts:
        if not _PART.fullmatch(part) or part.endswith("."):
            raise ValueError(
                "a file's name may only have letters, digits, dots, dashes and underscores"
            )
        if part.partition(".")[0].lower() in _DEVICES:
            raise ValueError("Windows reserves this name for a device")
    if len(name) > _LONGEST:
        raise ValueError(f"a file's name must have at most {_LONGEST} characters")
    return name


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, AfterValidator(_portable)]

_NAME = r"^[a-z0-9][a-z0-9-]{0,63}$"


class PackTask(Closed):
    """One task of a pack.

    Attributes:
        task: The task's id.
        split: The name of the split.
        items: The number of items.
        protocol: The protocol that scores it, with its version.
        prompt: The name of the prompt of its items.
        environment: The kind of world of its episodes; empty, and omitted in the file, if the items
            are not episodes.
    """

    task: str
    split: str
    items: int = Field(gt=0)
    protocol: str
    prompt: str = ""
    environment: str = Field(default="", exclude_if=lambda name: not name)


class PackFile(Closed):
    """The digest and size of one file of a pack."""

    sha256: Digest
    bytes: int = Field(ge=0)


class PackImage(Closed):
    """A file in the folder of images.

    Attributes:
        file: Its path in the folder of images, with forward slashes.
        sha256: The SHA-256 of its bytes.
        bytes: The number of its bytes.
    """

    file: FileName
    sha256: Digest
    bytes: int = Field(gt=0)

    @model_validator(mode="before")
    @classmethod
    def _is_a_file(cls, fields: object) -> object:
        if isinstance(fields, dict) and "url" in fields:
            known = cast("dict[str, object]", fields)
            raise ValueError(
                f"the image is on the web, at {known['url']!r}, but a pack must contain its images:"
                " save them in a folder and create the pack again with"
                " `snellen pack create --images FOLDER`"
            )
        return cast("object", fields)


class PackItem(Closed):
    """A line of `items.jsonl`: a public item, its images, and the context for the parser.

    Attributes:
        item: The item as agents may see it.
        images: The file of each of the item's images, by its name.
        context: The context for the parser: options, the original image's size, regions; in the
            file, an object with the known fields.
        pair: The shared name of the two items of a pair: the same page before and after a change.
        world: The world of the episode; None if it is not an episode.
    """

    item: Item
    images: dict[str, PackImage] = Field(default_factory=dict[str, PackImage])
    context: Context = Field(default=NO_CONTEXT, exclude_if=lambda known: known == NO_CONTEXT)
    pair: str | None = None
    world: World | None = None

    @field_serializer("context")
    def _known(self, context: Context) -> dict[str, object]:
        defaults = NO_CONTEXT._asdict()
        return {name: value for name, value in context._asdict().items() if value != defaults[name]}

    @model_validator(mode="after")
    def _has_its_images(self) -> "PackItem":
        shown = [image.name for image in self.item.images]
        if sorted(shown) != sorted(self.images):
            raise ValueError("the item's images do not match the entries of images")
        return self


class PackSource(Closed):
    """The first line of a task in the references: the source of its references.

    It is in this file because the data's digest depends on the references.

    Attributes:
        task: The task's id.
        pin: The source data; `count` is the number of references. These are the references of all
            the data, so that a selection of items does not change scores.
        cluster: The tag whose values are the independent groups of items.
        by_rater: Whether each reference is a list by rater.
    """

    task: str
    pin: DataPin
    cluster: str | None = None
    by_rater: bool = False


class PackReference(Closed):
    """A line of references: the reference of an item, and its private data.

    Attributes:
        item_id: The item's id.
        task: The task's id.
        gold: The reference in the task's published form.
        tags: The private tags, for groups.
        record: Details on how the item was made; None if unknown.
    """

    item_id: str
    task: str
    gold: JsonValue = Field(repr=False)
    tags: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    record: JsonValue = Field(default=None, repr=False)


class RemovedItem(Closed):
    """An item that was removed from a pack, and the reason, which does not reveal its reference."""

    task: str
    item: str
    reason: str


class Built(Closed):
    """The origin of a pack's items, if a builder made them or some were removed.

    Attributes:
        builder: The builder and its version; empty for published data.
        seed: The seed of all random choices; None if there were none.
        browser: The browser that rendered the pages, with its version.
        sites: The number of sites.
        pages: The number of their pages.
        thresholds: For classes by a measure, such as difficulty by area: the limits between the
            classes, ascending, by the measure's name.
        unstable: The pages whose two renders differed.
        skipped: The pages without a result, each with the reason.
        refused: The number of pages without an item, by task and reason.
        licences: The licence of the pages, by site.
        struck: The items that were removed.
        parts: For a merged pack: the origins of its parts, in their order.
    """

    builder: str = ""
    seed: int | None = None
    browser: str = ""
    sites: int = Field(default=0, ge=0)
    pages: int = Field(default=0, ge=0)
    thresholds: dict[str, tuple[float, ...]] = Field(default_factory=dict[str, tuple[float, ...]])
    unstable: tuple[str, ...] = ()
    skipped: dict[str, str] = Field(default_factory=dict[str, str])
    refused: dict[str, dict[str, int]] = Field(default_factory=dict[str, dict[str, int]])
    licences: dict[str, str] = Field(default_factory=dict[str, str])
    struck: tuple[RemovedItem, ...] = ()
    parts: tuple["Built", ...] = ()


class Manifest(Closed):
    """The content of a pack.

    Attributes:
        format: The layout's name and version.
        name: The name of the pack, in letters, digits and dashes.
        title: A line for people.
        tasks: Its tasks, in order.
        files: All files except this one and the images, by name.
        images: The number of image files.
        image_bytes: The total number of their bytes.
        canary: A text in every file of references that makes leaks traceable.
        licence: The licence of the items and images.
        built: The origin of the items; None, and omitted in the file, for unchanged published data.
        version: The number of the references' version, from 1; in the file from 2 on.
    """

    format: str = FORMAT
    name: str = Field(pattern=_NAME)
    title: str = ""
    tasks: tuple[PackTask, ...] = Field(min_length=1)
    files: dict[str, PackFile]
    images: int = Field(ge=0)
    image_bytes: int = Field(ge=0)
    canary: str
    licence: str = ""
    built: Built | None = Field(default=None, exclude_if=lambda known: known is None)
    version: int = Field(default=1, ge=1, exclude_if=lambda number: number == 1)

    @property
    def references(self) -> str | None:
        """The name of the file with the references; None for a pack without them."""
        return next((name for name in (SEALED, REFERENCES) if name in self.files), None)

    @model_validator(mode="after")
    def _adds_up(self) -> "Manifest":
        _portable(self.name)
        tasks = [task.task for task in self.tasks]
        if len(set(tasks)) < len(tasks):
            raise ValueError("a task occurs twice")
        if ITEMS not in self.files:
            raise ValueError(f"files does not list {ITEMS}")
        if odd := self.files.keys() - {ITEMS, REFERENCES, SEALED}:
            raise ValueError(f"files lists {min(odd)!r}, which is not a file of packs")
        if REFERENCES in self.files and SEALED in self.files:
            raise ValueError("the references must be either readable or sealed, not both")
        return self
