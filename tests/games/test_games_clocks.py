"""What a TIMEOUT appeals to, and what a player must have seen, as a round goes on."""

import msgspec
import pytest

from referee.cards import DECK, Seat, parse_cards
from referee.evidence.canonical import Hex
from referee.games import Clock, DealtRound, mau_binh, tien_len, ultimate_texas
from referee.games.fault import FaultKind
from referee.games.ultimate_texas import Decision, Event
from tests.builtin import rules_as
from tests.games.rounds import hands_deal, texas_deal

BINH = rules_as(mau_binh.MauBinhRules, "mau_binh.classic")
LEN = rules_as(tien_len.TienLenRules, "tien_len.mien_nam")
TEXAS = rules_as(ultimate_texas.UltimateTexasRules, "ultimate_texas.casino")
STRONG = parse_cards("KS KC KD 5S 5C 9S TH JS QD KH 2S 2H 2D")
WEAK = parse_cards("8S 8C 6D 4C 3S 7S 7C 5D 4S 3C JD 9C 3D")


def arrange(seat: int, time: int) -> mau_binh.Arrange:
    cards = (STRONG, WEAK)[seat]
    opened = mau_binh.Arrange(Seat(seat), cards[:5], cards[5:10], cards[10:], time)
    return msgspec.structs.replace(opened, nonce=bytes(32), opens=bytes([seat]) * 32)


def test_open_mau_binh_has_one_clock_until_every_seat_has_arranged() -> None:
    state = mau_binh.begin(BINH, hands_deal([STRONG, WEAK], dealt_time=500))
    assert mau_binh.GAME.clock(state) == Clock(500, 60_000, None)
    for seat in (0, 1):
        event = msgspec.structs.replace(arrange(seat, 600), nonce=b"", opens=b"")
        assert mau_binh.GAME.minimum_seen(state, event) == 0
        state = mau_binh.apply(state, event)
    assert mau_binh.GAME.clock(state) is None


def test_sealed_mau_binh_counts_its_opening_from_the_end_of_committing() -> None:
    state = mau_binh.begin(BINH, hands_deal([STRONG, WEAK], dealt_time=500, is_sealed=True))
    assert mau_binh.GAME.clock(state) == Clock(500, 60_000, None)
    assert (mau_binh.GAME.minimum_seen(state, arrange(0, 600)), mau_binh.GAME.later.needs(state, arrange(0, 600))) == (
        0,
        (),
    )
    for seat in (0, 1):
        state = mau_binh.apply(state, mau_binh.Commit(Seat(seat), Hex(bytes([seat]) * 32), 700 + seat))
    assert mau_binh.GAME.clock(state) == Clock(701, 30_000, None)
    for seat in (0, 1):
        assert mau_binh.GAME.later.needs(state, arrange(seat, 800)) == (seat,)
        assert mau_binh.GAME.later.needs(state, mau_binh.Leave(Seat(seat), 800)) == ()
    for seat in (-1, 2):
        stray = msgspec.structs.replace(arrange(0, 800), seat=Seat(seat))
        assert mau_binh.GAME.later.needs(state, stray) == ()
    assert mau_binh.GAME.minimum_seen(state, arrange(1, 800)) == 2


def test_commitment_at_the_deadline_is_too_late() -> None:
    state = mau_binh.begin(BINH, hands_deal([STRONG, WEAK], dealt_time=500, is_sealed=True))
    for time, expected in ((60_499, []), (60_500, ["DEADLINE_PASSED"])):
        commit = mau_binh.Commit(Seat(0), Hex(bytes(32)), time)
        assert [fault.code for fault in mau_binh.check(state, commit)] == expected


def test_opening_of_mau_binh_runs_from_the_time_at_which_the_hands_opened() -> None:
    state = mau_binh.begin(BINH, hands_deal([STRONG, WEAK], dealt_time=500, is_sealed=True))
    for seat in (0, 1):
        commit = mau_binh.Commit(Seat(seat), Hex(bytes([seat]) * 32), 700 + seat)
        assert commit.needs_received
        state = mau_binh.apply(state, commit)
    state = mau_binh.GAME.later.unseal(state, 5_000)
    assert mau_binh.GAME.clock(state) == Clock(5_000, 30_000, None)
    assert [fault.code for fault in mau_binh.check(state, arrange(0, 4_999))] == ["OUT_OF_ORDER"]
    assert [fault.code for fault in mau_binh.check(state, mau_binh.Leave(Seat(0), 5_001))] == ["STILL_OPENING"]
    assert mau_binh.check(state, arrange(0, 34_999)) == ()
    assert [fault.code for fault in mau_binh.check(state, arrange(0, 35_000))] == ["DEADLINE_PASSED"]
    assert [fault.code for fault in mau_binh.check(state, mau_binh.Leave(Seat(0), 35_000))] == ["STILL_OPENING"]
    out_of_time = mau_binh.Timeout(Seat(0), 35_000)
    assert [fault.code for fault in mau_binh.check(state, out_of_time)] == ["NOT_OPENED"]
    assert mau_binh.GAME.fault_kind("NOT_OPENED") is FaultKind.WARNING
    state = mau_binh.apply(state, out_of_time)
    assert state.sealing is not None
    assert (state.sealing.unopened, state.is_over) == ((True, False), False)
    state = mau_binh.apply(state, mau_binh.Timeout(Seat(1), 35_001))
    assert state.sealing is not None
    assert (state.sealing.unopened, state.is_over, mau_binh.GAME.clock(state)) == ((True, True), True, None)


def test_showdown_of_a_round_that_nobody_committed_in_begins_with_its_opening() -> None:
    state = mau_binh.begin(BINH, hands_deal([STRONG, WEAK], dealt_time=500, is_sealed=True))
    for seat in (0, 1):
        state = mau_binh.apply(state, mau_binh.Timeout(Seat(seat), 60_500))
    assert state.is_over
    assert mau_binh.GAME.later.unseal(state, 61_000).showdown_time == 61_000


def test_each_turn_of_tien_len_has_a_clock_and_the_event_that_started_it() -> None:
    hands = [
        parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S"),
        parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"),
    ]
    assert tien_len.begin(LEN, hands_deal(hands, leader=1, dealt_time=500)).leader == 1
    state = tien_len.begin(LEN, hands_deal(hands, leader=0, dealt_time=500))
    assert tien_len.GAME.clock(state) == Clock(500, 30_000, Seat(0))
    lead = tien_len.Play(Seat(0), parse_cards("2S"), 900)
    assert tien_len.GAME.minimum_seen(state, lead) == 0
    state = tien_len.apply(state, lead)
    assert tien_len.GAME.clock(state) == Clock(900, 30_000, Seat(1), 1)
    assert tien_len.GAME.minimum_seen(state, tien_len.Pass(Seat(1), 950)) == 1
    assert tien_len.GAME.minimum_seen(state, tien_len.Leave(Seat(0), 950)) == 0
    late = tien_len.Timeout(Seat(1), 30_900)
    assert late.is_imposed
    assert [fault.code for fault in tien_len.check(state, msgspec.structs.replace(late, time=30_899))] == [
        "NOT_OUT_OF_TIME"
    ]
    assert tien_len.check(state, late) == ()


def test_each_street_has_its_clock_and_shows_the_event_that_opened_it() -> None:
    state = ultimate_texas.begin(TEXAS, texas_deal([(2, 0), (2, 0)], dealt_time=500))
    clock, seen = ultimate_texas.GAME.clock, ultimate_texas.GAME.minimum_seen
    assert seen(state, Event(Seat(0), Decision.CHECK, 501)) == 0
    assert clock(state) == Clock(500, 30_000, None)
    for number, seat in enumerate((1, 0), 1):
        state = ultimate_texas.apply(state, Event(Seat(seat), Decision.CHECK, 600 + number))
    assert clock(state) == Clock(602, 30_000, None)
    state = ultimate_texas.GAME.later.unseal(state, 650)
    assert clock(state) == Clock(650, 30_000, None)
    assert [fault.code for fault in ultimate_texas.check(state, Event(Seat(0), Decision.CHECK, 649))] == [
        "OUT_OF_ORDER"
    ]
    assert seen(state, Event(Seat(0), Decision.CHECK, 700)) == 2
    assert seen(state, Event(Seat(0), Decision.LEAVE, 700)) == 0
    state = ultimate_texas.apply(state, Event(Seat(0), Decision.PLAY_2X, 700))
    state = ultimate_texas.apply(state, Event(Seat(1), Decision.PLAY_2X, 701))
    assert clock(state) is None


@pytest.mark.parametrize("is_sealed", [False, True])
def test_sections_that_an_event_opens_end_with_the_one_its_receipt_names(*, is_sealed: bool) -> None:
    deal = msgspec.structs.replace(texas_deal([(2, 0)]), is_sealed=is_sealed)
    state = ultimate_texas.begin(TEXAS, deal)
    after = ultimate_texas.apply(state, Event(Seat(0), Decision.PLAY_4X, 1))
    layout = ultimate_texas.GAME.layout(1)
    board = (layout.board("flop"), layout.board("turn_river"), layout.board("house"))
    assert ultimate_texas.opens(state, after) == ((0, *board) if is_sealed else board)


def test_sealed_deal_opens_at_once_where_a_hand_wins() -> None:
    dragon = DECK[0:52:4]
    assert mau_binh.GAME.later.opens_at_deal(BINH, [WEAK, dragon])
    assert not mau_binh.GAME.later.opens_at_deal(BINH, [STRONG, WEAK])
    sealed = DealtRound(seat_count=2, stake=1, sections=(None, dragon), dealt_time=0, is_sealed=True)
    assert mau_binh.begin(BINH, sealed).is_over
