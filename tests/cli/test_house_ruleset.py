"""An operator's own ruleset: a TOML file in a folder, and no code."""

import json
from pathlib import Path

from referee.cli.demo_tien_len import choose
from referee.games.tien_len import TienLenRules
from referee.rulesets import load_folder
from referee.v1 import shuffler_pb2_grpc, tien_len_pb2, tien_len_pb2_grpc
from tests.builtin import rules_as
from tests.cli.printing import printed
from tests.driver.opening import deal_round, open_round, terms_of
from tests.randomness import random_from

HOUSE = Path(__file__).parents[1] / "rulesets" / "house"
STAKE = 100


def test_a_house_variant_is_dealt_settled_and_audited_from_its_file_alone(serve):
    """The server loads the folder, a whole round is paid at the house's price, the audit with the folder is clean."""
    server = serve("--rulesets", str(HOUSE))
    outcome = play_until_somebody_runs_out_of_cards(server.channel)
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


def play_until_somebody_runs_out_of_cards(channel):
    """Play the table's first round that ends with empty hands, not at the deal or by the three of spades."""
    luck = random_from(3)
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
    judge = tien_len_pb2_grpc.TienLenServiceStub(channel)
    while True:
        opened = open_round(shuffler, terms_of("quan-nha", ruleset_id="tien_len.quan_nha", stake_minor=STAKE))
        dealt = deal_round(shuffler, opened, [luck.randbytes(32) for _ in range(2)])
        played = tien_len_pb2.TienLenRound(header=opened.header, certificates=[dealt.certificate])
        while (event := choose(judge, played)) is not None:
            event.time = dealt.dealt_time
            played.events.append(event)
        settled = judge.SettleRound(tien_len_pb2.TienLenServiceSettleRoundRequest(round=played))
        if settled.outcome.ending == "OUT_OF_CARDS":
            return settled.outcome


def test_the_house_file_differs_from_the_built_in_one_in_data_alone():
    """Same game, same code, other numbers and another digest."""
    catalogue = load_folder(HOUSE)
    house, built_in = catalogue.get("tien_len.quan_nha"), catalogue.get("tien_len.mien_nam")
    assert type(house.rules) is type(built_in.rules)
    assert house.digest != built_in.digest
    prices = [rules_as(TienLenRules, ruleset).leftover_prices for ruleset in (house, built_in)]
    assert [price.card for price in prices] == [3, 1]
