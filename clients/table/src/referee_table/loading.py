"""The rulesets that rooms can play by, as the referee gives them."""

from typing import Any

from referee_client import AsyncClient

from referee.evidence.outside import read_toml
from referee.v1 import ruleset_pb2
from referee_table.games import GAMES
from referee_table.glossary import named
from referee_table.laws import Law
from referee_table.rulebook import difference
from referee_table.wording import text


async def load_laws(client: AsyncClient) -> dict[str, Law]:
    """Return every ruleset of the games at this table by id, the newest version of each."""
    listed = [one.ruleset_id for one in await client.rulesets() if one.game in GAMES]
    laws = {ruleset_id: _law(await client.ruleset(ruleset_id)) for ruleset_id in dict.fromkeys(listed)}
    for law in laws.values():
        alike = [other.data for other in laws.values() if other.game == law.game]
        if sentence := difference(law.data, alike):
            law.shown["differs"] = sentence
    return laws


def _law(found: ruleset_pb2.GetRulesetResponse) -> Law:
    one, data = found.ruleset, read_toml(found.toml)
    game = GAMES[one.game]
    shown: dict[str, Any] = {
        "id": one.ruleset_id,
        "version": one.version,
        "digest": one.digest.hex(),
        "game": one.game,
        "title": text(one.name),
        "min_seats": one.min_seats,
        "max_seats": one.max_seats,
        "bet_unit_minor": one.bet_unit_minor,
        "can_seal": game.can_seal,
        "round_ms": {name: 1000 * data["round"][f"{name}_seconds"] for name in ("shortest", "longest")},
        "names": named(game.glossary, data["names"]),
    }
    shown |= game.shown(data)
    return Law(one.ruleset_id, one.game, int(one.bet_unit_minor), one.min_seats, one.max_seats, data, shown)
