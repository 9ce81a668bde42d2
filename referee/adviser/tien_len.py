"""SuggestPlay: the best plays of the seat on turn in Tiến Lên, with reasons."""

import math
from typing import Final

from referee.advice.tien_len.suggestion import MAX_SAMPLES, MAX_SUGGESTIONS, PlaySuggestion, ReasonWithFacts, suggest
from referee.advice.tien_len.view import View
from referee.adviser.parts import AdviserParts
from referee.cards import glyphs_of
from referee.rulesets import Language, Ruleset, Texts
from referee.service.tien_len import SERVICE
from referee.v1 import advice_pb2
from referee.v1.text_pb2 import Text
from referee.wire.refusal import invalid_field
from referee.wire.tien_len import write_combination
from referee.wire.values import numbers_of, write_violations

_SUGGESTIONS: Final = 3
"""Number of suggestions if the request gives none."""


class PlayAdvice:
    """Adviser of plays."""

    def __init__(self, parts: AdviserParts) -> None:
        self._reader = parts.reader_of(SERVICE)
        self._advice = parts.advice

    def suggest(self, request: advice_pb2.SuggestPlayRequest) -> advice_pb2.SuggestPlayResponse:
        """Return the best plays of the seat on turn, with reasons; none once the round is over."""
        count = _read_count(request.count, field="count")
        samples = _read_samples(request.samples, field="samples")
        played = self._reader.read(request.round)
        ruleset, state = played.ruleset, played.state
        response = advice_pb2.SuggestPlayResponse(
            violations=write_violations(played.violations, SERVICE.texts, ruleset),
            refused_event_number=played.refused_event,
            ruleset_digest=ruleset.digest,
        )
        if played.violations or state.is_over:
            return response
        response.turn = state.turn
        suggestions = self._advice.compute(suggest, View.of(state), count=count, samples=samples)
        stake = played.header.stake
        response.suggestions.extend(
            [_write_suggestion(one, ruleset, SERVICE.texts, stake=stake) for one in suggestions]
        )
        return response


def _read_count(count: int, *, field: str) -> int:
    """Return how many suggestions a request wants, 3 if it says 0; refuse too many."""
    return _within(count, MAX_SUGGESTIONS, "suggestions", field=field) or _SUGGESTIONS


def _read_samples(samples: int, *, field: str) -> int:
    """Return how many samples a request wants to be played, as it says; refuse too many."""
    return _within(samples, MAX_SAMPLES, "samples", field=field)


def _within(number: int, limit: int, what: str, *, field: str) -> int:
    if number > limit:
        raise invalid_field(f"at most {limit} {what} are allowed, not {number}", field=field, limit=limit, found=number)
    return number


def _write_suggestion(
    suggestion: PlaySuggestion, ruleset: Ruleset, texts: Texts, *, stake: int
) -> advice_pb2.SuggestedPlay:
    """Write a suggestion with its reasons as text."""
    message = advice_pb2.SuggestedPlay(
        reasons=[_write_advice(advice, texts, stake=stake) for advice in suggestion.advice]
    )
    if suggestion.play is None:
        message.pass_turn.SetInParent()
    else:
        message.play.CopyFrom(write_combination(suggestion.play, ruleset))
    if suggestion.stakes is not None and suggestion.error is not None:
        message.value.mean_minor = round(suggestion.stakes * stake)
        message.value.error_minor = math.ceil(suggestion.error * stake)
        message.value.samples = suggestion.samples
    return message


def _write_advice(advice: ReasonWithFacts, texts: Texts, *, stake: int) -> advice_pb2.PlayReason:
    facts = {
        "cards": glyphs_of(advice.cards),
        "seat": "" if advice.seat is None else str(advice.seat),
        "units": "" if advice.units is None else str(advice.units),
        "percent": "" if advice.chance_permille is None else str(advice.chance_permille // 10),
        "samples": "" if advice.samples is None else str(advice.samples),
    }
    vi, en = (texts.advise(advice.reason, facts, language) for language in (Language.VI, Language.EN))
    return advice_pb2.PlayReason(
        code=advice.reason,
        text=Text(vi=vi, en=en),
        cards=numbers_of(advice.cards),
        seat=advice.seat,
        amount_minor=None if advice.units is None else advice.units * stake,
        chance_permille=advice.chance_permille,
        samples=advice.samples,
    )
