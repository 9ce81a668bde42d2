"""An operator's own ruleset: a TOML file in a folder, and no code."""

import json
from pathlib import Path

from referee_client import Client, Terms

from referee.cli.demo_tien_len import play_turn
from referee.games.tien_len import TienLenRules
from referee.rulesets import load_folder
from tests.builtin import rules_as
from tests.cli.printing import printed
from tests.randomness import random_from

HOUSE = Path(__file__).parents[1] / "rulesets" / "house"
STAKE = 100


def test_a_house_variant_is_dealt_settled_and_audited_from_its_file_alone(serve):
    """The server loads the folder, a whole round is paid at the house's price, the audit with the folder is clean."""
    server = serve("--rulesets", str(HOUSE))
    with Client(server.ready["address"]) as client:
        outcome = play_until_somebody_runs_out_of_cards(client)
    assert server.stop() == 0
    (winner,) = [result for result in outcome.seats if result.winner]
    (loser,) = [result for result in outcome.seats if not result.winner]
    ordinary = [card for card in loser.left if card > 4]  # numbers 1 to 4 are the twos, which have prices of their own
    paid = [transfer for transfer in outcome.transfers if transfer.subject == "CARD"]
    grouped = any(transfer.subject in {"PAIR_RUN_3", "PAIR_RUN_4", "QUAD"} for transfer in outcome.transfers)
    assert sum(transfer.amount_minor for transfer in paid) == 3 * STAKE * len(ordinary) or grouped
    assert (winner.net_minor, loser.net_minor) == (-loser.net_minor, -winner.net_minor)
    printed("audit", "--data", server.data, "--json", "--rulesets", HOUSE)
    unknown = json.loads(printed("audit", "--data", server.data, "--json"))
    assert set(unknown["finding_counts"]) == {"RULESET_UNKNOWN"}


def play_until_somebody_runs_out_of_cards(client):
    """Play the table's first round that ends with empty hands, not at the deal or by the three of spades."""
    luck = random_from(3)
    terms = Terms(table="quan-nha", ruleset="tien_len.quan_nha", seats=2, stake=STAKE)
    while True:
        game = client.tien_len(terms, secrets=())
        game.open()
        game.deal(seeds=[luck.randbytes(32) for _ in range(2)])
        while play_turn(game) is not None:
            pass
        outcome = game.settle().result
        if outcome.ending == "OUT_OF_CARDS":
            return outcome


def test_the_house_file_differs_from_the_built_in_one_in_data_alone():
    """Same game, same code, other numbers and another digest."""
    catalogue = load_folder(HOUSE)
    house, built_in = catalogue.get("tien_len.quan_nha"), catalogue.get("tien_len.mien_nam")
    assert type(house.rules) is type(built_in.rules)
    assert house.digest != built_in.digest
    prices = [rules_as(TienLenRules, ruleset).leftover_prices for ruleset in (house, built_in)]
    assert [price.card for price in prices] == [3, 1]
