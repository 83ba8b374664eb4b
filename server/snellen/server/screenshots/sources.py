"""Sources: the bytes of an item's image."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from snellen.server.errors import ExamError
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.read import Pack


@dataclass(frozen=True, slots=True)
class Source:
    """Where an image's bytes are.

    Attributes:
        digest: Names the bytes: the same digest, the same image. It is their SHA-256.
        name: The image's name among those of its item.
        load: Reads them; called on a thread, and only when no decoded page is at hand.
    """

    digest: str
    name: str
    load: Callable[[], bytes] = field(repr=False, compare=False)


def image_source(pack: Pack, line: PackItem, name: str) -> Source:
    """Return an item's image.

    Raises:
        ExamError: The item has no image of that name.
    """
    image = line.images.get(name)
    if image is None:
        # The item's own id is not said: it is no examinee's business.
        known = ", ".join(line.images) or "none"
        raise ExamError(f"there is no image {name!r}; this item has: {known}", field="image")
    return Source(image.sha256, name, partial(pack.read_image, image))
