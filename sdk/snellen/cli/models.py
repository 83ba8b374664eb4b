"""The options of the commands that query a model: which one, how, and how fast."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, get_type_hints

import typer
from pydantic import Field

from snellen.cli.messages import STOPPED, message, report_errors
from snellen.cli.options import settings_of
from snellen.sdk.models import endpoints
from snellen.sdk.models.faults import EvaluationInterrupted
from snellen.sdk.models.settings import AskingOptions, Decoding, Limits

Url = Annotated[
    str, typer.Option("--endpoint", help="The base URL of the API: http://localhost:8000/v1.")
]
Name = Annotated[str, typer.Option("--model", help="The model's name on this server.")]
Api = Annotated[
    endpoints.Api, typer.Option(help="openai (chat completions) or anthropic (Messages).")
]
_DECODING = get_type_hints(Decoding)
_LIMITS = get_type_hints(Limits)
_OTHERS: Mapping[str, Any] = {
    "max_view_side": Annotated[int | None, Field(ge=1)],
    "cache": bool | None,
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
    url: str, name: str, api: endpoints.Api, given: list[str] | None
) -> tuple[endpoints.Endpoint, AskingOptions]:
    """Return the model that the options name, and how it is queried.

    Raises:
        InputError: They name no model, or a setting is unknown or out of its range.
    """
    found = settings_of(given, _KNOWN)
    endpoint = endpoints.Endpoint(url, name, api, headers=found.pop("headers", None) or {})
    return endpoint, AskingOptions(
        max_view_side=found.pop("max_view_side", None),
        cache=found.pop("cache", None),
        decoding=Decoding(**{key: found[key] for key in found.keys() & _DECODING.keys()}),
        limits=Limits(**{key: found[key] for key in found.keys() & _LIMITS.keys()}),
    )


@contextmanager
def report_stops() -> Generator[None]:
    """Turn an error or an interrupted run into its message and exit status."""
    with report_errors():
        try:
            yield
        except EvaluationInterrupted as stop:
            message(str(stop))
            raise typer.Exit(STOPPED) from None
