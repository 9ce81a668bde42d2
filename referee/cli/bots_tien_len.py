"""A bot for Tiến Lên: a plain gRPC client that asks the referee what it may play and picks by thrift.

It leads what sheds most cards, the weakest of it, and puts the weakest play that beats on what others lead. It keeps
its twos, and what chops them, until they decide something: a chop, the last cards, or a hand about to end.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Final

from referee.v1 import tien_len_pb2, tien_len_pb2_grpc

_TWOS: Final = frozenset((1, 2, 3, 4))
_CHOPS: Final = frozenset(("PAIR_RUN_3", "PAIR_RUN_4", "QUAD"))
_NEAR_THE_END: Final = 3


def choose(
    referee: tien_len_pb2_grpc.TienLenServiceStub, played: tien_len_pb2.TienLenRound, *, luck: random.Random
) -> tien_len_pb2.TienLenEvent | None:
    """What the seat on turn does next, without time and receipt; None once the round is over.

    The bot reads its own hand from the referee's list of plays, and of the others only how many cards they hold.
    """
    listed = referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=played))
    if not listed.HasField("turn"):
        return None
    state = referee.PreviewRound(tien_len_pb2.TienLenServicePreviewRoundRequest(round=played)).state
    left = state.cards_left[listed.turn]
    others = [count for seat, count in enumerate(state.cards_left) if seat != listed.turn and seat not in state.gone]
    pick = (_follow if listed.may_pass else _lead)(listed.plays, left=left, fewest=min(others), luck=luck)
    event = tien_len_pb2.TienLenEvent(seat=listed.turn)
    if pick is None:
        event.pass_turn.SetInParent()
    else:
        event.play.cards.extend(pick.cards)
    return event


def _lead(
    plays: Sequence[tien_len_pb2.Combination], *, left: int, fewest: int, luck: random.Random
) -> tien_len_pb2.Combination:
    last = [play for play in plays if len(play.cards) == left]
    if last:
        return last[0]
    ordinary = [play for play in plays if not _is_kept(play)] or plays
    if fewest < _NEAR_THE_END:  # a single would let that seat out; among singles the strongest holds best
        wider = [play for play in ordinary if len(play.cards) > fewest]
        return _widest(wider) if wider else plays[_count_singles(plays) - 1]
    weakest = min(ordinary, key=_weakness)
    with_weakest = [play for play in ordinary if play.cards[0] == weakest.cards[0]]
    best = max(len(play.cards) for play in with_weakest)
    return luck.choice([play for play in with_weakest if len(play.cards) == best])


def _follow(
    plays: Sequence[tien_len_pb2.Combination], *, left: int, fewest: int, luck: random.Random
) -> tien_len_pb2.Combination | None:
    if not plays:
        return None
    last = [play for play in plays if len(play.cards) == left]
    chops = [play for play in plays if play.kind in _CHOPS]
    if last or chops:
        return (last or chops)[0]
    cheap = [play for play in plays if not _is_kept(play)]
    if cheap:
        return cheap[0]
    is_worth_a_two = fewest <= _NEAR_THE_END or left <= 2 * _NEAR_THE_END
    return plays[0] if is_worth_a_two or luck.random() < 1 / left else None


def _is_kept(play: tien_len_pb2.Combination) -> bool:
    return play.kind in _CHOPS or any(card in _TWOS for card in play.cards)


def _widest(plays: Sequence[tien_len_pb2.Combination]) -> tien_len_pb2.Combination:
    return max(plays, key=lambda play: len(play.cards))


def _weakness(play: tien_len_pb2.Combination) -> tuple[int, int]:
    return _strength(play.cards[0]), -len(play.cards)


def _strength(card: int) -> int:
    """The place of a card from 3S (0) to 2H (51): what the list's order says, for cards of different plays."""
    return (card - 5) % 52


def _count_singles(plays: Iterable[tien_len_pb2.Combination]) -> int:
    return sum(play.kind == "SINGLE" for play in plays)
