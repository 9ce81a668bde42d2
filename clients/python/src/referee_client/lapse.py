"""Questions about a course by its game: whether an event can still be accepted, whether the round is over."""

from typing import Any

from referee.games import GAMES, DealError, DealtRound, EventBytesError, UnlawfulEventError, refusals
from referee.rulesets import Ruleset
from referee.transcript.chain import Course
from referee_client.state import RoundState


def can_be_accepted(state: RoundState[Any], ruleset: Ruleset, course: Course, event: bytes) -> bool:
    """Return whether the rules allow the event after the course; True if the course cannot be played.

    False is final. An event that is unlawful now, or whose ``seen`` is too low, can never be accepted later: no rule
    allows it later without requiring that the player has seen a later event.
    """
    game = GAMES[ruleset.game]
    try:
        played = _play(state, ruleset, course)
        asked = game.events.decode(event, time=played.last_time, round_id=course.round_id)
    except (DealError, EventBytesError, UnlawfulEventError):
        return True
    is_too_old = asked.seen is not None and asked.seen < game.minimum_seen(played, asked)
    return not is_too_old and not refusals(game, game.check(played, asked))


def is_decided(state: RoundState[Any], ruleset: Ruleset, course: Course) -> bool:
    """Return whether the course's moves alone end the round, so that no timeout is added at the settlement.

    False if the course cannot be played.
    """
    try:
        played = _play(state, ruleset, course)
    except (DealError, EventBytesError, UnlawfulEventError):
        return False
    return not GAMES[ruleset.game].check_closing(played, played.last_time)


def _play(state: RoundState[Any], ruleset: Ruleset, course: Course) -> Any:  # noqa: ANN401 - the game's own state
    """Play the course by the rules and return the game's state.

    Raise DealError, EventBytesError or UnlawfulEventError if it cannot be played.
    """
    game = GAMES[ruleset.game]
    played = game.begin(ruleset.rules, _deal_of(state, ruleset, course.round_id))
    for link in course.links:
        before = played
        played = game.apply(before, game.events.decode(link.event, time=link.time, round_id=course.round_id))
        if (opened := game.later.opens(before, played)) and opened[-1] in state.unsealed:
            played = game.later.unseal(played, state.unsealed[opened[-1]])
    return played


def _deal_of(state: RoundState[Any], ruleset: Ruleset, round_id: bytes) -> DealtRound:
    terms = state.terms
    layout = GAMES[ruleset.game].layout(terms.seats)
    known = state.sections | {seat: cards for seat, (_, cards) in state.private.items()}
    leader, leader_by = state.lead or (None, None)
    return DealtRound(
        round_id=round_id,
        seat_count=terms.seats,
        stake=terms.stake,
        seat_stakes=tuple([tuple(bet) for bet in terms.bets]),
        bet_unit=ruleset.bet_unit,
        sections=tuple([known.get(section) for section in range(len(layout.shown))]),
        leader=leader,
        leader_by=leader_by,
        dealt_time=state.dealt_time,
        is_sealed=bool(state.tokens),
    )
