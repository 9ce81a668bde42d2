"""Counts of rounds by the owner of a seat: which decks were kept and given up, and whose seeds were missing.

An owner is a seat's key if it has one, otherwise the seat of its table. Keys that have played fewer than twenty rounds
are young; all young keys together are one more owner, so nobody hides behind a new key for each round. The seats of one
number at all tables are an owner too. Rounds are added in the order in which they ended. Memory is a few numbers for
each owner.

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
"""Rounds after which a key is no longer young."""


class Owner(msgspec.Struct, frozen=True, omit_defaults=True):
    """Owner of seats: a key in hex, a seat of a table, that seat of all tables, or the young keys together.

    ``table_id`` is None for a seat of all tables; every member is None for the young keys.
    """

    key: str | None = None
    table_id: str | None = None
    seat: int | None = None

    @property
    def text(self) -> str:
        """The owner in English."""
        if self.key is not None:
            return f"key {self.key}"
        if self.seat is None:
            return f"keys in their first {YOUNG} rounds"
        where = "all tables" if self.table_id is None else f"table {self.table_id}"
        return f"{where}, seat {self.seat}"

    @property
    def is_keyed(self) -> bool:
        """Whether the owner is a key, or the young keys together."""
        return self.key is not None or self.seat is None


YOUNG_KEYS: Final = Owner()
_PLACES: Final = tuple([Owner(seat=seat) for seat in range(MAX_SEATS)])


@dataclass(slots=True)
class ChanceTally:
    """Number of successes among trials of different chances, with the expected number and its variance."""

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

    ``given_up`` counts the aborted rounds, whether or not their decks are known. ``suited`` has a trial for each known
    deck: a success is a hand above its round's mean that was kept, or a hand below it that was given up. ``hands`` has
    by game the points of the hands given up. ``missing`` has a trial for each abort for missing seeds: a success is an
    abort for the owner's own seed. ``hidden`` counts the decks that remain unknown, by the owners of the missing seeds.
    """

    rounds: int = 0
    given_up: int = 0
    bets: Bets = field(default_factory=Bets)
    suited: ChanceTally = field(default_factory=ChanceTally)
    hands: dict[str, Run] = field(default_factory=dict)
    missing: ChanceTally = field(default_factory=ChanceTally)
    hidden: Counter[tuple[Owner, ...]] = field(default_factory=Counter)


_Owned: TypeAlias = tuple[tuple[Record, tuple[int, ...]], ...]
"""Records of the owners of a round's seats, each with the seats that it owns."""


class Owners:
    """Records of all owners of a log's seats.

    ``are_seeds_handed_in`` says that people handed in seeds that the log lacks. They may have chosen by the cards which
    seeds to hand in. So each deck whose seed such a person held back weakens the suspicion as much as one deck can.
    """

    def __init__(self, *, are_seeds_handed_in: bool = False) -> None:
        self._are_seeds_handed_in = are_seeds_handed_in
        self._records: dict[Owner, Record] = {YOUNG_KEYS: Record()}
        self._handing: set[Owner] = set()
        self._seated: dict[str, tuple[tuple[bytes, ...], _Owned]] = {}
        """By table the keys of its last round without young keys, and the records of the owners of its seats."""

    def add(self, sample: RoundSample) -> None:
        """Add a round if it has ended."""
        if not sample.is_ended:
            return
        keys = sample.keys or (b"",) * sample.seat_count
        growths, trials = _growths(sample), _trials(sample)
        hidden: tuple[Owner, ...] = ()
        if self._are_seeds_handed_in:
            named = owners_of(sample.table_id, keys)
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
        """Return whether every seat of a round has a key and each key is young; call it before the round is added."""
        owners = [self._records.get(Owner(key=key.hex())) for key in sample.keys if key]
        is_keyed = 0 < sample.seat_count == len(owners)
        return is_keyed and all(record is None or record.rounds < YOUNG for record in owners)

    def asked(self) -> Iterator[tuple[Owner, Record]]:
        """Yield the owners to ask questions about, with their records.

        Young keys are asked about only together. The seat of all tables is left out if its rounds are those of one
        table.
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
        """Return by owner the number of aborts for its missing seed, most first.

        A seat counts for its key or itself.
        """
        counts = {
            owner.text: record.missing.successes
            for owner, record in self._records.items()
            if (owner.key is not None or owner.table_id is not None) and record.missing.successes
        }
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    def _owned(self, table_id: str, keys: tuple[bytes, ...]) -> _Owned:
        """Return the records of all owners of a round's seats, each with its seats; cached until the keys change."""
        before, owned = self._seated.get(table_id, ((), ()))
        if before == keys:
            return owned
        by_owner: dict[Owner, list[int]] = {}
        for seat, owner in enumerate(owners_of(table_id, keys)):
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
def owners_of(table_id: str, keys: tuple[bytes, ...]) -> tuple[Owner, ...]:
    """Return by seat the owner that is its key, or the seat itself if its key is empty."""
    return tuple([Owner(key=key.hex()) if key else Owner(None, table_id, seat) for seat, key in enumerate(keys)])


def _growths(sample: RoundSample) -> list[Sequence[Growth]]:
    """Return the growth of each seat's stakes, once by points and once by outcomes.

    Without outcomes, the growth by points is there twice. Without points, the growth by leads is there twice. Without
    either, as in a round whose deck is unknown, the list is empty.
    """
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
    """Add a round that was given up to a record; ``owned`` are the owner's seats in it."""
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
    """Return by seat whether the round's fate suits its hand, and the chance of that; None for a hand at the mean."""
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
