"""A witness: it keeps the newest checkpoint of each log that it knows, and vouches for whatever continues that one.

==============  ====================================================================================
module          what it says
==============  ====================================================================================
``witness``     the law of C2SP tlog-witness: a submission in, a cosignature or a refusal out
``state``       what was cosigned last, durable before anybody hears of it, moved by compare-and-swap
``trust``       which logs are known, by which keys
``listener``    HTTP around it
==============  ====================================================================================

It never knows what a log says. Keys and the clock are handed in.
"""

from referee.witness.server import WitnessServer
from referee.witness.state import WitnessState, WitnessStateError
from referee.witness.trust import Trusted, TrustError, read_trusted
from referee.witness.witness import Witness, WitnessAnswer

__all__ = [
    "TrustError",
    "Trusted",
    "Witness",
    "WitnessAnswer",
    "WitnessServer",
    "WitnessState",
    "WitnessStateError",
    "read_trusted",
]
