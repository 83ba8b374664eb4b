"""Sign-up: people join by an invitation, or ask and an organizer approves.

Codes and tokens are shown once, and the store has their digests. An open request's token is in a
table of its own, so that nothing takes it for a token before it is approved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from snellen.server.errors import ExamError, ForbiddenError, NotFoundError, UnauthorizedError
from snellen.server.exam.file import ExamFile, JoinBy
from snellen.server.http.auth import (
    ALL,
    DAY,
    OF_SUBJECT,
    PARTICIPANT,
    PREFIX,
    Tokens,
    digest_of,
    secret,
)
from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.endpoint import submissions
from snellen.server.store.tables.exams import (
    Invitation,
    JoinRequest,
    Team,
    Token,
    attempts,
    invitations,
    requests,
    teams,
)

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
_OWNED = [
    Statement(select(each.c.id).where(each.c.caller == bindparam("n")).limit(1))
    for each in (submissions, attempts)
]
"""The submissions and attempts of a participant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """What a person gives to join.

    Attributes:
        name: The name of the account.
        code: The code of an invitation; empty: an organizer is asked.
        team: The name of a new team; empty: none.
        team_code: The code of a team that exists; empty: none.
        subject: The subject and issuer of the identity provider's token; None: there is none.
    """

    name: str
    code: str = ""
    team: str = ""
    team_code: str = ""
    subject: str | None = None


class Joined(NamedTuple):
    """A new account; its token and its new team's code are shown this once.

    Attributes:
        token: The token.
        team: The team; None: none.
        team_code: The code by which others join the new team; None: there is no new team.
        invitation: The number of the invitation; None: an organizer must approve first.
    """

    token: str
    team: str | None
    team_code: str | None
    invitation: int | None


class SignUp:
    """The sign-up of an exam.

    Args:
        tokens: The tokens of the store.
        file: The exam file.
    """

    def __init__(self, tokens: Tokens, file: ExamFile) -> None:
        self._tokens = tokens
        self._database = tokens.database
        self._file = file

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

    def invite(self, caller: str, uses: int, days: float, note: str) -> tuple[Invitation, str]:
        """Create an invitation and return it with its code, which can't be read again.

        Args:
            caller: The organizer.
            uses: The number of people who may join by it.
            days: Its validity in days.
            note: Words about it, for organizers.

        Raises:
            ForbiddenError: The exam file lets nobody sign up.
            ExamError: The note is too long, or not printable.
        """
        if self._file.signup.by is JoinBy.CLOSED:
            raise ForbiddenError(
                'nobody can sign up for this exam; write by = "invitation" below [signup] in the'
                " exam file, and start the server again"
            )
        words = " ".join(note.split())
        if len(words) > LONGEST_NOTE or not words.isprintable():
            raise ExamError(f"a note is up to {LONGEST_NOTE} printable characters", field="note")
        code, now = secret(INVITATION_PREFIX), self._tokens.now()
        row = Invitation(
            id=0,
            digest=digest_of(code),
            caller=caller,
            note=words,
            uses=uses,
            created=now,
            expires=now + round(days * DAY),
        )

        def work(connection: Connection) -> Invitation:
            connection.execute(_ADD_INVITATION, row_values(row))
            return _CODE.one(connection, {"d": row.digest})

        return self._database.submit(work).result(), code

    def invitations(self) -> Sequence[Invitation]:
        """Return all invitations, the newest first."""
        return self._database.read(lambda c: _INVITATIONS.all(c, {}))

    def revoke(self, number: int) -> None:
        """Revoke an invitation; who joined by it stays.

        Raises:
            NotFoundError: There is none of that number. Revoking it again is not an error.
        """
        key = {"i": number, "now": self._tokens.now()}

        def work(connection: Connection) -> None:
            if _INVITATION.first(connection, {"i": number}) is None:
                raise NotFoundError(f"there is no invitation {number}; see the list of invitations")
            _REVOKE.run(connection, key)

        self._database.submit(work).result()

    def check_code(self, code: str) -> None:
        """Check that a person can join by an invitation.

        Raises:
            ForbiddenError: Nobody can.
            NotFoundError: The code is unknown.
            ExamError: The invitation is revoked, used up or expired.
        """
        self.check_open()
        self._database.read(lambda c: self._invitation(c, code))

    def _invitation(self, connection: Connection, code: str) -> Invitation:
        row = _CODE.first(connection, {"d": digest_of(code)})
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

    def join(self, given: Joining) -> Joined:
        """Create an account, or ask for one.

        Raises:
            ForbiddenError: The exam file does not allow it.
            UnauthorizedError: A token of the identity provider is needed.
            NotFoundError: The code of the invitation or of the team is unknown.
            ExamError: The invitation is revoked, used up or expired; the person has an account; the
                name or the team is not valid or in use; or too many requests are open.
        """
        self.check_open()
        rules, oauth = self._file.signup, self._file.oauth
        if oauth is not None and given.subject is None:
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
        token = secret(PREFIX)
        team_code = secret(TEAM_PREFIX) if given.team else None
        now = self._tokens.now()

        def work(connection: Connection) -> Joined:
            invitation = self._invitation(connection, given.code) if given.code else None
            team = self._team(connection, given)
            self._check(connection, given, team)
            row = JoinRequest(
                id=0,
                name=given.name,
                digest=digest_of(token),
                at=now,
                team=team,
                subject=given.subject,
            )
            if invitation is None:
                connection.execute(_ADD_REQUEST, row_values(row))
            else:
                _USE.run(connection, {"i": invitation.id})
                self._tokens.add(connection, _token_of(row, now))
            if team is not None and team_code is not None:
                formed = Team(name=team, digest=digest_of(team_code), created=now)
                _ADD_TEAM.run(connection, row_values(formed))
            number = None if invitation is None else invitation.id
            return Joined(token, team, team_code, number)

        return self._database.submit(work).result()

    def _team(self, connection: Connection, given: Joining) -> str | None:
        if not given.team_code:
            return given.team or None
        row = _TEAM_CODE.first(connection, {"d": digest_of(given.team_code)})
        if row is None:
            raise NotFoundError(
                "this team's code is unknown: ask a member of the team for it", field="team_code"
            )
        return row.name

    def _check(self, connection: Connection, given: Joining, team: str | None) -> None:
        name, asked = given.name, _REQUESTS.all(connection, {})
        if given.subject is not None:
            before = OF_SUBJECT.first(connection, {"s": given.subject})
            if before is not None:
                raise ExamError(
                    f"you have joined as {before.name!r}, and a person has one account; use its"
                    " token, or ask the organizer"
                )
            if open_one := [each.name for each in asked if each.subject == given.subject]:
                raise ExamError(
                    f"you have asked to join as {open_one[0]!r}; wait for the organizer's answer"
                )
        if not given.code and len(asked) >= MOST_REQUESTS:
            raise ExamError(
                f"{MOST_REQUESTS} requests wait for the organizer; try again when some are answered"
            )
        self._tokens.check_names(connection, name, team)
        formed = {each.name for each in _TEAMS.all(connection, {})}
        if name in {each.name for each in asked}:
            raise ExamError(f"somebody asked for the name {name!r}; choose another", field="name")
        # Who has the name of a team, or one that the exam file gives a team, has the team's rights.
        if name in {*formed, *self._file.teams, *self._file.team_of}:
            raise ExamError(
                f"{name!r} is a team's or a member's name; choose another", field="name"
            )
        others = {each.team for each in ALL.all(connection, {})}
        if given.team in {*formed, *self._file.teams, *others}:
            raise ExamError(
                f"there is a team {team!r}; give the code that its members have, or choose another"
                " name",
                field="team",
            )
        if given.team in {*self._file.team_of, *(each.name for each in asked)}:
            raise ExamError(f"{team!r} is a participant's name; choose another", field="team")
        # A team that the exam file had, and that owns rows without a token of its name.
        for word, what in ((name, "name"), (given.team, "team")):
            if any(each.run(connection, {"n": word}) for each in _OWNED):
                raise ExamError(
                    f"there are answers of {word!r} already; choose another name, or ask the"
                    " organizer for a token",
                    field=what,
                )

    # ---- requests ----------------------------------------------------------------------------

    def requests(self) -> Sequence[JoinRequest]:
        """Return the open requests, the oldest first."""
        return self._database.read(lambda c: _REQUESTS.all(c, {}))

    def answer(self, name: str, *, approved: bool) -> None:
        """Approve a request, so that its token is good from now on, or refuse it.

        Raises:
            NotFoundError: There is no open request of that name.
            ExamError: A token has the name by now.
        """
        now = self._tokens.now()

        def work(connection: Connection) -> None:
            open_ones = {each.name: each for each in _REQUESTS.all(connection, {})}
            row = open_ones.pop(name, None)
            if row is None:
                raise NotFoundError(
                    f"there is no open request of {name[:64]!r}; see the list of requests"
                )
            _END_REQUEST.run(connection, {"i": row.id})
            if approved:
                self._tokens.add(connection, _token_of(row, now))
                return
            members = [*open_ones.values(), *ALL.all(connection, {})]
            if row.team not in {each.team for each in members}:
                _END_TEAM.run(connection, {"n": row.team})

        self._database.submit(work).result()


def _token_of(row: JoinRequest, now: int) -> Token:
    return Token(
        id=0,
        name=row.name,
        digest=row.digest,
        scopes=PARTICIPANT,
        created=now,
        revoked=None,
        team=row.team,
        subject=row.subject,
    )
