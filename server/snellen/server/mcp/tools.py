"""The tools: each with its arguments, its function and its description.

They contain no rule of the exam. There are seven; `acting` has those of interactive items.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from mcp.types import ImageContent, TextContent, Tool, ToolAnnotations
from pydantic import BeforeValidator, Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.geometry import Space
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts, Format
from snellen.server.mcp import text
from snellen.server.mcp.call import (
    MAX_NAME,
    Arguments,
    AttemptHandle,
    Call,
    ClientArgument,
    ItemArgument,
    LookedUp,
    Tasks,
    schema,
    unquoted,
)
from snellen.server.mcp.views import show_image, show_item, show_screen

Content: TypeAlias = TextContent | ImageContent
Given = TypeVar("Given", bound=Closed)

PAGE = 50
"""The number of items on a page of a list. It keeps the page under 12 KB, the size that clients
show of a result."""


@dataclass(frozen=True, slots=True)
class ExamTool(Generic[Given]):
    """A tool: its arguments and its function."""

    name: str
    title: str | None
    takes: type[Given]
    run: Callable[[Call, Given], Awaitable[Sequence[Content]]]
    reads_only: bool = False
    idempotent: bool = True
    words: str = ""  # its description for clients; empty: the docstring of its arguments

    def listed(self) -> Tool:
        """Return its entry in the list of tools.

        The entry has every hint: a client that may not ask its user refuses tools without them.
        """
        return Tool(
            name=self.name,
            title=self.title,
            description=self.words or " ".join((self.takes.__doc__ or "").split()),
            input_schema=schema(self.takes),
            annotations=ToolAnnotations(
                read_only_hint=self.reads_only,
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
            # Some clients load tools only by a search; an exam's tools are needed at every step.
            _meta={"anthropic/alwaysLoad": True},
        )


class ListBenchmarks(Arguments):
    """The tasks offered here and how many items each has."""


async def list_benchmarks(call: Call, _: ListBenchmarks) -> Sequence[Content]:
    """Return the tasks that can be taken."""
    return [json_content(text.offered(call.host.service.exam))]


class StartAttempt(Arguments):
    """Start an attempt. Returns its handle, which every other tool takes, and the rules."""

    tasks: Annotated[
        Tasks | None,
        BeforeValidator(unquoted),
        Field(description="Tasks or benchmarks; all that is offered if left out"),
    ] = None
    contexts: Annotated[
        Literal["fresh", "continuous"] | None,
        Field(description="fresh: each context sees one item; continuous: any number"),
    ] = None
    model: Annotated[str | None, Field(max_length=200, description="Who answers")] = None


class StartPlaying(StartAttempt):
    """Start an attempt. Returns its handle, which every other tool takes, and the rules."""

    space: Annotated[
        Literal["pixels", "unit", "thousand"],
        Field(description="Unit of act's coordinates: screenshot pixels, 0..1 or 0..1000"),
    ] = "pixels"


async def start_attempt(call: Call, given: StartAttempt) -> Sequence[Content]:
    """Open an attempt."""
    played = given.space if isinstance(given, StartPlaying) else None
    started = await call.host.service.start(
        call.caller(),
        given.tasks,
        contexts=None if given.contexts is None else Contexts(given.contexts),
        model=given.model,
        **({} if played is None else {"space": Space(played)}),
    )
    call.attempt = started.attempt
    result: dict[str, Any] = {
        "attempt": started.handle,
        "items": started.count,
        "tasks": started.attempt.tasks,
        "rules": text.rules_said(started.attempt.rules, started.attempt.contexts),
        "next": "get_item",
    }
    if call.host.episodes is not None:
        result["rules"] += text.acting_said(started.attempt.rules, started.attempt.space)
    if started.attempt.deadline is not None:
        result["seconds"] = (started.attempt.deadline - started.attempt.opened) // 1000
    return [json_content(result)]


class ListItems(Arguments):
    """The attempt's items, a page at a time."""

    attempt: AttemptHandle
    status: Literal["open", "answered"] | None = None
    cursor: Annotated[
        str | None, Field(pattern=r"^\d{1,9}$", description="next_cursor of the page before")
    ] = None
    client: Annotated[
        str | None, Field(min_length=1, max_length=MAX_NAME, description="Only this client's")
    ] = None


async def list_items(call: Call, given: ListItems) -> Sequence[Content]:
    """List an attempt's items."""
    service = call.host.service
    attempt = await call.find(given.attempt)
    answered = None if given.status is None else given.status == "answered"
    after = -1 if given.cursor is None else int(given.cursor)
    client = None if given.client is None else call.caller(given.client).client
    # One item more than the page has: it shows whether there is a further page.
    items = await service.database.off_loop(
        lambda: service.list_items(
            attempt, after=after, limit=PAGE + 1, answered=answered, client=client
        )
    )
    shown = items[:PAGE]
    result: dict[str, Any] = {
        "items": [
            {"item": item.id, "task": item.task, "answered": item.answered}
            | ({} if item.leased_to is None else {"held_by": item.leased_to})
            for item in shown
        ],
        "progress": attempt.progress,
    }
    if len(items) > len(shown):
        result["next_cursor"] = str(shown[-1].place)
    return [json_content(result)]


class GetItem(Arguments):
    """An item to answer: prompt, answer format, images. It is yours for a while."""

    attempt: AttemptHandle
    item: Annotated[
        LookedUp | None,
        Field(max_length=MAX_NAME, description="Item id; the next open one if left out"),
    ] = None
    client: ClientArgument = "main"


async def get_item(call: Call, given: GetItem) -> Sequence[Content]:
    """Return an item and its images."""
    attempt = await call.find(given.attempt)
    lease = await call.host.service.lease(
        attempt, call.caller(given.client), None if given.item is None else given.item.strip()
    )
    call.about(lease)
    look = await show_item(call, attempt, lease)
    left: dict[str, Any] = {
        "answered": lease.item.answered,
        "submissions_left": lease.submissions_left,
        "progress": attempt.progress,
    }
    return [json_content({**look.words, **left}), *look.images]


class GetScreenshot(Arguments):
    """A view of an item's image: the whole, a region or a tile, enlarged or not.

    The text beside it says how view pixels map to image pixels.
    """

    attempt: AttemptHandle
    item: ItemArgument
    image: Annotated[
        str | None, Field(max_length=200, description="Image name; the first if left out")
    ] = None
    region: Annotated[
        tuple[float, float, float, float] | None,
        BeforeValidator(unquoted),
        Field(description="left, top, right, bottom"),
    ] = None
    space: Annotated[
        Literal["pixels", "unit", "thousand"],
        Field(description="What region counts: pixels of the image, 0..1 or 0..1000"),
    ] = "pixels"
    tile: Annotated[int | None, Field(ge=1, description="A full-size part, from 1")] = None
    zoom: Annotated[float | None, Field(gt=0, description="View pixels an image pixel")] = None
    max_side: Annotated[int | None, Field(ge=1, description="Longest side, in pixels")] = None
    format: Literal["auto", "png", "webp", "jpeg"] = "auto"
    client: ClientArgument = "main"


async def get_screenshot(call: Call, given: GetScreenshot) -> Sequence[Content]:
    """Return a view of an item's image."""
    from snellen.server.screenshots.requests import ViewRequest

    service = call.host.service
    attempt, caller = await call.find(given.attempt), call.caller(given.client)
    lease = await service.database.off_loop(
        lambda: service.held(attempt, caller, given.item.strip())
    )
    call.about(lease)
    # A view is counted after it was created, so an image that can't be shown is not counted.
    request = ViewRequest(
        region=given.region,
        space=Space(given.space),
        tile=given.tile,
        zoom=given.zoom,
        max_side=given.max_side,
        format=Format(given.format),
    )
    if lease.question.line.world is not None:
        turn = await call.episodes.look(attempt, caller, given.item.strip())
        assert turn.shot is not None
        look = await show_screen(call, turn.shot, request)
        return [json_content({"item": lease.item.opaque, **look.words}), *look.images]
    images = lease.question.item.images
    name = given.image or (images[0].name if images else "")
    look = await show_image(call, lease, name, request)
    result: dict[str, Any] = {"item": lease.item.opaque, **look.words}
    if look.images and (left := await service.viewed(attempt, lease)) is not None:
        result["views_left"] = left
    return [json_content(result), *look.images]


class SubmitAnswer(Arguments):
    """Store the answer to an item; with next=true also return the next item.

    The same answer again changes nothing.
    """

    attempt: AttemptHandle
    item: ItemArgument
    answer: Annotated[
        JsonValue,
        Field(
            description="In the item's answer format",
            json_schema_extra={
                "anyOf": [
                    {"type": "string"},
                    {"type": "number"},
                    {"type": "object"},
                    {
                        "type": "array",
                        "items": {
                            "anyOf": [{"type": "string"}, {"type": "number"}, {"type": "object"}]
                        },
                    },
                ]
            },
        ),
    ]
    space: Annotated[
        Literal["pixels", "view", "unit", "thousand"] | None,
        Field(description="What the answer's coordinates count"),
    ] = None
    view: Annotated[str | None, Field(max_length=200, description="view id, for space view")] = None
    next: Annotated[bool, Field(description="Also return the next item")] = False
    client: ClientArgument = "main"


async def submit_answer(call: Call, given: SubmitAnswer) -> Sequence[Content]:
    """Store an answer."""
    from snellen.server.attempts.models import AnswerMeta
    from snellen.server.screenshots.frames import read_frame

    service = call.host.service
    attempt, caller = await call.find(given.attempt), call.caller(given.client)
    if given.view is not None:
        read_frame(given.view)
    item, meta = given.item.strip(), AnswerMeta(given.space, given.view)
    if call.host.episodes is not None and await call.host.episodes.has(attempt, item):
        receipt = await call.host.episodes.end(attempt, caller, item, given.answer, meta)
    else:
        receipt = await service.submit(attempt, caller, item, given.answer, meta)
    # Only a successful submit shows that it is an item of the attempt.
    call.item = receipt.item
    result: dict[str, Any] = {
        "item": receipt.item,
        "stored": receipt.stored,
        "again": receipt.again,
        "submissions_left": receipt.submissions_left,
        "progress": receipt.progress,
        "next": "get_item" if receipt.progress.open else "finish_attempt",
    }
    if service.scores_answers(attempt):
        result["score"] = await service.score(attempt, receipt)
    if not (given.next and receipt.progress.open):
        return [json_content(result)]
    if attempt.contexts is Contexts.FRESH:
        return [json_content({**result, "note": text.NEW_CONTEXT})]
    try:
        lease = await service.lease(attempt, caller)
    except ExamError as error:
        # The answer is stored: only the next item can't be had now.
        return [json_content({**result, "note": str(error)})]
    # The trace is of the item whose images are shown.
    call.place = lease.item.place
    look = await show_item(call, attempt, lease, brief=True)
    for name in ("stored", "submissions_left", *(() if receipt.again else ("again",))):
        del result[name]
    return [
        json_content({**result, "next": "submit_answer", "next_item": look.words}),
        *look.images,
    ]


class FinishAttempt(Arguments):
    """Close the attempt and return its report. No answer is taken afterwards."""

    attempt: AttemptHandle


async def finish_attempt(call: Call, given: FinishAttempt) -> Sequence[Content]:
    """Close an attempt and return its total, with a line of each task."""
    attempt = await call.find(given.attempt)
    report = await call.host.service.finish(attempt)
    summary = report.summary(f"exam://attempts/{given.attempt}/report")
    return [TextContent(type="text", text=summary.model_dump_json())]


TOOLS: dict[str, ExamTool[Any]] = {
    tool.name: tool
    for tool in (
        ExamTool(
            "list_benchmarks",
            "List what can be taken",
            ListBenchmarks,
            list_benchmarks,
            reads_only=True,
        ),
        ExamTool(
            "start_attempt", "Start an attempt", StartAttempt, start_attempt, idempotent=False
        ),
        ExamTool("list_items", "List an attempt's items", ListItems, list_items, reads_only=True),
        ExamTool("get_item", "Get an item", GetItem, get_item),
        ExamTool(
            "get_screenshot", "Look at an image", GetScreenshot, get_screenshot, reads_only=True
        ),
        ExamTool("submit_answer", "Submit an answer", SubmitAnswer, submit_answer),
        ExamTool("finish_attempt", "Finish an attempt", FinishAttempt, finish_attempt),
    )
}
"""The tools of an exam without interactive items, in the order of the list."""


def json_content(result: object) -> TextContent:
    return TextContent(type="text", text=msgspec.json.encode(result).decode())
