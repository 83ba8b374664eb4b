"""Sources: where the bytes of an item's image come from, a file of the pack or the web."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from snellen.grading.errors import DataError
from snellen.server.errors import ExamError
from snellen.server.screenshots.remote import RemoteImages
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


async def image_source(
    pack: Pack, line: PackItem, name: str, remote: RemoteImages | None = None
) -> Source:
    """Return an item's image; one on the web is fetched, unless it is kept already.

    Raises:
        ExamError: The item has no image of that name.
        DataError: It is on the web and can't be fetched, is not the one that the pack names, or
            nothing is to be fetched here.
    """
    image = line.images.get(name)
    if image is None:
        # The item's own id is not said: it is no examinee's business.
        known = ", ".join(line.images) or "none"
        raise ExamError(f"there is no image {name!r}; this item has: {known}", field="image")
    if image.url is None:
        return Source(image.sha256 or "", name, partial(pack.read_image, image))
    if remote is None:
        raise DataError(f"the image {name!r} is on the web, and this server fetches none")
    digest = await remote.fetch(image.url, image.sha256)
    return Source(digest, name, partial(remote.read, digest))
