"""Routes for participants or everyone: exams, items, images, leaderboards, exports."""

import asyncio
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from itertools import chain, islice
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from snellen.grading.csv_text import csv_rows
from snellen.grading.errors import DataError, SnellenError
from snellen.grading.models.base import Closed
from snellen.grading.models.items import Item
from snellen.server.challenge.boards import MOST_ROWS
from snellen.server.errors import NotFoundError, StoreError
from snellen.server.http.actions import Actions
from snellen.server.http.api.parameters import Parameters, PhaseQuery
from snellen.server.http.api.problems import EVERYWHERE, documented
from snellen.server.http.responses import JSON, answered
from snellen.server.screenshots.service import WholeImages
from snellen.server.screenshots.sources import image_source
from snellen.tasks.hosted import Board, BoardPage, BoardRow, ExamCard, MeasureName, Source
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.read import Pack

MOST_ITEMS = 200
_ROWS_AT_ONCE = 500
_COLUMNS = (
    *("best rank", "worst rank", "group", "submission", "participant", "name", "link", "source"),
    *("at", "baseline", "value", "low", "high"),
)


class ExamPage(Closed):
    """The exams that are served."""

    exams: tuple[ExamCard, ...]


class ItemPage(Closed):
    """A page of a task's items.

    Attributes:
        items: The items, as an agent may see them.
        next: The cursor of the next page; None: this is the last.
    """

    items: tuple[Item, ...]
    next: str | None


class ItemQuery(Parameters):
    """The query of a page of items.

    Attributes:
        task: The task's id; default: the only task.
        after: The cursor of the page.
        limit: The maximum number of items.
    """

    task: str | None = None
    after: str = Field(default="0", pattern=r"^\d{1,9}$")
    limit: int = Field(default=50, ge=1, le=MOST_ITEMS)


class ImageQuery(Parameters):
    """The query of an image.

    Attributes:
        item: The item's id.
        name: The image's name; default: the first image.
        task: The task's id; default: the only task.
    """

    item: str
    name: str | None = None
    task: str | None = None


class BoardQuery(Parameters):
    """The query of a leaderboard.

    Attributes:
        phase: The phase; default: the open one.
        task: Its single task; default: the mean of all tasks.
        tag: A tag as `name=value`, for a leaderboard of only its items; default: all items.
        source: Only `upload`s, or only `attempt`s over MCP; default: both.
        after: The cursor of the page.
        limit: The maximum number of rows.
        format: The format of the response; CSV always has all rows.
    """

    phase: str | None = None
    task: str | None = None
    tag: str | None = None
    source: Source | None = None
    after: str = Field(default="0", pattern=r"^\d{1,9}$")
    limit: int = Field(default=1_000, ge=1, le=MOST_ROWS)
    format: Literal["json", "csv"] = "json"


def routes(actions: Actions) -> APIRouter:
    router = APIRouter(tags=["exam"], responses=EVERYWHERE)
    challenge, access = actions.challenge, actions.access
    guarded = documented(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
    unchanged: dict[int | str, Any] = {304: {"description": "Unchanged"}}

    @router.get("/exams", response_model=ExamPage)
    async def list_exams(request: Request) -> Response:
        """List the exams that are served here."""
        card = await access.ask(request, lambda _: challenge.card())
        return answered(ExamPage(exams=(card,)))

    @router.get(
        "/exams/{exam}", response_model=ExamCard, responses=documented(HTTPStatus.NOT_FOUND)
    )
    async def show_exam(request: Request, exam: str) -> Response:
        """Show an exam: its tasks, its phases and their rules."""
        return answered(await actions.ask(request, exam, lambda _: challenge.card()))

    @router.get("/exams/{exam}/items", response_model=ItemPage, responses=guarded)
    async def list_items(
        request: Request, exam: str, query: Annotated[ItemQuery, Query()]
    ) -> Response:
        """List a task's items, without references."""
        first, last = int(query.after), int(query.after) + query.limit
        found = await actions.ask(
            request, exam, lambda v: actions.items(v, query.task, first, query.limit)
        )
        # Tags are for reports; some of them reveal how an item was created.
        items = tuple(line.item.model_copy(update={"tags": {}}) for line in found.lines)
        return answered(ItemPage(items=items, next=str(last) if last < found.total else None))

    @router.get(
        "/exams/{exam}/image",
        response_class=Response,
        responses={200: {"content": {"image/*": {}}}, **unchanged, **guarded},
    )
    async def show_image(
        request: Request, exam: str, query: Annotated[ImageQuery, Query()]
    ) -> Response:
        """Return an image of an item: its pixels, encoded again."""
        await actions.ask(request, exam, lambda v: actions.check_items(v, "images"))
        task, line = actions.item(query.task, query.item)
        pack = challenge.exam.packs_by_task[task]
        return await picture_response(actions.images, request, pack, line, query.name)

    @router.get(
        "/exams/{exam}/leaderboard",
        response_model=BoardPage,
        responses={200: {"content": {"text/csv": {}}}, **unchanged, **guarded},
    )
    async def leaderboard(
        request: Request,
        exam: str,
        query: Annotated[BoardQuery, Query()],
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Show a phase's leaderboard: values, 95 % intervals and simultaneous rank bounds.

        A long one has pages. It is made again after a change, at most every five seconds if it is
        long, so its rows can move between two requests.
        """
        visitor, boards = await actions.visitor(request, exam), actions.boards
        kept = await boards.board_off_loop(
            challenge.phase(query.phase),
            query.task,
            query.tag,
            query.source,
            organizer=visitor.organizes,
        )
        if query.format == "csv":
            return StreamingResponse(as_csv(kept.board), media_type="text/csv; charset=utf-8")
        page = await boards.page(kept, int(query.after), query.limit)
        headers = {"ETag": page.etag, "Cache-Control": "no-cache"}
        if if_none_match == page.etag:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(page.body, media_type=JSON, headers=headers)

    @router.get("/exams/{exam}/export", responses=guarded)
    async def export(
        request: Request, exam: str, query: Annotated[PhaseQuery, Query()]
    ) -> Response:
        """Return the data behind a leaderboard, for `snellen verify`."""
        visitor, boards = await actions.visitor(request, exam), actions.boards
        phase = challenge.phase(query.phase)
        body = await boards.off_loop(lambda: boards.export(phase, organizer=visitor.organizes))
        return Response(body, media_type=JSON)

    return router


async def picture_response(
    images: WholeImages, request: Request, pack: Pack, line: PackItem, image: str | None
) -> Response:
    """Return an image of an item; 304 if the client already has it.

    Args:
        images: The encoded images.
        request: The request, which may have the image's ETag.
        pack: The item's pack.
        line: The item.
        image: The image's name; None: the first one.

    Raises:
        NotFoundError: There is no such image, or it can't be shown.
    """
    name = image or next((each.name for each in line.item.images), "")
    try:
        source = image_source(pack, line, name)
        etag = f'"{source.digest}"'
        headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        encoded = await asyncio.to_thread(images.get, source)
    except StoreError:
        raise
    except SnellenError as error:
        # What is wrong with the pixels is told; what is wrong with the pack's file is not.
        why = f": {error.message}" if isinstance(error, DataError) and error.file is None else ""
        said = f"the image {name[:64]!r} can't be shown{why}"
        raise NotFoundError(said, field="name") from error
    return Response(encoded.data, media_type=encoded.media_type, headers=headers)


def as_csv(board: Board) -> Iterator[bytes]:
    """Yield a leaderboard as CSV, many rows at once; tasks and measures are the last columns."""
    measures = board.measures
    names = (*_COLUMNS, *board.tasks, *map(str, measures))
    lines = csv_rows(chain([names], (_cells(row, board.tasks, measures) for row in board.rows)))
    while some := b"".join(islice(lines, _ROWS_AT_ONCE)):
        yield some


def _cells(
    row: BoardRow, tasks: Sequence[str], measures: Sequence[MeasureName]
) -> Sequence[object]:
    # In an open phase, a task with few items is not shown by itself.
    values = {task.task: task.value for task in row.tasks}
    own = row.measures
    return (
        *(row.best, row.worst, row.group, row.submission, row.participant, row.name, row.link),
        *(row.source.value, row.at, row.baseline, row.value, row.low, row.high),
        *map(values.get, tasks),
        *map(own.get, measures),
    )
