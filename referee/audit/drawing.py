"""What one round gives to the statistics of a log, from its leaves and what came of examining them.

The law: everything here follows from the round alone, so rounds are looked at in any process. A round whose deck was
told for a test gives nothing but that it was: nobody claims that chance had a part in it.

It refuses to know other rounds.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec

from referee.audit.drawn import Drawn
from referee.audit.gathered import GatheredRound
from referee.audit.quality import has_points, leads_house, points_of
from referee.dealing.deal import Deal
from referee.dealing.header import SUITE_COMMITMENT
from referee.dealing.layout import BOARD_SECTIONS
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import Ruleset


class _SeatNet(msgspec.Struct, frozen=True):
    net: int


class _Nets(msgspec.Struct, frozen=True):
    seats: tuple[_SeatNet, ...]


_nets: Final = msgspec.json.Decoder(_Nets)


def drawn_of(
    gathered: GatheredRound,
    ruleset: Ruleset | None,
    *,
    again: Deal | None,
    told: Sequence[Sequence[int]],
    is_replayed: bool,
) -> Drawn:
    """What a round gives. ``again`` is the deal where it was dealt again and held, ``told`` the sections told."""
    header, abort, deal = gathered.header, gathered.abort, gathered.deal
    game = header.ruleset_id.partition(".")[0]
    index = gathered.open.index if deal is None else deal.index
    if header.randomness_suite != SUITE_COMMITMENT:
        return Drawn(table_id=header.table_id, game=game, seat_count=header.seat_count, leaf_index=index)
    culprit = None if abort is None or not isinstance(abort.leaf.culprit, int) else abort.leaf.culprit
    sections = [bytes([card.number for card in section]) for section in again.sections] if again is not None else []
    deck = b"".join(sections)
    shown = b"".join(map(bytes, told))
    if again is not None and ruleset is not None and not shown:
        shown = b"".join(sections[: header.seat_count + (0 if has_points(game) else len(BOARD_SECTIONS))])
    return Drawn(
        table_id=header.table_id,
        game=game,
        seat_count=header.seat_count,
        leaf_index=index,
        is_aborted=abort is not None,
        culprit=culprit if culprit is not None and culprit < header.seat_count else None,
        deck=deck,
        shown=hashlib.sha256(shown).digest() if shown else b"",
        shown_count=len(shown),
        quality=_quality(sections, game, ruleset, seat_count=header.seat_count) if deck else (),
        winner=_winner(gathered) if is_replayed else None,
    )


def _quality(sections: Sequence[bytes], game: str, ruleset: Ruleset | None, *, seat_count: int) -> tuple[int, ...]:
    if has_points(game):
        return tuple([points_of(section, game=game) for section in sections[:seat_count]])
    if ruleset is not None and isinstance(ruleset.rules, UltimateTexasRules):
        return leads_house(ruleset.rules, sections, seat_count=seat_count)
    return ()


def _winner(gathered: GatheredRound) -> int | None:
    """The seat that has more than every other, of a round without a house; None where there is none."""
    if gathered.settle is None or gathered.header.seat_stakes or gathered.header.seat_count == 1:
        return None
    nets = [seat.net for seat in _nets.decode(gathered.settle.leaf.found).seats]
    most = max(nets)
    return nets.index(most) if nets.count(most) == 1 else None
