"""The table of faults: what the report calls each, its function, and the rounds that are settled at least meanwhile."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.chaos.fault_clients import clients
from tests.chaos.fault_disk import database_disk, disk
from tests.chaos.fault_postgres import cancelled, cut_off, postgres
from tests.chaos.fault_workers import clock, hanging, threads, workers
from tests.chaos.scene import Scene


class Fault(NamedTuple):
    """A function that plays rounds while things break, and concludes with how calls may have ended."""

    title: str
    run: Callable[[Scene], None]
    rounds: int


FAULTS: Final[Mapping[str, Fault]] = MappingProxyType(
    {
        "workers": Fault("Workers killed and frozen", workers, 8),
        "threads": Fault("No thread can be started", threads, 12),
        "postgres": Fault("PostgreSQL restarted, its connections cut, its line disturbed", postgres, 8),
        "hanging": Fault("Commits that hang, and a file that is locked", hanging, 9),
        "cut_off": Fault("Writers cut off while they hold the log", cut_off, 8),
        "cancelled": Fault("Commits cancelled while they wait for a standby, which then takes over", cancelled, 12),
        "disk": Fault("Disk full under SQLite", disk, 9),
        "database_disk": Fault("Disk full under PostgreSQL", database_disk, 6),
        "clock": Fault("The wall clock set back and forward", clock, 12),
        "clients": Fault("Slow, silent, vanished and rude clients", clients, 40),
    }
)
