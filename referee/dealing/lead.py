"""Who leads a round, in a game that has a leader: the log and the deal decide, and no caller names a seat.

W is the winner of the table's last settled round. W counts only if that round had this header's ruleset, currency and
stake and, if this header has keys, more than half of these keys: so nobody gains the lead in a throw-away round. Then W
leads from the seat that has its key. A W without a key leads from its seat number, if that seat has no key here.
Otherwise the ruleset says whether the leader is drawn from the seeds or is the seat that was dealt the lowest card.
"""

from typing import Final, Self, TypeAlias

import msgspec

from referee.cards import Seat
from referee.dealing.deal import Deal
from referee.dealing.header import NO_KEY, Header
from referee.evidence.outside import OutsideError, read_json
from referee.games import LeaderBy, game_of

Lead: TypeAlias = tuple[Seat, LeaderBy]
"""The seat that leads a round, and why."""


def read_lead(leader: int | msgspec.UnsetType, by: LeaderBy | msgspec.UnsetType) -> Lead | None:
    """Return the lead that a leaf, certificate or transcript names; None if the seat or the reason is missing."""
    if isinstance(leader, msgspec.UnsetType) or isinstance(by, msgspec.UnsetType):
        return None
    return Seat(leader), by


class Winner(msgspec.Struct, frozen=True, array_like=True):
    """W: the seat that won a round, with the terms of that round which decide where W leads next."""

    ruleset_digest: bytes
    currency: str
    stake: int
    seat_keys: tuple[bytes, ...]
    seat: Seat

    @classmethod
    def of_results(cls, header: Header, results: bytes) -> Self | None:
        """Return the first winner in a transcript's results; None if there is none or it is no seat of the round."""
        try:
            named: object = read_json(results)
        except OutsideError:
            return None
        winners = named.get("winners") if isinstance(named, dict) else None
        seat = winners[0] if isinstance(winners, list) and winners else None
        if type(seat) is not int or not 0 <= seat < header.seat_count:
            return None
        return cls(header.ruleset_digest, header.currency, header.stake, header.seat_keys, Seat(seat))

    @classmethod
    def of_bytes(cls, data: bytes) -> Self | None:
        """Decode a winner from the bytes that a store keeps; None for bytes, or no bytes, that are not a winner."""
        try:
            return msgspec.msgpack.decode(data, type=cls)
        except msgspec.DecodeError:
            return None

    def seat_in(self, header: Header) -> Seat | None:
        """Return the seat from which the winner leads the round of this header; None if it does not lead."""
        if not self._counts_for(header):
            return None
        key = self.seat_keys[self.seat]
        if key != NO_KEY:
            return Seat(header.seat_keys.index(key)) if key in header.seat_keys else None
        is_keyless = self.seat < header.seat_count and header.seat_keys[self.seat] == NO_KEY
        return self.seat if is_keyless else None

    def _counts_for(self, header: Header) -> bool:
        terms = (header.ruleset_digest, header.currency, header.stake)
        if (self.ruleset_digest, self.currency, self.stake) != terms:
            return False
        keys = set(header.seat_keys) - {NO_KEY}
        return not keys or 2 * len(keys.intersection(self.seat_keys)) > len(keys)


encode_winner: Final = msgspec.msgpack.Encoder().encode
"""Encode a winner as the bytes that a store keeps, which ``Winner.of_bytes`` reads."""


def lead_of(header: Header, deal: Deal, *, winner: Winner | None, first: LeaderBy) -> Lead:
    """Return the lead of a round; ``first`` is how its ruleset finds the leader if no winner leads."""
    return winners_lead(header, winner) or (dealt_leader(header, deal, first), first)


def winners_lead(header: Header, winner: Winner | None) -> Lead | None:
    """Return the lead of the table's last winner; None if no winner leads the round of this header."""
    seat = None if winner is None else winner.seat_in(header)
    return None if seat is None else (seat, LeaderBy.WINNER)


def dealt_leader(header: Header, deal: Deal, by: LeaderBy) -> Seat:
    """Return the seat that leads by the deal: the seat that was drawn, or that was dealt the lowest card.

    Raise ValueError in a game without a leader, and for WINNER, because no deal decides who won.
    """
    leading = game_of(header.ruleset_id).lead
    if leading is None or deal.drawn is None or by is LeaderBy.WINNER:
        raise ValueError(f"a deal of this game decides no leader by {by}")
    if by is LeaderBy.DRAW:
        return deal.drawn
    return Seat(leading.lowest_dealt(deal.sections[: header.seat_count]))
