"""The base of models, which are closed and frozen; the digest of a JSON value; faults of JSON."""

import hashlib

import msgspec
from pydantic import BaseModel, ConfigDict

from snellen.grading.errors import DataError

NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises on bytes that are no JSON, JSON of another shape, or JSON nested too deep."""


class Closed(BaseModel):
    """A frozen model that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def digest_of(value: object) -> str:
    """Return the SHA-256 of a JSON value, 64 hexadecimal digits.

    The value is written as compact UTF-8 JSON with sorted keys, so key order and white space do
    not count.

    >>> digest_of({"b": 1, "a": ["x"]}) == digest_of({"a": ["x"], "b": 1})
    True

    Raises:
        DataError: It is no JSON value.
    """
    try:
        return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise DataError(f"the references are not a JSON value: {error}") from None
