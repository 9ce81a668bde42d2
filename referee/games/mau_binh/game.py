"""The law of Mậu Binh as a ``Game``."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from referee.cards import DECK, Card
from referee.games.game import Clock, Game, LaterCards
from referee.games.groups import Shown, groups_of
from referee.games.mau_binh.code import CHI, fault_kind
from referee.games.mau_binh.event import MAX_EVENTS, Arrange, Event
from referee.games.mau_binh.instant_win import instant_win_of
from referee.games.mau_binh.legality import check, check_closing
from referee.games.mau_binh.progress import apply, opens
from referee.games.mau_binh.rules import MauBinhRules, check_stakes
from referee.games.mau_binh.settlement import encode_results, settle
from referee.games.mau_binh.state import State, begin, layout, unseal
from referee.games.questions import RANKS, rank_points


def _clock(state: State) -> Clock | None:
    if state.is_over:
        return None
    opened = None if state.sealing is None else state.sealing.opened_time
    if opened is not None:
        return Clock(opened, state.rules.opening_ms, None)
    return Clock(state.deal.dealt_time, state.rules.arranging_ms, None)


def _minimum_seen(state: State, event: Event) -> int:
    return 0 if state.sealing is None or not isinstance(event, Arrange) else state.sealing.opened_event


def _needs(state: State, event: Event) -> tuple[int, ...]:
    is_opening = state.sealing is not None and state.sealing.opened_time is not None
    return (event.seat,) if is_opening and isinstance(event, Arrange) and 0 <= event.seat < state.seat_count else ()


def _opens_at_deal(rules: MauBinhRules, hands: Sequence[Sequence[Card]]) -> bool:
    return any(instant_win_of(rules, hand) is not None for hand in hands)


def outcomes(rules: MauBinhRules, hands: Sequence[bytes]) -> tuple[int, ...]:
    """Return for each hand of card numbers the chi that it wins minus the chi that it loses, over all other hands.

    Every seat arranges its hand in the plainest way: the back is the strongest five, the middle the strongest five of
    the rest. Winning or losing all three chi against another hand counts double.

    >>> from referee.rulesets import get
    >>> outcomes(get("mau_binh.classic").rules, [bytes(range(40, 53)), bytes(range(1, 14))])
    (1, -1)
    """
    ranker = rules.ranker

    def strengths(hand: bytes) -> tuple[int, int, int]:
        back, rest = _strongest([DECK[number - 1] for number in hand])
        middle, front = _strongest(rest)
        return ranker.five_strength(back), ranker.five_strength(middle), ranker.three_strength(front)

    def _strongest(cards: Sequence[Card]) -> tuple[Sequence[Card], Sequence[Card]]:
        five = max(combinations(cards, 5), key=ranker.five_strength)
        return five, [card for card in cards if card not in five]

    shown = [strengths(hand) for hand in hands]
    return tuple([sum(_won(mine, theirs) for theirs in shown) for mine in shown])


def _won(mine: Sequence[int], theirs: Sequence[int]) -> int:
    won = sum((own > other) - (own < other) for own, other in zip(mine, theirs, strict=True))
    return 2 * won if abs(won) == len(mine) else won


QUESTIONS: Final = replace(
    rank_points(hand_size=13, places=range(RANKS), together=(0, 0, 6, 18, 40)), outcomes=outcomes
)

GAME: Final = Game(
    name="mau_binh",
    title="Mậu Binh",
    rules_type=MauBinhRules,
    event_type=Event,
    max_events=MAX_EVENTS,
    later=LaterCards(opens=opens, unseal=unseal, needs=_needs, opens_at_deal=_opens_at_deal, can_be_sealed=True),
    fault_kind=fault_kind,
    groups=groups_of(*[Shown(chi.lower(), (chi,)) for chi in CHI], Shown("arrangement", tuple(CHI), names="hands")),
    layout=layout,
    check_stakes=check_stakes,
    begin=begin,
    check=check,
    apply=apply,
    clock=_clock,
    minimum_seen=_minimum_seen,
    check_closing=check_closing,
    settle=settle,
    encode_results=encode_results,
    questions=QUESTIONS,
)
