"""The rulesets that rooms can play by, as the referee gives them."""

from typing import Any, Final

from referee_client import AsyncClient

from referee.evidence.outside import read_toml
from referee.v1 import ruleset_pb2
from referee_table.games import GAMES
from referee_table.law import Law, named
from referee_table.shown import fields
from referee_table.words import FOLDER, for_people, read_words

_LIMITS: Final = ("smallest_ante", "largest_ante", "smallest_trips", "largest_trips")


async def load_laws(client: AsyncClient) -> dict[str, Law]:
    """Return every ruleset of the games at this table by id, the newest version of each."""
    listed = [ruleset.ruleset_id for ruleset in await client.rulesets() if ruleset.game in GAMES]
    return {ruleset_id: _law(await client.ruleset(ruleset_id)) for ruleset_id in dict.fromkeys(listed)}


def _law(found: ruleset_pb2.GetRulesetResponse) -> Law:
    ruleset, data = found.ruleset, read_toml(found.toml)
    game, words, limits = GAMES[ruleset.game], read_words(FOLDER / ruleset.game), data.get("limits", {})
    shown: dict[str, Any] = fields(ruleset, "version game min_seats max_seats bet_unit_minor") | {
        "id": ruleset.ruleset_id,
        "digest": ruleset.digest.hex(),
        "title": for_people(ruleset.name),
        "can_seal": game.can_seal,
        "round_ms": {name: 1000 * data["round"][f"{name}_seconds"] for name in ("shortest", "longest")},
        "names": named(words, data["names"]),
    }
    if "smallest_ante" in limits:
        shown["limits"] = {name: limits[name] for name in _LIMITS}
    for table in ("blind", "trips") if game.has_bets else ():
        shown[f"{table}_pays"] = [{"hand": line["hand"], "odds": line["odds"]} for line in data[table]]
    seats = ruleset.min_seats, ruleset.max_seats
    return Law(ruleset.ruleset_id, ruleset.game, ruleset.bet_unit_minor, *seats, found.toml, data, words, shown)
