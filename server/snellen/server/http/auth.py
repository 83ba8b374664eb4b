"""Tokens: who may call over HTTP, and for what. They are shown once and kept as digests."""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from snellen.server.errors import ExamError
from snellen.server.store.database import Database
from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables import Scope, SessionRow, Token, sessions, tokens

PREFIX = "snellen_"
"""What every token starts with, so that one that leaked is recognized as such."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_RESERVED = frozenset({"local", "snellen"})
_DAY = 86_400_000
SESSION_HOURS = 12
"""How long a browser stays signed in."""
_HOLDER = Query(
    select(tokens).where(tokens.c.digest == bindparam("d"), tokens.c.revoked.is_(None)), Token
)
_ALL = Query(select(tokens).order_by(tokens.c.id), Token)
_ANY = Query(select(tokens).limit(1), Token)
_NAMED = Query(select(tokens).where(tokens.c.name == bindparam("n")), Token)
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


@dataclass(frozen=True)
class Tokens:
    """The tokens of a store."""

    database: Database = field(repr=False)
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000, repr=False)

    def create(
        self, name: str, scopes: Iterable[Scope] = (Scope.TAKE,), days: float | None = None
    ) -> str:
        """Make a token and return it; it can't be read again.

        Args:
            name: Whose it is.
            scopes: What it is for.
            days: How long it is good for; None: until it is revoked.

        Raises:
            ExamError: The name can't be used, or has been.
        """
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise ExamError(
                "a token's name is of letters, digits, dots, dashes and underscores, 64 at most,"
                f" and not {' or '.join(sorted(_RESERVED))}",
                field="name",
            )
        token = PREFIX + secrets.token_urlsafe(32)
        row = Token(
            id=0,
            name=name,
            digest=_digest(token),
            scopes=frozenset(scopes),
            created=self.now(),
            revoked=None,
            expires=None if days is None else self.now() + round(days * _DAY),
        )

        def work(connection: Connection) -> None:
            if _NAMED.first(connection, {"n": name}) is not None:
                raise ExamError(
                    f"there is or was a token {name!r}; attempts belong to names, so take another",
                    field="name",
                )
            connection.execute(_ADD, row_values(row))

        self.database.submit(work).result()
        return token

    def revoke(self, name: str) -> None:
        """Revoke a token: the next call with it is refused.

        Raises:
            ExamError: There is none of that name. One that is revoked already stays so.
        """
        parameters = {"n": name, "now": self.now()}

        def work(connection: Connection) -> None:
            if _NAMED.first(connection, {"n": name}) is None:
                raise ExamError(f"there is no token {name!r}; `snellen token list` has their names")
            _REVOKE.run(connection, parameters)

        self.database.submit(work).result()

    def listed(self) -> Sequence[Token]:
        """Return all tokens, the oldest first."""
        return self.database.read(lambda c: _ALL.all(c, {}))

    @property
    def known(self) -> bool:
        """Whether there is or was any: from then on every call needs one."""
        return self.database.read(lambda c: _ANY.first(c, {})) is not None

    def sign_in(self, token: str) -> str | None:
        """Return a new session's cookie for a token's holder; None: there is no such token."""
        holder = self.holder(token)
        if holder is None:
            return None
        cookie = secrets.token_urlsafe(32)
        now = self.now()
        row = SessionRow(
            digest=_digest(cookie), token=holder.id, expires=now + SESSION_HOURS * 3_600_000
        )

        def work(connection: Connection) -> None:
            _END_OLD.run(connection, {"now": now})
            _ADD_SESSION.run(connection, row_values(row))

        self.database.submit(work).result()
        return cookie

    def sign_out(self, cookie: str) -> None:
        """End a session; one that there is not stays so."""
        self.database.submit(lambda c: _END.run(c, {"d": _digest(cookie)})).result()

    def signed_in(self, cookie: str) -> Token | None:
        """Return whose session a cookie is; None: of none, or not any more."""
        this = {"d": _digest(cookie), "now": self.now()}
        return self._good(self.database.read(lambda c: _SIGNED_IN.first(c, this)))

    def _good(self, found: Token | None) -> Token | None:
        if found is not None and found.expires is not None and found.expires <= self.now():
            return None
        return found

    def holder(self, token: str) -> Token | None:
        """Return what is kept of a token; None for one that is unknown, revoked or too old."""
        return self._good(self.database.read(lambda c: _HOLDER.first(c, {"d": _digest(token)})))


def _digest(token: str) -> bytes:
    # 256 random bits: nothing slower than SHA-256 is needed, and a lookup by digest shows
    # nothing by its time.
    return sha256(token.encode()).digest()
