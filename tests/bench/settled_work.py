"""Work of a settlement, an opening and a deal, counted and not timed: ``python -m tests.bench.settled_work``.

Rounds of two seats, every event with a receipt, each settled by a server that has never seen it, and by one that has
previewed it. The figures are the same on every machine.
"""

import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple
from unittest import mock

import msgspec
import structlog

from referee.evidence import canonical
from referee.service.call import Call
from referee.v1.shuffler_pb2 import DealRoundRequest
from tests.bench.trace_settle import serves_calls, settle_each
from tests.driver.messages import method_of, opening
from tests.driver.running import Running


class Work(NamedTuple):
    """What was done to settle a round of so many events."""

    events: int
    verified: int
    """Signatures verified."""
    signed: int
    """Signatures made: of the transcript and of the checkpoint."""
    hashed: int
    """SHA-256 hashes computed."""
    encoded: int
    """Canonical texts written."""
    encoded_bytes: int
    statements: int
    """SQL statements executed, the commit included."""
    commits: int
    """Commits forced to disk."""


_NAMES: Final = {
    "crypto_sign_open": "verified",
    "crypto_sign": "signed",
    "openssl_sha256": "hashed",
    "execute": "statements",
    "executemany": "statements",
}


class WorkCounter:
    """Counts work on threads that serve calls: a profile function, an observer of commits, an encoder of texts.

    With ``is_counted`` it counts work where that function says so.
    """

    def __init__(self, is_counted: Callable[[], bool] = serves_calls) -> None:
        self._is_counted = is_counted
        self._encoder: msgspec.json.Encoder = canonical._encoder  # noqa: SLF001 - what is counted
        self._counts: Counter[str] = Counter()

    def __call__(self, _frame: FrameType, event: str, function: object) -> None:
        """Count a call of a function that is not Python's own."""
        if event == "c_call" and (name := _NAMES.get(getattr(function, "__name__", ""))) and self._is_counted():
            self._counts[name] += 1

    def encode(self, record: object) -> bytes:
        """Encode a record and count its bytes."""
        data = self._encoder.encode(record)
        if self._is_counted():
            self._counts["encoded"] += 1
            self._counts["encoded_bytes"] += len(data)
        return data

    def encode_lines(self, records: Sequence[object]) -> bytes:
        """Encode records and count the bytes of each."""
        data = self._encoder.encode_lines(records)
        if self._is_counted():
            self._counts["encoded"] += len(records)
            self._counts["encoded_bytes"] += len(data) - len(records)
        return data

    def probe(self, step: str) -> None:
        """Count a commit."""
        self._counts["commits"] += step == "COMMITTED"

    def began(self, call: Call) -> None:
        """Do nothing; the methods below are an observer's too."""

    def ended(self, call: Call) -> None:
        """Do nothing."""

    def committed(self, requests: int) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def count(self, call: Callable[[], object]) -> Counter[str]:
        """Make a call and return the work that it took, by name."""
        self._counts.clear()
        call()
        return self._counts.copy()

    def record(self, call: Callable[[], object], request: Any) -> Work:  # noqa: ANN401 - of any game
        """Make a call and return the work that it took."""
        counts = self.count(call)
        return _work(len(request.round.events), counts)


def count() -> Mapping[str, tuple[Work, Work]]:
    """Count the work of a round of each game that is settled unseen, and of one that was previewed."""
    counter = WorkCounter()
    with mock.patch.object(canonical, "_encoder", counter):
        return settle_each(counter, counter.record, observers=[counter])


def count_shuffled() -> tuple[Work, Work]:
    """Count the work of a round of two seats that is opened by its terms, and dealt from seeds in the request."""
    counter, seats = WorkCounter(), 2
    with mock.patch.object(canonical, "_encoder", counter), tempfile.TemporaryDirectory() as name:
        threading.setprofile(counter)
        try:
            with closing(Running(Path(name), services=("shuffler", "log"), observers=[counter])) as house:
                open_round, deal_round = (
                    method_of(house.channel, f"ShufflerService/{name}") for name in ("OpenRound", "DealRound")
                )
                for table in ("warming", "counted"):
                    terms = opening(table, seat_count=seats, currency="VND", stake_minor=1)
                    opened = counter.count(partial(open_round, terms))
                    named = {"table_id": table, "round_number": 1}
                    request = DealRoundRequest(round=named, client_seeds=[bytes(32)] * seats)
                    dealt = counter.count(partial(deal_round, request))
        finally:
            threading.setprofile(None)
    return _work(0, opened), _work(0, dealt)


def _work(events: int, counts: Counter[str]) -> Work:
    return Work(events, **{name: counts[name] for name in Work._fields[1:]})


def main() -> None:
    """Print the table."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    sys.stdout.write(f"{'game, its round':<28}{''.join(f'{name:>15}' for name in Work._fields)}\n")
    works = {
        f"{game}, {label}": work
        for game, pair in count().items()
        for label, work in zip(("never seen", "previewed"), pair, strict=True)
    }
    works["opened"], works["dealt"] = count_shuffled()
    for label, work in works.items():
        sys.stdout.write(f"{label:<28}{''.join(f'{number:>15,}' for number in work)}\n")


if __name__ == "__main__":
    main()
