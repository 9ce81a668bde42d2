"""Advice for Tiến Lên: what the seat on turn had best do, from its own cards and what lies on the table.

The law: nothing is advised that is not lawful, no hidden card is looked at, and the same position is advised alike
every time. Prices are the ruleset's. Weights and slopes are measured by tournaments of bots, and say nothing of people.

==============  ==================================================================================
module          what it says
==============  ==================================================================================
``view``        what the seat on turn may know
``structure``   how a hand falls into plays: the plan of least cost
``control``     how likely a play holds its trick
``policy``      candidates weighed, in microseconds
``playout``     a round played to its end in the head
``sampling``    what candidates are worth in money, over many deals of the unseen cards
``reason``      why: codes with facts
``suggestion``  the best plays with their reasons
``grouping``    legal plays as a player thinks of them
==============  ==================================================================================

>>> from referee.cards import Seat, parse_cards, spell
>>> from referee.games import Deal
>>> from referee.games.tien_len import begin
>>> from referee.rulesets import get
>>> texts = "3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S", "4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"
>>> hands = tuple(map(parse_cards, texts))
>>> deal = Deal(seat_count=len(hands), stake=1, sections=hands, leader=Seat(0), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> spell(suggest(state, count=1)[0].play.cards)
'5S 6C 7D 8H 9S TC JD QH'
"""

from referee.advice.tien_len.grouping import PlayGroup, group_plays, whole_plays
from referee.advice.tien_len.reason import Advice, Reason
from referee.advice.tien_len.suggestion import MAX_SAMPLES, MAX_SUGGESTIONS, Suggestion, suggest

__all__ = [
    "MAX_SAMPLES",
    "MAX_SUGGESTIONS",
    "Advice",
    "PlayGroup",
    "Reason",
    "Suggestion",
    "group_plays",
    "suggest",
    "whole_plays",
]
