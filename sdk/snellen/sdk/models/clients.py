"""Model clients: HTTP APIs and functions behind one interface.

The packages `openai` and `anthropic` are not used: a run takes twice as long with them, and they
accept replies that are not of the API's form, so that the code here would stay.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.sdk.models import anthropic_messages, openai_chat
from snellen.sdk.models.endpoints import Endpoint, Secrets
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import REFUSED, Answer, Model, Question
from snellen.sdk.models.replies import fault_of, filtered, fixed, short
from snellen.sdk.models.settings import Asking, Decoding, Limits

if TYPE_CHECKING:
    import ssl

    import httpx2

Ask = Callable[[Question], Awaitable[Answer]]
"""Asks one question; raises Fault if there is no answer."""


class ModelClient(Protocol):
    """A model and its recorded settings.

    Attributes:
        name: The model's name.
        api: `openai`, `anthropic` or `function`.
        base_url: Its base URL; None for a function.
        decoding: The decoding parameters, under the API's names.
    """

    name: str
    api: str
    base_url: str | None
    decoding: Mapping[str, JsonValue]

    def connect(self) -> AbstractAsyncContextManager[Ask]:
        """Open the connection of one worker."""
        ...


def client_of(model: Model | str | Endpoint, asking: Asking) -> ModelClient:
    """Return the client of a model.

    Raises:
        InputError: It is not one of the three kinds, a URL without a name, or the environment's
            proxies or certificates can't be used.
    """
    if isinstance(model, str):
        if not asking.name:
            raise InputError("the model is missing: give name='...', its name on the server")
        model = Endpoint(model, asking.name)
    elif isinstance(model, Endpoint) and asking.name is not None:
        raise InputError("the endpoint has a name already; leave out name=")
    if isinstance(model, Endpoint):
        client = HttpClient(model, asking.decoding or Decoding(), asking.limits)
        client.check()
        return client
    if not callable(model):
        raise InputError("model= must be an async function, a base URL or an Endpoint")
    return FunctionClient(model, asking)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The protocol of one API.

    Attributes:
        path: The path after the base URL.
        headers: Returns the headers of every request.
        parameters: Returns the decoding parameters under the API's names.
        body: Returns the body of the request for a question.
        read: Returns the answer in a reply; raises Fault if there is none.
    """

    path: str
    headers: Callable[[Endpoint], dict[str, str]]
    parameters: Callable[[Endpoint, Decoding], dict[str, JsonValue]]
    body: Callable[[str, Question, Mapping[str, JsonValue]], bytes]
    read: Callable[[bytes], Answer]


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "openai": Dialect(
            openai_chat.PATH,
            openai_chat.headers,
            openai_chat.parameters,
            openai_chat.body,
            openai_chat.read,
        ),
        "anthropic": Dialect(
            anthropic_messages.PATH,
            anthropic_messages.headers,
            anthropic_messages.parameters,
            anthropic_messages.body,
            anthropic_messages.read,
        ),
    }
)


class HttpClient:
    """A model behind an HTTP API."""

    def __init__(self, endpoint: Endpoint, decoding: Decoding, limits: Limits) -> None:
        self._dialect = DIALECTS[endpoint.api]
        self._limits = limits
        self._headers = self._dialect.headers(endpoint)
        self._secrets = Secrets(_secrets_of(endpoint))
        self.name = endpoint.name
        self.api: str = endpoint.api
        self.base_url: str | None = endpoint.base_url
        self.decoding: Mapping[str, JsonValue] = self._dialect.parameters(endpoint, decoding)
        self._url = f"{endpoint.base_url}{self._dialect.path}"

    def check(self) -> None:
        """Check that connections can be opened, with the environment's proxies.

        Raises:
            InputError: They can't be opened.
        """
        import httpx2

        try:
            self._client()
        except ImportError:
            raise InputError(
                "the environment's proxy (ALL_PROXY, HTTPS_PROXY, HTTP_PROXY) is a SOCKS proxy:"
                " pip install 'httpx2[socks]', or unset it"
            ) from None
        except (ValueError, OSError, httpx2.InvalidURL) as error:
            # httpx2's message about a proxy can contain its password.
            raise InputError(
                "the environment's proxy or certificates can't be used"
                f" ({type(error).__name__}): see HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY,"
                " SSL_CERT_FILE and SSL_CERT_DIR"
            ) from None

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[Ask]:
        """Open one connection, which is kept alive between questions.

        Each worker has its own client, because httpx2's pool checks all its connections for every
        request. With 64 connections this costs several times as much as the request.
        """
        async with self._client() as client:

            async def ask(question: Question) -> Answer:
                return await self._ask(client, question)

            yield ask

    def _client(self) -> "httpx2.AsyncClient":
        import httpx2

        return httpx2.AsyncClient(
            verify=self._ssl,
            headers=self._headers,
            timeout=httpx2.Timeout(None, connect=self._limits.connect_timeout),
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
        )

    @cached_property
    def _ssl(self) -> "ssl.SSLContext":
        import httpx2

        return httpx2.create_ssl_context()

    async def _ask(self, client: "httpx2.AsyncClient", question: Question) -> Answer:
        import httpx2

        body = self._dialect.body(self.name, question, self.decoding)
        try:
            async with asyncio.timeout(self._limits.timeout):
                response = await client.post(self._url, content=body)
        except (TimeoutError, httpx2.TimeoutException) as error:
            connecting = isinstance(error, httpx2.ConnectTimeout)
            seconds = self._limits.connect_timeout if connecting else self._limits.timeout
            what = "no connection" if connecting else "no answer"
            raise Fault(f"{what} within {seconds:g} s", passing=True, setup=connecting) from None
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError) as error:
            # httpx2's message about a header can contain it.
            raise Fault(f"the request can't be sent: {type(error).__name__}", setup=True) from None
        except httpx2.DecodingError as error:
            raise Fault(f"the reply can't be unpacked: {error}", passing=True) from None
        except httpx2.RequestError as error:
            what = str(error) or type(error).__name__
            raise Fault(
                self._safe(f"the connection failed: {what}"),
                passing=True,
                setup=isinstance(error, httpx2.ConnectError),
            ) from None
        try:
            return self._answer(response)
        except Fault as fault:
            fault.message = self._safe(fault.message)
            raise

    def _answer(self, response: "httpx2.Response") -> Answer:
        if not response.is_success:
            code = filtered(response.content) if response.status_code == 400 else None
            if code is not None:
                return Answer(REFUSED, finish_reason=code, refused=True)
            headers = {name.lower(): value for name, value in response.headers.items()}
            raise fault_of(response.status_code, headers, response.content)
        if response.headers.get("content-type", "").startswith("text/html"):
            raise Fault(
                f"{self._url} is a web page, not an API: does the base URL lack /v1?", setup=True
            )
        content, whole = _utf8_of(response)
        answer = self._dialect.read(content)
        return answer if whole else replace(answer, fixed=True)

    def _safe(self, text: str) -> str:
        """Return a short text without the key and the headers' other values."""
        return short(self._secrets.hide(text))


def _secrets_of(endpoint: Endpoint) -> Iterator[str]:
    yield endpoint.secret() or ""
    for name, value in endpoint.headers.items():
        yield value
        if name.lower().endswith("authorization"):
            # A server's message can contain the credentials without their scheme.
            yield value.strip().partition(" ")[2]


def _utf8_of(response: "httpx2.Response") -> tuple[bytes, bool]:
    """Return a reply's body as UTF-8, and whether it is valid; UTF-8 is the default of JSON."""
    content = response.content
    named = (response.charset_encoding or "utf-8").lower()
    # Many servers declare Latin-1, a framework's default, but send UTF-8.
    for charset in (named, "utf-8") if named.startswith("utf") else ("utf-8", named):
        with suppress(LookupError, UnicodeError):
            return content.decode(charset).encode(), True
    return content, False


class WrongModelError(InputError):
    """The given model can't be used."""


class FunctionClient:
    """A model that is an async function from a question to a text."""

    def __init__(self, function: Model, asking: Asking) -> None:
        qualified: Any = getattr(function, "__qualname__", type(function).__qualname__)
        self.name = asking.name or str(qualified)
        self.api: str = "function"
        self.base_url: str | None = None
        self.decoding: Mapping[str, JsonValue] = (
            {} if asking.decoding is None else asking.decoding.stated()
        )
        self._function = function
        self._timeout = asking.limits.timeout
        self._answered = False

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[Ask]:
        """Return the function; there is no connection."""
        yield self._ask

    async def _ask(self, question: Question) -> Answer:
        try:
            async with asyncio.timeout(self._timeout):
                coming: object = self._function(question)
                if not inspect.isawaitable(coming):
                    raise self._wrong(f"model= must be an async function; {self.name} is not")
                text = await cast("Awaitable[object]", coming)
        except (WrongModelError, Fault):
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # The run was not cancelled: the function, or something that it awaited, did it.
            raise Fault("CancelledError: the function was cancelled from within") from error
        except TimeoutError as error:
            what = str(error) or f"no answer within {self._timeout:g} s"
            raise Fault(fixed(what), passing=True) from error
        except ConnectionError as error:
            raise Fault(fixed(f"{type(error).__name__}: {error}"), passing=True) from error
        except Exception as error:  # a user's function can raise any exception
            raise Fault(fixed(f"{type(error).__name__}: {error}")) from error
        if not isinstance(text, str):
            raise self._wrong(f"the model's function must return text, not {type(text).__name__}")
        self._answered = True
        whole = fixed(text)
        return Answer(whole, fixed=whole != text)

    def _wrong(self, message: str) -> WrongModelError | Fault:
        """Return an error that stops the run or, after a good answer, the fault of one item."""
        return Fault(message) if self._answered else WrongModelError(message)
