"""What breaks a stage breaks that one alone, and a browser that is gone starts again."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from snellen.grading.errors import InputError, MissingExtraError
from snellen.tasks.environments.base import EpisodeError
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.stage import Reply, Request, Stage, StageSettings

OpenPage = Callable[..., Awaitable[Stage]]
TITLE = "() => document.title"
loop = pytest.mark.asyncio(loop_scope="module")


def children(process: int) -> list[int]:
    """Return the processes that one started, and that those started."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    pairs = [(int(pid), int(parent)) for pid, parent in map(str.split, listed.splitlines())]
    found = [process]
    for each in found:
        found += [pid for pid, parent in pairs if parent == each]
    return found[1:]


def kill(kind: str) -> None:
    """Kill this test's own browser, or its renderers."""
    for process in children(os.getpid()):
        try:
            # A renderer's own has spaces instead.
            line = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ")
        except FileNotFoundError:
            continue
        wanted = b"--type=renderer" in line if kind == "renderer" else b"--type=" not in line
        if b"chrom" in line.split(b" ")[0] and wanted:
            os.kill(process, signal.SIGKILL)


@pytest.mark.browser
@loop
@pytest.mark.parametrize("kind", ["renderer", "browser"])
async def test_a_killed_process_is_the_environments_fault_and_the_next_stage_works(
    open_page: OpenPage, kind: str
) -> None:
    stage = await open_page("<title>first</title>")
    kill(kind)
    for _ in range(2):
        with pytest.raises(EpisodeError):
            await stage.act(Input(InputKind.CLICK, ((10, 10),)))
    with pytest.raises(EpisodeError):
        await stage.shot()
    again = await open_page("<title>second</title>")
    assert await again.run(TITLE) == "second"


@pytest.mark.browser
@loop
async def test_many_stages_start_one_browser(open_page: OpenPage) -> None:
    kill("browser")
    stages = await asyncio.gather(*(open_page(f"<title>{n}</title>") for n in range(5)))
    assert [await stage.run(TITLE) for stage in stages] == ["0", "1", "2", "3", "4"]
    assert await asyncio.gather(*(stage.shot() for stage in stages))


@pytest.mark.browser
@pytest.mark.slow
@loop
async def test_an_endless_loop_breaks_one_stage_alone(open_page: OpenPage) -> None:
    other = await open_page("<title>other</title>")
    stage = await open_page("<script>onclick = () => { for (;;); }</script>")
    with pytest.raises(EpisodeError, match="hangs"):
        await stage.act(Input(InputKind.CLICK, ((10, 10),)))
    with pytest.raises(EpisodeError, match="hangs"):
        await stage.shot()
    await stage.close()
    assert await other.act(Input(InputKind.CLICK, ((10, 10),))) == ""


@pytest.mark.browser
@loop
@pytest.mark.parametrize("late", [False, True])
async def test_a_fault_of_the_pages_server_breaks_one_stage_alone(
    browser: Browser, open_page: OpenPage, late: bool
) -> None:
    def broken(request: Request) -> Reply:
        if late and request.url.endswith("/"):
            return Reply(200, "text/html", b"<script>onclick = () => fetch('/state')</script>")
        raise KeyError("state")

    async def click_it() -> None:
        stage = await browser.stage(StageSettings(200, 150), broken)
        await stage.act(Input(InputKind.CLICK, ((10, 10),)))
        await stage.act(Input(InputKind.WAIT, seconds=0.1))

    with pytest.raises(EpisodeError, match=r"was not answered: KeyError: 'state'"):
        await click_it()
    other = await open_page("<title>other</title>")
    assert await other.run(TITLE) == "other"


@pytest.mark.browser
@loop
async def test_a_fault_of_the_page_is_said(open_page: OpenPage) -> None:
    stage = await open_page("")
    with pytest.raises(EpisodeError, match="nobody is not defined"):
        await stage.run("() => nobody")


@pytest.mark.browser
@loop
async def test_a_browser_can_be_closed_twice_and_starts_again() -> None:
    browser = Browser()
    await browser.close()
    for _ in range(2):
        stage = await browser.stage(
            StageSettings(50, 50), lambda _: Reply(200, "text/html", b"<title>here</title>")
        )
        assert await stage.run(TITLE) == "here"
        await browser.close()
        await browser.close()
        with pytest.raises(EpisodeError):
            await stage.shot()


async def test_no_browser_is_an_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SNELLEN_BROWSER", raising=False)
    with pytest.raises(InputError, match="apt-get install chromium"):
        Browser()


async def test_no_playwright_is_an_error_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[build\]"):
        Browser()


@pytest.mark.browser
@pytest.mark.skipif(os.name == "nt", reason="programs have suffixes there")
async def test_a_program_that_is_no_browser_is_named(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'not today' >&2; exit 3\n")
    program.chmod(0o755)
    browser = Browser(program)
    with pytest.raises(EpisodeError, match="doesn't start"):
        await browser.stage(StageSettings(50, 50), lambda _: Reply(200, "text/html", b""))
    await browser.close()


@pytest.mark.skipif(os.name == "nt", reason="programs have suffixes there")
@pytest.mark.browser
async def test_the_headless_shell_goes_before_a_browser_with_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("chromium", "chromium-headless-shell"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {name} >&2; exit 3\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("SNELLEN_BROWSER", raising=False)
    browser = Browser()
    with pytest.raises(EpisodeError, match="chromium-headless-shell"):
        await browser.stage(StageSettings(50, 50), lambda _: Reply(200, "text/html", b""))
    await browser.close()
