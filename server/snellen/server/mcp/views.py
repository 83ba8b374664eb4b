"""Items and images as the content of results: whole, in tiles, or as an episode's screen."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp.types import ImageContent, TextContent

from snellen.grading.errors import DataError
from snellen.server.logs import log
from snellen.server.mcp import text
from snellen.server.mcp.call import Call

if TYPE_CHECKING:
    from snellen.grading.models.items import Item
    from snellen.server.attempts.models import Lease
    from snellen.server.episodes.service import Shot, Turn
    from snellen.server.screenshots.requests import ViewRequest
    from snellen.server.screenshots.service import View
    from snellen.server.store.tables.exams import Attempt

PLAY = "/play"
"""Where an exam's address has the pages of its episodes."""

ENDING = '{"status": "done"}'
"""The shortest answer that ends an interactive task."""

READABLE = 0.6
"""The least view pixels for an image pixel: text 14 pixels high is then 8 high."""
MOST_TILES = 4
"""A longer page comes as a whole, and its tiles are asked for."""
SMALL = 160_000
"""The most pixels of a further image that comes with its item."""
MOST_SMALL = 8


class Look(NamedTuple):
    """A view of an image, in words and pixels; without pixels if it can't be shown."""

    words: dict[str, Any]
    images: Sequence[ImageContent | TextContent]


async def show_item(call: Call, attempt: "Attempt", lease: "Lease", *, brief: bool = False) -> Look:
    """Return an item with its images; interactive ones with their screen.

    Args:
        call: The call.
        attempt: The attempt.
        lease: The item.
        brief: Whether the words on the views are few, as after the first item.
    """
    item = lease.question.item
    words: dict[str, Any] = {
        "item": item.id,
        "task": item.task,
        "prompt": item.prompt,
        "answer_format": item.answer_format.model_dump(mode="json", exclude_defaults=True),
        "images": [image.model_dump(mode="json", exclude_none=True) for image in item.images],
    }
    if lease.views_left is not None:
        words["views_left"] = lease.views_left
    if lease.question.line.world is not None:
        turn = await call.episodes.open(attempt, lease)
        words["answer_format"] = {"kind": item.answer_format.kind, "example": ENDING}
        if turn.page:
            words["url"] = f"{call.address}{PLAY}/{turn.page}"
        if turn.shot is None:
            return Look({**words, "images": [], **state_of(turn)}, tree_of(turn))
        size = turn.shot.size
        screen = {"name": turn.shot.name, "width": size.width, "height": size.height}
        look = await show_screen(call, turn.shot)
        return Look({**words, "images": [screen], **state_of(turn), **look.words}, look.images)
    looks = [
        await show_image(call, lease, name, request, brief=brief)
        for name, request in _views_of(item, call)
    ]
    views = [look.words["view"] for look in looks if "view" in look.words]
    for look in looks:
        words |= look.words
    if len(looks) > 1:
        words.pop("view", None)
        words["views"] = views
    if brief and len(looks) >= len(item.images) and "fault" not in words:
        # A view's id begins with its image's name and has its size.
        del words["images"]
    return Look(words, [image for look in looks for image in look.images])


def _views_of(item: "Item", call: Call) -> "Iterator[tuple[str, ViewRequest | None]]":
    """Yield the views that come with an item: of its first image, and of its small ones.

    The first image comes in tiles if text would be too small to read in the whole. A view is an
    image's name and a request for a tile, or None for the whole.
    """
    from snellen.server.screenshots.frames import Extent
    from snellen.server.screenshots.requests import ViewRequest, make_plan

    if not item.images:
        return
    first, *others = item.images
    tiles = 1
    if first.width is not None and first.height is not None:
        full = Extent(first.width, first.height)
        plan = make_plan(first.name, full, ViewRequest(), call.limits())
        if plan.frame.shown.width < READABLE * full.width and plan.grid.count <= MOST_TILES:
            tiles = plan.grid.count
    if tiles == 1:
        yield first.name, None
    else:
        for tile in range(1, tiles + 1):
            yield first.name, ViewRequest(tile=tile)
    small = [image for image in others if 0 < (image.width or 0) * (image.height or 0) <= SMALL]
    for image in small[:MOST_SMALL]:
        yield image.name, None


async def show_image(
    call: Call,
    lease: "Lease",
    name: str,
    request: "ViewRequest | None" = None,
    *,
    brief: bool = False,
) -> Look:
    """Return a view, or the message of a fault: a damaged image must not stop an examinee."""
    from snellen.server.screenshots.sources import image_source

    pack = call.host.service.exam.packs_by_task[lease.item.task]
    try:
        source = image_source(pack, lease.question.line, name)
        view = await call.host.screenshots.view(source, request, call.limits(), call.caller_name)
    except DataError as error:
        from snellen.tasks.pack.format import IMAGES

        call.fault = name
        image = lease.question.line.images[name]
        file = str(pack.folder / IMAGES / image.file)
        log().error("image fault", image=file, reason=str(error))
        return Look({"fault": text.image_fault(name)}, ())
    return _sent(call, view, view.brief_words() if brief else view.words())


async def show_screen(call: Call, shot: "Shot", request: "ViewRequest | None" = None) -> Look:
    """Return a view of an episode's screen; a request for the whole gets the screenshot itself."""
    from snellen.server.screenshots.requests import ViewRequest, make_plan
    from snellen.server.screenshots.service import View
    from snellen.server.screenshots.sources import Source

    limits = call.limits()
    plan = make_plan(shot.name, shot.size, ViewRequest(), limits)
    if request in (None, ViewRequest()) and plan.frame.shown == shot.size:
        view = View(shot.frame, b64encode(shot.frame).decode(), "image/png", plan)
    else:
        source = Source(shot.digest, shot.name, lambda: shot.frame)
        view = await call.host.screenshots.view(source, request, limits, call.caller_name)
    # A step's whole screenshot needs no description of the view.
    whole = plan.frame.shown == shot.size and request is None
    return _sent(call, view, "" if whole else view.words())


def _sent(call: Call, view: "View", shows: str) -> Look:
    """Return a view as it is sent, with words on what it shows; empty: none are needed."""
    call.views.append(view)
    content = ImageContent(type="image", data=view.base64, mime_type=view.media_type)
    return Look({"view": {"id": view.view_id()} | ({"shows": shows} if shows else {})}, (content,))


def tree_of(turn: "Turn") -> Sequence[TextContent]:
    """Return the accessibility tree after a turn, if the agent sees one."""
    return (TextContent(type="text", text=turn.tree),) if turn.tree else ()


def state_of(turn: "Turn") -> dict[str, Any]:
    """Return the state of an episode after a turn, in words."""
    state: dict[str, Any] = {"step": turn.step, "steps_left": turn.left, "ended": turn.ended}
    return state | ({"note": turn.note} if turn.note else {})
