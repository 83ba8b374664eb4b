"""Resources and the prompt: rules, task cards and reports of attempts; how to take an exam."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp.types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from snellen.server.errors import ExamError
from snellen.server.mcp import text

if TYPE_CHECKING:
    from snellen.server.mcp.tools import ToolCall

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


async def read(call: "ToolCall", uri: str) -> ReadResourceResult:
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
        if attempt.report is None:
            raise ExamError("there is no report yet; finish_attempt makes it")
        return _page(uri, attempt.report, _JSON)
    raise ExamError(
        f"no such resource; there are {_RULES}, {_CARD}TASK and {_ATTEMPT}HANDLE{_REPORT}"
    )


def prompt(
    name: str, arguments: Mapping[str, str], *, interactive: bool = False, by_tools: bool = False
) -> GetPromptResult:
    """Return a prompt.

    Args:
        name: Its name.
        arguments: Its arguments.
        interactive: As in `text.instructions`.
        by_tools: As in `text.instructions`.

    Raises:
        ExamError: There is no prompt of that name, or it has no such argument.
    """
    if name != PROMPTS[0].name:
        raise ExamError(f"no such prompt; there is {PROMPTS[0].name}")
    if unknown := arguments.keys() - {"tasks"}:
        raise ExamError(f"{name} takes tasks, not {min(unknown)[:40]!r}")
    tasks = [task.strip() for task in arguments.get("tasks", "").split(",") if task.strip()]
    words = text.take_exam(tasks, interactive=interactive, by_tools=by_tools)
    content = TextContent(type="text", text=words)
    return GetPromptResult(
        description=PROMPTS[0].description, messages=[PromptMessage(role="user", content=content)]
    )


def _page(uri: str, body: str, mime_type: str) -> ReadResourceResult:
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, text=body, mime_type=mime_type)]
    )
