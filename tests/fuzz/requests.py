"""Random requests to the explorer's server: addresses, headers and bodies, right and wrong."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hopscape.show.explore.jobs import Jobs, PageRequest
from hopscape.show.explore.server import Server

from .formats import damage
from .specs import random_spec

_METHODS = ("GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "get", "", "G\x00T", "BREW")
_PATHS = (
    "", "jobs", "jobs/", "jobs/x", "jobs/x/page", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd", "jobs/..", "?x=1", "#", "jobs\\x", "\u202e", "a" * 9000,
)  # fmt: skip
_HEADERS = (
    "Content-Type: application/json", "Content-Type: text/plain", "Origin: http://evil.example",
    "Origin: null", "Content-Length: 5", "Content-Length: -1", "Content-Length: 9" + "9" * 30,
    "Transfer-Encoding: chunked", "Host: evil.example", "X" * 3000 + ": y", ": y", "no colon",
    "Expect: 100-continue", "Connection: keep-alive", "Cookie: a=b",
)  # fmt: skip
_SECRET = "root:"


class _Idle(Jobs):
    """Takes requests down and does no work: what is fuzzed is the server."""

    def start(self, asked: PageRequest) -> str:
        assert not any("file" in spec for spec in asked.specs), asked
        return "idle"


@contextmanager
def served() -> Iterator[Server]:
    """A server that runs meanwhile."""
    server = Server(jobs=_Idle())
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def random_request(server: Server, rng: random.Random) -> bytes:
    """A request: mostly well-formed, seldom damaged."""
    token = server.token if rng.random() < 0.8 else rng.choice(("", "x", server.token[:-1]))
    method, path = rng.choice(_METHODS[: 3 if rng.random() < 0.7 else None]), rng.choice(_PATHS)
    host = server.hosts[0] if rng.random() < 0.8 else rng.choice(("", "evil.example", "[::1]"))
    body = json.dumps(_body(rng)).encode(errors="surrogatepass") if rng.random() < 0.7 else b""
    lines = [f"{method} /{token}/{path} HTTP/1.{rng.choice('011119')}", f"Host: {host}"]
    if body and rng.random() < 0.8:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += rng.sample(_HEADERS, rng.choice((0, 0, 0, 1, 2)))
    whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
    return damage(whole, rng) if rng.random() < 0.25 else whole


def _body(rng: random.Random) -> Any:
    spec = random_spec(rng, 2)
    if rng.random() < 0.2:
        spec = rng.choice(
            ('file("/etc/passwd")', "/etc/passwd", "a.edges", "eval(1)", "", "ring(5")
        )
    return rng.choice(
        (
            {"specs": [spec]}, {"specs": [spec, spec]}, {"specs": spec}, {"specs": [[spec]]},
            {"specs": [spec], "load": rng.choice((0.2, -1, 1e9, "x", None, [], True))}, [], None,
            {"specs": [spec], "curve": rng.choice((True, 0, "yes"))}, {"x": spec}, 7, "x",
        )
    )  # fmt: skip


def send(server: Server, sent: bytes) -> int:
    """Send a request and judge the answer: a status below 500 and nothing of this machine's files.

    Returns:
        int: The status; 0 where the line was closed without an answer.
    """
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        got = b""
        try:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while part := line.recv(1 << 16):
                got += part
        except ConnectionError:  # it had heard enough
            pass
    text = got.decode("utf-8", "replace")
    assert "Traceback" not in text, text
    assert _SECRET not in text, text
    if not got:
        return 0
    status = int(text.split()[1]) if text.startswith("HTTP/") else 0
    assert status < 500, text
    return status
