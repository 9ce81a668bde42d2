"""Advice messages of Mậu Binh: the cards asked about, and suggestions. Imports numpy."""

from typing import Final

from referee.advice.mau_binh.suggestion import SCALE, Part, Suggestion
from referee.cards import Card
from referee.games.mau_binh import HAND_SIZE, MauBinhRules
from referee.games.mau_binh.instant_win import InstantWin
from referee.games.mau_binh.rules import check_stakes
from referee.rulesets import Ruleset
from referee.v1 import mau_binh_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.mau_binh import write_arrangement
from referee.wire.refusal import RefusedError, invalid_field
from referee.wire.values import read_cards, write_name, write_value

DEFAULT_COUNT: Final = 3
MAX_COUNT: Final = 10
_MILLION: Final = 1_000_000


def read_count(count: int) -> int:
    """Return how many suggestions a request wants, 3 if it says 0; refuse more than 10."""
    if count > MAX_COUNT:
        raise invalid_field(f"at most {MAX_COUNT} are suggested", field="count", found=count)
    return count or DEFAULT_COUNT


def read_free_cards(message: mau_binh_pb2.FreeHand) -> tuple[Card, ...]:
    """Read a hand of thirteen cards; refuse another number of cards, and a hand with the same card twice."""
    if len(message.cards) != HAND_SIZE:
        raise invalid_field(f"a hand has {HAND_SIZE} cards, not {len(message.cards)}", field="free.cards")
    cards = read_cards(message.cards, field="free.cards")
    twice = next((index for index, card in enumerate(cards) if card in cards[:index]), None)
    if twice is not None:
        raise RefusedError(
            ErrorReason.ERROR_REASON_DUPLICATE_CARD, f"{cards[twice].text} is there twice", field=f"free.cards[{twice}]"
        )
    return cards


def read_free_table(message: mau_binh_pb2.FreeHand, rules: MauBinhRules, ruleset: Ruleset) -> tuple[int, int]:
    """Return the number of seats and the stake in minor units; refuse values that no round of the ruleset has."""
    seats, stake = message.seat_count, message.stake_minor or ruleset.bet_unit
    if not rules.seats.minimum <= seats <= rules.seats.maximum:
        raise invalid_field(
            f"{ruleset.id} is played at {rules.seats.minimum} to {rules.seats.maximum} seats, not {seats}",
            field="free.seat_count",
        )
    if check_stakes(rules, seat_count=seats, stake=stake, seat_stakes=(), bet_unit=ruleset.bet_unit):
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_STAKE,
            f"{stake} is no stake for {seats} seats of {ruleset.id}",
            field="free.stake_minor",
        )
    return seats, stake


def write_instant_win(win: InstantWin, ruleset: Ruleset, *, stake: int) -> mau_binh_pb2.HeldInstantWin:
    """Write an instant win with its name and price."""
    return mau_binh_pb2.HeldInstantWin(
        pattern=win.pattern,
        name=write_name(ruleset.names["pattern"][win.pattern]),
        units=win.units,
        amount_minor=win.units * stake,
    )


def write_suggestion(suggestion: Suggestion, ruleset: Ruleset, *, stake: int) -> mau_binh_pb2.SuggestedArrangement:
    """Write a suggestion with its names, in the table's money."""
    return mau_binh_pb2.SuggestedArrangement(
        arrangement=write_arrangement(suggestion.arrangement),
        values=[write_value(value, ruleset) for value in suggestion.values],
        expected=_amount(suggestion.expected, stake),
        parts=[_part(part, ruleset, stake) for part in suggestion.parts],
    )


def _part(part: Part, ruleset: Ruleset, stake: int) -> mau_binh_pb2.ExpectedPart:
    return mau_binh_pb2.ExpectedPart(
        reason=part.reason,
        name=write_name(ruleset.names["reason"][part.reason]),
        win_ppm=_ppm(part.won),
        lose_ppm=_ppm(part.lost),
        units=part.units,
        expected=_amount(part.expected, stake),
    )


def _ppm(chance: int) -> int:
    """Convert a chance in 65,536ths to millionths; round a half up."""
    return (chance * _MILLION + SCALE // 2) // SCALE


def _amount(stakes: int, stake: int) -> mau_binh_pb2.ExpectedAmount:
    """Convert an amount in 65,536ths of a stake to minor units, rounded down, and the remainder in 65,536ths."""
    minor, remainder = divmod(stakes * stake, SCALE)
    return mau_binh_pb2.ExpectedAmount(minor=minor, remainder=remainder)
