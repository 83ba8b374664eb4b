"""Routes for organizers, admins' routes for tokens, and the route to join an exam.

Every change adds an event to the log.
"""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from snellen.grading.models.base import Closed
from snellen.server.challenge.alike import Alike
from snellen.server.challenge.events import MOST_LISTED
from snellen.server.challenge.models import EventCard, PhaseChange
from snellen.server.http import signup
from snellen.server.http.actions import Actions, Decision
from snellen.server.http.api.parameters import LONGEST_BODY, Parameters
from snellen.server.http.api.problems import EVERYWHERE, JsonRoute, documented
from snellen.server.http.auth import MadeToken, NewToken, TokenCard
from snellen.server.http.responses import NO_STORE, address_of, answered
from snellen.tasks.hosted import PhaseCard, SubmissionStatus

_MOST = 2**31


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


class TokenList(Closed):
    """All tokens, the oldest first."""

    tokens: tuple[TokenCard, ...]


class InvitationList(Closed):
    """All invitations, the newest first."""

    invitations: tuple[signup.InvitationCard, ...]


class RequestList(Closed):
    """The open requests to join, the oldest first."""

    requests: tuple[signup.RequestCard, ...]


def routes(actions: Actions) -> APIRouter:
    joining, router = (
        APIRouter(
            tags=[tag],
            # A body is read before its sender is known.
            max_body_size=LONGEST_BODY,
            route_class=JsonRoute,
            responses={**EVERYWHERE, **documented(HTTPStatus.FORBIDDEN)},
        )
        for tag in ("joining", "organizing")
    )
    challenge, access = actions.challenge, actions.access
    decided = partial(decision_response, actions)
    one = "/exams/{exam}/submissions/{submission}"
    missing = documented(HTTPStatus.NOT_FOUND)
    unread = documented(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    refused = documented(HTTPStatus.CONFLICT)
    deciding = {**unread, **missing, **refused}

    @joining.post(
        "/join",
        response_model=signup.Participant,
        status_code=HTTPStatus.CREATED,
        responses={**unread, **missing, **refused},
    )
    async def create_participant(request: Request, given: signup.NewParticipant) -> Response:
        """Join by an invitation, or ask to join; the token is shown only once.

        Where the exam has an identity provider, send a token of it: a person has one account.
        """
        visitor = await access.visitor_of(request)
        joined = await actions.signup.join(visitor, given, address_of(request))
        return answered(joined, HTTPStatus.CREATED, NO_STORE)

    @joining.get("/invitations", response_model=InvitationList)
    async def list_invitations(request: Request) -> Response:
        """List the invitations, without their codes."""
        invitations = await access.ask(request, actions.signup.invitations)
        return answered(InvitationList(invitations=tuple(invitations)))

    @joining.post(
        "/invitations",
        response_model=signup.MadeInvitation,
        status_code=HTTPStatus.CREATED,
        responses={**unread, **refused},
    )
    async def create_invitation(request: Request, given: signup.NewInvitation) -> Response:
        """Create an invitation; its code is shown only once."""
        visitor = await access.visitor_of(request)
        made = await actions.signup.invite(visitor, given, address_of(request))
        return answered(made, HTTPStatus.CREATED, NO_STORE)

    @joining.delete("/invitations/{number}", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def end_invitation(
        request: Request, number: Annotated[int, Path(ge=1, lt=_MOST)]
    ) -> Response:
        """Revoke an invitation; people who joined by it stay."""
        await actions.signup.revoke(await access.visitor_of(request), number)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @joining.get("/requests", response_model=RequestList)
    async def list_requests(request: Request) -> Response:
        """List the open requests to join."""
        requests = await access.ask(request, actions.signup.requests)
        return answered(RequestList(requests=tuple(requests)))

    @joining.post(
        "/requests/{name}/approve",
        status_code=HTTPStatus.NO_CONTENT,
        responses={**missing, **refused},
    )
    async def approve(request: Request, name: str) -> Response:
        """Approve a request to join: its token is good from now on."""
        await actions.signup.answer(await access.visitor_of(request), name, approved=True)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @joining.post("/requests/{name}/refuse", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def refuse(request: Request, name: str) -> Response:
        """Refuse a request to join."""
        await actions.signup.answer(await access.visitor_of(request), name, approved=False)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @router.post(f"{one}/remove", response_model=SubmissionStatus, responses=deciding)
    async def remove(request: Request, exam: str, submission: str, given: Reason) -> Response:
        """Remove a submission from the leaderboard; it is kept, with the reason."""
        return await decided(request, exam, submission, "remove", given.why)

    @router.post(f"{one}/restore", response_model=SubmissionStatus, responses=deciding)
    async def restore(request: Request, exam: str, submission: str, given: Reason) -> Response:
        """Put a submission back on the leaderboard."""
        return await decided(request, exam, submission, "restore", given.why)

    @router.post(
        f"{one}/baseline", response_model=SubmissionStatus, responses={**unread, **missing}
    )
    async def baseline(request: Request, exam: str, submission: str, given: Apart) -> Response:
        """Make a submission a baseline, which is not ranked, or rank it again."""
        return await decided(request, exam, submission, "baseline", on=given.baseline)

    @router.post(f"{one}/retry", response_model=SubmissionStatus, responses={**missing, **refused})
    async def retry(request: Request, exam: str, submission: str) -> Response:
        """Grade a failed or stuck submission again."""
        return await decided(request, exam, submission, "retry")

    @router.post(
        "/exams/{exam}/phases/{phase}/rescore", response_model=Rescored, responses=deciding
    )
    async def rescore(request: Request, exam: str, phase: str, given: Reason) -> Response:
        """Grade all submissions of a phase again; the leaderboard changes when all are done."""
        visitor = await actions.visitor(request, exam)
        number = await actions.rescore(visitor, phase, given.why)
        return answered(Rescored(submissions=number))

    @router.post(
        "/exams/{exam}/phases/{phase}/change", response_model=PhaseCard, responses=deciding
    )
    async def change(request: Request, exam: str, phase: str, given: ChangeAndReason) -> Response:
        """Move a phase's end, or its start if it has not begun, or change its quotas.

        It holds at once for every server, and after a restart for as long as the exam file has the
        old value.
        """
        visitor = await actions.visitor(request, exam)
        await actions.change_phase(visitor, phase, given, given.why)
        (card,) = (each for each in challenge.card().phases if each.name == phase)
        return answered(card)

    @router.get("/exams/{exam}/phases/{phase}/alike", response_model=AlikeList, responses=missing)
    async def alike(request: Request, exam: str, phase: str) -> Response:
        """List submissions of different participants with the same file or the same wrong answers.

        It is a hint, never a verdict: two participants may have used the same model.
        """
        visitor = await actions.visitor(request, exam)
        return answered(AlikeList(pairs=tuple(await actions.alike(visitor, phase))))

    @router.get("/exams/{exam}/events", response_model=EventPage, responses=missing)
    async def events(
        request: Request, exam: str, query: Annotated[EventQuery, Query()]
    ) -> Response:
        """List removals, restorations, rescorings and retries, with callers and reasons."""
        events = await actions.ask(
            request, exam, lambda v: actions.events(v, query.phase, query.after, query.limit)
        )
        following = str(events[-1].id) if len(events) == query.limit else None
        return answered(EventPage(events=tuple(events), next=following))

    @router.get("/tokens", response_model=TokenList)
    async def list_tokens(request: Request) -> Response:
        """List the tokens by name and scopes, without the tokens themselves."""
        return answered(TokenList(tokens=tuple(await access.ask(request, actions.tokens))))

    @router.post(
        "/tokens",
        response_model=MadeToken,
        status_code=HTTPStatus.CREATED,
        responses={**unread, **refused},
    )
    async def create_token(request: Request, given: NewToken) -> Response:
        """Create a token; it is shown only once."""
        made = await actions.make_token(await access.visitor_of(request), given)
        return answered(made, HTTPStatus.CREATED, NO_STORE)

    @router.delete("/tokens/{name}", status_code=HTTPStatus.NO_CONTENT, responses=missing)
    async def end_token(request: Request, name: str) -> Response:
        """Revoke a token; the server refuses all later calls with it."""
        await actions.revoke_token(await access.visitor_of(request), name)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    joining.routes.extend(router.routes)
    return joining


async def decision_response(
    actions: Actions,
    request: Request,
    exam: str,
    submission: str,
    decision: Decision,
    why: str = "",
    *,
    on: bool = True,
) -> Response:
    """Decide about a submission, and return it; see `Actions.decide`."""
    visitor = await actions.visitor(request, exam)
    return answered(await actions.decide(visitor, submission, decision, why, on=on))
