"""Sample of a round for the statistics of a log: its deck, the quality of its hands, and how it ended.

A deck counts only if it was dealt again from its seeds. A sample depends on its round alone.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from referee.audit.quality import has_points, leads_house, points_of
from referee.dealing.deal import Deal
from referee.dealing.header import SUITE_COMMITMENT
from referee.dealing.layout import BOARD_SECTIONS
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import Ruleset

if TYPE_CHECKING:
    from referee.audit.round_leaves import RoundLeaves


class RoundSample(msgspec.Struct, frozen=True, kw_only=True):
    """A round as the statistics see it.

    ``deck`` has the numbers of all 52 cards in the order dealt, empty if they were not dealt again; ``shown`` is a
    hash of the cards of all hands and boards in that order, dealt again or as settled, and ``shown_count`` their
    number. ``quality`` is by seat: points, or 1, 0, -1 against the house; empty without a deck. ``culprit`` is the seat
    that an ABORT names, ``winner`` the one seat with the highest net amount in a settlement that was replayed.
    """

    table_id: str
    game: str
    seat_count: int
    leaf_index: int
    is_aborted: bool = False
    culprit: int | None = None
    deck: bytes = b""
    shown: bytes = b""
    shown_count: int = 0
    quality: tuple[int, ...] = ()
    winner: int | None = None


class _SeatNet(msgspec.Struct, frozen=True):
    net: int


class _Nets(msgspec.Struct, frozen=True):
    seats: tuple[_SeatNet, ...]


_nets: Final = msgspec.json.Decoder(_Nets)


def sample_of(
    leaves: "RoundLeaves",
    ruleset: Ruleset | None,
    *,
    redealt: Deal | None,
    settled: Sequence[Sequence[int]],
    is_replayed: bool,
) -> RoundSample:
    """Make the sample of a round.

    ``redealt`` is the deal if it was dealt again and agrees with the log, ``settled`` the sections of the settlement.
    A round whose deck was given for a test counts as played and gives nothing else.
    """
    header, abort, deal = leaves.header, leaves.abort, leaves.deal
    game = header.ruleset_id.partition(".")[0]
    index = leaves.open.index if deal is None else deal.index
    if header.randomness_suite != SUITE_COMMITMENT:
        return RoundSample(table_id=header.table_id, game=game, seat_count=header.seat_count, leaf_index=index)
    culprit = None if abort is None or not isinstance(abort.leaf.culprit, int) else abort.leaf.culprit
    sections = [bytes([card.number for card in section]) for section in redealt.sections] if redealt else []
    deck = b"".join(sections)
    shown = b"".join(map(bytes, settled))
    if redealt is not None and ruleset is not None and not shown:
        shown = b"".join(sections[: header.seat_count + (0 if has_points(game) else len(BOARD_SECTIONS))])
    return RoundSample(
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
        winner=_winner(leaves) if is_replayed else None,
    )


def _quality(sections: Sequence[bytes], game: str, ruleset: Ruleset | None, *, seat_count: int) -> tuple[int, ...]:
    if has_points(game):
        return tuple([points_of(section, game=game) for section in sections[:seat_count]])
    if ruleset is not None and isinstance(ruleset.rules, UltimateTexasRules):
        return leads_house(ruleset.rules, sections, seat_count=seat_count)
    return ()


def _winner(leaves: "RoundLeaves") -> int | None:
    """Return the seat that won more than every other, in a round without a house; None if there is none."""
    if leaves.settle is None or leaves.header.seat_stakes or leaves.header.seat_count == 1:
        return None
    nets = [seat.net for seat in _nets.decode(leaves.settle.leaf.found).seats]
    most = max(nets)
    return nets.index(most) if nets.count(most) == 1 else None
