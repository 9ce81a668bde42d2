"""Checks whether a machine can serve with a configuration.

They change nothing that a reader of the log sees, need no running server and work beside one. A check that fails
unexpectedly is itself a result.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from referee.evidence.printable import error_words
from referee.server.clock import system_clock
from referee.server.doctor.check_result import CheckLevel, CheckResult
from referee.server.doctor.clock import check_clock
from referee.server.doctor.keys import check_keys
from referee.server.doctor.machine import (
    check_answers,
    check_certificates,
    check_disk,
    check_files,
    check_modes,
    check_ports,
)
from referee.server.doctor.providers import check_providers
from referee.server.doctor.store import CheckDepth, StoreFacts, check_storage
from referee.server.doctor.witnesses import check_witness_states
from referee.server.settings.configuration import Configuration

__all__ = ["CheckDepth", "CheckLevel", "CheckResult", "examine"]


def examine(configuration: Configuration, *, depth: CheckDepth | None = None) -> Iterator[tuple[str, CheckResult]]:
    """Run all checks in their order; yield each result with its group."""
    stored = StoreFacts()
    now = system_clock()
    groups: dict[str, Callable[[], Iterator[CheckResult]]] = {
        "store": lambda: check_storage(configuration, stored, depth),
        "keys": lambda: check_keys(configuration, stored),
        "clock": lambda: check_clock(stored.newest_time),
        "machine": lambda: _machine(configuration, stored, now=now),
        "identity providers": lambda: check_providers(configuration),
        "witnesses": lambda: check_witness_states(configuration, stored, now=now // 1000),
    }
    for group, ask in groups.items():
        try:
            for finding in ask():
                yield group, finding
        except Exception as error:  # noqa: BLE001 - the other checks still run
            remedy = "see what the error names; if nothing is wrong there, report a bug"
            yield group, CheckResult.fail(group, f"check failed: {type(error).__name__}: {error_words(error)}", remedy)


def _machine(configuration: Configuration, stored: StoreFacts, *, now: int) -> Iterator[CheckResult]:
    yield from check_ports(configuration)
    yield from check_answers(configuration)
    data = Path(configuration.log.data)
    yield from check_disk(data, log_bytes=stored.bytes, log_ms=stored.newest_time - stored.first_time)
    yield from check_modes(data)
    yield check_files()
    yield from check_certificates(configuration, now=now)
