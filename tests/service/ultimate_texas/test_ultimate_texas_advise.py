"""SuggestDecision over the wire: what is asked, what is answered, and what is not looked at."""

from fractions import Fraction
from pathlib import Path

import pytest

from referee.advice.ultimate_texas.advice import advise
from referee.advice.ultimate_texas.option import best_of
from referee.advice.ultimate_texas.preflop import PreflopTable, PreflopTables, law_digest
from referee.advice.ultimate_texas.question import DecisionQuestion, value_options
from referee.cards import DECK, Card
from referee.games.ultimate_texas import Decision as Domain
from referee.games.ultimate_texas import Stake, UltimateTexasRules
from referee.money import Amount
from referee.rulesets import get, load_folder
from referee.v1 import advice_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from tests.builtin import rules_as

CASINO = "ultimate_texas.casino"
CHECKS = [(0, "CHECK"), (1, "CHECK")]


def ask(server, message, seat: int) -> advice_pb2.SuggestDecisionResponse:
    return server.advice.SuggestDecision(advice_pb2.SuggestDecisionRequest(round=message, seat=seat))


def cards(numbers) -> tuple[Card, ...]:
    return tuple(DECK[number - 1] for number in numbers)


def board_of(dealt_round) -> tuple[Card, ...]:
    """Return the board that the newest section opened."""
    if not dealt_round.sections:
        return ()
    return cards(card for part in dealt_round.sections[-1].opened if part.name != "house" for card in part.cards)


@pytest.mark.parametrize("ruleset_id", [CASINO, "ultimate_texas.two_plus_three"])
@pytest.mark.parametrize("streets", [0, 1, 2])
def test_answer_is_the_advice_on_the_seats_own_cards_and_the_open_board(server, ruleset_id: str, streets: int):
    stakes = [(10, 5), (4, 0)]
    dealt_round = server.deal(ruleset_id=ruleset_id, stakes=stakes)
    dealt_round.play(*CHECKS * streets)
    ruleset = get(ruleset_id)
    rules = rules_as(UltimateTexasRules, ruleset)
    board = board_of(dealt_round)
    assert len(board) == (0, 3, 5)[streets]
    for seat, (ante, trips) in enumerate(stakes):
        answer = ask(server, dealt_round.message, seat)
        stake = Stake(ante=Amount(ante), trips=Amount(trips))
        hole = cards(dealt_round.dealt.hands[seat].cards)
        table = PreflopTables.builtin().table_for(rules)
        options = advise(rules, stake, hole=hole, board=board, table=table)
        assert [option.decision for option in options] == [_name(one.decision) for one in answer.options]
        assert _name(answer.best) == best_of(options, stake).decision
        assert answer.ways == (20_975_724_000, 1_070_190, 990)[streets]
        assert answer.ruleset_digest == ruleset.digest
        assert answer.state == dealt_round.preview().state
        for option, one in zip(options, answer.options, strict=True):
            antes = Fraction(one.antes.numerator, one.antes.denominator)
            assert option.antes == antes
            assert one.HasField("trips") == bool(trips)
            of_trips = Fraction(one.trips.numerator, one.trips.denominator) if trips else Fraction(0)
            assert round(antes * ante + of_trips * trips) == one.value_minor
            assert one.decision in dealt_round.preview().state.seats[seat].legal_decisions


def _name(number: int) -> str:
    return Decision.Name(number).removeprefix("DECISION_")


def test_other_hands_and_the_house_are_not_looked_at(server):
    """Though the newest certificate opens everything, a round of the events up to the flop gets the flop's answer."""
    dealt_round = server.deal(3)
    three = [(seat, "CHECK") for seat in range(3)]
    dealt_round.play(*three)
    before, receipt = ask(server, dealt_round.message, 1), dealt_round.message.receipt
    dealt_round.play(*three, *[(seat, "PLAY_1X") for seat in range(3)])
    assert {part.name for part in dealt_round.sections[-1].opened} >= {"house", "flop", "turn_river"}
    message = ultimate_texas_pb2.UltimateTexasRound()
    message.CopyFrom(dealt_round.message)
    del message.events[3:]
    message.receipt = receipt
    assert ask(server, message, 1) == before


def test_seat_with_nothing_to_decide_gets_no_options(server):
    dealt_round = server.deal()
    dealt_round.play((0, "PLAY_4X"))
    done, waiting = ask(server, dealt_round.message, 0), ask(server, dealt_round.message, 1)
    assert (len(done.options), done.HasField("best"), done.ways) == (0, False, 0)
    assert len(waiting.options) == 3


def test_house_ruleset_has_advice_before_the_flop_and_after_it(server, refused, tmp_path: Path):
    """Without a table the refusal names the command that makes one; with one beside the ruleset there is an answer."""
    folder = tmp_path / "house"
    folder.mkdir()
    text = get(CASINO).source.decode().replace(CASINO, "ultimate_texas.house").replace('"10/1"', '"9/1"')
    (folder / "house.toml").write_text(text, encoding="utf-8")
    catalogue = load_folder(folder)
    server.restart(catalogue=catalogue)
    dealt_round = server.deal(ruleset_id="ultimate_texas.house")
    request = advice_pb2.SuggestDecisionRequest(round=dealt_round.message, seat=0)
    refusal = refused(server.advice.SuggestDecision, request)
    assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "NO_ADVICE")
    dealt_round.play(*CHECKS)
    assert len(ask(server, dealt_round.message, 0).options) == 2


def test_tables_of_the_settings_folder_are_read(tmp_path: Path):
    """A server started with the folder advises before the flop by the table in it."""
    text = get(CASINO).source.decode().replace(CASINO, "ultimate_texas.house").replace('"10/1"', '"9/1"')
    (tmp_path / "house.toml").write_text(text, encoding="utf-8")
    house = load_folder(tmp_path).get("ultimate_texas.house")
    shipped = PreflopTables.builtin().table_for(rules_as(UltimateTexasRules, CASINO))
    assert shipped is not None
    table = PreflopTable(law=law_digest(rules_as(UltimateTexasRules, house)), unit=2, kinds=shipped.kinds)
    (tmp_path / "ultimate_texas.house.preflop").write_bytes(table.write())
    stake = Stake(ante=Amount(2), trips=Amount(0))
    question = DecisionQuestion(rules_as(UltimateTexasRules, house), stake, (DECK[0], DECK[51]), (), tmp_path)
    assert best_of(value_options(question).options, stake).decision is Domain.PLAY_4X
