"""Tiến Lên Miền Nam: two to four seats shed thirteen cards each, and the first to hold none has won.

Modules: ``order`` and ``combination`` say what cards and plays are, ``chop`` what beats what,
``instant_win`` which hands win at the deal, ``legality`` what is lawful, ``progress`` what an event does, ``leftover``
and ``settlement`` what is paid. Numbers are data (``rules``).

Glossary: *rác* a single; *đôi* a pair; *bộ ba* a triple; *sảnh* a run; *đôi thông* a run of pairs; *tứ quý* a quad;
*heo* a two; *chặt* to chop, *chặt chồng* to chop a chop; *thối* to be left with; *tới trắng* to win at the deal; *kết 3
bích* to go out with 3♠ alone, *chặn* to stop that; *bỏ lượt* to pass; *cược* one stake.

>>> from referee.cards import Seat, parse_cards, spell
>>> from referee.games.deal import DealtRound
>>> from referee.rulesets import get
>>> hands = (
...     parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S"),
...     parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"),
... )
>>> deal = DealtRound(seat_count=2, stake=100, sections=hands, leader=Seat(0), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> state = apply(state, Play(Seat(0), parse_cards("2S"), time=1))
>>> [spell(play.cards) for play in legal_plays(state)]
['4S 4C 5D 5H 6D 6H']
>>> [str(fault.code) for fault in check(state, Play(Seat(1), parse_cards("KS"), time=2))]
['DOES_NOT_BEAT']
>>> state = apply(state, Play(Seat(1), parse_cards("4S 4C 5D 5H 6D 6H"), time=2))
>>> [(paid.payer, paid.payee, paid.amount, str(paid.subject)) for paid in chop_transfers(state)]
[(0, 1, 300, 'BLACK_TWO')]
"""

from referee.games.tien_len.code import Fault, Kind
from referee.games.tien_len.combination import Combination, read_combination
from referee.games.tien_len.event import Event, Leave, Pass, Play, Timeout
from referee.games.tien_len.game import GAME
from referee.games.tien_len.legality import check, legal_plays, may_pass
from referee.games.tien_len.order import set_of
from referee.games.tien_len.progress import apply
from referee.games.tien_len.rules import TienLenRules
from referee.games.tien_len.settlement import chop_transfers, settle
from referee.games.tien_len.state import State, begin

__all__ = [
    "GAME",
    "Combination",
    "Event",
    "Fault",
    "Kind",
    "Leave",
    "Pass",
    "Play",
    "State",
    "TienLenRules",
    "Timeout",
    "apply",
    "begin",
    "check",
    "chop_transfers",
    "legal_plays",
    "may_pass",
    "read_combination",
    "set_of",
    "settle",
]
