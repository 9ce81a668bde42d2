"""A ruleset that rooms can play by: names of codes, clocks, bets, and what pages show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

STAKES: Final = (100, 500, 1000, 5000, 10_000)
"""What rooms can be played for."""


@dataclass(frozen=True, slots=True)
class Law:
    """One ruleset. ``data`` is its parsed file, from which only clocks and words are taken.

    ``shown`` is what pages are given of it; its names are spelled as the glossary has them.
    """

    id: str
    game: str
    bet_unit: int
    min_seats: int
    max_seats: int
    data: Mapping[str, Any]
    shown: dict[str, Any]

    def default_ante(self, stake: int) -> int:
        """Return the Ante of a seat that named none: the room's stake, within the limits of the ruleset."""
        limits = self.data.get("limits", {})
        return int(min(max(stake, limits.get("smallest_ante", stake)), limits.get("largest_ante", stake)))

    def bet_fault(self, *, ante: int, trips: int) -> str:
        """Return what is wrong with the bets of a seat by the bet unit and the limits; empty where nothing is."""
        limits = self.data.get("limits", {})
        if ante % self.bet_unit:
            return f"the ante is a multiple of {self.bet_unit}"
        for name, bet in (("ante", ante), ("trips", trips)):
            smallest, largest = limits.get(f"smallest_{name}", bet), limits.get(f"largest_{name}", bet)
            if bet and not smallest <= bet <= largest:
                return f"the {name} is {smallest} to {largest}"
        return ""

    def clock_ms(self, name: str) -> int:
        """Return the length of a clock of the ruleset, such as ``arranging``, in milliseconds."""
        return int(self.data["clocks"][name]["seconds"]) * 1000

    def name(self, table: str, code: str) -> dict[str, str]:
        """Return the names of a code of one table, or the code itself if it has none."""
        return dict(self.shown["names"].get(table, {}).get(code) or {"vi": code, "en": code})

    def word(self, code: str) -> dict[str, str]:
        """Return the names of a code, or the code itself if it has none; reasons are looked up first."""
        names = self.shown["names"]
        for table in (names.get("reason", {}), *names.values()):
            if code in table:
                return dict(table[code])
        return {"vi": code, "en": code}
