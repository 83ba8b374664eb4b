"""The tools: each reads its arguments, calls the service and returns its result.

They contain no rule of the exam. There are seven; with interactive items there is also `act`, or
a tool for each application of their worlds.
"""

import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
from mcp.types import ImageContent, TextContent, Tool, ToolAnnotations

from snellen.grading.errors import DataError
from snellen.grading.models.base import Closed
from snellen.grading.models.geometry import Space
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts, Format
from snellen.server.logs import log
from snellen.server.mcp import arguments, text

if TYPE_CHECKING:
    from mcp.types import InitializeRequestParams

    from snellen.grading.models.items import Item
    from snellen.server.attempts.models import Caller, Lease
    from snellen.server.episodes.service import Episodes, Shot, Turn
    from snellen.server.host import Host
    from snellen.server.screenshots.requests import Limits, ViewRequest
    from snellen.server.screenshots.service import View
    from snellen.server.store.tables.exams import Attempt
    from snellen.tasks.environments.base import WorldTool

Content: TypeAlias = TextContent | ImageContent
Given = TypeVar("Given", bound=Closed)

ENDING = '{"status": "done"}'
"""The shortest answer that ends an interactive task."""

PAGE = 50
"""The number of items on a page of a list. It keeps the page under 12 KB, the size that clients
show of a result."""


class _Look(NamedTuple):
    """A view of an image, in words and pixels; without pixels if it can't be shown."""

    words: dict[str, Any]
    images: Sequence[ImageContent]


READABLE = 0.6
"""The least view pixels for an image pixel: text 14 pixels high is then 8 high."""
MOST_TILES = 4
"""A longer page comes as a whole, and its tiles are asked for."""
SMALL = 160_000
"""The most pixels of a further image that comes with its item."""
MOST_SMALL = 8

_WITHOUT_WEBP = re.compile(r"llama|lm.?studio", re.IGNORECASE)
"""Software whose models can't read WebP. llama.cpp decodes images with stb_image (llama.cpp#15542),
and some versions leave out what they can't decode without an error; ollama and LM Studio use it."""


@dataclass(slots=True)
class ToolCall:
    """A call in progress. Its tool sets the fields for the log line and the trace.

    Attributes:
        host: The exam.
        name: The caller, as the transport reports it.
        introduced: How the client's software introduced itself; None: it did not.
        attempt: Its attempt; None until the attempt is known to be the caller's.
        item: The item's id in the attempt.
        place: The item's index in the attempt.
        action: The called action of an application.
        views: The returned images.
        fault: The name of an image that can't be shown, a fault of the exam.
    """

    host: "Host"
    name: str
    introduced: "InitializeRequestParams | None" = None
    attempt: "Attempt | None" = None
    item: str | None = None
    place: int | None = None
    action: str | None = None
    views: "list[View]" = field(default_factory=list["View"])
    fault: str | None = None

    def caller(self, client: str = "main") -> "Caller":
        """Return the caller with one of its clients."""
        from snellen.server.attempts.models import Caller

        return Caller(self.name, client)

    async def find(self, handle: str) -> "Attempt":
        """Return the attempt of a handle, if it is the caller's."""
        service = self.host.service
        self.attempt = await service.database.off_loop(
            lambda: service.attempt(handle.strip(), self.name)
        )
        return self.attempt

    def limits(self) -> "Limits":
        """Return the limits of the attempt's views."""
        from snellen.server.screenshots.requests import MOST_SIDE, Limits

        assert self.attempt is not None
        rules = self.attempt.rules
        form, known = rules.format, self.introduced
        if form is Format.AUTO and known and _WITHOUT_WEBP.search(known.client_info.name):
            form = Format.PNG
        return Limits(max_side=min(rules.max_view_side, MOST_SIDE), format=form)

    @property
    def episodes(self) -> "Episodes":
        """The episodes of interactive items.

        Raises:
            ExamError: The exam has no interactive items.
        """
        if self.host.episodes is None:
            raise ExamError("this exam has no interactive items")
        return self.host.episodes

    def about(self, lease: "Lease") -> None:
        """Set the item of the call."""
        self.item, self.place = lease.item.opaque, lease.item.place


@dataclass(frozen=True, slots=True)
class ExamTool(Generic[Given]):
    """A tool: its description for clients, its arguments and its function."""

    name: str
    title: str | None
    words: str
    takes: type[Given]
    run: Callable[[ToolCall, Given], Awaitable[Sequence[Content]]]
    reads_only: bool = False
    idempotent: bool = True

    def listed(self) -> Tool:
        """Return its entry in the list of tools.

        The entry has every hint: a client that may not ask its user refuses tools without them.
        """
        return Tool(
            name=self.name,
            title=self.title,
            description=self.words,
            input_schema=arguments.schema(self.takes),
            annotations=ToolAnnotations(
                read_only_hint=self.reads_only,
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
            # Some clients load tools only by a search; an exam's tools are needed at every step.
            _meta={"anthropic/alwaysLoad": True},
        )


async def list_benchmarks(call: ToolCall, _: arguments.ListBenchmarks) -> Sequence[Content]:
    """Return the tasks that can be taken."""
    return [_json(text.offered(call.host.service.exam))]


async def start_attempt(call: ToolCall, given: arguments.StartAttempt) -> Sequence[Content]:
    """Open an attempt."""
    played = given.space if isinstance(given, arguments.StartPlaying) else None
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
    if played is not None:
        result["rules"] += text.acting_said(played)
    elif call.host.episodes is not None:
        result["rules"] += text.calling_said()
    if started.attempt.deadline is not None:
        result["seconds"] = (started.attempt.deadline - started.attempt.opened) // 1000
    return [_json(result)]


async def list_items(call: ToolCall, given: arguments.ListItems) -> Sequence[Content]:
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
    return [_json(result)]


async def get_item(call: ToolCall, given: arguments.GetItem) -> Sequence[Content]:
    """Return an item and its images."""
    attempt = await call.find(given.attempt)
    lease = await call.host.service.lease(
        attempt, call.caller(given.client), None if given.item is None else given.item.strip()
    )
    call.about(lease)
    look = await _show(call, attempt, lease)
    left: dict[str, Any] = {
        "answered": lease.item.answered,
        "submissions_left": lease.submissions_left,
        "progress": attempt.progress,
    }
    return [_json({**look.words, **left}), *look.images]


async def _show(
    call: ToolCall, attempt: "Attempt", lease: "Lease", *, brief: bool = False
) -> _Look:
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
        if turn.shot is None:
            return _Look({**words, "images": [], **_state(turn)}, ())
        size = turn.shot.size
        screen = {"name": turn.shot.name, "width": size.width, "height": size.height}
        look = await _screen(call, turn.shot)
        return _Look({**words, "images": [screen], **_state(turn), **look.words}, look.images)
    looks = [
        await _look(call, lease, name, request, brief=brief)
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
    return _Look(words, [image for look in looks for image in look.images])


def _views_of(item: "Item", call: ToolCall) -> "Iterator[tuple[str, ViewRequest | None]]":
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


async def get_screenshot(call: ToolCall, given: arguments.GetScreenshot) -> Sequence[Content]:
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
        look = await _screen(call, turn.shot, request)
        return [_json({"item": lease.item.opaque, **look.words}), *look.images]
    images = lease.question.item.images
    name = given.image or (images[0].name if images else "")
    look = await _look(call, lease, name, request)
    result: dict[str, Any] = {"item": lease.item.opaque, **look.words}
    if look.images and (left := await service.viewed(attempt, lease)) is not None:
        result["views_left"] = left
    return [_json(result), *look.images]


async def submit_answer(call: ToolCall, given: arguments.SubmitAnswer) -> Sequence[Content]:
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
        "next": "get_item" if receipt.more else "finish_attempt",
    }
    if service.scores_answers(attempt):
        result["score"] = await service.score(attempt, receipt)
    if not (given.next and receipt.more):
        return [_json(result)]
    if attempt.contexts is Contexts.FRESH:
        return [_json({**result, "note": text.NEW_CONTEXT})]
    try:
        lease = await service.lease(attempt, caller)
    except ExamError as error:
        # The answer is stored: only the next item can't be had now.
        return [_json({**result, "note": str(error)})]
    # The trace is of the item whose images are shown.
    call.place = lease.item.place
    look = await _show(call, attempt, lease, brief=True)
    for name in ("stored", "submissions_left", *(() if receipt.again else ("again",))):
        del result[name]
    return [_json({**result, "next": "submit_answer", "next_item": look.words}), *look.images]


async def act(call: ToolCall, given: arguments.Act) -> Sequence[Content]:
    """Do an action on the screen of an item."""
    attempt, caller = await call.find(given.attempt), call.caller(given.client)
    lease = await call.episodes.held(attempt, caller, given.item.strip())
    call.about(lease)
    turn = await call.episodes.act(attempt, lease, given.said())
    assert turn.shot is not None
    look = await _screen(call, turn.shot)
    return [_json({**_state(turn), **look.words}), *look.images]


def application_tool(tools: Sequence["WorldTool"]) -> ExamTool[Any]:
    """Return the tools of one application as one tool with an action for each.

    Raises:
        ExamError: Its arguments can't be those of one tool.
    """

    async def run(call: ToolCall, given: arguments.InApplication) -> Sequence[Content]:
        call.action, said = given.action, given.said()
        attempt, caller = await call.find(given.attempt), call.caller(given.client)
        lease = await call.episodes.held(attempt, caller, given.item.strip())
        call.about(lease)
        turn = await call.episodes.call(attempt, lease, given.action, said)
        came = {"refused": turn.note} if turn.note else {"result": turn.answer}
        return [_json({**_state(replace(turn, note="")), **came})]

    reads = all(tool.reads for tool in tools)
    return ExamTool(
        tools[0].app,
        None,
        "\n".join(["Actions:", *map(arguments.described, tools)]),
        arguments.of_application(tools),
        run,
        reads_only=reads,
        idempotent=reads,
    )


async def finish_attempt(call: ToolCall, given: arguments.FinishAttempt) -> Sequence[Content]:
    """Close an attempt and return its report."""
    attempt = await call.find(given.attempt)
    report = await call.host.service.finish(attempt)
    return [TextContent(type="text", text=report.model_dump_json())]


TOOLS: dict[str, ExamTool[Any]] = {
    tool.name: tool
    for tool in (
        ExamTool(
            "list_benchmarks",
            "List what can be taken",
            "The tasks offered here and how many items each has.",
            arguments.ListBenchmarks,
            list_benchmarks,
            reads_only=True,
        ),
        ExamTool(
            "start_attempt",
            "Start an attempt",
            "Start an attempt. Returns its handle, which every other tool takes, and the rules.",
            arguments.StartAttempt,
            start_attempt,
            idempotent=False,
        ),
        ExamTool(
            "list_items",
            "List an attempt's items",
            "The attempt's items, a page at a time.",
            arguments.ListItems,
            list_items,
            reads_only=True,
        ),
        ExamTool(
            "get_item",
            "Get an item",
            "An item to answer: prompt, answer format, images. It is yours for a while.",
            arguments.GetItem,
            get_item,
        ),
        ExamTool(
            "get_screenshot",
            "Look at an image",
            "A view of an item's image: the whole, a region or a tile, enlarged or not."
            " The text beside it says how view pixels map to image pixels.",
            arguments.GetScreenshot,
            get_screenshot,
            reads_only=True,
        ),
        ExamTool(
            "submit_answer",
            "Submit an answer",
            "Store the answer to an item; with next=true also return the next item."
            " The same answer again changes nothing.",
            arguments.SubmitAnswer,
            submit_answer,
        ),
        ExamTool(
            "finish_attempt",
            "Finish an attempt",
            "Close the attempt and return its report. No answer is taken afterwards.",
            arguments.FinishAttempt,
            finish_attempt,
        ),
    )
}
"""The tools of an exam without interactive items, in the order of the list."""

PLAYING_TOOLS: dict[str, ExamTool[Any]] = {
    **{
        name: replace(tool, takes=arguments.StartPlaying) if name == "start_attempt" else tool
        for name, tool in TOOLS.items()
        if name != "finish_attempt"
    },
    "act": ExamTool(
        "act",
        "Act on the screen",
        "One input to the application that the item shows: a click, text, keys, a drag, a scroll,"
        " a wait. Each is a step. Returns the next screenshot.",
        arguments.Act,
        act,
        idempotent=False,
    ),
    "finish_attempt": TOOLS["finish_attempt"],
}
"""The tools of an exam whose interactive items are done on their screen."""


def calling_tools(worlds: Sequence["WorldTool"]) -> dict[str, ExamTool[Any]]:
    """Return the tools of an exam whose interactive items are done by tools.

    Applications have one tool each, since hosts send all descriptions to the model at every turn.

    Raises:
        ExamError: Two applications have the same name, or an application or an argument of it has
            a name that the server uses.
    """
    last = "finish_attempt"
    apps: dict[str, list[WorldTool]] = {}
    for tool in worlds:
        same = apps.setdefault(tool.app, [])
        if tool.app in TOOLS or tool.name in {other.name for other in same}:
            raise ExamError(f"two packs have a tool {tool.app}: serve them apart")
        same.append(tool)
    return {
        **{name: tool for name, tool in TOOLS.items() if name != last},
        **{name: application_tool(tools) for name, tools in apps.items()},
        last: TOOLS[last],
    }


def _json(result: object) -> TextContent:
    return TextContent(type="text", text=msgspec.json.encode(result).decode())


def _state(turn: "Turn") -> dict[str, Any]:
    state: dict[str, Any] = {"step": turn.step, "steps_left": turn.left, "ended": turn.ended}
    return state | ({"note": turn.note} if turn.note else {})


async def _look(
    call: ToolCall,
    lease: "Lease",
    name: str,
    request: "ViewRequest | None" = None,
    *,
    brief: bool = False,
) -> _Look:
    """Return a view, or the message of a fault: a damaged image must not stop an examinee."""
    from snellen.server.screenshots.sources import image_source

    pack = call.host.service.exam.packs_by_task[lease.item.task]
    try:
        source = image_source(pack, lease.question.line, name)
        view = await call.host.screenshots.view(source, request, call.limits(), call.name)
    except DataError as error:
        from snellen.tasks.pack.format import IMAGES

        call.fault = name
        image = lease.question.line.images[name]
        file = str(pack.folder / IMAGES / image.file)
        log().error("image fault", image=file, reason=str(error))
        return _Look({"fault": text.image_fault(name)}, ())
    return _sent(call, view, view.brief_words() if brief else view.words())


async def _screen(call: ToolCall, shot: "Shot", request: "ViewRequest | None" = None) -> _Look:
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
        view = await call.host.screenshots.view(source, request, limits, call.name)
    # A step's whole screenshot needs no description of the view.
    whole = plan.frame.shown == shot.size and request is None
    return _sent(call, view, "" if whole else view.words())


def _sent(call: ToolCall, view: "View", shows: str) -> _Look:
    """Return a view as it is sent, with words on what it shows; empty: none are needed."""
    call.views.append(view)
    content = ImageContent(type="image", data=view.base64, mime_type=view.media_type)
    return _Look({"view": {"id": view.view_id()} | ({"shows": shows} if shows else {})}, (content,))
