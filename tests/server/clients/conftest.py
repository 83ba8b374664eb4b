"""What clients of several frameworks share: the examples, the command they start, a brain."""

import asyncio
import importlib.util
import json
import os
import shlex
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope

EXAMPLES = Path(__file__).parents[3] / "examples" / "clients"


@pytest.fixture
def example() -> Callable[[str], ModuleType]:
    """Return what imports an example by its file's name."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), EXAMPLES / name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def organized(
    tmp_path: Path, environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Return what puts a command `snellen` of these sources on the path, with some options.

    Hosts start servers with little of their own environment, so the command brings its own.
    """

    def put(*options: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir()
        command = folder / "snellen"
        brought = [f"{name}={environment[name]}" for name in ("PYTHONPATH", "SNELLEN_HOME")]
        code = "from snellen.cli import main; main()"
        words = shlex.join(["env", *brought, sys.executable, "-c", code])
        command.write_text(f'#!/bin/sh\nexec {words} "$@" {shlex.join(options)}\n')
        command.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        return command

    return put


@pytest.fixture
def remote(serve: Callable[..., Any], store: Path) -> tuple[str, str]:
    """Return the URL of a server of three items, and a token."""
    database = open_store(store)
    token = Tokens(database).create("somebody", (Scope.TAKE,))
    database.close()
    return serve("wireframes", "--store", str(store), "--sample", "3").url, token


@pytest.fixture(params=["on this machine", "of a server"])
def exam_of(request: pytest.FixtureRequest) -> Callable[[ModuleType], Any]:
    """Return what makes an exam of three items, in each of an example's two ways."""
    if request.param == "on this machine":
        request.getfixturevalue("organized")("wireframes", "--sample", "3")
        return lambda example: example.on_this_machine()
    url, token = request.getfixturevalue("remote")
    return lambda example: example.of_a_server(url, token)


@dataclass(frozen=True, slots=True)
class Call:
    """What a model does next."""

    tool: str
    arguments: dict[str, Any]


@dataclass
class Script(ABC):
    """A model's stand-in: says what to call next from what the last call returned.

    Attributes:
        tools: How many tools it is to be offered.
        images: How many images it was shown.
        calls: The tools that it called.
    """

    tools: int = field(default=7, kw_only=True)
    images: int = field(default=0, kw_only=True)
    calls: list[str] = field(default_factory=list[str], kw_only=True)
    _attempt: str = ""
    _item: dict[str, Any] = field(default_factory=dict[str, Any])

    def next(self, text: str | None, images: int) -> Call | None:
        """Return the next call; None when the last one returned the report.

        Args:
            text: What the last call returned; None before the first.
            images: How many images came with it.
        """
        call = self._next({} if text is None else json.loads(text), images)
        self.images += images
        if call is not None:
            self.calls.append(call.tool)
        return call

    def _next(self, told: Mapping[str, Any], images: int) -> Call | None:
        last = self.calls[-1] if self.calls else None
        if last is None:
            return Call("start_attempt", {"model": "scripted"})
        if last == "start_attempt":
            self._attempt = told["attempt"]
        if last == "finish_attempt":
            return None
        given = {"attempt": self._attempt}
        if last == "get_item":
            self._item = dict(told)
        if last in ("start_attempt", "submit_answer"):
            return Call(told["next"], given)
        assert images == 1
        tool, arguments = self.work(last, told, self._item)
        return Call(tool, {**given, "item": self._item["item"], **arguments})

    @abstractmethod
    def work(
        self, last: str, told: Mapping[str, Any], item: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Return what is called next for an item: a tool and its arguments.

        Args:
            last: The tool that was called last.
            told: What it returned.
            item: The item, as it was handed out.
        """


@dataclass
class Examinee(Script):
    """Answers by the sample's references, and looks closer once, to see that this works."""

    golds: Mapping[str, str] = field(default_factory=dict[str, str])

    def work(
        self, last: str, told: Mapping[str, Any], item: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        if "get_screenshot" not in self.calls:
            return "get_screenshot", {"region": [0, 0, 500, 500], "space": "thousand"}
        return "submit_answer", {"answer": self.golds[item["prompt"]]}


@pytest.fixture
def examinee(golds: Mapping[str, str]) -> Examinee:
    """Return an examinee that knows the sample's answers."""
    return Examinee(golds=golds)


EXPECTED_CALLS = [
    "start_attempt",
    *("get_item", "get_screenshot", "submit_answer"),
    *("get_item", "submit_answer") * 2,
    "finish_attempt",
]


@pytest.fixture
def check(examinee: Examinee) -> Callable[[str], None]:
    """Return what checks the report of three items that an examinee shows at the end."""

    def compare(shown: str) -> None:
        report = json.loads(shown)
        assert report["value"] == 1.0
        assert [(task["task"], task["items"]) for task in report["tasks"]] == [
            ("screenqa/short", 3)
        ]
        assert examinee.calls == EXPECTED_CALLS
        assert examinee.images == 4

    return compare


@dataclass(frozen=True, slots=True)
class Acting:
    """An exam of two interactive tasks, and the way through one of them.

    Attributes:
        env: The environment's name.
        goal: The prompt of the task that is done.
        acts: What does it, as arguments of `act`.
        answer: What it is ended with.
    """

    env: str
    goal: str
    acts: Sequence[Mapping[str, Any]]
    answer: Mapping[str, Any]


@dataclass
class Actor(Script):
    """Does one task by mouse and keyboard, having looked once more, and leaves the other undone."""

    tools: int = field(default=8, kw_only=True)
    acting: Acting = field(kw_only=True)
    taken: int = 0

    def work(
        self, last: str, told: Mapping[str, Any], item: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        assert "note" not in told
        if not item["prompt"].endswith(self.acting.goal):
            return "submit_answer", {"answer": {"status": "done"}}
        if last == "get_item":
            return "get_screenshot", {"zoom": 2}
        if self.taken < len(self.acting.acts):
            if last == "act":
                assert told["step"] == self.taken
            self.taken += 1
            return "act", dict(self.acting.acts[self.taken - 1])
        return "submit_answer", {"answer": dict(self.acting.answer)}


@dataclass(frozen=True, slots=True)
class ActingPack:
    """A pack of two interactive tasks, made once, and the way through one of them."""

    folder: Path
    acting: Acting


@pytest.fixture(scope="session", params=["desk", "miniwob"])
def acting_pack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ActingPack:
    """Return a pack of each environment; a browser finds the way through it."""
    pytest.importorskip("snellen.worlds")
    folder = tmp_path_factory.mktemp("acting") / request.param
    import ways

    find = {"desk": ways.on_the_desk, "miniwob": ways.on_miniwob}[request.param]
    return ActingPack(folder, Acting(request.param, *asyncio.run(find(folder))))


@pytest.fixture
def acting(acting_pack: ActingPack, environment: Mapping[str, str]) -> Acting:
    """Return an exam that `--env` finds, in each environment."""
    place = Path(environment["SNELLEN_HOME"]) / "episodes" / acting_pack.acting.env
    shutil.copytree(acting_pack.folder, place)
    return acting_pack.acting


@pytest.fixture
def actor(acting: Acting) -> Actor:
    """Return a model's stand-in that knows one of the exam's two tasks."""
    return Actor(acting=acting)


@pytest.fixture
def check_acted(actor: Actor) -> Callable[[str], None]:
    """Return what checks the report that an actor shows at the end."""

    def compare(shown: str) -> None:
        report = json.loads(shown)
        steps = len(actor.acting.acts)
        assert steps >= 3
        rates = [task["value"] for task in report["tasks"]]
        assert rates == ([1.0, 0.0] if actor.acting.env == "desk" else [0.5])
        assert report["answered"] == report["items"] == 2
        assert sorted(actor.calls) == sorted(
            [
                *("start_attempt", "finish_attempt", "get_screenshot"),
                *("get_item", "submit_answer") * 2,
                *("act",) * steps,
            ]
        )
        assert actor.images == 3 + steps

    return compare
