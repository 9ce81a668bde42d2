"""A database that restarts, is reached over a bad line, or loses its standby, under two servers with one log.

Allowed: UNAVAILABLE with LOG_BUSY, which every ended wait gets; nothing else, for no server dies. After a failover the
log is judged on the standby that took over: what was answered before is there.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Final

from tests.chaos.fault_workers import BUSY, lines_of
from tests.chaos.proxy import RudeProxy
from tests.chaos.scene import Scene
from tests.storage.cutting_proxy import Cut, CuttingProxy
from tests.storage.postgres_server import STANDBY, PostgresServer
from tests.waiting import until

CUTS: Final[tuple[Cut, ...]] = ("HALF", "PARSED", "GONE")
_BACKENDS: Final = "FROM pg_stat_activity WHERE application_name = 'referee' AND pid <> pg_backend_pid()"
_WAITING: Final = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
_LONGEST: Final = 12.0
"""Seconds within which the other servers settle rounds again after a holder was cut off; the claim is 10."""


def postgres(scene: Scene) -> None:
    """Time and again something befalls the database, or the line by which one of two servers reaches it."""
    database, luck = scene.database(), scene.luck
    schema, url = scene.schema(database)
    proxy = RudeProxy(database.port, seed=luck.randrange(2**32))
    scene.stack.callback(proxy.close)
    servers = scene.server(database=url), scene.server(database=database.url(schema, port=proxy.port))
    one = f"(SELECT pid {_BACKENDS} ORDER BY random() LIMIT 1) AS one"
    befall: dict[str, Callable[[], object]] = {
        "restarted (fast)": lambda: _restart(database, "fast", luck.uniform(0, 1.5)),
        "crashed and restarted (immediate)": lambda: _restart(database, "immediate", luck.uniform(0, 1.5)),
        "every connection terminated": lambda: database.execute(f"SELECT pg_terminate_backend(pid) {_BACKENDS}"),
        "one connection terminated": lambda: database.execute(f"SELECT pg_terminate_backend(pid) FROM {one}"),  # noqa: S608 - a constant
        "line cut": proxy.cut,
        "line half closed": proxy.half_close,
        "line silent for a while": lambda: proxy.silence(luck.uniform(0.5, 4)),
        "line silent, then cut": lambda: proxy.silence(luck.uniform(0.5, 2), is_cut=True),
        "line slow for a while": lambda: proxy.slow(luck.uniform(1, 3)),
    }
    with scene.load(*servers) as load:
        load.more(4)
        for name in scene.befalling([*befall], whole=50):
            befall[name]()
            scene.done(name)
        load.more(4)
    scene.conclude(*servers, allowed=BUSY)


def _restart(database: PostgresServer, how: str, seconds: float) -> None:
    database.stop(how)
    time.sleep(seconds)
    database.start()


def cut_off(scene: Scene) -> None:
    """Let one of two servers fall silent in mid-batch, behind a proxy that keeps every connection."""
    database = scene.database()
    schema, url = scene.schema(database)
    proxy = CuttingProxy(database.port)
    scene.stack.callback(proxy.close)
    first, second = scene.server(database=url), scene.server(database=database.url(schema, port=proxy.port))
    longest = 0.0
    with scene.load(first) as load, scene.load(second, name="u"):
        load.more(4)
        for number in range(scene.times(6, least=3)):
            cut = CUTS[number % len(CUTS)]
            proxy.has_cut.clear()
            proxy.cut()  # a new connection says each statement in full
            proxy.befalls = cut
            until(proxy.has_cut.is_set, "no insert came through the proxy")
            begun = time.monotonic()
            load.more(4, within=60)
            longest = max(longest, time.monotonic() - begun)
            scene.done(f"cut off in mid-batch ({cut})")
            time.sleep(scene.luck.uniform(0, 1))
        load.more(4)
    ended = [line for line in lines_of(scene, "silent holder of the log ended") if line["address"] == "127.0.0.1"]
    scene.notes.append(f"longest wait of the others {longest:.1f} s; {len(ended)} lines name the ended holder")
    scene.expect(ended, "no line names the holder that was ended")
    scene.expect(longest <= _LONGEST, f"the others waited {longest:.1f} s")
    scene.conclude(first, second, allowed=BUSY)


def cancelled(scene: Scene) -> None:
    """Take the standby away, cancel waiting commits and end their sessions; then let the standby take over."""
    primary = scene.database()
    standby = scene.database(primary=primary)
    primary.set("synchronous_standby_names", STANDBY)
    schema, _ = scene.schema(primary)
    servers = [scene.server(database=primary.both(schema, standby)) for _ in range(2)]
    with scene.load(*servers) as load:
        load.more(6)
        standby.stop()
        ways = ("pg_cancel_backend", "pg_cancel_backend", "pg_terminate_backend")
        for how in scene.befalling(ways, whole=60, most_seconds=0.2):
            until(partial(primary.execute, f"SELECT pid {_WAITING}"), "no commit waits")
            primary.execute(f"SELECT {how}(pid) {_WAITING}")
            scene.did["wait for the standby ended"] += 1
        primary.stop("immediate")
        standby.start()
        standby.promote()
        scene.done("primary lost, and the standby promoted")
        load.more(6)
    scene.conclude(*servers, allowed=BUSY)
