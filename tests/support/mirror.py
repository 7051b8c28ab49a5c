"""The servers that browsers and drivers are downloaded from, played by a local one."""

import io
import json
import os
import tarfile
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

VERSION = "157.0.1.2"


class Mirror(ThreadingHTTPServer):
    """Serves what makers' servers serve: JSON files and archives, here of scripts that answer --version."""

    def __init__(self, chrome: str = "", chromedriver: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked: list[str] = []
        self.files = {
            "/chrome-linux64.zip": zipped("chrome-linux64/chrome", f"Google Chrome for Testing {VERSION}", chrome),
            "/chromedriver-linux64.zip": zipped(
                "chromedriver-linux64/chromedriver", f"ChromeDriver {VERSION} (x)", chromedriver
            ),
            "/140.0/linux-x86_64/en-US/firefox-140.0.tar.xz": tarred("firefox/firefox", "Mozilla Firefox 140.0"),
        }
        downloads = {
            name: [{"platform": "linux64", "url": f"{self.url}/{name}-linux64.zip"}]
            for name in ("chrome", "chromedriver")
        }
        known = {"version": VERSION, "revision": "1", "downloads": downloads}
        for name, content in {
            "last-known-good-versions-with-downloads": {
                "channels": {name: {"channel": name, **known} for name in ("Stable", "Beta", "Dev", "Canary")}
            },
            "known-good-versions-with-downloads": {"versions": [known]},
            "latest-patch-versions-per-build": {"builds": {"157.0.1": {"version": VERSION, "revision": "1"}}},
        }.items():
            self.files[f"/{name}.json"] = json.dumps({"timestamp": "2026-11-21T00:00:00Z", **content}).encode()

    def archives_asked(self) -> list[str]:
        return [path.rpartition("/")[2] for path in self.asked if not path.endswith(".json")]


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        mirror = cast("Mirror", self.server)
        mirror.asked.append(self.path)
        content = mirror.files.get(self.path)
        self.send_response(200 if content is not None else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass


def script(answer: str, program: str = "") -> bytes:
    """Return a program that answers --version, and is another one otherwise."""
    other = f'[ "$*" = --version ] || PATH={os.defpath} exec {program} "$@"\n' if program else ""
    return f"#!/bin/sh\n{other}echo '{answer}'\n".encode()


def zipped(name: str, answer: str, program: str = "") -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = 0o755 << 16
        archive.writestr(entry, script(answer, program))
    return content.getvalue()


def tarred(name: str, answer: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz") as archive:
        entry = tarfile.TarInfo(name)
        entry.mode, entry.size = 0o755, len(script(answer))
        archive.addfile(entry, io.BytesIO(script(answer)))
    return content.getvalue()


@contextmanager
def open_mirror(chrome: str = "", chromedriver: str = "") -> Generator[Mirror]:
    """Serve, in a thread, archives of scripts; those of Chrome can be given programs to be."""
    with Mirror(chrome, chromedriver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
