"""Responses that are no text, written as one for the parsers that read text."""

import json


def as_python_text(response: object) -> str | None:
    """Write a response as Python does, `str(response)`, as the published graders do.

    Returns:
        None where Python refuses: a number of too many digits, or a nest too deep.

    >>> as_python_text({"x": None})
    "{'x': None}"
    """
    try:
        return str(response)
    except (ValueError, RecursionError):
        return None


def as_json_text(response: object) -> str | None:
    """Return a text as it is, and write any other response as JSON.

    Returns:
        None where it is none, has too many digits, or nests too deep.

    >>> as_json_text("[1"), as_json_text({"x": None})
    ('[1', '{"x": null}')
    """
    if isinstance(response, str):
        return response
    try:
        return json.dumps(response)
    except (TypeError, ValueError, RecursionError):
        return None
