"""Pages that can't be captured, or try forbidden things: reported, and nothing half written."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import gettempdir
from typing import TYPE_CHECKING

import pytest

from snellen.build.browser.problems import PageError
from snellen.build.browser.session import Session
from snellen.build.capture import CaptureSettings, capture_page
from snellen.build.pages import Page, find_pages
from snellen.build.perturb.base import Attempted, ChangeMaker
from snellen.build.screen.elements import Screen
from snellen.build.snapshots import Snapshot
from snellen.grading.errors import InputError
from snellen.tasks.browser.settings import BrowserSettings

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]
QUICK = CaptureSettings(clicks=0, renders=1)


@pytest.fixture
def hurried(session: Session) -> Iterator[Session]:
    """Wait for pages only as long as a test may."""
    before = session.settings
    session.settings = BrowserSettings(load_seconds=3, page_seconds=6)
    yield session
    session.settings = before


def refused(session: Session, page: Page, folder: Path) -> str:
    """Return the reason why a page was not captured, after checking that nothing was written."""
    with pytest.raises(PageError) as caught:
        capture_page(session, page, folder / "kept" / "page", QUICK)
    assert caught.value.file == str(page.root / page.path)
    assert not (folder / "kept").exists()
    return caught.value.reason


def written(snapshot: Snapshot) -> bytes:
    return b"".join(path.read_bytes() for path in snapshot.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<title>t</title><div style='height:40000px'>x</div>", "too tall"),
        ("", "nothing to see"),
        ("<title>t</title><p hidden>x", "nothing to see"),
        ("<frameset cols='*,*'><frame src=other.html><frame src=other.html>", "nothing to see"),
        ("<p>x<script>onload = () => document.body.remove()</script>", "nothing to see"),
        ("<title>t</title><p>" + "\U00013000\U00013001" * 20, "no font"),
        ("<p>x<script>location = 'other.html'</script>", "navigates away"),
        ("<p>x<script>location = 'https://example.com/'</script>", "navigates away"),
        ("<p>x<script>location = 'about:blank'</script>", "navigates away"),
        ("<p>x<script>onload = () => location.reload()</script>", "navigates away"),
        ("<p>x<script>onload = () => document.documentElement.remove()</script>", "failed"),
    ],
)
def test_a_page_that_cant_be_captured_is_named_and_nothing_is_written(
    session: Session, make_page: MakePage, tmp_path: Path, html: str, reason: str
) -> None:
    page = make_page(html, {"other.html": "<p>x"})
    assert refused(session, page, tmp_path) == reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("while (true);", "never loads"),
        ("while (true) alert('again');", "never loads"),
        (
            "addEventListener('load', () => setTimeout(() => { while (true); }, 50));",
            "keeps the browser busy",
        ),
    ],
)
def test_a_page_whose_scripts_loop_costs_itself_and_not_the_next_one(
    hurried: Session, make_page: MakePage, tmp_path: Path, script: str, reason: str
) -> None:
    page = make_page(f"<title>t</title><p>x<script>{script}</script>")
    assert refused(hurried, page, tmp_path) == reason
    hurried.settings = BrowserSettings()
    said = capture_page(hurried, make_page("<h1>Next</h1>"), tmp_path / "next", QUICK).captured
    assert [element.text for element in said.screen.elements] == ["Next"]


@pytest.mark.slow
def test_a_page_that_is_never_at_rest_is_named(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(
        "<title>t</title><p>x<script>const worker = new Worker('w.js'); let n = 0;"
        "worker.onmessage = () => { document.body.style.background = `rgb(${++n % 255}, 0, 0)` }"
        "</script>",
        {"w.js": "setInterval(() => postMessage(0), 5)"},
    )
    assert refused(session, page, tmp_path) == "never at rest"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<meta charset=gbk><title>t</title><p>中文".encode("gbk"), "中文"),
        ("<title>t</title><p>日本".encode("utf-16"), "日本"),
        ("<title>t</title><p>Größe".encode("latin-1"), "Größe"),
        (b"<title>t</title><p>half \xff\xfe\x00 of it \xc3", "half"),
    ],
)
def test_a_page_in_a_strange_encoding_is_kept_in_utf_8(
    session: Session, make_page: MakePage, tmp_path: Path, body: bytes, text: str
) -> None:
    snapshot = capture_page(session, make_page(body), tmp_path / "kept", QUICK)
    assert any(text in element.text for element in snapshot.screen.elements)
    html = (snapshot.folder / "page.html").read_bytes()
    assert html.startswith(b"\xef\xbb\xbf")
    assert text in html.decode("utf-8-sig")


def test_what_a_page_lacks_is_told(session: Session, make_page: MakePage, tmp_path: Path) -> None:
    page = make_page(
        "<title>t</title><link rel=stylesheet href=https://fonts.example.com/a.css>"
        "<img src=lost.png width=9 height=9><p>x"
    )
    said = capture_page(session, page, tmp_path / "kept", QUICK).captured
    assert said.problems == (
        "asks for what is not in its folder: fonts.example.com",
        "its folder lacks /lost.png",
    )


def test_a_link_out_of_the_folder_shows_nothing(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    (tmp_path / "secret.html").write_text("<h1>the secret</h1>")
    (tmp_path / "secret.js").write_text("document.body.append('the secret');")
    page = make_page("<h1>Shop</h1><script src=linked.js></script>")
    (page.root / "linked.js").symlink_to(tmp_path / "secret.js")
    (page.root / "linked.html").symlink_to(tmp_path / "secret.html")
    snapshot = capture_page(session, page, tmp_path / "kept", QUICK)
    assert snapshot.captured.problems == ("its folder lacks /linked.js",)
    assert b"the secret" not in written(snapshot)
    leak = Page("shop", "linked", page.root, Path("linked.html"))
    assert refused(session, leak, tmp_path / "other") == "no such file"
    assert [each.page for each in find_pages(page.root).skipped] == ["linked.html"]


def test_a_page_that_asks_for_files_and_private_addresses_gets_nothing(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    page = make_page(
        f"""<h1>Shop</h1><p id=p>nothing</p><iframe src="{secret.as_uri()}"></iframe>
        <img src="http://192.168.0.1/a.png"><script>
        for (const url of ["{secret.as_uri()}", "http://169.254.169.254/latest/",
            "http://localhost/", "https://other-site.invalid/"]) {{
          fetch(url).then((answer) => answer.text()).then((text) => {{ p.textContent = text }},
            () => {{}});
        }}
        try {{ location = "{secret.as_uri()}" }} catch {{}}
        </script>"""
    )
    snapshot = capture_page(session, page, tmp_path / "kept", QUICK)
    assert {each.text for each in snapshot.screen.elements} >= {"Shop", "nothing"}
    assert b"the secret" not in written(snapshot)
    (problem,) = snapshot.captured.problems
    for host in ("192.168.0.1", "169.254.169.254", "localhost", "other-site.invalid"):
        assert host in problem


def test_a_page_that_crashes_is_named_and_the_next_is_captured(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    def crash(tab: "Tab", screen: Screen, random: Random) -> Attempted:
        del screen, random
        tab.goto("chrome://crash")
        return Attempted([])

    page = make_page("<h1>Shop</h1>")
    maker = ChangeMaker("test", "crash", crash)
    with pytest.raises(PageError) as caught:
        capture_page(session, page, tmp_path / "kept", QUICK, [maker])
    assert caught.value.reason == "crashes"
    assert not (tmp_path / "kept").exists()
    assert capture_page(session, page, tmp_path / "kept", QUICK).screen.elements


def test_whoever_stops_a_capture_finds_nothing_half_written_and_no_page_open(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    browsers: list[Browser | None] = []

    def stop(tab: "Tab", screen: Screen, random: Random) -> Attempted:
        del screen, random
        browsers.append(tab.context.browser)
        raise KeyboardInterrupt

    maker = ChangeMaker("test", "stop", stop)
    with pytest.raises(KeyboardInterrupt):
        capture_page(session, make_page("<h1>x</h1>"), tmp_path / "kept", QUICK, [maker])
    (browser,) = browsers
    assert browser is not None
    assert browser.contexts == []
    assert not (tmp_path / "kept").exists()


def test_without_a_browser_there_is_no_session_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SNELLEN_BROWSER", raising=False)
    before = set(Path(gettempdir()).glob("snellen-*"))
    with pytest.raises(InputError, match="apt-get install chromium"):
        Session()
    assert set(Path(gettempdir()).glob("snellen-*")) <= before
