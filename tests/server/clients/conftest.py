"""What clients of several frameworks share: the examples, the command they start, a brain."""

import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
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
        code = "from snellen.sdk.cli import main; main()"
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
    return serve("--store", str(store), "--sample", "3").url, token


@pytest.fixture(params=["on this machine", "of a server"])
def exam_of(request: pytest.FixtureRequest) -> Callable[[ModuleType], Any]:
    """Return what makes an exam of three items, in each of an example's two ways."""
    if request.param == "on this machine":
        request.getfixturevalue("organized")("--sample", "3")
        return lambda example: example.on_this_machine()
    url, token = request.getfixturevalue("remote")
    return lambda example: example.of_a_server(url, token)


@dataclass(frozen=True, slots=True)
class Call:
    """What an examinee does next."""

    tool: str
    arguments: dict[str, Any]


@dataclass
class Examinee:
    """A model's stand-in: says what to call next from what the last call returned.

    It looks closer once, to see that this works, and answers by the sample's references.
    """

    golds: Mapping[str, str]
    images: int = 0
    calls: list[str] = field(default_factory=list[str])
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
        if last in ("get_item", "get_screenshot"):
            assert images == 1
        if last is None:
            return Call("start_attempt", {"model": "scripted"})
        if last == "start_attempt":
            self._attempt = told["attempt"]
        if last == "finish_attempt":
            return None
        given = {"attempt": self._attempt}
        if last == "get_item":
            self._item = dict(told)
            if "get_screenshot" not in self.calls:
                look = {"item": told["item"], "region": [0, 0, 500, 500], "space": "thousand"}
                return Call("get_screenshot", {**given, **look})
        if last in ("get_item", "get_screenshot"):
            answer = self.golds[self._item["prompt"]]
            return Call("submit_answer", {**given, "item": self._item["item"], "answer": answer})
        return Call(told["next"], given)


@pytest.fixture
def examinee(golds: Mapping[str, str]) -> Examinee:
    """Return an examinee that knows the sample's answers."""
    return Examinee(golds)


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
