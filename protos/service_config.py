"""How gRPC clients should call Referee, as a service config in JSON, made from the protos' idempotency levels alone.

A method is retried only where its idempotency level in the protos allows it, and only after UNAVAILABLE: the server
stops, is not there, or its log is busy. Every method of ``referee.v1`` is in exactly one entry; one that may not be
repeated has no retry policy. Calls rotate over all addresses of a name except those whose health is NOT_SERVING. Run it
with ``make protos``; a test fails when the file is stale.

>>> sorted(service_config([("a.B", "C", True), ("a.B", "D", False)])["methodConfig"][0])
['name', 'retryPolicy']
"""

# ruff: noqa: INP001 - a script beside what it reads

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from google.protobuf import descriptor_pb2
from grpc_tools import protoc

PROTOS: Final = Path(__file__).parent
WELL_KNOWN: Final = Path(protoc.__file__).parent / "_proto"
"""Folder of google/protobuf/*.proto, which comes with protoc."""
RETRY: Final = {
    "maxAttempts": 5,
    "initialBackoff": "0.1s",
    "maxBackoff": "2s",
    "backoffMultiplier": 3,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
"""The pauses last 3.3 seconds together, and gRPC makes each up to a fifth shorter or longer: more than the 2.4 seconds
after which a client with a reconnect pause of 2 seconds has found a server that is back. So the attempts of a call
outlast a restart of one of two servers. Clients in C take no more than five attempts."""
THROTTLING: Final = {"maxTokens": 1000, "tokenRatio": 1}
"""The most that gRPC allows: a channel with many calls at once must not lose its retries while a server restarts. A
server that has too much to do says OVERLOADED, which this config does not retry."""


def service_config(methods: Iterable[tuple[str, str, bool]]) -> dict[str, Any]:
    """Return the config for methods, each given by its service, its name, and whether it may be repeated."""
    ordered = sorted(methods)
    entries: list[dict[str, Any]] = []
    for may_repeat in (True, False):
        names = [{"service": service, "method": name} for service, name, found in ordered if found is may_repeat]
        if names:
            entries.append({"name": names} | ({"retryPolicy": RETRY} if may_repeat else {}))
    return {
        "loadBalancingConfig": [{"round_robin": {}}],
        "healthCheckConfig": {"serviceName": ""},
        "retryThrottling": THROTTLING,
        "methodConfig": entries,
    }


def methods() -> Iterator[tuple[str, str, bool]]:
    """Every method of the protos."""
    names = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.glob("referee/v1/*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        if protoc.main(["protoc", f"-I{PROTOS}", f"-I{WELL_KNOWN}", f"--descriptor_set_out={out}", *names]):
            raise SystemExit("protoc refused the protos; it says why above")
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    unknown = descriptor_pb2.MethodOptions.IDEMPOTENCY_UNKNOWN
    for file in files:
        for service in file.service:
            for method in service.method:
                yield f"{file.package}.{service.name}", method.name, method.options.idempotency_level != unknown


def main() -> None:
    """Write the file that the command line names."""
    Path(sys.argv[1]).write_text(json.dumps(service_config(methods()), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
