"""Sign-up: people join by an invitation, or ask and an organizer approves.

Codes and tokens are shown once, and the store has their digests. An open request's token is in a
table of its own, so that nothing takes it for a token before it is approved.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlencode

from pydantic import Field
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from snellen.grading.models.base import Closed
from snellen.server.challenge.models import IsoTime, iso
from snellen.server.challenge.service import Challenge
from snellen.server.errors import ExamError, ForbiddenError, NotFoundError, UnauthorizedError
from snellen.server.exam.names import look_alike
from snellen.server.http import auth
from snellen.server.http.api.access import Access, Visitor
from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.exams import (
    Invitation,
    JoinRequest,
    Scope,
    Team,
    Token,
    invitations,
    requests,
    teams,
)
from snellen.tasks.hosted import JoinBy

INVITATION_PREFIX, TEAM_PREFIX = "invitation_", "team_"
"""What codes start with, so that nobody takes them for tokens."""

MOST_REQUESTS = 200
"""The maximum number of open requests: anybody may ask."""

LONGEST_NOTE = 200
_CODE = Query(select(invitations).where(invitations.c.digest == bindparam("d")), Invitation)
_INVITATION = Query(select(invitations).where(invitations.c.id == bindparam("i")), Invitation)
_INVITATIONS = Query(select(invitations).order_by(invitations.c.id.desc()), Invitation)
_ADD_INVITATION = insert(invitations)
_USE = Statement(
    update(invitations)
    .where(invitations.c.id == bindparam("i"))
    .values(used=invitations.c.used + 1)
)
_REVOKE = Statement(
    update(invitations)
    .where(invitations.c.id == bindparam("i"), invitations.c.revoked.is_(None))
    .values(revoked=bindparam("now"))
)
_REQUESTS = Query(select(requests).order_by(requests.c.id), JoinRequest)
_ADD_REQUEST = insert(requests)
_END_REQUEST = Statement(delete(requests).where(requests.c.id == bindparam("i")))
_TEAM_CODE = Query(select(teams).where(teams.c.digest == bindparam("d")), Team)
_TEAMS = Query(select(teams), Team)
_ADD_TEAM = Statement(insert(teams))
_END_TEAM = Statement(delete(teams).where(teams.c.name == bindparam("n")))


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

    number: int = Field(validation_alias="id")
    caller: str
    note: str
    uses: int
    used: int
    created: IsoTime
    expires: IsoTime
    revoked: IsoTime | None


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
    at: IsoTime


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


class SignUp:
    """The sign-up of an exam; each change adds an event to the log.

    What is an organizer's raises UnauthorizedError or ForbiddenError for anybody else.

    Args:
        access: The tokens, and the number of wrong codes.
        challenge: The exam.
    """

    def __init__(self, access: Access, challenge: Challenge) -> None:
        self._access = access
        self._tokens = access.tokens
        self._database = access.tokens.database
        self._challenge = challenge
        self._file = challenge.file

    def check_open(self) -> None:
        """Check that people may join by themselves.

        Raises:
            ForbiddenError: Organizers create every token.
        """
        if self._file.signup.by is JoinBy.CLOSED:
            raise ForbiddenError(
                "nobody can sign up for this exam by themselves; ask the organizer for a token"
            )

    # ---- invitations -------------------------------------------------------------------------

    async def invite(self, visitor: Visitor, given: NewInvitation, url: str) -> MadeInvitation:
        """Create an invitation to the exam at a URL; its code can't be read again.

        Raises:
            ForbiddenError: The exam file lets nobody sign up.
            ExamError: The note is too long, or not printable.
        """
        caller = visitor.need(Scope.ORGANIZE)
        if self._file.signup.by is JoinBy.CLOSED:
            raise ForbiddenError(
                'nobody can sign up for this exam; write by = "invitation" below [signup] in the'
                " exam file, and start the server again"
            )
        words = " ".join(given.note.split())
        if len(words) > LONGEST_NOTE or not words.isprintable():
            raise ExamError(f"a note is up to {LONGEST_NOTE} printable characters", field="note")
        code, now = auth.secret(INVITATION_PREFIX), self._tokens.now()
        row = Invitation(
            id=0,
            digest=auth.digest_of(code),
            caller=caller,
            note=words,
            uses=given.uses,
            created=now,
            expires=now + round(given.days * auth.DAY),
        )
        until = iso(row.expires)[:16].replace("T", " ")

        def work(connection: Connection) -> Invitation:
            connection.execute(_ADD_INVITATION, row_values(row))
            made = _CODE.one(connection, {"d": row.digest})
            known = f"number {made.id}, uses {made.uses}, until {until} UTC"
            self._note(connection, caller, "invitation", f"{known}: {words}" if words else known)
            return made

        number = (await self._database.write(work)).id
        link = f"{url}/join?{urlencode({'code': code})}"
        return MadeInvitation(number=number, code=code, link=link, expires=iso(row.expires))

    def invitations(self, visitor: Visitor) -> Sequence[InvitationCard]:
        """Return all invitations, the newest first."""
        visitor.need(Scope.ORGANIZE)
        rows = self._database.read(lambda c: _INVITATIONS.all(c, {}))
        return [InvitationCard.model_validate(row, from_attributes=True) for row in rows]

    async def revoke(self, visitor: Visitor, number: int) -> None:
        """Revoke an invitation; who joined by it stays.

        Raises:
            NotFoundError: There is none of that number. Revoking it again is not an error.
        """
        caller = visitor.need(Scope.ORGANIZE)
        key = {"i": number, "now": self._tokens.now()}

        def work(connection: Connection) -> None:
            if _INVITATION.first(connection, {"i": number}) is None:
                raise NotFoundError(f"there is no invitation {number}; see the list of invitations")
            _REVOKE.run(connection, key)
            self._note(connection, caller, "invitation revoked", f"number {number}")

        await self._database.write(work)

    def check_code(self, visitor: Visitor, code: str) -> None:
        """Check that a person can join by an invitation.

        Raises:
            RateError: Too many wrong codes came from the person's address.
            ForbiddenError: Nobody can.
            NotFoundError: The code is unknown.
            ExamError: The invitation is revoked, used up or expired.
        """
        self._access.check_guesses(visitor.address)
        self.check_open()
        with self._counting_wrong(visitor):
            self._database.read(lambda c: self._invitation(c, code))

    @contextmanager
    def _counting_wrong(self, visitor: Visitor) -> Generator[None]:
        try:
            yield
        except NotFoundError:
            self._access.count_wrong(visitor.address)
            raise

    def _invitation(self, connection: Connection, code: str) -> Invitation:
        row = _CODE.first(connection, {"d": auth.digest_of(code)})
        if row is None:
            raise NotFoundError(
                "this invitation is unknown: copy the whole link, or ask the organizer for a new"
                " one",
                field="code",
            )
        over = (
            "was revoked" if row.revoked is not None
            else "has expired" if row.expires <= self._tokens.now()
            else "is used up" if row.used >= row.uses
            else None
        )  # fmt: skip
        if over is not None:
            raise ExamError(
                f"this invitation {over}: ask the organizer for a new one", field="code"
            )
        return row

    # ---- joining -----------------------------------------------------------------------------

    async def join(self, visitor: Visitor, given: NewParticipant, url: str) -> Participant:
        """Create an account, or ask for one.

        Args:
            visitor: The person.
            given: What the person gives.
            url: The exam's address, as the person sees it.

        Raises:
            RateError: Too many wrong codes or requests came from the person's address.
            ForbiddenError: The exam file does not allow it.
            UnauthorizedError: A token of the identity provider is needed.
            NotFoundError: The code of the invitation or of the team is unknown.
            ExamError: The invitation is revoked, used up or expired; the person has an account; the
                name or the team is not valid or in use; or too many requests are open.
        """
        self._access.check_guesses(visitor.address)
        if not given.code:
            self._access.count_wrong(visitor.address)
        self.check_open()
        subject = visitor.subject
        rules, oauth = self._file.signup, self._file.oauth
        if oauth is not None and subject is None:
            raise UnauthorizedError(
                f"join with a token of {oauth.issuer}: send the header 'Authorization: Bearer"
                " TOKEN'"
            )
        if not given.code and rules.by is not JoinBy.APPROVAL:
            raise ForbiddenError(
                "an invitation is needed: open the link that the organizer sent you", field="code"
            )
        if (given.team or given.team_code) and not rules.teams:
            raise ForbiddenError(
                "this exam does not let participants form teams; leave the team out", field="team"
            )
        if given.team and given.team_code:
            raise ExamError("give the name of a new team or the code of a team, not both of them")
        token = auth.secret(auth.PREFIX)
        team_code = auth.secret(TEAM_PREFIX) if given.team else None
        now = self._tokens.now()

        def work(connection: Connection) -> Participant:
            invitation = self._invitation(connection, given.code) if given.code else None
            team = self._team(connection, given)
            self._check(connection, given, subject, team)
            row = JoinRequest(
                id=0,
                name=given.name,
                digest=auth.digest_of(token),
                at=now,
                team=team,
                subject=subject,
            )
            if invitation is None:
                connection.execute(_ADD_REQUEST, row_values(row))
            else:
                _USE.run(connection, {"i": invitation.id})
                self._tokens.add(connection, _token_of(row, now))
            if team is not None and team_code is not None:
                formed = Team(name=team, digest=auth.digest_of(team_code), created=now)
                _ADD_TEAM.run(connection, row_values(formed))
            number = None if invitation is None else invitation.id
            known = (("by invitation", number), ("in team", team), ("as", subject))
            words = ", ".join(f"{what} {value}" for what, value in known if value is not None)
            what = "asked to join" if number is None else "joined"
            self._note(connection, given.name, what, words)
            return Participant(
                name=given.name,
                token=token,
                approved=number is not None,
                team=team,
                team_code=team_code,
                steps=tuple(self._steps(url, token)),
            )

        with self._counting_wrong(visitor):
            return await self._database.write(work)

    def _steps(self, url: str, token: str) -> Iterator[str]:
        """Yield a participant's next steps, as commands for a shell."""
        yield f"export SNELLEN_TOKEN={token}"
        exam = self._challenge.exam
        if any(task not in exam.acted for task in exam.offers):
            yield f'snellen submit answers.jsonl --to {url} --name "my agent"'
        yield (
            f"claude mcp add --transport http snellen {url}/mcp"
            ' --header "Authorization: Bearer $SNELLEN_TOKEN"'
        )

    def _note(self, connection: Connection, caller: str, what: str, why: str) -> None:
        self._challenge.events.add(connection, "", None, caller, what, why)

    def _team(self, connection: Connection, given: NewParticipant) -> str | None:
        if not given.team_code:
            return given.team or None
        row = _TEAM_CODE.first(connection, {"d": auth.digest_of(given.team_code)})
        if row is None:
            raise NotFoundError(
                "this team's code is unknown: ask a member of the team for it", field="team_code"
            )
        return row.name

    def _check(
        self, connection: Connection, given: NewParticipant, subject: str | None, team: str | None
    ) -> None:
        name, asked = given.name, _REQUESTS.all(connection, {})
        if subject is not None:
            before = auth.OF_SUBJECT.first(connection, {"s": subject})
            if before is not None:
                raise ExamError(
                    f"you have joined as {before.name!r}, and a person has one account; use its"
                    " token, or ask the organizer"
                )
            if open_one := [each.name for each in asked if each.subject == subject]:
                raise ExamError(
                    f"you have asked to join as {open_one[0]!r}; wait for the organizer's answer"
                )
        if not given.code and len(asked) >= MOST_REQUESTS:
            raise ExamError(
                f"{MOST_REQUESTS} requests wait for the organizer; try again when some are answered"
            )
        self._tokens.check_names(connection, name, team)
        formed = [each.name for each in _TEAMS.all(connection, {})]
        waiting = [each.name for each in asked]
        if look_alike(name, waiting) is not None:
            raise ExamError(f"somebody asked for the name {name!r}; choose another", field="name")
        # Who has the name of a team, or one that the exam file gives a team, has the team's rights.
        if look_alike(name, [*formed, *self._file.teams, *self._file.team_of]) is not None:
            raise ExamError(
                f"{name!r} is a team's or a member's name; choose another", field="name"
            )
        new = given.team
        others = [each.team for each in auth.ALL.all(connection, {})]
        if new and look_alike(new, [*formed, *self._file.teams, *others]) is not None:
            raise ExamError(
                f"there is a team {new!r}; give the code that its members have, or choose another"
                " name",
                field="team",
            )
        if new and look_alike(new, waiting) is not None:
            raise ExamError(f"{new!r} is a participant's name; choose another", field="team")
        # A team that the exam file had, and that owns rows without a token of its name.
        owned = auth.owners(connection)
        for word, what in ((name, "name"), (new, "team")):
            if word and look_alike(word, owned) is not None:
                raise ExamError(
                    f"there are answers of {word!r} already; choose another name, or ask the"
                    " organizer for a token",
                    field=what,
                )

    # ---- requests ----------------------------------------------------------------------------

    def requests(self, visitor: Visitor) -> Sequence[RequestCard]:
        """Return the open requests, the oldest first."""
        visitor.need(Scope.ORGANIZE)
        rows = self._database.read(lambda c: _REQUESTS.all(c, {}))
        return [RequestCard.model_validate(row, from_attributes=True) for row in rows]

    async def answer(self, visitor: Visitor, name: str, *, approved: bool) -> None:
        """Approve a request, so that its token is good from now on, or refuse it.

        Raises:
            NotFoundError: There is no open request of that name.
            ExamError: A token has the name by now.
        """
        caller = visitor.need(Scope.ORGANIZE)
        now = self._tokens.now()

        def work(connection: Connection) -> None:
            open_ones = {each.name: each for each in _REQUESTS.all(connection, {})}
            row = open_ones.pop(name, None)
            if row is None:
                raise NotFoundError(
                    f"there is no open request of {name[:64]!r}; see the list of requests"
                )
            _END_REQUEST.run(connection, {"i": row.id})
            members = [*open_ones.values(), *auth.ALL.all(connection, {})]
            if approved:
                self._tokens.add(connection, _token_of(row, now))
            elif row.team not in {each.team for each in members}:
                _END_TEAM.run(connection, {"n": row.team})
            self._note(connection, caller, "approved" if approved else "refused", name)

        await self._database.write(work)


def _token_of(row: JoinRequest, now: int) -> Token:
    return Token(
        id=0,
        name=row.name,
        digest=row.digest,
        scopes=auth.PARTICIPANT,
        created=now,
        revoked=None,
        team=row.team,
        subject=row.subject,
    )
