"""Money of a log by ruleset and currency: the amounts staked and transferred, in whole minor units.

Only rounds whose settlement was recomputed with equal bytes are added up. Amounts of two currencies are never added.
Memory is one row for each ruleset and currency, at most ``MAX_ROWS`` rows.
"""

from typing import Final

import msgspec

from referee.dealing.header import Header

MAX_ROWS: Final = 200
"""Most rows kept; rounds of further rulesets and currencies are only counted."""


class MoneyRow(msgspec.Struct, kw_only=True):
    """Rounds and money of one ruleset in one currency. ``ruleset_digest`` is lowercase hex, amounts are minor units.

    ``settled`` counts the rounds whose settlement was recomputed; ``staked``, ``transferred`` and ``house`` are sums
    over these rounds. ``house`` is the house's net amount, positive if it won, from its own bets or as commission.
    """

    ruleset_id: str
    ruleset_version: str
    ruleset_digest: str
    currency: str
    opened: int = 0
    settled: int = 0
    staked: int = 0
    transferred: int = 0
    house: int = 0


class Money(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a log, sorted by ruleset id, version, digest and currency; ``left_out`` counts rounds without a row."""

    rows: tuple[MoneyRow, ...] = ()
    left_out: int = 0


class RoundMoney(msgspec.Struct, frozen=True, kw_only=True):
    """Money of one round; amounts are 0 unless its settlement was recomputed.

    ``terms`` are its ruleset's id, version and digest, and its currency.
    """

    terms: tuple[str, str, str, str]
    is_recomputed: bool = False
    staked: int = 0
    transferred: int = 0
    house: int = 0


def money_of(header: Header, *, transferred: int | None, house: int = 0) -> RoundMoney:
    """Return a round's money; ``transferred`` must be None unless its settlement was recomputed.

    The amount staked is the sum of the seats' bets before the deal, or in a game without bets the table's stake times
    the number of seats.
    """
    terms = header.ruleset_id, header.ruleset_version, header.ruleset_digest.hex(), header.currency
    if transferred is None:
        return RoundMoney(terms=terms)
    bets = header.seat_stakes
    staked = sum(map(sum, bets)) if bets else header.stake * header.seat_count
    return RoundMoney(terms=terms, is_recomputed=True, staked=staked, transferred=transferred, house=house)


class MoneyBook:
    """Sums over the rounds of a log."""

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
