"""What a report warns of because answers have a note, or name more than one model."""

from collections import Counter
from collections.abc import Iterator

from snellen.grading.grade import CODES, Answers, Columns
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import NOT_OFFERED, OUTSIDE, Protocol

ODD = (NOT_OFFERED, OUTSIDE)
"""The notes that are counted whatever the protocol; its parser names others."""

_NAMED = 3


class Notices:
    """Counts notes and models while a run is graded, batch by batch."""

    def __init__(self, protocol: Protocol) -> None:
        self._warned = protocol.parser.warned
        self._counts = dict.fromkeys((*ODD, *(warned.note for warned in self._warned)), 0)
        self._unjudged: Counter[str] = Counter()
        # In the order in which they came; a dict, because a set has none.
        self._models: dict[str, None] = {}

    def add(self, answers: Answers, columns: Columns) -> None:
        """Count a batch."""
        for row, note in columns.notes.items():
            for known in self._counts:
                self._counts[known] += known in note
            if columns.outcomes[row] == CODES[Outcome.ERROR]:
                self._unjudged[note] += 1
        if answers.models is not None:
            self._models |= dict.fromkeys(model for model in answers.models if model is not None)

    def warnings(self) -> Iterator[str]:
        """Yield what kept answers from being judged, a sentence a note, and one on the models."""
        for reason, count in self._unjudged.most_common(_NAMED):
            which = "1 answer" if count == 1 else f"{count:,} answers"
            counts = "counts as an error" if count == 1 else "count as errors"
            yield f"{which} could not be judged, and {counts}: {reason}"
        for note in ODD:
            if count := self._counts[note]:
                which = "1 answer" if count == 1 else f"{count:,} answers"
                yield f"{which} can't be right: {'it' if count == 1 else 'each'} {note}"
        for warned in self._warned:
            if count := self._counts[warned.note]:
                yield warned.says.format(n=f"{count:,}")
        if len(self._models) > 1:
            names = [*list(self._models)[:_NAMED], *(["..."] if len(self._models) > _NAMED else [])]
            yield (
                f"The answers name {len(self._models):,} models ({', '.join(names)}): this is the"
                " score of their mixture, and of none of them."
            )
