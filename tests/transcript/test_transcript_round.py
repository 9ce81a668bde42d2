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
from referee.games import DealtRound, Event, LeaderBy, mau_binh, tien_len
from referee.rulesets import get
from referee.transcript.proof import EventLevel, EvidenceError, EvidenceFault
from referee.transcript.round import PlayedEvent, Round
from tests.driver.headers import header_of
from tests.games.rounds import hands_deal

PRIVATE = [Ed25519PrivateKey.from_private_bytes(bytes([seat + 1]) * 32) for seat in range(3)]
KEYS = tuple(key.public_key().public_bytes_raw() for key in PRIVATE)
FIRST = parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S")
THIRD = parse_cards("3D 3H 4D 4H 5C 6S 7S 7C 7H 8D 9C 9H TS")
SECOND = parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS")


def begin(ruleset_id: str, deal: DealtRound, keys: Sequence[bytes]) -> Round:
    ruleset = get(ruleset_id)
    header = header_of(
        ruleset, len(keys), stake=deal.stake, seat_keys=tuple(keys), deal_deadline=1_000, randomness_suite=1
    )
    return Round.begin(
        header,
        ruleset,
        sections=deal.sections,
        deck_root=b"d" * 32,
        dealt_time=deal.dealt_time,
        lead=None if deal.leader is None else (deal.leader, LeaderBy.DRAW),
        is_sealed=deal.is_sealed,
    )


def after(played: Round, event: Event, *, received: bool = True, unsealed: int | None = None) -> Round:
    """Play one event; ``unsealed`` is when the shuffler opens what it opens."""
    return played.play([(event, received)], unsealed_time=lambda _: unsealed)


def tricks(*keys: bytes) -> Round:
    """Begin a round of Tiến Lên of two seats, the first of which leads."""
    return begin("tien_len.mien_nam", hands_deal([FIRST, SECOND], leader=0, dealt_time=500), keys)


def sealed(*keys: bytes) -> Round:
    """Begin a sealed round of Mậu Binh of two or three seats."""
    deal = hands_deal([FIRST, SECOND, THIRD][: len(keys)], dealt_time=500, is_sealed=True)
    return begin("mau_binh.classic", deal, keys)


def play(seat: int, cards: str, time: int, seen: int | None) -> tien_len.Play:
    return tien_len.Play(Seat(seat), parse_cards(cards), time, seen)


def commit(seat: int, time: int, seen: int | None = None) -> mau_binh.Commit:
    return mau_binh.Commit(Seat(seat), Hex(bytes([seat]) * 32), time, seen)


def refusal_of(played: Round, event: Event) -> str:
    with pytest.raises(EvidenceError) as caught:
        after(played, event)
    return str(caught.value)


def fault_of(played: Round, event: Event, *, received: bool = True) -> tuple[str, int, int, Any, Any]:
    with pytest.raises(EvidenceError) as caught:
        after(played, event, received=received)
    fault = caught.value
    return fault.fault.value, fault.number, fault.seat, fault.expected, fault.found


def signed(played: Round) -> list[bytes]:
    """Each seat's newest signature."""
    return [PRIVATE[seat].sign(played.course.moves[seat]) if seat in played.course.moves else b"" for seat in (0, 1)]


def test_event_of_a_seat_with_a_key_says_what_it_had_seen() -> None:
    led = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
    assert fault_of(tricks(*KEYS[:2]), play(0, "3S", 600, None)) == ("NOT_SEEN", 1, 0, 0, None)
    assert fault_of(tricks(*KEYS[:2]), play(0, "3S", 600, 1)) == ("NOT_SEEN", 1, 0, 0, 1)
    assert fault_of(led, play(1, "4S", 700, 0)) == ("NOT_SEEN", 2, 1, 1, 0)
    assert fault_of(led, play(1, "4S", 700, 2)) == ("NOT_SEEN", 2, 1, 1, 2)
    assert after(led, play(1, "4S", 700, 1)).course.number == 2
    assert after(led, tien_len.Leave(Seat(1), 700, 0)).course.number == 2


def test_refusal_names_the_event_and_what_may_have_been_seen() -> None:
    led = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
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
    assert after(tricks(*KEYS[:2]), late).level is EventLevel.E2
    assert after(tricks(NO_KEY, KEYS[1]), late, received=False).level is EventLevel.E0


def test_running_out_of_time_needs_a_clock_that_the_referee_started() -> None:
    late = tien_len.Timeout(Seat(1), 30_600)
    reported = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0), received=False)
    assert fault_of(reported, late) == ("NOT_RECEIVED", 1, 1, None, None)
    received = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
    assert after(received, late).course.number == 2
    answered = after(received, play(1, "4S", 700, 1), received=False)
    late = tien_len.Timeout(Seat(0), 30_700)
    assert fault_of(answered, late) == ("NOT_RECEIVED", 2, 0, None, None)


@pytest.mark.parametrize("flags", list(itertools.product([True, False], repeat=3)))
def test_events_played_at_once_are_those_played_one_by_one(flags: Sequence[bool]) -> None:
    begun = one = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
    choices = [play(1, "4S", 700, 1), play(0, "5S", 800, 2), play(1, "6H", 900, 3)]
    events: list[PlayedEvent] = list(zip(choices, flags, strict=True))
    for event, received in events:
        one = after(one, event, received=received)
    assert msgspec.structs.asdict(begun.play(events)) == msgspec.structs.asdict(one)
    late = tien_len.Timeout(Seat(0), 30_900)
    if flags[-1]:
        at_once = begun.play([*events, (late, True)])
        assert msgspec.structs.asdict(at_once) == msgspec.structs.asdict(after(one, late))
    else:
        assert fault_of(one, late)[:2] == ("NOT_RECEIVED", 4)
        with pytest.raises(EvidenceError, match="the referee's clock must give the time"):
            begun.play([*events, (late, True)])


def test_round_ends_before_its_first_unlawful_event_and_reads_no_further() -> None:
    """Seat 0 may not play twice in a row."""
    begun, first = tricks(*KEYS[:2]), play(0, "3S", 600, 0)
    events = iter([(first, True), (play(0, "5S", 700, 1), True), (play(1, "4S", 800, 1), True)])
    played = begun.play(events)
    assert ([violation.code for violation in played.violations], played.refused_event) == (["OUT_OF_TURN"], 2)
    assert (played.course, played.state) == (after(begun, first).course, after(begun, first).state)
    assert len(list(events)) == 1


def test_each_event_that_was_played_has_its_bytes() -> None:
    begun, event = tricks(*KEYS[:2]), play(0, "3S", 600, 0)
    assert begun.play([(event, True)], texts=[b"bytes"]).course.links[0].event == b"bytes"
    for texts in ([], [b"bytes"] * 2):
        with pytest.raises(ValueError, match="zip"):
            begun.play([(event, True)], texts=texts)


def test_sealed_table_needs_the_referees_clock_for_each_commitment() -> None:
    for keys, seen in ((KEYS[:2], 0), ((NO_KEY, NO_KEY), None)):
        assert fault_of(sealed(*keys), commit(0, 600, seen), received=False) == ("NOT_RECEIVED", 1, 0, None, None)
        assert after(sealed(*keys), commit(0, 600, seen)).course.number == 1
        late = mau_binh.Timeout(Seat(0), 60_500)
        assert fault_of(sealed(*keys), late, received=False) == ("NOT_RECEIVED", 1, 0, None, None)


def test_departure_while_others_commit_may_be_reported() -> None:
    """It opens nothing, and the rules ask for the referee's clock at commitments and timeouts alone."""
    left = after(sealed(NO_KEY, NO_KEY), mau_binh.Leave(Seat(1), 600), received=False)
    assert (left.course.number, left.is_pending) == (1, False)


def test_departure_that_opens_the_hands_needs_the_referees_clock() -> None:
    one = after(sealed(NO_KEY, NO_KEY), commit(0, 600))
    left = mau_binh.Leave(Seat(1), 700)
    assert fault_of(one, left, received=False) == ("NOT_RECEIVED", 2, 1, None, None)
    opened = after(one, left)
    assert opened.is_pending
    assert (opened.openings[-1].number, opened.openings[-1].sections) == (2, (0, 1))
    assert opened.due_receipt is not None
    assert opened.due_receipt.opens_section == 1


def test_no_event_follows_an_opening_before_it_has_its_time() -> None:
    begun, last = after(sealed(*KEYS[:2]), commit(0, 600, 0)), commit(1, 700, 0)
    played = after(begun, last)
    opening = mau_binh.Arrange(Seat(0), FIRST[:5], FIRST[5:10], FIRST[10:], 900, Hex(bytes(32)), bytes(32), 2)
    assert fault_of(played, opening) == ("NOT_UNSEALED", 3, 0, None, None)
    with pytest.raises(EvidenceError) as caught:
        after(begun, last, unsealed=699)
    assert (caught.value.fault, caught.value.number, caught.value.seat) == (EvidenceFault.OTHER_COURSE, 2, -1)
    assert (caught.value.expected, caught.value.found) == (700, 699)
    opened = after(begun, last, unsealed=800)
    assert (opened.is_pending, opened.openings[-1].time) == (False, 800)
    assert fault_of(opened, msgspec.structs.replace(opening, seen=1))[:4] == ("NOT_SEEN", 3, 0, 2)
    assert after(opened, opening).course.number == 3


def test_sections_open_after_the_last_event() -> None:
    played = sealed(*KEYS)
    for seat, time in enumerate((600, 700)):
        played = after(played, commit(seat, time, 0))
    with pytest.raises(EvidenceError) as caught:
        after(played, commit(2, 800, 0), unsealed=750)
    assert (caught.value.number, caught.value.expected, caught.value.found) == (3, 800, 750)


def test_level_of_a_round_is_that_of_its_weakest_event() -> None:
    start = tricks(KEYS[0], NO_KEY)
    first = after(start, play(0, "3S", 600, 0))
    second = after(first, play(1, "4S", 700, None))
    third = after(second, play(0, "5S", 800, 2), received=False)
    fourth = after(third, play(1, "6H", 900, None))
    assert [one.level.value for one in (start, first, second, third, fourth)] == ["NONE", "E2", "E1", "E0", "E0"]


def test_newest_signature_of_each_seat_covers_all_its_events() -> None:
    played = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
    early = signed(played)
    played = after(after(played, play(1, "4S", 700, 1)), play(0, "5S", 800, 2))
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
    played = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
    with pytest.raises(EvidenceError, match="no event to sign"):
        played.check_signatures([signed(played)[0], bytes(64)])


def test_seat_without_an_event_excuses_no_other() -> None:
    played = after(sealed(*KEYS[:2]), commit(1, 600, 0))
    with pytest.raises(EvidenceError) as caught:
        played.check_signatures([b"", b""])
    assert (caught.value.fault, caught.value.seat) == (EvidenceFault.SIGNATURE_MISSING, 1)
    assert str(caught.value) == "seat 1 has a key and signs all its events"
    with pytest.raises(ValueError, match="longer"):
        played.check_signatures([b""])


def test_other_seats_events_leave_a_signature_valid() -> None:
    """Seats that act at once do not race: seat 0 signs while seat 1's event arrives first."""
    first, second = commit(0, 700, 0), commit(1, 600, 0)
    alone = after(sealed(*KEYS[:2]), first)
    both = after(after(sealed(*KEYS[:2]), second), first)
    assert alone.course.moves[0] == both.course.moves[0]


def test_round_without_a_received_event_has_no_receipt() -> None:
    assert tricks(*KEYS[:2]).due_receipt is None


def test_round_takes_the_times_of_its_openings_from_its_certificates() -> None:
    """By the last section that an event opens, unless ``unsealed_time`` is given."""
    begun = msgspec.structs.replace(sealed(NO_KEY, NO_KEY), unsealed_times={0: 790, 1: 800})
    played = begun.play([(commit(0, 600), True), (commit(1, 700), True)])
    assert [(opening.number, opening.time) for opening in played.openings] == [(2, 800)]


def test_caller_sees_the_state_before_each_event() -> None:
    begun, events = tricks(*KEYS[:2]), [play(0, "3S", 600, 0), play(1, "4S", 700, 1)]
    seen: list[tuple[Any, Event]] = []
    begun.play([(event, True) for event in events], before_each=lambda *pair: seen.append(pair))
    assert seen == [(begun.state, events[0]), (after(begun, events[0]).state, events[1])]


def test_round_is_open_once_every_section_is() -> None:
    assert tricks(NO_KEY, NO_KEY).is_open
    hidden = hands_deal([FIRST, SECOND], leader=0, dealt_time=500)
    hidden = msgspec.structs.replace(hidden, sections=(hidden.sections[0], None))
    assert not begin("tien_len.mien_nam", hidden, [NO_KEY] * 2).is_open


def test_proof_of_a_round_has_signatures_that_hold() -> None:
    played = after(tricks(*KEYS[:2]), play(0, "3S", 600, 0))
    good = tuple(signed(played))
    assert played.prove(receipt=b"r", receipt_signature=b"s", signatures=good).signatures == good
    with pytest.raises(EvidenceError, match="seat 0 has a key and signs all its events"):
        played.prove(receipt=b"r", receipt_signature=b"s", signatures=(b"", b""))


@pytest.mark.parametrize(
    ("events", "now", "closed"),
    [
        ((), 400, 500),
        ((), 900, 900),
        (((600, True),), 550, 600),
        (((600, True),), 700, 700),
        (((600, False),), 550, 550),
        (((500, False),), 400, 500),
        (((600, False), (700, True)), 650, 700),
        (((600, True), (700, False)), 550, 550),
        (((600, True), (700, False), (800, True)), 550, 800),
    ],
)
def test_round_closes_no_earlier_than_a_time_that_the_referee_knows(
    events: Sequence[tuple[int, bool]], now: int, closed: int
) -> None:
    """A time that only the frontend reported holds nothing back, unless it is that of the deal."""
    played = tricks(NO_KEY, NO_KEY)
    for seat, cards, (time, received) in zip((0, 1, 0), ("3S", "4S", "5S"), events, strict=False):
        played = after(played, play(seat, cards, time, None), received=received)
    assert played.closing_time(now) == closed


def test_inputs_say_what_the_referee_received_and_whether_the_table_was_sealed() -> None:
    first = after(tricks(NO_KEY, NO_KEY), play(0, "3S", 600, None))
    inputs = after(first, play(1, "4S", 700, None), received=False).inputs(800)
    assert [entry.received for entry in inputs.events] == [1, 0]
    assert inputs.sealed is msgspec.UNSET
    assert sealed(NO_KEY, NO_KEY).inputs(800).sealed == 1
