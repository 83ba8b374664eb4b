"""No type that an examinee's answer passes through can hold a reference."""

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

from pydantic import BaseModel

from snellen.grading.models.golds import Golds
from snellen.server.attempts import models, submit
from snellen.server.attempts.models import Caller
from snellen.server.attempts.register import Register
from snellen.server.attempts.service import Service
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import AnswerSet, Exam, ExamItem, ExamSpec, Question
from snellen.server.mcp.acting import PLAYING_TOOLS, InApplication
from snellen.server.mcp.tools import TOOLS, SubmitAnswer
from snellen.server.store.schema import open_store
from snellen.server.store.tables import annotations, endpoint, exams
from snellen.tasks.models import TaskData
from snellen.tasks.pack.format import PackReference, PackSource
from snellen.tasks.pack.read import Pack, References, open_pack, open_references

PRIVATE = (Golds, References, PackReference, PackSource, TaskData, AnswerSet, Exam)
"""What holds gold, or leads to what does."""

METHODS = (
    Service.start,
    Service.attempt,
    Service.progress,
    Service.list_items,
    Service.lease,
    Service.held,
    Service.viewed,
    Service.submit,
    Service.score,
    Service.finish,
    Service.close,
    Register.abandon,
    Service.export,
    Register.cost,
)
"""What an examinee's calls come to."""


def parts(kind: Any) -> Iterable[Any]:
    """Yield the types that a type is made of."""
    if typing.get_origin(kind) is not None:
        yield typing.get_origin(kind)
        yield from typing.get_args(kind)
    elif is_model(kind):
        yield from (field.annotation for field in kind.model_fields.values())
        # What stands in its place may be one of its kinds.
        yield from kind.__subclasses__()
    elif is_record(kind):
        # Some modules know it only for the type checker.
        yield from typing.get_type_hints(kind, localns={"Question": Question}).values()


def is_model(kind: Any) -> bool:
    return inspect.isclass(kind) and issubclass(kind, BaseModel)


def is_record(kind: Any) -> bool:
    if getattr(kind, "__module__", "").startswith("pydantic"):
        return False  # JsonValue: any JSON, which a reference is not
    # A NamedTuple is known by its `_fields`.
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields") or typing.is_typeddict(kind)


def reached(start: Iterable[Any]) -> set[Any]:
    """Return all types that values of some types can hold."""
    found: set[Any] = set()
    waiting = list(start)
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, str | bytes | int | typing.TypeVar) or kind is Ellipsis:
            continue
        try:
            if kind in found:
                continue
            found.add(kind)
        except TypeError:
            continue  # metadata of Annotated, no type
        waiting += parts(kind)
    return found


def test_no_type_that_an_answer_passes_through_can_hold_a_reference() -> None:
    start: list[Any] = [Question, ExamSpec, ExamItem, Pack]
    start += [
        kind
        for module in (models, submit, annotations, endpoint, exams)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__
    ]
    start += [tool.takes for tool in (*TOOLS.values(), *PLAYING_TOOLS.values())]
    start.append(InApplication)
    for method in (*METHODS, submit.submit, submit.read_answer):
        start += typing.get_type_hints(method).values()
    found = reached(start)
    assert {models.Lease, models.Receipt, SubmitAnswer} <= found
    assert not [kind for kind in PRIVATE if kind in found]


def test_the_search_of_types_finds_what_is_deep_inside() -> None:
    @dataclass
    class Inner:
        golds: Mapping[str, list[Golds | None]]

    class Outer(typing.NamedTuple):
        inner: Sequence[tuple[int, Any]]

    Outer.__annotations__["inner"] = Sequence[tuple[int, Inner]]
    assert Golds in reached([Outer])
    assert References in reached([Exam])
    assert Exam not in reached([NoneType])


async def test_nothing_that_an_examinees_calls_return_leads_to_a_reference(
    exams: Sequence[Any], tmp_path: Path, reachable: Callable[[object], list[object]]
) -> None:
    pack = open_pack(exams[0].packs[0])
    key = exams[0].key.read_text(encoding="ascii").strip()
    rules = Rules(mode=Mode.PRACTICE)
    exam = Exam([pack], rules, {pack.name: open_references(pack, key)})
    database = open_store(tmp_path / "exam.sqlite")
    service, me = Service(exam, database), Caller()
    assert type(service.exam) is ExamSpec
    assert vars(service.exam).keys() == {"packs", "rules"}
    started = await service.start(me, ["screenqa/short"])
    attempt = started.attempt
    leased = await service.lease(attempt, me)
    receipt = await service.submit(attempt, me, leased.item.opaque, "?")
    returned: list[object] = [service.exam, started, leased, receipt]
    returned += [service.progress(attempt), service.list_items(attempt)]
    returned += [await service.score(attempt, receipt), await service.finish(attempt)]
    database.close()
    for found in map(reachable, returned):
        assert not [value for value in found if isinstance(value, PRIVATE)]
        texts = "\0".join(value for value in found if isinstance(value, str))
        assert not [marker for marker in exams[0].markers if marker in texts]
    assert [value for value in reachable(service) if isinstance(value, References)]
