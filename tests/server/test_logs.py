"""What is logged, and that logging never stops a server."""

import io
import os
import subprocess
import sys
import threading

from typing_extensions import Buffer

from snellen.server.logs import LogWriter, Repeats, fault, short


def test_lines_come_out_in_order() -> None:
    stream = io.BytesIO()
    lines = LogWriter(stream)
    for number in range(1000):
        lines.info(str(number).encode())
    assert lines.drain(10)
    assert stream.getvalue() == b"".join(b"%d\n" % number for number in range(1000))


class Counting(io.BytesIO):
    """A stream that counts how often it is written to."""

    writes = 0

    def write(self, data: Buffer, /) -> int:
        self.writes += 1
        return super().write(data)


def test_lines_that_come_together_are_written_together() -> None:
    stream = Counting()
    lines = LogWriter(stream)
    for number in range(1000):
        lines.info(str(number).encode())
    assert lines.drain(10)
    assert stream.getvalue().count(b"\n") == 1000
    assert stream.writes < 100


def test_the_last_lines_of_a_process_are_written() -> None:
    code = (
        "from snellen.server.logs import log\n"
        "for number in range(20): log().error('line', number=number)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stderr.splitlines()) == 20


def test_nobody_waits_for_a_reader_and_the_oldest_lines_are_dropped() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "wb") as writer:
        lines = LogWriter(writer, max_lines=10)
        for number in range(50):
            lines.info(b"x" * 100_000 + str(number).encode())
        assert not lines.drain(0.01)
        # Once somebody reads, what was kept comes out, the newest last.
        found = bytearray()
        thread = threading.Thread(target=lambda: found.extend(drained(reader)))
        thread.start()
        assert lines.drain(10)
        writer.close()
        thread.join()
    assert found.endswith(b"49\n")
    assert found.count(b"\n") < 50


def drained(reader: io.BufferedReader) -> bytes:
    return reader.read()


def test_a_stream_that_is_closed_stops_nobody() -> None:
    stream = io.BytesIO()
    stream.close()
    lines = LogWriter(stream, max_lines=5)
    for _ in range(100):
        lines.error(b"nobody hears it")
    assert lines.drain(10)


def test_a_handle_is_shortened() -> None:
    assert short("att_" + "0123456789" * 5) == "att_…"
    assert short(None) is None


def test_a_fault_is_logged_by_kind_and_place_and_never_by_its_message() -> None:
    try:
        raise KeyError("a secret answer")
    except KeyError as error:
        try:
            raise ValueError("the same secret answer") from error
        except ValueError as last:
            found = fault(last)
    assert found["error"] == ["ValueError", "KeyError"]
    assert "test_logs" in found["where"][-1]
    assert "secret" not in str(found)


def test_a_line_that_is_repeated_is_left_out_for_a_minute_and_then_counted() -> None:
    now = 0.0
    repeats = Repeats(60, lambda: now)
    assert repeats.check("full") == {}
    for _ in range(5):
        assert repeats.check("full") is None
    assert repeats.check("other") == {}
    now = 59.9
    assert repeats.check("full") is None
    now = 60.0
    assert repeats.check("full") == {"left_out": 6}
    now = 120.0
    assert repeats.check("full") == {}


def test_of_many_different_lines_the_oldest_are_forgotten() -> None:
    repeats = Repeats(60, lambda: 0.0)
    for number in range(1_000):
        assert repeats.check(number) == {}
    assert repeats.check(999) is None
    assert repeats.check(0) == {}
