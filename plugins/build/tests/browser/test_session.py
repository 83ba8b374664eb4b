"""The browser loads only files of the page's folder, and renders a page reproducibly."""

import io
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager

import pytest
from PIL import Image, ImageChops

from snellen.build.browser.problems import PageError
from snellen.build.browser.session import Session
from snellen.build.browser.shots import measured_shot, still_shot
from snellen.build.browser.visits import Visit
from snellen.build.pages import Page
from snellen.build.screen.html import extract
from snellen.tasks.browser.settings import PHONE, BrowserSettings

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]


@contextmanager
def listening(kind: socket.SocketKind) -> Generator[tuple[int, list[bytes]]]:
    """Listen on this machine, and record every connection."""
    heard: list[bytes] = []
    with closing(socket.socket(socket.AF_INET, kind)) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.1)
        if kind is socket.SOCK_STREAM:
            server.listen()
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                try:
                    if kind is socket.SOCK_STREAM:
                        caller, _ = server.accept()
                        caller.close()
                        heard.append(b"call")
                    else:
                        heard.append(server.recv(2048))
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield server.getsockname()[1], heard
        finally:
            over.set()
            thread.join()


ESCAPES = """<!doctype html><title>t</title><meta http-equiv="Content-Security-Policy" content="">
<link rel="stylesheet" href="http://127.0.0.1:%(tcp)d/a.css">
<link rel="preconnect" href="http://127.0.0.1:%(tcp)d"><link rel="dns-prefetch" href="//localhost">
<link rel="prefetch" href="http://localhost:%(tcp)d/b">
<img src="http://127.0.0.1:%(tcp)d/c.png"><img src="http://localhost:%(tcp)d/c.png">
<img src="http://[::1]:%(tcp)d/c.png"><img src="file:///etc/hostname">
<iframe src="http://127.0.0.1:%(tcp)d/d"></iframe><iframe src="file:///etc/passwd"></iframe>
<video src="http://127.0.0.1:%(tcp)d/e.mp4" autoplay muted></video>
<object data="http://127.0.0.1:%(tcp)d/o"></object>
<p id=out>nothing</p><script>
const said = [];
const tell = (name, value) => {
  said.push(name + ": " + value);
  document.getElementById("out").textContent = said.join("; ");
};
const attempt = async (name, act) => {
  try { tell(name, await act()); } catch (error) { tell(name, "refused"); }
};
attempt("fetch", () => fetch("http://127.0.0.1:%(tcp)d/f").then(() => "open"));
attempt("metadata", () => fetch("http://169.254.169.254/latest/", {mode: "no-cors"})
  .then(() => "open"));
attempt("file", () => fetch("file:///etc/passwd").then((answer) => answer.text()));
attempt("beacon", () => navigator.sendBeacon("http://127.0.0.1:%(tcp)d/g", "x") && "sent");
attempt("socket", () => new Promise((done) => {
  const socket = new WebSocket("ws://127.0.0.1:%(tcp)d/");
  socket.onmessage = () => done("open");
  socket.onclose = () => done("refused");
}));
attempt("worker", () => new Promise((done) => {
  const body = "fetch('http://127.0.0.1:%(tcp)d/h').then(() => postMessage('open'),"
    + " () => postMessage('refused'));"
    + "try { new WebSocket('ws://127.0.0.1:%(tcp)d/w'); } catch {}";
  new Worker(URL.createObjectURL(new Blob([body]))).onmessage = (event) => done(event.data);
}));
attempt("shared", () => new SharedWorker("data:,fetch('http://127.0.0.1:%(tcp)d/i')") && "open");
attempt("service", () => navigator.serviceWorker.register("/worker.js")
  .then((made) => made ? "open" : "refused"));
attempt("peer", async () => {
  const peer = new RTCPeerConnection({iceServers: [
    {urls: "stun:127.0.0.1:%(udp)d"},
    {urls: "turn:127.0.0.1:%(tcp)d?transport=tcp", username: "a", credential: "b"},
  ]});
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  return "open";
});
attempt("transport", () => new WebTransport("https://127.0.0.1:%(udp)d/").ready.then(() => "open"));
const frame = document.createElement("iframe");
document.body.append(frame);
attempt("framed peer", () => new frame.contentWindow.RTCPeerConnection() && "open");
window.open("http://127.0.0.1:%(tcp)d/j");
</script>"""


@pytest.mark.slow
def test_nothing_but_the_folder_is_reached(session: Session, make_page: MakePage) -> None:
    with (
        listening(socket.SOCK_STREAM) as (tcp, called),
        listening(socket.SOCK_DGRAM) as (udp, packets),
    ):
        # That the listeners hear is shown first: silence must mean something.
        socket.create_connection(("127.0.0.1", tcp)).close()
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as sender:
            sender.sendto(b"hello", ("127.0.0.1", udp))
        for _ in range(100):
            if called and packets:
                break
            time.sleep(0.05)
        assert (called, packets) == ([b"call"], [b"hello"])

        page = make_page(ESCAPES % {"tcp": tcp, "udp": udp}, {"worker.js": "1"})
        with session.visit(page) as visit:
            visit.settle()
            visit.tab.wait_for_timeout(1500)
            said = str(visit.tab.locator("#out").inner_text())
            outside = visit.requests.outside
        assert (called, packets) == ([b"call"], [b"hello"])
    told = dict(part.split(": ", 1) for part in said.split("; "))
    assert {name for name, what in told.items() if what != "refused"} == {"beacon"}
    assert set(told) >= {"fetch", "metadata", "file", "socket", "worker", "peer", "framed peer"}
    assert "root:" not in said
    assert any("169.254.169.254" in address for address in outside)


def test_what_differs_from_day_to_day_stands_still(session: Session, make_page: MakePage) -> None:
    page = make_page("<title>t</title><p>x")
    question = """() => [new Date().toISOString(), Date.now(), Date(), Math.random(), Math.random(),
      new Date() instanceof Date, new Date(2020, 1, 2).getDate(), typeof new Date().getTime(),
      Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language, devicePixelRatio,
      matchMedia("(prefers-reduced-motion)").matches, innerWidth, innerHeight,
      "Temporal" in window]"""
    answers: list[object] = []
    for _ in range(2):
        with session.visit(page, seed=7) as visit:
            answers.append(visit.tab.evaluate(question))
    with session.visit(page, seed=8) as visit:
        other = visit.tab.evaluate(question)
    assert answers[0] == answers[1]
    values = answers[0]
    assert isinstance(values, list)
    assert values[:3] == [
        "2025-06-16T10:00:00.000Z",
        1750068000000,
        "Mon Jun 16 2025 10:00:00 GMT+0000 (Coordinated Universal Time)",
    ]
    assert values[5:] == [
        True, 2, "number", "UTC", "en-US", 1, True, 1280, 800, False,
    ]  # fmt: skip
    assert values[3] != values[4]
    assert other[3] != values[3]


MOVING = """<!doctype html><title>t</title><style>
@keyframes slide { from { margin-left: 0 } to { margin-left: 300px } }
@keyframes spin { from { transform: rotate(0) } to { transform: rotate(360deg) } }
@keyframes show { from { opacity: 0 } to { opacity: 1 } }
div { width: 40px; height: 40px; background: #00f }
#a { animation: slide 3s linear infinite } #b { animation: spin 2s infinite }
#c { animation: show 5s both } #d { transition: margin-left 9s }
</style><div id=a></div><div id=b></div><div id=c></div><div id=d></div><div id=e></div>
<div id=f></div><input autofocus><script>
d.style.marginLeft = "200px";
e.animate([{marginLeft: 0}, {marginLeft: "100px"}], {duration: 9000, fill: "forwards"});
// As jQuery and Chart.js do it, by the clock, and as others do, by the frame's time.
const start = Date.now();
const step = () => {
  const part = Math.min(1, (Date.now() - start) / 4000);
  f.style.marginLeft = `${400 * part}px`;
  if (part < 1) requestAnimationFrame(step);
};
requestAnimationFrame(step);
setInterval(() => { a.textContent = (+a.textContent || 0) + 1; }, 200);
</script>"""


def test_what_moves_is_at_its_end_and_stays_there(session: Session, make_page: MakePage) -> None:
    shots: list[bytes] = []
    for _ in range(2):
        with session.visit(make_page(MOVING)) as visit:
            height = visit.settle()["height"]
            shots.append(still_shot(visit, height))
            places = visit.tab.evaluate(
                "() => ['c', 'd', 'e', 'f'].map((id) => getComputedStyle(window[id]))"
                ".map((style) => `${style.opacity} ${style.marginLeft}`)"
            )
            visit.tab.wait_for_timeout(700)
            assert visit.shoot(height) == shots[-1]
            assert places == ["1 0px", "1 200px", "1 100px", "1 400px"]


WATCHING = """<!doctype html><title>t</title><div style="height:3000px"></div>
<p id=p>wide</p><script>
const tell = (what) => { if (innerWidth < 500 || scrollY > 0) p.textContent = what; };
addEventListener("resize", () => tell("window"));
onresize = () => tell("handler");
document.addEventListener("scroll", () => tell("scrolled"));
visualViewport.addEventListener("resize", () => tell("viewport"));
matchMedia("(max-width: 500px)").addEventListener("change", () => { p.textContent = "media"; });
matchMedia("(max-width: 500px)").onchange = () => { p.textContent = "media"; };
new ResizeObserver(() => tell("observed")).observe(document.documentElement);
const seen = new IntersectionObserver(() => { p.dataset.seen = (+p.dataset.seen || 0) + 1; });
seen.observe(document.body);
addEventListener("load", () => setTimeout(() => { p.textContent = "wide"; }, 400));
</script>"""


def test_nothing_moves_bit_by_bit(session: Session, make_page: MakePage) -> None:
    # Chromium makes the window narrow for a tall image: what that sets moving would be seen.
    page = make_page(
        """<title>t</title><style>
        p::before {content: "a"}
        p, p::before, input::placeholder {color: #a00; transition: color 60s}
        .on p, .on p::before, .on input::placeholder {color: #00a}
        </style><p>text<input placeholder=hint>"""
    )
    with session.visit(page) as visit:
        changed = """() => {
            const of = (each, part) => getComputedStyle(document.querySelector(each), part).color;
            const all = () => [of("p"), of("p", "::before"), of("input", "::placeholder")];
            const before = all();
            document.body.className = "on";
            return [...before, ...all()];
        }"""
        assert visit.tab.evaluate(changed) == ["rgb(170, 0, 0)"] * 3 + ["rgb(0, 0, 170)"] * 3


def test_scripts_dont_see_that_images_are_taken(session: Session, make_page: MakePage) -> None:
    # Chromium makes the window one pixel wide for an image taller than it, now and then visibly.
    with session.visit(make_page(WATCHING)) as visit:
        visit.tab.wait_for_timeout(500)
        height = visit.settle(scroll=False)["height"]
        before = visit.tab.evaluate("p.outerHTML")
        for _ in range(12):
            visit.shoot(height)
            visit.run("() => { scrollTo(0, 900); scrollTo(0, 0); }")
        visit.tab.wait_for_timeout(100)
        assert visit.tab.evaluate("p.outerHTML") == before
        assert visit.tab.evaluate(
            "[ResizeObserver.name, seen instanceof IntersectionObserver]"
        ) == [
            "ResizeObserver",
            True,
        ]


TOGGLING = """<!doctype html><title>t</title><style>@media (max-width: 500px) {p {color: red}}
</style><body style="margin:0"><nav id=side style="width:224px;height:1400px;background:#06c">menu
</nav><p>words</p><script>
const toggle = () => { if (innerWidth < 500) side.style.width = "104px"; };
addEventListener("resize", toggle);
onresize = toggle;
document.body.onresize = toggle;
matchMedia("(max-width: 500px)").addEventListener("change", toggle);
new ResizeObserver(toggle).observe(document.body);
addEventListener("load", () => requestIdleCallback(function again() {
  toggle();
  requestIdleCallback(again);
}));
</script>"""


def test_a_page_at_rest_does_not_answer_to_the_windows_size(
    session: Session, make_page: MakePage
) -> None:
    question = "() => side.style.width"
    with session.visit(make_page(TOGGLING)) as visit:
        visit.settle()
        visit.tab.set_viewport_size({"width": 400, "height": 800})
        visit.tab.wait_for_timeout(100)
        visit.tab.set_viewport_size({"width": 1280, "height": 800})
        assert visit.tab.evaluate(question) == "224px"
    with session.visit(make_page(TOGGLING)) as visit:
        # That it would otherwise is shown, too.
        visit.tab.set_viewport_size({"width": 400, "height": 800})
        visit.tab.wait_for_function("side.style.width === '104px'")


def blue_until(image: bytes) -> int:
    with Image.open(io.BytesIO(image)) as opened:
        row = opened.convert("RGB").crop((0, 1000, opened.width, 1001)).tobytes()
    return next(x for x in range(len(row) // 3) if row[3 * x : 3 * x + 3] != b"\x00\x66\xcc")


def test_what_is_measured_and_what_is_shown_are_of_one_state(
    session: Session, make_page: MakePage
) -> None:
    read = "() => side.getBoundingClientRect().width"
    with session.visit(make_page(TOGGLING)) as visit:
        height = visit.settle()["height"]
        widths: list[float] = []

        def measure() -> float:
            widths.append(visit.run(read))
            # As a script might do that has seen an image being taken.
            visit.tab.evaluate("side.style.width = '104px'")
            return widths[-1]

        found, image = measured_shot(visit, height, measure)
        assert widths == [224, 104]
        assert found == blue_until(image) == 104


def test_a_page_that_is_rearranged_for_each_image_is_named(
    session: Session, make_page: MakePage
) -> None:
    with session.visit(make_page(TOGGLING)) as visit:
        height = visit.settle()["height"]

        def measure() -> None:
            visit.tab.evaluate("() => { side.style.width = `${side.offsetWidth + 1}px` }")

        with pytest.raises(PageError, match="rearranged") as caught:
            measured_shot(visit, height, measure)
        assert caught.value.reason == "never at rest"


LEFTWARD = """<!doctype html><html %s><title>Arabic</title><body style="margin:0;height:%dpx">
<style>p { position: absolute; margin: 0 }</style>
<p style="left:300px;top:100px;width:50px;height:50px;background:#0066cc">
<p style="left:-200px;top:300px;width:400px">It is as wide as nobody looks</p>"""


def blue_box(image: bytes) -> tuple[int, int, int, int] | None:
    with Image.open(io.BytesIO(image)) as opened:
        blue = Image.new("RGB", opened.size, "#0066cc")
        same = ImageChops.difference(opened.convert("RGB"), blue).convert("L")
    return same.point([255, *[0] * 255]).getbbox()


@pytest.mark.parametrize("height", [500, 1574], ids=["a window high", "higher"])
@pytest.mark.parametrize(
    "html", ["dir=rtl", "><body dir=rtl", "style=writing-mode:vertical-rl", ""],
    ids=["rtl", "body rtl", "vertical", "ltr"],
)  # fmt: skip
def test_a_page_that_goes_on_to_the_left_is_shown_where_it_is_measured(
    session: Session, make_page: MakePage, html: str, height: int
) -> None:
    with session.visit(make_page(LEFTWARD % (html, height))) as visit:
        tall = visit.settle()["height"]
        wide = visit.run("() => document.scrollingElement.scrollWidth > innerWidth")
        assert wide == bool(html)
        found, image = measured_shot(visit, tall, lambda: extract(visit, tall))
        (box,) = [one.box for one in found.screen.elements if one.height == one.width]
        assert box == blue_box(image) == (300, 100, 350, 150)


def test_a_page_whose_image_shows_it_elsewhere_is_refused(
    session: Session, make_page: MakePage
) -> None:
    with session.visit(make_page(LEFTWARD % ("dir=rtl", 500))) as visit:
        height = visit.settle()["height"]
        assert visit.shows(still_shot(visit, height))
        # Now zero is elsewhere in the window than in an image of the width that was asked for.
        visit.tab.set_viewport_size({"width": 1000, "height": 800})
        with pytest.raises(PageError, match="to the left") as caught:
            still_shot(visit, height)
        assert caught.value.reason == "shown elsewhere"


def gif(*colors: str) -> bytes:
    frames = [Image.new("RGB", (40, 40), color) for color in colors]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=60, loop=0)
    return stream.getvalue()


def test_a_moving_picture_shows_its_first_frame(session: Session, make_page: MakePage) -> None:
    page = make_page(
        "<title>t</title><body style='margin:0'><img src=a.gif>",
        {"a.gif": gif("#ff0000", "#00ff00", "#0000ff")},
    )
    with session.visit(page) as visit:
        height = visit.settle()["height"]
        for _ in range(3):
            with Image.open(io.BytesIO(visit.shoot(height))) as image:
                assert image.convert("RGB").getpixel((20, 20)) == (255, 0, 0)
            visit.tab.wait_for_timeout(70)


def test_what_loads_when_scrolled_to_is_there(session: Session, make_page: MakePage) -> None:
    page = make_page(
        """<title>t</title><div style='height:3000px'></div><img id=i loading=lazy src=a.gif>
        <p id=p>late</p><script>new IntersectionObserver((seen) => {
          if (seen.at(-1).isIntersecting) p.textContent = "here";
        }).observe(p)</script>""",
        {"a.gif": gif("#ff0000", "#00ff00")},
    )
    with session.visit(page) as visit:
        visit.settle()
        assert visit.tab.evaluate("() => [i.naturalWidth, p.textContent, scrollY]") == [
            40,
            "here",
            0,
        ]


def test_the_window_may_be_a_phones(session: Session, make_page: MakePage) -> None:
    settings = BrowserSettings(width=PHONE[0], height=PHONE[1])
    page = make_page(
        "<title>t</title><style>@media (max-width: 400px) {p {height: 900px}}</style><p>"
    )
    with session.visit(page, settings=settings) as visit:
        height = visit.settle()["height"]
        with Image.open(io.BytesIO(visit.shoot(height))) as image:
            assert image.size == (390, height)
        assert height > 900


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<title>t</title><p>Größe 字".encode(), "Größe 字"),
        ("<meta charset=gbk><title>t</title><p>中文".encode("gbk"), "中文"),
        ("<title>t</title><p>日本".encode("utf-16"), "日本"),
        ("<meta charset=shift_jis><title>t</title><p>日本".encode("shift_jis"), "日本"),
        ("\ufeff<meta charset=latin1><title>t</title><p>é".encode(), "é"),
        ("<title>t</title><p>é".encode("latin-1"), "é"),
    ],
)
def test_a_strange_encoding_is_read_as_browsers_do(
    session: Session, make_page: MakePage, body: bytes, text: str
) -> None:
    with session.visit(make_page(body)) as visit:
        assert visit.tab.inner_text("p") == text


def reason_of(session: Session, page: Page) -> str:
    def settle(visit: Visit) -> None:
        visit.settle()

    with pytest.raises(PageError) as caught, session.visit(page) as visit:
        settle(visit)
    assert caught.value.file == str(page.root / page.path)
    return caught.value.reason


@pytest.mark.parametrize(
    "html",
    [
        "<script>location.href = 'other.html'</script>",
        "<meta http-equiv=refresh content='0;url=other.html'>",
        "<script>location.href = 'https://example.com/'</script>",
        "<p>x<script>setTimeout(() => { location.href = 'other.html' }, 50)</script>",
    ],
)
def test_a_page_that_leads_elsewhere_is_named(
    session: Session, make_page: MakePage, html: str
) -> None:
    assert reason_of(session, make_page(html, {"other.html": "<p>y"})) == "navigates away"


def test_a_missing_page_is_named(session: Session, make_page: MakePage) -> None:
    page = make_page("<p>x")
    (page.root / page.path).unlink()
    assert reason_of(session, page) == "no such file"


def test_dialogs_and_windows_stop_nothing(session: Session, make_page: MakePage) -> None:
    page = make_page(
        "<p id=p>x<script>alert('a'); p.textContent = confirm('b') + String(prompt('c'));"
        "window.open('other.html'); print()</script>",
        {"other.html": "<p>y"},
    )
    with session.visit(page) as visit:
        visit.settle()
        assert visit.tab.inner_text("p") == "falsenull"
        assert visit.requests.dialogs == ["a", "b", "c"]
        # A window that nobody clicked for would be in front of the page, and slow it down.
        assert visit.requests.popups == []
        assert len(visit.tab.context.pages) == 1


def test_a_page_sees_nothing_of_the_measuring(session: Session, make_page: MakePage) -> None:
    page = make_page(
        "<p>x<script>Array.prototype.toJSON = () => 'mine'; JSON.stringify = () => '{}';"
        "document.querySelectorAll = () => [];</script>"
    )
    with session.visit(page) as visit:
        assert visit.run("(given) => [given, document.querySelectorAll('p').length]", 5) == [5, 1]


def test_the_fonts_are_those_that_are_pinned(session: Session, make_page: MakePage) -> None:
    page = make_page(
        "<p><span style='font-family:Arial'>wide</span> <span style='font-family:Liberation Sans'>"
        "wide</span> <span style='font-family:Nobody, sans-serif'>wide</span>"
    )
    with session.visit(page) as visit:
        widths = visit.tab.evaluate(
            "() => [...document.querySelectorAll('span')].map((each) => each.offsetWidth)"
        )
    assert len(set(widths)) == 1
    assert "Liberation Sans" in session.fonts
