"""Rounds that were given up although somebody could know their cards, counted by table, tenant and log.

Letting a round lapse is possible and proves nothing by itself, so it is counted where everybody can see it. A round
counts as given up if it was aborted after a seat's seed was received or after DEAL, or if a seat of a sealed table
committed and then let its time run out instead of opening. The share is of the rounds that had a seed, so that rounds
without one hide nothing. Where every seat's key was young, nobody can be blamed for it.

>>> book = GivenUpBook()
>>> for number in range(20):
...     book.add(RoundSample(table_id="club.felt", game="tien_len", seat_count=2, leaf_index=number, is_ended=True,
...                          is_seeded=True, is_aborted=number == 7), is_young=False)
>>> book.shares.tables["club.felt"].text
'1 of 20 rounds with a seed (5.0 %)'
>>> [one.code.value for one in book.suspicions()]
['ROUNDS_GIVEN_UP']
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from referee.dealing.header import tenant_of
from referee.suspicion.population import RoundSample
from referee.suspicion.suspicion import Suspicion, SuspicionCode

LEAST_SHARE: Final = 20
"""One in so many rounds is noted."""
LEAST_OF_TABLE: Final = 20
"""Rounds of a table from which its share is noted."""
LEAST_OF_MANY: Final = 100
"""Rounds of a tenant or a log from which its share is noted."""


class Share(msgspec.Struct, omit_defaults=True):
    """Rounds that ended: those that had a seed, and of these those given up.

    ``unopened`` of those given up ended by an unopened arrangement, in ``young`` every seat's key was young.
    """

    ended: int = 0
    seeded: int = 0
    given_up: int = 0
    unopened: int = 0
    young: int = 0

    @property
    def text(self) -> str:
        """The share in English."""
        per_cent = 100 * self.given_up / self.seeded if self.seeded else 0.0
        return f"{self.given_up:,} of {self.seeded:,} rounds with a seed ({per_cent:.1f} %)"

    def is_noted(self, least: int) -> bool:
        """Return whether the share is to be noted, from so many rounds."""
        return self.ended >= least and self.given_up * LEAST_SHARE >= max(1, self.seeded)


class Shares(msgspec.Struct, omit_defaults=True):
    """Shares of the log, and of the tenants and tables that gave up any round, by name."""

    log: Share = msgspec.field(default_factory=Share)
    tenants: dict[str, Share] = msgspec.field(default_factory=dict)
    tables: dict[str, Share] = msgspec.field(default_factory=dict)


class GivenUpBook:
    """Shares of a log while its rounds are added."""

    def __init__(self) -> None:
        self._log = Share()
        self._tenants: dict[str, Share] = {}
        self._tables: dict[str, Share] = {}

    def add(self, sample: RoundSample, *, is_young: bool) -> None:
        """Add a round, unless it has not ended; ``is_young`` says whether every seat has a key, and each is young."""
        if not sample.is_ended:
            return
        tenant = tenant_of(sample.table_id)
        is_given_up = sample.is_seeded and (sample.is_aborted or sample.is_unopened)
        table = self._tables.setdefault(sample.table_id, Share())
        for share in (self._log, self._tenants.setdefault(tenant, Share()), table):
            share.ended += 1
            share.seeded += sample.is_seeded
            share.given_up += is_given_up
            share.unopened += is_given_up and sample.is_unopened
            share.young += is_given_up and is_young

    @property
    def shares(self) -> Shares:
        """The shares so far."""
        return Shares(log=self._log, tenants=_with_any(self._tenants), tables=_with_any(self._tables))

    def suspicions(self) -> Iterator[Suspicion]:
        """Yield a note for the log, each tenant and each table with too large a share."""
        if self._log.is_noted(LEAST_OF_MANY):
            yield from _notes("the log", self._log)
        for name, share in _with_any(self._tenants).items():
            if share.is_noted(LEAST_OF_MANY):
                yield from _notes(f"tenant {name}", share)
        for name, share in _with_any(self._tables).items():
            if share.is_noted(LEAST_OF_TABLE):
                yield from _notes(f"table {name}", share, table_id=name)


def _with_any(shares: Mapping[str, Share]) -> dict[str, Share]:
    return {name: share for name, share in sorted(shares.items()) if share.given_up}


def _notes(whose: str, share: Share, *, table_id: str | None = None) -> Iterator[Suspicion]:
    if share.young:
        detail = (
            f"in {share.young:,} of the {share.given_up:,} rounds that {whose} gave up every seat's key was young, so "
            "they can be laid to nobody"
        )
        yield Suspicion(code=SuspicionCode.GIVEN_UP_BY_YOUNG_KEYS, detail=detail, table_id=table_id)
    detail = f"{whose} gave up {share.text} after a seed was received; {share.unopened:,} by an unopened arrangement"
    yield Suspicion(code=SuspicionCode.ROUNDS_GIVEN_UP, detail=detail, table_id=table_id)
