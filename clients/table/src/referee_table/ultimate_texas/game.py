"""The registration of Ultimate Texas Hold'em at the table."""

from pathlib import Path
from typing import Any, Final

from referee_table import sentences
from referee_table.glossary import read_glossary
from referee_table.sentences import Data
from referee_table.table_game import TableGame
from referee_table.ultimate_texas.commands import Decide
from referee_table.ultimate_texas.play import UltimateTexasPlay
from referee_table.ultimate_texas.rules import sections

LIMITS: Final = ("smallest_ante", "largest_ante", "smallest_trips", "largest_trips")
"""Limits of the bets, in minor units."""


def shown(data: Data) -> dict[str, Any]:
    """Return the limits of the bets and the paytables of a ruleset."""
    given: dict[str, Any] = {}
    if "smallest_ante" in (limits := data.get("limits", {})):
        given["limits"] = {name: limits[name] for name in LIMITS}
    for table in ("blind", "trips"):
        given[f"{table}_pays"] = [{"hand": line["hand"], "odds": line["odds"]} for line in data[table]]
    return given


GAME: Final = TableGame(
    name="ultimate_texas",
    begin=lambda client, terms, secrets: client.ultimate_texas(terms, secrets=secrets),
    play=UltimateTexasPlay,
    commands=(Decide,),
    sections=sections,
    features=(sentences.hand_rule, sentences.trips),
    shown=shown,
    glossary=read_glossary(Path(__file__).parent),
    can_seal=True,
    has_bets=True,
)
