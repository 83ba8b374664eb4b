"""Callers and their rights: the holder of a token, this machine's user, or an unknown caller."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from starlette.requests import Request

from snellen.server.errors import ForbiddenError, RateError, UnauthorizedError
from snellen.server.http.auth import PARTICIPANT, Tokens
from snellen.server.http.oauth import HOLDER, Holder
from snellen.server.store.tables.exams import Scope, Token
from snellen.tasks.hosted import Who

T = TypeVar("T")

CALLS_A_MINUTE = 1200
"""The maximum number of requests per minute of a token's holder, or of an address without a
token."""

WRONG_A_MINUTE = 60
"""The maximum number of wrong tokens, wrong codes and requests to join per minute from an
address."""

CALLER = "snellen.caller"
"""The key of the caller's name in a request's ASGI scope, once the caller is known."""

LOCAL = "local"
"""The caller's name if no token is required: the user of this machine."""

_MINUTE = 60.0
_FOR = {
    Scope.TAKE: "taking the exam",
    Scope.SUBMIT: "uploading predictions",
    Scope.ANNOTATE: "annotating",
    Scope.ORGANIZE: "organizing",
    Scope.ADMIN: "tokens",
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """A caller.

    Attributes:
        name: The token's holder, or the holder's team; None: the request has no token.
        scopes: The scopes of the token.
        address: The address from which the request came.
        subject: The subject and issuer of the identity provider's token; None: there is none.
    """

    name: str | None = None
    scopes: frozenset[Scope] = frozenset()
    address: str = ""
    subject: str | None = None

    def may(self, scope: Scope) -> bool:
        """Whether the caller has a scope; an admin has all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    @property
    def organizes(self) -> bool:
        """Whether the caller is an organizer."""
        return self.may(Scope.ORGANIZE)

    def need(self, scope: Scope) -> str:
        """Return the caller's name if the caller has a scope.

        Raises:
            UnauthorizedError: The request has no token.
            ForbiddenError: The token does not have the scope.
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
        """Return the participant whose submissions the caller may see; None: all participants'.

        Raises:
            UnauthorizedError: The request has no token.
            ForbiddenError: The token is for neither uploading nor organizing.
        """
        return None if self.organizes else self.need(Scope.SUBMIT)

    def check(self, who: Who, what: str) -> None:
        """Check that something is visible to the caller.

        Raises:
            UnauthorizedError: The request has no token, and needs one.
            ForbiddenError: It is not visible to the caller.
        """
        if who is Who.PUBLIC or self.organizes:
            return
        if who is Who.HIDDEN:
            raise ForbiddenError(f"only the organizer may see {what}")
        self.need(Scope.SUBMIT)


class CallLimit:
    """Allows each caller a number of calls within any minute; refused calls do not count.

    Args:
        most: That number.
        clock: Returns the time in seconds.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._calls: dict[str, deque[float]] = {}
        self._forget_at = 0.0
        self._lock = threading.Lock()

    def count(self, who: str) -> None:
        """Count a call.

        Raises:
            RateError: It is not allowed.
        """
        now = self._clock()
        with self._lock:
            if now >= self._forget_at:
                # Anybody may call, by any address: those without a recent call are forgotten.
                self._forget_at = now + _MINUTE
                since = now - _MINUTE
                known = self._calls.items()
                self._calls = {who: calls for who, calls in known if calls and calls[-1] > since}
            calls = self._calls.setdefault(who, deque())
            while calls and calls[0] <= now - _MINUTE:
                calls.popleft()
            if len(calls) >= self.most:
                raise RateError(f"more than {self.most} calls in a minute; wait, then try again")
            calls.append(now)

    def test(self, who: str) -> bool:
        """Return whether a call would be allowed."""
        since = self._clock() - _MINUTE
        with self._lock:
            return sum(at > since for at in self._calls.get(who, ())) < self.most


class Access:
    """Identifies callers and limits their requests.

    Args:
        tokens: The store's tokens.
        guarded: Whether a token is required; otherwise a caller without one is this machine's user.
        calls_a_minute: The maximum number of requests of a holder per minute.

    Attributes:
        before: Called once a request, where the store may be read.
    """

    def __init__(
        self, tokens: Tokens, *, guarded: bool, calls_a_minute: int = CALLS_A_MINUTE
    ) -> None:
        self.tokens = tokens
        self._guarded = guarded
        self._calls = CallLimit(calls_a_minute)
        self._wrong = CallLimit(WRONG_A_MINUTE)
        self.before: list[Callable[[], None]] = []

    def visitor(self, request: Request) -> Visitor:
        """Return the caller of a request.

        Raises:
            UnauthorizedError: The token is unknown, revoked or expired.
            RateError: There are too many calls, or too many wrong tokens.
        """
        address = _address(request)
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        token = given.strip()
        if kind.lower() != "bearer" or not token:
            self._count(f"at {address}")
            # A token created while the server runs identifies its holder at once, but callers
            # without a token keep their rights until the next start.
            return (
                Visitor(address=address) if self._guarded else Visitor(LOCAL, PARTICIPANT, address)
            )
        checked: Holder | None = request.scope.get(HOLDER)
        holder = self.tokens.account(checked) if checked else self.tokens.holder(token)
        if holder is None:
            self.count_wrong(address)
            raise UnauthorizedError("this token is unknown, revoked or expired; ask the organizer")
        return self.known(request, holder)

    def known(self, request: Request, holder: Token | Holder) -> Visitor:
        """Return the caller for a token's holder, and count the call.

        Raises:
            RateError: There are too many calls.
        """
        request.scope[CALLER] = holder.name
        self._count(f"of {holder.name}")
        checked: Holder | None = request.scope.get(HOLDER)
        return Visitor(
            self.tokens.participant(holder),
            holder.scopes,
            _address(request),
            None if checked is None else checked.name,
        )

    def count_wrong(self, address: str) -> None:
        """Count a wrong token or code, or a request to join, from an address.

        Raises:
            RateError: There are too many.
        """
        self._wrong.count(address)

    def check_guesses(self, address: str) -> None:
        """Check that an address did not send too many wrong tokens and codes.

        Raises:
            RateError: It sent too many.
        """
        if not self._wrong.test(address):
            raise RateError(
                "too many wrong tokens, codes or requests came from this address; wait a minute"
            )

    def _count(self, who: str) -> None:
        self._calls.count(who)
        for work in self.before:
            work()

    async def ask(self, request: Request, work: Callable[[Visitor], T]) -> T:
        """Identify the caller and return the result of a read; see `Database.off_loop`."""
        return await self.tokens.database.off_loop(lambda: work(self.visitor(request)))

    async def visitor_of(self, request: Request) -> Visitor:
        """Return the caller of a request; raises as `visitor`."""
        return await self.ask(request, lambda visitor: visitor)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
