"""Probes by HTTP, on the port of the metrics, and by gRPC: what an orchestrator asks, and who watches."""

import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.server.process.app import Application
from referee.server.process.health import CONNECTION_WATCHERS, HealthService
from referee.storage import WriteTrouble
from tests.server.options import server_options
from tests.waiting import until

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


def probed(folder: Path, *, on_retired: Callable[[str], None] = print) -> Application:
    """Make a server with metrics on a free port; ``with`` starts it."""
    return Application(server_options(data=folder, metrics="127.0.0.1:0", sweep=False, on_retired=on_retired))


def test_paths_other_than_metrics_and_probes_are_not_found(tmp_path: Path) -> None:
    with probed(tmp_path) as app:
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
    app, draining, let_go = probed(tmp_path), threading.Event(), threading.Event()

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
    with probed(tmp_path, on_retired=reasons.append) as app:
        app._retire("its keys were changed")  # noqa: SLF001 - what the guard of the keys calls
        assert probe(app, "/healthz")[0] == 200
        assert probe(app, "/readyz") == (503, "not ready: NOT_SERVING: its keys were changed\n")
    assert reasons == ["its keys were changed"]


def test_server_whose_log_cannot_be_written_is_not_ready_until_it_can(tmp_path: Path) -> None:
    with probed(tmp_path) as app:
        trouble = WriteTrouble(kind="DISK", cause="the disk is full", remedy="free space")
        app._report_writing(trouble)  # noqa: SLF001 - what the watch of the log calls
        assert probe(app, "/healthz")[0] == 200
        assert probe(app, "/readyz") == (503, "not ready: NOT_SERVING: the log cannot be written: the disk is full\n")
        app._report_writing(None)  # noqa: SLF001 - as above
        assert probe(app, "/readyz") == (200, "ready\n")


ROUNDS = 5
WATCHERS = CONNECTION_WATCHERS


def test_server_stops_while_its_watchers_leave() -> None:
    """They leave one after another while the server reports that it stops."""
    for _ in range(ROUNDS):
        server, healths = grpc.server(ThreadPoolExecutor(4)), HealthService()
        healths.serve(())
        health_pb2_grpc.add_HealthServicer_to_server(healths, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            watches = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(WATCHERS)]
            for watch in watches:
                assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
            assert healths.watchers == WATCHERS
            leaving = threading.Thread(target=lambda all_of_them=watches: [watch.cancel() for watch in all_of_them])
            stopping = threading.Thread(target=partial(healths.stop_serving, "a test"), daemon=True)
            leaving.start()
            stopping.start()
            leaving.join()
            stopping.join(60)
            assert not stopping.is_alive(), "the watchers keep the server from stopping"
            server.stop(0).wait(60)


def test_watcher_that_left_before_it_was_known_is_forgotten(tmp_path: Path) -> None:
    with probed(tmp_path) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        for _ in range(WATCHERS):
            stub.Watch(health_pb2.HealthCheckRequest()).cancel()
        assert next(stub.Watch(health_pb2.HealthCheckRequest())).status == health_pb2.HealthCheckResponse.SERVING
        until(lambda: app.health.watchers <= 1)
