"""Events and results of Mậu Binh as canonical JSON.

An event is ``{"back","front","kind":"ARRANGE","middle","seat"}`` with card numbers in the order submitted, or
``{"kind":"LEAVE","seat"}``. On a sealed table an ARRANGE has a ``nonce`` too, 32 bytes in hex, and
``{"commitment","kind":"COMMIT","seat"}`` comes before it; ``{"kind":"TIMEOUT","seat"}`` is in place of either. All but
TIMEOUT have ``seen`` too where the seat has a key. The results are::

    {"events_hash": h_n, "ending": "SHOWDOWN" | "INSTANT_WIN",
     "seats": [{"arrangement": [back, middle, front], "hands": [category, category, category],
                "fouls": [code, ..], "instant_win": pattern, "chi_won": n, "net": n}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat, ..],
     "house": {"net": n}, "showdown_time": ms}

where ``house`` is left out unless the ruleset has a commission, ``arrangement`` and ``hands`` are empty after an
instant win, ``instant_win`` is empty for a seat without one, and ``showdown_time`` is left out after an instant win.
"""

from collections.abc import Mapping

from referee.games.commission import house_result
from referee.games.game import ResultValue
from referee.games.mau_binh.settlement import Outcome
from referee.games.mau_binh.state import State


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript."""
    seats: list[ResultValue] = []
    for seat, net in enumerate(outcome.net):
        showing = outcome.showings[seat] if outcome.showings else None
        win = outcome.instant_wins[seat] if outcome.instant_wins else None
        seats.append(
            {
                "arrangement": showing.arrangement.chi if showing else [],
                "chi_won": outcome.chi_won[seat],
                "fouls": [foul.code for foul in showing.fouls] if showing else [],
                "hands": [value.category for value in showing.values] if showing else [],
                "instant_win": win.pattern if win else "",
                "net": net,
            }
        )
    results: dict[str, ResultValue] = {
        "ending": "INSTANT_WIN" if outcome.instant_wins else "SHOWDOWN",
        "seats": seats,
        "transfers": outcome.transfers,
        "winners": outcome.winners,
        **house_result(state.rules.commission, outcome.transfers),
    }
    if outcome.showdown_time is not None:
        results["showdown_time"] = outcome.showdown_time
    return results
