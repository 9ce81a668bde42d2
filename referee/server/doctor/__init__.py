"""Whether a machine can serve with a configuration: one question after another, each answered with what to do.

The law: everything is asked that can be asked without changing anything and without a server that runs, and also beside
one that does. A question that goes wrong in a way of its own is a finding, and the others are asked all the same.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from referee.server.clock import system_clock
from referee.server.doctor.check_result import CheckLevel, CheckResult
from referee.server.doctor.clock import check_clock
from referee.server.doctor.keys import check_keys
from referee.server.doctor.machine import check_certificates, check_disk, check_files, check_ports
from referee.server.doctor.store import StoreFacts, check_storage
from referee.server.doctor.witnesses import check_witness_states
from referee.server.settings import Configuration

__all__ = ["CheckLevel", "CheckResult", "examine"]


def examine(configuration: Configuration) -> Iterator[tuple[str, CheckResult]]:
    """Each finding with the group that it is of, in the order in which they are asked."""
    stored = StoreFacts()
    now = system_clock()
    groups: dict[str, Callable[[], Iterator[CheckResult]]] = {
        "store": lambda: check_storage(configuration, stored),
        "keys": lambda: check_keys(configuration, stored.register),
        "clock": lambda: check_clock(stored.newest_time),
        "machine": lambda: _machine(configuration, stored, now=now),
        "witnesses": lambda: check_witness_states(configuration, stored, now=now // 1000),
    }
    for group, ask in groups.items():
        try:
            for finding in ask():
                yield group, finding
        except Exception as error:  # noqa: BLE001 - the other questions are worth asking all the same
            remedy = "look at what it names; if that is well, tell the makers of this program"
            yield group, CheckResult.fail(group, f"could not be asked: {type(error).__name__}: {error}", remedy)


def _machine(configuration: Configuration, stored: StoreFacts, *, now: int) -> Iterator[CheckResult]:
    yield from check_ports(configuration)
    data = Path(configuration.log.data)
    yield from check_disk(data, log_bytes=stored.bytes, log_ms=stored.newest_time - stored.first_time)
    yield check_files()
    yield from check_certificates(configuration, now=now)
