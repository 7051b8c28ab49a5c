"""A server for one page."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, page: str, *arguments: object) -> None:
        self.page = page.encode()
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType] - those of the server

    def do_GET(self) -> None:
        is_page = self.path == "/"
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.page if is_page else b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@contextmanager
def served(page: str) -> Generator[str]:
    """Serve a page and yield its origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, page)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
