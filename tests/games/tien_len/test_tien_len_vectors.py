"""Every vector names the sentence of the rule sheet or the rule that it follows; its answer was worked out by hand."""

from typing import Any

from referee.cards import Seat, parse_cards, spell
from referee.games import LeaderBy, play
from referee.games.tien_len import GAME, Fault, TienLenRules, begin, check, read_combination, set_of
from referee.games.tien_len.chop import beats, chop_units, chopped_by
from referee.games.tien_len.instant_win import find_instant_win
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.legality import check_closing
from referee.rulesets import load_examples
from referee.verdict import Violation
from tests.games.rounds import hands_deal, led_by, settled
from tests.games.tien_len.scenes import read_event, read_hands, variant
from tests.vectors.reading import read

Vector = dict[str, Any]


def test_cards_are_read_as_the_combination_they_are(combinations_vector: Vector) -> None:
    found = read_combination(set_of(parse_cards(combinations_vector["cards"])))
    if "kind" not in combinations_vector:
        assert found is None
    else:
        assert found is not None
        expected = tuple(combinations_vector[key] for key in ("kind", "length", "top"))
        assert expected == (found.kind, found.length, found.top_card.text)


def test_a_play_beats_what_the_seed_says(rules: TienLenRules, beats_vector: Vector) -> None:
    play, below = (read_combination(set_of(parse_cards(beats_vector[key]))) for key in ("play", "to_beat"))
    assert play is not None
    assert below is not None
    price = chopped_by(rules.chops, play, victim=below)
    assert beats_vector["beats"] == beats(rules.chops, play, than=below)
    assert beats_vector.get("chop") == price
    if price is not None:
        assert beats_vector["units"] == chop_units(rules.chop_prices, price)


def test_a_hand_wins_at_the_deal_by_its_strongest_pattern(rules: TienLenRules, instant_wins_vector: Vector) -> None:
    found = find_instant_win(rules.instant_wins, (set_of(parse_cards(instant_wins_vector["hand"])),))
    if "pattern" not in instant_wins_vector:
        assert found is None
    else:
        assert found is not None
        expected = tuple(instant_wins_vector[key] for key in ("pattern", "units", "top"))
        assert expected == (found.pattern, found.units, found.top_card.text)


def test_cards_left_cost_their_dearest(rules: TienLenRules, leftovers_vector: Vector) -> None:
    found = price_leftover(rules.leftover_prices, set_of(parse_cards(leftovers_vector["cards"])))
    charged: dict[str, int] = {}
    for item in found:
        charged[item.price] = charged.get(item.price, 0) + item.units
    assert leftovers_vector["items"] == [list(item) for item in charged.items()]
    assert leftovers_vector["units"] == sum(charged.values())
    assert sorted(leftovers_vector["cards"].split()) == sorted(card.text for item in found for card in item.cards)


def test_a_round_of_a_house_pays_as_worked_out(knobs_vector: Vector) -> None:
    """Commission, cóng, the price of leaving and the lead by the lowest card, in minor units."""
    events = [read_event(text, number) for number, text in enumerate(knobs_vector["events"], start=1)]
    dealt = hands_deal(read_hands(knobs_vector["hands"]), leader=knobs_vector["leader"], stake=knobs_vector["stake"])
    dealt = led_by(dealt, read_lead(knobs_vector))
    rules = load_examples().get(knobs_vector["ruleset"]).rules
    played = settled(GAME, rules, dealt, events, closed_time=events[-1].time)
    assert played.violations == ()
    ending = played.state.ending
    assert ending is not None
    assert (knobs_vector["ending"], knobs_vector["winner"]) == (ending.kind, ending.winner)
    transfers = played.outcome.transfers
    found = [[paid.payer, paid.payee, paid.amount, paid.reason, paid.subject] for paid in transfers]
    assert knobs_vector["transfers"] == found
    assert knobs_vector["net"] == list(played.outcome.net)


def test_an_event_has_exactly_these_faults(violations_vector: Vector) -> None:
    events = [read_event(text, number) for number, text in enumerate(violations_vector["events"], start=1)]
    hands, leader = read_hands(violations_vector["hands"]), Seat(violations_vector["leader"])
    rules = variant(violations_vector.get("rules", {}))
    played = play(GAME, begin(rules, led_by(hands_deal(hands, leader=leader), read_lead(violations_vector))), events)
    assert played.violations == ()
    action, _, closed_time = violations_vector["event"].partition(" @")
    if action == "settle":
        found = check_closing(played.state, int(closed_time or played.state.last_time))
    else:
        number = played.state.event_count + 1
        event = read_event(violations_vector["event"], max(number, played.state.last_time))
        found = check(played.state, event)
    assert violations_vector["violations"] == [_facts(violation) for violation in found]
    places = [list(Fault).index(Fault(violation.code)) for violation in found]
    assert sorted(places) == places


def read_lead(vector: Vector) -> LeaderBy | None:
    """Return why the leader of a vector leads; None where the vector does not say, for then it changes nothing."""
    return LeaderBy(vector["leader_by"]) if "leader_by" in vector else None


def _facts(violation: Violation) -> dict[str, Any]:
    facts = {name: getattr(violation, name) for name in Violation.__struct_fields__}
    facts = {name: fact for name, fact in facts.items() if fact not in {None, ()}}
    for name in ("cards", "against"):
        if name in facts:
            facts[name] = spell(facts[name])
    if violation.code == Fault.NOT_A_COMBINATION:
        facts.setdefault("cards", "")
    return facts


def test_every_fault_is_the_answer_to_some_vector() -> None:
    codes = {fault["code"] for vector in read("tien_len/violations") for fault in vector["violations"]}
    assert {fault.value for fault in Fault} == codes
