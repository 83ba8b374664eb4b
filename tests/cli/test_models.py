"""What options hold is read, or refused in the option's own words."""

import pytest
import typer

from snellen.cli.models import header, json_object, number, whole


def test_numbers_may_be_left_out() -> None:
    assert (number("0.5"), number("none"), whole("7"), whole("None")) == (0.5, None, 7, None)


def test_objects_and_headers_are_read() -> None:
    assert json_object('{"top_k": 1}') == {"top_k": 1}
    assert header("x-team:  eyes: two ") == ("x-team", "eyes: two")


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (number, "warm", "'warm' is neither a number nor none"),
        (whole, "1.5", "'1.5' is not a whole number"),
        (json_object, "{", "it is not JSON"),
        (json_object, "[1]", "it must be a JSON object"),
        (header, "x-team", "write a header as"),
        (header, " : eyes", "write a header as"),
    ],
)
def test_what_is_none_is_refused(read: object, text: str, message: str) -> None:
    assert callable(read)
    with pytest.raises(typer.BadParameter, match=message):
        read(text)
