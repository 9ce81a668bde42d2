"""SuggestArrangement over gRPC: the advisor's own answer, in the table's money, from the asker's cards alone."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.population import Origin
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.self_play import learn, sweep_kind
from referee.advice.mau_binh.suggestion import SCALE
from referee.cards import Card, parse_cards
from referee.rulesets import Catalogue, Ruleset, get, parse_ruleset
from referee.v1 import advice_pb2, mau_binh_pb2
from tests.service.house import House

RULESETS: Final = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
DRAGON: Final = "2S 3S 4C 5D 6H 7S 8C 9D TH JS QC KD AH"
PLAIN: Final = "KS KC KD 5S 5C 9H 9D 4C 4H TD QS JC 2D"


def advisor_of(ruleset: Ruleset, *, seat_count: int) -> Advisor:
    rules: Any = ruleset.rules
    return Advisor.of(rules, Populations.builtin().population_for(rules, digest=ruleset.digest), seat_count=seat_count)


def free(held: str, ruleset_id: str = "mau_binh.classic", **fields: Any) -> advice_pb2.FreeHand:  # noqa: ANN401 - any field
    numbers: Any = [card.number for card in parse_cards(held)]
    return advice_pb2.FreeHand(**{"cards": numbers, "ruleset_id": ruleset_id, "seat_count": 4} | fields)


def ask(house: House, *, count: int = 0, **hand: Any) -> advice_pb2.SuggestArrangementResponse:  # noqa: ANN401 - either hand
    answer: advice_pb2.SuggestArrangementResponse = house.advice.SuggestArrangement(
        advice_pb2.SuggestArrangementRequest(count=count, **hand)
    )
    return answer


def amount_of(message: advice_pb2.ExpectedAmount) -> Fraction:
    assert 0 <= message.remainder < SCALE
    return message.minor + Fraction(message.remainder, SCALE)


def cards_of(numbers: Iterable[int]) -> tuple[Card, ...]:
    return tuple(Card(number) for number in numbers)


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_dealt_hand_gets_what_the_advisor_says(house: House, ruleset_id: str) -> None:
    """Arrangement, values with their names, worth and parts, for every seat of a round."""
    ruleset = get(ruleset_id)
    played = house.play(ruleset_id=ruleset_id, seat_count=3, stake_minor=700)
    advisor = advisor_of(ruleset, seat_count=3)
    for seat, hand in enumerate(played.hands):
        answer = ask(house, dealt=advice_pb2.DealtHand(round=played.message, seat=seat), count=5)
        expected = advisor.suggest(cards_of(hand), count=5)
        assert answer.ruleset_digest == ruleset.digest
        assert answer.population_digest == advisor.table.population.digest
        assert not answer.HasField("instant_win")
        assert len(answer.suggestions) == len(expected)
        for message, suggestion in zip(answer.suggestions, expected, strict=True):
            held = message.arrangement
            assert tuple(map(cards_of, (held.back, held.middle, held.front))) == suggestion.arrangement.chi
            assert amount_of(message.expected) == Fraction(suggestion.expected * 700, SCALE)
            assert amount_of(message.expected) == sum(amount_of(part.expected) for part in message.parts)
            assert [part.reason for part in message.parts] == [part.reason for part in suggestion.parts]
            for part in message.parts:
                assert (part.name.vi, part.name.en) == (
                    ruleset.names["reason"][part.reason].vi,
                    ruleset.names["reason"][part.reason].en,
                )
                assert 0 <= part.win_ppm + part.lose_ppm <= 1_000_001


def test_suggested_arrangement_is_lawful_to_check_and_accept(house: House) -> None:
    played = house.play(seat_count=4)
    for seat in range(4):
        best = ask(house, dealt=advice_pb2.DealtHand(round=played.message, seat=seat)).suggestions[0]
        checked = played.check(seat, best.arrangement)
        assert not checked.violations
        assert checked.acceptable
        assert list(checked.values) == list(best.values)
    for seat in range(4):
        best = ask(house, dealt=advice_pb2.DealtHand(round=played.message, seat=seat)).suggestions[0]
        assert played.accept(seat, best.arrangement).event_number == seat + 1


def test_other_hands_change_nothing(house: House) -> None:
    """The same cards are answered alike with all hands open, with the seat's own alone, and undealt."""
    opened = house.open(seat_count=2, stake_minor=1000)
    deal = house.derive(opened.header)
    both, own = (house.certify(opened.header, deal, sections=sections) for sections in ([0, 1], [0]))
    messages = [mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[one]) for one in (both, own)]
    answers = [ask(house, dealt=advice_pb2.DealtHand(round=one, seat=0)) for one in messages]
    numbers = [card.number for card in deal.sections[0]]
    hand: Any = advice_pb2.FreeHand(
        cards=numbers,  # type: ignore[arg-type] # the enum of the wire is the number itself
        ruleset_id="mau_binh.classic",
        seat_count=2,
        stake_minor=1000,
    )
    answers.append(ask(house, free=hand))
    assert answers[0].suggestions
    assert answers[0] == answers[1] == answers[2]


def test_count_and_stake_have_defaults(house: House) -> None:
    """Three suggestions, at a stake of the ruleset's bet unit."""
    answer = ask(house, free=free(PLAIN))
    assert answer == ask(house, free=free(PLAIN, stake_minor=1), count=3)
    assert len(answer.suggestions) == 3
    assert len(ask(house, free=free(PLAIN), count=10).suggestions) == 10


def test_nothing_is_signed_or_written(house: House) -> None:
    before = house.checkpoint()
    ask(house, free=free(PLAIN))
    assert house.checkpoint() == before


def test_hand_that_no_certificate_opens_is_refused(house: House) -> None:
    opened = house.open(seat_count=2)
    deal = house.derive(opened.header)
    message = mau_binh_pb2.MauBinhRound(
        header=opened.header, certificates=[house.certify(opened.header, deal, sections=[1])]
    )
    assert house.refusal_of(ask, house, dealt=advice_pb2.DealtHand(round=message, seat=0)).reason == "SECTION_MISSING"


def house_ruleset() -> Ruleset:
    """Start a server with a variant where A-2-3-4-5 is the second best straight, which no shipped population knows."""
    source = get("mau_binh.classic").source
    for old, new in (
        (b'id = "mau_binh.classic"', b'id = "mau_binh.wheel"'),
        (b'ace_low_straight = "LOWEST"', b'ace_low_straight = "SECOND_HIGHEST"'),
    ):
        assert source.count(old) == 1
        source = source.replace(old, new)
    return parse_ruleset(source, file="wheel.toml")


def test_unlearned_ranking_is_refused_until_it_is_learned(make_house: Callable[..., House], tmp_path: Path) -> None:
    """The refusal names the command; its file beside the rulesets mends it."""
    ruleset = house_ruleset()
    rules: Any = ruleset.rules
    folder = tmp_path / "rulesets"
    folder.mkdir()
    catalogue = Catalogue([ruleset])
    house = make_house("before", catalogue=catalogue, rulesets=str(folder))
    refusal = house.refusal_of(ask, house, free=free(PLAIN, ruleset.id))
    assert (refusal.reason, refusal.code, refusal.field) == ("NO_ADVICE", "FAILED_PRECONDITION", "")
    assert "referee learn" in refusal.message
    origin = Origin(
        ruleset_id=ruleset.id,
        ruleset_version=ruleset.version,
        ruleset_digest=ruleset.digest.hex(),
        sweep=sweep_kind(rules),
        rounds=320,
        seed=1,
    )
    learned = learn(rules, origin=origin)
    (folder / f"{ruleset.id}.population").write_bytes(learned.to_bytes())
    house = make_house("after", catalogue=catalogue, rulesets=str(folder))
    answer = ask(house, free=free(PLAIN, ruleset.id))
    assert answer.population_digest == learned.digest
    assert len(answer.suggestions) == 3


def test_broken_population_is_refused_by_name(make_house: Callable[..., House], tmp_path: Path) -> None:
    folder = tmp_path / "rulesets"
    folder.mkdir()
    (folder / "mau_binh.classic.population").write_bytes(b"not one")
    house = make_house(rulesets=str(folder))
    refusal = house.refusal_of(ask, house, free=free(PLAIN))
    assert refusal.reason == "NO_ADVICE"
    assert "mau_binh.classic.population" in refusal.message
