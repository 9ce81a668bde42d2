"""A seat's own chain: what it signs is written out again here, byte by byte, and what it refuses to sign is refused."""

import hashlib
import json
from collections.abc import Callable

import pytest
from nacl.signing import VerifyKey
from referee_client import AlreadySignedError, SeatChain, SeatSecrets, VerificationError

from referee.transcript.chain import Course

ROUND_ID, DECK_ROOT = bytes(range(32)), bytes(range(32, 64))
PASS = b'{"kind":"PASS","seat":0}'
LEAVE = b'{"kind":"LEAVE","seat":0}'
Shown = tuple[int, bytes, int | None]


def tagged(tag: str, *fields: bytes) -> bytes:
    """Hash fields as section 1 of ``tests/vectors/README.md`` defines TH, from nothing but SHA-256."""
    name = b"referee/v1/" + tag.encode()
    framed = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    return hashlib.sha256(bytes([len(name)]) + name + bytes([len(fields)]) + framed).digest()


def bytes_of(choice: bytes, seen: int | None) -> bytes:
    members = json.loads(choice) | ({} if seen is None else {"seen": seen})
    return json.dumps(members, sort_keys=True, separators=(",", ":")).encode()


def course(*events: Shown) -> Course:
    """Return the course of these events: seat, choice, seen."""
    made = Course.begin(round_id=ROUND_ID, deck_root=DECK_ROOT)
    for number, (seat, choice, seen) in enumerate(events, 1):
        made = made.append(bytes_of(choice, seen), time=number, received=True, seat=seat, seen=seen)
    return made


def other(number: int) -> Shown:
    """Return an event of seat 1, which has no key."""
    return 1, b'{"cards":[%d],"kind":"PLAY","seat":1}' % number, None


@pytest.fixture
def secrets() -> SeatSecrets:
    return SeatSecrets.make(0, keyed=True)


@pytest.fixture
def chain(secrets: SeatSecrets) -> SeatChain:
    made = SeatChain(secrets, round_id=ROUND_ID, deck_root=DECK_ROOT)
    made.show(course())
    return made


def test_signatures_are_over_the_seats_own_events_and_what_it_had_seen(secrets: SeatSecrets, chain: SeatChain) -> None:
    start = tagged("transcript", ROUND_ID, DECK_ROOT)
    first = tagged("event", start, bytes([0, 0, 0, 1]), other(1)[1])
    chain.show(course(other(1)))
    one = chain.sign(PASS)
    assert (one.seen, one.event) == (1, b'{"kind":"PASS","seat":0,"seen":1}')
    expected = tagged("move", tagged("seat", start, b"\0"), first, one.event)
    assert one.move == expected
    VerifyKey(secrets.public_key).verify(expected, one.signature)

    second = tagged("event", first, bytes([0, 0, 0, 2]), one.event)
    third = tagged("event", second, bytes([0, 0, 0, 3]), other(2)[1])
    chain.show(course(other(1), (0, PASS, 1), other(2)))
    two = chain.sign(LEAVE)
    assert two.event == b'{"kind":"LEAVE","seat":0,"seen":3}'
    VerifyKey(secrets.public_key).verify(tagged("move", expected, third, two.event), two.signature)


def test_same_choice_again_is_the_same_signature_whatever_came_between(chain: SeatChain) -> None:
    first = chain.sign(PASS)
    chain.show(course(other(1), other(2)))
    assert chain.sign(PASS) == first
    assert first.seen == 0


def test_a_second_event_in_one_place_is_not_signed(chain: SeatChain) -> None:
    first = chain.sign(PASS)
    chain.show(course(other(1)))
    with pytest.raises(AlreadySignedError) as caught:
        chain.sign(LEAVE)
    assert caught.value.former == first
    assert chain.pending == first


def test_a_second_event_is_signed_once_the_rules_refuse_the_former(chain: SeatChain) -> None:
    first = chain.sign(PASS)
    asked: list[bytes] = []

    def is_unlawful(event: bytes) -> bool:
        asked.append(event)
        return True

    assert chain.sign(LEAVE, is_unlawful=is_unlawful).event == b'{"kind":"LEAVE","seat":0,"seen":0}'
    assert asked == [first.event]


def test_a_seat_that_ran_out_of_time_signs_another_event(chain: SeatChain) -> None:
    timeout: Shown = (0, b'{"kind":"TIMEOUT","seat":0}', None)
    chain.show(course(timeout))
    chain.sign(PASS)
    with pytest.raises(AlreadySignedError):
        chain.sign(LEAVE)  # it had seen that timeout
    chain.show(course(timeout, other(1), timeout))
    assert chain.sign(LEAVE).seen == 3


def test_a_timeout_of_another_seat_frees_nothing(chain: SeatChain) -> None:
    chain.sign(PASS)
    chain.show(course((1, b'{"kind":"TIMEOUT","seat":1}', None)))
    with pytest.raises(AlreadySignedError):
        chain.sign(LEAVE)


@pytest.mark.parametrize(
    "rewound",
    [
        course,
        lambda: course(other(1)),
        lambda: course(other(1), other(3)),
        lambda: course(other(2), other(1), other(3)),
        lambda: Course.begin(round_id=ROUND_ID, deck_root=bytes(32)),
    ],
)
def test_a_course_that_is_not_the_one_shown_before_is_found(chain: SeatChain, rewound: Callable[[], Course]) -> None:
    chain.show(course(other(1), other(2)))
    with pytest.raises(VerificationError):
        chain.show(rewound())


def test_an_event_that_the_seat_never_signed_is_found(chain: SeatChain) -> None:
    with pytest.raises(VerificationError, match="did not sign"):
        chain.show(course((0, LEAVE, 0)))
    chain.sign(PASS)
    with pytest.raises(VerificationError, match="did not sign"):
        chain.show(course((0, LEAVE, 0)))
    with pytest.raises(VerificationError, match="did not sign"):
        chain.show(course(other(1), (0, PASS, 1)))  # not what it had seen when it signed


def test_an_event_signed_on_another_device_is_taken_for_its_own(secrets: SeatSecrets, chain: SeatChain) -> None:
    elsewhere = SeatChain(secrets, round_id=ROUND_ID, deck_root=DECK_ROOT)
    elsewhere.show(course())
    signed = elsewhere.sign(LEAVE)
    with pytest.raises(VerificationError, match="did not sign"):
        chain.show(course((0, LEAVE, 0)), signature=SeatSecrets.make(0, keyed=True).sign_move(signed.move))
    chain.show(course((0, LEAVE, 0)), signature=signed.signature)
    elsewhere.show(course((0, LEAVE, 0)))
    assert chain.sign(PASS) == elsewhere.sign(PASS)


def test_a_restored_chain_remembers_what_it_signed(secrets: SeatSecrets, chain: SeatChain) -> None:
    chain.show(course(other(1)))
    first = chain.sign(PASS)
    saved = chain.save()
    assert secrets.private_key.hex().encode() not in saved
    again = SeatChain.restore(secrets, saved)
    assert again.sign(PASS) == first
    with pytest.raises(AlreadySignedError):
        again.sign(LEAVE)
    with pytest.raises(VerificationError):
        again.show(course(other(2)))
    with pytest.raises(ValueError, match="seat 1"):
        SeatChain.restore(SeatSecrets.make(1, keyed=True), saved)


def test_acknowledged_move_is_what_the_next_one_is_signed_on(secrets: SeatSecrets, chain: SeatChain) -> None:
    """Of a course that is shown at the end alone: the whole course then proves both moves to be this seat's."""
    one = chain.sign(PASS)
    with pytest.raises(AlreadySignedError):
        chain.sign(LEAVE)
    chain.acknowledge()
    assert chain.pending is None
    two = chain.sign(LEAVE)
    start = tagged("transcript", ROUND_ID, DECK_ROOT)
    assert two.move == tagged("move", one.move, start, bytes_of(LEAVE, 0))
    VerifyKey(secrets.public_key).verify(two.move, two.signature)
    chain.show(course((0, PASS, 0), other(1), (0, LEAVE, 0)), signature=two.signature)
    assert chain.pending is None
