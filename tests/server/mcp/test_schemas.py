"""Every client's model can read the tools' schemas."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client

from snellen.grading.errors import SnellenError
from snellen.server.exam.rules import Rules
from snellen.server.host import Host, lazy_host
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {"packs": (exam_folder("wireframes"),)},
    "interactive": {"packs": (), "episodes": ("desk",)},
    "by tools": {
        "packs": (),
        "episodes": ("desk",),
        "rules": Rules.model_validate({"door": "tools"}),
    },
}


def refuse() -> Host:
    raise SnellenError("the tools are listed before the exam is opened")


async def listed(settings: Settings) -> list[tuple[str, dict[str, Any]]]:
    host = lazy_host(settings, refuse)
    async with Client(ExamServer(host).server) as client:
        found = (await client.list_tools()).tools
    await host.close()
    return [(tool.name, tool.input_schema) for tool in found]


def parts(schema: object, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema in a schema, with its place."""
    if isinstance(schema, dict):
        given = cast("dict[str, Any]", schema)
        yield place, given
        for name, value in given.items():
            yield from parts(value, f"{place}.{name}")
    elif isinstance(schema, list):
        for number, value in enumerate(cast("list[object]", schema)):
            yield from parts(value, f"{place}[{number}]")


@pytest.mark.parametrize("name", VARIANTS)
def test_every_array_says_what_it_holds(name: str, tmp_path: Path) -> None:
    # Gemini's and OpenAI's APIs refuse a whole request for an array without `items`.
    settings = Settings(store=tmp_path / "exam.sqlite", **VARIANTS[name])
    tools = asyncio.run(listed(settings))
    assert tools
    for tool, schema in tools:
        assert schema["type"] == "object", tool
        for place, part in parts(schema, tool):
            kinds = part.get("type")
            if kinds == "array" or (isinstance(kinds, list) and "array" in kinds):
                assert part.get("items"), place


@pytest.mark.parametrize("name", VARIANTS)
def test_no_schema_refers_elsewhere_or_has_tuples(name: str, tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "exam.sqlite", **VARIANTS[name])
    for tool, schema in asyncio.run(listed(settings)):
        text = json.dumps(schema)
        for word in ("$ref", "$defs", "prefixItems", "patternProperties", "if", "not"):
            assert f'"{word}":' not in text, tool


@pytest.mark.parametrize("name", VARIANTS)
def test_no_value_is_empty_and_no_text_has_a_format(name: str, tmp_path: Path) -> None:
    # Gemini's API refuses a whole request for an empty value in an enum, and for a date.
    settings = Settings(store=tmp_path / "exam.sqlite", **VARIANTS[name])
    for tool, schema in asyncio.run(listed(settings)):
        for place, part in parts(schema, tool):
            assert all(part.get("enum", ["one"])), place
            assert not isinstance(part.get("format"), str), place
