"""What MauBinhService says about arranging: the asker's own cards looked up, the advisor asked, the answer written."""

from pathlib import Path
from typing import Final, NamedTuple

from referee.advice.mau_binh import Advisor, NoPopulationError, PopulationError, Shelf
from referee.cards import Card, Seat
from referee.games.mau_binh import MauBinhRules, instant_win_of
from referee.rulesets import Ruleset
from referee.service.memo import Memo
from referee.service.rounds import RoundVerifier
from referee.v1 import mau_binh_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.mau_binh_advice import (
    read_count,
    read_free_cards,
    read_free_table,
    write_instant_win,
    write_suggestion,
)
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import find_ruleset, mau_binh_rules

_ADVISORS: Final = 64


class _Asked(NamedTuple):
    """Whose advice is asked for: the table and the cards."""

    ruleset: Ruleset
    rules: MauBinhRules
    cards: tuple[Card, ...]
    seat_count: int
    stake: int


class Advice:
    """Advises under the rulesets that the verifier knows, by built-in populations and those of a folder."""

    def __init__(self, verifier: RoundVerifier, populations: Path | None) -> None:
        self._verifier = verifier
        self._folder = populations
        self._shelf: Shelf | None = None
        self._advisors: Memo[tuple[bytes, int], tuple[Advisor, bytes]] = Memo(_ADVISORS)

    def suggest(self, request: mau_binh_pb2.SuggestArrangementRequest) -> mau_binh_pb2.SuggestArrangementResponse:
        """The best arrangements of the cards asked about, or the instant win that they hold."""
        count = read_count(request.count)
        match request.WhichOneof("hand"):
            case "dealt":
                asked = self._dealt(request.dealt)
            case "free":
                asked = self._free(request.free)
            case _:
                raise RefusedError(
                    ErrorReason.ERROR_REASON_MISSING_FIELD, "say whose cards: dealt or free", field="hand"
                )
        ruleset = asked.ruleset
        if not asked.rules.suggestions.allowed:
            raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id} allows no suggestions")
        win = instant_win_of(asked.rules, asked.cards)
        if win is not None:
            held = write_instant_win(win, ruleset, stake=asked.stake)
            return mau_binh_pb2.SuggestArrangementResponse(ruleset_digest=ruleset.digest, instant_win=held)
        advisor, population_digest = self._advisor(asked)
        suggestions = advisor.suggest(asked.cards, count=count)
        return mau_binh_pb2.SuggestArrangementResponse(
            suggestions=[write_suggestion(one, ruleset, stake=asked.stake) for one in suggestions],
            ruleset_digest=ruleset.digest,
            population_digest=population_digest,
        )

    def _dealt(self, message: mau_binh_pb2.DealtHand) -> _Asked:
        verified = self._verifier.verify(message.round.header, message.round.certificates, field="dealt.round")
        rules = mau_binh_rules(verified.ruleset, field="dealt.round.header.ruleset_id")
        header = verified.header
        if message.seat >= header.seat_count:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_SEAT,
                f"the round has {header.seat_count} seats, counted from 0",
                field="dealt.seat",
                found=message.seat,
            )
        (cards,) = verified.hands([Seat(message.seat)], field="dealt.round")
        return _Asked(verified.ruleset, rules, cards, header.seat_count, header.stake)

    def _free(self, message: mau_binh_pb2.FreeHand) -> _Asked:
        ruleset = find_ruleset(
            self._verifier.catalogue, message.ruleset_id, message.ruleset_version, field="free.ruleset_id"
        )
        rules = mau_binh_rules(ruleset, field="free.ruleset_id")
        seat_count, stake = read_free_table(message, rules, ruleset)
        return _Asked(ruleset, rules, read_free_cards(message), seat_count, stake)

    def _advisor(self, asked: _Asked) -> tuple[Advisor, bytes]:
        """The advisor of a table and the digest of its population; refuses a ruleset that none fits."""
        ruleset, rules, seat_count = asked.ruleset, asked.rules, asked.seat_count
        key = ruleset.digest, seat_count
        known = self._advisors.get(key)
        if known is None:
            try:
                if self._shelf is None:
                    self._shelf = Shelf.builtin() if self._folder is None else Shelf.with_folder(self._folder)
                population = self._shelf.population_for(rules, digest=ruleset.digest)
            except (NoPopulationError, PopulationError, OSError) as error:
                raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id}: {error}") from None
            known = Advisor.of(rules, population, seat_count=seat_count), population.digest
            self._advisors.put(key, known)
        return known
