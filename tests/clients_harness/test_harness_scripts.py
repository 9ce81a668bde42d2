"""What is given is dealt: by hand, by name, by vector, and what cannot be is refused in words."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_client import Bet
from referee_harness import Clock, Harness, HarnessError, Script
from referee_harness.script import win_at_deal
from referee_harness.vectors import find, names

from referee.cards import DECK, Card, spell
from referee.dealing.header import NO_KEY, NO_LEAF
from referee.v1 import shuffler_pb2
from tests.driver.client_over import client_over
from tests.driver.driver import AnyRound, Driver
from tests.driver.headers import made_header
from tests.driver.refusal import refusal_of
from tests.randomness import random_from

VECTORS = Path(__file__).parents[1] / "vectors"
Deal = Callable[..., AnyRound]


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    with Harness(clock=Clock(is_running=False)) as running:
        yield running


@pytest.fixture
def deal(harness: Harness, request: pytest.FixtureRequest) -> Iterator[Deal]:
    """Open and deal a round at a table of the test's own."""
    harness.reset()
    own = f"t-{abs(hash(request.node.name)) % 10**9}"
    with grpc.insecure_channel(harness.grpc) as channel:
        driver = Driver(client_over(channel))

        def run(ruleset: str = "mau_binh.classic", seats: int = 2, *, table: str = own, **terms: Any) -> AnyRound:  # noqa: ANN401 - any
            usual: dict[str, Any] = {"ruleset": ruleset, "stake": 2}
            return driver.deal(table, seats=seats, **usual | terms)

        yield run


def held(dealt: AnyRound, seat: int) -> str:
    return spell(dealt.hands[seat])


def refused(call: Callable[[], object]) -> tuple[str, str]:
    """Return the reason of a refusal, and its words."""
    refusal = refusal_of(call)
    return refusal.reason, refusal.message


def test_a_scripted_hand_is_dealt(harness: Harness, deal: Deal):
    given = "2S 2H 2D 9S TH JS QD KH KS KC KD 5S 5C"
    harness.script({"hands": [None, given]})
    assert held(deal(), 1) == given


def test_part_of_a_hand_is_filled_from_the_cards_that_are_left(harness: Harness, deal: Deal):
    harness.script({"hands": {"0": "AS AC", "1": "AD"}})
    dealt = deal()
    assert held(dealt, 0).startswith("AS AC ")
    assert held(dealt, 1).startswith("AD ")
    cards = [card for hand in dealt.hands.values() for card in hand]
    assert len(set(cards)) == 26


@pytest.mark.parametrize("name", ["sảnh rồng", "SANH RONG", "DRAGON", "dragon, two to ace"])
def test_an_instant_win_has_many_names(harness: Harness, deal: Deal, name: str):
    harness.script({"wins": {"1": name}})
    ranks = [(card.number - 1) // 4 for card in deal().hands[1]]
    assert sorted(ranks) == list(range(13))


def test_four_seats_can_all_be_dealt_a_dragon(harness: Harness, deal: Deal):
    """Four times the ranks of the deck, each once: their suits are exchanged until no card is dealt twice."""
    harness.script({"wins": ["sanh rong"] * 4})
    dealt = deal(seats=4)
    assert len(dealt.hands) == 4
    for hand in dealt.hands.values():
        assert sorted((card.number - 1) // 4 for card in hand) == list(range(13))


def test_scripts_of_a_table_are_for_its_rounds_in_turn(harness: Harness, deal: Deal):
    harness.script({"hands": ["2S"]}, table_id="turns")
    harness.script({"hands": ["3S"]}, table_id="turns")
    harness.script({"hands": ["4S"]}, table_id="other")
    harness.script({"hands": ["5S"]}, table_id="turns", round_number=3)
    assert harness.waiting["scripts"] == 4
    found = []
    for _ in range(3):
        dealt = deal(table="turns", round_deadline=harness.clock() + 300_000)
        found.append(held(dealt, 0).split()[0])
        harness.clock.advance(400_000)
        dealt.abort(reason=shuffler_pb2.ABORT_REASON_DEADLINE)
    assert found == ["2S", "3S", "5S"]
    assert harness.waiting["scripts"] == 1


def test_nobody_wins_by_luck(harness: Harness):
    """Of 400 hands of Mậu Binh dealt by chance about a dozen would; a hand given in part does not either."""
    catalogue = harness.catalogue
    ruleset = catalogue.get("mau_binh.maubinh_com")
    header = made_header(
        protocol=1, origin="o", randomness_suite=250, table_id="t", round_number=1, ruleset_id=ruleset.id,
        ruleset_version=ruleset.version, ruleset_digest=ruleset.digest, layout=(13, 13, 13, 13), currency="C", stake=1,
        seat_stakes=(), seat_keys=(NO_KEY,) * 4, previous_leaf=NO_LEAF, deal_deadline=1, round_deadline=1,
    )  # fmt: skip
    luck = random_from(7)
    for _ in range(100):
        order = Script.read({"hands": ["AS AC AD AH"]}).order(header, ruleset, luck)
        assert not any(win_at_deal(ruleset, order[13 * seat : 13 * seat + 13]) for seat in range(4))


@pytest.mark.parametrize("leader", [0, 1, 2])
def test_the_scripted_seat_leads(harness: Harness, deal: Deal, leader: int):
    harness.script({"leader": leader})
    assert deal("tien_len.mien_nam", 3).leader == leader


def test_a_board_is_scripted_for_the_game_that_has_one(harness: Harness, deal: Deal):
    harness.script_vector("ultimate_texas/settlements#pair_beats_pair_two_plus_three")
    dealt = deal("ultimate_texas.two_plus_three", 1, bets=[Bet(ante=10, trips=5)])
    assert held(dealt, 0) == "AS AH"


@pytest.mark.parametrize("topic", ["mau_binh/settlement", "tien_len/rounds"])
def test_every_vector_with_hands_can_be_dealt(harness: Harness, deal: Deal, topic: str):
    rows = [json.loads(line) for line in (VECTORS / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows
    for index, row in enumerate(rows[:20]):
        assert f"{topic}#{row['id']}" in names()
        assert harness.script_vector(f"{topic}#{row['id']}") == row
        ruleset = row.get("ruleset", "tien_len.mien_nam")
        dealt = deal(ruleset, len(row["hands"]), table=f"{topic.replace('/', '-')}-{index}")
        assert [held(dealt, seat) for seat in range(len(row["hands"]))] == row["hands"]
        if "leader" in row:
            assert dealt.leader == row["leader"]


def test_a_whole_deck_is_dealt_from_its_front(harness: Harness, deal: Deal):
    harness.script({"deck": spell(reversed(DECK))})
    assert held(deal(), 0) == spell(DECK[:-14:-1])


@pytest.mark.parametrize(
    ("script", "field"),
    [
        ({"hands": ["AS AS"]}, "hands[0]"),
        ({"hands": ["AS", "AS"]}, "hands[1]"),
        ({"hands": ["AX"]}, "hands[0]"),
        ({"hands": 5}, "hands"),
        ({"hands": [5]}, "hands[0]"),
        ({"hands": {"x": "AS"}}, "hands"),
        ({"hands": ["AS"], "wins": ["DRAGON"]}, "wins"),
        ({"board": "AS", "house": "AS"}, "board"),
        ({"deck": "AS KS"}, "deck"),
        ({"deck": spell(DECK), "hands": ["AS"]}, "deck"),
        ({"leader": "first"}, "leader"),
        ({"seed": "00"}, "seed"),
        ({"vector": "mau_binh/settlement#no-such"}, "vector"),
        ({"vector": "mau_binh/no-such#x"}, "vector"),
        ({"vector": "tien_len/beats#single-rank"}, "vector"),
    ],
)
def test_a_script_that_cannot_be_meant_is_refused_at_once(script: dict[str, Any], field: str):
    with pytest.raises(HarnessError) as caught:
        Script.read(script)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("script", "field"),
    [
        ({"hands": [None, None, "AS"]}, "hands"),
        ({"hands": [spell(DECK[:14])]}, "hands[0]"),
        ({"wins": {"0": "royal flush"}}, "wins"),
        ({"wins": {"4": "DRAGON"}}, "wins"),
        ({"wins": {"0": "SUITED_DRAGON"}, "hands": [None, "2S 2C 2D 2H"]}, "wins"),
        ({"board": "AS"}, "board"),
        ({"house": "AS"}, "house"),
        ({"leader": 0}, "leader"),
    ],
)
def test_a_script_that_does_not_fit_the_round_refuses_to_open_it(
    harness: Harness, deal: Deal, script: dict[str, Any], field: str
):
    harness.script(script)
    reason, words = refused(deal)
    assert reason == "INVALID_FIELD"
    assert f" {field}: " in words


def test_the_same_luck_deals_the_same_cards():
    hands = []
    for luck in (1, 1, 2):
        with Harness(luck=luck) as running, grpc.insecure_channel(running.grpc) as channel:
            hands.append(Driver(client_over(channel)).deal("t", "tien_len", seats=4).hands)
    assert hands[0] == hands[1] != hands[2]


def test_a_vector_is_found_whole():
    assert find("tien_len/rounds#out-of-cards")["ending"] == "OUT_OF_CARDS"
    assert {Card.ACE_OF_SPADES} == set(Script.read({"hands": ["AS"]}).hands[0])
