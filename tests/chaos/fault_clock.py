"""A wall clock that is set back and forward by seconds under load, as by a bad time source or a careful operator.

Nothing measures durations by it, so nothing waits longer or shorter. A round under way when it moves on may be past its
deadlines at once: it is refused, and aborted by the sweep. A round under way when it moves back has times that lie
ahead: its next event is unlawful until the clock has caught up. Allowed: the answers that say so. What was answered
stays so whatever the clock says later, and the audit is clean: the times of leaves may go back, and
the order of leaves does not rest on them.
"""

import random
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Final

from referee.dealing.leaf import DEAL_TYPE, DealLeaf, parse
from referee.evidence.dsse import Envelope
from referee.storage import open_reader
from tests.chaos.frontend import Load
from tests.chaos.outcome import Outcome
from tests.chaos.process import Server

ALLOWED: Final = (
    "FAILED_PRECONDITION/DEADLINE_PASSED",
    "FAILED_PRECONDITION/EXPIRED",
    "FAILED_PRECONDITION/ABORTED",
    "INVALID_ARGUMENT/INVALID_HEADER",
    "UNAVAILABLE/CLOCK_BEHIND",
    "VIOLATION/*",
)
"""The last for a header that was prepared before the clock moved on, and whose deadlines have passed."""
SECOND: Final = 1_000


def step_clock(folder: Path, *, steps: int, pause: float, luck: random.Random) -> Outcome:
    """Shift the server's clock by up to five seconds either way, each time for so many; set it right at the end.

    A clock that falls back by more than ten seconds is refused until it is right again.
    """
    outcome = Outcome("The wall clock set back and forward")
    clock = folder / "clock"
    clock.write_text("0")
    server = Server(folder / "data", broken=[f"clock={clock}"])
    offset = 0.0
    with Load(outcome.ledger, [server.address], each=6) as load:
        load.more(4)
        for number in range(steps):
            shift = luck.choice((-1, 1)) * luck.uniform(0.5, 4.8) if number > 1 else (4.5, -9.0)[number]
            if abs(offset + shift) > 4.8:
                shift = -shift
            offset += shift
            _set(clock, int(offset * SECOND))
            outcome.done(f"set {'forward' if shift > 0 else 'back'}")
            time.sleep(pause)
            load.more(2)
        _set(clock, 0)
        load.more(4)
    outcome.conclude(server, allowed=ALLOWED)
    outcome.notes.append(_order_of_times(server.data))
    return outcome


def _order_of_times(data: Path) -> str:
    """Describe the order of the times in the log."""
    with closing(open_reader(data)) as reader:
        envelopes = [Envelope.parse(leaf) for leaf in reader.iterate()]
    times = [parse(one.payload, DealLeaf).dealt_time for one in envelopes if one.payload_type == DEAL_TYPE]
    back = [(before - after) / SECOND for before, after in pairwise(times) if before - after > SECOND]
    return (
        f"of {len(times)} deals {len(back)} are dated more than a second before their predecessor, "
        f"the furthest {max(back, default=0):.1f} s: times are the clock's, the order is the log's"
    )


def _set(clock: Path, milliseconds: int) -> None:
    new = clock.with_suffix(".new")
    new.write_text(str(milliseconds))
    new.replace(clock)
