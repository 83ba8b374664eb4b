from typing import Any

import numpy as np
import pytest

from snellen.grading.errors import MetricError
from snellen.grading.stats.seeds import stream


def test_a_seed_starts_numpys_raw_stream() -> None:
    expected = np.random.PCG64(2026).random_raw(5).tolist()
    assert stream(2026).random_raw(5).tolist() == expected
    assert stream(np.int64(2026)).random_raw(5).tolist() == expected


@pytest.mark.parametrize(
    ("seed", "said"),
    [
        (-1, "must be at least 0, not -1"),
        (1.5, r"a whole number, not 1\.5"),
        ("7", "a whole number, not '7'"),
        (None, "a whole number, not None"),
    ],
)
def test_what_is_no_seed_is_an_error(seed: Any, said: str) -> None:
    with pytest.raises(MetricError, match=said):
        stream(seed)
