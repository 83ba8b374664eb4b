"""Tokens: who may call over HTTP, and for what. They are shown once and kept as digests."""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from sqlalchemy import Connection, bindparam, insert, select, update

from snellen.server.errors import ExamError
from snellen.server.store.database import Database
from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables import Scope, Token, tokens

_PREFIX = "snellen_"
"""What every token starts with, so that one that leaked is recognized as such."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_RESERVED = frozenset({"local", "snellen"})
_DAY = 86_400_000
_HOLDER = Query(
    select(tokens).where(tokens.c.digest == bindparam("d"), tokens.c.revoked.is_(None)), Token
)
_ALL = Query(select(tokens).order_by(tokens.c.id), Token)
_ANY = Query(select(tokens).limit(1), Token)
_NAMED = Query(select(tokens).where(tokens.c.name == bindparam("n")), Token)
_ADD = insert(tokens)
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
        token = _PREFIX + secrets.token_urlsafe(32)
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

    def holder(self, token: str) -> Token | None:
        """Return what is kept of a token; None for one that is unknown, revoked or too old."""
        found = self.database.read(lambda c: _HOLDER.first(c, {"d": _digest(token)}))
        if found is not None and found.expires is not None and found.expires <= self.now():
            return None
        return found


def _digest(token: str) -> bytes:
    # 256 random bits: nothing slower than SHA-256 is needed, and a lookup by digest shows
    # nothing by its time.
    return sha256(token.encode()).digest()
