"""The rulesets that rooms can play by, as the referee gives them."""

from typing import Any

from referee.evidence.outside import read_toml
from referee.v1 import ruleset_pb2
from referee_table.games import GAMES
from referee_table.glossary import named
from referee_table.judge import Judge
from referee_table.laws import Law
from referee_table.rulebook import difference
from referee_table.wording import text


async def load_laws(judge: Judge) -> dict[str, Law]:
    """Return every ruleset of the games at this table by id, the newest version of each."""
    laws: dict[str, Law] = {}
    listed = [one for one in await _list_rulesets(judge) if one.game in GAMES]
    for ruleset_id in dict.fromkeys(one.ruleset_id for one in listed):
        request = ruleset_pb2.GetRulesetRequest(ruleset_id=ruleset_id)
        found = await judge.ask(judge.rulesets.GetRuleset, request)
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
        page = await judge.ask(judge.rulesets.ListRulesets, request)
        listed += page.rulesets
        if not page.next_page_token:
            return listed
        request.page_token = page.next_page_token


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
