"""The bytes of an upload as they arrive: counted, decoded and compressed, part by part."""

import asyncio
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Callable
from hashlib import sha256

from starlette.requests import Request

from snellen.server.challenge.models import UploadBody
from snellen.server.errors import FormError, MalformedError, TooLargeError

PART_BYTES = 256 << 10
"""The number of an upload's bytes in one row."""

_GZIP = 16 + zlib.MAX_WBITS


async def receive(request: Request, most: int, check: Callable[[], None]) -> UploadBody:
    """Read a request's body in parts, so that no whole upload is in memory uncompressed.

    A body with `Content-Encoding: gzip` is decoded, and the limit counts its decoded bytes.

    Args:
        request: The request.
        most: The maximum number of bytes.
        check: Called at each piece that arrives; what it raises ends the reading.

    Raises:
        TooLargeError: It is larger than the limit; the rest of it is not read.
        FormError: Its encoding is not supported, or it is no whole gzip stream.
        MalformedError: It is empty, or its length is not a number.
    """
    said = request.headers.get("content-length", "0")
    if not said.isdecimal():
        raise MalformedError("Content-Length is not a number", field="content-length")
    if int(said) > most:
        raise too_large(most)
    encoding = request.headers.get("content-encoding", "").strip().lower()
    arriving = _checked(request.stream(), check)
    if encoding in ("", "identity"):
        return await keep_bytes(arriving, most)
    if encoding not in ("gzip", "x-gzip"):
        raise FormError(
            f"the content encoding {encoding[:40]!r} is not supported; use gzip or none",
            field="content-encoding",
        )
    return await keep_bytes(_unzipped(arriving), most)


async def _checked(chunks: AsyncIterable[bytes], check: Callable[[], None]) -> AsyncIterator[bytes]:
    async for chunk in chunks:
        check()
        yield chunk


async def _unzipped(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield the decoded bytes of a gzip stream, in pieces of a bounded size."""
    decoder, started = zlib.decompressobj(_GZIP), False
    async for received in chunks:
        chunk = received
        while chunk:
            try:
                yield decoder.decompress(chunk, PART_BYTES)
            except zlib.error as error:
                raise FormError(f"the body is no gzip stream: {error}") from None
            chunk = decoder.unconsumed_tail
            if decoder.eof:
                # A stream may have several members.
                chunk, decoder = decoder.unused_data, zlib.decompressobj(_GZIP)
                started = bool(chunk)
            else:
                started = True
    if started:
        raise FormError("the gzip stream is cut off")


def too_large(most: int) -> TooLargeError:
    """Return the error for an upload of more bytes than the limit."""
    return TooLargeError(
        f"an upload may have at most {most:,} bytes; compress the file (.jsonl.gz)"
    )


async def keep_bytes(chunks: AsyncIterable[bytes], most: int) -> UploadBody:
    """Read a stream of bytes into parts compressed by zlib.

    Raises:
        TooLargeError: There are more bytes than the limit; the rest are not read.
        MalformedError: There are no bytes.
    """
    whole, size = sha256(), 0
    waiting = bytearray()
    parts: list[bytes] = []
    async for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise too_large(most)
        whole.update(chunk)
        waiting += chunk
        while len(waiting) >= PART_BYTES:
            part = bytes(waiting[:PART_BYTES])
            del waiting[:PART_BYTES]
            parts.append(await asyncio.to_thread(zlib.compress, part, 1))
    if waiting:
        parts.append(zlib.compress(bytes(waiting), 1))
    if not size:
        raise MalformedError("the file is empty")
    return UploadBody(parts, whole.digest(), size)
