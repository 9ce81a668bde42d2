"""Registry of the games that are served: three built in, others by entry points ``referee.services`` of packages.

>>> SERVED_GAMES["tien_len"].service
'referee.v1.TienLenService'
"""

from typing import Final

from referee.games import Registry
from referee.rulesets import Ruleset
from referee.service import mau_binh, tien_len, ultimate_texas
from referee.service.served import ServedGame
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

SERVED_GAMES: Final[Registry[ServedGame]] = Registry(
    "referee.services", lambda: (mau_binh.SERVED, tien_len.SERVED, ultimate_texas.SERVED)
)
"""Served games by name."""


def served_game(ruleset: Ruleset, *, field: str) -> ServedGame:
    """Return the served game of a ruleset; refuse a game whose law is installed here but not its service."""
    served = SERVED_GAMES.get(ruleset.game)
    if served is None:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"{ruleset.id} is a ruleset of {ruleset.game}; this server serves {', '.join(SERVED_GAMES)}",
            field=field,
        )
    return served
