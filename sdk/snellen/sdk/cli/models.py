"""How the commands that ask a model are told which one, how, and how fast."""

from typing import Annotated

import typer

from snellen.sdk.cli import values
from snellen.sdk.models import endpoints
from snellen.sdk.models.settings import Decoding

Api = Annotated[
    endpoints.Api, typer.Option(help="openai (chat completions) or anthropic (Messages).")
]
Header = Annotated[
    list[str] | None, typer.Option(help="Sent with each request: 'Name: value'; repeatable.")
]
MaxViewSide = Annotated[
    int | None, typer.Option(help="Scale images down to this side, in pixels.", min=1)
]
Temperature = Annotated[str, typer.Option(help="Of the decoding; none sends none.")]
MaxTokens = Annotated[str, typer.Option(help="A reply is cut after so many; none sends none.")]
Seed = Annotated[int | None, typer.Option(help="Of the decoding, if the API has one.")]
Extra = Annotated[str, typer.Option(help="Further fields of each request, as a JSON object.")]
Concurrency = Annotated[int, typer.Option(help="Requests at a time.", min=1)]
RequestsPerMinute = Annotated[float | None, typer.Option(help="At most so many.", min=0.01)]
TokensPerMinute = Annotated[
    float | None, typer.Option(help="At most so many, input and output.", min=1)
]
Retries = Annotated[int, typer.Option(help="After faults that may pass.", min=0)]
Timeout = Annotated[float, typer.Option(help="Seconds for one reply.", min=0.001)]
Cache = Annotated[
    bool | None,
    typer.Option("--cache/--no-cache", help="Keep replies in a cache.", show_default=False),
]

TEMPERATURE, MAX_TOKENS, EXTRA = "0", "1024", "{}"
CONCURRENCY, RETRIES, TIMEOUT = 8, 6, 600.0


def endpoint(
    url: str, name: str, api: endpoints.Api, headers: list[str] | None
) -> endpoints.Endpoint:
    """Return the model that the options name.

    Raises:
        InputError: They name none.
        BadParameter: A header is not `Name: value`.
    """
    return endpoints.Endpoint(url, name, api, headers=dict(map(values.header, headers or ())))


def decoding(temperature: str, max_tokens: str, seed: int | None, extra: str) -> Decoding:
    """Return how replies are drawn.

    Raises:
        InputError: A value is out of its range.
        BadParameter: A value is not of its kind.
    """
    return Decoding(
        temperature=values.number(temperature),
        max_tokens=values.whole(max_tokens),
        seed=seed,
        extra=values.json_object(extra),
    )
