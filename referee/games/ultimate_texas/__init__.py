"""Ultimate Texas Hold'em: up to six seats, each alone against the house, on one board.

A seat has an Ante, a Blind of the same amount and perhaps Trips before it sees a card, makes one play bet at most (the
earlier, the larger), and is compared with the house once, when every seat has played or folded.

| here | Vietnamese | what it is |
|---|---|---|
| hole cards | lá bài tẩy | the two cards of a seat or of the house |
| board | bài chung | the five cards that all share |
| house | Nhà Cái | what every seat plays against |
| play bet | Play, *tố* | the one bet after seeing cards, a multiple of the Ante |
| check | Check | goes on without a bet |
| fold | *bỏ bài* | gives up Ante, Blind and Trips |
| qualify | *đủ điều kiện* | the house has a pair or better |
| push | *hòa* | a bet goes back to its seat |

Source: the text that ``ultimate_texas.casino.toml`` quotes.

>>> from referee.cards import Seat, parse_cards
>>> from referee.games import DealtRound
>>> from referee.rulesets import get
>>> hand, house, flop, rest = (parse_cards(text) for text in ("AH 3H", "QD JS", "5H 9H KH", "QC 2D"))
>>> cards = (hand, house, flop, rest)
>>> deal = DealtRound(seat_count=1, stake=2, seat_stakes=((10, 5),), bet_unit=2, sections=cards, dealt_time=0)
>>> state = begin(get("ultimate_texas.casino").rules, deal)
>>> [decision.value for decision in legal_decisions(state, Seat(0))]
['CHECK', 'PLAY_3X', 'PLAY_4X', 'LEAVE']
>>> after = apply(state, Event(Seat(0), Decision.PLAY_4X, time=1_000))
>>> [GAME.layout(1).name(section) for section in opens(state, after)]
['flop', 'turn_river', 'house']
>>> for transfer in settle(after).transfers:
...     print(transfer.reason, transfer.amount, transfer.subject)
ANTE 10 FLUSH
BLIND 15 FLUSH
PLAY 40 FLUSH
TRIPS 35 FLUSH
"""

from referee.games.ultimate_texas.code import Bet, Decision, ViolationCode
from referee.games.ultimate_texas.game import GAME
from referee.games.ultimate_texas.legality import check, legal_decisions
from referee.games.ultimate_texas.progress import apply, opens
from referee.games.ultimate_texas.rules import UltimateTexasRules
from referee.games.ultimate_texas.settlement import settle
from referee.games.ultimate_texas.stakes import Stake
from referee.games.ultimate_texas.state import Event, State, begin

__all__ = [
    "GAME",
    "Bet",
    "Decision",
    "Event",
    "Stake",
    "State",
    "UltimateTexasRules",
    "ViolationCode",
    "apply",
    "begin",
    "check",
    "legal_decisions",
    "opens",
    "settle",
]
