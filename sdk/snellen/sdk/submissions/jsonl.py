"""JSONL: one submission a line, in constant memory.

Lines are decoded one by one: msgspec's `decode_lines` is a quarter faster, but takes two objects
on one line and one object over two, so that the lines after them would be numbered wrongly, and
finding that out costs what it saves.
"""

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import NamedTuple, cast

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.sdk.submissions import files
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.lines import add_lines


class Block(NamedTuple):
    """Whole lines, whether one before them was too long to be read, and whether the file ends.

    Only the last line of a file may lack its line feed; it is then a block of its own.
    """

    data: bytes
    dropped: bool
    last: bool


def read_jsonl(path: str, limits: Limits) -> Iterator[Batch]:
    """Read a JSONL file, compressed or not."""
    file = files.display(path)
    with ExitStack() as stack:
        raw = stack.enter_context(files.open_binary(path))
        collector = Collector(limits, file, files.size_of(raw))
        read: Callable[[int], bytes] = raw.read
        if path.lower().endswith(".gz") or _is_gzip(raw):
            read = stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb")).read1
        yield from _read(_guarded(read, path, collector), collector, raw.tell)


def _is_gzip(raw: io.FileIO) -> bool:
    """Whether a file begins as gzip does, whatever its name; a pipe is taken by its name."""
    if not raw.seekable():
        return False
    try:
        head = raw.read(len(files.GZIP))
    except OSError:
        # The reader of the lines meets the same fault, and names it.
        return False
    raw.seek(0)
    return head == files.GZIP


def read_stdin(limits: Limits) -> Iterator[Batch]:
    """Read JSONL from standard input."""
    stream = cast("io.BufferedReader", sys.stdin.buffer)
    collector = Collector(limits, "standard input")
    yield from _read(_guarded(stream.read1, "standard input", collector), collector, None)


def blocks(read: Callable[[int], bytes], file: str, largest: int) -> Iterator[Block]:
    """Cut a stream into blocks of whole lines, leaving out lines over some `largest` bytes."""
    held: list[bytes] = []
    size = 0
    dropping = dropped = False
    for data in _pieces(read, file):
        start = 0
        if dropping:
            start = data.find(b"\n") + 1
            if not start:
                continue
            dropping = False
        end = data.rfind(b"\n", start) + 1 or start
        if end > start:
            yield Block(b"".join((*held, data[start:end])), dropped, last=False)
            held, size, dropped = [], 0, False
        held.append(data[end:])
        size += len(data) - end
        if size > largest:
            if dropped:
                yield Block(b"", dropped, last=False)
            held, size, dropping, dropped = [], 0, True, True
    if size or dropped:
        yield Block(b"".join(held), dropped, last=True)


def _pieces(read: Callable[[int], bytes], file: str) -> Iterator[bytes]:
    head = b""
    while len(head) < files.LONGEST_MARK and (more := read(files.BLOCK)):
        head += more
    yield files.without_mark(head, file)
    while len(head) >= files.LONGEST_MARK and (data := read(files.BLOCK)):
        yield data


def _guarded(
    read: Callable[[int], bytes], path: str, collector: Collector
) -> Callable[[int], bytes]:
    def guarded(size: int) -> bytes:
        try:
            return read(size)
        except EOFError:
            collector.fault(
                ProblemKind.TRUNCATED,
                "the compressed file ends too early; what comes before was read, copy it again",
                None,
            )
            return b""
        except zlib.error as error:
            raise SubmissionError(
                f"its compression is damaged ({error}); copy it again", file=files.display(path)
            ) from error
        except OSError as error:
            raise files.unreadable(path, error) from error

    return guarded


def _read(
    read: Callable[[int], bytes], collector: Collector, tell: Callable[[], int] | None
) -> Iterator[Batch]:
    line = 1
    largest = collector.limits.largest
    for block in blocks(read, collector.file or "", largest):
        if block.dropped:
            collector.fault(
                ProblemKind.TOO_LONG,
                f"the line is longer than {largest:,} bytes; it was skipped",
                line,
            )
            line += 1
        line += add_lines(collector, block.data, line, last=block.last)
        if tell is not None:
            collector.bytes_read = tell()
        yield from collector.ready()
    yield from collector.rest()
