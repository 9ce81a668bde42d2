"""Advice about arranging a hand: reads a seat's own cards and writes suggestions to the answer."""

from pathlib import Path
from typing import NamedTuple

from referee.advice import NoAdviceError
from referee.advice.mau_binh.question import ArrangementTable, suggest
from referee.cards import Card
from referee.games.mau_binh import MauBinhRules, instant_win_of
from referee.rulesets import Ruleset
from referee.service.game_service import GameService
from referee.service.round_service import Advice
from referee.service.verifying import RoundVerifier, hand_of
from referee.v1 import mau_binh_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.mau_binh_advice import (
    read_count,
    read_free_cards,
    read_free_table,
    write_instant_win,
    write_suggestion,
)
from referee.wire.refusal import RefusedError, missing_field
from referee.wire.round import find_ruleset


class _Question(NamedTuple):
    """Cards to arrange, and the ruleset, seat count and stake of the table where they are played."""

    ruleset: Ruleset
    rules: MauBinhRules
    cards: tuple[Card, ...]
    seat_count: int
    stake: int


class ArrangementAdvice:
    """Advisor that values arrangements against populations of arrangements: the built-in ones and a folder's."""

    def __init__(
        self, service: GameService, verifier: RoundVerifier, *, advice: Advice, populations: Path | None
    ) -> None:
        self._service = service
        self._verifier = verifier
        self._advice = advice
        self._folder = populations

    def suggest(self, request: mau_binh_pb2.SuggestArrangementRequest) -> mau_binh_pb2.SuggestArrangementResponse:
        """Return the best arrangements of the cards; or, if the cards are an instant win, that alone.

        Refuse a ruleset that allows no suggestions, and a table for which there is no population.
        """
        count = read_count(request.count)
        match request.WhichOneof("hand"):
            case "dealt":
                question = self._read_dealt(request.dealt)
            case "free":
                question = self._read_free(request.free)
            case _:
                raise missing_field("give the cards: dealt or free", field="hand")
        ruleset, rules, cards = question.ruleset, question.rules, question.cards
        if not rules.suggestions.allowed:
            raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id} allows no suggestions")
        win = instant_win_of(rules, cards)
        if win is not None:
            held = write_instant_win(win, ruleset, stake=question.stake)
            return mau_binh_pb2.SuggestArrangementResponse(ruleset_digest=ruleset.digest, instant_win=held)
        table = ArrangementTable(rules, ruleset.digest, question.seat_count, self._folder)
        try:
            answer = self._advice.compute(suggest, table, cards, count=count)
        except NoAdviceError as error:
            raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id}: {error}") from None
        return mau_binh_pb2.SuggestArrangementResponse(
            suggestions=[write_suggestion(one, ruleset, stake=question.stake) for one in answer.suggestions],
            ruleset_digest=ruleset.digest,
            population_digest=answer.population_digest,
        )

    def _read_dealt(self, message: mau_binh_pb2.DealtHand) -> _Question:
        dealt = self._verifier.verify(message.round.header, message.round.certificates, field="dealt.round")
        rules = self._service.rules_of(dealt.ruleset, field="dealt.round.header.ruleset_id")
        header = dealt.header
        cards = hand_of(dealt, message.seat, seat_field="dealt.seat", field="dealt.round")
        return _Question(dealt.ruleset, rules, cards, header.seat_count, header.stake)

    def _read_free(self, message: mau_binh_pb2.FreeHand) -> _Question:
        ruleset = find_ruleset(
            self._verifier.catalogue, message.ruleset_id, message.ruleset_version, field="free.ruleset_id"
        )
        rules = self._service.rules_of(ruleset, field="free.ruleset_id")
        seat_count, stake = read_free_table(message, rules, ruleset)
        return _Question(ruleset, rules, read_free_cards(message), seat_count, stake)
