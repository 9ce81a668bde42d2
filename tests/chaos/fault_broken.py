"""Servers that are broken on purpose, under the same load and the same checks: these must find fault with them."""

import time
from pathlib import Path
from typing import Final

from tests.chaos.frontend import Load
from tests.chaos.outcome import Outcome
from tests.chaos.process import Server

BROKEN: Final = {
    "loses-commits": ("a store that undoes commits and answers them", ("is not at", "LOG_DAMAGED")),
    "forgets": ("a server that does not find what it settled before", ("ALREADY_SETTLED",)),
}
"""By fault: what it is, and what the checks must say of it, one or another: a store that loses commits is found by what
is not in its log, or by its own server, which finds a head behind what it has signed."""
_NOTICED: Final = ("DATA_LOSS/LOG_DAMAGED", "ALREADY_EXISTS/ALREADY_SETTLED")


def play_broken(folder: Path, fault: str, *, within: float = 120) -> Outcome:
    """Play rounds on a broken server until a client notices; return what the checks find."""
    outcome = Outcome(BROKEN[fault][0])
    server = Server(folder / "data", broken=[fault])
    end = time.monotonic() + within
    with Load(outcome.ledger, [server.address], each=4):
        while not any(outcome.ledger.statuses[one] for one in _NOTICED) and time.monotonic() < end:
            time.sleep(0.05)
    server.stop()
    outcome.judge(server, allowed=())
    return outcome


def what_was_found(outcome: Outcome, fault: str) -> str:
    """Return the fault that the checks had to find, or an empty text if they missed it."""
    words = BROKEN[fault][1]
    return next((one for one in outcome.verdict.faults if any(word in one for word in words)), "")
