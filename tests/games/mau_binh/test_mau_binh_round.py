"""Time limits to the millisecond, the deal, each seat's share of events and the showdown as data."""

import itertools
from typing import Any

import msgspec
import pytest

from referee.cards import DECK, Card, Seat, parse_cards
from referee.games.mau_binh import (
    GAME,
    Arrange,
    Arrangement,
    Leave,
    MauBinhRules,
    ViolationCode,
    apply,
    begin,
    check,
)
from referee.games.mau_binh.event import MAX_EVENTS
from referee.games.mau_binh.legality import check_closing
from referee.games.mau_binh.penalties import (
    Foul,
    FoulFlat,
    FoulLosesChi,
    FourAcesSweep,
    LeavingBefore,
    LeavingInShowdown,
    NoFourAcesSweep,
    NoSweep,
    Sweep,
    SweptByAll,
    SweptPairPlus,
    Unopened,
    WinnerSweep,
    WinnerSweepTimes,
)
from referee.games.mau_binh.rules import ReadyClock, max_units
from referee.games.mau_binh.settlement import Outcome
from referee.games.mau_binh.showdown import showdown
from referee.rulesets import Ruleset, get
from tests.builtin import rules_as
from tests.games.rounds import hands_deal, settled

STRONG = "KS KC KD 5S 5C 9S TH JS QD KH 2S 2H 2D"
WEAK = "8S 8C 6D 4C 3S 7S 7C 5D 4S 3C JD 9C 3D"
FOULED = "7S 7C 5D 4S 3C 8S 8C 6D 4C 3S JD 9C 3D"
HANDS = (parse_cards(STRONG), parse_cards(WEAK))


def arrange(seat: int, cards: tuple[Card, ...], time: int) -> Arrange:
    return Arrange(Seat(seat), cards[:5], cards[5:10], cards[10:], time)


COM = rules_as(MauBinhRules, "mau_binh.maubinh_com")


@pytest.mark.parametrize(("name", "seconds"), [("maubinh_com", 90), ("classic", 60), ("chi_2020", 60)])
def test_arrangement_is_in_time_until_the_deadline(name: str, seconds: int) -> None:
    rules = rules_as(MauBinhRules, f"mau_binh.{name}")
    state = begin(rules, hands_deal(HANDS, dealt_time=500))
    deadline = 500 + 1000 * seconds
    assert check(state, arrange(0, HANDS[0], deadline - 1)) == ()
    late = check(state, arrange(0, HANDS[0], deadline))
    assert [(fault.code, fault.deadline_time, fault.received_time) for fault in late] == [
        (ViolationCode.DEADLINE_PASSED, deadline, deadline)
    ]


def test_each_chi_is_shown_for_five_seconds() -> None:
    state = apply(apply(begin(COM, hands_deal(HANDS)), arrange(0, HANDS[0], 10)), arrange(1, HANDS[1], 20))
    shown = {time: state.chi_shown(time) for time in (19, 20, 5_019, 5_020, 10_019, 10_020, 15_019, 15_020, 10**9)}
    assert list(shown.values()) == [0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_showdown_waits_for_every_seat_still_in() -> None:
    state = begin(COM, hands_deal(HANDS))
    assert state.showdown_time == 90_000
    one = apply(state, arrange(0, HANDS[0], 10))
    assert one.all_in_time is None
    assert apply(one, arrange(1, HANDS[1], 30)).showdown_time == 30
    assert apply(one, Leave(Seat(1), 40)).showdown_time == 40
    assert apply(one, Leave(Seat(0), 40)).all_in_time is None


def test_leaving_at_the_moment_that_starts_the_showdown_goes_by_order() -> None:
    """Before the last submission, a seat leaves before the showdown; after it, while the back is shown."""
    hands = (*HANDS, parse_cards("AS AC QS QC TS 9H 9D 6S 4D 3H 8H 7D 2C"))
    state = begin(COM, hands_deal(hands))
    state = apply(apply(state, arrange(0, hands[0], 5)), arrange(1, hands[1], 5))
    before = apply(apply(state, Leave(Seat(0), 10)), arrange(2, hands[2], 10))
    after = apply(apply(state, arrange(2, hands[2], 10)), Leave(Seat(0), 10))
    assert (before.departures[0], after.departures[0]) == (0, 1)


def test_leaving_at_the_deadline_is_leaving_during_the_showdown() -> None:
    state = apply(begin(COM, hands_deal(HANDS)), arrange(0, HANDS[0], 10))
    before, after = apply(state, Leave(Seat(1), 89_999)), apply(state, Leave(Seat(1), 90_000))
    assert (before.departures[1], before.showdown_time, before.all_in_time) == (0, 89_999, 89_999)
    assert (after.departures[1], after.showdown_time, after.all_in_time) == (1, 90_000, None)


def test_fouled_arrangement_is_applied_and_reported() -> None:
    state = begin(COM, hands_deal(HANDS))
    event = arrange(1, parse_cards(FOULED), 5)
    assert [violation.code for violation in check(state, event)] == [ViolationCode.FOULED_MIDDLE]
    assert apply(state, event).shown(Seat(1)) == event.arrangement


def test_without_a_submission_the_cards_count_as_dealt() -> None:
    state = begin(COM, hands_deal(HANDS))
    assert state.shown(Seat(0)) == Arrangement(HANDS[0][:5], HANDS[0][5:10], HANDS[0][10:])


@pytest.mark.parametrize("seat_count", [2, 3, 4])
def test_no_seat_uses_up_the_events_of_another(seat_count: int) -> None:
    """All but the last seat rearrange until they are refused; even so each can leave, and the last can arrange."""
    rest = [card for card in DECK if card not in {*HANDS[0], *HANDS[1]}]
    hands = (*HANDS, tuple(rest[0::2]), tuple(rest[1::2]))[:seat_count]
    state = begin(COM, hands_deal(hands))
    assert not state.is_won_at_the_deal
    share = MAX_EVENTS // seat_count
    for seat in range(seat_count - 1):
        for _ in range(share - 1):
            state = apply(state, arrange(seat, hands[seat], 1))
        codes = [fault.code for fault in check(state, arrange(seat, hands[seat], 1))]
        assert codes == [ViolationCode.TOO_MANY_EVENTS]
    for seat in range(seat_count - 1):
        state = apply(state, Leave(Seat(seat), 2))
    assert state.all_in_time is None
    state = apply(state, arrange(seat_count - 1, hands[-1], 3))
    assert state.all_in_time == 3
    assert state.event_counts == (*[share] * (seat_count - 1), 1)
    assert share * seat_count <= MAX_EVENTS


def test_closing_names_every_seat_that_is_waited_for() -> None:
    state = begin(COM, hands_deal(HANDS))
    assert [fault.seat for fault in check_closing(state, 89_999)] == [0, 1]
    assert check_closing(state, 90_000) == ()


def outcome_of(rules: MauBinhRules, *, seat_1: str = WEAK, events: tuple[Leave, ...] = (), stake: int = 1) -> Outcome:
    hands = (HANDS[0], parse_cards(seat_1))
    played = settled(GAME, rules, hands_deal(hands, stake=stake), events, closed_time=110_000)
    assert played.violations == ()
    assert isinstance(played.outcome, Outcome)
    return played.outcome


def test_house_variants_need_no_code() -> None:
    """Each knob that no sheet turns: no sweep, a foul without one, leaving with one where leaving later costs chi."""
    said = {"source": "house", "quote": "house"}
    no_sweep = msgspec.structs.replace(COM, sweep=NoSweep(**said))
    assert outcome_of(no_sweep).net == (5, -5)
    assert [transfer.reason for transfer in outcome_of(no_sweep).transfers] == ["BACK", "MIDDLE", "FRONT"]
    assert outcome_of(no_sweep, seat_1=FOULED).net == (5, -5)
    gentle = msgspec.structs.replace(COM, foul=FoulLosesChi(unopened=Unopened.FOUL, **said))
    assert outcome_of(gentle, seat_1=FOULED).net == (5, -5)
    assert outcome_of(gentle).net == (15, -15)
    flat = msgspec.structs.replace(COM, foul=FoulFlat(units=4, unopened=Unopened.FOUL, **said))
    assert outcome_of(flat, seat_1=FOULED).net == (4, -4)
    assert outcome_of(flat, seat_1=FOULED, events=(Leave(Seat(0), 96_000),)).net == (2, -2)
    assert outcome_of(flat, seat_1=FOULED, events=(Leave(Seat(0), 101_000),)).net == (5, -5)
    five = msgspec.structs.replace(COM, sweep=SweptByAll(multiplier=5, **said))
    assert outcome_of(five).net == (25, -25)
    rules = msgspec.structs.replace(
        COM, leaving=msgspec.structs.replace(COM.leaving, in_showdown=LeavingInShowdown.ARRANGEMENT_COUNTS)
    )
    assert outcome_of(rules, events=(Leave(Seat(0), 91_000),)).net == (15, -15)
    dear = msgspec.structs.replace(COM.leaving, before_showdown=LeavingBefore.SWEPT)
    rules = msgspec.structs.replace(COM, leaving=dear)
    assert outcome_of(COM, events=(Leave(Seat(1), 89_999),)).net == (5, -5)
    assert outcome_of(rules, events=(Leave(Seat(1), 89_999),)).net == (15, -15)
    both_left = (Leave(Seat(1), 80_000), Leave(Seat(0), 101_000))
    assert outcome_of(rules, events=both_left).net == (5, -5)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        *[(Sweep, kind) for kind in ("BY_EVERY_SEAT", "BETWEEN_TWO_TIMES", "BETWEEN_TWO_PLUS", "NONE")],
        *[(FourAcesSweep, kind) for kind in ("BACK_BECOMES_WORTH", "NONE")],
        *[(Foul, kind) for kind in ("SWEPT", "LOSES_CHI", "FLAT")],
        *[(ReadyClock, kind) for kind in ("SENT_OUT", "NONE")],
    ],
)
def test_no_kind_of_a_table_takes_another_key(table: Any, kind: str) -> None:  # noqa: ANN401 - a union
    """Also the kinds that no released sheet has."""
    numbers = {"BY_EVERY_SEAT": "multiplier", "BETWEEN_TWO_TIMES": "multiplier", "SENT_OUT": "seconds"}
    numbers |= dict.fromkeys(("BETWEEN_TWO_PLUS", "BACK_BECOMES_WORTH", "FLAT"), "units")
    data = {"kind": kind, "source": "house", "quote": "house"} | ({numbers[kind]: 3} if kind in numbers else {})
    data |= {"unopened": "FOUL"} if table is Foul else {}
    msgspec.convert(data, table)
    with pytest.raises(msgspec.ValidationError, match="unknown field `more`"):
        msgspec.convert(data | {"more": 1}, table)


def test_bound_counts_whatever_is_dearest() -> None:
    """Threefold chi (20 + 24 + 3); without sweeps the full sweep of four aces, instant wins, a flat foul."""
    said = {"source": "house", "quote": "house"}
    assert max_units(COM, seat_count=2) == 141
    no_sweep = msgspec.structs.replace(COM, sweep=NoSweep(**said))
    assert max_units(no_sweep, seat_count=3) == 2 * (80 + 24 + 3)
    no_aces = msgspec.structs.replace(no_sweep, four_aces_sweep=NoFourAcesSweep(**said))
    assert max_units(no_aces, seat_count=2) == 99
    dear = FoulFlat(units=500, unopened=Unopened.FOUL, **said)
    assert max_units(msgspec.structs.replace(no_aces, foul=dear), seat_count=4) == 1_500
    classic = msgspec.structs.replace(rules_as(MauBinhRules, "mau_binh.classic"), sweep=SweptPairPlus(units=50, **said))
    assert max_units(classic, seat_count=2) == 5 + 10 + 3 + 50


def test_bound_counts_a_winner_of_everything() -> None:
    """Its chi many times, and what a sweep adds to them where the sheet has one; never less than the sheet's sweep."""
    tenfold = WinnerSweepTimes(multiplier=10, reason="test")
    assert max_units(msgspec.structs.replace(COM, winner_sweep=tenfold), seat_count=2) == 10 * 47
    classic = msgspec.structs.replace(rules_as(MauBinhRules, "mau_binh.classic"), winner_sweep=tenfold)
    assert max_units(classic, seat_count=2) == 10 * (5 + 10 + 3 + 2)


def test_bound_counts_what_is_paid_in_place_of_others() -> None:
    """A seat at fault pays the winner tenfold, nine times as much for each of two others, and these their own price."""
    tenfold = WinnerSweepTimes(multiplier=10, reason="test")
    classic = msgspec.structs.replace(rules_as(MauBinhRules, "mau_binh.classic"), winner_sweep=tenfold)
    sweep = 5 + 10 + 3 + 2
    assert max_units(classic, seat_count=4) == 10 * sweep + 2 * (9 * sweep + 26)


def test_seat_that_left_while_a_chi_was_shown_lost_the_chi_after_it_to_the_winner_of_everything() -> None:
    """Seat 1 leaves while its back is shown and so loses its front, which is as strong as the winner's."""
    rules = msgspec.structs.replace(COM, winner_sweep=WinnerSweepTimes(multiplier=10, reason="test"))
    hands = (
        parse_cards("AS AC 9D 9C 4S KS KC 8D 8C 5S QH JC TD"),
        parse_cards("KD KH 7D 7C 4C 6S 6C 5D 5C 3S QD JH TS"),
    )

    def reasons(*leaving: Leave) -> set[str]:
        events = [arrange(seat, hand, 1) for seat, hand in enumerate(hands)]
        played = settled(GAME, rules, hands_deal(hands), [*events, *leaving], closed_time=20_000)
        assert played.violations == ()
        return {transfer.reason for transfer in played.outcome.transfers}

    assert reasons() == {"BACK", "MIDDLE"}
    assert reasons(Leave(Seat(1), 2)) == {"BACK", "MIDDLE", "FRONT", "WINNER_SWEEP"}


@pytest.mark.parametrize("members", [{"kind": "NONE"}, {"kind": "MULTIPLIED", "multiplier": 2, "reason": "test"}])
def test_winner_sweep_has_no_other_members(members: dict[str, object]) -> None:
    assert msgspec.to_builtins(msgspec.convert(members, WinnerSweep)) == members
    with pytest.raises(msgspec.ValidationError, match="unknown field `other`"):
        msgspec.convert(members | {"other": 1}, WinnerSweep)


@pytest.mark.parametrize("name", ["maubinh_com", "classic", "chi_2020"])
def test_seats_of_a_sealed_round_have_half_a_minute_to_open(name: str) -> None:
    assert rules_as(MauBinhRules, f"mau_binh.{name}").opening_ms == 30_000


def com() -> Ruleset:
    return get("mau_binh.maubinh_com")


@pytest.mark.parametrize("stake", [1, 300])
def test_showdown_shows_chi_after_chi_and_then_the_summary(stake: int) -> None:
    """Units are multiples of the stake, whatever it is."""
    shown = showdown(COM, outcome_of(COM, stake=stake), stake=stake, names=com().names)
    assert [(chi.chi, chi.name.vi, chi.start_seconds) for chi in shown.chi] == [
        ("BACK", "chi đầu", 0),
        ("MIDDLE", "chi giữa", 5),
        ("FRONT", "chi cuối", 10),
    ]
    assert shown.summary_seconds == 15
    rows = [
        [(seat.cards, seat.name and seat.name.en, seat.units_won, seat.units_lost) for seat in c.seats]
        for c in shown.chi
    ]
    assert rows == [
        [(HANDS[0][:5], "full house", 1, 0), (HANDS[1][:5], "pair", 0, 1)],
        [(HANDS[0][5:10], "straight", 1, 0), (HANDS[1][5:10], "pair", 0, 1)],
        [(HANDS[0][10:], "three of a kind", 3, 0), (HANDS[1][10:], "high card", 0, 3)],
    ]
    assert [
        (row.seat, row.chi_units, row.added_units, row.instant_win_units, row.net_units, row.is_winner)
        for row in shown.summary
    ] == [(0, 5, 10, 0, 15, True), (1, -5, -10, 0, -15, False)]


def test_showdown_hides_the_cards_of_who_left_before_it() -> None:
    shown = showdown(COM, outcome_of(COM, events=(Leave(Seat(1), 5),)), stake=1, names=com().names)
    gone = [chi.seats[1] for chi in shown.chi]
    assert [(seat.cards, seat.category, seat.name, seat.is_gone) for seat in gone] == [((), None, None, True)] * 3
    assert not any(seat.is_fouled for seat in gone), "an arrangement that nobody sees is not checked"


def test_showdown_marks_fouls_and_who_left_during_it() -> None:
    outcome = outcome_of(COM, seat_1=FOULED, events=(Leave(Seat(0), 95_000),))
    shown = showdown(COM, outcome, stake=1, names=com().names)
    assert [[(seat.is_fouled, seat.is_gone) for seat in chi.seats] for chi in shown.chi] == [
        [(False, False), (True, False)],
        [(False, False), (True, False)],
        [(False, True), (True, False)],
    ]


def test_instant_win_shows_the_summary_alone() -> None:
    hands = (DECK[0:52:4], DECK[1:26:2])
    outcome = settled(GAME, COM, hands_deal(hands, stake=100), (), closed_time=0).outcome
    shown = showdown(COM, outcome, stake=100, names=com().names)
    assert (shown.chi, shown.summary_seconds) == ((), 0)
    assert [
        (row.pattern, row.name and row.name.vi, row.chi_units, row.added_units, row.instant_win_units, row.net_units)
        for row in shown.summary
    ] == [("SUITED_DRAGON", "rồng cuốn", 0, 0, 99, 99), ("SIX_PAIRS", "lục phé bôn", 0, 0, -99, -99)]


def test_showdown_units_add_up_to_the_net() -> None:
    for seat_1, leave in itertools.product((WEAK, FOULED), (None, 5, 91_000, 96_000, 101_000)):
        events = () if leave is None else (Leave(Seat(0), leave),)
        outcome = outcome_of(COM, seat_1=seat_1, events=events)
        shown = showdown(COM, outcome, stake=1, names=com().names)
        for seat, row in enumerate(shown.summary):
            chi = sum(one.seats[seat].units_won - one.seats[seat].units_lost for one in shown.chi)
            assert (chi, chi + row.added_units) == (row.chi_units, outcome.net[seat])
