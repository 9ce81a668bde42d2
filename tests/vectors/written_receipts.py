"""Writes the vectors of event receipts and of receipted events, for ``written_courses.py``."""

import json
from collections.abc import Iterator
from typing import Any

from tests.vectors import written_curve as curve
from tests.vectors.dealing.dealing_derivation import Row, tagged
from tests.vectors.written_chains import chain
from tests.vectors.written_rows import HAND, OTHER, PROTOCOL, SIGNER, compact, envelope, media_type, row

TIME = 1_800_000_006_000


def receipt_rows() -> Iterator[Row]:
    kind = media_type("event")
    said: dict[str, Any] = {
        "event_hash": "11" * 32,
        "history": "33" * 32,
        "number": 1,
        "received_time": TIME,
        "round_id": "22" * 32,
    }
    about = {"public_key": curve.public(SIGNER).hex()}
    for id_, more in {"plain": {}, "opens": {"opens_section": 2}, "opens_first": {"opens_section": 0}}.items():
        made = envelope(kind, compact(dict(sorted({**said, **more}.items()))).encode())
        yield row(
            id_, "the referee received an event", PROTOCOL, **about, receipt=compact(made), holds=True, **said, **more
        )
    bad: dict[str, tuple[str, Row]] = {
        "null": ("what is absent is left out", {"opens_section": None}),
        "extra": ("no other members", {"seat": 1}),
        "text": ("sections are numbers", {"opens_section": "2"}),
        "short": ("32 bytes", {"history": "33" * 31}),
    }
    payloads = {id_: (why, compact(dict(sorted({**said, **more}.items())))) for id_, (why, more) in bad.items()}
    payloads["order"] = ("members are sorted", compact(dict(reversed(said.items()))))
    for name in ("number", "history"):
        cut = {one: said[one] for one in sorted(said) if one != name}
        payloads[f"no_{name}"] = ("a member is missing", compact(cut))
    for id_, (why, payload) in payloads.items():
        yield row(id_, why, HAND, **about, receipt=compact(envelope(kind, payload.encode())), holds=False)
    honest_payload = compact(said).encode()
    other = envelope(media_type("certificate"), honest_payload)
    yield row("another_type", "signed as something else", HAND, **about, receipt=compact(other), holds=False)
    stranger = envelope(kind, honest_payload, OTHER)
    yield row("stranger", "signed by a stranger", HAND, **about, receipt=compact(stranger), holds=False)


EVENTS = [
    '{"cards":[1],"kind":"PLAY","seat":0}',
    '{"kind":"PASS","seat":1,"seen":1}',
    '{"kind":"PASS","seat":2}',
    '{"kind":"TIMEOUT","seat":1}',
    '{"cards":[9],"kind":"PLAY","seat":1,"seen":3}',
]
"""Events of a course in which seat 1 alone has a key."""
ROUND = bytes([2] * 32)
ROOT = bytes([4] * 32)
SEAT_KEY = b"the seed of seat 1, which signs.."[:32]


def receipted_event_rows() -> Iterator[Row]:
    about = {
        "public_key": curve.public(SIGNER).hex(),
        "round_id": ROUND.hex(),
        "deck_root": ROOT.hex(),
        "seat_keys": ["00" * 32, curve.public(SEAT_KEY).hex(), "00" * 32],
        "dealt_time": TIME,
        "closed_time": TIME + 100,
    }
    good = {
        "event_1": ("a seat without a key signs nothing", _kept(EVENTS[:1])),
        "event_2": ("the seat signs g of the event, from this round's h_0 on", _kept(EVENTS[:2])),
        "event_4": ("a timeout is in no seat's chain", _kept(EVENTS[:4])),
        "event_5": ("a seat's signature is over all its events", _kept(EVENTS)),
        "at_the_deal": ("the times of deal and settlement are between them", _kept(EVENTS[:2], time=TIME)),
        "at_the_end": ("the times of deal and settlement are between them", _kept(EVENTS[:2], time=TIME + 100)),
    }
    for id_, (why, made) in good.items():
        said = {"number": len(made["events"]), "event_hash": _hash(made["events"])}
        yield row(id_, why, PROTOCOL, **about, file=compact(made), is_file=True, holds=True, **said)
    made = _kept(EVENTS[:2])
    junk = [EVENTS[0], '{"kind":"PASS","seat":1}']
    bad = {
        "another_event": (
            "the receipt is of another event",
            made | {"events": [EVENTS[0], EVENTS[2]], "signature": ""},
        ),
        "another_number": ("the receipt is of another number", made | {"events": EVENTS[:3], "signature": ""}),
        "another_round": ("its events start from another round's h_0", _kept(EVENTS[:2], round_id=bytes([3] * 32))),
        "another_deck": ("its events start from another deal's h_0", _kept(EVENTS[:2], root=bytes([5] * 32))),
        "zeros": ("its receipt is of no events at all", made | {"receipt": _receipt("00" * 32, 2, TIME + 1)}),
        "no_receipt": ("what is beside the events is no receipt", made | {"receipt": "{}"}),
        "stranger": ("a stranger signed the receipt", _kept(EVENTS[:2], referee=OTHER)),
        "unsigned": ("the seat has a key and did not sign", made | {"signature": ""}),
        "signed_by_another": ("another key than the seat's signed", _kept(EVENTS[:2], seat_key=OTHER)),
        "signed_before": (
            "the signature is over the seat's event before",
            _kept(EVENTS) | {"signature": made["signature"]},
        ),
        "needless": ("a seat without a key has no signature", _kept(EVENTS[:1]) | {"signature": made["signature"]}),
        "timeout_signed": ("no seat signs a timeout", _kept(EVENTS[:4]) | {"signature": made["signature"]}),
        "no_seen": ("the seat has a key, and its event says nothing of what it had seen", _kept(junk)),
        "seen_later": ("what was seen comes before", _kept([EVENTS[0], EVENTS[1].replace(":1}", ":2}")])),
        "no_seat": ("the event is of no seat", _kept([EVENTS[0], '{"kind":"JUNK"}'])),
        "foreign_seat": ("the event is of a seat that the round does not have", _kept(['{"kind":"PASS","seat":3}'])),
        "not_canonical": ("an event before it is not canonical", _kept([EVENTS[0] + " ", EVENTS[1]])),
        "before_the_deal": ("it was received before the deal", _kept(EVENTS[:2], time=TIME - 1)),
        "in_1970": ("it was received before the deal", _kept(EVENTS[:2], time=1)),
        "after_the_end": ("it was received after the settlement", _kept(EVENTS[:2], time=TIME + 101)),
    }
    for id_, (why, more) in bad.items():
        yield row(id_, why, PROTOCOL, **about, file=compact(more), is_file=True, holds=False)
    files = {
        "extra": ("no other members", compact(made | {"seat": 2})),
        "no_events": ("there is an event", compact(made | {"events": []})),
        "object": (
            "events are texts, so that their bytes are certain",
            compact(made | {"events": [json.loads(EVENTS[0])]}),
        ),
        "short": ("64 bytes, or none", compact(made | {"signature": made["signature"][2:]})),
        "capitals": ("lowercase", compact(made | {"signature": "AA" * 64})),
        "order": ("members are sorted", compact(dict(reversed(made.items())))),
        "missing": ("a member is missing", compact({name: made[name] for name in ("events", "receipt")})),
    }
    for id_, (why, file) in files.items():
        yield row(id_, why, HAND, **about, file=file, is_file=False, holds=False)


def _kept(  # noqa: PLR0913 - what a forger may change
    events: list[str],
    *,
    time: int = TIME + 50,
    round_id: bytes = ROUND,
    root: bytes = ROOT,
    referee: bytes = SIGNER,
    seat_key: bytes = SEAT_KEY,
) -> Row:
    """Make the file of the last event; seat 1 signs it if it is that seat's and no timeout."""
    hashes = chain(round_id, root, [event.encode() for event in events])
    move, is_signed = tagged("seat", hashes[0], bytes([1])), False
    for event in events:
        members = json.loads(event)
        is_signed = members.get("seat") == 1 and "TIMEOUT" not in event
        if is_signed:
            seen = hashes[min(members.get("seen", 0), len(hashes) - 1)]
            move = tagged("move", move, seen, event.encode())
    return {
        "events": events,
        "receipt": _receipt(hashes[-1].hex(), len(events), time, round_id=round_id, referee=referee),
        "signature": curve.sign(seat_key, move).hex() if is_signed else "",
    }


def _receipt(event_hash: str, number: int, time: int, *, round_id: bytes = ROUND, referee: bytes = SIGNER) -> str:
    said = {
        "event_hash": event_hash,
        "history": "33" * 32,
        "number": number,
        "received_time": time,
        "round_id": round_id.hex(),
    }
    return compact(envelope(media_type("event"), compact(said).encode(), referee))


def _hash(events: list[str]) -> str:
    return chain(ROUND, ROOT, [event.encode() for event in events])[-1].hex()
