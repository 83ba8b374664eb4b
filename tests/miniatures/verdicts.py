"""What each protocol makes of one answer, as the cases of a `golden.json` write it.

A verdict is the value, or the list of the metric's values; a text where there is more to say:
the outcome of what is no answer, `crash` where the published code raises, `dropped` where it
leaves the answer out of its mean.
"""

from typing import Any

import numpy as np

from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.score_table import score_one


def verdict(protocol: Protocol, shape: GoldShape, reference: object, response: object) -> Any:
    """Return what a protocol makes of a response."""
    gold = shape.read(reference)
    score = score_one(protocol, response, gold, shape.context(gold))
    values = [float(score.metrics[key]) for key in protocol.metric.keys]
    over, primary = protocol.denominator, protocol.metric.keys.index(protocol.metric.primary)
    kept = over.keep is None or over.keep([gold], np.array([values]))[0, primary]
    kept = kept and score.outcome not in over.drops and not (score.crashed and over.drops_crashed)
    shown = [int(value) if value.is_integer() else round(value, 6) for value in values]
    answered = score.outcome is Outcome.ANSWERED
    words = [
        *([] if answered else [score.outcome.value]),
        *([" ".join(map(str, shown))] if answered or any(values) else []),
        *(["crash"] if score.crashed else []),
        *([] if kept else ["dropped"]),
    ]
    if len(words) > 1 or not answered:
        return ", ".join(words)
    return shown[0] if len(shown) == 1 else shown
