"""What can go wrong while files are fetched, in words that say what to do."""

import errno
from collections.abc import Generator
from contextlib import contextmanager

from snellen.grading.errors import SnellenError


class FetchError(SnellenError):
    """Files could not be fetched; what came until then is kept, and a second run goes on from it.

    Attributes:
        reason: What happened, without what to do about it.
    """

    def __init__(self, reason: str, advice: str = "") -> None:
        self.reason = reason
        super().__init__(f"{reason}. {advice}".strip() if advice else reason)


class Unreachable(Exception):  # noqa: N818  # it becomes a FetchError that knows the folder
    """A server could not be reached, or broke off for good."""


class Refused(Exception):  # noqa: N818  # it becomes a FetchError that knows the folder
    """A server answered, and not with the file.

    Attributes:
        status: The HTTP status.
        advice: What to do about it, where more is known than the status.
    """

    def __init__(self, what: str, status: int, advice: str = "") -> None:
        self.status = status
        self.advice = advice
        super().__init__(what)


@contextmanager
def proxies_told() -> Generator[None]:
    """Turn what httpx2 raises where a client can't be made into Unreachable."""
    try:
        yield
    except ImportError:
        raise Unreachable(
            "the environment's proxy is a SOCKS proxy: pip install 'httpx2[socks]', or unset it"
        ) from None
    except (ValueError, OSError) as error:
        # What httpx2 says of a proxy may show its password.
        raise Unreachable(
            f"the environment's proxy or certificates can't be used ({type(error).__name__}): see"
            " HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR"
        ) from None


def disk_full(error: OSError) -> bool:
    """Whether a write failed for want of room."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
