import pytest
from pydantic import ValidationError

from snellen.grading.models.geometry import Size


def test_a_size_is_positive() -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        Size(width=0, height=5)


def test_a_size_is_a_number_and_no_text() -> None:
    with pytest.raises(ValidationError, match="valid number"):
        Size.model_validate({"width": "7", "height": 5})
