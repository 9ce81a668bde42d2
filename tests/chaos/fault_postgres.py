"""A database that restarts, cuts its clients off and is reached over a bad line, under two servers with one log.

One server reaches PostgreSQL by its socket, the other through a relay. Allowed: UNAVAILABLE with LOG_BUSY, which every
ended wait gets; nothing else, for no server dies.
"""

import random
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.chaos.frontend import Load
from tests.chaos.outcome import Outcome
from tests.chaos.process import Server
from tests.chaos.proxy import RudeProxy
from tests.storage.postgres_server import PostgresServer

ALLOWED: Final = ("UNAVAILABLE", "UNAVAILABLE/LOG_BUSY", "RESOURCE_EXHAUSTED/OVERLOADED")
_BACKENDS: Final = "FROM pg_stat_activity WHERE application_name = 'referee' AND pid <> pg_backend_pid()"


def shake_database(folder: Path, database: PostgresServer, *, seconds: float, luck: random.Random) -> Outcome:
    """Every second or two something befalls the database or the line to it."""
    outcome = Outcome("PostgreSQL restarted, its connections cut, its line disturbed")
    schema = f"chaos_{uuid.uuid4().hex}"
    url = database.make_schema(schema)
    proxy = RudeProxy(database.port, seed=luck.randrange(2**32))
    first = Server(folder / "data", database=url)
    second = Server(folder / "data", database=database.url(schema, port=proxy.port))
    befall: dict[str, Callable[[], object]] = {
        "restarted (fast)": lambda: _restart(database, "fast", luck),
        "crashed and restarted (immediate)": lambda: _restart(database, "immediate", luck),
        "every connection terminated": lambda: database.execute(f"SELECT pg_terminate_backend(pid) {_BACKENDS}"),
        "one connection terminated": lambda: database.execute(
            f"SELECT pg_terminate_backend(pid) FROM (SELECT pid {_BACKENDS} ORDER BY random() LIMIT 1) AS one"  # noqa: S608 - a constant
        ),
        "line cut": proxy.cut,
        "line half closed": proxy.half_close,
        "line silent for a while": lambda: _silence(proxy, luck.uniform(0.5, 4)),
        "line silent, then cut": lambda: _silence(proxy, luck.uniform(0.5, 2), is_cut=True),
        "line slow for a while": lambda: _slow(proxy, luck.uniform(1, 3)),
    }
    with Load(outcome.ledger, [first.address, second.address], each=4) as load:
        load.more(4)
        end = time.monotonic() + seconds
        names = list(befall)
        while time.monotonic() < end:
            name = names[sum(outcome.did.values())] if sum(outcome.did.values()) < len(names) else luck.choice(names)
            befall[name]()
            outcome.done(name)
            time.sleep(luck.uniform(0.2, 2))
        load.more(4)
    outcome.conclude(first, second, allowed=ALLOWED)
    proxy.close()
    return outcome


def _restart(database: PostgresServer, how: str, luck: random.Random) -> None:
    database.stop(how)
    time.sleep(luck.uniform(0, 1.5))
    database.start()


def _silence(proxy: RudeProxy, seconds: float, *, is_cut: bool = False) -> None:
    proxy.hold()
    time.sleep(seconds)
    if is_cut:
        proxy.cut()
    proxy.go_on()


def _slow(proxy: RudeProxy, seconds: float) -> None:
    proxy.delay = 0.2
    time.sleep(seconds)
    proxy.delay = 0.0
