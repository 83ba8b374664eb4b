"""The pages to join an exam, and organizers' page of invitations and requests."""

from collections.abc import Sequence

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from snellen.server.challenge.models import iso
from snellen.server.errors import ExamError
from snellen.server.http.api.access import Visitor
from snellen.server.http.pages.frame import FORM, Frame, go, words_of
from snellen.server.http.responses import address_of
from snellen.server.http.signup import (
    MOST_REQUESTS,
    MadeInvitation,
    NewInvitation,
    NewParticipant,
)

SIGN_UP = "/organize/signup"
_FIELDS = ("name", "code", "team", "team_code")


class JoinPages(Frame):
    """The pages of sign-up."""

    def routes(self) -> Sequence[Route]:
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
            await self._read(lambda: self._actions.signup.check_code(visitor, code))
        else:
            self._actions.signup.check_open()
        oauth = self._challenge.file.oauth
        return self._page(
            "join", request, visitor, code=code, issuer=None if oauth is None else oauth.issuer,
            address=address_of(request),
        )  # fmt: skip

    async def _join(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        given = NewParticipant(**{name: form.get(name, "").strip() for name in _FIELDS})
        joined = await self._actions.signup.join(visitor, given, address_of(request))
        return self._page("joined", request, visitor, joined=joined)

    async def _organize(
        self, request: Request, visitor: Visitor, made: MadeInvitation | None = None
    ) -> Response:
        return self._page(
            "organize_signup",
            request,
            visitor,
            made=made,
            now=iso(self._challenge.now()),
            invitations=await self._read(lambda: self._actions.signup.invitations(visitor)),
            requests=await self._read(lambda: self._actions.signup.requests(visitor)),
        )

    async def _invite(self, request: Request, visitor: Visitor) -> Response:
        form = await words_of(request)
        words = {name: form.get(name, "").strip() for name in ("uses", "days", "note")}
        try:
            given = NewInvitation.model_validate({key: said for key, said in words.items() if said})
        except ValidationError:
            raise ExamError(
                "an invitation is for 1 to 10,000 people and up to 366 days, and has a note of up"
                " to 200 characters"
            ) from None
        made = await self._actions.signup.invite(visitor, given, address_of(request))
        return await self._organize(request, visitor, made)

    async def _revoke(self, request: Request, visitor: Visitor) -> Response:
        number = (await words_of(request)).get("number", "")
        number = number if number.isascii() and number.isdecimal() and len(number) < 10 else "0"
        await self._actions.signup.revoke(visitor, int(number))
        return go(request, SIGN_UP)

    async def _answer(self, request: Request, visitor: Visitor) -> Response:
        async with request.form(**{**FORM, "max_fields": MOST_REQUESTS + 1}) as form:
            names = [str(name) for name in form.getlist("name")]
            approved = form.get("do") == "approve"
        if not names:
            raise ExamError("select at least one request", field="name")
        errors: list[ExamError] = []
        for name in names:
            try:
                await self._actions.signup.answer(visitor, name, approved=approved)
            except ExamError as error:  # another organizer answered it first; the others count
                errors.append(error)
        if errors:
            raise errors[0]
        return go(request, SIGN_UP)
