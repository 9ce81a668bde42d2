"""A game as a later release may have it: its rules have gained a field and a table."""

import dataclasses
from typing import Annotated, Any

import msgspec

from referee.games import Game
from referee.games.tables import since
from referee.rulesets.shape import newest_schema


class Bell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that a later schema adds."""

    seconds: Annotated[int, msgspec.Meta(ge=1)]


def grown(game: Game[Any, Any, Any, Any]) -> Game[Any, Any, Any, Any]:
    """Return the game with a number and a table that the schema after its newest adds to its rules."""
    schema = newest_schema(game.rules_type) + 1
    rules_type = msgspec.defstruct(
        "Grown",
        [("bell", Annotated[Bell, since(schema)], Bell(seconds=5)), ("gong", Annotated[int, since(schema)], 7)],
        bases=(game.rules_type,),
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return dataclasses.replace(game, rules_type=rules_type)
