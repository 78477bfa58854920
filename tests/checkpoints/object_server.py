"""A server with S3's protocol that fails one request in ten, and can be ended in the middle of a save.

Needs s3fs and moto: pip install s3fs 'moto[server]'. The gateway is what clients see of the server: it has the requests of
moto's, which keeps the objects, and answers some of them with an error or not at all.
"""

import http.client
import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_PASSED = ("content-type", "etag", "last-modified", "content-range", "accept-ranges", "location")


class Gateway(ThreadingHTTPServer):
    """The server as clients see it. ends_after: the number of changes after which it is gone; None: never."""

    daemon_threads = True

    def __init__(self, host: str, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behind = (host, port)
        self.rng = random.Random(0)
        self.failing = 0.1
        self.ends_after: int | None = None
        self.requests = self.failed = self.changes = 0
        self.lock = threading.Lock()

    def verdict(self, change: bool) -> str:
        """What becomes of a request: it is "passed" on, "refused" with an error, "lost" after it was done, or "ended"."""
        with self.lock:
            self.requests += 1
            self.changes += change
            if self.ends_after is not None and self.changes > self.ends_after:
                return "ended"
            if self.rng.random() >= self.failing:
                return "passed"
            self.failed += 1
            return self.rng.choice(("refused", "lost", "dropped"))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Gateway

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        verdict = self.server.verdict(self.command in ("PUT", "POST", "DELETE"))
        if verdict in ("ended", "dropped"):
            self.close_connection = True
            return
        if verdict == "refused":
            self._answer(503, {"content-type": "application/xml"}, b"<Error><Code>ServiceUnavailable</Code></Error>")
            return
        behind = http.client.HTTPConnection(*self.server.behind, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            behind.request(self.command, self.path, body, headers | {"Host": self.headers["Host"]})
            answer = behind.getresponse()
            content = answer.read()
        finally:
            behind.close()
        if verdict == "lost":
            self.close_connection = True
            return
        passed = {n: v for n, v in answer.getheaders() if n.lower() in _PASSED or n.lower().startswith("x-amz")}
        length = answer.getheader("Content-Length") if self.command == "HEAD" else None
        self._answer(answer.status, passed, content, length)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _forward

    def _answer(self, status: int, headers: dict[str, str], content: bytes, length: str | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", length or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def object_server() -> Iterator[Gateway]:
    """A server with an empty bucket `box`, to which `s3://` leads in the body."""
    from moto.server import ThreadedMotoServer  # only soak tests have it

    settings = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",  # so that failures reach us
    }
    os.environ.update(settings)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    gateway = Gateway(host, port)
    thread = threading.Thread(target=gateway.serve_forever, daemon=True)
    thread.start()
    os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{gateway.server_address[1]}"
    behind = http.client.HTTPConnection(host, port)
    behind.request("PUT", "/box", headers={"Host": "localhost"})
    assert behind.getresponse().status == 200
    behind.close()
    try:
        yield gateway
    finally:
        gateway.shutdown()
        gateway.server_close()
        server.stop()
        for name in (*settings, "AWS_ENDPOINT_URL"):
            os.environ.pop(name, None)
