"""Submissions: upload a file, follow its grading, read its report."""

import asyncio
import zlib
from collections.abc import AsyncIterable, AsyncIterator
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge.events import MOST_LISTED
from snellen.server.challenge.models import FORMS, QuotaCard, SubmissionStatus, Upload
from snellen.server.errors import FormError, MalformedError, TooLargeError
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.context import (
    JSON,
    LONGEST_BODY,
    Parameters,
    PhaseQuery,
    RouteContext,
    answered,
    root_of,
)
from snellen.server.http.api.problems import EVERYWHERE, JsonRoute, documented
from snellen.server.store.tables.endpoint import JobState, SubmissionRow
from snellen.server.store.tables.exams import Scope

PART_BYTES = 256 << 10
_GZIP = 16 + zlib.MAX_WBITS
"""The number of an upload's bytes in one row."""

POLL_SECONDS = 2
"""After how many seconds a client should read the status of an upload again."""

_LINE = {
    "type": "object",
    "properties": {
        "item_id": {"type": "string"},
        "response": {},
        "attempt": {"type": "integer", "minimum": 0},
        "model": {"type": "string"},
        "error": {"type": "string"},
        "task": {"type": "string"},
    },
    "required": ["item_id"],
}
# A file's content is only read when it is graded, and errors in it fail the submission. So the
# schemas of bodies describe accepted uploads, and those of their content what can be graded.
_FILE = {"type": "string", "format": "binary", "minLength": 1}
_LINES = {"contentMediaType": "application/json", "contentSchema": _LINE}
_BODIES: dict[str, Any] = {
    form: {"schema": {**_FILE, **_LINES} if ending.startswith(".jsonl") else _FILE}
    for form, ending in FORMS.items()
}


class SubmissionPage(Closed):
    """A page of submissions, the newest first.

    Attributes:
        submissions: The submissions.
        next: The cursor of the next page; None: this is the last.
    """

    submissions: tuple[SubmissionStatus, ...]
    next: str | None


class UploadQuery(Parameters):
    """The metadata of an upload.

    Attributes:
        phase: The phase; default: the open one.
        task: The single task that it answers; default: its lines name it, or the exam has only one.
        name: Its name on the leaderboard; default: the participant's name.
        link: A URL with more information.
    """

    phase: str | None = None
    task: str | None = None
    name: str = Field(default="", max_length=200)
    link: str = Field(default="", max_length=500)


class Choice(Closed):
    """Whether a submission is to count at the end of its phase."""

    chosen: bool = True


class ListQuery(Parameters):
    """The query of a page of submissions.

    Attributes:
        phase: The phase; default: all phases.
        state: The state of their grading; default: any.
        before: The cursor of the page.
        limit: The maximum number of submissions.
    """

    phase: str | None = None
    state: JobState | None = None
    before: str | None = None
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class TaskQuery(Parameters):
    """The query for a task.

    Attributes:
        task: The task; default: the only one.
    """

    task: str | None = None


def routes(context: RouteContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["submissions"], responses=EVERYWHERE)
    challenge, access = context.challenge, context.access
    submissions = challenge.submissions
    guarded = documented(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
    taking = documented(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.CONFLICT,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    )

    @router.post(
        "/exams/{exam}/submissions",
        response_model=SubmissionStatus,
        status_code=HTTPStatus.CREATED,
        responses={
            200: {
                "model": SubmissionStatus,
                "description": "It came before: the same file, or the same key.",
            },
            **guarded,
            **taking,
        },
        openapi_extra={"requestBody": {"required": True, "content": _BODIES}},
    )
    async def upload(
        request: Request,
        exam: str,
        query: Annotated[UploadQuery, Query()],
        idempotency_key: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Upload a file of predictions as the request's body; it is queued for grading.

        The media type determines its format. With an Idempotency-Key it is safe to send it again:
        the same bytes with the same key are one submission, and use one upload of the quota. The
        same file again is the earlier submission, uses no upload, and `note` says so.
        """
        at = challenge.now()
        context.check_exam(exam)

        def check(visitor: Visitor) -> str:
            caller = visitor.need(Scope.SUBMIT)
            challenge.phases.check_open(query.phase, at)
            return caller

        caller = await access.ask(request, check)
        given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if given not in FORMS:
            raise FormError(
                f"the media type {given or 'is missing and'} is not supported; use one of:"
                f" {', '.join(FORMS)}",
                field="content-type",
            )
        body = await receive(request, challenge.file.longest_upload)
        kept, new = await submissions.keep(
            Upload(
                caller=caller,
                body=body.parts,
                digest=body.digest,
                size=body.size,
                form=FORMS[given],
                at=at,
                name=query.name,
                link=query.link,
                task=query.task,
                phase=query.phase,
                key=idempotency_key,
            )
        )
        headers = {"Location": f"{root_of(request)}/v1/exams/{exam}/submissions/{kept.id}"}
        return answered(kept, HTTPStatus.CREATED if new else HTTPStatus.OK, headers)

    @router.get("/exams/{exam}/quota", response_model=QuotaCard, responses=guarded)
    async def quota(request: Request, exam: str, query: Annotated[PhaseQuery, Query()]) -> Response:
        """Show the uploads that you have left, and the phase that takes them."""
        context.check_exam(exam)
        return answered(
            await access.ask(
                request,
                lambda visitor: submissions.quota(visitor.need(Scope.SUBMIT), query.phase),
            )
        )

    @router.get("/exams/{exam}/submissions", response_model=SubmissionPage, responses=guarded)
    async def list_submissions(
        request: Request, exam: str, query: Annotated[ListQuery, Query()]
    ) -> Response:
        """List your submissions; an organizer's token lists those of all participants."""
        context.check_exam(exam)

        def page(visitor: Visitor) -> SubmissionPage:
            owner = visitor.owner()
            found = submissions.listed(
                owner,
                phase=""
                if query.phase is None
                else challenge.phases.key(challenge.phase(query.phase)),
                state=query.state,
                before=query.before,
                limit=query.limit,
            )
            return SubmissionPage(
                submissions=tuple(submissions.status(row.id, owner) for row in found),
                next=found[-1].id if len(found) == query.limit else None,
            )

        return answered(await access.ask(request, page))

    one = "/exams/{exam}/submissions/{submission}"
    deciding = {
        **guarded,
        **documented(
            HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        ),
    }

    async def shown(submission: str, caller: str) -> Response:
        return answered(
            await challenge.database.off_loop(lambda: submissions.status(submission, caller))
        )

    @router.get(one, response_model=SubmissionStatus, responses=guarded)
    async def show_submission(
        request: Request,
        exam: str,
        submission: str,
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Show a submission's state and scores; until it is done, poll it after `Retry-After`."""
        context.check_exam(exam)
        status = await access.ask(request, lambda v: submissions.status(submission, v.owner()))
        body = status.model_dump_json().encode()
        headers = {"ETag": f'"{sha256(body).hexdigest()}"', "Cache-Control": "private, no-cache"}
        if not status.done:
            headers["Retry-After"] = str(POLL_SECONDS)
        if if_none_match == headers["ETag"]:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(body, media_type=JSON, headers=headers)

    own = APIRouter(
        tags=router.tags,
        max_body_size=LONGEST_BODY,
        route_class=JsonRoute,
        responses=EVERYWHERE,
    )

    @own.post(f"{one}/choose", response_model=SubmissionStatus, responses=deciding)
    async def choose(request: Request, exam: str, submission: str, given: Choice) -> Response:
        """Choose a submission to count at the end of its phase, or take the choice back."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.SUBMIT)
        await submissions.choose(submission, caller, chosen=given.chosen)
        return await shown(submission, caller)

    @own.post(f"{one}/withdraw", response_model=SubmissionStatus, responses=deciding)
    async def withdraw(request: Request, exam: str, submission: str) -> Response:
        """Take your submission off the leaderboard; its upload stays used."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.SUBMIT)
        await submissions.withdraw(submission, caller)
        return await shown(submission, caller)

    router.routes.extend(own.routes)

    @router.get(f"{one}/report", responses=guarded)
    async def report(
        request: Request, exam: str, submission: str, query: Annotated[TaskQuery, Query()]
    ) -> Response:
        """Return a task's report, as `snellen grade --output report.json` writes it."""
        context.check_exam(exam)

        body = await access.ask(
            request,
            lambda visitor: submissions.report(
                submission, query.task, visitor.name, organizer=visitor.organizes
            ),
        )
        return Response(body, media_type=JSON)

    @router.get(
        f"{one}/file",
        response_class=Response,
        responses={200: {"content": {"application/octet-stream": {}}}, **guarded},
    )
    async def file(request: Request, exam: str, submission: str) -> Response:
        """Return a submission's file, unchanged."""
        context.check_exam(exam)
        row, parts = await access.ask(request, lambda v: submissions.file_of(submission, v.owner()))
        return file_response(row, await submissions.bytes_of(parts))

    return router


def file_response(row: SubmissionRow, body: bytes) -> Response:
    """Return a submission's file as a response."""
    name = f'attachment; filename="{row.id}{row.form}"'
    headers = {"Content-Disposition": name, "Cache-Control": "no-store"}
    return Response(body, media_type="application/octet-stream", headers=headers)


class Received(Closed):
    """A request's body as it is stored.

    Attributes:
        parts: Its bytes, in parts compressed by zlib.
        digest: SHA-256 of the bytes.
        size: The number of the bytes.
    """

    parts: tuple[bytes, ...]
    digest: bytes
    size: int


async def receive(request: Request, most: int) -> Received:
    """Read a request's body in parts, so that no whole upload is in memory uncompressed.

    A body with `Content-Encoding: gzip` is decoded, and the limit counts its decoded bytes.

    Raises:
        TooLargeError: It is larger than the limit; the rest of it is not read.
        FormError: Its encoding is not supported, or it is no whole gzip stream.
        MalformedError: It is empty, or its length is not a number.
    """
    said = request.headers.get("content-length", "0")
    if not said.isdecimal():
        raise MalformedError("Content-Length is not a number", field="content-length")
    if int(said) > most:
        raise _too_large(most)
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return await keep_bytes(request.stream(), most)
    if encoding not in ("gzip", "x-gzip"):
        raise FormError(
            f"the content encoding {encoding[:40]!r} is not supported; use gzip or none",
            field="content-encoding",
        )
    return await keep_bytes(_unzipped(request.stream()), most)


async def _unzipped(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield the decoded bytes of a gzip stream, in pieces of a bounded size."""
    decoder, started = zlib.decompressobj(_GZIP), False
    async for received in chunks:
        chunk = received
        while chunk:
            try:
                yield decoder.decompress(chunk, PART_BYTES)
            except zlib.error as error:
                raise FormError(f"the body is no gzip stream: {error}") from None
            chunk = decoder.unconsumed_tail
            if decoder.eof:
                # A stream may have several members.
                chunk, decoder = decoder.unused_data, zlib.decompressobj(_GZIP)
                started = bool(chunk)
            else:
                started = True
    if started:
        raise FormError("the gzip stream is cut off")


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(
        f"an upload may have at most {most:,} bytes; compress the file (.jsonl.gz)"
    )


async def keep_bytes(chunks: AsyncIterable[bytes], most: int) -> Received:
    """Read a stream of bytes into parts compressed by zlib.

    Raises:
        TooLargeError: There are more bytes than the limit; the rest are not read.
        MalformedError: There are no bytes.
    """
    whole, size = sha256(), 0
    waiting = bytearray()
    parts: list[bytes] = []
    async for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise _too_large(most)
        whole.update(chunk)
        waiting += chunk
        while len(waiting) >= PART_BYTES:
            part = bytes(waiting[:PART_BYTES])
            del waiting[:PART_BYTES]
            parts.append(await asyncio.to_thread(zlib.compress, part, 1))
    if waiting:
        parts.append(zlib.compress(bytes(waiting), 1))
    if not size:
        raise MalformedError("the file is empty")
    return Received(parts=tuple(parts), digest=whole.digest(), size=size)
