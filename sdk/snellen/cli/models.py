"""The options of the commands that ask a model: which one, how, and how fast."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from json import loads
from typing import Annotated, Any, cast

import typer

from snellen.cli.messages import STOPPED, message, report_errors
from snellen.sdk.models import endpoints
from snellen.sdk.models.faults import EvaluationInterrupted
from snellen.sdk.models.settings import AskingOptions, Decoding, Limits

Api = Annotated[
    endpoints.Api, typer.Option(help="openai (chat completions) or anthropic (Messages).")
]
Header = Annotated[
    list[str] | None, typer.Option(help="A header of each request, 'Name: value'; may be repeated.")
]


def endpoint(
    url: str, name: str, api: endpoints.Api, headers: list[str] | None
) -> endpoints.Endpoint:
    """Return the model that the options name.

    Raises:
        InputError: They name none.
        BadParameter: A header is not `Name: value`.
    """
    return endpoints.Endpoint(url, name, api, headers=dict(map(header, headers or ())))


def asking_options(
    max_view_side: Annotated[
        int | None, typer.Option(help="Scale images down to this longest side, in pixels.", min=1)
    ] = None,
    temperature: Annotated[str, typer.Option(help="The temperature; none: do not send it.")] = "0",
    max_tokens: Annotated[
        str, typer.Option(help="Maximum tokens of a reply; none: do not send it.")
    ] = "1024",
    seed: Annotated[
        int | None, typer.Option(help="The decoding seed, if the API supports it.")
    ] = None,
    extra: Annotated[
        str, typer.Option(help="Additional fields of each request, as a JSON object.")
    ] = "{}",
    concurrency: Annotated[int, typer.Option(help="Requests at a time.", min=1)] = 8,
    requests_per_minute: Annotated[
        float | None, typer.Option(help="Maximum requests per minute.", min=0.01)
    ] = None,
    tokens_per_minute: Annotated[
        float | None, typer.Option(help="Maximum tokens per minute, input and output.", min=1)
    ] = None,
    retries: Annotated[int, typer.Option(help="Retries after temporary faults.", min=0)] = 6,
    timeout: Annotated[
        float, typer.Option(help="Timeout for one reply, in seconds.", min=0.001)
    ] = 600.0,
    cache: Annotated[
        bool | None,
        typer.Option("--cache/--no-cache", help="Cache replies.", show_default=False),
    ] = None,
) -> AskingOptions:
    """Return how a model is asked.

    Raises:
        InputError: A value is out of its range.
        BadParameter: A value is not of its kind.
    """
    return AskingOptions(
        max_view_side=max_view_side,
        decoding=Decoding(
            temperature=number(temperature),
            max_tokens=whole(max_tokens),
            seed=seed,
            extra=json_object(extra),
        ),
        limits=Limits(
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
            retries=retries,
            timeout=timeout,
        ),
        cache=cache,
    )


def asks_a_model(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `asking_options` in place of its parameter `asking`."""
    shared = signature(asking_options).parameters

    @wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401  # whatever the command takes
        with report_errors():
            asking = asking_options(**{name: given.pop(name) for name in shared})
            try:
                command(**given, asking=asking)
            except EvaluationInterrupted as stop:
                message(str(stop))
                raise typer.Exit(STOPPED) from None

    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        parameters += shared.values() if name == "asking" else [parameter]
    # What typer reads: it takes each option's name and default from one, its type from the other.
    keyword_only = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
    run.__signature__ = signature(command).replace(parameters=keyword_only)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


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
