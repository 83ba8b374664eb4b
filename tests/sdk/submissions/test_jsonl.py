import gzip
import json
import random
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import TOO_LONG
from snellen.sdk.submissions import Batch, read
from snellen.sdk.submissions.jsonl import blocks

pytestmark = pytest.mark.compat


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl") / "answers.jsonl"


def parse(file: Path, content: str | bytes, **options: Any) -> Batch:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    (batch,) = read(file, **options)
    return batch


GOOD = b'{"item_id": "good", "response": "7"}'

MALFORMED = {
    "no json": b"hello",
    "a bare word": b"nope",
    "a list": b'[{"item_id": "a", "response": "x"}]',
    "a number": b"7",
    "null": b"null",
    "two objects on one line": b'{"item_id": "a"} {"item_id": "b"}',
    "an open object": b'{"item_id": "a", "response": "x"',
    "an open string": b'{"item_id": "a", "response": "x',
    "a trailing comma": b'{"item_id": "a", "response": "x",}',
    "single quotes": b"{'item_id': 'a'}",
    "nan": b'{"item_id": "a", "response": NaN}',
    "nan within": b'{"item_id": "a", "response": [NaN]}',
    "nan in meta": b'{"item_id": "a", "response": "x", "meta": {"score": NaN}}',
    "infinity": b'{"item_id": "a", "response": -Infinity}',
    "a number out of range": b'{"item_id": "a", "response": 1e999}',
    "a number without end": b'{"item_id": "a", "response": ' + b"1" * 5000 + b"}",
    "a control character": b'{"item_id": "a", "response": "x\ty"}',
    "a bad escape": b'{"item_id": "a", "response": "\\q"}',
    "latin-1": '{"item_id": "a", "response": "café"}'.encode("latin-1"),
    "latin-1 in what is skipped": '{"item_id": "a", "response": "", "x": "é"}'.encode("latin-1"),
    "encoded surrogates": b'{"item_id": "a", "response": "\xed\xa0\x80"}',
    "nul bytes": b"\0" * 20,
    "deep nesting": b'{"item_id": "a", "response": ' + b"[" * 101 + b"]" * 101 + b"}",
    "absurd nesting": b'{"item_id": "a", "response": ' + b"[" * 10**5 + b"]" * 10**5 + b"}",
    "absurd nesting where skipped": b'{"item_id": "a", "x": ' + b"[" * 10**5 + b"]" * 10**5 + b"}",
    "a lone high surrogate at the end": b'{"item_id": "a", "response": "\\ud83d"}',
    "a lone high surrogate": b'{"item_id": "a", "response": "\\ud83d and more, and more"}',
    "a lone low surrogate": b'{"item_id": "a", "response": "\\ude00"}',
    "a lone surrogate in a list": b'{"item_id": "a", "response": ["\\ude00"]}',
    "a lone surrogate in a key": b'{"item_id": "a", "response": {"\\ude00": 1}}',
    "a lone surrogate in the id": b'{"item_id": "\\ude00", "response": "x"}',
    "a lone surrogate in the error": b'{"item_id": "a", "error": "\\ude00"}',
    "a lone surrogate in a skipped key": b'{"item_id": "a", "response": "x", "\\ude00": 1}',
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_line_is_named_and_its_neighbours_stay(file: Path, line: bytes) -> None:
    batch = parse(file, b"\n".join([GOOD, line, GOOD, b""]))
    assert batch.item_ids == ["good", "good"]
    assert list(batch.lines) == [1, 3]
    (problem,) = batch.problems
    assert (problem.kind, problem.line) == (ProblemKind.MALFORMED, 2)
    assert problem.file == str(file)
    assert problem.message.endswith("skipped")
    assert problem.model_dump_json()


def test_an_object_over_two_lines_is_malformed_though_the_count_of_lines_fits(file: Path) -> None:
    # msgspec's decode_lines reads three objects here, one per line feed.
    batch = parse(file, '{"item_id": "a"} {"item_id": "b"}\n{"item_id":\n"c"}\n' + GOOD.decode())
    assert (batch.item_ids, list(batch.lines)) == (["good"], [4])
    assert [problem.line for problem in batch.problems] == [1, 2, 3]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{'a': 1}", r"not JSON \(Expecting property name.* at column 2\); write one JSON object"),
        (b'"x"', "a submission must be a JSON object, not text"),
        (b'{"item_id": "a", "response": NaN}', "NaN, Infinity .* write null"),
        (b'{"item_id": "a", "response": "caf\xe9"}', r"not UTF-8 \(byte 0xe9 at byte 34\); save"),
        (b'{"item_id": "a", "response": "\\ud83d"}', "half a surrogate pair"),
    ],
)
def test_the_message_says_what_is_wrong_and_what_to_do(
    file: Path, line: bytes, message: str
) -> None:
    (problem,) = parse(file, line + b"\n" + GOOD).problems
    assert re.search(message, problem.message), problem.message


@pytest.mark.parametrize("cut", range(1, len(GOOD)))
def test_a_truncated_last_line_is_called_so(file: Path, cut: int) -> None:
    batch = parse(file, GOOD + b"\n" + GOOD[:cut])
    assert batch.item_ids == ["good"]
    (problem,) = batch.problems
    assert (problem.kind, problem.line) == (ProblemKind.TRUNCATED, 2)
    assert "the file ends in the middle of this line" in problem.message


def test_a_last_line_cut_within_a_character_is_truncated(file: Path) -> None:
    batch = parse(file, GOOD + '\n{"item_id": "a", "response": "£'.encode()[:-1])
    assert [problem.kind for problem in batch.problems] == [ProblemKind.TRUNCATED]


@pytest.mark.parametrize("line", [b"hello", b'{"item_id": "a"}}', b'{"item_id": "\\ud83d"}'])
def test_a_last_line_that_is_whole_but_wrong_is_malformed(file: Path, line: bytes) -> None:
    batch = parse(file, GOOD + b"\n" + line)
    assert [problem.kind for problem in batch.problems] == [ProblemKind.MALFORMED]


def test_an_open_line_with_a_line_feed_is_malformed(file: Path) -> None:
    batch = parse(file, GOOD + b"\n" + GOOD[:9] + b"\n")
    assert [problem.kind for problem in batch.problems] == [ProblemKind.MALFORMED]


def test_blank_lines_are_skipped_and_counted(file: Path) -> None:
    batch = parse(file, b"\n \t\r\n" + GOOD + b"\r\n\n" + GOOD + b"\n\n")
    assert (batch.item_ids, list(batch.lines), batch.problems) == (["good"] * 2, [3, 5], [])


def test_marks_inside_are_taken_as_files_that_were_joined(file: Path) -> None:
    batch = parse(file, b"\xef\xbb\xbf" + GOOD + b"\n\xef\xbb\xbf" + GOOD + b"\n")
    assert (batch.item_ids, batch.problems) == (["good"] * 2, [])


def test_the_last_of_two_equal_keys_wins(file: Path) -> None:
    lines = (
        '{"item_id": "a", "response": "x", "response": "y"}',
        '{"item_id": "a", "attempt": "x", "response": "z", "attempt": 2}',
    )
    batch = parse(file, "\n".join(lines))
    assert (batch.responses, batch.attempts, batch.problems) == (["y", "z"], [0, 2], [])


def test_surrogate_pairs_are_one_character(file: Path) -> None:
    batch = parse(file, b'{"item_id": "a", "response": "\\ud83d\\ude00"}', max_response_chars=1)
    assert (batch.responses, batch.problems) == (["😀"], [])


def test_text_counts_by_its_characters_not_by_its_line(file: Path) -> None:
    batch = parse(
        file,
        '{"item_id": "a", "response": "££££", "meta": {"much": "more than ten characters"}}\n'
        '{"item_id": "b", "response": "xxxxx"}\n',
        max_response_chars=4,
    )
    assert batch.responses == ["££££", TOO_LONG]
    assert [(problem.kind, problem.line) for problem in batch.problems] == [
        (ProblemKind.TOO_LONG, 2)
    ]


def test_other_json_counts_by_its_compact_json(file: Path) -> None:
    batch = parse(
        file,
        '{"item_id": "a", "response": [1,2]}\n'
        '{"item_id": "b", "response": [ 1,   2 ]}\n'
        '{"item_id": "c", "response": [1,2,3]}\n'
        '{"item_id": "d", "response": 1234567}\n',
        max_response_chars=5,
    )
    assert batch.responses == [[1, 2], [1, 2], TOO_LONG, 1234567]


def test_a_line_of_several_megabytes_is_read_like_any_other(file: Path) -> None:
    long = json.dumps({"item_id": "long", "response": "x" * 3_000_000}).encode()
    batch = parse(file, b"\n".join([GOOD, long, GOOD]))
    assert batch.item_ids == ["good", "long", "good"]
    assert batch.responses == ["7", TOO_LONG, "7"]
    whole = parse(file, long, max_response_chars=3_000_000)
    assert (whole.responses, whole.problems) == (["x" * 3_000_000], [])


def test_gzip_is_read_as_it_streams(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(gzip.compress((GOOD + b"\n") * 9) + gzip.compress(GOOD))
    (batch,) = read(path)
    assert batch.item_ids == ["good"] * 10
    assert batch.bytes_read == batch.bytes_total == path.stat().st_size


def test_gzip_is_read_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(gzip.compress(GOOD))
    assert [batch.item_ids for batch in read(path)] == [["good"]]


def test_a_truncated_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "answers.ndjson.gz"
    rows = (f'{{"item_id": "{i}", "response": "{random.Random(i).random()}"}}' for i in range(9999))
    whole = gzip.compress("\n".join(rows).encode())
    path.write_bytes(whole[: len(whole) // 2])
    batches = list(read(path))
    ids = [item for batch in batches for item in batch.item_ids]
    assert ids == [str(i) for i in range(len(ids))]
    assert 4000 < len(ids) < 6000
    problems = [problem for batch in batches for problem in batch.problems]
    assert {problem.kind for problem in problems} == {ProblemKind.TRUNCATED}
    assert "the compressed file ends too early" in problems[0].message


def test_a_gzip_cut_at_its_start_is_refused_once(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(gzip.compress(GOOD)[:11])
    with pytest.raises(SubmissionError, match="could be read; the compressed file ends too early"):
        list(read(path))


def damaged(where: int) -> bytes:
    content = bytearray(gzip.compress(random.Random(1).randbytes(5000) + GOOD * 999))
    content[where] ^= 0xFF
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(GOOD, "it can't be read: Not a gzipped file", id="not gzip"),
        pytest.param(damaged(2500), "it can't be read: CRC check failed", id="in the content"),
        pytest.param(damaged(10), "its compression is damaged .* copy it again", id="in a block"),
    ],
)
def test_a_damaged_gzip_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(SubmissionError, match=message) as caught:
        list(read(path))
    assert caught.value.file == str(path)


def test_a_line_that_memory_should_not_hold_is_named_and_its_neighbours_stay(
    tmp_path: Path,
) -> None:
    path = tmp_path / "answers.jsonl"
    with path.open("wb") as out:
        out.write(GOOD + b"\n")
        for _ in range(2):
            out.write(b"x" * (2**26 + 2**18) + b"\n")
        out.write(GOOD)
    (batch,) = read(path)
    assert (batch.item_ids, list(batch.lines)) == (["good", "good"], [1, 4])
    assert [(problem.kind, problem.line) for problem in batch.problems] == [
        (ProblemKind.TOO_LONG, 2),
        (ProblemKind.TOO_LONG, 3),
    ]
    assert "longer than 67,108,864 bytes; it was skipped" in batch.problems[0].message


@pytest.mark.slow
def test_memory_stays_within_a_few_batches(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    row = json.dumps({"item_id": "x" * 50, "response": "y" * 150}) + "\n"
    path.write_text(row * 100_000)
    tracemalloc.start()
    count = sum(len(batch.item_ids) for batch in read(path, chunk=1024))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 100_000
    assert peak < path.stat().st_size / 8


ids = st.text(st.characters(codec="utf-8"), min_size=1)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(-1e9, 1e9) | ids,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ids, inner, max_size=3),
    max_leaves=5,
)
records = st.fixed_dictionaries(
    {"item_id": ids, "response": json_values},
    optional={
        "attempt": st.integers(0, 9) | st.none(),
        "model": ids | st.none(),
        "error": ids | st.none(),
        "meta": st.dictionaries(ids, json_values, max_size=2),
        "other": json_values,
    },
)


@st.composite
def good_lines(draw: st.DrawFn) -> bytes:
    text = json.dumps(draw(records), ensure_ascii=draw(st.booleans()))
    return text.encode() + draw(st.sampled_from([b"", b"\r", b"  "]))


@st.composite
def garbage(draw: st.DrawFn) -> bytes:
    whole = json.dumps(draw(records)).encode()
    noise = draw(st.binary(min_size=1)).replace(b"\n", b"")
    return draw(
        st.sampled_from(
            [
                whole[: draw(st.integers(1, len(whole) - 1))],
                b"!" + noise,
                b"[" + whole + b"]",
                whole + whole,
                whole[:-1] + b', "surplus": NaN}',
                whole[:-1] + b', "surplus": "\\ud800"}',
                whole[:-1] + b', "surplus": "\xff"}',
                whole[:-1] + b', "attempt": "first"}',
                whole[:-1] + b', "item_id": 5}',
            ]
        )
    )


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.booleans(), good_lines(), garbage(), st.integers(0, 2)), min_size=1),
    st.integers(1, 5),
    st.booleans(),
)
@example([(True, GOOD, b"", 0)], 1, False)
def test_all_good_lines_survive_any_garbage_in_order_at_their_lines(
    file: Path, plan: list[tuple[bool, bytes, bytes, int]], chunk: int, ended: bool
) -> None:
    lines: list[bytes] = [GOOD]
    expected: list[tuple[int, dict[str, Any]]] = [(1, json.loads(GOOD))]
    bad: list[int] = []
    for is_good, good, wrong, blanks in plan:
        lines += [good if is_good else wrong, *[b" "] * blanks]
        place = len(lines) - blanks
        if is_good:
            expected.append((place, json.loads(good)))
        else:
            bad.append(place)
    file.write_bytes(b"\n".join(lines) + b"\n" * ended)
    batches = list(read(file, chunk=chunk))
    assert [line for batch in batches for line in batch.lines] == [line for line, _ in expected]
    assert [row for batch in batches for row in rows(batch)] == [
        (
            record["item_id"],
            record["response"],
            record.get("attempt") or 0,
            record.get("error"),
            record.get("model"),
        )
        for _, record in expected
    ]
    assert [problem.line for batch in batches for problem in batch.problems] == bad


def rows(batch: Batch) -> Iterator[tuple[object, ...]]:
    nothing = [None] * len(batch.item_ids)
    return zip(
        batch.item_ids,
        batch.responses,
        batch.attempts or [0] * len(batch.item_ids),
        batch.errors or nothing,
        batch.models or nothing,
        strict=True,
    )


@given(st.lists(st.binary(max_size=12)), st.integers(1, 8))
def test_blocks_are_whole_lines_whatever_the_pieces(pieces: list[bytes], largest: int) -> None:
    stream = iter(piece for piece in pieces if piece)
    content = b"".join(pieces)
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\0\0\xfe\xff")):
        return
    found: list[bytes | None] = []
    for block in blocks(lambda _: next(stream, b""), "x", largest):
        found += [None] if block.dropped else []
        if block.data:
            assert block.last != block.data.endswith(b"\n")
            found += block.data.removesuffix(b"\n").split(b"\n")
    wanted = content.removesuffix(b"\n").split(b"\n") if content else []
    assert len(found) == len(wanted)
    for line, want in zip(found, wanted, strict=True):
        assert line == want or (line is None and len(want) > largest)


def test_a_line_without_end_is_dropped_and_does_not_fill_memory() -> None:
    pieces = iter([b"a\nlong", b"longer", b"longest", b"longest", b"!\n", b"b\n", b"c", b""])
    found = list(blocks(lambda _: next(pieces), "x", largest=8))
    assert [(block.data, block.dropped, block.last) for block in found] == [
        (b"a\n", False, False),
        (b"b\n", True, False),
        (b"c", False, True),
    ]
