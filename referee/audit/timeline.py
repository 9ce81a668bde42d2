"""Times of leaves: in order within a table, close to order in the log, and in agreement with witnesses' clocks.

A leaf must not be dated before its table's previous leaf, more than ten seconds before an earlier leaf of the log, or
more than two minutes after the audit, whose own clock may be wrong. A leaf inside a tree that a witness cosigned at T
must be dated at most ten seconds after T. REVEAL and KEY have no time, and leaves that fit no round are not checked.
Memory is one time for each table.
"""

from collections.abc import Callable, Iterable
from typing import Final

from referee.finding import Code, Finding
from referee.log import SlotKey
from referee.log.times import is_ahead, is_behind

GRACE_MS: Final = 60_000
"""Time in ms by which a leaf may miss its deadline before its absence is a finding."""
OWN_CLOCK_MS: Final = 120_000
"""Time in ms by which a leaf may be dated after the audit's own clock without a finding."""
BACKDATED_MS: Final = 900_000
"""Time in ms by which a leaf may be dated before a cosignature on a tree without it, without a note."""


class Timeline:
    """Times of the leaves read so far. ``now`` is the time of the audit in ms; None permits times in the future."""

    def __init__(self, report: Callable[[Finding], None], *, now: int | None) -> None:
        self._report = report
        self._now = now
        self._tables: dict[str, int] = {}
        self._newest = 0
        self.period: tuple[int, int] | None = None
        """Earliest and latest time of the leaves that are not dated after the audit; None before the first."""
        self._latest: tuple[int, int, SlotKey] | None = None
        """Time, index and round of the latest-dated leaf that no witness has contradicted; None if there is none."""
        self._witnessed = 0

    def add(self, index: int, time: int, key: SlotKey) -> None:
        """Add the next leaf that has a time; report it if it is out of order."""
        before = self._tables.get(key.table_id, 0)
        self._tables[key.table_id] = time
        is_old = is_behind(time, newest=self._newest)
        if time < before:
            detail = f"it is of {time}, and the leaf before it in its table is of {before}"
            self._find(Code.TIME_OUT_OF_ORDER, detail, index, key)
        elif is_old:
            self._find(Code.TIME_OUT_OF_ORDER, f"it is of {time}, and an earlier leaf is of {self._newest}", index, key)
        elif time < self._witnessed - BACKDATED_MS:
            detail = f"it is of {time}, and a witness saw the log before it at {self._witnessed}"
            self._find(Code.TIME_BACKDATED, detail, index, key)
        if self._now is not None and time > self._now + OWN_CLOCK_MS:
            self._find(Code.TIME_AHEAD, f"it is of {time}, and the audit is made at {self._now}", index, key)
            return
        first, last = self.period or (time, time)
        self.period = min(first, time), max(last, time)
        self._newest = time if is_old else max(self._newest, time)
        if self._latest is None or time > self._latest[0]:
            self._latest = time, index, key

    def witness(self, times: Iterable[int]) -> None:
        """Compare the leaves added so far with the times in ms at which witnesses cosigned the tree of these leaves."""
        for time in times:
            if self._latest is not None and is_ahead(self._latest[0], clock=time):
                latest, index, key = self._latest
                self._latest = None
                self._find(Code.TIME_AHEAD, f"it is of {latest}, and a witness saw it in the log at {time}", index, key)
            self._witnessed = max(self._witnessed, time)

    def witness_deal(self, opened: tuple[int, int], dealt: tuple[int, int], key: SlotKey, times: Iterable[int]) -> None:
        """Compare the times of an OPEN and its DEAL with the times at which the DEAL's checkpoint was cosigned.

        ``opened`` and ``dealt`` are index and time in ms of the two leaves.
        """
        for time in times:
            if is_ahead(opened[1], clock=time):
                detail = f"it is of {opened[1]}, and a witness saw it in the log at {time}"
                self._find(Code.TIME_AHEAD, detail, opened[0], key)
                break
            if is_behind(dealt[1], newest=time):
                detail = f"it is of {dealt[1]}, and carries a checkpoint that a witness cosigned at {time}"
                self._find(Code.TIME_OUT_OF_ORDER, detail, dealt[0], key)
                break
            self._witnessed = max(self._witnessed, time)

    def _find(self, code: Code, detail: str, leaf_index: int, key: SlotKey) -> None:
        self._report(Finding.of(code, detail, leaf_index=leaf_index, slot=(key.table_id, key.round_number)))
