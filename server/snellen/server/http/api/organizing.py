"""What organizers decide, and what admins do with tokens. Every change is in the record."""

import asyncio
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge.models import EventCard, SubmissionStatus, iso
from snellen.server.challenge.reading import MOST_LISTED
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.desk import Desk, answered
from snellen.server.http.api.problems import documented
from snellen.server.http.auth import TOKEN_NAME
from snellen.server.store.tables.exams import Scope, Token

LONGEST_BODY = 64 << 10
"""The bytes of what an organizer decides, at most."""


class Reason(Closed):
    """Why something is decided."""

    why: str = Field(min_length=1, max_length=1000, pattern=r"\S")


class Apart(Closed):
    """Whether a submission is a baseline, which is ranked with nobody."""

    baseline: bool


class Rescored(Closed):
    """How many submissions are graded anew."""

    submissions: int


class EventPage(Closed):
    """A page of the record, the oldest first.

    Attributes:
        events: What was changed.
        next: The cursor of the next page; None: this is the last.
    """

    events: tuple[EventCard, ...]
    next: str | None


class EventQuery(Closed):
    """Which events.

    Attributes:
        phase: Of a phase; of all when left out.
        after: The cursor of the page.
        limit: How many at most.
    """

    phase: str | None = None
    after: int = Field(default=0, ge=0, lt=2**31)
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class NewToken(Closed):
    """A token to make.

    Attributes:
        name: Whose it is.
        scopes: What it is for.
        days: How long it is good for; None: until it is revoked.
        team: The team that it is of: quota, attempts and rows are the team's.
    """

    name: str = Field(pattern=TOKEN_NAME)
    scopes: tuple[Scope, ...] = Field(default=(Scope.TAKE,), min_length=1)
    days: float | None = Field(default=None, gt=0, le=36_500)
    team: str | None = Field(default=None, pattern=TOKEN_NAME)


class TokenCard(Closed):
    """What is known of a token; never the token itself.

    Attributes:
        name: Whose it is.
        scopes: What it is for.
        created: When it was made.
        revoked: When it was revoked; None: it was not.
        expires: From when on it is refused; None: never.
        team: The team that it is of; None: none.
    """

    name: str
    scopes: tuple[Scope, ...]
    created: str
    revoked: str | None
    expires: str | None
    team: str | None = None

    @classmethod
    def of(cls, row: Token) -> "TokenCard":
        """Return what a row of the store says."""
        return cls(
            name=row.name,
            scopes=tuple(sorted(row.scopes)),
            created=iso(row.created),
            revoked=None if row.revoked is None else iso(row.revoked),
            expires=None if row.expires is None else iso(row.expires),
            team=row.team,
        )


class MadeToken(Closed):
    """A token that was made: it is shown this once."""

    name: str
    token: str


class TokenList(Closed):
    """All tokens, the oldest first."""

    tokens: tuple[TokenCard, ...]


async def make_token(desk: Desk, caller: str, given: NewToken) -> str:
    """Make a token, with a line in the record.

    Raises:
        ExamError: The name can't be used, or has been.
    """
    tokens = desk.access.tokens
    made = await asyncio.to_thread(tokens.create, given.name, given.scopes, given.days, given.team)
    whose = given.name if given.team is None else f"{given.name} of {given.team}"
    await desk.challenge.note(caller, "token", f"{whose}: {', '.join(given.scopes)}")
    return made


async def revoke_token(desk: Desk, caller: str, name: str) -> None:
    """Revoke a token, with a line in the record.

    Raises:
        NotFoundError: There is none of that name.
    """
    await asyncio.to_thread(desk.access.tokens.revoke, name)
    await desk.challenge.note(caller, "revoked", name)


def routes(desk: Desk) -> APIRouter:
    """Return the routes."""
    router = APIRouter(
        tags=["organizing"],
        # A body is read before anybody knows who sent it.
        max_body_size=LONGEST_BODY,
        responses=documented(HTTPStatus.FORBIDDEN),
    )
    challenge, access = desk.challenge, desk.access
    one = "/exams/{exam}/submissions/{submission}"
    missing = documented(HTTPStatus.NOT_FOUND)
    unread = documented(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    refused = documented(HTTPStatus.CONFLICT)
    deciding = {**unread, **missing, **refused}

    async def shown(submission: str) -> Response:
        return answered(
            await challenge.database.off_loop(lambda: challenge.status(submission, None))
        )

    @router.post(f"{one}/remove", response_model=SubmissionStatus, responses=deciding)
    async def remove(request: Request, exam: str, submission: str, given: Reason) -> Response:
        """Take a submission off the leaderboard; it is kept, and so is the reason."""
        desk.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await challenge.remove(submission, caller, given.why)
        return await shown(submission)

    @router.post(f"{one}/restore", response_model=SubmissionStatus, responses=deciding)
    async def restore(request: Request, exam: str, submission: str, given: Reason) -> Response:
        """Put a submission back on the leaderboard."""
        desk.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await challenge.restore(submission, caller, given.why)
        return await shown(submission)

    @router.post(
        f"{one}/baseline", response_model=SubmissionStatus, responses={**unread, **missing}
    )
    async def baseline(request: Request, exam: str, submission: str, given: Apart) -> Response:
        """Set a submission apart as a baseline, or rank it again."""
        desk.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await challenge.set_apart(submission, caller, baseline=given.baseline)
        return await shown(submission)

    @router.post(f"{one}/retry", response_model=SubmissionStatus, responses={**missing, **refused})
    async def retry(request: Request, exam: str, submission: str) -> Response:
        """Grade a submission again that failed or is stuck."""
        desk.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await challenge.retry(submission, caller)
        return await shown(submission)

    @router.post(
        "/exams/{exam}/phases/{phase}/rescore", response_model=Rescored, responses=deciding
    )
    async def rescore(request: Request, exam: str, phase: str, given: Reason) -> Response:
        """Grade all submissions of a phase anew; the leaderboard moves when all are done."""
        desk.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        number = await challenge.rescore(challenge.phase(phase), caller, given.why)
        return answered(Rescored(submissions=number))

    @router.get("/exams/{exam}/events", response_model=EventPage, responses=missing)
    async def events(
        request: Request, exam: str, query: Annotated[EventQuery, Query()]
    ) -> Response:
        """List what was removed, restored, rescored and retried, by whom and why."""
        desk.check_exam(exam)

        def page(visitor: Visitor) -> EventPage:
            visitor.need(Scope.ORGANIZE)
            key = "" if query.phase is None else challenge.key(challenge.phase(query.phase))
            found = tuple(challenge.events(key, query.after, query.limit))
            following = str(found[-1].id) if len(found) == query.limit else None
            return EventPage(events=found, next=following)

        return answered(await access.ask(request, page))

    @router.get("/tokens", response_model=TokenList)
    async def list_tokens(request: Request) -> Response:
        """List the tokens: names and scopes, never what they are."""

        def found(visitor: Visitor) -> TokenList:
            visitor.need(Scope.ADMIN)
            return TokenList(tokens=tuple(map(TokenCard.of, access.tokens.listed())))

        return answered(await access.ask(request, found))

    @router.post(
        "/tokens",
        response_model=MadeToken,
        status_code=HTTPStatus.CREATED,
        responses={**unread, **refused},
    )
    async def create_token(request: Request, given: NewToken) -> Response:
        """Make a token; it is shown this once."""
        caller = await access.named(request, Scope.ADMIN)
        made = await make_token(desk, caller, given)
        headers = {"Cache-Control": "no-store"}
        return answered(MadeToken(name=given.name, token=made), HTTPStatus.CREATED, headers)

    @router.delete("/tokens/{name}", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def end_token(request: Request, name: str) -> Response:
        """Revoke a token: the next call with it is refused."""
        caller = await access.named(request, Scope.ADMIN)
        await revoke_token(desk, caller, name)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return router
