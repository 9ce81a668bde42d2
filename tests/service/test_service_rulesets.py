"""RulesetService: pages of the list, and the codes that come with a ruleset."""

import tomllib
from pathlib import Path
from typing import Final

import pytest

from referee.rulesets import load_builtin
from referee.v1 import ruleset_pb2
from tests.service.house import House

TEXTS: Final = Path(__file__).parents[2] / "referee" / "rulesets" / "texts"


@pytest.mark.parametrize("page_size", [1, 2, 256])
def test_pages_of_rulesets_are_the_whole_list_once(house: House, page_size: int) -> None:
    ids = sorted((one.id, one.version) for one in load_builtin())
    request, listed, pages = ruleset_pb2.ListRulesetsRequest(page_size=page_size), [], 0
    while True:
        page = house.rulesets.ListRulesets(request)
        assert 1 <= len(page.rulesets) <= page_size
        listed += [(one.ruleset_id, one.version) for one in page.rulesets]
        pages += 1
        if not page.HasField("next_page_token"):
            break
        request.page_token = page.next_page_token
    assert listed == ids
    assert pages == -(-len(ids) // page_size)


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("page_size", ruleset_pb2.ListRulesetsRequest(page_size=257)),
        ("page_token", ruleset_pb2.ListRulesetsRequest(page_token="nobody@1.0.0")),  # noqa: S106 - no password
    ],
)
def test_page_that_cannot_be_is_refused(house: House, field: str, request_: ruleset_pb2.ListRulesetsRequest) -> None:
    assert house.refusal_of(house.rulesets.ListRulesets, request_).reason_and_field == ("INVALID_FIELD", field)


def test_ruleset_comes_with_its_codes_and_their_texts(house: House) -> None:
    """The names of the file, read here without the server's classes, and the words for the game's violations."""
    for ruleset in load_builtin():
        answer = house.rulesets.GetRuleset(ruleset_pb2.GetRulesetRequest(ruleset_id=ruleset.id))
        names = tomllib.loads(answer.toml.decode())["names"]
        texts = tomllib.loads((TEXTS / f"{ruleset.game}.toml").read_text("utf-8"))
        stakes = tomllib.loads((TEXTS / "stakes.toml").read_text("utf-8"))
        expected = {"violation": stakes["violation"] | texts["violation"]} | names
        found = {
            table.name: {one.code: {"vi": one.text.vi, "en": one.text.en} for one in table.codes}
            for table in answer.tables
        }
        assert found == expected
