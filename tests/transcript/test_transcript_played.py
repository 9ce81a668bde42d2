"""What must prove an event: the seat's word and signature, the referee's clock, and the sections that are open."""

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.cards import Seat, parse_cards
from referee.dealing.header import NO_KEY
from referee.evidence.canonical import Hex
from referee.games import AnyGame, Deal, Event, mau_binh, tien_len
from referee.rulesets import get
from referee.transcript.chain import Course
from referee.transcript.played import EventLevel, EvidenceError, EvidenceFault, PlayedCourse, Playing
from tests.games.rounds import hands_deal

PRIVATE = [Ed25519PrivateKey.from_private_bytes(bytes([seat + 1]) * 32) for seat in range(3)]
KEYS = tuple(key.public_key().public_bytes_raw() for key in PRIVATE)
FIRST = parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S")
THIRD = parse_cards("3D 3H 4D 4H 5C 6S 7S 7C 7H 8D 9C 9H TS")
SECOND = parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS")


def begin(game: AnyGame, ruleset_id: str, deal: Deal, keys: Sequence[bytes]) -> PlayedCourse:
    state = game.begin(get(ruleset_id).rules, deal)
    course = Course.begin(round_id=deal.round_id, deck_root=b"d" * 32)
    return PlayedCourse(game=game, seat_keys=tuple(keys), state=state, course=course)


def tricks(*keys: bytes) -> PlayedCourse:
    """Begin a round of Tiến Lên of two seats, the first of which leads."""
    return begin(tien_len.GAME, "tien_len.mien_nam", hands_deal([FIRST, SECOND], leader=0, dealt_time=500), keys)


def sealed(*keys: bytes) -> PlayedCourse:
    """Begin a sealed round of Mậu Binh of two or three seats."""
    deal = hands_deal([FIRST, SECOND, THIRD][: len(keys)], dealt_time=500, is_sealed=True)
    return begin(mau_binh.GAME, "mau_binh.classic", deal, keys)


def play(seat: int, cards: str, time: int, seen: int | None) -> tien_len.Play:
    return tien_len.Play(Seat(seat), parse_cards(cards), time, seen)


def commit(seat: int, time: int, seen: int | None = None) -> mau_binh.Commit:
    return mau_binh.Commit(Seat(seat), Hex(bytes([seat]) * 32), time, seen)


def refusal_of(played: PlayedCourse, event: Event) -> str:
    with pytest.raises(EvidenceError) as caught:
        played.play(event, received=True)
    return str(caught.value)


def fault_of(played: PlayedCourse, event: Event, *, received: bool = True) -> tuple[str, int, int, Any, Any]:
    with pytest.raises(EvidenceError) as caught:
        played.play(event, received=received)
    fault = caught.value
    return fault.fault.value, fault.number, fault.seat, fault.expected, fault.found


def signed(played: PlayedCourse) -> list[bytes]:
    """Each seat's newest signature."""
    return [PRIVATE[seat].sign(played.course.moves[seat]) if seat in played.course.moves else b"" for seat in (0, 1)]


def test_event_of_a_seat_with_a_key_says_what_it_had_seen() -> None:
    led = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=True)
    assert fault_of(tricks(*KEYS[:2]), play(0, "3S", 600, None)) == ("NOT_SEEN", 1, 0, 0, None)
    assert fault_of(tricks(*KEYS[:2]), play(0, "3S", 600, 1)) == ("NOT_SEEN", 1, 0, 0, 1)
    assert fault_of(led, play(1, "4S", 700, 0)) == ("NOT_SEEN", 2, 1, 1, 0)
    assert fault_of(led, play(1, "4S", 700, 2)) == ("NOT_SEEN", 2, 1, 1, 2)
    assert led.play(play(1, "4S", 700, 1), received=True).course.number == 2
    assert led.play(tien_len.Leave(Seat(1), 700, 0), received=True).course.number == 2


def test_refusal_names_the_event_and_what_may_have_been_seen() -> None:
    led = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=True)
    assert refusal_of(led, play(1, "4S", 700, 2)) == "event 2: seat 1 must have seen event 1 and at most 1, not 2"
    unsaid = "event 2: seat 1 has a key and must say the newest event that it had seen, 1 or later"
    assert refusal_of(led, play(1, "4S", 700, None)) == unsaid
    unsigned = "event 1: seat 0 signs no such event, so it says nothing of what it had seen"
    assert refusal_of(tricks(NO_KEY, KEYS[1]), play(0, "3S", 600, 0)) == unsigned


def test_no_other_event_says_what_was_seen() -> None:
    assert fault_of(tricks(NO_KEY, KEYS[1]), play(0, "3S", 600, 0)) == ("NOT_SEEN", 1, 0, None, 0)
    late = tien_len.Timeout(Seat(0), 30_500, seen=0)
    assert fault_of(tricks(*KEYS[:2]), late) == ("NOT_SEEN", 1, 0, None, 0)


def test_running_out_of_time_with_a_key_needs_the_referees_clock() -> None:
    late = tien_len.Timeout(Seat(0), 30_500)
    assert fault_of(tricks(*KEYS[:2]), late, received=False) == ("NOT_RECEIVED", 1, 0, None, None)
    assert tricks(*KEYS[:2]).play(late, received=True).level is EventLevel.E2
    assert tricks(NO_KEY, KEYS[1]).play(late, received=False).level is EventLevel.E0


def test_running_out_of_time_needs_a_clock_that_the_referee_started() -> None:
    late = tien_len.Timeout(Seat(1), 30_600)
    reported = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=False)
    assert fault_of(reported, late) == ("NOT_RECEIVED", 1, 1, None, None)
    received = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=True)
    assert received.play(late, received=True).course.number == 2
    answered = received.play(play(1, "4S", 700, 1), received=False)
    late = tien_len.Timeout(Seat(0), 30_700)
    assert fault_of(answered, late) == ("NOT_RECEIVED", 2, 0, None, None)


@pytest.mark.parametrize("flags", list(itertools.product([True, False], repeat=3)))
def test_events_played_in_place_are_those_played_one_by_one(flags: Sequence[bool]) -> None:
    one = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=True)
    playing = Playing(one)
    events = play(1, "4S", 700, 1), play(0, "5S", 800, 2), play(1, "6H", 900, 3)
    for event, received in zip(events, flags, strict=True):
        playing.play(event, received=received)
        one = one.play(event, received=received)
    assert playing.played() == one
    late = tien_len.Timeout(Seat(0), 30_900)
    if flags[-1]:
        playing.play(late, received=True)
        assert playing.played() == one.play(late, received=True)
    else:
        assert fault_of(one, late)[:2] == ("NOT_RECEIVED", 4)
        with pytest.raises(EvidenceError, match="the referee's clock must give the time"):
            playing.play(late, received=True)


def test_each_event_that_was_played_has_its_bytes() -> None:
    playing = Playing(tricks(*KEYS[:2]))
    playing.play(play(0, "3S", 600, 0), received=True)
    assert playing.played([b"bytes"]).course.links[0].event == b"bytes"
    for texts in ([], [b"bytes"] * 2):
        with pytest.raises(ValueError, match="zip"):
            playing.played(texts)


def test_sealed_table_needs_the_referees_clock_for_each_commitment() -> None:
    for keys, seen in ((KEYS[:2], 0), ((NO_KEY, NO_KEY), None)):
        assert fault_of(sealed(*keys), commit(0, 600, seen), received=False) == ("NOT_RECEIVED", 1, 0, None, None)
        assert sealed(*keys).play(commit(0, 600, seen), received=True).course.number == 1
        late = mau_binh.Timeout(Seat(0), 60_500)
        assert fault_of(sealed(*keys), late, received=False) == ("NOT_RECEIVED", 1, 0, None, None)


def test_departure_while_others_commit_may_be_reported() -> None:
    """It opens nothing, and the rules ask for the referee's clock at commitments and timeouts alone."""
    left = sealed(NO_KEY, NO_KEY).play(mau_binh.Leave(Seat(1), 600), received=False)
    assert (left.course.number, left.opened) == (1, None)


def test_departure_that_opens_the_hands_needs_the_referees_clock() -> None:
    one = sealed(NO_KEY, NO_KEY).play(commit(0, 600), received=True)
    left = mau_binh.Leave(Seat(1), 700)
    assert fault_of(one, left, received=False) == ("NOT_RECEIVED", 2, 1, None, None)
    opened = one.play(left, received=True)
    assert opened.opened is not None
    assert (opened.opened.number, opened.opened.sections) == (2, (0, 1))
    assert opened.receipt is not None
    assert opened.receipt.opens_section == 1


def test_no_event_follows_an_opening_before_it_has_its_time() -> None:
    played = sealed(*KEYS[:2]).play(commit(0, 600, 0), received=True).play(commit(1, 700, 0), received=True)
    opening = mau_binh.Arrange(Seat(0), FIRST[:5], FIRST[5:10], FIRST[10:], 900, Hex(bytes(32)), bytes(32), 2)
    assert fault_of(played, opening) == ("NOT_UNSEALED", 3, 0, None, None)
    with pytest.raises(EvidenceError) as caught:
        played.unseal(699)
    assert (caught.value.fault, caught.value.number, caught.value.seat) == (EvidenceFault.OTHER_COURSE, 2, -1)
    assert (caught.value.expected, caught.value.found) == (700, 699)
    opened = played.unseal(800)
    assert opened.opened is None
    assert fault_of(opened, msgspec.structs.replace(opening, seen=1))[:4] == ("NOT_SEEN", 3, 0, 2)
    assert opened.play(opening, received=True).course.number == 3


def test_sections_open_after_the_last_event() -> None:
    played = sealed(*KEYS)
    for seat, time in enumerate((600, 700, 800)):
        played = played.play(commit(seat, time, 0), received=True)
    with pytest.raises(EvidenceError) as caught:
        played.unseal(750)
    assert (caught.value.number, caught.value.expected, caught.value.found) == (3, 800, 750)


def test_level_of_a_round_is_that_of_its_weakest_event() -> None:
    start = tricks(KEYS[0], NO_KEY)
    first = start.play(play(0, "3S", 600, 0), received=True)
    second = first.play(play(1, "4S", 700, None), received=True)
    third = second.play(play(0, "5S", 800, 2), received=False)
    fourth = third.play(play(1, "6H", 900, None), received=True)
    assert [one.level.value for one in (start, first, second, third, fourth)] == ["NONE", "E2", "E1", "E0", "E0"]


def test_newest_signature_of_each_seat_covers_all_its_events() -> None:
    played = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=True)
    early = signed(played)
    played = played.play(play(1, "4S", 700, 1), received=True).play(play(0, "5S", 800, 2), received=True)
    good = signed(played)
    played.check_signatures(good)
    for signatures, fault, seat in (
        ([b"", good[1]], "SIGNATURE_MISSING", 0),
        ([early[0], good[1]], "BAD_SIGNATURE", 0),
        ([good[0], good[0]], "BAD_SIGNATURE", 1),
    ):
        with pytest.raises(EvidenceError) as caught:
            played.check_signatures(signatures)
        assert (caught.value.fault.value, caught.value.seat, caught.value.number) == (fault, seat, 0)


def test_seat_without_an_event_has_nothing_to_sign() -> None:
    played = tricks(*KEYS[:2]).play(play(0, "3S", 600, 0), received=True)
    with pytest.raises(EvidenceError, match="no event to sign"):
        played.check_signatures([signed(played)[0], bytes(64)])


def test_seat_without_an_event_excuses_no_other() -> None:
    played = sealed(*KEYS[:2]).play(commit(1, 600, 0), received=True)
    with pytest.raises(EvidenceError) as caught:
        played.check_signatures([b"", b""])
    assert (caught.value.fault, caught.value.seat) == (EvidenceFault.SIGNATURE_MISSING, 1)
    assert str(caught.value) == "seat 1 has a key and signs all its events"
    with pytest.raises(ValueError, match="longer"):
        played.check_signatures([b""])


def test_other_seats_events_leave_a_signature_valid() -> None:
    """Seats that act at once do not race: seat 0 signs while seat 1's event arrives first."""
    first, second = commit(0, 700, 0), commit(1, 600, 0)
    alone = sealed(*KEYS[:2]).play(first, received=True)
    both = sealed(*KEYS[:2]).play(second, received=True).play(first, received=True)
    assert alone.course.moves[0] == both.course.moves[0]


def test_round_without_a_received_event_has_no_receipt() -> None:
    assert (tricks().received, tricks().receipt) == (None, None)
