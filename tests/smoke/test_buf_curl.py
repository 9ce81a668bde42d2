"""``buf curl`` with nothing but a server: the lines that the manual prints, and reflection by both of its names."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration, ServeSettings
from referee.server.settings.web import WebSettings
from referee.web.door import door_for
from tests.server.options import server_options

BUF: Final = str(Path(sys.executable).parent / "buf")
ROOT: Final = Path(__file__).parents[2]
MANUAL: Final = (ROOT / "clients" / "smoke" / "README.md").read_text(encoding="utf-8")
LINES: Final = [shlex.split(line)[1:] for line in re.findall(r"^\$ (buf curl .*)$", MANUAL, re.MULTILINE)]
TERMS: Final = {
    "terms": {
        "tableId": "curled",
        "rulesetId": "mau_binh.classic",
        "seatCount": 2,
        "currency": "CHIP",
        "stakeMinor": "100",
    }
}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start a server and its gateway; return both addresses by those that the manual prints."""
    data = tmp_path_factory.mktemp("curled")
    with door_for(Configuration(web=WebSettings(listen="127.0.0.1:0"), serve=ServeSettings(drain_grace=5.0))) as door:
        options = server_options(data=data, gateway_sockets=door.sockets, gateway_pass=door.gateway_pass)
        with Application(options) as application:
            web = door.open(application, is_port_shared=False)
            yield {"localhost:50051": f"127.0.0.1:{application.port}", "localhost:8080": web}


def buf(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run ``buf``, outside this tree's own schema."""
    return subprocess.run([BUF, *arguments], capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)


def moved(line: list[str], addresses: dict[str, str]) -> list[str]:
    """Return a printed line with the addresses of the test's own server."""
    for printed, real in addresses.items():
        line = [word.replace(printed, real) for word in line]
    return line


def test_manual_prints_lines_for_the_server_and_for_the_gateway() -> None:
    assert len(LINES) >= 4
    assert {place for place in ("50051", "8080") if any(place in word for line in LINES for word in line)} == {
        "50051",
        "8080",
    }


def test_every_printed_line_is_answered(addresses: dict[str, str]) -> None:
    """One after the other: a later line asks for the round that an earlier one opened."""
    for line in LINES:
        done = buf(*moved(line, addresses))
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


@pytest.mark.parametrize("version", ["grpc-v1", "grpc-v1alpha"])
def test_reflection_describes_every_service_by_either_name(addresses: dict[str, str], version: str) -> None:
    server = f"http://{addresses['localhost:50051']}"
    done = buf("curl", "--protocol", "grpc", "--reflect-protocol", version, "--list-services", server)
    assert done.returncode == 0, done.stderr
    assert {"referee.v1.ShufflerService", "referee.v1.MauBinhService", "grpc.health.v1.Health"} <= {
        *done.stdout.split()
    }


def test_round_is_opened_by_reflection_and_found_again_through_the_gateway(addresses: dict[str, str]) -> None:
    server = f"http://{addresses['localhost:50051']}/referee.v1.ShufflerService/OpenRound"
    opened = answer(buf("curl", "--protocol", "grpc", "--data", json.dumps(TERMS), server))
    gateway = f"http://{addresses['localhost:8080']}/referee.v1.LogService/GetTableRound"
    found = answer(buf("curl", "--schema", "protos", "--data", '{"tableId": "curled"}', gateway))
    assert opened["header"] == found["header"]


def answer(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    """Return the message that a call was answered with."""
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))
