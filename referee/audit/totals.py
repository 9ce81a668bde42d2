"""Totals over the results of a log's rounds: numbers of checks, levels, money, and seeds and keys used twice."""

from collections.abc import Callable
from typing import Final

from referee.audit.report import DealingLevel, Money, MoneyRow, Report
from referee.audit.round_leaves import ExaminedRound, RoundMoney
from referee.audit.seed_book import SeedBook, SeedKind
from referee.finding import Code, Finding

MAX_ROWS: Final = 200
"""Most rows of money kept; rounds of further rulesets and currencies are only counted."""


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
    """Totals over a log's rounds, which it adds to a report and its findings.

    ``vouched`` has the indices of DEAL leaves that carry a checkpoint cosigned by a quorum, until their round is added.
    """

    def __init__(self, report: Report, find: Callable[[Finding], None], seeds: SeedBook) -> None:
        self._seeds = seeds
        self.vouched: set[int] = set()
        self._report = report
        self._add_finding = find
        self._money = MoneyBook()
        self._section_keys: dict[bytes, tuple[int, int]] = {}
        self._independent = bytearray(report.size // 8 + 1)
        self._witnessed = bytearray(report.size // 8 + 1)

    def on_round(self, examined: ExaminedRound) -> None:
        """Add a round to the findings and to the report's numbers."""
        report, result = self._report, examined.result
        for finding in result.findings:
            self._add_finding(finding)
        report.checked.signatures += result.signatures
        report.checked.replayed += result.is_replayed
        report.checked.redealt += result.is_redealt
        if result.event_level is not None:
            report.event_levels[result.event_level] += 1
        if result.dealing_level is not None:
            report.dealing_levels[result.dealing_level] += 1
            is_vouched = result.client_seeds_leaf in self.vouched
            self.vouched.discard(result.client_seeds_leaf)
            if result.dealing_level is DealingLevel.L2:
                self._raise(result.client_seeds_leaf, is_vouched=is_vouched)
        self._money.add(result.money)
        for section, key in result.opened:
            self._compare_key(section, key, leaf=examined.leaf_index)
        self._seeds.add(SeedKind.CLIENT, *result.client_seeds, leaf=result.client_seeds_leaf)
        if result.server_seed is not None:
            self._seeds.add(SeedKind.SERVER, result.server_seed, leaf=result.server_seed_leaf)

    def close(self) -> None:
        """Fill in the report's money, and report seeds that were used twice."""
        self._report.money = self._money.close()
        for again in self._seeds.repeated():
            if again.kind is SeedKind.SERVER:
                detail = f"leaf {again.first_leaf} shows the same server seed"
                self._find(Code.SERVER_SEED_REPEATED, detail, leaf_index=again.leaf)
            else:
                detail = f"leaf {again.first_leaf} has a seat's seed too"
                self._find(Code.CLIENT_SEED_REPEATED, detail, leaf_index=again.leaf)
                self._lower(again.first_leaf)
                self._lower(again.leaf)

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
