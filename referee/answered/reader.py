"""The reader of an audit's rounds that asks whether owners arranged as if they knew other hands.

Stakes are kept for each pair of owners who sit together (one on each direction and one on both), for each triple of
owners against the fourth seat, and for each owner that the settings name. A stake on several choices of a round is
divided among them, since the swaps of one round share cards and their product would prove nothing. A triple's stakes
begin once each of its pairs has sat together a few times, which no hand decides.

A round that was dealt and whose deck is not known costs its owners as much as one round can.
"""

import hashlib
import heapq
import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, assert_never

import msgspec
import numpy as np
from numpy.typing import NDArray

from referee.answered.choices import Choices, choices_of
from referee.answered.scored import RECORD, SEATS, ScoredRounds
from referee.answered.settings import AnsweredSettings
from referee.answered.stakes import MOST, Stakes, wary, worth
from referee.answered.swap import HELD
from referee.answered.tables import valuer_of
from referee.answered.work import Growth, Work, grow
from referee.audit.report import Report
from referee.audit.round_leaves import ExaminedRound
from referee.dealing.header import NO_KEY, tenant_of
from referee.finding import Finding
from referee.log.installed import installed_files
from referee.money import Transfer
from referee.rulesets import Ruleset
from referee.suspicion.answers import Answer, AnswerKind, Answers, log_anywhere, needed
from referee.suspicion.chance import log10
from referee.suspicion.owners import Owner, owners_of

LEAST_OF_PAIR: Final = 150
"""Fewest rounds together of a pair that is asked about."""
LEAST_OF_TRIPLE: Final = 30
"""Fewest rounds together of a triple, and of an owner alone, that is asked about."""
MET: Final = 10
"""Rounds that each pair of a triple sits together before the triple's stakes begin."""
KEPT: Final = 12
"""Number of answers of each kind that a report lists."""
SAID_MOST: Final = 10
"""Rounds that an answer names."""
_POINTS: Final = 120
"""Most points of an answer's path."""
_BITS: Final = 32
_LOW: Final = (1 << _BITS) - 1
_TOGETHER: Final = 64
"""Rounds that are scored by one call."""
_AHEAD: Final = 64
"""Calls under way in other processes."""
_GAME: Final = "mau_binh"
_LOST: Final = math.log(HELD)


class _Results(msgspec.Struct):
    transfers: tuple[Transfer, ...] = ()


class Answered:
    """Reader of an audit's rounds, which gets them as a ``RoundReader`` in the order of the log.

    ``folder`` has a house's card tables. ``earlier`` is the file of an earlier audit of this log, from which scores are
    taken; ``executor`` scores rounds in other processes. The result depends on neither. Leaving the context deletes a
    temporary file.
    """

    def __init__(
        self,
        settings: AnsweredSettings | None = None,
        *,
        folder: Path | None = None,
        earlier: Path | None = None,
        executor: Executor | None = None,
        most: int = MOST,
    ) -> None:
        self._settings: Final = settings or AnsweredSettings()
        self._folder: Final = folder
        self._executor: Final = executor
        self.scored: Final = ScoredRounds(earlier)
        program = installed_files()
        self._program: Final = hashlib.sha256(f"{program.version} {program.digest}".encode()).digest()
        self._owners: Final[dict[Owner, int]] = {}
        self._groups: Final[dict[int, int]] = {}
        self._asked_alone: Final[set[int]] = set()
        self._currencies: Final[dict[str, int]] = {}
        self._pairs: Final = Stakes(3, most=most)
        self._triples: Final = Stakes(1, most=most)
        self._alone: Final = Stakes(1, most=most)
        self._waiting: Final[list[tuple[NDArray[Any], Work | None]]] = []
        """Records of rounds without their growth, and what there is to be scored; None if the growth is known."""
        self._sent: Final[deque[tuple[list[NDArray[Any]], list[int], Callable[[], list[Growth]]]]] = deque()
        self.answers: Final = Answers()
        """The answers, complete after ``close``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.scored.close()

    def on_round(self, examined: ExaminedRound) -> None:
        """Read the next round; rounds of other games and of tables with table talk are left out."""
        ruleset, header = examined.ruleset, examined.leaves.header
        talks = self._settings.table_talk
        if ruleset is None or ruleset.game != _GAME or header.table_id in talks or tenant_of(header.table_id) in talks:
            return
        choices = choices_of(examined)
        if choices is None and (examined.leaves.deal is None or not _has_ended(examined)):
            return
        valuer = valuer_of(ruleset, header.seat_count, self._folder)
        if valuer is None:
            self.answers.unvalued[ruleset.id] = self.answers.unvalued.get(ruleset.id, 0) + 1
            return
        record = self._record(examined, choices, valuer.digest + ruleset.digest)
        known = self.scored.known(record["digest"].tobytes())
        if known is not None:
            for name in ("by_cards", "by_hands", "alone"):
                record[name] = known[name]
        work = None if choices is None or known is not None else self._work(examined, choices, ruleset)
        if choices is None:
            self.answers.unknown += 1
            record["by_cards"] = record["by_hands"] = record["alone"] = _LOST
        self._waiting.append((record, work))
        if len(self._waiting) == _TOGETHER:
            self._send()

    def close(self, report: Report) -> Iterator[Finding]:  # noqa: ARG002 - the protocol's
        """Judge all questions; yield the findings."""
        self._send()
        while self._sent:
            self._receive()
        self.answers.crowded_out = self._pairs.crowded_out + self._triples.crowded_out
        self.answers.answers = tuple(self._answers())
        yield from self.answers.findings

    def _record(self, examined: ExaminedRound, choices: Choices | None, valued_by: bytes) -> NDArray[Any]:
        """Return a round's record without its growth; ``valued_by`` names its ruleset and tables."""
        leaves = examined.leaves
        header, record = leaves.header, np.zeros(1, dtype=RECORD)
        keys = tuple([b"" if key == NO_KEY else key for key in header.seat_keys])
        content = b"" if choices is None else choices.digest
        alone = [key for key in keys if key.hex() in self._settings.alone]
        named = b"".join([self._program, valued_by, leaves.round_id, content, *alone])
        record["digest"] = np.void(hashlib.sha256(named).digest()[:16])
        record["leaf"] = examined.leaf_index
        for seat, owner in enumerate(owners_of(header.table_id, keys)):
            record["owners"][0, seat] = self._number_of(owner)
        record["currency"] = self._currencies.setdefault(header.currency, len(self._currencies))
        if leaves.settle is not None and examined.result.is_replayed:
            for paid in msgspec.json.decode(leaves.settle.leaf.results, type=_Results).transfers:
                if min(paid.payer, paid.payee) >= 0:
                    record["won"][0, paid.payee, paid.payer] += paid.amount
                    record["won"][0, paid.payer, paid.payee] -= paid.amount
        return record

    def _work(self, examined: ExaminedRound, choices: Choices, ruleset: Ruleset) -> Work:
        keys = [key.hex() for key in examined.leaves.header.seat_keys]
        alone = tuple([seat for seat, key in enumerate(keys) if key in self._settings.alone])
        return Work(ruleset.source, ruleset.file, self._folder, choices, alone)

    def _send(self) -> None:
        """Have the waiting rounds scored, and read what is scored already if much is under way."""
        waiting, self._waiting[:] = list(self._waiting), []
        works = [work for _, work in waiting if work is not None]
        records = [record for record, _ in waiting]
        places = [place for place, (_, work) in enumerate(waiting) if work is not None]
        result = partial(grow, works) if self._executor is None else self._executor.submit(grow, works).result
        self._sent.append((records, places, result))
        while len(self._sent) > (0 if self._executor is None else _AHEAD):
            self._receive()

    def _receive(self) -> None:
        """Add the rounds that were sent first to the stakes."""
        records, places, result = self._sent.popleft()
        for place, grown in zip(places, result(), strict=True):
            for name, values in zip(("by_cards", "by_hands", "alone"), grown, strict=True):
                records[place][name][0][tuple(map(slice, values.shape))] = values
        for record in records:
            self.scored.add(record)
            self._add(record[0])

    def _add(self, record: Any) -> None:  # noqa: ANN401 - numpy has no type for a record
        """Add a scored round to the stakes of its pairs, triples and owners."""
        owners, cards, hands = record["owners"].tolist(), record["by_cards"].tolist(), record["by_hands"].tolist()
        self.answers.rounds += 1
        seated = sorted([seat for seat, owner in enumerate(owners) if owner], key=owners.__getitem__)
        for first, second in combinations(seated, 2):
            if self._are_strangers(owners[first], owners[second]):
                there, back = cards[first][second], cards[second][first]
                self._pairs.add(owners[first] << _BITS | owners[second], (there, back, _mean(there, back)))
        for three in combinations(seated, 3) if len(seated) == SEATS else ():
            pairs = [owners[first] << _BITS | owners[second] for first, second in combinations(three, 2)]
            if min(map(self._pairs.rounds, pairs)) > MET:  # as of no pair that may know one another's cards
                fourth = next(seat for seat in seated if seat not in three)
                key = owners[three[0]] << 2 * _BITS | owners[three[1]] << _BITS | owners[three[2]]
                self._triples.add(key, (_mean(*[hands[seat][fourth] for seat in three]),))
        for seat in seated:
            if owners[seat] in self._asked_alone:
                self._alone.add(owners[seat], (record["alone"][seat].item(),))

    def _are_strangers(self, first: int, second: int) -> bool:
        """Return whether two owners are not one and are in no group that may know one another's cards."""
        return first != second and self._groups.get(first, first) != self._groups.get(second, second)

    def _number_of(self, owner: Owner) -> int:
        """Return the number of an owner, from 1; groups have numbers below 0."""
        number = self._owners.get(owner)
        if number is None:
            number = self._owners[owner] = len(self._owners) + 1
            for group, keys in enumerate(self._settings.together, 1):
                if owner.key in keys:
                    self._groups[number] = -group
            if owner.key in self._settings.alone:
                self._asked_alone.add(number)
        return number

    def _answers(self) -> Iterator[Answer]:
        """Yield the answers to list, by kind, the highest e-values first."""
        names = {number: owner.text for owner, number in self._owners.items()}
        asked: dict[AnswerKind, list[_Question]] = {
            AnswerKind.ANSWERED: list(_of_pairs(self._pairs)),
            AnswerKind.LEFT_OUT: [
                _Question(log, rounds, (key >> 2 * _BITS, key >> _BITS & _LOW, key & _LOW))
                for key, rounds, (log,) in self._triples.asked(LEAST_OF_TRIPLE)
            ],
            AnswerKind.SUPERUSER: [
                _Question(log, rounds, (key,)) for key, rounds, (log,) in self._alone.asked(LEAST_OF_TRIPLE)
            ],
        }
        counts = {kind: len(questions) for kind, questions in asked.items() if questions}
        self.answers.asked, self.answers.needed = counts, {kind: needed(count) for kind, count in counts.items()}
        for kind, count in counts.items():
            listed = heapq.nlargest(KEPT, asked[kind])
            details = self._details(kind, listed)
            for one, detail in zip(listed, details, strict=True):
                yield Answer(
                    kind=kind,
                    who=tuple([names[owner] for owner in one.owners]),
                    rounds=one.rounds,
                    log10_e=log10(one.log),
                    log10_anywhere=log10(log_anywhere(one.log, asked=count)),
                    is_mutual=one.is_mutual,
                    leaves=detail.leaves,
                    won={name: won for name, number in self._currencies.items() if (won := detail.won[number])},
                    path=detail.path,
                )

    def _details(self, kind: AnswerKind, listed: Sequence["_Question"]) -> list["_Detail"]:
        """Read the scored rounds again for the details of the listed questions."""
        details = [_Detail(one.rounds) for one in listed]
        for one, detail in zip(listed, details, strict=True):
            for record, seats in self._together(one.owners):
                if kind is not AnswerKind.LEFT_OUT or record["owners"].all():
                    detail.add(record, _growth(record, kind, seats, is_mutual=one.is_mutual), seats)
        return details

    def _together(self, owners: Sequence[int]) -> Iterator[tuple[Any, list[int]]]:
        """Yield the records of rounds in which all these owners sat, with their seats."""
        for records in self.scored:
            for record in records[np.all([np.any(records["owners"] == one, axis=1) for one in owners], axis=0)]:
                yield record, [record["owners"].tolist().index(one) for one in owners]


class _Question(NamedTuple):
    """Question about owners: the largest logarithm of its stake, the rounds, and the owners by number."""

    log: float
    rounds: int
    owners: tuple[int, ...]
    is_mutual: bool = False


class _Detail:
    """Details of one question, of its last rounds: those that say most, the money and the path of the stake."""

    def __init__(self, rounds: int) -> None:
        self._growth: Final[deque[tuple[float, int]]] = deque(maxlen=rounds)
        self._won: Final[deque[tuple[int, int]]] = deque(maxlen=rounds)

    def add(self, record: Any, growth: float, seats: Sequence[int]) -> None:  # noqa: ANN401 - a record
        """Add a round with the growth of the stake and the seats of the owners."""
        self._growth.append((growth, record["leaf"].item()))
        if len(seats) == 2:  # noqa: PLR2004 - a pair
            self._won.append((record["currency"].item(), record["won"][seats[0], seats[1]].item()))

    @property
    def leaves(self) -> tuple[int, ...]:
        """DEAL leaves of the rounds that say most, first the one that says most."""
        return tuple([leaf for _, leaf in heapq.nlargest(SAID_MOST, self._growth)])

    @property
    def won(self) -> Counter[int]:
        """By currency the amount that the first owner won from the second."""
        won: Counter[int] = Counter()
        for currency, amount in self._won:
            won[currency] += amount
        return won

    @property
    def path(self) -> tuple[float, ...]:
        """Decimal logarithms of the stake after evenly spaced rounds."""
        bold = list(accumulate(growth for growth, _ in self._growth))
        cautious = list(accumulate(wary(growth) for growth, _ in self._growth))
        step = max(1, len(bold) // _POINTS)
        return tuple([log10(worth(bold[at], cautious[at])) for at in range(step - 1, len(bold), step)])


def _of_pairs(pairs: Stakes) -> Iterator[_Question]:
    """Yield the three questions about each pair that has sat together often enough."""
    for key, rounds, peaks in pairs.asked(LEAST_OF_PAIR):
        there, back, both = peaks
        pair = key >> _BITS, key & _LOW
        yield _Question(there, rounds, pair)
        yield _Question(back, rounds, pair[::-1])
        yield _Question(both, rounds, pair, is_mutual=True)


def _growth(record: Any, kind: AnswerKind, seats: Sequence[int], *, is_mutual: bool) -> float:  # noqa: ANN401 - a record
    """Return the growth of a question's stake in a round, from the seats of its owners."""
    match kind:
        case AnswerKind.ANSWERED:
            there = record["by_cards"][seats[0], seats[1]].item()
            return _mean(there, record["by_cards"][seats[1], seats[0]].item()) if is_mutual else there
        case AnswerKind.LEFT_OUT:
            fourth = next(seat for seat in range(SEATS) if seat not in seats)
            return _mean(*[record["by_hands"][seat, fourth].item() for seat in seats])
        case AnswerKind.SUPERUSER:
            return float(record["alone"][seats[0]])
        case _:
            assert_never(kind)


def _mean(*growth: float) -> float:
    """Return the growth of a stake that is divided equally, given the growth of its parts."""
    return math.log(math.fsum(map(math.exp, growth)) / len(growth))


def _has_ended(examined: ExaminedRound) -> bool:
    """Return whether a round's deck should be known by now."""
    leaves = examined.leaves
    return leaves.is_lapsed or leaves.settle is not None or leaves.abort is not None
