"""Routes to join an exam, and organizers' routes for invitations and requests."""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge.models import iso
from snellen.server.errors import NotFoundError
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.context import LONGEST_BODY, RouteContext, address_of, answered
from snellen.server.http.api.problems import EVERYWHERE, JsonRoute, documented
from snellen.server.http.oauth import HOLDER, Holder
from snellen.server.http.signup import LONGEST_NOTE, Joined, Joining
from snellen.server.store.tables.exams import Invitation, JoinRequest, Scope

NO_STORE = {"Cache-Control": "no-store"}
_MOST = 2**31


class NewInvitation(Closed):
    """An invitation to create.

    Attributes:
        uses: The number of people who may join by it.
        days: The number of days for which it is valid.
        note: Words about it, for organizers.
    """

    uses: int = Field(default=1, ge=1, le=10_000)
    days: float = Field(default=14, gt=0, le=366)
    note: str = Field(default="", max_length=LONGEST_NOTE)


class InvitationCard(Closed):
    """The description of an invitation, without its code.

    Attributes:
        number: Its number.
        caller: The organizer who created it.
        note: Words about it.
        uses: The number of people who may join by it.
        used: The number of those who joined.
        created: The time of its creation.
        expires: The time from which it is refused.
        revoked: The time when it was revoked; None: it was not revoked.
    """

    number: int
    caller: str
    note: str
    uses: int
    used: int
    created: str
    expires: str
    revoked: str | None

    @classmethod
    def of(cls, row: Invitation) -> "InvitationCard":
        """Return the description for a row of the store."""
        return cls(
            number=row.id,
            caller=row.caller,
            note=row.note,
            uses=row.uses,
            used=row.used,
            created=iso(row.created),
            expires=iso(row.expires),
            revoked=None if row.revoked is None else iso(row.revoked),
        )


class MadeInvitation(Closed):
    """A new invitation, whose code is shown only once.

    Attributes:
        number: Its number.
        code: Its code.
        link: The page on which people join by it.
        expires: The time from which it is refused.
    """

    number: int
    code: str
    link: str
    expires: str


class InvitationList(Closed):
    """All invitations, the newest first."""

    invitations: tuple[InvitationCard, ...]


class RequestCard(Closed):
    """An open request to join.

    Attributes:
        name: The name of the token's holder to be.
        team: The team of the holder to be; None: none.
        subject: The subject and issuer of the identity provider's token; None: there is none.
        at: The time of the request.
    """

    name: str
    team: str | None
    subject: str | None
    at: str

    @classmethod
    def of(cls, row: JoinRequest) -> "RequestCard":
        """Return the description for a row of the store."""
        return cls(name=row.name, team=row.team, subject=row.subject, at=iso(row.at))


class RequestList(Closed):
    """The open requests to join, the oldest first."""

    requests: tuple[RequestCard, ...]


class NewParticipant(Closed):
    """A person who joins.

    Attributes:
        name: The name of the account; it is on the leaderboard, unless there is a team.
        code: The code of the invitation; empty: an organizer is asked.
        team: The name of a new team; empty: none.
        team_code: The code of a team that exists; empty: none.
    """

    name: str
    code: str = ""
    team: str = ""
    team_code: str = ""


class Participant(Closed):
    """A new account; its token and its new team's code are shown only once.

    Attributes:
        name: Its name.
        token: Its token.
        approved: Whether the token is good now; otherwise it is once an organizer approves.
        team: Its team; None: none.
        team_code: The code by which others join the new team; None: there is no new team.
        steps: The next steps, as commands for a shell.
    """

    name: str
    token: str
    approved: bool
    team: str | None
    team_code: str | None
    steps: tuple[str, ...]


def steps_of(context: RouteContext, address: str, token: str) -> Sequence[str]:
    """Return a participant's next steps as commands for a shell."""
    exam = context.challenge.exam
    uploads = any(task not in exam.acted for task in exam.offers)
    return (
        f"export SNELLEN_TOKEN={token}",
        *([f'snellen submit answers.jsonl --to {address} --name "my agent"'] if uploads else []),
        f"claude mcp add --transport http snellen {address}/mcp"
        ' --header "Authorization: Bearer $SNELLEN_TOKEN"',
    )


async def invite(
    context: RouteContext, request: Request, caller: str, given: NewInvitation
) -> MadeInvitation:
    """Create an invitation, with an event in the log.

    Raises:
        ForbiddenError: The exam file lets nobody sign up.
        ExamError: The note is not printable.
    """
    row, code = await asyncio.to_thread(
        context.signup.invite, caller, given.uses, given.days, given.note
    )
    until = iso(row.expires)[:16].replace("T", " ")
    words = f"number {row.id}, uses {row.uses}, until {until} UTC"
    await context.challenge.events.note(
        caller, "invitation", f"{words}: {row.note}" if row.note else words
    )
    link = f"{address_of(request)}/join?{urlencode({'code': code})}"
    return MadeInvitation(number=row.id, code=code, link=link, expires=iso(row.expires))


async def revoke_invitation(context: RouteContext, caller: str, number: int) -> None:
    """Revoke an invitation, with an event in the log.

    Raises:
        NotFoundError: There is none of that number.
    """
    await asyncio.to_thread(context.signup.revoke, number)
    await context.challenge.events.note(caller, "invitation revoked", f"number {number}")


async def answer_request(context: RouteContext, caller: str, name: str, *, approved: bool) -> None:
    """Approve or refuse a request to join, with an event in the log.

    Raises:
        NotFoundError: There is no open request of that name.
        ExamError: A token has the name by now.
    """
    await asyncio.to_thread(context.signup.answer, name, approved=approved)
    await context.challenge.events.note(caller, "approved" if approved else "refused", name)


def check_code(context: RouteContext, request: Request, code: str) -> None:
    """Check the code of a link; raises as `SignUp.check_code`, and for too many wrong ones."""
    context.access.check_guesses(request)
    try:
        context.signup.check_code(code)
    except NotFoundError:
        context.access.count_wrong_token(request)
        raise


async def join(context: RouteContext, request: Request, given: NewParticipant) -> Participant:
    """Let a person join or ask to, with an event in the log; raises as `SignUp.join`.

    Raises:
        RateError: Too many wrong codes or requests came from the caller's address.
    """
    access, holder = context.access, request.scope.get(HOLDER)
    subject = holder.name if isinstance(holder, Holder) else None
    person = Joining(**given.model_dump(), subject=subject)
    access.check_guesses(request)
    if not given.code:
        access.count_wrong_token(request)
    try:
        joined = await asyncio.to_thread(context.signup.join, person)
    except NotFoundError:
        access.count_wrong_token(request)
        raise
    await context.challenge.events.note(
        given.name,
        "asked to join" if joined.invitation is None else "joined",
        _words(joined, subject),
    )
    return Participant(
        name=given.name,
        token=joined.token,
        approved=joined.invitation is not None,
        team=joined.team,
        team_code=joined.team_code,
        steps=tuple(steps_of(context, address_of(request), joined.token)),
    )


def _words(joined: Joined, subject: str | None) -> str:
    known = (
        ("by invitation", joined.invitation),
        ("in team", joined.team),
        ("as", subject),
    )
    return ", ".join(f"{what} {value}" for what, value in known if value is not None)


def routes(context: RouteContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(
        tags=["joining"],
        # A body is read before its sender is known.
        max_body_size=LONGEST_BODY,
        route_class=JsonRoute,
        responses={**EVERYWHERE, **documented(HTTPStatus.FORBIDDEN)},
    )
    access = context.access
    missing = documented(HTTPStatus.NOT_FOUND)
    unread = documented(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    refused = documented(HTTPStatus.CONFLICT)

    @router.post(
        "/join",
        response_model=Participant,
        status_code=HTTPStatus.CREATED,
        responses={**unread, **missing, **refused},
    )
    async def create_participant(request: Request, given: NewParticipant) -> Response:
        """Join by an invitation, or ask to join; the token is shown only once.

        Where the exam has an identity provider, send a token of it: a person has one account.
        """
        await access.ask(request, lambda visitor: visitor)
        return answered(await join(context, request, given), HTTPStatus.CREATED, NO_STORE)

    @router.get("/invitations", response_model=InvitationList)
    async def list_invitations(request: Request) -> Response:
        """List the invitations, without their codes."""

        def found(visitor: Visitor) -> InvitationList:
            visitor.need(Scope.ORGANIZE)
            rows = context.signup.invitations()
            return InvitationList(invitations=tuple(map(InvitationCard.of, rows)))

        return answered(await access.ask(request, found))

    @router.post(
        "/invitations",
        response_model=MadeInvitation,
        status_code=HTTPStatus.CREATED,
        responses={**unread, **refused},
    )
    async def create_invitation(request: Request, given: NewInvitation) -> Response:
        """Create an invitation; its code is shown only once."""
        caller = await access.named(request, Scope.ORGANIZE)
        made = await invite(context, request, caller, given)
        return answered(made, HTTPStatus.CREATED, NO_STORE)

    @router.delete("/invitations/{number}", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def end_invitation(
        request: Request, number: Annotated[int, Path(ge=1, lt=_MOST)]
    ) -> Response:
        """Revoke an invitation; people who joined by it stay."""
        caller = await access.named(request, Scope.ORGANIZE)
        await revoke_invitation(context, caller, number)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @router.get("/requests", response_model=RequestList)
    async def list_requests(request: Request) -> Response:
        """List the open requests to join."""

        def found(visitor: Visitor) -> RequestList:
            visitor.need(Scope.ORGANIZE)
            return RequestList(requests=tuple(map(RequestCard.of, context.signup.requests())))

        return answered(await access.ask(request, found))

    @router.post(
        "/requests/{name}/approve",
        status_code=HTTPStatus.NO_CONTENT,
        responses={**missing, **refused},
    )
    async def approve(request: Request, name: str) -> Response:
        """Approve a request to join: its token is good from now on."""
        caller = await access.named(request, Scope.ORGANIZE)
        await answer_request(context, caller, name, approved=True)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @router.post("/requests/{name}/refuse", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def refuse(request: Request, name: str) -> Response:
        """Refuse a request to join."""
        caller = await access.named(request, Scope.ORGANIZE)
        await answer_request(context, caller, name, approved=False)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return router
