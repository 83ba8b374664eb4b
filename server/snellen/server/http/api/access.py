"""Who calls: a token's holder, this machine's user if there is no token, or a stranger."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import Request

from snellen.server.errors import ForbiddenError, RateError, UnauthorizedError
from snellen.server.exam.file import Who
from snellen.server.http.auth import Tokens
from snellen.server.http.oauth import HOLDER, Holder
from snellen.server.store.tables.exams import Scope, Token

T = TypeVar("T")

CALLS_A_MINUTE = 1200
"""How many requests a token's holder, or an address without one, may make."""

WRONG_A_MINUTE = 60
"""How many wrong tokens are looked up for an address."""

CALLER = "snellen.caller"
"""What a scope has the name of who calls under, once it is known."""

LOCAL = "local"
"""Who calls if there is no token: whoever sits at this machine."""

_FOR = {
    Scope.TAKE: "taking the exam",
    Scope.SUBMIT: "uploading predictions",
    Scope.ANNOTATE: "annotating",
    Scope.ORGANIZE: "organizing",
    Scope.ADMIN: "tokens",
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who calls.

    Attributes:
        name: Whose token came, or whose team's; None: none did.
        scopes: What it is for.
    """

    name: str | None
    scopes: frozenset[Scope]

    def may(self, scope: Scope) -> bool:
        """Whether a scope is among theirs; an admin has all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    @property
    def organizes(self) -> bool:
        """Whether it is an organizer."""
        return self.may(Scope.ORGANIZE)

    def need(self, scope: Scope) -> str:
        """Return the name of who calls, who must hold a scope.

        Raises:
            UnauthorizedError: No token came.
            ForbiddenError: It is not for that.
        """
        if self.name is None:
            raise UnauthorizedError(
                "a token is needed: send the header 'Authorization: Bearer TOKEN'"
            )
        if not self.may(scope):
            raise ForbiddenError(
                f"this token is not for {_FOR[scope]}; `snellen token create NAME --scope {scope}`"
                " makes one"
            )
        return self.name

    def owner(self) -> str | None:
        """Return whose submissions they see: their own; None: everybody's.

        Raises:
            UnauthorizedError: No token came.
            ForbiddenError: It is for neither uploading nor organizing.
        """
        return None if self.organizes else self.need(Scope.SUBMIT)

    def check(self, who: Who, what: str) -> None:
        """Refuse what is not shown to them.

        Raises:
            UnauthorizedError: No token came, and one is needed.
            ForbiddenError: Theirs is not for it.
        """
        if who is Who.PUBLIC or self.organizes:
            return
        if who is Who.HIDDEN:
            raise ForbiddenError(f"{what} are for the organizer")
        self.need(Scope.SUBMIT)


_STRANGER = Visitor(None, frozenset())
_HERE = Visitor(LOCAL, frozenset({Scope.TAKE, Scope.SUBMIT}))


class Access:
    """Tells who calls, and how often they may.

    Args:
        tokens: The store's tokens.
        guarded: Whether a token is needed; without, whoever calls sits at this machine.
        calls_a_minute: How many requests a holder may make.
    """

    def __init__(
        self, tokens: Tokens, *, guarded: bool, calls_a_minute: int = CALLS_A_MINUTE
    ) -> None:
        self.tokens = tokens
        self._guarded = guarded
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._calls = RateLimitItemPerMinute(calls_a_minute)
        self._wrong = RateLimitItemPerMinute(WRONG_A_MINUTE)

    def visitor(self, request: Request) -> Visitor:
        """Return who calls.

        Raises:
            UnauthorizedError: A token came that is unknown, revoked or too old.
            RateError: Too many calls, or too many wrong tokens.
        """
        address = request.client.host if request.client else ""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        token = given.strip()
        if kind.lower() != "bearer" or not token:
            self._count(self._calls, f"at {address}")
            # A token that is made while the server runs makes organizers known at once, and
            # takes nothing from who sits here until the next start.
            return _STRANGER if self._guarded else _HERE
        holder = request.scope.get(HOLDER) or self.tokens.holder(token)
        if holder is None:
            self.count_wrong_token(request)
            raise UnauthorizedError("this token is unknown, revoked or too old; ask the organizer")
        return self.known(request, holder)

    def known(self, request: Request, holder: Token | Holder) -> Visitor:
        """Return who calls, once that is known, and count the call.

        Raises:
            RateError: There are too many.
        """
        request.scope[CALLER] = holder.name
        self._count(self._calls, f"of {holder.name}")
        return Visitor(self.tokens.participant(holder), holder.scopes)

    def count_wrong_token(self, request: Request) -> None:
        """Note that a wrong token came from an address.

        Raises:
            RateError: Too many did.
        """
        address = request.client.host if request.client else ""
        self._count(self._wrong, f"wrong {address}")

    def check_guesses(self, request: Request) -> None:
        """Refuse an address that sent too many wrong tokens.

        Raises:
            RateError: It did.
        """
        address = request.client.host if request.client else ""
        if not self._limiter.test(self._wrong, f"wrong {address}"):
            raise RateError("too many wrong tokens came from here; wait a minute")

    def _count(self, limit: RateLimitItemPerMinute, who: str) -> None:
        if not self._limiter.hit(limit, who):
            raise RateError(f"more than {limit.amount} calls in a minute; wait, then go on")

    async def ask(self, request: Request, work: Callable[[Visitor], T]) -> T:
        """Find out who calls, and return what is read for them; see `Database.off_loop`."""
        return await self.tokens.database.off_loop(lambda: work(self.visitor(request)))

    async def named(self, request: Request, scope: Scope) -> str:
        """Return the name of who calls, who must hold a scope."""
        return await self.ask(request, lambda visitor: visitor.need(scope))
