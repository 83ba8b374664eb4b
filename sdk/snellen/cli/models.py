"""The options of `snellen evaluate`: which model is asked, and how."""

from collections.abc import Mapping
from typing import Annotated, Any, get_type_hints

import typer
from pydantic import Field

from snellen.cli.options import settings_of
from snellen.grading.errors import InputError
from snellen.sdk.models import settings

Url = Annotated[
    str | None,
    typer.Option("--endpoint", help="The base URL of an API, such as http://localhost:8000/v1."),
]
Name = Annotated[
    str,
    typer.Option(
        "--model",
        help="The model's name on this server; without --endpoint its name for Inspect AI, such as"
        " google/gemini-2.5-pro.",
    ),
]


def recipe_names(incomplete: str) -> list[str]:
    """Complete a recipe."""
    from snellen.sdk.recipes import names

    return [name for name in names() if name.startswith(incomplete)]


Recipe = Annotated[
    str | None,
    typer.Option(
        help="Send the request of a model's published script, such as qwen3-vl.",
        autocompletion=recipe_names,
        show_default=False,
    ),
]
Api = Annotated[
    settings.Api, typer.Option(help="openai (chat completions) or anthropic (Messages).")
]
_DECODING = get_type_hints(settings.Decoding, include_extras=True)
_LIMITS = get_type_hints(settings.Limits, include_extras=True)
_OTHERS: Mapping[str, Any] = {
    "max_view_side": Annotated[int | None, Field(ge=1)],
    "cache": bool,
    "headers": Mapping[str, str],
}
_KNOWN: Mapping[str, Any] = _DECODING | _LIMITS | _OTHERS

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help=f"A setting of the requests, such as temperature=0.7; may be repeated. The "
        f"settings: {', '.join(_KNOWN)}. none: do not send it.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]


def asking(
    url: str | None,
    name: str,
    api: settings.Api,
    given: list[str] | None,
    recipe: str | None = None,
) -> tuple[settings.Endpoint | str, dict[str, Any]]:
    """Return the model that the options name, and the options of `sdk.evaluate` for it.

    Raises:
        InputError: They name no model, or a setting is unknown or out of its range.
    """
    found = settings_of(given, _KNOWN)
    headers = found.pop("headers", {})
    if url is None and headers:
        raise InputError("headers are sent to an --endpoint")
    chosen = {key: found.pop(key) for key in found.keys() & _DECODING}
    if recipe and chosen:
        raise InputError(f"--set {min(chosen)}: --recipe sets it; give only one of the two")
    decoding = None if recipe else settings.Decoding(**chosen)
    limits = settings.Limits(**{key: found.pop(key) for key in found.keys() & _LIMITS})
    model = name if url is None else settings.Endpoint(url, name, api, headers=headers)
    return model, {"decoding": decoding, "limits": limits, "recipe": recipe, **found}
