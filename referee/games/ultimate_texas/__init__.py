"""Ultimate Texas Hold'em: up to six seats, each alone against the house, on one board.

The law of this room: a seat has an Ante, a Blind of the same amount and perhaps Trips before it sees a card, makes one
play bet at most (the earlier, the larger), and is compared with the house once, when every seat has played or folded.
It refuses to know how cards were dealt, who shows them when, and what any code is called in any language.

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

Source: 004_c8c49b7352941e86.txt. ``check_stakes``, ``check_decision`` and ``check_settlement`` say everything that is
wrong at once; ``apply`` and ``replay`` make states; ``settle`` moves the money.

>>> from referee.cards import Seat, parse_cards
>>> from referee.rulesets import get
>>> ruleset = get("ultimate_texas.casino")
>>> state = start(ruleset.rules, [Stake(ante=10, trips=5)], bet_unit=ruleset.bet_unit, dealt_time=0)
>>> [decision.value for decision in legal_decisions(state, Seat(0))]
['CHECK', 'PLAY_3X', 'PLAY_4X', 'TIMEOUT', 'LEAVE']
>>> all_in = Event(Seat(0), Decision.PLAY_4X, time=1_000)
>>> [section.value for section in opened_sections(state, all_in)]
['FLOP', 'TURN_RIVER', 'HOUSE']
>>> cards = TableCards(
...     hands=(parse_cards("AH 3H"),), house=parse_cards("QD JS"), board=parse_cards("5H 9H KH QC 2D")
... )
>>> for transfer in settle(apply(state, all_in), cards).transfers:
...     print(transfer.reason, transfer.amount, transfer.subject)
ANTE 10 FLUSH
BLIND 15 FLUSH
PLAY 40 FLUSH
TRIPS 35 FLUSH
"""

from referee.games.game import DealError, RoundNotOverError, StakesError, UnlawfulEventError
from referee.games.ultimate_texas.code import FOLD_SUBJECT, Bet, Code, Decision, Result, Section, Street
from referee.games.ultimate_texas.game import GAME
from referee.games.ultimate_texas.legality import check, check_closing, legal_decisions
from referee.games.ultimate_texas.old import (
    Replay,
    check_decision,
    check_settlement,
    opened_sections,
    replay,
    start,
    with_cards,
)
from referee.games.ultimate_texas.progress import apply, opens
from referee.games.ultimate_texas.rules import HandRule, Order, UltimateTexasRules
from referee.games.ultimate_texas.settlement import Outcome, SeatOutcome, best_hand, hand_value, settle
from referee.games.ultimate_texas.stakes import MostUnits, Stake, check_stakes, max_units
from referee.games.ultimate_texas.state import MAX_EVENTS, Event, SeatState, State, begin

__all__ = [
    "FOLD_SUBJECT",
    "GAME",
    "MAX_EVENTS",
    "Bet",
    "Code",
    "DealError",
    "Decision",
    "Event",
    "HandRule",
    "MostUnits",
    "Order",
    "Outcome",
    "Replay",
    "Result",
    "RoundNotOverError",
    "SeatOutcome",
    "SeatState",
    "Section",
    "Stake",
    "StakesError",
    "State",
    "Street",
    "UltimateTexasRules",
    "UnlawfulEventError",
    "apply",
    "begin",
    "best_hand",
    "check",
    "check_closing",
    "check_decision",
    "check_settlement",
    "check_stakes",
    "hand_value",
    "legal_decisions",
    "max_units",
    "opened_sections",
    "opens",
    "replay",
    "settle",
    "start",
    "with_cards",
]
