"""``referee serve --web``: the command, its workers, its certificate, its page, and how it stops."""

import socket
import ssl
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from cryptography import x509

from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.web import Gateway, Upstream
from tests.server.processes import Serve
from tests.server.tls.authority import Authority
from tests.waiting import until
from tests.web.doors import opened_door, read_until, watch

Door = Any  # made by a fixture, and has its class in doors.py
SECONDS: Final = 60
KEYS: Final = "/referee.v1.LogService/GetKeys"


def keys_from(address: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's own options
    """Fetch the log's keys as plain JSON."""
    scheme = "https" if options else "http"
    kind = {"content-type": "application/json"}
    return httpx.post(f"{scheme}://{address}{KEYS}", content=b"{}", headers=kind, timeout=SECONDS, **options)


def test_pages_of_the_origins_that_flags_name_may_call(serve: Serve) -> None:
    origins = ("https://play.example", "http://localhost:5173")
    named = (word for one in origins for word in ("--web-origin", one))
    ready = serve("--quiet", "--web", "127.0.0.1:0", *named).ready
    for origin, allowed in ((origins[0], origins[0]), (origins[1], origins[1]), ("https://other.example", None)):
        asked = {"origin": origin, "access-control-request-method": "POST"}
        answer = httpx.options(f"http://{ready['web']}{KEYS}", headers=asked, timeout=SECONDS)
        assert answer.headers.get("access-control-allow-origin") == allowed


def test_command_says_where_browsers_ask_and_stops_while_one_watches(serve: Serve) -> None:
    """The watch ends with a word that says to ask again, long before its connection would be cut off."""
    options = ("--web", "0", "--set", "serve.drain_lead=1", "--set", "serve.drain_grace=60")
    server = serve("--quiet", *options, drain_lead=None)
    assert keys_from(server.ready["web"]).json()["origin"] == server.ready["origin"]
    with watch(server.ready["web"]) as watching:
        read_until(watching, b"SERVING")
        begun = time.monotonic()
        server.terminate()
        came = read_until(watching, b'"unavailable"')
    assert b"NOT_SERVING" in came
    assert server.stop() == 0
    assert time.monotonic() - begun < 60  # the grace


def test_workers_share_the_address(serve: Serve) -> None:
    server = serve("--quiet", "--web", "0", "--workers", "2")
    address = server.ready["web"]
    assert {one["web"] for one in server.ready["workers"]} == {address}
    assert [keys_from(address).status_code for _ in range(8)] == [200] * 8
    assert server.stop() == 0


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    """The rest of the server needs nothing of it."""
    script = f"""
        import sys
        sys.modules["uvicorn"] = None
        sys.argv = ["referee", "serve", "--data", {str(tmp_path / "data")!r}, "--listen", "127.0.0.1:0", "--web", "0"]
        from referee.cli import main
        main()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    message = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert message.returncode != 0
    assert "pip install '.[web]'" in message.stderr


def test_browsers_get_https_with_the_server_certificate_and_its_renewals(serve_web, tmp_path: Path) -> None:
    """A new pair counts from the next connection on; one that does not hold together changes nothing."""
    authority = Authority("authority")
    first = authority.server().write(tmp_path).certificate.serial_number
    (tmp_path / "ca.pem").write_bytes(authority.paper.pem)
    door = serve_web(tls=TlsSettings(certificate=str(tmp_path / "server.pem"), key=str(tmp_path / "server.key")))
    assert shown(door.address) == first
    trusting = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    assert keys_from(door.address, verify=trusting).status_code == 200
    second = authority.server().write(tmp_path).certificate.serial_number
    until(lambda: shown(door.address) == second)
    whole = (tmp_path / "server.key").read_bytes()
    (tmp_path / "server.key").write_bytes(whole[:40])
    time.sleep(1.5)
    assert shown(door.address) == second
    (tmp_path / "server.key").write_bytes(whole)
    assert shown(door.address) == second


def test_page_is_served_at_the_same_address(serve_web: Callable[..., Door], tmp_path: Path) -> None:
    """Files of one folder and no others; scripts that are named by their content may be kept."""
    (tmp_path / "page" / "assets").mkdir(parents=True)
    (tmp_path / "page" / "index.html").write_text("<title>table</title>", encoding="utf-8")
    (tmp_path / "page" / "assets" / "a-1f2e.js").write_text("1", encoding="utf-8")
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    door = serve_web(page=str(tmp_path / "page"))
    index = door.http.get("/")
    assert (index.text, index.headers["cache-control"]) == ("<title>table</title>", "no-cache")
    assert index.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert index.headers["x-content-type-options"] == "nosniff"
    script = door.http.get("/assets/a-1f2e.js")
    assert "immutable" in script.headers["cache-control"]
    assert door.ask(KEYS).status_code == 200
    host, _, port = door.address.rpartition(":")
    for path in ("/../secret", "/%2e%2e/secret", "/assets/..%2f..%2fsecret", "//etc/passwd"):
        with socket.create_connection((host, int(port)), timeout=SECONDS) as raw:
            raw.sendall(f"GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
            assert raw.recv(65536).startswith(b"HTTP/1.1 404"), path


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("web.listen", {"listen": "127.0.0.1:http"}),
        ("web.listen", {"listen": "127.0.0.1:99999"}),
        ("web.hosts", {"listen": "0.0.0.0:8080"}),
        ("web.hosts", {"hosts": ("https://play.example.com",)}),
        ("web.origins", {"origins": ("play.example.com",)}),
        ("web.origins", {"origins": ("https://play.example.com/table",)}),
        ("web.page", {"page": "/nowhere"}),
    ],
)
def test_settings_that_cannot_be_meant_are_named(key: str, options: dict[str, Any]) -> None:
    assert [problem.key for problem in WebSettings(**options).problems()] == [key]


def test_settings_that_can_be_meant_have_no_problem(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    for options in (
        {},
        {"listen": "8080"},
        {"listen": "[::1]:8080", "page": str(tmp_path)},
        {"listen": "0.0.0.0:443", "hosts": ("play.example.com", "*.example.org"), "origins": ("https://a.example:8",)},
        {"listen": "localhost:0", "origins": ("*",), "hosts": ("*",)},
    ):
        assert list(WebSettings(**options).problems()) == [], options


def shown(address: str) -> int:
    """Return the serial number of the certificate that a browser gets."""
    host, _, port = address.rpartition(":")
    return x509.load_pem_x509_certificate(ssl.get_server_certificate((host, int(port))).encode()).serial_number


def test_probes_answer_by_address_and_before_every_check(serve_web: Callable[..., Door]) -> None:
    """An orchestrator calls a machine by its address, which is no host name of the gateway."""
    door = serve_web(listen="127.0.0.1:0", hosts=("play.example.com",))
    assert door.http.get("/", headers={"host": "10.1.2.3:8080"}).status_code == 400
    for path, text in (("/healthz", "alive\n"), ("/readyz", "ready\n")):
        answer = door.http.get(path, headers={"host": "10.1.2.3:8080", "origin": "https://other.example"})
        assert (answer.status_code, answer.text) == (200, text)
        assert "access-control-allow-origin" not in answer.headers
        assert (door.http.head(path).status_code, door.http.head(path).content) == (200, b"")
        assert door.http.post(path).status_code == 405
    assert door.http.get("/readyz/", headers={"host": "play.example.com"}).status_code == 404


def test_gateway_is_not_ready_while_its_server_drains(tmp_path: Path) -> None:
    answers: list[httpx.Response] = []

    def ask() -> None:
        answers.extend(httpx.get(f"{url}/{path}", timeout=SECONDS) for path in ("readyz", "healthz"))

    with opened_door(tmp_path, draining=ask) as (_, url):
        assert httpx.get(f"{url}/readyz", timeout=SECONDS).text == "ready\n"
    assert [answer.status_code for answer in answers] == [503, 200]
    assert answers[0].text.startswith("not ready: NOT_SERVING: ")


def test_gateway_is_not_ready_without_its_service(tmp_path: Path) -> None:
    nobody = Upstream(target=f"unix:{tmp_path / 'nobody'}", gateway_pass="")
    with Gateway(WebSettings(listen="127.0.0.1:0"), nobody, limits=LimitSettings()) as gateway:
        url = f"http://127.0.0.1:{gateway.port}"
        answer = httpx.get(f"{url}/readyz", timeout=SECONDS)
        assert (answer.status_code, answer.text) == (503, "not ready: UNAVAILABLE: the service does not answer\n")
        answer = httpx.get(f"{url}/healthz", timeout=SECONDS)
        assert (answer.status_code, answer.text) == (503, "not alive: UNAVAILABLE: the service does not answer\n")
