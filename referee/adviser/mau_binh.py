"""SuggestArrangement: the best arrangements of a hand in Mậu Binh, from a seat's own cards."""

from pathlib import Path
from typing import Final, NamedTuple

from referee.advice import NoAdviceError
from referee.advice.mau_binh.question import ArrangementTable, suggest
from referee.advice.mau_binh.suggestion import SCALE, Part, Suggestion
from referee.adviser.parts import AdviserParts
from referee.cards import Card
from referee.games.mau_binh import HAND_SIZE, MauBinhRules, instant_win_of
from referee.games.mau_binh.instant_win import InstantWin
from referee.games.mau_binh.rules import check_stakes
from referee.rulesets import Ruleset
from referee.service.mau_binh import SERVICE
from referee.service.reading import unknown_round
from referee.service.verifying import hand_of
from referee.v1 import advice_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.mau_binh import write_arrangement
from referee.wire.refusal import RefusedError, invalid_field, missing_choice
from referee.wire.round import find_ruleset
from referee.wire.values import read_cards, write_name, write_value

_DEFAULT_COUNT: Final = 3
_MAX_COUNT: Final = 10
_MILLION: Final = 1_000_000


class _Question(NamedTuple):
    """Cards to arrange, and the ruleset, seat count and stake of the table where they are played."""

    ruleset: Ruleset
    rules: MauBinhRules
    cards: tuple[Card, ...]
    seat_count: int
    stake: int


class ArrangementAdvice:
    """Adviser that values arrangements against populations of arrangements: the built-in ones and a folder's."""

    def __init__(self, parts: AdviserParts) -> None:
        self._verifier = parts.verifier
        self._advice = parts.advice
        self._folder: Path | None = parts.tables

    def suggest(self, request: advice_pb2.SuggestArrangementRequest) -> advice_pb2.SuggestArrangementResponse:
        """Return the best arrangements of the cards; or, if the cards are an instant win, that alone.

        Refuse a ruleset that allows no suggestions, and a table for which there is no population.
        """
        count = _read_count(request.count)
        match request.WhichOneof("hand"):
            case "dealt":
                question = self._read_dealt(request.dealt)
            case "free":
                question = self._read_free(request.free)
            case _:
                raise missing_choice("give the cards", request, "hand", field="hand")
        ruleset, rules, cards = question.ruleset, question.rules, question.cards
        if not rules.suggestions.allowed:
            raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id} allows no suggestions")
        win = instant_win_of(rules, cards)
        if win is not None:
            held = _write_instant_win(win, ruleset, stake=question.stake)
            return advice_pb2.SuggestArrangementResponse(ruleset_digest=ruleset.digest, instant_win=held)
        table = ArrangementTable(rules, ruleset.digest, question.seat_count, self._folder)
        try:
            answer = self._advice.compute(suggest, table, cards, count=count)
        except NoAdviceError as error:
            raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id}: {error}") from None
        return advice_pb2.SuggestArrangementResponse(
            suggestions=[_write_suggestion(one, ruleset, stake=question.stake) for one in answer.suggestions],
            ruleset_digest=ruleset.digest,
            population_digest=answer.population_digest,
        )

    def _read_dealt(self, message: advice_pb2.DealtHand) -> _Question:
        if message.round.HasField("course"):
            raise unknown_round(field="dealt.round.course")
        dealt = self._verifier.verify(message.round.header, message.round.certificates, field="dealt.round")
        rules = SERVICE.rules_of(dealt.ruleset, field="dealt.round.header.ruleset_id")
        header = dealt.header
        cards = hand_of(dealt, message.seat, seat_field="dealt.seat", field="dealt.round")
        return _Question(dealt.ruleset, rules, cards, header.seat_count, header.stake)

    def _read_free(self, message: advice_pb2.FreeHand) -> _Question:
        ruleset = find_ruleset(
            self._verifier.catalogue, message.ruleset_id, message.ruleset_version, field="free.ruleset_id"
        )
        rules = SERVICE.rules_of(ruleset, field="free.ruleset_id")
        seat_count, stake = _read_free_table(message, rules, ruleset)
        return _Question(ruleset, rules, _read_free_cards(message), seat_count, stake)


def _read_count(count: int) -> int:
    """Return how many suggestions a request wants, 3 if it says 0; refuse more than 10."""
    if count > _MAX_COUNT:
        raise invalid_field(f"at most {_MAX_COUNT} are suggested", field="count", found=count)
    return count or _DEFAULT_COUNT


def _read_free_cards(message: advice_pb2.FreeHand) -> tuple[Card, ...]:
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


def _read_free_table(message: advice_pb2.FreeHand, rules: MauBinhRules, ruleset: Ruleset) -> tuple[int, int]:
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


def _write_instant_win(win: InstantWin, ruleset: Ruleset, *, stake: int) -> advice_pb2.HeldInstantWin:
    """Write an instant win with its name and price."""
    return advice_pb2.HeldInstantWin(
        pattern=win.pattern,
        name=write_name(ruleset.names["pattern"][win.pattern]),
        units=win.units,
        amount_minor=win.units * stake,
    )


def _write_suggestion(suggestion: Suggestion, ruleset: Ruleset, *, stake: int) -> advice_pb2.SuggestedArrangement:
    """Write a suggestion with its names, in the table's money."""
    return advice_pb2.SuggestedArrangement(
        arrangement=write_arrangement(suggestion.arrangement),
        values=[write_value(value, ruleset) for value in suggestion.values],
        expected=_amount(suggestion.expected, stake),
        parts=[_part(part, ruleset, stake) for part in suggestion.parts],
    )


def _part(part: Part, ruleset: Ruleset, stake: int) -> advice_pb2.ExpectedPart:
    return advice_pb2.ExpectedPart(
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


def _amount(stakes: int, stake: int) -> advice_pb2.ExpectedAmount:
    """Convert an amount in 65,536ths of a stake to minor units, rounded down, and the remainder in 65,536ths."""
    minor, remainder = divmod(stakes * stake, SCALE)
    return advice_pb2.ExpectedAmount(minor=minor, remainder=remainder)
