"""HTTP probes of the gateway: they ask the service behind it."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from referee.cli.browsers import door_for
from referee.server.process.app import Application
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.web import Gateway, Upstream
from tests.server.options import server_options

Door = Any  # made by a fixture, and has its class in doors.py
SECONDS = 60


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
    draining, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        draining.set()
        let_go.wait(SECONDS)

    settings = WebSettings(listen="127.0.0.1:0")
    with door_for(settings, tls=TlsSettings(), limits=LimitSettings()) as door:
        application = Application(
            server_options(data=tmp_path, gateway_sockets=door.sockets, gateway_pass=door.gateway_pass)
        ).start()
        application.add_gateway(hold)
        url = f"http://{door.open(application, is_port_shared=False, grace=5.0)}"
        assert httpx.get(f"{url}/readyz", timeout=SECONDS).text == "ready\n"
        closing = threading.Thread(target=application.close)
        closing.start()
        assert draining.wait(SECONDS)
        answer = httpx.get(f"{url}/readyz", timeout=SECONDS)
        assert (answer.status_code, answer.text.startswith("not ready: NOT_SERVING: ")) == (503, True)
        assert httpx.get(f"{url}/healthz", timeout=SECONDS).status_code == 200
        let_go.set()
        closing.join(SECONDS)


def test_gateway_is_not_ready_without_its_service(tmp_path: Path) -> None:
    nobody = Upstream(target=f"unix:{tmp_path / 'nobody'}", gateway_pass="")
    with Gateway(WebSettings(listen="127.0.0.1:0"), nobody, limits=LimitSettings()) as gateway:
        url = f"http://127.0.0.1:{gateway.port}"
        answer = httpx.get(f"{url}/readyz", timeout=SECONDS)
        assert (answer.status_code, answer.text) == (503, "not ready: UNAVAILABLE: the service does not answer\n")
        assert httpx.get(f"{url}/healthz", timeout=SECONDS).text == "alive\n"
