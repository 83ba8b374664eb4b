"""An error as an HTTP response: its status and headers, the same on every route."""

from collections.abc import Mapping
from http import HTTPStatus

from snellen.server import errors

RETRY_SECONDS = 10
"""When a client may try again where the store fails."""


def status_of(error: errors.ExamError) -> HTTPStatus:
    """Return the status that an error is answered with."""
    match error:
        case errors.NoSuchAttemptError() | errors.NotFoundError():
            return HTTPStatus.NOT_FOUND
        case errors.UnauthorizedError():
            return HTTPStatus.UNAUTHORIZED
        case errors.ForbiddenError():
            return HTTPStatus.FORBIDDEN
        case errors.QuotaError() | errors.RateError():
            return HTTPStatus.TOO_MANY_REQUESTS
        case errors.TooLargeError():
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        case errors.MalformedError():
            return HTTPStatus.BAD_REQUEST
        case errors.FormError():
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        case errors.StoreError():
            return HTTPStatus.SERVICE_UNAVAILABLE
        case _:
            return HTTPStatus.CONFLICT


def headers_of(error: errors.ExamError) -> Mapping[str, str]:
    """Return the headers that go with it: when to call again, where that may help."""
    if isinstance(error, errors.UnauthorizedError):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, errors.RateError) or (
        isinstance(error, errors.StoreError) and error.again
    ):
        return {"Retry-After": str(RETRY_SECONDS)}
    return {}
