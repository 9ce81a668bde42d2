"""The shipped Envoy configuration with the real Envoy in front of two real servers."""

import json
import re
import struct
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import grpc
import httpx
import pytest

from referee.v1 import log_pb2, ruleset_pb2
from tests.server.envoy import ENVOY, MISSING, YAML, Balancer, balancer
from tests.server.processes import Load, Serve, servers_in
from tests.web.doors import web_answer

SERVICE_CONFIG: Final = resources.files("referee.v1").joinpath("service_config.json").read_text(encoding="utf-8")
ORIGIN: Final = "http://localhost:5173"
LEAD: Final = ("--set", "serve.drain_lead=3")
"""What gives Envoy's health checks the time to notice that a server stops."""

pytestmark = pytest.mark.skipif(ENVOY is None, reason=MISSING)


@pytest.fixture(scope="module")
def balanced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Balancer]:
    """Return Envoy before two servers that no test stops."""
    folder = tmp_path_factory.mktemp("balanced")
    with servers_in(folder) as serve:
        servers = [serve("--quiet"), serve("--quiet")]
        with balancer([server.ready["address"] for server in servers], folder) as found:
            yield found


@pytest.mark.slow("starts many processes")
def test_rounds_are_played_through_it_while_each_server_is_restarted(serve: Serve, tmp_path: Path) -> None:
    """Callers with no service config of their own; health checks and retries of Envoy hide the restarts."""
    servers = [serve("--quiet", *LEAD), serve("--quiet", *LEAD)]
    with balancer([server.ready["address"] for server in servers], tmp_path) as balanced:
        with Load([grpc.insecure_channel(balanced.address) for _ in range(4)]) as load:
            for index, server in enumerate(list(servers)):
                load.more(20)
                assert server.stop() == 0
                load.more(10)
                servers[index] = serve("--quiet", *LEAD, "--listen", server.ready["address"])
                balanced.await_healthy()
        assert not load.errors, load.errors[0]
        assert set(load.settled.values()) <= set(servers[0].leaves())


def test_browser_asks_over_grpc_web(balanced: Balancer) -> None:
    """A page of an allowed origin gets the message, the status and the request id; Envoy speaks HTTP/1.1 to it."""
    answer = ask(balanced, "/referee.v1.RulesetService/ListRulesets")
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "grpc-status" in answer.headers["access-control-expose-headers"]
    (message,), trailers = web_answer(answer.content)
    assert ruleset_pb2.ListRulesetsResponse.FromString(message).rulesets
    assert trailers["grpc-status"] == "0"
    assert trailers["x-request-id"] == "from-the-page"


def test_browser_learns_why_it_is_refused(balanced: Balancer) -> None:
    """A refusal's reason reaches the page in the trailers."""
    body = log_pb2.GetTableRoundRequest(round={"table_id": "nobody", "round_number": 1}).SerializeToString()
    answer = ask(balanced, "/referee.v1.LogService/GetTableRound", body)
    trailers = web_answer(answer.content)[1] if answer.content else dict(answer.headers)
    assert trailers["grpc-status"] == str(grpc.StatusCode.FAILED_PRECONDITION.value[0])
    assert trailers["grpc-status-details-bin"]
    assert "grpc-status-details-bin" in answer.headers["access-control-expose-headers"]


def test_preflight_names_the_allowed_origin_alone(balanced: Balancer) -> None:
    """Browsers ask first; a page from elsewhere gets no permission."""
    url = f"http://{balanced.address}/referee.v1.RulesetService/ListRulesets"
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,x-grpc-web"}
    for origin, allowed in ((ORIGIN, ORIGIN), ("https://elsewhere.example", None)):
        answer = httpx.options(url, headers=asked | {"origin": origin}, timeout=60)
        assert answer.headers.get("access-control-allow-origin") == allowed


def test_it_repeats_only_what_may_be_repeated() -> None:
    """Its first route takes exactly the methods that the protos do not let be repeated, and repeats none of them."""
    retried = {
        f"/{name['service']}/{name['method']}": "retryPolicy" in entry
        for entry in json.loads(SERVICE_CONFIG)["methodConfig"]
        for name in entry["name"]
    }
    (pattern,) = re.findall(r'safe_regex: { regex: "(/.*)" } }', YAML)
    matched = {name for name in retried if re.fullmatch(pattern.replace("\\\\", "\\"), name)}
    assert matched == {name for name, may in retried.items() if not may} != set()
    assert re.findall(r"retry_on: (.*)", YAML) == [
        "connect-failure,refused-stream",
        "unavailable,connect-failure,refused-stream,reset",
    ]


def ask(balanced: Balancer, method: str, body: bytes = b"") -> httpx.Response:
    """Return the answer to a page's call."""
    kind = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"}
    framed = struct.pack(">BI", 0, len(body)) + body
    headers = kind | {"origin": ORIGIN, "x-request-id": "from-the-page"}
    return httpx.post(f"http://{balanced.address}{method}", content=framed, headers=headers, timeout=60)
