"""``referee serve --web``: the command, its workers, its certificate, its page, and how it stops."""

import json
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings

Door = Any  # made by a fixture, and has its class in doors.py
KEYS: Final = "/referee.v1.LogService/GetKeys"
WATCH: Final = "/grpc.health.v1.Health/Watch"
SECONDS: Final = 120


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., tuple["subprocess.Popen[bytes]", dict[str, Any]]]]:
    """Start the command and stop it at the end."""
    with ExitStack() as opened:
        errors = opened.enter_context((tmp_path / "errors.log").open("ab"))

        def start(*options: str) -> tuple["subprocess.Popen[bytes]", dict[str, Any]]:
            command = [sys.executable, "-m", "referee", "serve", "--data", str(tmp_path / "data"), "--quiet"]
            process = opened.enter_context(
                subprocess.Popen([*command, "--listen", "127.0.0.1:0", *options], stdout=subprocess.PIPE, stderr=errors)
            )
            opened.callback(process.kill)
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, (tmp_path / "errors.log").read_text(encoding="utf-8")
            return process, json.loads(line)

        yield start


def keys_from(address: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's own options
    """Fetch the log's keys as plain JSON."""
    scheme = "https" if options else "http"
    kind = {"content-type": "application/json"}
    return httpx.post(f"{scheme}://{address}{KEYS}", content=b"{}", headers=kind, timeout=SECONDS, **options)


def test_pages_of_the_origins_that_flags_name_may_call(serve: Callable[..., tuple[Any, dict[str, Any]]]) -> None:
    origins = ("https://play.example", "http://localhost:5173")
    _, ready = serve("--web", "127.0.0.1:0", *(word for one in origins for word in ("--web-origin", one)))
    for origin, allowed in ((origins[0], origins[0]), (origins[1], origins[1]), ("https://other.example", None)):
        asked = {"origin": origin, "access-control-request-method": "POST"}
        answer = httpx.options(f"http://{ready['web']}{KEYS}", headers=asked, timeout=SECONDS)
        assert answer.headers.get("access-control-allow-origin") == allowed


def test_command_says_where_browsers_ask_and_stops_while_one_watches(serve) -> None:
    """The watch ends with a word that says to ask again, long before its connection would be cut off."""
    process, ready = serve("--web", "0", "--set", "serve.drain_lead=1", "--set", "serve.drain_grace=60")
    assert keys_from(ready["web"]).json()["origin"] == ready["origin"]
    host, _, port = ready["web"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=SECONDS) as watching:
        body = struct.pack(">BI", 0, 2) + b"{}"
        head = f"POST {WATCH} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/connect+json\r\n"
        watching.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        came = b""
        while b"SERVING" not in came:
            came += watching.recv(65536)
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        while more := watching.recv(65536):
            came += more
    assert b"NOT_SERVING" in came
    assert b'"unavailable"' in came
    assert process.wait(SECONDS) == 0
    assert time.monotonic() - begun < 60  # the grace


def test_workers_share_the_address(serve) -> None:
    process, ready = serve("--web", "0", "--workers", "2")
    assert {one["web"] for one in ready["workers"]} == {ready["web"]}
    assert [keys_from(ready["web"]).status_code for _ in range(8)] == [200] * 8
    process.send_signal(signal.SIGTERM)
    assert process.wait(SECONDS) == 0


def test_address_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "referee", "serve", "--data", str(tmp_path / "data"), "--quiet"]
        message = subprocess.run(
            [*command, "--listen", "127.0.0.1:0", "--web", address],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    assert message.returncode != 0
    assert "in use" in message.stderr


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    """The rest of the server needs nothing of it."""
    script = f"""
        import sys
        sys.modules["uvicorn"] = None
        sys.argv = ["referee", "serve", "--data", {str(tmp_path / "data")!r}, "--listen", "127.0.0.1:0", "--web", "0"]
        from referee.cli import main
        main()
    """
    message = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert message.returncode != 0
    assert "pip install 'referee[web]'" in message.stderr


def test_browsers_get_https_with_the_server_certificate_and_its_renewals(
    serve_web: Callable[..., Door], tmp_path: Path
) -> None:
    """A new pair counts from the next connection on; one that does not hold together changes nothing."""
    folder = tmp_path / "tls"
    folder.mkdir()
    first = pair(folder)
    tls = TlsSettings(certificate=str(folder / "server.pem"), key=str(folder / "server.key"))
    door = serve_web(tls=tls)
    assert shown(door.address) == first
    trusting = ssl.create_default_context(cafile=str(folder / "server.pem"))
    assert keys_from(door.address, verify=trusting).status_code == 200
    second = pair(folder)
    assert eventually(lambda: shown(door.address), second)
    whole = (folder / "server.key").read_bytes()
    (folder / "server.key").write_bytes(whole[:40])
    time.sleep(1.5)
    assert shown(door.address) == second
    (folder / "server.key").write_bytes(whole)
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
        ("web.connections", {"connections": 0}),
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
        assert WebSettings(**options).problems() == (), options


def pair(folder: Path) -> int:
    """Write a new key and its certificate for 127.0.0.1; return the serial number."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "new.key").write_bytes(private)
    (folder / "new.key").chmod(0o600)
    (folder / "new.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    shutil.move(folder / "new.key", folder / "server.key")
    shutil.move(folder / "new.pem", folder / "server.pem")
    return certificate.serial_number


def shown(address: str) -> int:
    """Return the serial number of the certificate that a browser gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=SECONDS) as raw,
        context.wrap_socket(raw, server_hostname=host) as secure,
    ):
        message = secure.getpeercert(binary_form=True)
    assert message is not None
    return x509.load_der_x509_certificate(message).serial_number


def eventually(ask: Callable[[], int], wanted: int) -> bool:
    """Return whether the answer becomes the expected one."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if ask() == wanted:
            return True
        time.sleep(0.2)
    return False
