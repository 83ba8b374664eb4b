"""Agents that understand nothing, on each page; `perf/miniwob_null_agents.py` had them play."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec


class _Row(msgspec.Struct, frozen=True, array_like=True):
    reward: float | None
    ended: bool
    cost: int


class _File(msgspec.Struct, frozen=True):
    limit: int
    agents: dict[str, dict[str, list[_Row]]]


@cache
def played() -> Mapping[str, Mapping[str, Sequence[object]]]:
    """Return the episodes of each agent on each page, as answers to `miniwob/episode`."""
    text = (files("snellen.tasks.benchmarks.miniwob") / "null_agents.json").read_bytes()
    file = msgspec.json.decode(text, type=_File)
    return {
        agent: {page: [_record(row) for row in rows] for page, rows in pages.items()}
        for agent, pages in file.agents.items()
    }


def _record(row: _Row) -> dict[str, object]:
    return {"reward": row.reward, "ended": row.ended, "cost": row.cost}
