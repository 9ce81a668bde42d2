"""Registry of the games that are served: three built in, others by entry points ``referee.services`` of packages.

>>> GAME_SERVICES["tien_len"].full_name
'referee.v1.TienLenService'
"""

from typing import Final

from referee.games import Registry
from referee.rulesets import Ruleset
from referee.service import mau_binh, tien_len, ultimate_texas
from referee.service.game_service import GameService
from referee.wire.refusal import invalid_field

GAME_SERVICES: Final[Registry[GameService]] = Registry(
    "referee.services", lambda: (mau_binh.SERVICE, tien_len.SERVICE, ultimate_texas.SERVICE)
)
"""Served games by name."""


def game_service(ruleset: Ruleset, *, field: str) -> GameService:
    """Return the service of a ruleset's game; refuse a game whose law is installed here but not its service."""
    service = GAME_SERVICES.get(ruleset.game)
    if service is None:
        raise invalid_field(
            f"{ruleset.id} is a ruleset of {ruleset.game}; this server serves {', '.join(GAME_SERVICES)}", field=field
        )
    return service
