"""Advice for Tiến Lên: the best plays of the seat on turn, from its own cards and what is on the table.

Nothing unlawful is advised, no hidden card is used, and the same position gets the same advice. Prices are the
ruleset's. Weights and slopes are measured by tournaments of bots.

>>> from referee.cards import Seat, parse_cards, spell
>>> from referee.games import DealtRound
>>> from referee.games.tien_len import begin
>>> from referee.rulesets import get
>>> texts = "3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S", "4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"
>>> hands = tuple(map(parse_cards, texts))
>>> deal = DealtRound(seat_count=len(hands), stake=1, sections=hands, leader=Seat(0), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> spell(suggest(View.of(state), count=1)[0].play.cards)
'5S 6C 7D 8H 9S TC JD QH'
"""

from referee.advice.tien_len.grouping import PlayGroup, group_plays, whole_plays
from referee.advice.tien_len.reason import AdviceReason, ReasonWithFacts
from referee.advice.tien_len.suggestion import MAX_SAMPLES, MAX_SUGGESTIONS, PlaySuggestion, suggest
from referee.advice.tien_len.view import View

__all__ = [
    "MAX_SAMPLES",
    "MAX_SUGGESTIONS",
    "AdviceReason",
    "PlayGroup",
    "PlaySuggestion",
    "ReasonWithFacts",
    "View",
    "group_plays",
    "suggest",
    "whole_plays",
]
