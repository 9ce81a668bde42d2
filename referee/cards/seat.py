"""A seat: the place at a table that cards are dealt to and money moves between."""

from typing import Final, NewType

Seat = NewType("Seat", int)
"""Index of a seat, 0-based, in dealing order (counterclockwise)."""

HOUSE: Final = Seat(255)
"""The house, where a game has one. It fits the u8 that seats take in hashed fields."""
