"""An error as an HTTP response: its status and headers, the same on every route."""

from collections.abc import Mapping
from http import HTTPStatus

from snellen.server.errors import (
    ExamError,
    ForbiddenError,
    FormError,
    MalformedError,
    NoSuchAttemptError,
    NotFoundError,
    QuotaError,
    RateError,
    StoreError,
    TooLargeError,
    UnauthorizedError,
)

RETRY_SECONDS = 10
"""When a client may try again where the store fails."""


def status_of(error: ExamError) -> HTTPStatus:
    """Return the status that an error is answered with."""
    match error:
        case NoSuchAttemptError() | NotFoundError():
            return HTTPStatus.NOT_FOUND
        case UnauthorizedError():
            return HTTPStatus.UNAUTHORIZED
        case ForbiddenError():
            return HTTPStatus.FORBIDDEN
        case QuotaError() | RateError():
            return HTTPStatus.TOO_MANY_REQUESTS
        case TooLargeError():
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        case MalformedError():
            return HTTPStatus.BAD_REQUEST
        case FormError():
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        case StoreError():
            return HTTPStatus.SERVICE_UNAVAILABLE
        case _:
            return HTTPStatus.CONFLICT


def headers_of(error: ExamError) -> Mapping[str, str]:
    """Return the headers that go with it: when to call again, where that may help."""
    if isinstance(error, UnauthorizedError):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, RateError) or (isinstance(error, StoreError) and error.again):
        return {"Retry-After": str(RETRY_SECONDS)}
    return {}
