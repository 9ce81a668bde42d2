"""HTTP probes on the port of the metrics: what an orchestrator asks, and what it must not take for an answer."""

import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.server.process.address import AddressError
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.storage import WriteTrouble
from tests.server.options import server_options

SECONDS = 60


def probe(app: Application, path: str, method: str = "GET") -> tuple[int, str]:
    """Return status and text of an answer of the metrics' port."""
    request = urllib.request.Request(f"http://127.0.0.1:{app.metrics_port}{path}", method=method)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - an address of this test
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def options(folder: Path, *, on_retired: Callable[[str], None] = print) -> ServerOptions:
    """Return the options of a server with metrics on a free port."""
    return server_options(
        data=folder,
        listen="127.0.0.1:0",
        metrics="127.0.0.1:0",
        sweep=False,
        on_retired=on_retired,
    )


def test_paths_other_than_metrics_and_probes_are_not_found(tmp_path: Path) -> None:
    with Application(options(tmp_path)) as app:
        status, text = probe(app, "/metrics")
        assert (status, "referee_log_leaves 4.0" in text) == (200, True)
        assert probe(app, "/healthz") == (200, "alive\n")
        assert probe(app, "/readyz") == (200, "ready\n")
        assert probe(app, "/readyz", "HEAD") == (200, "")
        assert probe(app, "/readyz", "POST")[0] == 405
        for path in ("/", "/metrics/", "/health", "/favicon.ico", "/readyz/x", "/nowhere"):
            status, text = probe(app, path)
            assert (status, "referee_log_leaves" in text) == (404, False), path


def test_server_is_not_ready_before_it_listens_and_while_it_drains(tmp_path: Path) -> None:
    """The process answers all the while."""
    app, draining, let_go = Application(options(tmp_path)), threading.Event(), threading.Event()

    def hold() -> None:
        draining.set()
        let_go.wait(SECONDS)

    app.add_gateway(hold)
    assert probe(app, "/healthz")[0] == 200
    assert probe(app, "/readyz") == (503, "not ready: NOT_SERVING: the server is starting\n")
    app.start()
    assert probe(app, "/readyz")[0] == 200
    closing = threading.Thread(target=app.close)
    closing.start()
    assert draining.wait(SECONDS)
    assert probe(app, "/readyz") == (503, "not ready: NOT_SERVING: the server is stopping\n")
    assert probe(app, "/healthz")[0] == 200
    let_go.set()
    closing.join(SECONDS)


def test_server_that_must_sign_no_more_is_not_ready_and_says_why(tmp_path: Path) -> None:
    reasons: list[str] = []
    with Application(options(tmp_path, on_retired=reasons.append)) as app:
        app._retire("its keys were changed")  # noqa: SLF001 - what the guard of the keys calls
        assert probe(app, "/healthz")[0] == 200
        assert probe(app, "/readyz") == (503, "not ready: NOT_SERVING: its keys were changed\n")
    assert reasons == ["its keys were changed"]


def test_address_of_the_probes_that_is_taken_is_said(tmp_path: Path) -> None:
    with Application(options(tmp_path / "one")) as app:
        taken = f"127.0.0.1:{app.metrics_port}"
        with pytest.raises(AddressError, match=r"telemetry\.metrics"):
            Application(server_options(data=tmp_path / "two", metrics=taken))


def test_server_whose_log_cannot_be_written_is_not_ready_until_it_can(tmp_path: Path) -> None:
    with Application(options(tmp_path)) as app:
        trouble = WriteTrouble(kind="DISK", cause="the disk is full", remedy="free space")
        app._report_writing(trouble)  # noqa: SLF001 - what the watch of the log calls
        assert probe(app, "/healthz")[0] == 200
        assert probe(app, "/readyz") == (
            503,
            "not ready: NOT_SERVING: the log cannot be written: the disk is full\n",
        )
        app._report_writing(None)  # noqa: SLF001 - as above
        assert probe(app, "/readyz") == (200, "ready\n")
