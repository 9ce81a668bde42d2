"""The commands of Ultimate Texas Hold'em."""

from referee_table.commands import Identifier, Move


class Decide(Move, frozen=True, kw_only=True, tag="decide"):
    """Command with a decision."""

    decision: Identifier
