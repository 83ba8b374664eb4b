"""The seven tools: each reads its arguments, calls the service and says what came of it.

No rule of the exam is here. A further tool, one that acts on an item, is one more line of `TOOLS`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
from mcp.types import ImageContent, TextContent, Tool, ToolAnnotations

from snellen.grading.errors import DataError
from snellen.grading.models.base import Closed
from snellen.server.exam.rules import Contexts, Mode
from snellen.server.logs import log
from snellen.server.mcp import arguments as takes
from snellen.server.mcp import text as wording

if TYPE_CHECKING:
    from snellen.server.attempts.models import Attempt, Caller, Leased
    from snellen.server.host import Opened
    from snellen.server.screenshots.requests import ViewRequest
    from snellen.server.screenshots.service import View

Content: TypeAlias = TextContent | ImageContent
Given = TypeVar("Given", bound=Closed)

PAGE = 50
"""How many items a page of a list has: it stays under the 12 KB that clients show of a result."""


@dataclass(slots=True)
class Calling:
    """One call while it is served; a tool notes here what its log line and trace shall say.

    Attributes:
        opened: The exam.
        name: Who calls, as the transport knows it.
        attempt: Whose attempt it is about, once it is known to be the caller's.
        item: The item's id in the attempt.
        place: The item's place in the attempt.
        views: The images that it returns.
        fault: The name of an image that can't be shown: a fault of the exam.
    """

    opened: "Opened"
    name: str
    attempt: "Attempt | None" = None
    item: str | None = None
    place: int | None = None
    views: "list[View]" = field(default_factory=list["View"])
    fault: str | None = None

    def caller(self, client: str = "main") -> "Caller":
        """Return who calls, and as which of its clients."""
        from snellen.server.attempts.models import Caller

        return Caller(self.name, client)

    async def find(self, handle: str) -> "Attempt":
        """Return the attempt of a handle, if it is the caller's."""
        service = self.opened.service
        self.attempt = await service.off_loop(
            lambda: service.attempt(handle.strip(), self.caller())
        )
        return self.attempt

    def about(self, leased: "Leased") -> None:
        """Note which item it is about."""
        self.item, self.place = leased.place.opaque, leased.place.place


@dataclass(frozen=True, slots=True)
class ExamTool(Generic[Given]):
    """A tool: what a client reads of it, what it takes and what it does."""

    name: str
    title: str
    words: str
    takes: type[Given]
    run: Callable[[Calling, Given], Awaitable[Sequence[Content]]]
    reads_only: bool = False
    idempotent: bool = True

    def listed(self) -> Tool:
        """Return it as a client sees it.

        Every hint is given: a client that may not ask its user refuses tools without them.
        """
        return Tool(
            name=self.name,
            title=self.title,
            description=self.words,
            input_schema=takes.schema(self.takes),
            annotations=ToolAnnotations(
                read_only_hint=self.reads_only,
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
            # Some clients put tools behind a search; an exam's are needed at every step.
            _meta={"anthropic/alwaysLoad": True},
        )


async def list_benchmarks(calling: Calling, _: takes.ListBenchmarks) -> Sequence[Content]:
    """Say what can be taken."""
    return [_json(wording.offered(calling.opened.service.exam))]


async def start_attempt(calling: Calling, given: takes.StartAttempt) -> Sequence[Content]:
    """Open an attempt."""
    started = await calling.opened.service.start(
        calling.caller(),
        given.tasks,
        contexts=None if given.contexts is None else Contexts(given.contexts),
        model=given.model,
    )
    calling.attempt = started.attempt
    told: dict[str, Any] = {
        "attempt": started.handle,
        "items": started.count,
        "tasks": started.attempt.tasks,
        "rules": wording.rules_said(started.attempt.rules, started.attempt.contexts),
        "next": "get_item",
    }
    if started.attempt.deadline is not None:
        told["seconds"] = (started.attempt.deadline - started.attempt.opened) // 1000
    return [_json(told)]


async def list_items(calling: Calling, given: takes.ListItems) -> Sequence[Content]:
    """List an attempt's items."""
    service = calling.opened.service
    attempt = await calling.find(given.attempt)
    answered = None if given.status is None else given.status == "answered"
    after = -1 if given.cursor is None else int(given.cursor)
    client = None if given.client is None else calling.caller(given.client).client
    # One more than is shown says whether there is a further page.
    found = await service.off_loop(
        lambda: service.list_items(
            attempt, after=after, limit=PAGE + 1, answered=answered, client=client
        )
    )
    shown = found[:PAGE]
    told: dict[str, Any] = {
        "items": [
            {"item": one.id, "task": one.task, "answered": one.answered}
            | ({} if one.leased_to is None else {"held_by": one.leased_to})
            for one in shown
        ],
        "progress": _progress(attempt),
    }
    if len(found) > len(shown):
        told["next_cursor"] = str(shown[-1].place)
    return [_json(told)]


async def get_item(calling: Calling, given: takes.GetItem) -> Sequence[Content]:
    """Give an item and its first image."""
    attempt = await calling.find(given.attempt)
    leased = await calling.opened.service.lease(
        attempt, calling.caller(given.client), None if given.item is None else given.item.strip()
    )
    calling.about(leased)
    item = leased.asked.item
    told: dict[str, Any] = {
        "item": item.id,
        "task": item.task,
        "prompt": item.prompt,
        "answer_format": item.answer_format.model_dump(mode="json", exclude_defaults=True),
        "images": [image.model_dump(mode="json", exclude_none=True) for image in item.images],
        "answered": leased.answered,
        "submissions_left": leased.submissions_left,
    }
    if leased.views_left is not None:
        told["views_left"] = leased.views_left
    told["progress"] = _progress(attempt)
    if not item.images:
        return [_json(told)]
    look = await _look(calling, leased, item.images[0].name)
    return [_json({**told, **look.words}), *look.images]


async def get_screenshot(calling: Calling, given: takes.GetScreenshot) -> Sequence[Content]:
    """Give a view of one of an item's images."""
    from snellen.grading.models.geometry import Space
    from snellen.server.screenshots.requests import Format, ViewRequest

    service = calling.opened.service
    attempt, caller = await calling.find(given.attempt), calling.caller(given.client)
    leased = await service.off_loop(lambda: service.held(attempt, caller, given.item.strip()))
    calling.about(leased)
    # It is made before it is counted: what can't be shown costs nothing.
    request = ViewRequest(
        region=given.region,
        space=Space(given.space),
        tile=given.tile,
        zoom=given.zoom,
        max_side=given.max_side,
        format=Format(given.format),
    )
    images = leased.asked.item.images
    name = given.image or (images[0].name if images else "")
    look = await _look(calling, leased, name, request)
    told: dict[str, Any] = {"item": leased.place.opaque, **look.words}
    if look.images and (left := await service.viewed(attempt, leased)) is not None:
        told["views_left"] = left
    return [_json(told), *look.images]


async def submit_answer(calling: Calling, given: takes.SubmitAnswer) -> Sequence[Content]:
    """Store an answer."""
    from snellen.server.attempts.models import Seen
    from snellen.server.screenshots.frames import read_frame

    service = calling.opened.service
    attempt, caller = await calling.find(given.attempt), calling.caller(given.client)
    if given.view is not None:
        read_frame(given.view)
    receipt = await service.submit(
        attempt, caller, given.item.strip(), given.answer, Seen(given.space, given.view)
    )
    # From here on it is known to be an item of the attempt.
    calling.item = receipt.item
    told: dict[str, Any] = {
        "item": receipt.item,
        "stored": receipt.stored,
        "again": receipt.again,
        "submissions_left": receipt.submissions_left,
        "progress": {"answered": receipt.progress.answered, "open": receipt.progress.open},
        "next": "get_item" if receipt.progress.open else "finish_attempt",
    }
    if attempt.rules.mode is Mode.PRACTICE:
        told["score"] = await service.score(attempt, receipt)
    return [_json(told)]


async def finish_attempt(calling: Calling, given: takes.FinishAttempt) -> Sequence[Content]:
    """Close an attempt and give its report."""
    attempt = await calling.find(given.attempt)
    report = await calling.opened.service.finish(attempt)
    return [TextContent(type="text", text=report.model_dump_json())]


TOOLS: dict[str, ExamTool[Any]] = {
    tool.name: tool
    for tool in (
        ExamTool(
            "list_benchmarks",
            "List what can be taken",
            "The tasks offered here and how many items each has.",
            takes.ListBenchmarks,
            list_benchmarks,
            reads_only=True,
        ),
        ExamTool(
            "start_attempt",
            "Start an attempt",
            "Start an attempt. Returns its handle, which every other tool takes, and the rules.",
            takes.StartAttempt,
            start_attempt,
            idempotent=False,
        ),
        ExamTool(
            "list_items",
            "List an attempt's items",
            "The attempt's items, a page at a time.",
            takes.ListItems,
            list_items,
            reads_only=True,
        ),
        ExamTool(
            "get_item",
            "Get an item",
            "An item to answer: prompt, answer format, first image. It is yours for a while.",
            takes.GetItem,
            get_item,
        ),
        ExamTool(
            "get_screenshot",
            "Look at an image",
            "A view of an item's image: the whole, a region or a tile, enlarged or not."
            " The text beside it says how view pixels map to image pixels.",
            takes.GetScreenshot,
            get_screenshot,
            reads_only=True,
        ),
        ExamTool(
            "submit_answer",
            "Submit an answer",
            "Store the answer to an item. The same answer again changes nothing.",
            takes.SubmitAnswer,
            submit_answer,
        ),
        ExamTool(
            "finish_attempt",
            "Finish an attempt",
            "Close the attempt and return its report. No answer is taken afterwards.",
            takes.FinishAttempt,
            finish_attempt,
        ),
    )
}
"""Every tool, in the order in which it is listed."""


def _progress(attempt: "Attempt") -> dict[str, int]:
    return {"answered": attempt.progress.answered, "open": attempt.progress.open}


def _json(told: object) -> TextContent:
    return TextContent(type="text", text=msgspec.json.encode(told).decode())


class _Look(NamedTuple):
    """A view of an image, in words and pixels; without pixels where it can't be shown."""

    words: dict[str, Any]
    images: Sequence[ImageContent]


async def _look(
    calling: Calling, leased: "Leased", name: str, request: "ViewRequest | None" = None
) -> _Look:
    """Return a view, or say that there is none: a damaged image must not stop an examinee."""
    try:
        view = await _view(calling, leased, name, request)
    except DataError as error:
        from snellen.tasks.pack.layout import IMAGES

        calling.fault = name
        image = leased.asked.line.images[name]
        pack = calling.opened.service.exam.packs_by_task[leased.place.task]
        file = None if image.file is None else str(pack.folder / IMAGES / image.file)
        log().error("image fault", image=image.url or file, reason=str(error))
        return _Look({"fault": wording.image_fault(name)}, ())
    calling.views.append(view)
    content = ImageContent(type="image", data=view.base64, mime_type=view.media_type)
    return _Look({"view": {"id": view.view_id(), "shows": view.words()}}, (content,))


async def _view(
    calling: Calling, leased: "Leased", name: str, request: "ViewRequest | None"
) -> "View":
    from snellen.server.screenshots.requests import MOST_SIDE, Limits
    from snellen.server.screenshots.sources import image_source

    assert calling.attempt is not None
    pack = calling.opened.service.exam.packs_by_task[leased.place.task]
    source = await image_source(pack, leased.asked.line, name, calling.opened.remote)
    limits = Limits(max_side=min(calling.attempt.rules.max_view_side, MOST_SIDE))
    return await calling.opened.screenshots.view(source, request, limits, calling.name)
