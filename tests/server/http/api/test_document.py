"""The OpenAPI document is kept: schemathesis asks a real server all that it allows, and more."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hosted import as_lines

from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.samples import exam_folder

pytestmark = pytest.mark.thorough

EXAM = """
name = "sample"
packs = ["{pack}"]
store = "exam.sqlite"
[signup]
by = "approval"
teams = true
[[phases]]
name = "main"
counts = "all"
reports = "public"
"""
# What leads further than a random text does, and now and then a random text all the same. A file
# is read when it is graded, so no upload is refused for what it holds.
SETTINGS = """
[parameters]
"path.exam" = "sample"
"path.phase" = {{ dictionary = "phases", probability = 0.8 }}
"path.submission" = {{ dictionary = "submissions", probability = 0.8 }}
"query.item" = {{ dictionary = "items", probability = 0.8 }}
[dictionaries.phases]
values = ["main"]
[dictionaries.submissions]
values = ["{submission}"]
[dictionaries.items]
values = ["{item}"]
[[operations]]
include-method = "POST"
include-path = "/exams/{{exam}}/submissions"
checks.negative_data_rejection.enabled = false
# All but an empty one, which a schema of bytes can't say.
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 429]
"""
EXAMPLES = 6
"""Of each operation and of calls in sequence: with more, the calls that a minute allows end."""
SECONDS = 180


@pytest.fixture
def address(serve: Callable[..., Any], tmp_path: Path) -> str:
    (tmp_path / "exam.toml").write_text(EXAM.format(pack=exam_folder("wireframes")))
    served = serve(str(tmp_path / "exam.toml"))
    return served.url.removesuffix("/mcp")


@pytest.fixture
def admin(store: Path) -> str:
    database = open_store(store)
    try:
        return Tokens(database).create("root", [Scope.ADMIN])
    finally:
        database.close()


def schemathesis(address: str, folder: Path, *options: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(folder / "st.toml")),
            *("run", f"{address}/v1/openapi.json", "--max-examples", str(EXAMPLES), "--seed", "1"),
            *("--rate-limit", "1000/m", "--suppress-health-check", "all", *options),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    assert re.search(r"Selected: (\d+)/\1\s+Tested: \1\n", done.stdout), done.stdout[-8000:]


def until_done(http: httpx2.Client, path: str) -> str:
    """Poll a submission, and return its last state."""
    while "retry-after" in (found := http.get(path)).headers:
        time.sleep(0.1)
    return found.json()["state"]


def test_an_admins_calls_are_answered_as_the_document_says(
    admin: str, address: str, tmp_path: Path, right: Mapping[str, str]
) -> None:
    with httpx2.Client(
        base_url=f"{address}/v1/exams/sample", headers={"Authorization": f"Bearer {admin}"}
    ) as http:
        headers = {"Content-Type": "application/x-ndjson"}
        sent = http.post("/submissions", content=as_lines(right), headers=headers).json()
        assert until_done(http, f"/submissions/{sent['id']}") == "graded"
    known = SETTINGS.format(submission=sent["id"], item=next(iter(right)))
    (tmp_path / "st.toml").write_text(known)
    schemathesis(address, tmp_path, "-H", f"Authorization: Bearer {admin}")


def test_a_strangers_calls_are_answered_as_the_document_says(
    admin: str, address: str, tmp_path: Path, right: Mapping[str, str]
) -> None:
    assert admin  # there is one, so a stranger is not whoever sits at the machine
    known = SETTINGS.format(submission="sub_0", item=next(iter(right)))
    (tmp_path / "st.toml").write_text(known)
    schemathesis(address, tmp_path)
