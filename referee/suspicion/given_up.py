"""Rounds that were given up after somebody could know their cards, counted by table, tenant and log.

A round may lapse, which proves nothing by itself, so such rounds are counted where everybody can see it. A round is
given up if it was aborted after a seat's seed was received or after DEAL, if it was dealt and has not ended by its
deadline, or if a seat of a sealed table committed to an arrangement and let its time run out instead of opening it. The
share is of the rounds that received a seed, so rounds without a seed cannot dilute it. If every seat's key was young,
nobody can be blamed for the round.

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
from referee.finding import Code, Finding
from referee.suspicion.population import RoundSample

LEAST_SHARE: Final = 20
"""A share of one round in this many, or more, is noted."""
LEAST_OF_TABLE: Final = 20
"""Fewest rounds of a table for which its share is noted."""
LEAST_OF_MANY: Final = 100
"""Fewest rounds of a tenant or a log for which its share is noted."""


class Share(msgspec.Struct, omit_defaults=True):
    """Numbers of rounds that ended or should have, that received a seed, and that were given up after they had.

    Of the rounds given up, ``unopened`` ended with an arrangement that its seat never opened, and in ``young`` every
    seat's key was young.
    """

    ended: int = 0
    seeded: int = 0
    given_up: int = 0
    unopened: int = 0
    young: int = 0

    @property
    def text(self) -> str:
        """The share of rounds given up, in English."""
        per_cent = 100 * self.given_up / self.seeded if self.seeded else 0.0
        return f"{self.given_up:,} of {self.seeded:,} rounds with a seed ({per_cent:.1f} %)"

    def is_noted(self, least: int) -> bool:
        """Return whether the share is large enough to be noted and at least ``least`` rounds ended."""
        return self.ended >= least and self.given_up * LEAST_SHARE >= max(1, self.seeded)


class Shares(msgspec.Struct, omit_defaults=True):
    """Shares of the log, and by name of each tenant and table that gave up at least one round."""

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
        """Add a round if it has ended or should have; ``is_young`` says that each seat has a key, and a young one."""
        if not (sample.is_ended or sample.is_lapsed):
            return
        tenant = tenant_of(sample.table_id)
        is_given_up = sample.is_seeded and (sample.is_aborted or sample.is_unopened or sample.is_lapsed)
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

    def suspicions(self) -> Iterator[Finding]:
        """Yield a note for the log, each tenant and each table whose share is large enough to be noted."""
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


def _notes(whose: str, share: Share, *, table_id: str | None = None) -> Iterator[Finding]:
    if share.young:
        detail = (
            f"in {share.young:,} of the {share.given_up:,} rounds that {whose} gave up every seat's key was young, so "
            "they can be laid to nobody"
        )
        yield Finding.of(Code.GIVEN_UP_BY_YOUNG_KEYS, detail, slot=(table_id, None))
    detail = f"{whose} gave up {share.text} after a seed was received; {share.unopened:,} by an unopened arrangement"
    yield Finding.of(Code.ROUNDS_GIVEN_UP, detail, slot=(table_id, None))
