"""Suggestions and groups over gRPC: lawful, with words and prices, and the old answer of ListPlays unchanged."""

import pytest

from referee.advice.tien_len.suggestion import AdviceReason
from referee.cards import DECK, parse_cards
from referee.rulesets import Language, load_texts
from referee.v1 import advice_pb2, tien_len_pb2
from tests.randomness import random_from
from tests.service.tien_len_house import TienLenHouse

CHOPPED = "4S 4C 5D 5H 6S 6C 9S TD JH QS KC AS 2S"
LEADS_TWO = "3S 3C 5S 6H 7D 8H 9D TC JD QH KS AC 2H"


def suggest(tien_len: TienLenHouse, message: tien_len_pb2.TienLenRound, *, count: int = 0, samples: int = 0):
    return tien_len.advice.SuggestPlay(advice_pb2.SuggestPlayRequest(round=message, count=count, samples=samples))


def grouped(tien_len: TienLenHouse, message: tien_len_pb2.TienLenRound):
    return tien_len.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=message, grouped=True))


@pytest.fixture
def chop(tien_len: TienLenHouse) -> tien_len_pb2.TienLenRound:
    """Seat 0 has led 2H; seat 1 can chop it."""
    message = tien_len.script([parse_cards(LEADS_TWO), parse_cards(CHOPPED)], leader=0, dealt_time=tien_len.clock.now)
    two = [card.number for card in parse_cards("2H")]
    message.events.append(tien_len.make_play(0, two, time=tien_len.clock.now))
    return message


def test_every_suggestion_of_a_round_is_lawful(tien_len: TienLenHouse):
    one = tien_len.deal_playable(seats=3)
    luck = random_from(2)
    while (answer := suggest(tien_len, one.round, count=10)).HasField("turn"):
        assert answer.suggestions
        events = []
        for suggestion in answer.suggestions:
            event = tien_len.make_pass(answer.turn)
            if suggestion.HasField("play"):
                event = tien_len.make_play(answer.turn, suggestion.play.cards)
            assert not tien_len.check(one.round, event).violations
            assert suggestion.reasons
            value = suggestion.value  # given where it is exact: nothing was played out
            assert (value.error_minor, value.samples) == (0, 0)
            events.append(event)
        tien_len.clock.now += 1
        event = luck.choice(events)
        event.time = tien_len.clock.now
        one.round.events.append(event)
    assert not answer.suggestions
    assert not answer.violations


def test_playing_out_says_what_a_play_is_worth(tien_len: TienLenHouse, chop: tien_len_pb2.TienLenRound):
    first = suggest(tien_len, chop, samples=30)
    assert first.suggestions[0].play.kind == "PAIR_RUN_3"
    chops, passes = first.suggestions
    assert chops.value.mean_minor > passes.value.mean_minor + 600
    assert chops.value.samples == 30
    assert chops.value.error_minor > 0
    assert first == suggest(tien_len, chop, samples=30)


def test_the_count_bounds_the_answer(tien_len: TienLenHouse):
    one = tien_len.deal_playable(seats=4)
    asked = [len(suggest(tien_len, one.round, count=count).suggestions) for count in (0, 1, 2, 10)]
    assert asked[:3] == [3, 1, 2]
    assert 3 < asked[3] <= 10


def test_groups_are_listed_only_on_request(tien_len: TienLenHouse, chop: tien_len_pb2.TienLenRound):
    """Without them the answer has the bytes that it always had."""
    plain, with_groups = tien_len.plays(chop), grouped(tien_len, chop)
    assert not plain.groups
    assert not plain.whole_plays
    with_groups.ClearField("groups")
    with_groups.ClearField("whole_plays")
    assert plain.SerializeToString(deterministic=True) == with_groups.SerializeToString(deterministic=True)


def test_groups_of_a_lead_are_kinds_and_lengths(tien_len: TienLenHouse):
    message = tien_len.script([parse_cards(LEADS_TWO), parse_cards(CHOPPED)], leader=0, dealt_time=tien_len.clock.now)
    listed = grouped(tien_len, message)
    groups_found = [(group.kind, group.length) for group in listed.groups]
    assert groups_found[:2] == [("SINGLE", 1), ("PAIR", 1)]
    assert groups_found[2:] == [("RUN", length) for length in range(3, 11)]
    assert [place for group in listed.groups for place in group.plays] == list(range(len(listed.plays)))
    whole = [[card.text for card in DECK if card.number in listed.plays[place].cards] for place in listed.whole_plays]
    assert ["3S", "3C"] in whole
    assert ["5S", "6H"] not in whole


def test_every_reason_has_words_in_both_languages():
    texts = load_texts("tien_len")
    assert set(texts.advice) == set(AdviceReason)
    facts = dict.fromkeys(("cards", "seat", "units", "percent", "samples"), "7")
    for reason in AdviceReason:
        words = {texts.advise(reason, facts, language) for language in Language}
        assert len(words) == 2
        assert not any("{" in text for text in words)
