"""A browser that a person has started with a debugging port, with a page of theirs that reports how it is."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

import psutil
import trio

from bidi_server.attacks.tcp import open_tcp
from drivers.chromium import flags_here
from drivers.find import first_browser
from drivers.ports import reserved_port

PAGE = """<title>Theirs</title><body><script>
// Proxies that we put before functions of a page are in the stacks of its errors.
const id = String(Math.random());
const isTouched = (page) => {
  try {
    page.EventTarget.prototype.addEventListener.call({}, 'click', () => {});
  } catch (error) {
    return /apply/.test(error.stack);
  }
};
const report = async () => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  const touched = isTouched(window) || isTouched(frame.contentWindow);
  frame.remove();
  await fetch('/report?' + new URLSearchParams({id, touched, width: innerWidth}));
  setTimeout(report, 20);
};
report();
</script>"""


class Report(NamedTuple):
    """What a page says: which one it is, whether scripts of ours are in it, and its width."""

    id: str
    touched: str
    width: str


@dataclass
class Running:
    """The browser, and the reports of the pages at its ``url``."""

    url: str
    reports: list[Report] = field(default_factory=list[Report])
    reported: trio.Condition = field(default_factory=trio.Condition)
    endpoint: str = ""
    process: psutil.Popen | None = None

    async def next_report(self, *, but: str = "") -> Report:
        """Return the next report of a page whose id is another one."""
        known = len(self.reports)
        async with self.reported:
            while not (found := [each for each in self.reports[known:] if each.id != but]):
                await self.reported.wait()
        return found[0]

    def kill(self) -> None:
        """End it, as a crash does."""
        assert self.process is not None
        if self.process.poll() is None:
            family = [self.process, *self.process.children(recursive=True)]
            for each in family:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            psutil.wait_procs(family)

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve the page, and take its reports."""
        request = b""
        while b"\r\n\r\n" not in request:
            data = await stream.receive_some()
            if not data:
                return  # opened ahead, and not used
            request += data
        _, _, query = request.split(b" ")[1].decode().partition("?")
        body = b"" if query else PAGE.encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        await stream.send_all(head.encode() + body)
        if query:
            async with self.reported:
                self.reports.append(Report(**dict(parse_qsl(query))))
                self.reported.notify_all()


@asynccontextmanager
async def open_running(browser: str, folder: Path) -> AsyncGenerator[Running]:
    """Start a browser whose first tab is a person's page."""
    profile = folder / "profile"
    profile.mkdir()
    running = Running("")
    async with open_tcp(running.handle) as site:
        running.url = f"http://127.0.0.1:{site}/"
        with reserved_port() as port:
            if browser == "firefox":
                path = first_browser("firefox").path
                command = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", port]
            else:
                path = first_browser("chromium").path
                # A headless Chromium on its own has no window to be resized.
                command = ["--headless=new", "--no-first-run", f"--user-data-dir={profile}", *flags_here()]
                command.append(f"--remote-debugging-port={port}")
            running.process = psutil.Popen([str(path), *map(str, command), running.url])
            running.endpoint = f"{'ws' if browser == 'firefox' else 'http'}://127.0.0.1:{port}"
            try:
                await running.next_report()
                yield running
            finally:
                running.kill()
