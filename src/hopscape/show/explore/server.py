"""The explorer on loopback: a workbench, and pages computed on demand.

Only whoever has the address with its token gets an answer, only from this machine, and only under
the names of this machine (which keeps out pages of other sites that rebind their name to it). The
browser sends specs and numbers, which are parsed, never evaluated; specs that read files are
refused. The address of every page begins with the token, so that none must be stored.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.show.explore.jobs import BusyError, Jobs, in_words, read_question, require_no_file
from hopscape.show.explore.workbench import family_picture, workbench_page, workbench_policy

__all__ = ["Server", "serve"]

_LOOPBACK = "127.0.0.1"
_MOST_BYTES = 20_000  # of a request: four specs and their options
_PATIENCE = 15.0  # seconds for a slow client


class Server(ThreadingHTTPServer):
    """The server, bound to loopback; threads end with it.

    Args:
        port: 0 for one that is free.

    Raises:
        ArgumentError: When the port cannot be had.
    """

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"
    """There it would let another program answer at the same port."""

    def __init__(self, port: int = 0, jobs: Jobs | None = None) -> None:
        self.token = secrets.token_urlsafe(24)
        self.jobs = jobs if jobs is not None else Jobs()
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ArgumentError(
                f"port {port} cannot be had: {reason}; --port 0 takes any"
            ) from None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The page, with its token."""
        return f"http://{_LOOPBACK}:{self.port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names under which it may be asked."""
        names = (_LOOPBACK, "localhost")
        return tuple(f"{name}:{self.port}" for name in names)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke off is nobody's fault; other errors are told in a line."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(f"hopscape: a request failed ({type(error).__name__})", file=sys.stderr)

    def server_close(self) -> None:
        self.jobs.close()
        super().server_close()


class _RefusedError(Exception):
    """A request that gets no answer but a sentence."""

    def __init__(self, status: HTTPStatus, text: str, more: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.more = more or {}


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version = "hopscape"
    sys_version = ""
    timeout = _PATIENCE

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: addresses hold the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Malformed requests in words; what is not spoken here is the client's mistake."""
        known = {501: HTTPStatus.METHOD_NOT_ALLOWED, 505: HTTPStatus.BAD_REQUEST}
        status = known.get(code, HTTPStatus(code))
        text = (
            "this server knows GET, POST and DELETE" if code == 501 else "the request is malformed"
        )
        self._refuse(_RefusedError(status, text))

    # -- answers ------------------------------------------------------------------------------

    def _answer(self, status: int, kind: str, text: str, policy: str) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"),
            ("Content-Length", str(len(data))),
            ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _json(self, status: int, data: Any) -> None:
        text = json.dumps(data)
        self._answer(status, "application/json", text, "default-src 'none'")

    def _refuse(self, error: _RefusedError) -> None:
        self.close_connection = True
        self.request_version = (
            "HTTP/1.0"  # a status line even where the request was too odd for one
        )
        self._json(error.status, {"error": str(error)} | error.more)

    # -- questions ----------------------------------------------------------------------------

    def do_GET(self) -> None:
        self._do(self._get)

    def do_HEAD(self) -> None:
        self._do(self._get)

    def do_POST(self) -> None:
        self._do(self._post)

    def do_DELETE(self) -> None:
        self._do(self._delete)

    def _do(self, act: Callable[[list[str]], None]) -> None:
        try:
            act(self._path())
        except _RefusedError as error:
            self._refuse(error)
        except BusyError as error:
            self._refuse(_RefusedError(HTTPStatus.TOO_MANY_REQUESTS, str(error)))
        except HopscapeError as error:
            told = in_words(error)
            self._refuse(_RefusedError(HTTPStatus.BAD_REQUEST, told["error"], told))

    def _path(self) -> list[str]:
        """The words after the token, once host, origin and token are right."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].strip().lower() not in self.server.hosts:
            message = "the Host header must be one of " + ", ".join(self.server.hosts)
            raise _RefusedError(HTTPStatus.FORBIDDEN, message)
        origin = self.headers.get("Origin", f"http://{self.server.hosts[0]}")
        changes = self.command not in ("GET", "HEAD")
        if changes and origin.removeprefix("http://") not in self.server.hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "another site may not ask")
        token, *words = self.path.partition("?")[0].removeprefix("/").split("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            message = "the token in the address is wrong; open the address that hopscape printed"
            raise _RefusedError(HTTPStatus.FORBIDDEN, message)
        return words

    def _get(self, words: list[str]) -> None:
        jobs = self.server.jobs
        if words == [""]:
            self._answer(HTTPStatus.OK, "text/html", workbench_page(), workbench_policy())
        elif len(words) == 2 and words[0] == "pictures" and (drawn := family_picture(words[1])):
            self._answer(HTTPStatus.OK, "image/svg+xml", drawn, "default-src 'none'")
        elif len(words) == 2 and words[0] == "jobs" and (state := jobs.state(words[1])):
            self._json(HTTPStatus.OK, state)
        elif len(words) == 3 and words[::2] == ["jobs", "page"] and (page := jobs.page(words[1])):
            self._answer(HTTPStatus.OK, "text/html", page, "frame-ancestors 'self'")
        else:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is nothing under this address")

    def _post(self, words: list[str]) -> None:
        if words == ["check"]:
            self._json(HTTPStatus.OK, self._check())
            return
        if words != ["jobs"]:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is nothing under this address")
        name = self.server.jobs.start(read_question(self._body()))
        self._json(HTTPStatus.ACCEPTED, {"job": name})

    def _check(self) -> dict[str, Any]:
        """What is wrong with a spec that is being typed; nothing when it can be read."""
        asked = self._body()
        spec = asked.get("spec") if isinstance(asked, dict) else None
        if not isinstance(spec, str):
            raise ArgumentError("the request must be an object with a spec")
        try:
            require_no_file(spec)
        except HopscapeError as error:
            return in_words(error)
        return {}

    def _delete(self, words: list[str]) -> None:
        if len(words) != 2 or words[0] != "jobs" or not self.server.jobs.cancel(words[1]):
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is no such request")
        self._json(HTTPStatus.OK, {"state": "cancelled"})

    def _body(self) -> Any:
        if self.headers.get_content_type() != "application/json":
            message = "the request must be application/json"
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message)
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "the length of the request is missing")
        if len(length) > 9 or int(length) > _MOST_BYTES:
            message = f"a request may have {_MOST_BYTES} bytes"
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        try:
            data = self.rfile.read(int(length))
        except TimeoutError:
            message = "the rest of the request did not come"
            raise _RefusedError(HTTPStatus.REQUEST_TIMEOUT, message) from None
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "the request is not JSON") from None


def _prepare(server: Server) -> None:
    """While the browser starts: the first page, then what every job needs."""
    workbench_page()
    server.jobs.warm_up()


def serve(port: int = 0, *, show: Callable[[str], None] | None = None) -> None:
    """Answer until interrupted.

    Args:
        port: 0 for one that is free.
        show: Told the address before the first request.
    """
    server = Server(port)
    threading.Thread(target=_prepare, args=(server,), daemon=True).start()
    try:
        if show is not None:
            show(server.address)
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
