"""Fewest decks of a report; with fewer decks some measures would expect too few of each outcome."""

from typing import Final

FEWEST_DECKS: Final = 100_000
FEWEST_CONTROL_DECKS: Final = 100_000
