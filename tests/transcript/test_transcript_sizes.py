"""No lawful round overflows its leaf: the largest transcript of each game fits a payload."""

from typing import Any

import msgspec
import pytest

from referee.dealing.header import NO_KEY
from referee.evidence.dsse import MAX_ENVELOPE_SIZE, MAX_PAYLOAD_SIZE, Envelope
from referee.games import GAMES, LeaderBy
from referee.games.mau_binh.event import MAX_EVENTS as MAU_BINH_EVENTS
from referee.games.tien_len.event import MAX_EVENTS as TIEN_LEN_EVENTS
from referee.games.ultimate_texas.state import MAX_EVENTS as ULTIMATE_TEXAS_EVENTS
from referee.transcript.inputs import MEDIA_TYPE, InputEvent, InputReceipt, Inputs, Unsealed
from referee.transcript.round import write_transcript
from tests.driver.headers import made_header

LATE = 2**53 - 1
LONGEST_TRANSFER = {"amount": LATE, "from": 255, "reason": "R" * 24, "subject": "S" * 24, "to": 255}


def header_of(game, seats):
    """Make the longest header that a round of a game can have."""
    return made_header(
        protocol=1,
        origin="o" * 255,
        randomness_suite=250,
        table_id="t" * 64,
        round_number=LATE,
        ruleset_id=f"{game}.{'r' * 64}",
        ruleset_version="999999.999999.999999",
        ruleset_digest=bytes(32),
        layout=GAMES[game].layout(seats).sizes,
        currency="C" * 16,
        stake=LATE,
        seat_stakes=((LATE, LATE),) * seats if game == "ultimate_texas" else (),
        seat_keys=(NO_KEY,) * seats,
        previous_leaf=bytes([1]) * 32,
        deal_deadline=LATE,
        round_deadline=LATE,
    )


def event_of(choice, seen):
    """Make a received event of a seat with a key, at the latest time."""
    return InputEvent(msgspec.Raw(msgspec.json.encode(choice | {"seen": seen}, order="sorted")), 1, LATE)


def events_of(game):
    """As many of the longest events as a round of a game may have."""
    if game == "mau_binh":
        choice = {"back": [52] * 5, "front": [52] * 3, "kind": "ARRANGE", "middle": [52] * 5, "seat": 3}
        return [event_of(choice | {"nonce": "f" * 64}, MAU_BINH_EVENTS)] * MAU_BINH_EVENTS
    if game == "tien_len":  # no more cards are played than there are; every other event plays none
        plays = [event_of({"cards": [52], "kind": "PLAY", "seat": 3}, TIEN_LEN_EVENTS)] * 52
        return plays + [event_of({"kind": "LEAVE", "seat": 3}, TIEN_LEN_EVENTS)] * (TIEN_LEN_EVENTS - 52)
    return [event_of({"decision": "PLAY_4X", "kind": "DECIDE", "seat": 5}, 22)] * ULTIMATE_TEXAS_EVENTS


@pytest.mark.parametrize(
    ("game", "seats", "transfers"), [("mau_binh", 4, 24), ("tien_len", 4, 40), ("ultimate_texas", 6, 24)]
)
def test_the_largest_transcript_fits_its_leaf(game, seats, transfers):
    """Every event received and every seat with a key, every field as long as it can be."""
    header = header_of(game, seats)
    inputs = Inputs(
        header=header,
        deck_root="f" * 64,
        dealt_time=LATE,
        closed_time=LATE,
        sections=tuple((52,) * size for size in header.layout[:-1] or header.layout),
        events=tuple(events_of(game)),
        signatures=("f" * 128,) * seats,
        unsealed=(Unsealed(200, tuple(range(9)), LATE),) * 3,
        receipt=InputReceipt(200, "f" * 128, 9),
        leader=3,
        leader_by=LeaderBy.LOWEST_CARD,
        sealed=1,
    )
    seat = {"arrangement": [[52] * 5, [52] * 5, [52] * 3], "left": [52] * 13, "codes": ["C" * 24] * 8, "net": -LATE}
    found: dict[str, Any] = {
        "ending": "E" * 32,
        "events_hash": "f" * 64,
        "seats": [seat] * seats,
        "transfers": [LONGEST_TRANSFER] * transfers,
    }
    payload = write_transcript(header, inputs, found)
    assert len(payload) <= MAX_PAYLOAD_SIZE
    assert len(Envelope(MEDIA_TYPE, payload, bytes(64)).to_bytes()) <= MAX_ENVELOPE_SIZE
