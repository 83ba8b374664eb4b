"""Reading what options hold: numbers that may be left out, JSON objects, headers."""

from json import loads
from typing import Any, cast

import typer


def number(text: str) -> float | None:
    """Read an option that is a number or `none`, which sends nothing."""
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor none") from None


def whole(text: str) -> int | None:
    """Read an option that is a whole number or `none`, which sends nothing."""
    found = number(text)
    if found is not None and found != int(found):
        raise typer.BadParameter(f"{text!r} is not a whole number")
    return None if found is None else int(found)


def json_object(text: str) -> dict[str, Any]:
    """Read an option that is a JSON object."""
    try:
        found = loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"it is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise typer.BadParameter("it must be a JSON object")
    return cast("dict[str, Any]", found)


def header(text: str) -> tuple[str, str]:
    """Read a header of the form `Name: value`."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise typer.BadParameter("write a header as 'Name: value'")
    return name.strip(), value.strip()
