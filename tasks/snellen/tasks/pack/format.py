"""What a pack is on disk: a manifest, items and images that anybody may see, and references.

    my-exam/
        manifest.json       what is in it, with digests
        items.jsonl         a public item a line
        images/             by digest, as they came
        references.jsonl    the gold, or
        references.sealed   the same, encrypted, or neither: a deferred exam

Equal input makes equal bytes: nothing here holds a date, a random number or a path of the machine
that it was made on. Nothing outside the two files of references depends on a reference: two packs
that differ in gold alone have the same items and images, and manifests that differ in the digest
of the references alone.
"""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, field_serializer, model_validator

from snellen.grading.models.base import Closed
from snellen.grading.models.items import Item
from snellen.grading.models.reports import DataPin
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.tasks.models import World

FORMAT = "snellen-pack@1"
MANIFEST = "manifest.json"
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
    """Whether a pack can have a name."""
    try:
        _portable(name)
    except ValueError:
        return False
    return bool(re.fullmatch(_NAME, name))


def _portable(name: str) -> str:
    """Refuse what is no name on every system, or could lead out of the folder of images."""
    parts = name.split("/")
    for part in parts:
        if not _PART.fullmatch(part) or part.endswith("."):
            raise ValueError("a file's name is of letters, digits, dots, dashes and underscores")
        if part.partition(".")[0].lower() in _DEVICES:
            raise ValueError("Windows keeps this name for a device")
    if len(name) > _LONGEST:
        raise ValueError(f"a file's name has at most {_LONGEST} characters")
    return name


def _web_address(url: str) -> str:
    """Refuse what is no plain web address."""
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise ValueError("an image's URL starts with https:// or http:// and names a host")
    if split.username is not None or split.password is not None:
        raise ValueError("an image's URL holds no user and no password")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("an image's URL is of printable ASCII without spaces")
    return url


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, AfterValidator(_portable)]
Url = Annotated[str, Field(max_length=2048), AfterValidator(_web_address)]

_NAME = r"^[a-z0-9][a-z0-9-]{0,63}$"


class PackTask(Closed):
    """One task of a pack.

    Attributes:
        task: The task's id.
        split: The split's name.
        items: How many items.
        protocol: The protocol that its score is of, with its version.
        prompt: The name of the prompt that its items are asked by.
        environment: The kind of world that its items are played in; empty, and then not in the
            file, where they are no episodes.
    """

    task: str
    split: str
    items: int = Field(gt=0)
    protocol: str
    prompt: str = ""
    environment: str = Field(default="", exclude_if=lambda name: not name)


class PackFile(Closed):
    """One file of a pack, by its bytes."""

    sha256: Digest
    bytes: int = Field(ge=0)


class PackImage(Closed):
    """Where an item's image is: in a file below the folder of images, or on the web.

    Attributes:
        file: Its path below the folder of images, with forward slashes.
        url: Its address, where it has no file.
        sha256: Of its bytes; None where nobody has fetched the address yet.
        bytes: How many; None likewise.
    """

    file: FileName | None = None
    url: Url | None = None
    sha256: Digest | None = None
    bytes: int | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _is_in_one_place(self) -> "PackImage":
        if (self.file is None) == (self.url is None):
            raise ValueError("an image has either a file or a url")
        if self.file is not None and (self.sha256 is None or self.bytes is None):
            raise ValueError("an image's file comes with its sha256 and its bytes")
        return self


class PackItem(Closed):
    """A line of `items.jsonl`: a public item, where its images are, and what a parser may know.

    Attributes:
        item: The item as an agent may see it.
        images: Where each of the item's images is, by its name.
        context: What a parser may know of it: options, the original image's size, regions; in the
            file an object of what there is to know.
        pair: What the two halves of a pair share: the same page before and after a change.
        world: The world that it is played in; None: it is no episode.
    """

    item: Item
    images: dict[str, PackImage] = Field(default_factory=dict[str, PackImage])
    context: Context = Field(default=NO_CONTEXT, exclude_if=lambda known: known == NO_CONTEXT)
    pair: str | None = None
    world: World | None = None

    @field_serializer("context")
    def _known(self, context: Context) -> dict[str, object]:
        known = NO_CONTEXT._asdict()
        return {name: value for name, value in context._asdict().items() if value != known[name]}

    @model_validator(mode="after")
    def _has_its_images(self) -> "PackItem":
        shown = [image.name for image in self.item.images]
        if sorted(shown) != sorted(self.images):
            raise ValueError("the item's images and the places of its images do not agree")
        return self


class PackSource(Closed):
    """A task's first line among the references: which data its gold is of.

    It stands with the gold because the data's digest depends on it.

    Attributes:
        task: The task's id.
        pin: Which data it was made of; `count` is the number of its references, which are those
            of all the data, so that no selection of items moves a score.
        cluster: The tag whose values are the independent groups of items.
        by_rater: Whether each reference is a list by rater.
    """

    task: str
    pin: DataPin
    cluster: str | None = None
    by_rater: bool = False


class PackReference(Closed):
    """A line of references: an item's gold, and what may tell of it.

    Attributes:
        item_id: The item's id.
        task: The task's id.
        gold: In the task's published shape.
        tags: What the item can be grouped by.
        record: What was done to make the item, for whoever checks it; None: nobody said.
    """

    item_id: str
    task: str
    gold: JsonValue = Field(repr=False)
    tags: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    record: JsonValue = Field(default=None, repr=False)


class RemovedItem(Closed):
    """An item that was taken out of a pack, and why; the reason tells nothing of its gold."""

    task: str
    item: str
    reason: str


class Built(Closed):
    """How a pack's items came to be, where a builder made them or some were removed since.

    Attributes:
        builder: What made them, with its version; empty where published data was packed.
        seed: What every choice was drawn from; None where nothing was drawn.
        browser: The browser that rendered the pages, with its version.
        sites: How many sites.
        pages: How many pages of them.
        thresholds: Of what is put into classes by a measure, such as difficulty by area: the
            measure's name to the limits between the classes, rising.
        unstable: The pages of which two renders differed.
        skipped: The pages of which nothing came, each with the reason.
        refused: Task to reason to how many pages carried no item of it.
        licences: Site to whose its pages are.
        struck: The items that were removed.
        parts: Of a pack that was merged of several: what each says, in their order.
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
    """What is in a pack.

    Attributes:
        format: The layout's name and version.
        name: What the pack is called, in letters, digits and dashes.
        title: A line for people.
        tasks: Its tasks, in order.
        files: Every file but this one and the images, by name.
        images: How many files of images there are.
        image_bytes: Their bytes together.
        canary: Stands in every file of references, so that a leak can be found.
        licence: Whose the items and images are.
        built: How the items came to be; None where published data was packed as it is, and then
            not in the file.
        version: How often its references were changed, from 1; in the file from 2 on.
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
        """The file that holds the references; None where the pack came without them."""
        return next((name for name in (SEALED, REFERENCES) if name in self.files), None)

    @model_validator(mode="after")
    def _adds_up(self) -> "Manifest":
        _portable(self.name)
        tasks = [task.task for task in self.tasks]
        if len(set(tasks)) < len(tasks):
            raise ValueError("a task is in it twice")
        if ITEMS not in self.files:
            raise ValueError(f"files does not name {ITEMS}")
        if odd := self.files.keys() - {ITEMS, REFERENCES, SEALED}:
            raise ValueError(f"files names {min(odd)!r}, which no pack has")
        if REFERENCES in self.files and SEALED in self.files:
            raise ValueError("the references are either readable or sealed, not both")
        return self
