"""A watcher of a server's health cannot keep it from stopping by leaving just then."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.server.process.drain import HealthService

ROUNDS = 5
WATCHERS = 40


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
            end = time.monotonic() + 60
            while healths.watchers < WATCHERS:  # each is counted once its first answer is on its way
                assert time.monotonic() < end, "somebody who watches is not counted"
                time.sleep(0.01)
            leaving = threading.Thread(target=lambda all_of_them=watches: [watch.cancel() for watch in all_of_them])
            stopping = threading.Thread(target=healths.enter_graceful_shutdown, daemon=True)
            leaving.start()
            stopping.start()
            leaving.join()
            stopping.join(60)
            assert not stopping.is_alive(), "the watchers keep the server from stopping"
            server.stop(0).wait(60)
        healths.close()


class Left:
    """Context of a call that has ended: it calls nobody back."""

    def add_callback(self, _callback: Callable[[], None]) -> bool:
        """Return that nobody is called back."""
        return False


def test_watcher_that_left_before_it_was_known_is_forgotten() -> None:
    healths = HealthService()
    healths.Watch(health_pb2.HealthCheckRequest(), Left(), lambda _answer: None)
    healths._removing.shutdown(wait=True)  # noqa: SLF001 - the thread on which watchers are removed
    assert healths.watchers == 0
