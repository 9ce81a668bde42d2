"""Transcripts of Ultimate Texas Hold'em: results, refused inputs, and canonical bytes."""

import itertools
import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Seat, parse_cards
from referee.evidence import canonical
from referee.games import GAMES, EventBytesError, UnlawfulEventError
from referee.games.ultimate_texas import GAME, Decision, Event, UltimateTexasRules, ViolationCode
from referee.games.ultimate_texas.state import MAX_EVENTS
from referee.rulesets import Ruleset, get
from referee.transcript.inputs import InputEvent, InputReceipt, Inputs, TranscriptError, Unsealed, parse
from referee.transcript.proof import EvidenceError, EvidenceFault
from referee.transcript.replay import OpeningsError, UnlawfulRoundError, replay
from tests.builtin import rules_as
from tests.driver.headers import header_of
from tests.games.rounds import texas_deal
from tests.vectors.reading import each

LARGEST_PAYLOAD: Final = 48_000
SEATS: Final = 2

Vector = dict[str, Any]
Events = Sequence[tuple[int, Decision]]

LAWFUL: Final = (
    (0, Decision.CHECK),
    (1, Decision.PLAY_4X),
    (0, Decision.PLAY_2X),
)
"""Seat 0 closes two streets at once with its bet on the flop; the first street closes with event 2."""


def _timed(events: Events) -> list[Event]:
    """One event a millisecond, TIMEOUT when the time of any street is up."""
    late = {Decision.TIMEOUT: 35_000}
    return [
        Event(Seat(seat), decision, late.get(decision, 1_000 + number))
        for number, (seat, decision) in enumerate(events, 1)
    ]


def _openings(
    events: Sequence[Event], *, ruleset: Ruleset, stakes: Sequence[tuple[int, int]]
) -> dict[int, tuple[int, ...]]:
    """Sections by the number of the event that opens them, of events up to the first unlawful one."""
    state, openings = GAME.begin(rules_as(UltimateTexasRules, ruleset), texas_deal(stakes, dealt_time=1_000)), {}
    for number, event in enumerate(events, 1):
        try:
            after = GAME.apply(state, event)
        except UnlawfulEventError:
            break
        if opened := GAME.later.opens(state, after):
            openings[number] = opened
        state = after
    return openings


def _inputs(
    events: Events = LAWFUL,
    *,
    ruleset_id: str = "ultimate_texas.casino",
    stakes: Sequence[tuple[int, int]] = ((10, 5),) * SEATS,
    sections: Sequence[Sequence[int]] | None = None,
    **changed: Any,  # noqa: ANN401 - members of Inputs, to be replaced
) -> Inputs:
    seats = len(stakes)
    counter = itertools.count(1)
    sizes = GAMES["ultimate_texas"].layout(seats).sizes[:-1]
    dealt = tuple(tuple(next(counter) for _ in range(size)) for size in sizes)
    happened = _timed(events)
    has_good_stakes = all(ante % 2 == 0 and ante < 2**50 for ante, _ in stakes)
    openings = _openings(happened, ruleset=get(ruleset_id), stakes=stakes) if has_good_stakes else {}
    last = openings.get(len(events), ())
    receipt = InputReceipt(len(events), "00" * 64, last[-1] if last else msgspec.UNSET)
    inputs = Inputs(
        header=header_of(get(ruleset_id), seats, seat_stakes=tuple(stakes)),
        deck_root="00" * 32,
        dealt_time=1_000,
        closed_time=39_000,
        sections=dealt if sections is None else tuple(tuple(section) for section in sections),
        events=tuple([InputEvent(msgspec.Raw(GAME.events.encode(event)), 1, event.time) for event in happened]),
        signatures=("",) * seats,
        unsealed=tuple(
            [Unsealed(number, tuple(sorted(opened)), happened[number - 1].time) for number, opened in openings.items()]
        ),
        receipt=receipt if events else msgspec.UNSET,
    )
    return msgspec.structs.replace(inputs, **changed)


def _found(inputs: Inputs) -> dict[str, Any]:
    payload = replay(inputs, get(inputs.header.ruleset_id)).payload
    found: dict[str, Any] = json.loads(payload)["results"]
    return found


def _numbers(text: str) -> list[int]:
    return [card.number for card in parse_cards(text)]


@given(
    seat=st.integers(0, 2**32 - 1),
    decision=st.sampled_from(Decision),
    time=st.integers(0, 2**53 - 1),
    seen=st.none() | st.integers(0, 2**53 - 1),
)
def test_event_comes_back_from_its_bytes(seat: int, decision: Decision, time: int, seen: int | None):
    event = Event(Seat(seat), decision, time, None if decision is Decision.TIMEOUT else seen)
    assert GAME.events.decode(GAME.events.encode(event), time=time, round_id=bytes(32)) == event


@pytest.mark.parametrize(
    "data",
    [
        b'{"decision":"CHECK","kind":"LEAVE","seat":0}',
        b'{"decision":"CHECK","kind":"DECIDE"}',
        b'{"decision":"CHECK","kind":"DECIDE","seat":0,"time":1}',
        b'{"decision":"CHECK","kind":"DECIDE","seat":"0"}',
        b'{"decision":"CHECK","kind":"DECIDE","seat":true}',
        b'{"decision":"CHECK","kind":"DECIDE","seat":0.0}',
        b'{"decision":"CHECK", "kind":"DECIDE","seat":0}',
        b'{"kind":"DECIDE","decision":"CHECK","seat":0}',
        b"\xff",
        b"",
    ],
)
def test_bytes_that_are_no_canonical_event_are_refused(data: bytes):
    with pytest.raises(EventBytesError):
        GAME.events.decode(data, time=0, round_id=bytes(32))


@each("ultimate_texas/settlements", argument="vector")
def test_found_part_is_what_the_settlement_vector_says(vector: Vector):
    """The vectors were written for the settlement from the rule sheet's sentences; a transcript has their codes."""
    board = _numbers(vector["board"])
    inputs = _inputs(
        [(event["seat"], Decision(event["decision"])) for event in vector["events"]],
        ruleset_id=vector["ruleset"],
        stakes=[(stake["ante"], stake["trips"]) for stake in vector["stakes"]],
        sections=[*map(_numbers, vector["hands"]), _numbers(vector["house"]), board[:3], board[3:]],
    )
    found = _found(inputs)
    transfers = [
        {"from": one["payer"], "to": one["payee"], **{key: one[key] for key in ("amount", "reason", "subject")}}
        for one in vector["transfers"]
    ]
    assert found["transfers"] == transfers
    assert [seat["net"] for seat in found["seats"]] == vector["net"]
    assert [seat["result"] for seat in found["seats"]] == [seat["result"] for seat in vector["seats"]]
    assert [seat["category"] for seat in found["seats"]] == [seat["category"] for seat in vector["seats"]]
    assert found["house"]["category"] == vector["house_category"]
    assert found["house"]["qualifies"] == int(vector["house_qualifies"])
    assert found["house"]["net"] == -sum(vector["net"])


def test_best_five_are_the_five_that_count():
    """By hand: the board is 5-9-K of hearts, Q, 2; A-3 of hearts make a flush, Q-J of the house a pair."""
    inputs = _inputs(
        [(0, Decision.PLAY_4X)],
        stakes=[(10, 5)],
        sections=[_numbers("AH 3H"), _numbers("QD JS"), _numbers("5H 9H KH"), _numbers("QC 2D")],
    )
    found = _found(inputs)
    assert found["seats"][0]["best"] == _numbers("AH 3H 5H 9H KH")
    assert found["house"]["best"] == _numbers("QD JS 9H KH QC")


def test_both_hole_cards_count_where_the_ruleset_says_so():
    """By hand: the board alone is a flush of five, but a hand is both hole cards and three of the board."""
    sections = [_numbers("2C 3D"), _numbers("4C 7D"), _numbers("5H 9H KH"), _numbers("QH JH")]
    inputs = _inputs(
        [(0, Decision.PLAY_4X)], ruleset_id="ultimate_texas.two_plus_three", stakes=[(10, 0)], sections=sections
    )
    assert _found(inputs)["seats"][0] == {
        "best": _numbers("2C 3D KH QH JH"),
        "category": "HIGH_CARD",
        "net": -50,  # Blind 10 and Play 40; the house has king-queen-jack too, and its seven: no pair, the Ante pushes
        "play_multiple": 4,
        "result": "LOST",
    }


def test_payload_is_canonical_and_replays_to_itself():
    payload = replay(_inputs(), get("ultimate_texas.casino")).payload
    assert canonical.encode(canonical.decode(payload)) == payload
    assert replay(parse(payload).inputs, get("ultimate_texas.casino")).payload == payload


def test_largest_round_fits_a_leaf():
    """Six seats that check twice, and all but the last leave at the end; every amount as large as it can be."""
    ante = (2**53 - 1) // (6 * 510) // 2 * 2
    checks = [(seat, Decision.CHECK) for _ in range(2) for seat in range(6)]
    last = [(seat, decision) for seat in range(5) for decision in (Decision.PLAY_1X, Decision.LEAVE)]
    events = [*checks, *last, (5, Decision.PLAY_1X)]
    inputs = _inputs(events, stakes=[(ante, 0)] * 6)
    assert len(events) == MAX_EVENTS
    payload = replay(inputs, get("ultimate_texas.casino")).payload
    assert len(payload) <= LARGEST_PAYLOAD


@pytest.mark.parametrize(
    ("events", "number", "codes"),
    [
        ([(0, Decision.FOLD)], 1, [ViolationCode.FOLD_NOT_OFFERED]),
        ([*LAWFUL, (0, Decision.LEAVE)], 4, [ViolationCode.ROUND_OVER]),
        ([(0, Decision.CHECK), (7, Decision.CHECK)], 2, [ViolationCode.UNKNOWN_SEAT]),
        (LAWFUL[:1], 0, [ViolationCode.ROUND_NOT_OVER]),
        ([], 0, [ViolationCode.ROUND_NOT_OVER, ViolationCode.ROUND_NOT_OVER]),
    ],
)
def test_unlawful_round_has_no_transcript_and_says_where(events: Events, number: int, codes: list[ViolationCode]):
    with pytest.raises(UnlawfulRoundError) as caught:
        _found(_inputs(events))
    assert caught.value.event_number == number
    assert [violation.code for violation in caught.value.violations] == codes


def test_round_closed_before_its_last_event_has_no_transcript():
    with pytest.raises(UnlawfulRoundError, match="CLOSED_TOO_EARLY"):
        _found(_inputs(closed_time=1_002))


@pytest.mark.parametrize(
    ("stakes", "code"),
    [
        ([(11, 0), (10, 0)], ViolationCode.ANTE_NOT_A_MULTIPLE),
        ([(2**52, 0), (10, 0)], ViolationCode.STAKES_TOO_HIGH),
    ],
)
def test_round_with_unlawful_stakes_has_no_transcript(stakes: list[tuple[int, int]], code: ViolationCode):
    with pytest.raises(UnlawfulRoundError, match=code):
        _found(_inputs(stakes=stakes))


def test_stake_of_the_table_is_the_bet_unit():
    header = header_of(get("ultimate_texas.casino"), SEATS, seat_stakes=((10, 5),) * SEATS, stake=4)
    with pytest.raises(TranscriptError, match="STAKE_NOT_THE_BET_UNIT"):
        _found(_inputs(header=header))


@pytest.mark.parametrize("count", range(5))
def test_round_with_a_section_missing_has_no_transcript(count: int):
    with pytest.raises(TranscriptError, match="sections; hands and board are 5"):
        _found(_inputs(sections=_inputs().sections[:count]))


@pytest.mark.parametrize(
    "sections",
    [
        [[1, 2], [3, 4], [5, 6], [7, 8, 9], [10, 10]],
        [[1, 2], [3, 4], [5, 6], [7, 8, 9], [10, 1]],
        [[1, 2], [3, 4], [5, 6], [7, 8, 9], [10]],
        [[1, 2], [3, 4], [5], [7, 8, 9], [10, 11]],
        [[1, 2, 12], [3, 4], [5, 6], [7, 8, 9], [10, 11]],
        [[1, 2], [3, 4], [5, 6], [7, 8, 9], [10, 53]],
        [[1, 2], [3, 4], [5, 6], [7, 8, 9], [10, 11], list(range(12, len(DECK) + 1))],
    ],
)
def test_round_with_other_cards_than_its_layout_has_no_transcript(sections: list[list[int]]):
    with pytest.raises(TranscriptError):
        _found(_inputs(sections=sections))


def test_openings_are_the_flop_and_then_all_the_rest():
    """Two seats: section 2 is the house, 3 the flop, 4 turn and river."""
    inputs = _inputs()
    assert inputs.unsealed == (Unsealed(2, (3,), 1_002), Unsealed(3, (2, 4), 1_003))
    assert inputs.receipt == InputReceipt(3, "00" * 64, 2)
    assert replay(inputs, get("ultimate_texas.casino")).payload


FLOP, REST = Unsealed(2, (3,), 1_002), Unsealed(3, (2, 4), 1_003)


@pytest.mark.parametrize(
    "unsealed",
    [
        (),
        (FLOP,),
        (REST,),
        (REST, FLOP),
        (FLOP, REST, Unsealed(4, (0,), 1_004)),
        (Unsealed(1, (3,), 1_002), REST),
        (Unsealed(2, (3, 4), 1_002), REST),
        (FLOP, Unsealed(3, (4, 2), 1_003)),
        (FLOP, FLOP, REST),
    ],
)
def test_openings_that_are_not_those_of_the_events_are_refused(unsealed: tuple[Unsealed, ...]):
    with pytest.raises(TranscriptError):
        _found(_inputs(unsealed=unsealed))


def test_openings_that_are_refused_are_named():
    with pytest.raises(OpeningsError, match=re.escape("event 2 sections [3], event 3 sections [2, 4]")):
        _found(_inputs(unsealed=(FLOP,)))
    with pytest.raises(OpeningsError, match=r"none$"):
        _found(_inputs(LAWFUL[:1], unsealed=(FLOP,)))


def test_round_waits_for_the_sections_that_its_newest_event_opens():
    with pytest.raises(EvidenceError, match="event 4: event 3 opens sections that are not open yet"):
        _found(_inputs([*LAWFUL, (0, Decision.LEAVE)], unsealed=(FLOP,)))


def test_street_that_opened_before_the_event_that_opens_it_is_refused():
    with pytest.raises(EvidenceError) as caught:
        _found(_inputs(unsealed=(Unsealed(2, (3,), 1_001), REST)))
    assert caught.value.fault is EvidenceFault.OTHER_COURSE


@pytest.mark.parametrize(
    "receipt",
    [
        msgspec.UNSET,
        InputReceipt(2, "00" * 64, 3),
        InputReceipt(4, "00" * 64, 2),
        InputReceipt(3, "00" * 64),
        InputReceipt(3, "00" * 64, 4),
    ],
)
def test_receipt_is_that_of_the_last_received_event(receipt: InputReceipt):
    with pytest.raises(TranscriptError, match="last received event, number 3"):
        _found(_inputs(receipt=receipt))


@pytest.mark.parametrize("number", [2, 3])
def test_event_that_opens_cards_needs_the_referees_clock(number: int):
    inputs = _inputs()
    events = list(inputs.events)
    events[number - 1] = msgspec.structs.replace(events[number - 1], received=0)
    with pytest.raises(EvidenceError) as caught:
        _found(msgspec.structs.replace(inputs, events=tuple(events)))
    assert (caught.value.fault, caught.value.number) == (EvidenceFault.NOT_RECEIVED, number)
