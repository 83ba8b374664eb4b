"""Where answers go as they come: into memory, or into a run folder that can be resumed."""

from dataclasses import dataclass, field
from typing import Protocol

import msgspec
from pydantic import JsonValue

from snellen.grading.models.runs import Usage
from snellen.sdk.submissions import Source

Record = dict[str, JsonValue]
"""One submission, as it is written."""


class Cost(msgspec.Struct, frozen=True):
    """The part of a submission's meta that says what it cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    tries: int = 0
    cached: bool = False


@dataclass(slots=True)
class Bill:
    """What the answers cost together."""

    requests: int = 0
    retries: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def add(self, cost: Cost) -> None:
        """Add what one answer cost; one from the cache costs nothing."""
        if cost.cached:
            self.cached += 1
            return
        self.requests += cost.tries
        self.retries += max(0, cost.tries - 1)
        self.input_tokens += cost.input_tokens
        self.output_tokens += cost.output_tokens
        self.seconds += cost.seconds

    def usage(self) -> Usage:
        """Return it as a report states it."""
        return Usage(
            requests=self.requests,
            retries=self.retries,
            cached=self.cached,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            seconds=self.seconds,
        )


class Keeper(Protocol):
    """What takes the answers.

    Attributes:
        bill: What the answers kept cost.
    """

    bill: Bill

    @property
    def source(self) -> Source:
        """All that was kept, to be graded."""
        ...

    def has(self, item_id: str, attempt: int) -> bool:
        """Whether there was an answer before this run; an error is none."""
        ...

    def add(self, record: Record, cost: Cost) -> None:
        """Keep one."""
        ...

    def sync(self) -> None:
        """Return when what was kept outlives a power cut; may be called from another thread."""
        ...


@dataclass(slots=True)
class Memory:
    """Answers of a run that leaves nothing behind."""

    records: list[Record] = field(default_factory=list[Record])
    bill: Bill = field(default_factory=Bill)

    @property
    def source(self) -> Source:
        """All that was kept, to be graded."""
        return self.records

    def has(self, item_id: str, attempt: int) -> bool:
        """There is nothing from before."""
        return False

    def add(self, record: Record, cost: Cost) -> None:
        """Keep one."""
        self.records.append(record)
        self.bill.add(cost)

    def sync(self) -> None:
        """There is nothing to write."""
