from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.tasks.benchmarks.matrix.rules import reading as reading
from snellen.tasks.benchmarks.matrix.rules.metrics import METRICS
from snellen.tasks.benchmarks.matrix.rules.numbers import Amount

Read = Callable[[object, Context], reading.Parsed]
OPTIONS = Context(options=3, texts=("Home", "Settings", "About us"))


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("B.", "B"),
        ("B. Settings", "B"),
        ("settings", "B"),
        ("Answer: Settings", "B"),
        ("The answer is B.", "B"),
        ("It is not A.\nFinal answer: **C**", "C"),
        ("A or B", None),
        ("D", None),
        ("Pricing", None),
    ],
)
def test_an_option_is_named_by_its_letter_or_its_text(response: str, letter: str | None) -> None:
    assert reading.read_option(response, OPTIONS).answer == letter


def test_without_options_a_short_text_is_read() -> None:
    assert reading.read_option("Answer: yes", NO_CONTEXT).answer == "yes"
    assert reading.read_final(12, NO_CONTEXT).answer == "12"
    assert reading.read_text(" a  dog ", NO_CONTEXT).answer == "a  dog"


def test_a_number_is_read_behind_its_reasoning() -> None:
    said = "2 fields and 1 button.\nAnswer: 3 elements"
    assert reading.read_amount(said, NO_CONTEXT).answer == Amount(3, "elements")
    assert reading.read_amount(3, NO_CONTEXT).answer == Amount(3)
    assert reading.read_amount("2 and 1", NO_CONTEXT).note == "more than one number in it"
    assert reading.read_amount(True, NO_CONTEXT).outcome is not None


@pytest.mark.parametrize("response", ['["cup", "table"]', ["cup", "table"], "- cup\n- table"])
def test_a_list_is_json_or_one_a_line(response: object) -> None:
    assert reading.read_list(response, NO_CONTEXT).answer == ("cup", "table")


def test_commas_part_no_entries_of_a_list_and_that_is_said() -> None:
    read = reading.read_list("cup, table", NO_CONTEXT)
    assert read.answer == ("cup, table",)
    assert read.note == (
        "commas part no entries: read as a list of one text; give JSON, or one entry a line"
    )
    for clear in ('["Paris, France"]', "- Paris, France", "Paris\nRome, Italy", "cup"):
        assert not reading.read_list(clear, NO_CONTEXT).note


@pytest.mark.parametrize("response", [["cup", 1], {"a": "b"}, 3])
def test_what_is_no_list_of_texts_is_not_read(response: object) -> None:
    assert reading.read_list(response, NO_CONTEXT).outcome is not None


@pytest.mark.parametrize(
    "response",
    [
        "logo is left of menu",
        "menu is at the [right] of logo",
        {"logo|menu": "left"},
        '{"logo|menu": "left"}',
        "logo is right of menu\nNo: logo is left of menu",
    ],
)
def test_a_relation_is_read_either_way_round(response: object) -> None:
    names = Context(names=("logo", "menu"))
    assert reading.read_relations(response, names).answer == {("logo", "menu"): "left"}


def test_places_are_fractions_and_others_are_said_to_be_outside() -> None:
    assert reading.read_point("(0.25, 0.5)", NO_CONTEXT) == reading.Parsed((0.25, 0.5))
    assert reading.read_point([0.25, 0.5], NO_CONTEXT).answer == (0.25, 0.5)
    assert reading.read_point([0, 0.2, 0.5, 0.8], NO_CONTEXT).answer == (0.25, 0.5)
    assert reading.read_box("[0.1, 0.2, 0.3, 0.4]", NO_CONTEXT).answer == (0.1, 0.2, 0.3, 0.4)
    assert "outside 0..1" in reading.read_point("(512, 300)", NO_CONTEXT).note
    assert "outside 0..1" in reading.read_box([1, 2, 3, 4], NO_CONTEXT).note


@pytest.mark.parametrize(
    "response",
    ['{"a": [1]}', '```json\n{"a": [1]}\n```', 'Here it is: {"a": [1]} as asked.', {"a": [1]}],
)
def test_a_document_is_found_in_what_stands_around_it(response: object) -> None:
    assert reading.read_document(response, NO_CONTEXT).answer == reading.Document({"a": [1]})


def test_a_text_without_json_is_no_document() -> None:
    assert reading.read_document("no idea", NO_CONTEXT).outcome is not None


def test_calls_and_steps_are_read_from_json_and_text() -> None:
    call = {"name": "click", "arguments": {"x": 1}}
    assert reading.read_call("click(x=1)", NO_CONTEXT).answer == call
    assert reading.read_call(call, NO_CONTEXT).answer == call
    assert reading.read_steps("1. open\n2. print", NO_CONTEXT).answer == ("open", "print")
    assert reading.read_steps(["open", call], NO_CONTEXT).answer == ("open", call)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("print(1)", "print(1)"),
        ("```python\nprint(1)\n```", "print(1)\n"),
        ("```sh\nls\n```\n```py\nprint(1)\n```\n```\nout\n```", "print(1)\n"),
        ("First ```\nx\n``` then ```\nprint(1)\n```", "print(1)\n"),
    ],
)
def test_a_program_is_the_last_block_of_python(response: str, code: str) -> None:
    assert reading.read_program(response, NO_CONTEXT).answer == reading.Program(code)


def test_a_program_that_is_too_long_is_not_run() -> None:
    long = "#" * (reading.LONGEST_PROGRAM + 1)
    assert "longer than" in reading.read_program(long, NO_CONTEXT).note


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
@given(response=values | st.sampled_from(["[" * 5000, "```" * 3000, 10**5000, {"a|b": 10**5000}]))
def test_no_reader_ever_raises(name: str, response: object) -> None:
    context = Context(options=3, texts=OPTIONS.texts, names=("a", "b"), form=name)
    parsed = METRICS[name].read(response, context)
    assert (parsed.outcome is None) == (parsed.answer is not None)
