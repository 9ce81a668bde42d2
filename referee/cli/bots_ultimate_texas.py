"""Bots that play Ultimate Texas Hold'em: plain gRPC clients that ask the referee what they may do.

They play sensibly, not perfectly, in the manner that players of the casino game are commonly taught: the large bet with
good hole cards, twice the Ante with a pair or better that a hole card makes, once the Ante with such a hand or a good
kicker, else a fold. Nobody counts the cards that would beat a hand.

>>> from referee.cards import parse_cards
>>> hole = [card.number for card in parse_cards("KS 5H")]
>>> wish(hole=hole, board=[]) == Decision.DECISION_PLAY_4X
True
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from referee.v1 import shuffler_pb2, shuffler_pb2_grpc, ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.ultimate_texas_pb2 import Decision

_TWO, _THREE, _TEN, _JACK, _QUEEN, _KING, _ACE = 0, 1, 8, 9, 10, 11, 12
_LOWEST_BESIDE: Final = {_ACE: (_TWO, _TWO), _KING: (_TWO, 3), _QUEEN: (4, 6), _JACK: (6, _TEN)}
"""By the higher hole card's rank: the lowest other with which to bet before the flop, suited and not."""
_FLOP, _FLUSH, _RUN = 3, 5, 5


def play_round(
    referee: ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub,
    opened: shuffler_pb2.OpenRoundResponse,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    receipts: bool,
) -> ultimate_texas_pb2.UltimateTexasRound:
    """The round played to its showdown, every seat by a bot, ready to be settled.

    Without receipts only the events that close a street are accepted by the referee, since the board opens by them.
    """
    header = opened.header
    played = ultimate_texas_pb2.UltimateTexasRound(header=header, certificates=[dealt.certificate])
    question = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest
    state, time = referee.PreviewRound(question(round=played)).state, dealt.dealt_time
    board: list[int] = []
    while state.HasField("turn"):
        seat = state.seats[state.turn]
        event = ultimate_texas_pb2.UltimateTexasEvent(
            seat=seat.seat, decision=_choice(seat, wish(hole=dealt.hands[seat.seat].cards, board=board))
        )
        if not receipts and sum(len(one.legal_decisions) > 1 for one in state.seats) > 1:
            event.time = time
            played.events.append(event)
            state = referee.PreviewRound(question(round=played)).state
            continue
        accepted = referee.AcceptEvent(
            ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=played, event=event)
        )
        played.events.append(accepted.event)
        state, time = accepted.state, accepted.event.time
        if accepted.HasField("opens_section"):
            section = shuffler.OpenSection(
                shuffler_pb2.OpenSectionRequest(
                    table_id=header.table_id,
                    round_number=header.round_number,
                    event_receipt=accepted.event.receipt,
                )
            )
            played.certificates[:] = [section.certificate]
            board = [card for part in section.opened if part.name != "house" for card in part.cards]
    return played


def wish(*, hole: Sequence[int], board: Sequence[int]) -> Decision:
    """What a seat would like to decide with its two cards and as much of the board as lies open, by card numbers."""
    if not board:
        return Decision.DECISION_PLAY_4X if _is_good(hole) else Decision.DECISION_CHECK
    if len(board) == _FLOP:
        return Decision.DECISION_PLAY_2X if _is_made(hole, board) else Decision.DECISION_CHECK
    has_kicker = max(map(_rank, hole)) >= _QUEEN
    return Decision.DECISION_PLAY_1X if has_kicker or _is_made(hole, board) else Decision.DECISION_FOLD


def _choice(seat: ultimate_texas_pb2.UltimateTexasSeatState, wanted: Decision) -> Decision:
    """What is wanted where the referee allows it; otherwise the first thing that it does allow."""
    return wanted if wanted in seat.legal_decisions else seat.legal_decisions[0]


def _is_good(hole: Sequence[int]) -> bool:
    low, high = sorted(map(_rank, hole))
    if low == high:
        return low >= _THREE
    suited, unsuited = _LOWEST_BESIDE.get(high, (_ACE, _ACE))
    return low >= (suited if _suit(hole[0]) == _suit(hole[1]) else unsuited)


def _is_made(hole: Sequence[int], board: Sequence[int]) -> bool:
    """Whether the hole cards make a pair, a straight or a flush."""
    ranks, suits = Counter(map(_rank, [*hole, *board])), Counter(map(_suit, [*hole, *board]))
    is_pair = any(ranks[_rank(card)] > 1 for card in hole)
    is_flush = any(suits[_suit(card)] >= _FLUSH for card in hole)
    return is_pair or is_flush or any(_makes_run(_rank(card), ranks) for card in hole)


def _makes_run(rank: int, ranks: Counter[int]) -> bool:
    runs = [[(low + step) % 13 for step in range(_RUN)] for low in (12, *range(9))]
    return any(rank in run and all(one in ranks for one in run) for run in runs)


def _rank(card: int) -> int:
    return (card - 1) // 4


def _suit(card: int) -> int:
    return (card - 1) % 4
