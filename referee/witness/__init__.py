"""A witness (C2SP tlog-witness): it cosigns a log's checkpoint if that continues the one it cosigned last.

``witness`` has the rules, ``state`` what was cosigned, ``trust`` the known logs and ``server`` HTTP.
"""

from referee.witness.server import WitnessServer
from referee.witness.state import WitnessState
from referee.witness.witness import Witness

__all__ = [
    "Witness",
    "WitnessServer",
    "WitnessState",
]
