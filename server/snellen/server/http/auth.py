"""Tokens: who may call over HTTP, and for what. They are shown once and kept as digests."""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from sqlalchemy import Connection, bindparam, insert, select, update

from snellen.server.errors import ExamError
from snellen.server.store.database import Database
from snellen.server.store.tables import tokens

_PREFIX = "snellen_"
"""What every token starts with, so that one that leaked is recognised as such."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_RESERVED = "local"
_HOLDER = select(tokens.c.name, tokens.c.scopes).where(
    tokens.c.digest == bindparam("d"), tokens.c.revoked.is_(None)
)
_ALL = select(tokens).order_by(tokens.c.id)
_ANY = select(tokens.c.id).limit(1)
_NAMED = select(tokens.c.revoked).where(tokens.c.name == bindparam("n"))
_REVOKE = (
    update(tokens)
    .where(tokens.c.name == bindparam("n"), tokens.c.revoked.is_(None))
    .values(revoked=bindparam("now"))
)


class Scope(StrEnum):
    """What a token is for."""

    TAKE = "take"
    """Taking the exam."""
    ORGANISE = "organise"
    """Seeing everybody's attempts."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a token.

    Attributes:
        name: The token's name: the caller, for the exam.
        scopes: What it is for.
    """

    name: str
    scopes: frozenset[Scope]


@dataclass(frozen=True, slots=True)
class Listed:
    """A token as it is listed; times in milliseconds since 1970."""

    name: str
    scopes: tuple[Scope, ...]
    created: int
    revoked: int | None


@dataclass(frozen=True)
class Tokens:
    """The tokens of a store."""

    database: Database = field(repr=False)
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000, repr=False)

    def create(self, name: str, scopes: Iterable[Scope] = (Scope.TAKE,)) -> str:
        """Make a token and return it; it can't be read again.

        Raises:
            ExamError: The name can't be used, or has been.
        """
        if not _NAME.fullmatch(name) or name == _RESERVED:
            raise ExamError(
                f"a token's name is of letters, digits, dots, dashes and underscores, 64 at most,"
                f" and not {_RESERVED!r}",
                field="name",
            )
        token = _PREFIX + secrets.token_urlsafe(32)
        row = {
            "name": name,
            "digest": _digest(token),
            "scopes": " ".join(sorted({scope.value for scope in scopes})),
            "created": self.now(),
        }

        def work(connection: Connection) -> None:
            if connection.execute(_NAMED, {"n": name}).first() is not None:
                raise ExamError(
                    f"there is or was a token {name!r}; attempts belong to names, so take another",
                    field="name",
                )
            connection.execute(insert(tokens), row)

        self.database.submit(work).result()
        return token

    def revoke(self, name: str) -> None:
        """Revoke a token: the next call with it is refused.

        Raises:
            ExamError: There is none of that name. One that is revoked already stays so.
        """
        parameters = {"n": name, "now": self.now()}

        def work(connection: Connection) -> None:
            if connection.execute(_NAMED, {"n": name}).first() is None:
                raise ExamError(f"there is no token {name!r}; `snellen token list` has their names")
            connection.execute(_REVOKE, parameters)

        self.database.submit(work).result()

    def listed(self) -> Sequence[Listed]:
        """Return all tokens, the oldest first, without what they are."""
        rows = self.database.read(lambda connection: connection.execute(_ALL).all())
        return [
            Listed(row.name, tuple(sorted(_scopes(row.scopes))), row.created, row.revoked)
            for row in rows
        ]

    @property
    def known(self) -> bool:
        """Whether there is or was any: from then on every call needs one."""
        return self.database.read(lambda c: c.execute(_ANY).first()) is not None

    def holder(self, token: str) -> Holder | None:
        """Return who holds a token; None for one that is unknown or revoked."""
        parameters = {"d": _digest(token)}
        row = self.database.read(lambda c: c.execute(_HOLDER, parameters).first())
        return None if row is None else Holder(row.name, _scopes(row.scopes))


def _scopes(words: str) -> frozenset[Scope]:
    return frozenset(Scope(word) for word in words.split())


def _digest(token: str) -> bytes:
    # 256 random bits: nothing slower than SHA-256 is needed, and a lookup by digest tells
    # nothing by its time.
    return sha256(token.encode()).digest()
