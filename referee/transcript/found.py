"""Former name of the members of a transcript's results."""

from referee.games.game import ResultValue as FoundValue

__all__ = ["FoundValue"]
