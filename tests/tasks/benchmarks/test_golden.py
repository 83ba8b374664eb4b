"""Every benchmark's cases: answers, many of them published, with the verdict of each protocol."""

import pytest
from miniatures import golden
from verdicts import verdict

from snellen.grading.protocols.names import OWN
from snellen.grading.protocols.table import gold_shape, protocol_of


@pytest.mark.parametrize("benchmark", OWN)
def test_every_answer_has_the_verdict_that_is_written_beside_it(benchmark: str) -> None:
    differing: list[object] = []
    for group in golden(benchmark)["cases"]:
        task, shape = group["task"], gold_shape(group["task"])
        for row in group["rows"]:
            given = {**group, **row}
            name = given.get("gold")
            reference = golden(benchmark)["golds"][name] if name else given["reference"]
            for name, wanted in zip(group["protocols"], row["verdicts"], strict=True):
                # No verdict: the protocol can't judge this reference.
                if wanted is None:
                    continue
                found = verdict(protocol_of(task, name), shape, reference, row["response"])
                same = (
                    found == wanted if isinstance(wanted, str) else found == pytest.approx(wanted)
                )
                if not same:
                    differing.append((group["why"], name, row, found))
    assert not differing
