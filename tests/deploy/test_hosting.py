"""The pages on hosting and annotation: their commands run one after the other."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from snellen.server.store.tables.revision import REVISION

ROOT = Path(__file__).parents[2]
PAGE = "\n".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("hosting.md", "annotation.md")
)
SECONDS = 120


@pytest.mark.slow
def test_the_page_s_commands_host_an_exam(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    blocks = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    script = "set -eu\n" + "".join(f"echo '-- {n}'\n{block}" for n, block in enumerate(blocks))
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SNELLEN_HOME": str(tmp_path / "home"),
        "SNELLEN_PORT": port,
    }
    with subprocess.Popen(
        ["/bin/sh", "-c", script.replace("8765", port) + "kill $!\nwait\n"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    ) as running:
        try:
            said, _ = running.communicate(timeout=SECONDS)
        finally:
            # The server is left where the script ended early.
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode == 0, said
    assert '{"status":"ready"}' in said
    assert "ada's model" in said
    assert "1 rows; scores, intervals, EQA and ranks were made again from the export" in said
    assert f"revision {REVISION}, no damage" in said
    assert "human ceiling" in said
    assert "1 references are new; demo-2-corrections.jsonl has them" in said
    assert '"what":"rescored"' in said
    assert all(f'"what":"{what}"' in said for what in ("invitation", "asked to join", "approved"))
    shown = set(re.findall(r"^(snellen_[a-z_]+)[ {]", said, re.MULTILINE))
    named = set(re.findall(r"`(snellen_[a-z_]+)`", PAGE))
    # Prometheus adds these to a histogram, and to a counter the moment it began.
    parts = {re.sub(r"_(bucket|count|sum|created)$", "", name) for name in shown}
    assert {name.removesuffix("_total") for name in named} == {
        name.removesuffix("_total") for name in parts
    }
