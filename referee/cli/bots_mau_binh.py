"""Bots that play at the demo's table: plain gRPC clients that know no rule and ask the referee instead."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc
from referee.v1.card_pb2 import Card

_TRIES = 200
_BACK_TOP, _FRONT_TOP = 7462, 455  # classes of five and of three cards: scales strengths to one another


def arrange(
    referee: mau_binh_pb2_grpc.MauBinhServiceStub,
    played: mau_binh_pb2.MauBinhRound,
    *,
    seat: int,
    hand: Sequence[Card],
    luck: random.Random,
) -> mau_binh_pb2.Arrangement:
    """The best lawful arrangement among some promising and some random ones, as the referee judges them."""
    candidates = [*_promising(hand), *_shuffled(hand, luck)][:_TRIES]
    question = mau_binh_pb2.MauBinhRound(header=played.header, certificates=played.certificates)
    answers = referee.CheckArrangements(
        mau_binh_pb2.CheckArrangementsRequest(
            requests=[
                mau_binh_pb2.CheckArrangementRequest(round=question, seat=seat, arrangement=candidate)
                for candidate in candidates
            ]
        )
    ).responses
    judged = [
        (_score(answer), candidate)
        for answer, candidate in zip(answers, candidates, strict=True)
        if not answer.violations
    ]
    if not judged:
        return candidates[0]
    return max(judged, key=lambda item: item[0])[1]


def _score(answer: mau_binh_pb2.CheckArrangementResponse) -> float:
    back, middle, front = (value.strength for value in answer.values)
    return back / _BACK_TOP + middle / _BACK_TOP + front / _FRONT_TOP


def _promising(hand: Sequence[Card]) -> Iterator[mau_binh_pb2.Arrangement]:
    for pool in _orders(hand):
        for start in range(4):
            back, rest = pool[:5], pool[5:]
            rest = rest[start:] + rest[:start]
            yield mau_binh_pb2.Arrangement(back=back, middle=rest[:5], front=rest[5:])


def _orders(hand: Sequence[Card]) -> Iterator[list[Card]]:
    counts = Counter(_rank(card) for card in hand)
    by_group = sorted(hand, key=lambda card: (counts[_rank(card)], _rank(card)), reverse=True)
    yield by_group
    for suit in range(4):
        flush = [card for card in by_group if (card - 1) % 4 == suit]
        if len(flush) >= 5:  # noqa: PLR2004 - a flush has five cards
            yield flush[:5] + [card for card in by_group if card not in flush[:5]]
    for top in range(12, 2, -1):
        run = [card for rank in range(top, top - 5, -1) for card in by_group if _rank(card) == rank % 13]
        firsts = list({_rank(card): card for card in reversed(run)}.values())
        if len(firsts) == 5:  # noqa: PLR2004 - a straight has five ranks
            yield firsts + [card for card in by_group if card not in firsts]


def _shuffled(hand: Sequence[Card], luck: random.Random) -> Iterator[mau_binh_pb2.Arrangement]:
    for _ in range(_TRIES):
        cards = luck.sample(list(hand), len(hand))
        yield mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])


def _rank(card: Card) -> int:
    return (card - 1) // 4
