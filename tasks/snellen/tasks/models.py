"""What a benchmark's loader hands over: items, references and where they came from, as columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pydantic import Field, JsonValue

from snellen.grading.errors import DataError
from snellen.grading.grade import Grader
from snellen.grading.models.base import Closed
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import Item
from snellen.grading.models.reports import Corrected, DataPin
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import Context, Protocol

_KEPT_GRADERS = 2


class World(Closed):
    """The world that an interactive item is played in: nothing that its reference can be read from.

    Attributes:
        environment: The kind of world, by its name in `snellen.tasks.environments.table`.
        start: How it is at the beginning, in the environment's own form.
        limit: How many steps may be taken.
    """

    environment: str
    start: JsonValue = Field(repr=False)
    limit: int = Field(gt=0)


@dataclass(frozen=True, repr=False)
class TaskData:
    """One split of one task, as published.

    Items are built when asked for, so that grading against a million-row split builds none.

    Attributes:
        task: The task's id, such as `screenqa/short`.
        split: The split's name, the first part of every item id.
        ids: The item ids in file order.
        golds: The references in their published shape, one an item, in the same order.
        pin: Which release this is.
        contexts: What a parser may know of an item (options, image size), or empty.
        build_item: Makes the public item of one index.
        load_image: The bytes of a named image of one index; raises DataError without images.
        raters: Each item's references by rater, where the data says who said what; else empty.
        tags: What items can be grouped by, a column a tag, for whoever reads a report; unlike an
            item's own tags, these may tell of its reference.
        left_out: The ids of the items that the data has and that can't be graded, and why.
        cluster: The tag whose values are the independent groups of items (one screenshot's
            questions hang together); None where every item is its own.
        selected: The ids of the items that there are, where the rest is there for its references
            alone, which a metric may be fitted on (a pack of some items); None: all.
        worlds: Where items are interactive, the world of each; all of one environment.
        corrected: Which corrections its references have; None: they are as published.
        shows_references: Whether an item's prompt holds another item's reference, as where a step
            is asked for after the right ones before it. No pack can hold such prompts.
    """

    task: str
    split: str
    ids: Sequence[str]
    golds: Golds
    pin: DataPin
    build_item: Callable[[int], Item]
    load_image: Callable[[int, str], bytes] | None = None
    contexts: Sequence[Context] = field(default=(), repr=False)
    raters: Golds = field(default_factory=Golds)
    tags: Mapping[str, TagColumn] = field(default_factory=dict[str, TagColumn], repr=False)
    cluster: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    selected: Sequence[str] | None = None
    worlds: Sequence[World] = field(default=(), repr=False)
    corrected: Corrected | None = None
    shows_references: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<TaskData of {self.task}: {len(self):,} items of {self.split}, {self.pin.release}>"

    @cached_property
    def index(self) -> dict[str, int]:
        """Each item id's place."""
        return {item_id: index for index, item_id in enumerate(self.ids)}

    def grader(self, protocol: Protocol) -> Grader:
        """Return a protocol made ready for all the references; the last few are kept."""
        return self._graders(protocol)

    @cached_property
    def _graders(self) -> Callable[[Protocol], Grader]:
        def prepare(protocol: Protocol) -> Grader:
            return Grader.of(protocol, self.golds, self.contexts)

        return lru_cache(maxsize=_KEPT_GRADERS)(prepare)

    def item(self, item_id: str) -> Item:
        """Return the public item, as an agent may see it."""
        return self.build_item(self._index(item_id))

    def image(self, item_id: str, name: str = "screen") -> bytes:
        """Return the encoded bytes of an item's image.

        Raises:
            DataError: The data came without images, or this one is not there.
        """
        if self.load_image is None:
            raise DataError(f"{self.task} was loaded without images; give images=FOLDER")
        index = self._index(item_id)
        names = [image.name for image in self.build_item(index).images]
        if name not in names:
            known = f"only {', '.join(map(repr, names))}" if names else "nor any other"
            raise DataError(f"{item_id} has no image {name!r}, {known}")
        return self.load_image(index, name)

    def _index(self, item_id: str) -> int:
        try:
            return self.index[item_id]
        except KeyError:
            raise DataError(
                f"{self.task} ({self.split}) has no item {item_id!r}; ids look like {self.ids[0]!r}"
                if self.ids
                else f"{self.task} ({self.split}) has no items"
            ) from None
