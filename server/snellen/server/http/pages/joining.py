"""The pages to join an exam, and organizers' page of invitations and requests."""

from collections.abc import Sequence

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from snellen.server.challenge.models import iso
from snellen.server.errors import ExamError
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.context import address_of
from snellen.server.http.api.joining import (
    InvitationCard,
    MadeInvitation,
    NewInvitation,
    NewParticipant,
    RequestCard,
    answer_request,
    check_code,
    invite,
    join,
    revoke_invitation,
)
from snellen.server.http.pages.frame import FORM, Frame, go, words_of
from snellen.server.http.signup import MOST_REQUESTS
from snellen.server.store.tables.exams import Scope

SIGN_UP = "/organize/signup"
_FIELDS = ("name", "code", "team", "team_code")


class JoinPages(Frame):
    """The pages of sign-up."""

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            self._route("/join", self._form),
            self._route("/join", self._join, "POST"),
            self._route(SIGN_UP, self._organize),
            self._route(f"{SIGN_UP}/invite", self._invite, "POST"),
            self._route(f"{SIGN_UP}/revoke", self._revoke, "POST"),
            self._route(f"{SIGN_UP}/answer", self._answer, "POST"),
        ]

    async def _form(self, request: Request, visitor: Visitor) -> Response:
        code = request.query_params.get("code", "").strip()
        if code:
            await self._read(lambda: check_code(self._context, request, code))
        else:
            self._context.signup.check_open()
        oauth = self._challenge.file.oauth
        return self._page(
            "join", request, visitor, code=code, issuer=None if oauth is None else oauth.issuer,
            address=address_of(request),
        )  # fmt: skip

    async def _join(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        given = NewParticipant(**{name: form.get(name, "").strip() for name in _FIELDS})
        joined = await join(self._context, request, given)
        return self._page("joined", request, visitor, joined=joined)

    async def _organize(self, request: Request, visitor: Visitor) -> Response:
        return await self._organizing(request, visitor, None)

    async def _organizing(
        self, request: Request, visitor: Visitor, made: MadeInvitation | None
    ) -> Response:
        visitor.need(Scope.ORGANIZE)
        signup = self._context.signup
        return self._page(
            "organize_signup",
            request,
            visitor,
            made=made,
            now=iso(self._challenge.now()),
            invitations=[InvitationCard.of(row) for row in await self._read(signup.invitations)],
            requests=[RequestCard.of(row) for row in await self._read(signup.requests)],
        )

    async def _invite(self, request: Request, visitor: Visitor) -> Response:
        caller = visitor.need(Scope.ORGANIZE)
        form = await words_of(request)
        words = {name: form.get(name, "").strip() for name in ("uses", "days", "note")}
        try:
            given = NewInvitation.model_validate({key: said for key, said in words.items() if said})
        except ValidationError:
            raise ExamError(
                "an invitation is for 1 to 10,000 people and up to 366 days, and has a note of up"
                " to 200 characters"
            ) from None
        made = await invite(self._context, request, caller, given)
        return await self._organizing(request, visitor, made)

    async def _revoke(self, request: Request, visitor: Visitor) -> Response:
        caller = visitor.need(Scope.ORGANIZE)
        number = (await words_of(request)).get("number", "")
        number = number if number.isascii() and number.isdecimal() and len(number) < 10 else "0"
        await revoke_invitation(self._context, caller, int(number))
        return go(request, SIGN_UP)

    async def _answer(self, request: Request, visitor: Visitor) -> Response:
        caller = visitor.need(Scope.ORGANIZE)
        async with request.form(**{**FORM, "max_fields": MOST_REQUESTS + 1}) as form:
            names = [str(name) for name in form.getlist("name")]
            approved = form.get("do") == "approve"
        if not names:
            raise ExamError("select at least one request", field="name")
        errors: list[ExamError] = []
        for name in names:
            try:
                await answer_request(self._context, caller, name, approved=approved)
            except ExamError as error:  # another organizer answered it first; the others count
                errors.append(error)
        if errors:
            raise errors[0]
        return go(request, SIGN_UP)
