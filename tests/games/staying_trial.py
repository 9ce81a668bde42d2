"""One comparison of an option with the advice."""

from typing import NamedTuple


class Trial(NamedTuple):
    """An option at one decision of a deal: whether it promised more than the advice, and what it won more, in stakes.

    ``is_certain``: every card was known at the decision, so what it promised is what it won.
    """

    option: str
    deal: int
    is_taken: bool
    gain: float
    is_certain: bool = False
