"""How an answer of any kind is written on a page."""

import pytest

from snellen.sdk.page.items import shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (["a", ["b"]], '["a",["b"]]'),
        (0, "0"),
        ({("crop_1", "crop_2"): "left"}, '{"crop_1 | crop_2":"left"}'),
        (None, "null"),
        ({"success": True}, '{"success":true}'),
    ],
)
def test_any_answer_can_be_shown(value: object, text: str) -> None:
    assert shown(value) == text
