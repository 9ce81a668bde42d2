"""Malformed messages by the hundred thousand: what comes back is an answer or a documented refusal, and nothing else.

Allowed are OK and every reason of ``error_reason.proto`` with its own status code, but for those that blame
the server: INTERNAL, and a log that is busy or damaged. Any other outcome is reported, with the bytes that made it
happen. At the end a round can be played, the log that the messages left audits clean, and no quarrel about it names
anyone.

The work for one message is counted in calls of functions, not in time, so that a busy machine finds nothing more.
"""

import itertools
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
import structlog

from referee.server.clock import system_clock
from referee.server.settings.advice import AdviceSettings
from referee.service.status import CODES
from referee.storage import open_reader
from referee.v1.error_reason_pb2 import ErrorReason
from tests.chaos.frontend import RULESETS, Frontend
from tests.chaos.in_process import Called, Channel, EndedError, InProcess, running
from tests.chaos.ledger import HANG_SECONDS, Ledger, status_of
from tests.chaos.mutation import Mutator
from tests.chaos.process import Server
from tests.chaos.recording import Recorded, record
from tests.chaos.verdict import suspected
from tests.driver.messages import METHODS
from tests.driver.running import Clock
from tests.server.options import server_options

OURS: Final = frozenset({"INTERNAL", "LOG_DAMAGED", "LOG_BUSY", "OVERLOADED", "SIGNER_UNAVAILABLE"})
"""Reasons that no message may bring about."""
REFUSED: Final = {
    ErrorReason.Name(reason).removeprefix("ERROR_REASON_"): code
    for reason, code in CODES.items()
    if ErrorReason.Name(reason).removeprefix("ERROR_REASON_") not in OURS
}
"""The code of each reason that a message may be refused for."""
MOST_CALLS: Final = 1_000_000
"""Limit of function calls for one message of at most a megabyte."""
_COUNTED_EVERY: Final = 400
_PLAYED_EVERY: Final = 20_000
_SLOWEST: Final = 10
_HEAVY: Final = (
    "SuggestArrangement",
    "SuggestDecision",
    "SettleRounds",
    "CheckArrangements",
    "CheckPlays",
    "CheckDecisions",
)
"""Methods whose lawful questions cost thousands of times an unlawful one's; asked more rarely."""


@dataclass(frozen=True, slots=True)
class Find:
    """A message that did what none may do."""

    method: str
    data: bytes
    what: str


@dataclass(slots=True)
class Fuzzed:
    """What came of many messages."""

    sent: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    finds: list[Find] = field(default_factory=list)
    slowest: list[tuple[float, str, bytes]] = field(default_factory=list)
    """CPU seconds, method, message; the slowest first."""
    most_calls: int = 0
    leaves: int = 0
    seconds: float = 0.0

    def note(self, method: str, data: bytes, status: str, seconds: float) -> None:
        """One message was answered."""
        self.sent += 1
        self.statuses[status] += 1
        if len(self.slowest) < _SLOWEST or seconds > self.slowest[-1][0]:
            self.slowest = sorted([*self.slowest, (seconds, method, data)], reverse=True)[:_SLOWEST]


def outcome_of(server: Called, method: str, data: bytes) -> tuple[str, str]:
    """How a call ends, ``OK`` or code and reason; and what is wrong with that, empty for nothing."""
    try:
        server.call(method, data)
    except EndedError as error:
        status = f"{error.code().name}/{error.reason}"
        code = REFUSED.get(error.reason)
        is_known = code is not None and code == error.code().value[0]
        return status, "" if is_known else (_failures.pop() if error.reason == "INTERNAL" and _failures else str(error))
    except Exception as error:  # noqa: BLE001 - whatever escapes is the find
        return f"ESCAPED/{type(error).__name__}", repr(error)
    return "OK", ""


def counted(work: Callable[[], object]) -> int:
    """How many functions are called while the work is done."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        if event in {"call", "c_call"}:
            calls += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def messages(recorded: Recorded, luck: random.Random) -> Iterator[tuple[str, bytes]]:
    """Malformed messages without end, each with the method that it is sent to, not always its own."""
    corpus = sorted({one for sent in recorded.values() for one in sent})
    mutator = Mutator(corpus, luck)
    heavy = [method for method in sorted(recorded) if method.endswith(_HEAVY)]
    light = [method for method in sorted(recorded) if not method.endswith(_HEAVY)]
    while True:
        method = luck.choice(light if luck.random() < 0.97 else heavy)
        data = luck.choice(recorded[method]) if luck.random() < 0.98 else luck.choice(corpus)
        yield method, mutator.mutate(data)


def fuzz(
    folder: Path,
    *,
    count: int,
    seed: int,
    broken: Callable[[InProcess], None] = lambda _: None,
) -> Fuzzed:
    """Send so many messages of this seed in process and return the outcome; ``broken`` may spoil the server first."""
    structlog.configure(processors=[_listen], wrapper_class=structlog.make_filtering_bound_logger(0))
    fuzzed, begun = Fuzzed(), time.monotonic()
    clock, chance = Clock(system_clock()), random.Random(f"entropy {seed}")  # noqa: S311 - so that a find comes back
    advice = AdviceSettings(seconds=300)
    settings = server_options(data=folder, clock=clock, entropy=chance.randbytes, advice=advice)
    try:
        with running(settings) as server:
            recorded = record(server, clock, seed=seed)
            broken(server)
            luck = random.Random(seed)  # noqa: S311 - so that a find comes back
            for number, (method, data) in enumerate(itertools.islice(messages(recorded, luck), count)):
                _send(server, method, data, number, fuzzed)
                if number % _PLAYED_EVERY == _PLAYED_EVERY - 1:
                    _play(server, number, fuzzed)
            for _, method, data in fuzzed.slowest:
                _count(server, method, data, fuzzed)
            _play(server, count, fuzzed)
            clock.now = system_clock()
        with running(server_options(data=folder)) as swept:
            _await_sweep(swept)
    finally:
        structlog.reset_defaults()
    fuzzed.leaves = _size_of(folder)
    fuzzed.finds += _audit(folder)
    fuzzed.seconds = time.monotonic() - begun
    return fuzzed


_failures: Final[list[str]] = []
"""Where the server failed, newest last, as its log would say."""


def _listen(_logger: object, _method: str, event: Any) -> Any:  # noqa: ANN401 - a processor's own types
    """Log lines go nowhere, but for where a call failed."""
    if event.get("event") == "failed":
        places = traceback.extract_tb(sys.exc_info()[2])[-3:]
        where = " < ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in reversed(places))
        _failures.append(f"{sys.exc_info()[1]!r} at {where}")
    raise structlog.DropEvent


def _send(server: InProcess, method: str, data: bytes, number: int, fuzzed: Fuzzed) -> None:
    if number % _COUNTED_EVERY == 0:
        _count(server, method, data, fuzzed)
    before = time.thread_time()
    status, wrong = outcome_of(server, method, data)
    fuzzed.note(method, data, status, time.thread_time() - before)
    if wrong:
        fuzzed.finds.append(Find(method, data, wrong))


def _count(server: InProcess, method: str, data: bytes, fuzzed: Fuzzed) -> None:
    calls = counted(lambda: outcome_of(server, method, data))
    fuzzed.most_calls = max(fuzzed.most_calls, calls)
    if calls > MOST_CALLS:
        fuzzed.finds.append(Find(method, data, f"{calls:,} calls of functions for {len(data)} bytes"))


def _play(server: Called, number: int, fuzzed: Fuzzed) -> None:
    ledger = Ledger()
    channel: Any = Channel(server)
    frontend = Frontend(channel, ledger, name=f"after-{number}", luck=random.Random(number))  # noqa: S311 - what is played
    try:
        frontend.play(RULESETS[number // _PLAYED_EVERY % len(RULESETS)])
    except Exception as error:  # noqa: BLE001 - whatever it is, a round could not be played
        fuzzed.finds.append(Find("", b"", f"no round can be played after {number} messages: {error!r}"))


def _await_sweep(server: InProcess) -> None:
    """Abort rounds whose deadline has passed."""
    store = server.app.log.store
    end = time.monotonic() + 60
    while store.overdue_rounds(system_clock(), 1) and time.monotonic() < end:
        time.sleep(0.1)


def _size_of(folder: Path) -> int:
    with closing(open_reader(folder)) as reader:
        return reader.head().size


def _audit(folder: Path) -> list[Find]:
    done = subprocess.run(
        [sys.executable, "-m", "referee", "audit", "--data", str(folder)],
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    words = done.stdout + done.stderr
    if done.returncode:
        return [Find("", b"", f"the audit ends with {done.returncode}: {words[-3000:]}")]
    return [Find("", b"", fault) for fault in suspected(folder)]


class OverSocket:
    """A running server whose methods are called with bytes over a real connection."""

    def __init__(self, address: str, methods: Sequence[str]) -> None:
        self.methods = methods
        self._channel = grpc.insecure_channel(address, [("grpc.max_send_message_length", -1)])

    def call(self, method: str, data: bytes) -> bytes:
        """Return the answer's bytes; raise EndedError if the call is refused."""
        try:
            call: Any = self._channel.unary_unary(method)
            answer: bytes = call(data, timeout=HANG_SECONDS)
        except grpc.RpcError as error:
            code, _, reason = status_of(error).partition("/")
            raise EndedError(grpc.StatusCode[code], str(error), reason) from None
        return answer

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()


def fuzz_over_socket(folder: Path, *, count: int, seed: int) -> Fuzzed:
    """Send so many messages to a real server and return the outcome."""
    fuzzed, begun = Fuzzed(), time.monotonic()
    server = Server(folder / "data")
    over = OverSocket(server.address, sorted(METHODS))
    try:
        luck = random.Random(seed)  # noqa: S311 - so that a find comes back
        recorded = record(over, Clock(system_clock()), seed=seed)
        for method, data in itertools.islice(messages(recorded, luck), count):
            before = time.monotonic()
            status, wrong = outcome_of(over, method, data)
            fuzzed.note(method, data, status, time.monotonic() - before)
            if wrong:
                fuzzed.finds.append(Find(method, data, wrong))
        _play(over, count, fuzzed)
    finally:
        over.close()
        if not server.is_running or server.stop():
            fuzzed.finds.append(Find("", b"", "the server did not live through it"))
    fuzzed.leaves = _size_of(folder / "data")
    fuzzed.finds += _audit(folder / "data")
    fuzzed.seconds = time.monotonic() - begun
    return fuzzed


def room_for(folder: Path, name: str) -> Path:
    """Make a folder of its own for a store that syncs often: in memory if the system has such a place."""
    shared = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    if shared.is_dir() and shutil.disk_usage(shared).free > 2**30:
        return Path(tempfile.mkdtemp(prefix=f"referee-chaos-{name}-", dir=shared))
    return folder / name
