"""Totals over a log's rounds: numbers of checks, levels, seeds and section keys used twice, and the statistics.

Seeds that were used twice are found in bounded memory, however many seeds a log has.

Seeds are compared whole, so there are no false alarms. Records of 40 bytes (kind, seed, leaf) are collected in memory,
sorted and written to a temporary file in runs of 65,536, and at the end the sorted runs are merged, which brings equal
seeds together. Memory is one run, and a small buffer for each run.

>>> book = SeedBook()
>>> for leaf, seed in enumerate([b"a" * 32, b"b" * 32, b"a" * 32]):
...     book.add(SeedKind.CLIENT, seed, leaf=leaf)
>>> [(again.first_leaf, again.leaf) for again in book.repeated()]
[(0, 2)]
"""

import enum
import heapq
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import IO, Final, Self

from referee.audit.report import DealingLevel, Money, MoneyRow, Report, Statistics
from referee.audit.round_leaves import RoundMoney, RoundResult
from referee.dealing.commitment import SEED_SIZE
from referee.finding import Code, Finding
from referee.suspicion.given_up import GivenUpBook
from referee.suspicion.owners import Owners
from referee.suspicion.population import LogCounts
from referee.suspicion.questions import questions
from referee.suspicion.score import KEPT, judge

MAX_ROWS: Final = 200
"""Most rows of money kept; rounds of further rulesets and currencies are only counted."""
_RUN: Final = 65_536
_RECORD: Final = 40
_SEED: Final = slice(0, 33)
_LEAF: Final = slice(33, 40)
_READ: Final = 64
"""Records read at once from a stored run."""


class SeedKind(enum.IntEnum):
    """Kind of a seed."""

    SERVER = 0
    CLIENT = 1
    DECK = 2
    """The hash of a deck's cards in their order, which is searched for repetitions as seeds are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A seed that ``leaf`` shows again, and the earliest leaf that shows it."""

    kind: SeedKind
    first_leaf: int
    leaf: int


class SeedBook:
    """Collection of all seeds of a log with their leaves, which finds the seeds that several leaves show.

    ``run`` is the most seeds held in memory; the others are in a temporary file, which leaving the context deletes.
    """

    def __init__(self, *, run: int = _RUN) -> None:
        self._run = run
        self._buffer = bytearray()
        self._file: IO[bytes] | None = None
        self._ends: list[int] = [0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, kind: SeedKind, *seeds: bytes, leaf: int) -> None:
        """Add the seeds of 32 bytes that a leaf shows; raise ValueError for a seed of another size."""
        for seed in seeds:
            if len(seed) != SEED_SIZE:
                raise ValueError(f"a seed has {SEED_SIZE} bytes, not {len(seed)}")
            self._buffer += b"%c%b%b" % (kind, seed, leaf.to_bytes(7, "big"))
        if len(self._buffer) >= self._run * _RECORD:
            self._put_away()

    def repeated(self) -> Iterator[Repeated]:
        """Yield each leaf that shows a seed which an earlier leaf shows, sorted by kind, seed and leaf.

        A leaf that shows the same seed several times is yielded at most once for it.
        """
        runs = [self._stored(start, end) for start, end in zip(self._ends, self._ends[1:], strict=False)]
        seed, first, latest = b"", -1, -1
        for record in heapq.merge(iter(self._sorted()), *runs):
            leaf = int.from_bytes(record[_LEAF], "big")
            if record[_SEED] != seed:
                seed, first = record[_SEED], leaf
            elif leaf != latest:
                yield Repeated(kind=SeedKind(record[0]), first_leaf=first, leaf=leaf)
            latest = leaf

    def _sorted(self) -> list[bytes]:
        data = bytes(self._buffer)
        return sorted([data[at : at + _RECORD] for at in range(0, len(data), _RECORD)])

    def _put_away(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="referee-audit-")  # noqa: SIM115 - closed with the book
        self._file.seek(self._ends[-1])
        self._file.write(b"".join(self._sorted()))
        self._ends.append(self._file.tell())
        self._buffer.clear()

    def _stored(self, start: int, end: int) -> Iterator[bytes]:
        while self._file is not None and start < end:
            self._file.seek(start)
            data = self._file.read(min(_READ * _RECORD, end - start))
            yield from (data[at : at + _RECORD] for at in range(0, len(data), _RECORD))
            start += len(data)


class MoneyBook:
    """Money of a log by ruleset and currency; amounts of two currencies are never added.

    Memory is one row for each ruleset and currency, at most ``MAX_ROWS`` rows.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str, str], MoneyRow] = {}
        self._left_out = 0

    def add(self, money: RoundMoney) -> None:
        """Add a round."""
        row = self._rows.get(money.terms)
        if row is None:
            if len(self._rows) >= MAX_ROWS:
                self._left_out += 1
                return
            name, version, digest, currency = money.terms
            row = self._rows[money.terms] = MoneyRow(
                ruleset_id=name, ruleset_version=version, ruleset_digest=digest, currency=currency
            )
        row.opened += 1
        row.settled += money.is_recomputed
        row.staked += money.staked
        row.transferred += money.transferred
        row.house += money.house

    def close(self) -> Money:
        """Return the sums so far."""
        return Money(rows=tuple([self._rows[terms] for terms in sorted(self._rows)]), left_out=self._left_out)


class Totals:
    """Totals over the results of rounds, which it adds to a report and its findings.

    ``vouched`` has the indices of DEAL leaves that carry a checkpoint cosigned by a quorum, until their round is added.
    """

    def __init__(self, report: Report, find: Callable[[Finding], None], *, are_seeds_handed_in: bool) -> None:
        self.seeds = SeedBook()
        self.vouched: set[int] = set()
        self._report = report
        self._add_finding = find
        self._population = LogCounts()
        self._money = MoneyBook()
        self._owners = Owners(are_seeds_handed_in=are_seeds_handed_in)
        self._given_up = GivenUpBook()
        self._section_keys: dict[bytes, tuple[int, int]] = {}
        self._independent = bytearray(report.size // 8 + 1)
        self._witnessed = bytearray(report.size // 8 + 1)

    def add(self, results: Iterable[RoundResult]) -> None:
        """Add results of rounds to the findings, the report's numbers and the statistics."""
        report = self._report
        for one in results:
            for finding in one.findings:
                self._add_finding(finding)
            report.checked.signatures += one.signatures
            report.checked.replayed += one.is_replayed
            report.checked.redealt += one.is_redealt
            if one.event_level is not None:
                report.event_levels[one.event_level] += 1
            if one.dealing_level is not None:
                report.dealing_levels[one.dealing_level] += 1
                is_vouched = one.client_seeds_leaf in self.vouched
                self.vouched.discard(one.client_seeds_leaf)
                if one.dealing_level is DealingLevel.L2:
                    self._raise(one.client_seeds_leaf, is_vouched=is_vouched)
            self._money.add(one.money)
            self._population.add(one.sample)
            self._given_up.add(one.sample, is_young=self._owners.are_young(one.sample))
            self._owners.add(one.sample)
            for section, key in one.opened:
                self._compare_key(section, key, leaf=one.sample.leaf_index)
            if one.sample.shown:
                self.seeds.add(SeedKind.DECK, one.sample.shown, leaf=one.sample.leaf_index)
            self.seeds.add(SeedKind.CLIENT, *one.client_seeds, leaf=one.client_seeds_leaf)
            if one.server_seed is not None:
                self.seeds.add(SeedKind.SERVER, one.server_seed, leaf=one.server_seed_leaf)

    def close(self) -> None:
        """Report seeds that were used twice, compare the counts with chance, and fill in the report's statistics."""
        repeated = self._compare_seeds()
        population, report = self._population, self._report
        report.money = self._money.close()
        report.given_up = self._given_up.shares
        judged = judge(questions(population, self._owners, report.tables, repeated=repeated))
        for finding in (*self._given_up.suspicions(), *judged.suspicions):
            self._add_finding(finding)
        places = tuple([tuple(row[1:]) for row in population.cells]) if population.decks else ()
        report.statistics = Statistics(
            decks=population.decks,
            asked=judged.asked,
            scores=judged.scores,
            places=places,
            without_seed=dict(islice(self._owners.blamed().items(), KEPT)),
        )

    def _compare_seeds(self) -> list[tuple[int, int]]:
        """Report seeds that were used twice; return the pairs of leaves in which one deck was dealt."""
        decks: list[tuple[int, int]] = []
        for again in self.seeds.repeated():
            if again.kind is SeedKind.DECK:
                if len(decks) < KEPT:
                    decks.append((again.first_leaf, again.leaf))
            elif again.kind is SeedKind.SERVER:
                detail = f"leaf {again.first_leaf} shows the same server seed"
                self._find(Code.SERVER_SEED_REPEATED, detail, leaf_index=again.leaf)
            else:
                detail = f"leaf {again.first_leaf} has a seat's seed too"
                self._find(Code.CLIENT_SEED_REPEATED, detail, leaf_index=again.leaf)
                self._lower(again.first_leaf)
                self._lower(again.leaf)
        return decks

    def _compare_key(self, section: int, key: bytes, *, leaf: int) -> None:
        """Report a section's key if it opens a section of another round too."""
        first, before = self._section_keys.setdefault(key, (section, leaf))
        if before != leaf:
            detail = f"the key of section {section} opens section {first} of the round dealt in leaf {before} too"
            self._find(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf)

    def _raise(self, dealt: int, *, is_vouched: bool) -> None:
        """Record that the round of a DEAL leaf has level L2; raise it to L3 if ``is_vouched``."""
        bit = 1 << (dealt & 7)
        self._independent[dealt >> 3] |= bit
        if is_vouched:
            self._witnessed[dealt >> 3] |= bit
            self._report.dealing_levels[DealingLevel.L2] -= 1
            self._report.dealing_levels[DealingLevel.L3] += 1

    def _lower(self, leaf: int) -> None:
        """Lower the round of a DEAL leaf from level L2 or L3 to L1; leave another level as it is."""
        bit = 1 << (leaf & 7)
        if self._independent[leaf >> 3] & bit:
            self._independent[leaf >> 3] ^= bit
            is_witnessed = self._witnessed[leaf >> 3] & bit
            self._report.dealing_levels[DealingLevel.L3 if is_witnessed else DealingLevel.L2] -= 1
            self._report.dealing_levels[DealingLevel.L1] += 1

    def _find(self, code: Code, detail: str, *, leaf_index: int) -> None:
        self._add_finding(Finding.of(code, detail, leaf_index=leaf_index))
