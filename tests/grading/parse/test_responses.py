import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.responses import as_json_text, as_python_text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(JSON)
def test_each_writes_what_its_name_says(response: object) -> None:
    assert as_python_text(response) == str(response)
    text = as_json_text(response)
    assert text is not None
    assert (text if isinstance(response, str) else json.loads(text)) == response


def test_the_two_differ_in_none_true_and_quotes() -> None:
    response = {"space": "unit", "x": None, "y": True}
    assert as_python_text(response) == "{'space': 'unit', 'x': None, 'y': True}"
    assert as_json_text(response) == '{"space": "unit", "x": null, "y": true}'


def test_a_text_is_left_as_it_is() -> None:
    assert as_python_text('{"x": 1}') == as_json_text('{"x": 1}') == '{"x": 1}'


@pytest.mark.slow
@pytest.mark.parametrize("write", [as_python_text, as_json_text])
def test_what_python_cannot_write_is_none(write: object) -> None:
    assert callable(write)
    assert write(10**5000) is None
    nest: list[object] = []
    for _ in range(100_000):
        nest = [nest]
    assert write(nest) is None


def test_what_json_cannot_hold_is_none_as_json_alone() -> None:
    assert as_json_text({1, 2}) is None
    assert as_python_text({1}) == "{1}"
