"""Writes the vectors of event receipts and of receipted events, for ``written_courses.py``."""

import json
from collections.abc import Iterator
from typing import Any

from tests.vectors import written_curve as curve
from tests.vectors.dealing.dealing_derivation import Row
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


def receipted_event_rows() -> Iterator[Row]:
    rid, root = bytes([2] * 32), bytes([4] * 32)
    events = [
        b'{"cards":[1],"kind":"PLAY","seat":0}',
        b'{"kind":"PASS","seat":1,"seen":1}',
        b'{"kind":"PASS","seat":2}',
    ]
    hashes = chain(rid, root, events)
    about = {"public_key": curve.public(SIGNER).hex()}
    for number, event in enumerate(events, 1):
        said = {
            "event_hash": hashes[number].hex(),
            "history": "33" * 32,
            "number": number,
            "received_time": TIME + number,
            "round_id": rid.hex(),
        }
        receipt = compact(envelope(media_type("event"), compact(said).encode()))
        made = {"event": event.decode(), "previous_hash": hashes[number - 1].hex(), "receipt": receipt}
        known = {"number": number, "event_hash": said["event_hash"]}
        why = "the hash before, the number and the event give the hash that the receipt signs"
        yield row(f"event_{number}", why, HAND, **about, file=compact(made), is_file=True, holds=True, **known)
    bad: dict[str, tuple[str, Row]] = {
        "another_event": ("the receipt is of another event", {"event": events[0].decode()}),
        "another_course": ("the receipt is of another course", {"previous_hash": hashes[0].hex()}),
        "no_receipt": ("what is beside the event is no receipt", {"receipt": "{}"}),
    }
    for id_, (why, more) in bad.items():
        yield row(id_, why, HAND, **about, file=compact(made | more), is_file=True, holds=False)
    files = {
        "extra": ("no other members", compact(made | {"seat": 2})),
        "short": ("32 bytes", compact(made | {"previous_hash": "00" * 31})),
        "object": (
            "the event is text, so that its bytes are certain",
            compact(made | {"event": json.loads(events[2])}),
        ),
        "order": ("members are sorted", compact(dict(reversed(made.items())))),
        "missing": ("a member is missing", compact({name: made[name] for name in ("event", "receipt")})),
    }
    for id_, (why, file) in files.items():
        yield row(id_, why, HAND, **about, file=file, is_file=False, holds=False)
