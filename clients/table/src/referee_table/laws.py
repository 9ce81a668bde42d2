"""The rulesets that rooms can play by, as the referee gives them: names of codes, clocks, and what pages show."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from referee.v1 import ruleset_pb2
from referee_table.glossary import named
from referee_table.judge import Judge
from referee_table.rulebook import difference
from referee_table.wording import text

STAKES: Final = (100, 500, 1000, 5000, 10_000)
"""What rooms can be played for."""

LIMITS: Final = ("smallest_ante", "largest_ante", "smallest_trips", "largest_trips")
"""Limits of the bets of Ultimate Texas Hold'em, in minor units."""

SEALABLE: Final = ("mau_binh", "ultimate_texas")


@dataclass(frozen=True, slots=True)
class Law:
    """One ruleset. ``data`` is its file as read; nothing is decided by it but clocks and words.

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
        """How long a clock of the ruleset runs, such as ``arranging``; milliseconds."""
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


async def load_laws(judge: Judge) -> dict[str, Law]:
    """Every ruleset of the referee by id, the newest version of each."""
    laws: dict[str, Law] = {}
    for ruleset_id in dict.fromkeys(one.ruleset_id for one in await _list_rulesets(judge)):
        request = ruleset_pb2.GetRulesetRequest(ruleset_id=ruleset_id)
        found = await judge.ask(judge.rulesets.GetRuleset, request, ruleset_pb2.GetRulesetResponse)
        laws[ruleset_id] = _law(found)
    for law in laws.values():
        alike = [other.data for other in laws.values() if other.game == law.game]
        if sentence := difference(law.data, alike):
            law.shown["differs"] = sentence
    return laws


async def _list_rulesets(judge: Judge) -> list[ruleset_pb2.Ruleset]:
    """List the rulesets of all pages."""
    request, listed = ruleset_pb2.ListRulesetsRequest(), list[ruleset_pb2.Ruleset]()
    while True:
        page = await judge.ask(judge.rulesets.ListRulesets, request, ruleset_pb2.ListRulesetsResponse)
        listed += page.rulesets
        if not page.next_page_token:
            return listed
        request.page_token = page.next_page_token


def _law(found: ruleset_pb2.GetRulesetResponse) -> Law:
    one, data = found.ruleset, tomllib.loads(found.toml.decode())
    shown: dict[str, Any] = {
        "id": one.ruleset_id,
        "version": one.version,
        "digest": one.digest.hex(),
        "game": one.game,
        "title": text(one.name),
        "min_seats": one.min_seats,
        "max_seats": one.max_seats,
        "bet_unit_minor": one.bet_unit_minor,
        "can_seal": one.game in SEALABLE,
        "round_ms": {name: 1000 * data["round"][f"{name}_seconds"] for name in ("shortest", "longest")},
        "names": named(one.game, data["names"]),
    }
    if "smallest_ante" in (limits := data.get("limits", {})):
        shown["limits"] = {name: limits[name] for name in LIMITS}
    for table in ("blind", "trips"):
        if isinstance(data.get(table), list):
            shown[f"{table}_pays"] = [{"hand": line["hand"], "odds": line["odds"]} for line in data[table]]
    return Law(one.ruleset_id, one.game, int(one.bet_unit_minor), one.min_seats, one.max_seats, data, shown)
