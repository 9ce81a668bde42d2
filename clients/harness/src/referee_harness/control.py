"""The control API: the harness moved from any language, over HTTP and JSON on loopback.

====================  ============================================================================================
``GET /``             where everything is: ``grpc``, ``control``, ``keys``, ``clock``, what waits
``POST /script``      the next round is dealt so; members of a script, and ``table_id``, ``round_number``
``GET /vectors``      the names of all vectors that can be dealt
``GET /vectors/NAME`` one vector, whole; NAME as ``mau_binh/settlement%23value-front-three-M``
``GET /clock``        ``now`` and ``is_running``
``POST /clock``       one of ``advance_ms``, ``now``, ``is_running``
``POST /fault``       a fault waits to strike
``POST /cut``         every connection is broken now; ``down_ms``
``POST /restart``     another server runs on the same log and address
``POST /reset``       no script and no fault waits
====================  ============================================================================================

An answer is a JSON object; a refusal has status 400 (404 where nothing has that name) and
``{"error": {"field": ..., "message": ...}}``. Pages of this machine may call it.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from referee.evidence.outside import OutsideError, read_json
from referee_harness import vectors
from referee_harness.harness import Harness
from referee_harness.refusal import HarnessError

MAX_BODY_BYTES: Final = 65_536
_SIZE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_LOCAL: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_HOSTS: Final = re.compile(r"(localhost|127\.0\.0\.1)(:\d+)?")
_PLACE: Final = ("table_id", "round_number")

Answer: TypeAlias = dict[str, Any]
Route: TypeAlias = Callable[[Mapping[str, Any]], Answer]
Routes: TypeAlias = Mapping[tuple[str, str], Route]


class Control:
    """Listens on a port of loopback, 0 for a free one, and moves a harness."""

    def __init__(self, harness: Harness, *, port: int = 0) -> None:
        self._harness = harness
        routes: Routes = {
            ("GET", "/"): lambda _: self.description(),
            ("GET", "/clock"): lambda _: self._clock(),
            ("GET", "/vectors"): lambda _: {"vectors": vectors.names()},
            ("POST", "/script"): self._script,
            ("POST", "/clock"): self._move_clock,
            ("POST", "/fault"): self._fault,
            ("POST", "/cut"): self._cut,
            ("POST", "/restart"): lambda _: self._done(harness.restart),
            ("POST", "/reset"): lambda _: self._done(harness.reset),
        }
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler_of(routes))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="control", daemon=True)

    @property
    def url(self) -> str:
        """Where it listens, as ``http://127.0.0.1:8000``."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Start answering calls."""
        self._thread.start()

    def close(self) -> None:
        """No call is answered any more."""
        self._server.shutdown()
        self._server.server_close()

    def description(self) -> Answer:
        """Where everything is, and what waits."""
        harness = self._harness
        here: Answer = {"grpc": harness.grpc, "control": self.url}
        here |= {"web": harness.web} if harness.web else {}
        here |= {"origin": harness.application.origin, "keys": harness.keys}
        return here | {"clock": self._clock(), "data": str(harness.data)} | harness.waiting

    def _script(self, body: Mapping[str, Any]) -> Answer:
        script = {name: value for name, value in body.items() if name not in _PLACE}
        table, number = str(body.get("table_id", "")), _integer(body.get("round_number", 0), "round_number")
        self._harness.script(script, table_id=table, round_number=number)
        vector = body.get("vector")
        return {"vector": vectors.find(str(vector))} if vector is not None else {}

    def _clock(self) -> Answer:
        clock = self._harness.clock
        return {"now": clock(), "is_running": clock.is_running}

    def _move_clock(self, body: Mapping[str, Any]) -> Answer:
        clock = self._harness.clock
        match dict(body):
            case {"advance_ms": step, **rest} if not rest:
                clock.advance(_integer(step, "advance_ms"))
            case {"now": now, **rest} if not rest:
                clock.set(_integer(now, "now"))
            case {"is_running": bool(is_running), **rest} if not rest:
                clock.run(is_running=is_running)
            case _:
                raise HarnessError(field="", message="give one of advance_ms, now, is_running")
        return self._clock()

    def _fault(self, body: Mapping[str, Any]) -> Answer:
        self._harness.fault(**body)
        return {}

    def _cut(self, body: Mapping[str, Any]) -> Answer:
        self._harness.cut(down_ms=_integer(body.get("down_ms", 0), "down_ms"))
        return {}

    def _done(self, act: Callable[[], None]) -> Answer:
        act()
        return {}


def _handler_of(routes: Routes) -> type[BaseHTTPRequestHandler]:
    """Make the handler class for these routes; the standard library makes one instance of it a connection."""
    return type("Handler", (_Handler,), {"routes": routes})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    routes: ClassVar[Routes]

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_OPTIONS(self) -> None:
        """Answer a browser that asks before it calls."""
        self._answer("OPTIONS")

    def log_message(self, *_: object) -> None:
        """Suppress the log line of a call."""

    def _answer(self, verb: str) -> None:
        """Read the call whole before it is judged: a body that is left would be taken for the next call."""
        try:
            body = self._read()
            if verb == "OPTIONS":
                self._send(204, b"")
                return
            self._require_host()
            status, answer = 200, _route(self.routes, verb, urlsplit(self.path).path)(_object(body))
        except HarnessError as error:
            status = 404 if error.is_unknown else 400
            answer = {"error": {"field": error.field, "message": str(error)}}
        self._send(status, json.dumps(answer).encode())

    def _read(self) -> bytes:
        size = self.headers.get("content-length") or "0"
        if "transfer-encoding" in self.headers or _SIZE.fullmatch(size) is None or int(size) > MAX_BODY_BYTES:
            self.close_connection = True  # where the next call begins is not known, or far
            raise HarnessError(field="", message=f"a call has a Content-Length and at most {MAX_BODY_BYTES} bytes")
        return self.rfile.read(int(size))

    def _require_host(self) -> None:
        if _HOSTS.fullmatch(self.headers.get("host", "")) is None:
            raise HarnessError(field="", message="ask by the name 127.0.0.1 or localhost")

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        origin = self.headers.get("origin", "")
        if _LOCAL.fullmatch(origin):
            self.send_header("access-control-allow-origin", origin)
            self.send_header("access-control-allow-headers", "content-type")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        return read_json(body or b"{}", dict[str, Any], most=MAX_BODY_BYTES)
    except OutsideError as error:
        raise HarnessError(field="", message=f"the body is no JSON object: {error}") from None


def _route(routes: Routes, verb: str, path: str) -> Route:
    found = routes.get((verb, path))
    if found is not None:
        return found
    if verb == "GET" and path.startswith("/vectors/"):
        name = unquote(path.removeprefix("/vectors/"))
        return lambda _: vectors.find(name)
    known = ", ".join(f"{one} {where}" for one, where in routes)
    raise HarnessError(field="", message=f"there is no {verb} {path}; there are {known}", is_unknown=True)


def _integer(body: object, member: str) -> int:
    if not isinstance(body, int) or isinstance(body, bool) or body < 0:
        raise HarnessError(field=member, message=f"{member} is a whole number from 0, not {body!r}")
    return body
