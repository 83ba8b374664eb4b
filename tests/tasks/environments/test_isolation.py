"""A canary on each channel by which a page could reach the network: none of them sings."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from snellen.tasks.browser.finding import HEADLESS, find_browser
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.stage import Reply, StageSettings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHANNELS = {
    "fetch": "fetch(at('fetch'), {mode: 'no-cors'})",
    "image": "new Image().src = at('image')",
    "preconnect": "add('link', {rel: 'preconnect', href: at('preconnect')})",
    "beacon": "navigator.sendBeacon(at('beacon'), 'x')",
    "form": """add('iframe', {name: 'target'});
      add('form', {action: at('form'), target: 'target', method: 'post'}).submit()""",
    "frame": "add('iframe', {src: at('frame')})",
    "events": "new EventSource(at('events'))",
    "socket": "new WebSocket(at('socket').replace('http', 'ws'))",
    "worker": """new Worker(URL.createObjectURL(new Blob([
      `new WebSocket('${at('worker').replace('http', 'ws')}')`])))""",
    "shared": """new SharedWorker(URL.createObjectURL(new Blob([
      `fetch('${at('shared')}', {mode: 'no-cors'})`])))""",
    "prefetch": """add('script', {type: 'speculationrules', text: JSON.stringify(
      {prefetch: [{urls: [at('prefetch')], eagerness: 'immediate'}]})})""",
    "prerender": """add('script', {type: 'speculationrules', text: JSON.stringify(
      {prerender: [{urls: [at('prerender')], eagerness: 'immediate'}]})})""",
    "transport": """new WebTransport(at('transport').replace('http:', 'https:')).ready
      .catch(() => 0)""",
    "file": "add('iframe', {src: 'file:///etc/hostname', name: 'file'})",
    "popup": "window.open(at('popup'))",
    "stun": """const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:' + udp}]});
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer))""",
}
TRIED = "".join(
    f"try {{ {code} }} catch (error) {{ console.log(error) }}\n" for code in CHANNELS.values()
)
PAGE = """<!doctype html><title>canary</title><script>
const tcp = "TCP", udp = "UDP";
const at = (name) => `http://${tcp}/${name}`;
const add = (name, given) => document.body.appendChild(Object.assign(
  document.createElement(name), given));
onload = () => { TRIED document.title = "tried"; };
</script><body>"""


class Canary(asyncio.DatagramProtocol):
    """Listens on loopback, and keeps the first line of whatever comes."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.tcp = self.udp = ""

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self.heard.append("datagram")

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append("connection")
        line = await reader.readline()
        self.heard.append(line.decode("latin-1"))
        writer.close()

    def page(self) -> bytes:
        text = PAGE.replace("TRIED", TRIED)
        return text.replace('"TCP"', f'"{self.tcp}"').replace('"UDP"', f'"{self.udp}"').encode()

    @property
    def names(self) -> set[str]:
        text = "".join(self.heard)
        return {name for name in (*CHANNELS, "datagram") if name in text.replace("/", "")}


@asynccontextmanager
async def canary() -> AsyncGenerator[Canary]:
    listens = Canary()
    server = await asyncio.start_server(listens.connected, "127.0.0.1", 0)
    listens.tcp = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: listens, ("127.0.0.1", 0)
    )
    listens.udp = "127.0.0.1:{}".format(transport.get_extra_info("sockname")[1])
    try:
        yield listens
    finally:
        transport.close()
        server.close()


async def test_no_channel_of_a_stage_reaches_anything() -> None:
    browser = Browser()
    async with canary() as listens:
        stage = await browser.stage(
            StageSettings(200, 150, time="real"),
            lambda _: Reply(200, "text/html; charset=utf-8", listens.page()),
        )
        await stage.act(Input(InputKind.CLICK, ((100, 100),)))
        await stage.act(Input(InputKind.WAIT, seconds=5))
        assert await stage.run("() => document.title") == "tried"
        await browser.close()
    assert listens.heard == []


async def test_the_same_page_in_a_plain_browser_is_heard() -> None:
    from playwright.async_api import async_playwright

    async with canary() as listens, async_playwright() as driver:
        chromium = await driver.chromium.launch(
            executable_path=find_browser(HEADLESS).program,
            args=["--no-sandbox", "--disable-features=LocalNetworkAccessChecks"],
        )
        page = await chromium.new_page()
        await page.route(
            "https://page.invalid/",
            lambda route: route.fulfill(content_type="text/html", body=listens.page()),
        )
        await page.goto("https://page.invalid/")
        assert await page.title() == "tried"
        for _ in range(100):
            if {"fetch", "worker", "shared", "prefetch", "datagram"} <= listens.names:
                break
            await page.wait_for_timeout(100)
        await chromium.close()
    assert listens.names >= {"fetch", "image", "beacon", "socket", "worker", "shared"}
    assert listens.names >= {"prefetch", "datagram", "events", "frame", "form"}
