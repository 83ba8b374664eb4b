"""Routes for organizers, and admins' routes for tokens. Every change adds an event to the log."""

import asyncio
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge.alike import Alike, alike_submissions
from snellen.server.challenge.events import MOST_LISTED
from snellen.server.challenge.models import EventCard, PhaseCard, PhaseChange, SubmissionStatus, iso
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.context import LONGEST_BODY, Parameters, RouteContext, answered
from snellen.server.http.api.problems import EVERYWHERE, JsonRoute, documented
from snellen.server.http.auth import TOKEN_NAME
from snellen.server.store.tables.exams import Scope, Token


class Reason(Closed):
    """The reason for a decision."""

    # Whether U+0085 is white space, readers of patterns do not agree.
    why: str = Field(min_length=1, max_length=1000, pattern=r"[^\s\x85]")


class Apart(Closed):
    """Whether a submission is a baseline, which is not ranked."""

    baseline: bool


class Rescored(Closed):
    """The number of submissions that are graded again."""

    submissions: int


class EventPage(Closed):
    """A page of the event log, the oldest event first.

    Attributes:
        events: The events.
        next: The cursor of the next page; None: this is the last.
    """

    events: tuple[EventCard, ...]
    next: str | None


class EventQuery(Parameters):
    """The query of a page of events.

    Attributes:
        phase: The phase; default: all phases.
        after: The cursor of the page.
        limit: The maximum number of events.
    """

    phase: str | None = None
    after: int = Field(default=0, ge=0, lt=2**31)
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class ChangeAndReason(PhaseChange):
    """New settings of a phase, and the reason for them."""

    why: str = Field(max_length=1000)


class AlikeList(Closed):
    """Pairs of submissions that look copied, the same files first."""

    pairs: tuple[Alike, ...]


class NewToken(Closed):
    """A token to create.

    Attributes:
        name: The name of its holder.
        scopes: Its scopes.
        days: The number of days for which it is valid; None: until it is revoked.
        team: The team of its holder, which shares quota, attempts and rows.
    """

    name: str = Field(pattern=TOKEN_NAME)
    scopes: tuple[Scope, ...] = Field(default=(Scope.TAKE,), min_length=1)
    days: float | None = Field(default=None, gt=0, le=36_500)
    team: str | None = Field(default=None, pattern=TOKEN_NAME)


class TokenCard(Closed):
    """The description of a token, without the token itself.

    Attributes:
        name: The name of its holder.
        scopes: Its scopes.
        created: The time of its creation.
        revoked: The time when it was revoked; None: it was not revoked.
        expires: The time from which it is refused; None: never.
        team: The team of its holder; None: none.
    """

    name: str
    scopes: tuple[Scope, ...]
    created: str
    revoked: str | None
    expires: str | None
    team: str | None = None

    @classmethod
    def of(cls, row: Token) -> "TokenCard":
        """Return the description for a row of the store."""
        return cls(
            name=row.name,
            scopes=tuple(sorted(row.scopes)),
            created=iso(row.created),
            revoked=None if row.revoked is None else iso(row.revoked),
            expires=None if row.expires is None else iso(row.expires),
            team=row.team,
        )


class MadeToken(Closed):
    """A new token, which is shown only once."""

    name: str
    token: str


class TokenList(Closed):
    """All tokens, the oldest first."""

    tokens: tuple[TokenCard, ...]


async def make_token(context: RouteContext, caller: str, given: NewToken) -> str:
    """Create a token, with an event in the log.

    Raises:
        ExamError: The name is not valid, or is in use.
    """
    tokens = context.access.tokens
    made = await asyncio.to_thread(tokens.create, given.name, given.scopes, given.days, given.team)
    whose = given.name if given.team is None else f"{given.name} of {given.team}"
    await context.challenge.events.note(caller, "token", f"{whose}: {', '.join(given.scopes)}")
    return made


async def revoke_token(context: RouteContext, caller: str, name: str) -> None:
    """Revoke a token, with an event in the log.

    Raises:
        NotFoundError: There is no token of that name.
    """
    await asyncio.to_thread(context.access.tokens.revoke, name)
    await context.challenge.events.note(caller, "revoked", name)


def routes(context: RouteContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(
        tags=["organizing"],
        # A body is read before its sender is known.
        max_body_size=LONGEST_BODY,
        route_class=JsonRoute,
        responses={**EVERYWHERE, **documented(HTTPStatus.FORBIDDEN)},
    )
    challenge, access = context.challenge, context.access
    submissions = challenge.submissions
    one = "/exams/{exam}/submissions/{submission}"
    missing = documented(HTTPStatus.NOT_FOUND)
    unread = documented(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    refused = documented(HTTPStatus.CONFLICT)
    deciding = {**unread, **missing, **refused}

    async def shown(submission: str) -> Response:
        return answered(
            await challenge.database.off_loop(lambda: submissions.status(submission, None))
        )

    @router.post(f"{one}/remove", response_model=SubmissionStatus, responses=deciding)
    async def remove(request: Request, exam: str, submission: str, given: Reason) -> Response:
        """Remove a submission from the leaderboard; it is kept, with the reason."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await submissions.remove(submission, caller, given.why)
        return await shown(submission)

    @router.post(f"{one}/restore", response_model=SubmissionStatus, responses=deciding)
    async def restore(request: Request, exam: str, submission: str, given: Reason) -> Response:
        """Put a submission back on the leaderboard."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await submissions.restore(submission, caller, given.why)
        return await shown(submission)

    @router.post(
        f"{one}/baseline", response_model=SubmissionStatus, responses={**unread, **missing}
    )
    async def baseline(request: Request, exam: str, submission: str, given: Apart) -> Response:
        """Make a submission a baseline, which is not ranked, or rank it again."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await submissions.set_apart(submission, caller, baseline=given.baseline)
        return await shown(submission)

    @router.post(f"{one}/retry", response_model=SubmissionStatus, responses={**missing, **refused})
    async def retry(request: Request, exam: str, submission: str) -> Response:
        """Grade a failed or stuck submission again."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await submissions.retry(submission, caller)
        return await shown(submission)

    @router.post(
        "/exams/{exam}/phases/{phase}/rescore", response_model=Rescored, responses=deciding
    )
    async def rescore(request: Request, exam: str, phase: str, given: Reason) -> Response:
        """Grade all submissions of a phase again; the leaderboard changes when all are done."""
        context.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        number = await challenge.rescore(challenge.phase(phase), caller, given.why)
        return answered(Rescored(submissions=number))

    @router.post(
        "/exams/{exam}/phases/{phase}/change", response_model=PhaseCard, responses=deciding
    )
    async def change(request: Request, exam: str, phase: str, given: ChangeAndReason) -> Response:
        """Move a phase's end, or its start if it has not begun, or change its quotas.

        It holds at once for every server, and after a restart for as long as the exam file has the
        old value.
        """
        context.check_exam(exam)
        caller = await access.named(request, Scope.ORGANIZE)
        await challenge.change_phase(phase, caller, given, given.why)
        (card,) = (each for each in challenge.card().phases if each.name == phase)
        return answered(card)

    @router.get("/exams/{exam}/phases/{phase}/alike", response_model=AlikeList, responses=missing)
    async def alike(request: Request, exam: str, phase: str) -> Response:
        """List submissions of different participants with the same file or the same wrong answers.

        It is a hint, never a verdict: two participants may have used the same model.
        """
        context.check_exam(exam)
        await access.named(request, Scope.ORGANIZE)
        found = await asyncio.to_thread(
            alike_submissions, challenge, context.boards, challenge.phase(phase)
        )
        return answered(AlikeList(pairs=tuple(found)))

    @router.get("/exams/{exam}/events", response_model=EventPage, responses=missing)
    async def events(
        request: Request, exam: str, query: Annotated[EventQuery, Query()]
    ) -> Response:
        """List removals, restorations, rescorings and retries, with callers and reasons."""
        context.check_exam(exam)

        def page(visitor: Visitor) -> EventPage:
            visitor.need(Scope.ORGANIZE)
            key = "" if query.phase is None else challenge.phases.key(challenge.phase(query.phase))
            found = tuple(challenge.events.page(key, query.after, query.limit))
            following = str(found[-1].id) if len(found) == query.limit else None
            return EventPage(events=found, next=following)

        return answered(await access.ask(request, page))

    @router.get("/tokens", response_model=TokenList)
    async def list_tokens(request: Request) -> Response:
        """List the tokens by name and scopes, without the tokens themselves."""

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
        """Create a token; it is shown only once."""
        caller = await access.named(request, Scope.ADMIN)
        made = await make_token(context, caller, given)
        headers = {"Cache-Control": "no-store"}
        return answered(MadeToken(name=given.name, token=made), HTTPStatus.CREATED, headers)

    @router.delete("/tokens/{name}", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def end_token(request: Request, name: str) -> Response:
        """Revoke a token; the server refuses all later calls with it."""
        caller = await access.named(request, Scope.ADMIN)
        await revoke_token(context, caller, name)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return router
