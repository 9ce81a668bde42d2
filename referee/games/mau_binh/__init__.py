"""Mậu Binh: thirteen cards laid out in three hands, judged and settled by rules that are data.

A fouled arrangement is accepted and loses; an instant win counts whether it is declared or not; money moves between
pairs of seats in whole stakes, each amount with its reason.

Terms. *Chi*: one of the three hands. *Chi đầu*, *giữa*, *cuối*: back, middle, front. *Mậu thầu*: high card. *Đôi*:
pair. *Thú*: two pair. *Sám cô*: three of a kind. *Sảnh*: straight. *Thùng*: flush. *Cù lũ*: full house. *Tứ quý*: four
of a kind. *Thùng phá sảnh*: straight flush; *thượng* the royal one, *hạ* A-5. *Binh lủng*: a foul. *Sập hầm*, *sập
làng*, *sập 3 chi*: a sweep, all three chi lost. *Thắng trắng*, *tới trắng*: an instant win. *Cược*: a stake.

>>> from referee.cards import Seat, parse_cards
>>> from referee.games import DealtRound, play
>>> from referee.games.mau_binh import GAME, Arrange, begin, settle
>>> from referee.rulesets import get
>>> an = [parse_cards(text) for text in ("KS KC KD 5S 5C", "9H 9D 4C 4H TD", "QS QC 2D")]
>>> binh = [parse_cards(text) for text in ("AS JS 9S 6S 3S", "8H 8D 7C 6H 2C", "AH JC TC")]
>>> hands = (sum(an, ()), sum(binh, ()))
>>> events = [Arrange(Seat(0), *an, time=5_000), Arrange(Seat(1), *binh, time=9_000)]
>>> state = begin(get("mau_binh.classic").rules, DealtRound(seat_count=2, stake=100, sections=hands, dealt_time=0))
>>> outcome = settle(play(GAME, state, events).state)
>>> for transfer in outcome.transfers:
...     print(transfer.payer, "pays", transfer.payee, transfer.amount, transfer.reason)
1 pays 0 100 BACK
1 pays 0 100 MIDDLE
1 pays 0 100 FRONT
1 pays 0 200 SWEEP
"""

from referee.games.mau_binh.arrangement import Arrangement
from referee.games.mau_binh.code import HAND_SIZE, Reason, ViolationCode
from referee.games.mau_binh.event import Arrange, Commit, Event, Leave, Timeout, arrangement_commitment
from referee.games.mau_binh.game import GAME
from referee.games.mau_binh.instant_win import instant_win_of
from referee.games.mau_binh.legality import check
from referee.games.mau_binh.progress import apply
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settlement import settle
from referee.games.mau_binh.state import State, begin

__all__ = [
    "GAME",
    "HAND_SIZE",
    "Arrange",
    "Arrangement",
    "Commit",
    "Event",
    "Leave",
    "MauBinhRules",
    "Reason",
    "State",
    "Timeout",
    "ViolationCode",
    "apply",
    "arrangement_commitment",
    "begin",
    "check",
    "instant_win_of",
    "settle",
]
