"""How few decks a report may be about: fewer would leave measures without enough to expect."""

from typing import Final

FEWEST_DECKS: Final = 100_000
FEWEST_CONTROL_DECKS: Final = 100_000
