"""A server stopped and started again while it is used: callers who follow the service config notice nothing."""

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from referee_client.channel import RECONNECTING

from referee.v1 import log_pb2
from tests.driver.driver import settle
from tests.driver.messages import METHODS
from tests.driver.refusal import ending_of
from tests.server.processes import Caller, Load, Process, Serve
from tests.waiting import until

CONFIG = resources.files("referee.v1").joinpath("service_config.json").read_text(encoding="utf-8")
ARGUMENTS = [("grpc.service_config", CONFIG), *RECONNECTING, ("grpc.use_local_subchannel_pool", 1)]
"""Those that the clients' page names; the last option keeps channels from sharing a connection."""
GRACE_SECONDS = 10
CALLERS = 8
CLIENTS = 4


def have_come_back(server: Process, clients: int) -> bool:
    """Return whether as many connections to a server are open as there are clients."""
    port = int(server.ready["address"].rpartition(":")[2])
    found = psutil.Process(server.pid).net_connections("tcp")
    return sum(one.laddr.port == port and one.status == psutil.CONN_ESTABLISHED for one in found) >= clients


SERVING = health_pb2.HealthCheckResponse.SERVING


def test_each_method_is_retried_exactly_where_its_proto_lets_it() -> None:
    """Read from the generated descriptors, not from the protos that the config is made from."""
    retried = {
        f"{name['service']}.{name['method']}": "retryPolicy" in entry
        for entry in json.loads(CONFIG)["methodConfig"]
        for name in entry["name"]
    }
    allowed = {method.full_name: method.GetOptions().idempotency_level != 0 for method in METHODS.values()}
    assert len(allowed) > 30
    assert retried == allowed


@pytest.mark.slow("starts many processes")
def test_two_servers_restarted_in_turn_under_load_fail_no_call(serve: Serve) -> None:
    """Four callers play rounds over two servers on one log; each server is stopped and started again meanwhile.

    The second one is stopped once the clients have found the first again, as the page about upgrades says.
    """
    options = ("--quiet", "--set", "serve.drain_lead=0.5")
    servers = [serve(*options), serve(*options)]
    addresses = [one.ready["address"] for one in servers]
    target = "ipv4:" + ",".join(addresses)
    with Load([grpc.insecure_channel(target, ARGUMENTS) for _ in range(CLIENTS)]) as load:
        for index, address in enumerate(addresses):
            load.more(20)
            begun = time.monotonic()
            assert servers[index].stop() == 0
            assert time.monotonic() - begun < GRACE_SECONDS, "it waited for calls that nobody made"
            load.more(20)
            servers[index] = serve(*options, "--listen", address)
            until(partial(have_come_back, servers[index], CLIENTS), "not all came back")
    assert not load.errors, load.errors[0]
    assert len(load.settled) >= 80
    assert set(load.settled.values()) <= set(servers[0].leaves())


def test_stop_under_load_ends_no_call_with_what_is_not_repeated(serve: Serve) -> None:
    """By default the server takes calls for two seconds after it says that it stops, and its callers leave meanwhile.

    They ask one after another until the server is gone; whatever they are then refused with, the config repeats.
    """
    server = serve("--quiet", drain_lead=None)
    repeated = {
        code
        for entry in json.loads(CONFIG)["methodConfig"]
        for code in entry.get("retryPolicy", {}).get("retryableStatusCodes", [])
    }
    codes: Counter[str] = Counter()
    is_gone = threading.Event()

    def ask() -> None:
        with grpc.insecure_channel(server.ready["address"], ARGUMENTS) as channel:
            caller = Caller(channel)
            while not is_gone.is_set():
                codes[ending_of(caller.log.GetCheckpoint, log_pb2.GetCheckpointRequest(), timeout=60)[0]] += 1

    with ThreadPoolExecutor(CALLERS) as threads:
        asked = [threads.submit(ask) for _ in range(CALLERS)]
        until(lambda: codes["OK"] >= 20 * CALLERS, f"the callers stand still: {codes}")
        late = Caller(grpc.insecure_channel(server.ready["address"], ARGUMENTS[1:]))
        late.log.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=60)
        server.terminate()
        health = health_pb2_grpc.HealthStub(late.channel)
        until(lambda: health.Check(health_pb2.HealthCheckRequest(), timeout=60).status != SERVING)
        assert late.log.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=60).checkpoint, "it took no call any more"
        late.channel.close()
        assert server.stop() == 0
        is_gone.set()
        for one in asked:
            one.result()
    assert codes["UNAVAILABLE"], "nobody noticed that the server is gone"
    assert set(codes) <= {"OK"} | repeated, codes


def test_without_retries_and_health_a_stop_is_noticed(serve: Serve) -> None:
    """The test above would notice: the same stop fails calls of a caller who has no config."""
    server = serve("--quiet")
    with grpc.insecure_channel(server.ready["address"]) as channel:
        assert server.stop() == 0
        assert ending_of(Caller(channel).log.GetCheckpoint, log_pb2.GetCheckpointRequest())[0] == "UNAVAILABLE"


def test_server_says_that_it_stops_and_still_answers_meanwhile(serve: Serve) -> None:
    """Between SIGTERM and the end of the lead every service is NOT_SERVING, and calls are taken as before."""
    server = serve("--quiet", "--set", "serve.drain_lead=8")
    health = health_pb2_grpc.HealthStub(server.channel)
    services = ("", "referee.v1.LogService", "referee.v1.ShufflerService")
    server.terminate()
    requests = [health_pb2.HealthCheckRequest(service=service) for service in services]
    until(lambda: all(health.Check(request).status != SERVING for request in requests), seconds=7)
    assert settle(server.driver.play("late")).leaf
    assert server.stop() == 0
