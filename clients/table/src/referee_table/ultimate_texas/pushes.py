"""Bets of Ultimate Texas Hold'em that pushed, which the referee's transfers leave out, each with the reason."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from referee.v1 import money_pb2
from referee_table.sentences import Text, say

_REASONS: Final[Mapping[str, Text]] = {
    "TIED": say("hòa với Nhà Cái: cược được trả lại", "tied with the house: the bet is returned"),
    "HOUSE_NOT_QUALIFIED": say(
        "Nhà Cái không đủ điều kiện: cược được trả lại", "the house does not qualify: the bet is returned"
    ),
    "NOT_LISTED": say(
        "thắng, nhưng tay bài không có trong bảng trả thưởng: cược được trả lại",
        "won, with a hand that is not in the paytable: the bet is returned",
    ),
}


def pushes(
    result: str, bets: Mapping[str, int], moved: Collection[str], *, house_qualified: bool
) -> list[dict[str, Any]]:
    """Return the bets of a seat that nobody won: those above zero without a transfer, in the order of ``bets``.

    ``result`` is the seat's; ``moved`` has the bets that a transfer settles.
    """
    pushed = [(bet, minor) for bet, minor in bets.items() if minor and bet not in moved]
    reasons = [_reason(result, bet, house_qualified=house_qualified) for bet, _ in pushed]
    return [
        {"bet": bet, "amount_minor": minor, "reason": reason, "reason_name": _REASONS[reason]}
        for (bet, minor), reason in zip(pushed, reasons, strict=True)
    ]


def _reason(result: str, bet: str, *, house_qualified: bool) -> str:
    if result == "TIED":
        return "TIED"
    return "HOUSE_NOT_QUALIFIED" if bet == "ANTE" and not house_qualified else "NOT_LISTED"


def bets_of(stake: money_pb2.SeatStake, multiple: int) -> dict[str, int]:
    """Return the bets of a seat in minor units, in the order in which they are settled."""
    ante = stake.bet_minor
    return {"ANTE": ante, "BLIND": ante, "PLAY": multiple * ante, "TRIPS": stake.side_bet_minor}


def moved_bets(transfers: Iterable[money_pb2.Transfer], *, seats: int) -> list[set[str]]:
    """Return by seat the bets that a transfer between the seat and the house settles."""
    moved: list[set[str]] = [set() for _ in range(seats)]
    for one in transfers:
        moved[min(one.payer, one.payee)].add(one.reason)  # the house's number is the highest
    return moved
