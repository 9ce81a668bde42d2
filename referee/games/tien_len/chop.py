"""Which play beats which: one of its own kind and length with a lower top card, by rank, then by suit.

Beyond that a play beats only what it chops (*chặt*), as the ruleset's data says. In ``tien_len.mien_nam``:

| chops with | TWO | PAIR_OF_TWOS | PAIR_RUN_3 | QUAD | PAIR_RUN_4 |
|---|---|---|---|---|---|
| PAIR_RUN_3 | yes | - | smaller | - | - |
| QUAD | yes | yes | yes | smaller | - |
| PAIR_RUN_4 | yes | yes | yes | yes | smaller |

*smaller*: only a victim with a lower top card. A higher two over a two, or pair of twos over a pair, is no chop. Three
twos cannot be chopped. This module only names the price of a chop; ``settlement`` has who pays it.

>>> from referee.cards import parse_cards
>>> from referee.games.tien_len.combination import read_combination
>>> from referee.games.tien_len.order import set_of
>>> low, high, run = (read_combination(set_of(parse_cards(text))) for text in ("3S 3C", "3D 3H", "4S 5S 6S"))
>>> is_higher(high, than=low), is_higher(low, than=high), is_higher(run, than=low)
(True, False, False)

Source: the text that ``tien_len.mien_nam.toml`` quotes, "3 đôi thông chặt được heo và 3 đôi thông nhỏ nhỏ hơn. Tứ quý
chặt được heo, 3 đôi thông và tứ quý nhỏ hơn. 4 đôi thông chặt được heo, 3 đôi thông, tứ quý và 4 đôi thông nhỏ hơn.";
that a quad and four pairs also take a pair of twos: "Chặt đôi hai đen: 6 cược".
"""

from typing import Final

from referee.games.tien_len.code import Kind, Price, Victim
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.order import RANK_OF_TWOS
from referee.games.tien_len.rules import ChopPrices, Chops

_RED: Final = 2
_VICTIM_OF_KIND: Final = {
    Kind.PAIR_RUN_3: Victim.PAIR_RUN_3,
    Kind.QUAD: Victim.QUAD,
    Kind.PAIR_RUN_4: Victim.PAIR_RUN_4,
}
_VICTIM_OF_TWOS: Final = {Kind.SINGLE: Victim.TWO, Kind.PAIR: Victim.PAIR_OF_TWOS}
_PRICE_OF_VICTIM: Final = {
    Victim.PAIR_RUN_3: Price.PAIR_RUN_3,
    Victim.QUAD: Price.QUAD,
    Victim.PAIR_RUN_4: Price.PAIR_RUN_4,
}
_PRICE_BY_REDS: Final = {
    Victim.TWO: (Price.BLACK_TWO, Price.RED_TWO),
    Victim.PAIR_OF_TWOS: (Price.PAIR_OF_BLACK_TWOS, Price.PAIR_OF_MIXED_TWOS, Price.PAIR_OF_RED_TWOS),
}


def beats(rules: Chops, play: Combination, *, than: Combination) -> bool:
    """Return whether a play may be put on another, by being higher or by chopping it."""
    return is_higher(play, than=than) or chopped_by(rules, play, victim=than) is not None


def is_higher(play: Combination, *, than: Combination) -> bool:
    """Return whether a play has the kind and length of another and a higher top card."""
    return play.kind is than.kind and play.length == than.length and play.top > than.top


def chopped_by(rules: Chops, play: Combination, *, victim: Combination) -> Price | None:
    """Return the price code of the chop if ``play`` is put on ``victim``; None if that is no chop."""
    taken = victim_of(victim)
    if taken is None or taken not in takes(rules, play.kind):
        return None
    if play.kind is victim.kind and play.top <= victim.top:
        return None
    reds = (victim.card_set >> 4 * RANK_OF_TWOS + _RED).bit_count()
    return _PRICE_OF_VICTIM.get(taken) or _PRICE_BY_REDS[taken][reds]


def victim_of(play: Combination) -> Victim | None:
    """Return which victim a play is for a chop; None for a play that no chop can take."""
    if play.top >> 2 == RANK_OF_TWOS and play.kind is not Kind.QUAD:
        return _VICTIM_OF_TWOS.get(play.kind)
    return _VICTIM_OF_KIND.get(play.kind)


def takes(rules: Chops, kind: Kind) -> tuple[Victim, ...]:
    """Return the victims that a kind chops under these rules; empty for a kind that never chops."""
    if kind is Kind.PAIR_RUN_3:
        return rules.pair_run_3
    if kind is Kind.QUAD:
        return rules.quad
    if kind is Kind.PAIR_RUN_4:
        return rules.pair_run_4
    return ()


def chop_units(prices: ChopPrices, price: Price) -> int:
    """Return the units of a chop; raise KeyError for CARD, which is only a price of cards left."""
    return {
        Price.BLACK_TWO: prices.black_two,
        Price.RED_TWO: prices.red_two,
        Price.PAIR_OF_BLACK_TWOS: prices.pair_of_black_twos,
        Price.PAIR_OF_MIXED_TWOS: prices.pair_of_mixed_twos,
        Price.PAIR_OF_RED_TWOS: prices.pair_of_red_twos,
        Price.PAIR_RUN_3: prices.pair_run_3,
        Price.QUAD: prices.quad,
        Price.PAIR_RUN_4: prices.pair_run_4,
    }[price]
