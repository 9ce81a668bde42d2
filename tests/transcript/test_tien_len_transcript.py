"""Rounds of Tiến Lên as transcripts: how events stand as bytes, what is found, what does not follow from the rules."""

import hashlib
import json
from typing import Any, Final, TypeAlias

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Card, Seat, parse_cards
from referee.dealing.header import Header
from referee.evidence import canonical
from referee.games import EventBytesError, LeaderBy
from referee.games.tien_len import Event, Leave, Pass, Play, Timeout
from referee.games.tien_len.game import GAME
from referee.rulesets import get
from referee.transcript.inputs import InputEvent, Inputs, TranscriptError, parse
from referee.transcript.replay import UnlawfulRoundError, replay
from referee.transcript.round import encode_inputs, repeat_key
from tests.driver.headers import header_of
from tests.games.tien_len.scenes import read_event
from tests.vectors.reading import read

RULESET: Final = get("tien_len.mien_nam")
STAKE: Final = 100

Vector: TypeAlias = dict[str, Any]


RELEASED: Final = [vector for vector in read("tien_len/rounds") if "rules" not in vector]


def _header(seats: int, **changed: Any) -> Header:  # noqa: ANN401 - members of Header
    return header_of(RULESET, seats, **{"stake": STAKE, **changed})


def _input_event(event: Event) -> InputEvent:
    return InputEvent(event=msgspec.Raw(GAME.events.encode(event)), received=0, time=event.time)


def _inputs(vector: Vector, **changed: Any) -> Inputs:  # noqa: ANN401 - members of Inputs
    hands = [parse_cards(hand) for hand in vector["hands"]]
    inputs = Inputs(
        header=_header(len(hands)),
        deck_root="00" * 32,
        dealt_time=0,
        closed_time=10**6,
        sections=tuple(tuple(card.number for card in hand) for hand in hands),
        events=tuple(_input_event(read_event(text, number)) for number, text in enumerate(vector["events"], start=1)),
        signatures=("",) * len(hands),
        unsealed=(),
        leader=vector["leader"],
        leader_by=LeaderBy.DRAW,
    )
    return msgspec.structs.replace(inputs, **changed)


def _plain() -> Vector:
    return next(vector for vector in RELEASED if vector["id"] == "out-of-cards")


seats = st.integers(0, 2**32 - 1).map(Seat)
times = st.integers(0, 2**53 - 1)
cards = st.lists(st.sampled_from(DECK), max_size=64).map(tuple)
seen = st.none() | times
events = st.one_of(
    st.builds(Play, seats, cards, times, seen),
    st.builds(Pass, seats, times, seen),
    st.builds(Leave, seats, times, seen),
    st.builds(Timeout, seats, times),
)


@given(event=events)
def test_event_comes_back_from_its_bytes(event: Event) -> None:
    data = GAME.events.encode(event)
    assert GAME.events.decode(data, time=event.time, round_id=bytes(32)) == event
    assert canonical.encode(canonical.decode(data)) == data


def test_event_bytes_stand_as_documented() -> None:
    assert GAME.events.encode(Play(Seat(1), (Card.THREE_OF_HEARTS, Card.THREE_OF_SPADES), 5)) == (
        b'{"cards":[8,5],"kind":"PLAY","seat":1}'
    )
    assert GAME.events.encode(Pass(Seat(0), 5)) == b'{"kind":"PASS","seat":0}'
    assert GAME.events.encode(Pass(Seat(0), 5, seen=12)) == b'{"kind":"PASS","seat":0,"seen":12}'
    assert GAME.events.encode(Leave(Seat(2), 5)) == b'{"kind":"LEAVE","seat":2}'
    assert GAME.events.encode(Timeout(Seat(3), 5)) == b'{"kind":"TIMEOUT","seat":3}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b'{"kind":"BET","seat":0}',
        b'{"cards":[53],"kind":"PLAY","seat":0}',
        b'{"cards":["5"],"kind":"PLAY","seat":0}',
        b'{"kind":"PASS","seat":0,"seat":1}',
        b'{"kind":"PASS", "seat":0}',
        b'{"seat":0,"kind":"PASS"}',
        b'{"kind":"PASS","seat":1.0}',
        b'{"kind":"PASS","seat":1,"seen":null}',
    ],
)
def test_bytes_that_are_no_event_in_its_one_text_are_refused(data: bytes) -> None:
    with pytest.raises(EventBytesError):
        GAME.events.decode(data, time=0, round_id=bytes(32))


@pytest.mark.parametrize("vector", RELEASED, ids=lambda vector: vector["id"])
def test_what_is_found_is_what_was_worked_out(vector: Vector) -> None:
    payload = replay(_inputs(vector), RULESET).payload
    assert canonical.encode(canonical.decode(payload)) == payload
    found = json.loads(payload)["results"]
    assert set(found) == {"ending", "events_hash", "seats", "transfers", "winners"}
    assert (vector["ending"], [vector["winner"]]) == (found["ending"], found["winners"])
    expected = [
        {"amount": STAKE * units, "from": payer, "reason": reason, "subject": subject, "to": payee}
        for payer, payee, units, reason, subject in vector["transfers"]
    ]
    assert expected == found["transfers"]
    for seat, one in enumerate(found["seats"]):
        won = sum(STAKE * units for _, payee, units, *_ in vector["transfers"] if payee == seat)
        lost = sum(STAKE * units for payer, _, units, *_ in vector["transfers"] if payer == seat)
        assert won - lost == one["net"]
        is_dealt_winner = vector["ending"] == "INSTANT_WIN" and seat == vector["winner"]
        assert is_dealt_winner == bool(one["instant_win"])
    assert replay(parse(payload).inputs, RULESET).payload == payload


def test_cards_left_stand_weakest_first() -> None:
    vector = _plain()
    found = json.loads(replay(_inputs(vector), RULESET).payload)["results"]
    left = [card.number for card in parse_cards("3C 4S 4C 5C 6S 7S 8S 9C TS JS QS KC 2S")]
    assert found["seats"][1]["left"] == left
    assert found["seats"][0]["left"] == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"leader": msgspec.UNSET, "leader_by": msgspec.UNSET}, "names no leader"),
        ({"leader": msgspec.UNSET}, "together, or neither"),
        ({"leader_by": msgspec.UNSET}, "together, or neither"),
        ({"leader": 4}, "seat 4 cannot lead"),
        ({"leader": -1}, "seat -1 cannot lead"),
        ({"sections": ((5,) * 13, (6,) * 13, (7,) * 13, (8,) * 13)}, "dealt more than once"),
        ({"sections": ((99,) * 13,)}, "99"),
        ({"sections": ()}, "the deal has 0 sections"),
        ({"header": _header(4, stake=2**53 - 1)}, "STAKE_TOO_HIGH"),
    ],
)
def test_inputs_that_no_round_can_have_are_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(TranscriptError, match=words):
        replay(_inputs(_plain(), **changed), RULESET)


def test_reason_why_a_seat_led_is_in_the_inputs_and_replayed() -> None:
    vector = _plain()
    payload = replay(_inputs(vector, leader_by=LeaderBy.WINNER), RULESET).payload
    inputs = parse(payload).inputs
    assert (inputs.leader, inputs.leader_by) == (0, LeaderBy.WINNER)
    assert payload != replay(_inputs(vector), RULESET).payload


@pytest.mark.parametrize(
    ("events", "closed_time", "number", "code"),
    [
        (["0 3S", "2 5D"], 10**6, 2, "OUT_OF_TURN"),
        (["0 pass"], 10**6, 1, "MUST_LEAD"),
        (["0 3S", "1 3C", "2 3D", "3 3H"], 10**6, 0, "ROUND_NOT_OVER"),
        ([*_plain()["events"], "1 pass"], 10**6, 10, "ROUND_OVER"),
        (_plain()["events"], 8, 0, "CLOSED_TOO_EARLY"),
    ],
)
def test_a_round_that_breaks_the_rules_has_no_transcript(
    events: list[str], closed_time: int, number: int, code: str
) -> None:
    vector = {**_plain(), "events": events}
    with pytest.raises(UnlawfulRoundError) as caught:
        replay(_inputs(vector, closed_time=closed_time), RULESET)
    assert (number, [code]) == (caught.value.event_number, [violation.code for violation in caught.value.violations])
    assert str(caught.value) == (f"event {number}: {code}" if number else code)


def test_stakes_that_no_round_can_have_are_no_events_fault() -> None:
    with pytest.raises(UnlawfulRoundError) as caught:
        replay(_inputs(_plain(), header=_header(4, stake=2**53 - 1)), RULESET)
    assert caught.value.event_number == 0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"header": _header(4, protocol="x")}, "inputs.header.protocol: "),
        ({"signatures": ("",) * 3}, "3 members for 4 seats"),
        ({"signatures": ("00" * 64, "", "", "")}, "seat 0 has no event to sign"),
    ],
)
def test_inputs_that_prove_nothing_are_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(TranscriptError, match=words):
        replay(_inputs(_plain(), **changed), RULESET)


def _with_everything() -> dict[str, Any]:
    """Return a transcript with all kinds of members, as parsed JSON; ``parse`` takes it, ``replay`` would not."""
    document: dict[str, Any] = json.loads(replay(_inputs(_plain()), RULESET).payload)
    document["inputs"]["receipt"] = {"number": 1, "signature": ""}
    document["inputs"]["unsealed"] = [{"number": 1, "sections": [0], "time": 1}]
    parse(canonical.encode(document))
    return document


@pytest.mark.parametrize(
    "place", ["", "inputs", "inputs.header", "inputs.receipt", "inputs.unsealed.0", "inputs.events.0"]
)
def test_member_that_no_transcript_has_is_refused(place: str) -> None:
    document = _with_everything()
    member: Any = document
    for name in place.split(".") if place else ():
        member = member[int(name) if name.isdigit() else name]
    member["more"] = 1
    with pytest.raises(TranscriptError, match="more"):
        parse(canonical.encode(document))


def test_number_written_as_text_is_refused() -> None:
    document = _with_everything()
    document["inputs"]["dealt_time"] = "0"
    with pytest.raises(TranscriptError, match="dealt_time"):
        parse(canonical.encode(document))


def test_transcript_with_white_space_is_refused() -> None:
    with pytest.raises(TranscriptError, match="not the canonical text"):
        parse(json.dumps(_with_everything()).encode())


def test_transcript_of_another_format_is_refused() -> None:
    with pytest.raises(TranscriptError, match="has format 2; this code reads format 1"):
        parse(canonical.encode({**_with_everything(), "format": 2}))


def test_repeated_settlement_is_known_by_all_its_inputs_but_the_closing_time() -> None:
    members = canonical.decode(bytes(encode_inputs(_inputs(_plain()))))
    assert isinstance(members, dict)
    others = {name: value for name, value in members.items() if name != "closed_time"}
    key = hashlib.sha256(canonical.encode(others)).digest()
    assert repeat_key(encode_inputs(_inputs(_plain()))) == key
    assert repeat_key(encode_inputs(_inputs(_plain(), closed_time=7))) == key
    assert repeat_key(encode_inputs(_inputs(_plain(), dealt_time=7))) != key
