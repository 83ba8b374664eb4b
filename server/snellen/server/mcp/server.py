"""The MCP server, for stdio and HTTP and for every revision of the protocol.

The server keeps no state between calls. The state of an attempt is in the store under its handle,
and every call checks that the attempt belongs to the caller.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from difflib import get_close_matches
from importlib.metadata import version
from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)
from pydantic import ValidationError

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Door
from snellen.server.host import HostError, LazyHost
from snellen.server.logs import fault, log
from snellen.server.mcp import text
from snellen.server.mcp.acting import tools_of
from snellen.server.mcp.call import Call, said

Context: TypeAlias = ServerRequestContext[Any, Any]

FLUSH_SECONDS = 1.0
"""The maximum time before a trace is written, in seconds."""

_PAUSE_SECONDS = 0.05
_LIST_SECONDS = 60
_LOCAL = "local"
_FAILED = (
    "the server failed, and its log says why; what was answered before is kept."
    " Call again; if it fails again, tell the exam's organizer"
)


class ExamServer:
    """Serves an exam over MCP.

    Args:
        host: The exam, opened when it is first needed.
    """

    def __init__(self, host: LazyHost) -> None:
        self._host = host
        self._begun = False
        self._tools = tools_of(host.door, host.tools)
        listed = [tool.listed() for tool in self._tools.values()]
        self._schemas = {tool.name: tool.input_schema for tool in listed}
        # Hosts of agents request the list at every turn, so it is serialized once.
        self._listed = ListToolsResult(
            tools=listed, ttl_ms=_LIST_SECONDS * 1000, cache_scope="public"
        ).model_dump(by_alias=True, mode="json", exclude_none=True)
        self.server: Server[Any] = Server(
            "snellen",
            title="snellen",
            version=version("snellen"),
            instructions=text.instructions(host.door),
            lifespan=self._lifespan,
            get_tool_input_schema=self._schemas.get,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.server.add_request_handler("tools/list", PaginatedRequestParams, self._list_tools)

    @asynccontextmanager
    async def _lifespan(self, _: Server[Any]) -> AsyncGenerator[dict[str, Any]]:
        flushing = asyncio.create_task(self._keep_flushing())
        try:
            yield {}
        finally:
            flushing.cancel()
            with suppress(asyncio.CancelledError):
                await flushing
            await self._flush()

    async def _keep_flushing(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        try:
            await self._host.flush()
        except Exception as error:  # noqa: BLE001  # traces are best effort; answers are not written here
            log().error("traces", **fault(error))

    # ---- lists -------------------------------------------------------------------------------

    async def _list_tools(self, _: Context, __: PaginatedRequestParams) -> dict[str, Any]:
        if not self._begun:
            self._begun = True
            # The host has its list, so the exam can be opened without a wait.
            asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._host.begin)
        return self._listed

    async def _list_resources(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return ListResourcesResult(resources=RESOURCES)

    async def _list_templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def _list_prompts(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(prompts=PROMPTS)

    async def _get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        try:
            return prompt(params.name, params.arguments or {}, self._host.door)
        except ExamError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    # ---- calls -------------------------------------------------------------------------------

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            log().info("call", tool="unknown", outcome="refused", caller=caller_of(context))
            return _refusal(_no_tool(params.name, self._tools))
        arguments = params.arguments or {}
        call = Call(tool.name, caller_of(context), arguments, context.session.client_params)
        request = context.request
        # Over HTTP an exam's pages are where its client finds its tools.
        call.address = self._host.address if request is None else str(request.base_url).rstrip("/")
        try:
            given = tool.takes.model_validate(arguments)
            call.host = await self._host.get()
            content = await tool.run(call, given)
        except ValidationError as error:
            call.end("refused")
            return _refusal(said(error, tool.name, tool.takes))
        except ExamError as error:
            call.end("refused", error)
            return _refusal(str(error))
        except Exception as error:  # noqa: BLE001  # the caller must not see an internal error
            call.end("failed", error)
            return _refusal(_masked(error))
        call.end("ok")
        if call.fault is not None:
            # The trace makes the item count as an error instead of a wrong answer.
            await self._flush()
        return CallToolResult(content=list(content))

    async def _read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        call = Call("resources/read", caller_of(context), {})
        try:
            call.host = await self._host.get()
            resource = await read(call, str(params.uri))
        except ExamError as error:
            call.end("refused", error)
            raise MCPError(INVALID_PARAMS, str(error), {"uri": str(params.uri)}) from None
        except Exception as error:  # noqa: BLE001  # the caller must not see an internal error
            call.end("failed", error)
            raise MCPError(INTERNAL_ERROR, _masked(error)) from None
        call.end("ok")
        return resource


def caller_of(context: Context) -> str:
    """Return the caller: a token's name, or `local` if no token is required."""
    request = context.request
    user = None if request is None else request.scope.get("user")
    return _LOCAL if user is None else str(user.display_name)


def _masked(error: Exception) -> str:
    """Return the message of a fault for a caller, without internal details."""
    return str(error) if isinstance(error, HostError) else _FAILED


def _refusal(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


def _no_tool(name: str, tools: Collection[str]) -> str:
    close = get_close_matches(name[:80], tools, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    return f"there is no such tool{hint} There are: {', '.join(tools)}."


_MARKDOWN, _JSON = "text/markdown", "application/json"
_RULES = "exam://rules"
_CARD = "exam://benchmarks/"
_ATTEMPT, _REPORT = "exam://attempts/", "/report"

RESOURCES = [
    Resource(uri=_RULES, name="rules", title="Rules of this exam", mime_type=_MARKDOWN),
]
TEMPLATES = [
    ResourceTemplate(
        uri_template=_CARD + "{+task}",
        name="benchmark",
        title="A task's card",
        description="What a task of list_benchmarks is and how it is scored",
        mime_type=_MARKDOWN,
    ),
    ResourceTemplate(
        uri_template=_ATTEMPT + "{attempt}" + _REPORT,
        name="report",
        title="An attempt's report",
        description="What finish_attempt returned",
        mime_type=_JSON,
    ),
]
PROMPTS = [
    Prompt(
        name="take_exam",
        title="Take the exam",
        description="Have an agent take the exam and show its report",
        arguments=[
            PromptArgument(
                name="tasks",
                description="Tasks or benchmarks, separated by commas; all that is offered if"
                " left out",
                required=False,
            )
        ],
    )
]


async def read(call: Call, uri: str) -> ReadResourceResult:
    """Return a resource.

    Raises:
        ExamError: There is no resource of that name, or it does not exist yet.
    """
    service = call.host.service
    if uri == _RULES:
        return _page(uri, text.rules_page(service.exam.rules), _MARKDOWN)
    task = uri.removeprefix(_CARD)
    if task != uri and task in service.exam.offers:
        return _page(uri, text.card(service.exam, task), _MARKDOWN)
    if uri.startswith(_ATTEMPT) and uri.endswith(_REPORT):
        attempt = await call.find(uri.removeprefix(_ATTEMPT).removesuffix(_REPORT))
        return _page(uri, (await service.shown(attempt)).model_dump_json(), _JSON)
    raise ExamError(
        f"no such resource; there are {_RULES}, {_CARD}TASK and {_ATTEMPT}HANDLE{_REPORT}"
    )


def prompt(name: str, arguments: Mapping[str, str], door: Door | None = None) -> GetPromptResult:
    """Return a prompt.

    Args:
        name: Its name.
        arguments: Its arguments.
        door: As in `text.instructions`.

    Raises:
        ExamError: There is no prompt of that name, or it has no such argument.
    """
    if name != PROMPTS[0].name:
        raise ExamError(f"no such prompt; there is {PROMPTS[0].name}")
    if unknown := arguments.keys() - {"tasks"}:
        raise ExamError(f"{name} takes tasks, not {min(unknown)[:40]!r}")
    tasks = [task.strip() for task in arguments.get("tasks", "").split(",") if task.strip()]
    words = text.take_exam(tasks, door)
    content = TextContent(type="text", text=words)
    return GetPromptResult(
        description=PROMPTS[0].description, messages=[PromptMessage(role="user", content=content)]
    )


def _page(uri: str, body: str, mime_type: str) -> ReadResourceResult:
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, text=body, mime_type=mime_type)]
    )
