"""Events and results of Tiến Lên as canonical JSON.

An event is ``{"cards","kind":"PLAY","seat"}`` with card numbers in the order played, or ``{"kind","seat"}`` with the
kind ``PASS``, ``LEAVE`` or ``TIMEOUT``; all but TIMEOUT have ``seen`` too where the seat has a key. The results are::

    {"ending": code, "events_hash": h_n,
     "seats": [{"instant_win": pattern, "left": [card number, ..], "net": n}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat], "house": {"net": n}}

where ``house`` is left out unless the ruleset has a commission, ``ending`` is an ``EndKind``, ``left`` are the cards
that the seat still held, weakest first, ``instant_win`` is empty for all but the seat that won at the deal, and
``winners`` holds the one seat that leads the table's next round.
"""

from collections.abc import Mapping

from referee.cards import Seat
from referee.games.commission import house_result
from referee.games.game import ResultValue, RoundNotOverError
from referee.games.tien_len.settlement import Outcome
from referee.games.tien_len.state import State


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript; raise RoundNotOverError before the round's end."""
    ending = state.ending
    if ending is None:
        raise RoundNotOverError(f"seat {state.turn} is on turn")
    win = ending.instant_win
    return {
        "ending": ending.kind,
        "seats": [
            {
                "instant_win": win.pattern if win is not None and win.seat == seat else "",
                "left": state.cards_of(Seat(seat)),
                "net": net,
            }
            for seat, net in enumerate(outcome.net)
        ],
        "transfers": outcome.transfers,
        "winners": outcome.winners,
        **house_result(state.rules.commission, outcome.transfers),
    }
