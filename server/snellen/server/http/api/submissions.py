"""Submissions: upload a file, follow its grading, read its report."""

from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge import models
from snellen.server.challenge.events import MOST_LISTED
from snellen.server.errors import FormError
from snellen.server.http.actions import Actions
from snellen.server.http.api.organizing import decision_response
from snellen.server.http.api.parameters import LONGEST_BODY, Parameters, PhaseQuery
from snellen.server.http.api.problems import EVERYWHERE, JsonRoute, documented
from snellen.server.http.responses import JSON, NO_STORE, answered, root_of
from snellen.server.http.uploads import receive
from snellen.server.store.tables.endpoint import SubmissionRow
from snellen.server.store.tables.exams import Scope
from snellen.tasks import hosted
from snellen.tasks.hosted import JobState

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
    for form, ending in hosted.FORMS.items()
}


class SubmissionPage(Closed):
    """A page of submissions, the newest first.

    Attributes:
        submissions: The submissions.
        next: The cursor of the next page; None: this is the last.
    """

    submissions: tuple[hosted.SubmissionStatus, ...]
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


def routes(actions: Actions) -> APIRouter:
    router = APIRouter(tags=["submissions"], responses=EVERYWHERE)
    challenge = actions.challenge
    submissions = challenge.submissions
    guarded = documented(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
    taking = documented(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.CONFLICT,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    )

    own = APIRouter(
        tags=router.tags,
        max_body_size=LONGEST_BODY,
        route_class=JsonRoute,
        responses=EVERYWHERE,
    )

    @router.post(
        "/exams/{exam}/submissions",
        response_model=hosted.SubmissionStatus,
        status_code=HTTPStatus.CREATED,
        responses={
            200: {
                "model": hosted.SubmissionStatus,
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
        caller, phase = await actions.ask(
            request, exam, lambda visitor: actions.begin_upload(visitor, at, query.phase)
        )
        given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if given not in hosted.FORMS:
            raise FormError(
                f"the media type {given or 'is missing and'} is not supported; use one of:"
                f" {', '.join(hosted.FORMS)}",
                field="content-type",
            )
        body = await receive(
            request,
            challenge.file.longest_upload,
            lambda: submissions.check_arriving(phase, caller),
        )
        kept, new = await submissions.keep(
            models.Upload(
                caller=caller,
                body=body,
                form=hosted.FORMS[given],
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

    @own.post(
        "/exams/{exam}/announcements",
        response_model=models.AnnouncementCard,
        status_code=HTTPStatus.CREATED,
        responses={**guarded, **documented(HTTPStatus.BAD_REQUEST, HTTPStatus.TOO_MANY_REQUESTS)},
    )
    async def announce(request: Request, exam: str, given: models.Announcement) -> Response:
        """Announce a file by the SHA-256 of its bytes, before the end of the phase.

        Over a slow line it may then be uploaded until a while after the end; see `until`.
        """
        caller = await actions.ask(request, exam, lambda visitor: visitor.need(Scope.SUBMIT))
        return answered(await submissions.announce(caller, given), HTTPStatus.CREATED)

    @router.get("/exams/{exam}/quota", response_model=hosted.QuotaCard, responses=guarded)
    async def quota(request: Request, exam: str, query: Annotated[PhaseQuery, Query()]) -> Response:
        """Show the uploads that you have left, and the phase that takes them."""
        left = await actions.ask(request, exam, lambda v: actions.quota(v, query.phase))
        return answered(left)

    @router.get("/exams/{exam}/submissions", response_model=SubmissionPage, responses=guarded)
    async def list_submissions(
        request: Request, exam: str, query: Annotated[ListQuery, Query()]
    ) -> Response:
        """List your submissions; an organizer's token lists those of all participants."""
        visitor = await actions.visitor(request, exam)
        found = await actions.submissions(
            visitor, query.phase, query.state, query.before, query.limit
        )
        return answered(SubmissionPage(submissions=tuple(found.rows), next=found.next))

    one = "/exams/{exam}/submissions/{submission}"
    deciding = {
        **guarded,
        **documented(
            HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        ),
    }

    decided = partial(decision_response, actions)

    @router.get(one, response_model=hosted.SubmissionStatus, responses=guarded)
    async def show_submission(
        request: Request,
        exam: str,
        submission: str,
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Show a submission's state and scores; until it is done, poll it after `Retry-After`."""
        status = await actions.ask(
            request, exam, lambda v: submissions.status(submission, v.owner())
        )
        body = status.model_dump_json().encode()
        headers = {"ETag": f'"{sha256(body).hexdigest()}"', "Cache-Control": "private, no-cache"}
        if not status.done:
            headers["Retry-After"] = str(POLL_SECONDS)
        if if_none_match == headers["ETag"]:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(body, media_type=JSON, headers=headers)

    @own.post(f"{one}/choose", response_model=hosted.SubmissionStatus, responses=deciding)
    async def choose(request: Request, exam: str, submission: str, given: Choice) -> Response:
        """Choose a submission to count at the end of its phase, or take the choice back."""
        return await decided(request, exam, submission, "choose", on=given.chosen)

    @own.post(f"{one}/withdraw", response_model=hosted.SubmissionStatus, responses=deciding)
    async def withdraw(request: Request, exam: str, submission: str) -> Response:
        """Take your submission off the leaderboard; its upload stays used."""
        return await decided(request, exam, submission, "withdraw")

    router.routes.extend(own.routes)

    @router.get(f"{one}/report", responses=guarded)
    async def report(
        request: Request, exam: str, submission: str, query: Annotated[TaskQuery, Query()]
    ) -> Response:
        """Return a task's report, as `snellen grade --output report.json` writes it."""
        body = await actions.ask(
            request,
            exam,
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
        visitor = await actions.visitor(request, exam)
        return file_response(*await actions.file(visitor, submission))

    return router


def file_response(row: SubmissionRow, body: bytes) -> Response:
    """Return a submission's file as a response."""
    name = f'attachment; filename="{row.id}{row.form}"'
    headers = {"Content-Disposition": name, **NO_STORE}
    return Response(body, media_type="application/octet-stream", headers=headers)
