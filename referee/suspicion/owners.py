"""Counts of rounds by the owner of a seat: how decks were kept and given up, and whose seeds were missing.

An owner is a seat's key where it has one, otherwise the table and the seat; keys younger than twenty rounds are one
owner together, so a new key for each round hides nobody. A place is an owner too: the seat of this number at all
tables. Rounds are added in the order in which they ended. Memory is a few numbers an owner.

>>> owners = Owners()
>>> for number in range(30):
...     owners.add(RoundSample(table_id="a", game="tien_len", seat_count=2, leaf_index=number, is_ended=True,
...                            is_aborted=True, keys=(b"x" * 32, b""), points=(40, 90)))
>>> [(owner.text[:20], record.rounds) for owner, record in owners.asked()]
[('keys in their first ', 20), ('key 7878787878787878', 30), ('all tables, seat 0', 30), ('table a, seat 1', 30)]
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from referee.dealing.header import MAX_SEATS
from referee.suspicion.bets import GIVEN_UP, KEPT, Bets, Growth, growth, shared
from referee.suspicion.population import RoundSample, Run

YOUNG: Final = 20
"""Rounds until a key is an owner of its own."""


class Owner(msgspec.Struct, frozen=True, omit_defaults=True):
    """Owner of seats: a key in hex, a seat of a table or, without a table, of all; without any the young keys."""

    key: str | None = None
    table_id: str | None = None
    seat: int | None = None

    @property
    def text(self) -> str:
        """Owner in English."""
        if self.key is not None:
            return f"key {self.key}"
        if self.seat is None:
            return f"keys in their first {YOUNG} rounds"
        where = "all tables" if self.table_id is None else f"table {self.table_id}"
        return f"{where}, seat {self.seat}"

    @property
    def is_keyed(self) -> bool:
        """Whether it is a key, or young keys together."""
        return self.key is not None or self.seat is None


YOUNG_KEYS: Final = Owner()
_PLACES: Final = tuple([Owner(seat=seat) for seat in range(MAX_SEATS)])


@dataclass(slots=True)
class Tally:
    """Number of successes among trials, each with its own chance."""

    trials: int = 0
    successes: int = 0
    expected: float = 0.0
    variance: float = 0.0

    def add(self, *, is_success: bool, chance: float) -> None:
        """Add a trial."""
        self.trials += 1
        self.successes += is_success
        self.expected += chance
        self.variance += chance * (1 - chance)


@dataclass(slots=True)
class Record:
    """Counts of an owner's rounds that ended.

    ``given_up`` counts the aborted ones, their decks known or not. ``suited`` are the decks that are known: a success
    is a hand above its round's mean that was kept, or one below it that was given up. ``hands`` sums the points of the
    hands given up by game. ``missing`` counts aborts for missing seeds, a success where the owner's own was missing.
    ``hidden`` counts decks that stayed unknown by the owners of the missing seeds.
    """

    rounds: int = 0
    given_up: int = 0
    bets: Bets = field(default_factory=Bets)
    suited: Tally = field(default_factory=Tally)
    hands: dict[str, Run] = field(default_factory=dict)
    missing: Tally = field(default_factory=Tally)
    hidden: Counter[tuple[Owner, ...]] = field(default_factory=Counter)


_Owned: TypeAlias = tuple[tuple[Record, tuple[int, ...]], ...]
"""Records of the owners of a round's seats, each with the seats that it owns."""


class Owners:
    """Records of all owners of a log's seats.

    ``are_seeds_handed_in`` says that seeds are known that the log lacks. Their holders may have chosen them by the
    cards, so a deck that such a holder could have shown and did not counts against the suspicion as much as any can.
    """

    def __init__(self, *, are_seeds_handed_in: bool = False) -> None:
        self._are_seeds_handed_in = are_seeds_handed_in
        self._records: dict[Owner, Record] = {YOUNG_KEYS: Record()}
        self._handing: set[Owner] = set()
        self._seated: dict[str, tuple[tuple[bytes, ...], _Owned]] = {}
        """Keys of each table's last round without young keys, with its owners."""

    def add(self, sample: RoundSample) -> None:
        """Add a round, unless it has not ended."""
        if not sample.is_ended:
            return
        keys = sample.keys or (b"",) * sample.seat_count
        growths, trials = _growths(sample), _trials(sample)
        hidden: tuple[Owner, ...] = ()
        if self._are_seeds_handed_in:
            named = _named(sample.table_id, keys)
            self._handing.update([named[seat] for seat in sample.handed_in])
            hidden = () if growths else tuple([named[seat] for seat in sample.blamed])
        for record, owned in self._owned(sample.table_id, keys):
            record.rounds += 1
            if sample.is_aborted:
                _add_given_up(record, sample, growths, owned)
            elif growths:
                record.bets.add_kept(_shared(growths[0], owned))
            if hidden:
                record.hidden[hidden] += 1
            if len(owned) == 1 and trials and (trial := trials[owned[0]]) is not None:
                record.suited.add(is_success=trial[0], chance=trial[1])

    def are_young(self, sample: RoundSample) -> bool:
        """Return whether every seat of a round that is added next has a key, and each key is young."""
        owners = [self._records.get(Owner(key=key.hex())) for key in sample.keys if key]
        is_keyed = 0 < sample.seat_count == len(owners)
        return is_keyed and all(record is None or record.rounds < YOUNG for record in owners)

    def asked(self) -> Iterator[tuple[Owner, Record]]:
        """Yield the owners that questions are asked about, with their records.

        Young keys are asked about together, a place only if it is more than a seat of one table.
        """
        alone = {(owner.seat, record.rounds) for owner, record in self._records.items() if owner.table_id is not None}
        for owner, record in self._records.items():
            is_young = owner.key is not None and record.rounds < YOUNG
            is_same = owner.table_id is None and (owner.seat, record.rounds) in alone
            if record.rounds and not is_young and not is_same:
                for holders, rounds in record.hidden.items():
                    if not self._handing.isdisjoint(holders):
                        record.bets.withhold(rounds)
                record.hidden.clear()
                yield owner, record

    def blamed(self) -> dict[str, int]:
        """Count aborts for a missing seed by the owner of the missing seed, most first, each seat under one owner."""
        counts = {
            owner.text: record.missing.successes
            for owner, record in self._records.items()
            if (owner.key is not None or owner.table_id is not None) and record.missing.successes
        }
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    def _owned(self, table_id: str, keys: tuple[bytes, ...]) -> _Owned:
        """Return the records of all owners of a round's seats, each with its seats; keep them until the keys change."""
        before, owned = self._seated.get(table_id, ((), ()))
        if before == keys:
            return owned
        by_owner: dict[Owner, list[int]] = {}
        for seat, owner in enumerate(_named(table_id, keys)):
            if owner.key is not None and self._record(owner).rounds < YOUNG:
                by_owner.setdefault(YOUNG_KEYS, []).append(seat)
            by_owner.setdefault(owner, []).append(seat)
            by_owner.setdefault(_PLACES[seat], []).append(seat)
        owned = tuple([(self._record(owner), tuple(seats)) for owner, seats in by_owner.items()])
        if YOUNG_KEYS not in by_owner:
            self._seated[table_id] = keys, owned
        return owned

    def _record(self, owner: Owner) -> Record:
        record = self._records.get(owner)
        if record is None:
            record = self._records[owner] = Record()
        return record


@lru_cache(maxsize=1024)
def _named(table_id: str, keys: tuple[bytes, ...]) -> tuple[Owner, ...]:
    """Return the owners of a table's seats, given their keys, empty for none."""
    return tuple([Owner(key=key.hex()) if key else Owner(None, table_id, seat) for seat, key in enumerate(keys)])


def _growths(sample: RoundSample) -> list[Sequence[Growth]]:
    """Return the growth of bets by seat: on points and on outcomes, or on leads; none if the deck is unknown."""
    arguments = GIVEN_UP if sample.is_aborted else KEPT
    if sample.points and sample.seat_count > 1:
        points = growth(sample.points, arguments)
        return [points, growth(sample.outcomes, arguments) if sample.outcomes else points]
    if sample.leads:
        against = tuple([growth((lead, -lead), arguments)[0] for lead in sample.leads])
        return [against, against]
    return []


def _shared(growths: Sequence[Growth], owned: Sequence[int]) -> Growth:
    return growths[owned[0]] if len(owned) == 1 else shared([growths[seat] for seat in owned])


def _add_given_up(
    record: Record, sample: RoundSample, growths: Sequence[Sequence[Growth]], owned: Sequence[int]
) -> None:
    """Add what is counted of a round that was given up."""
    record.given_up += 1
    if growths:
        points, outcomes = [_shared(grown, owned) for grown in growths]
        if sample.handed_in:
            record.bets.add_handed_in(points, outcomes)
        else:
            record.bets.add_given_up(points, outcomes)
    if len(owned) > 1:
        return
    if sample.points and not sample.handed_in:
        record.hands.setdefault(sample.game, Run()).add(sample.points[owned[0]])
    if 0 < len(sample.blamed) < sample.seat_count:
        chance = len(sample.blamed) / sample.seat_count
        record.missing.add(is_success=owned[0] in sample.blamed, chance=chance)


def _trials(sample: RoundSample) -> Sequence[tuple[bool, float] | None]:
    """Return by seat whether the fate of its hand suits it, and the chance of that; None for a hand like the mean."""
    if sample.points:
        return _trials_among(sample.points, is_aborted=sample.is_aborted)
    return [_trials_among((lead, -lead), is_aborted=sample.is_aborted)[0] for lead in sample.leads]


def _trials_among(values: Sequence[int], *, is_aborted: bool) -> Sequence[tuple[bool, float] | None]:
    mean = sum(values) / len(values)
    above = len([value for value in values if value > mean])
    below = len([value for value in values if value < mean])
    if not above:
        return [None] * len(values)
    chance = (below if is_aborted else above) / (above + below)
    return [None if value == mean else ((value < mean) is is_aborted, chance) for value in values]
