"""Tokens for HTTP callers and their scopes. They are shown once and stored as digests."""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from snellen.grading.models.base import Closed
from snellen.server.challenge import queries
from snellen.server.challenge.models import IsoTime
from snellen.server.errors import ExamError, NotFoundError
from snellen.server.exam.file import ExamFile
from snellen.server.exam.names import folded, look_alike
from snellen.server.store.database import Database
from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.endpoint import EventRow, submissions
from snellen.server.store.tables.exams import Scope, SessionRow, Token, attempts, sessions, tokens
from snellen.tasks.hosted import JoinBy

if TYPE_CHECKING:
    from snellen.server.http.oauth import Holder

PREFIX = "snellen_"
"""What every token starts with, so that one that leaked is recognized as such."""

TOKEN_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
_RESERVED = frozenset({"local", "snellen"})
PARTICIPANT = frozenset({Scope.TAKE, Scope.SUBMIT})
"""The scopes of a person who joined."""

DAY = 86_400_000
SESSION_HOURS = 12
"""How long a browser stays signed in."""
_HOLDER = Query(
    select(tokens).where(tokens.c.digest == bindparam("d"), tokens.c.revoked.is_(None)), Token
)
ALL = Query(select(tokens).order_by(tokens.c.id), Token)
_ANY = Query(select(tokens).limit(1), Token)
_NAMED = Query(select(tokens).where(tokens.c.name == bindparam("n")), Token)
OF_SUBJECT = Query(select(tokens).where(tokens.c.subject == bindparam("s")), Token)
_OWNERS = [Statement(select(each.c.caller).distinct()) for each in (submissions, attempts)]
_ADD = insert(tokens)
_SIGNED_IN = Query(
    select(tokens)
    .join_from(tokens, sessions, sessions.c.token == tokens.c.id)
    .where(
        sessions.c.digest == bindparam("d"),
        sessions.c.expires > bindparam("now"),
        tokens.c.revoked.is_(None),
    ),
    Token,
)
_ADD_SESSION = Statement(insert(sessions))
_END = Statement(delete(sessions).where(sessions.c.digest == bindparam("d")))
_END_OLD = Statement(delete(sessions).where(sessions.c.expires <= bindparam("now")))
_REVOKE = Statement(
    update(tokens)
    .where(tokens.c.name == bindparam("n"), tokens.c.revoked.is_(None))
    .values(revoked=bindparam("now"))
)
_WIDEN = Statement(
    update(tokens).where(tokens.c.name == bindparam("n")).values(scopes=bindparam("s"))
)


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
    scopes: Annotated[tuple[Scope, ...], BeforeValidator(sorted)]
    created: IsoTime
    revoked: IsoTime | None
    expires: IsoTime | None
    team: str | None = None


class MadeToken(Closed):
    """A new token, which is shown only once."""

    name: str
    token: str


@dataclass(frozen=True)
class Tokens:
    """The tokens of a store."""

    database: Database = field(repr=False)
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000, repr=False)
    teams: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The team of a holder, as the exam file says it."""
    signs_up: bool = False
    """Whether people sign up: then an identity provider's subject takes part once it joined."""

    @classmethod
    def of(cls, database: Database, file: ExamFile) -> "Tokens":
        """Return the tokens of a store, by the teams and the sign-up of an exam file."""
        return cls(database, teams=file.team_of, signs_up=file.signup.by is not JoinBy.CLOSED)

    def participant(self, holder: "Token | Holder") -> str:
        """Return the owner of a holder's submissions and attempts: the team or the holder."""
        if not isinstance(holder, Token):
            return self.teams.get(holder.name) or holder.name
        subject = self.teams.get(holder.subject) if holder.subject else None
        return self.teams.get(holder.name) or subject or holder.team or holder.name

    def account(self, holder: "Holder") -> "Token | Holder":
        """Return the rights of an identity provider's subject.

        Where people sign up, it has those of the token that it got when it joined, so that it is
        one participant, and before that it does not take part.
        """
        if not self.signs_up:
            return holder
        joined = self._good(self.database.read(lambda c: OF_SUBJECT.first(c, {"s": holder.name})))
        if joined is None or joined.revoked is not None:
            return holder._replace(scopes=holder.scopes - PARTICIPANT)
        return replace(joined, scopes=joined.scopes | holder.scopes)

    def create(
        self,
        name: str,
        scopes: Iterable[Scope] = (Scope.TAKE,),
        days: float | None = None,
        team: str | None = None,
        *,
        by: str | None = None,
    ) -> str:
        """Make a token and return it; it can't be read again.

        Args:
            name: The holder's name.
            scopes: Its scopes.
            days: Its validity in days; None: until it is revoked.
            team: Its team, which shares quota, attempts and rows.
            by: The caller, for the record; None: nothing is recorded.

        Raises:
            ExamError: The name is not valid, was used before, or is a team's; or the team's name is
                a participant's; or one looks like another name.
        """
        token = secret(PREFIX)
        row = Token(
            id=0,
            name=name,
            digest=digest_of(token),
            scopes=frozenset(scopes),
            created=self.now(),
            revoked=None,
            expires=None if days is None else self.now() + round(days * DAY),
            team=team,
        )
        whose = name if team is None else f"{name} of {team}"

        def work(connection: Connection) -> None:
            self.add(connection, row)
            self._note(connection, by, "token", f"{whose}: {', '.join(sorted(row.scopes))}")

        self.database.submit(work).result()
        return token

    def _note(self, connection: Connection, by: str | None, what: str, why: str) -> None:
        if by is not None:
            event = EventRow(
                id=0, phase="", submission=None, at=self.now(), caller=by, what=what, why=why
            )
            queries.add_event(connection, event)

    def add(self, connection: Connection, row: Token) -> None:
        """Add a token; raises as `check_names`."""
        self.check_names(connection, row.name, row.team)
        connection.execute(_ADD, row_values(row))

    def check_names(self, connection: Connection, name: str, team: str | None) -> None:
        """Check that a new token may have a name and a team.

        Raises:
            ExamError: As `create`.
        """
        for word, what in ((name, "name"), (team, "team")):
            if word is not None and (
                not re.fullmatch(TOKEN_NAME, word) or folded(word) in _RESERVED
            ):
                raise ExamError(
                    f"a token's {what} must have 1 to 64 letters, digits, dots, dashes and"
                    f" underscores, and must not be {' or '.join(sorted(_RESERVED))}",
                    field=what,
                )
        others = ALL.all(connection, {})
        holders = [each.name for each in others]
        if (used := look_alike(name, holders)) is not None:
            raise ExamError(
                f"the name {used!r} was used before; attempts belong to names, so take another",
                field="name",
            )
        # A holder with a team's name would own the team's submissions.
        teams = [*self.teams.values(), *(each.team for each in others)]
        if look_alike(name, [team, *teams]) is not None:
            raise ExamError(f"{name!r} is a team's name; choose another", field="name")
        if team is not None and look_alike(team, [*holders, *self.teams]) is not None:
            raise ExamError(f"{team!r} is a participant's name; choose another", field="team")
        known = [*self.teams, *teams, *owners(connection)]
        for word, what in ((name, "name"), (team, "team")):
            other = None if word is None else look_alike(word, known)
            if other not in (None, word):
                raise ExamError(
                    f"{word!r} looks like {other!r}, which exists; write that or choose another",
                    field=what,
                )

    def widen(self, name: str, scopes: Iterable[Scope], *, by: str) -> bool:
        """Add scopes to a token; return whether there is one that is valid.

        Args:
            name: The holder's name.
            scopes: The scopes.
            by: The caller, for the record.

        Raises:
            ExamError: It has these scopes already.
        """

        def work(connection: Connection) -> bool:
            found = _NAMED.first(connection, {"n": name})
            new = frozenset(scopes)
            if found is None or found.revoked is not None:
                return False
            if new <= found.scopes:
                raise ExamError(
                    f"{name} has a token with this scope, which can't be shown again: for another"
                    " participant, take another name"
                )
            _WIDEN.run(connection, {"n": name, "s": found.scopes | new})
            self._note(connection, by, "token", f"{name}: also {', '.join(sorted(new))}")
            return True

        return self.database.submit(work).result()

    def revoke(self, name: str, *, by: str | None = None) -> None:
        """Revoke a token; the server refuses all later calls with it.

        Args:
            name: The holder's name.
            by: The caller, for the record; None: nothing is recorded.

        Raises:
            NotFoundError: There is no token of that name. Revoking it again is not an error.
        """
        parameters = {"n": name, "now": self.now()}

        def work(connection: Connection) -> None:
            if _NAMED.first(connection, {"n": name}) is None:
                raise NotFoundError(
                    f"there is no token {name!r}; `snellen token list` has their names"
                )
            _REVOKE.run(connection, parameters)
            self._note(connection, by, "revoked", name)

        self.database.submit(work).result()

    def listed(self) -> Sequence[Token]:
        """Return all tokens, the oldest first."""
        return self.database.read(lambda c: ALL.all(c, {}))

    @property
    def known(self) -> bool:
        """Whether there is or was a token: from then on every call needs one."""
        return self.database.read(lambda c: _ANY.first(c, {})) is not None

    def sign_in(self, token: str) -> str | None:
        """Return a new session's cookie for a token's holder; None: there is no such token."""
        holder = self.holder(token)
        if holder is None:
            return None
        cookie = secrets.token_urlsafe(32)
        now = self.now()
        row = SessionRow(
            digest=digest_of(cookie), token=holder.id, expires=now + SESSION_HOURS * 3_600_000
        )

        def work(connection: Connection) -> None:
            _END_OLD.run(connection, {"now": now})
            _ADD_SESSION.run(connection, row_values(row))

        self.database.submit(work).result()
        return cookie

    def sign_out(self, cookie: str) -> None:
        """End a session, if it exists."""
        self.database.submit(lambda c: _END.run(c, {"d": digest_of(cookie)})).result()

    def signed_in(self, cookie: str) -> Token | None:
        """Return the token of a cookie's session; None: there is no valid session."""
        parameters = {"d": digest_of(cookie), "now": self.now()}
        return self._good(self.database.read(lambda c: _SIGNED_IN.first(c, parameters)))

    def _good(self, found: Token | None) -> Token | None:
        if found is not None and found.expires is not None and found.expires <= self.now():
            return None
        return found

    def holder(self, token: str) -> Token | None:
        """Return the stored data of a token; None if it is unknown, revoked or expired."""
        return self._good(self.database.read(lambda c: _HOLDER.first(c, {"d": digest_of(token)})))


def secret(prefix: str) -> str:
    """Return 256 random bits as a text, after a prefix that says what it is."""
    return prefix + secrets.token_urlsafe(32)


def digest_of(token: str) -> bytes:
    """Return the digest of a secret, which is all that the store has of it."""
    # 256 random bits need no slower hash than SHA-256, and the time of a lookup by digest reveals
    # nothing.
    return sha256(token.encode(errors="surrogatepass")).digest()


def owners(connection: Connection) -> set[str]:
    """Return the owners of all submissions and attempts."""
    return {name for each in _OWNERS for (name,) in each.run(connection, {})}
