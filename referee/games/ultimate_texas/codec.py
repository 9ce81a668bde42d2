"""Events and results of Ultimate Texas Hold'em as canonical JSON.

An event is ``{"decision":"PLAY_4X","kind":"DECIDE","seat":n}``, decisions by their codes; all but TIMEOUT have ``seen``
too where the seat has a key. The results are::

    {"events_hash": h_n,
     "house": {"best": [card, ..], "category": code, "net": n, "qualifies": 1 | 0},
     "seats": [{"best": [card, ..], "category": code, "net": n, "play_multiple": 0 | 1 | 2 | 3 | 4,
                "result": "WON" | "LOST" | "TIED" | "FOLDED"}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..]}

where ``best`` are the five cards that count, hole cards first, then the board's in the order dealt. A seat that folded
has them too, without effect. ``net`` of the house and the seats together is zero.
"""

from collections.abc import Mapping

from referee.games.game import ResultValue
from referee.games.ultimate_texas.settlement import Outcome
from referee.games.ultimate_texas.state import State
from referee.money import house_net


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript."""
    seats: list[ResultValue] = [
        {
            "best": seat.best,
            "category": seat.value.category,
            "net": net,
            "play_multiple": decided.multiple,
            "result": seat.result,
        }
        for seat, decided, net in zip(outcome.seats, state.seats, outcome.net, strict=True)
    ]
    return {
        "house": {
            "best": outcome.house_best,
            "category": outcome.house_value.category,
            "net": house_net(outcome.transfers),
            "qualifies": 1 if outcome.house_qualifies else 0,
        },
        "seats": seats,
        "transfers": outcome.transfers,
    }
