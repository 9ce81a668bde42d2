"""Writes the vectors of transcripts: events, chains, receipts and whole courses. Run as a script, it writes each file.

Answers are computed by ``written_chains.py`` and ``written_curve.py``; nothing is taken from the package.
"""

import copy
import json
from collections.abc import Callable, Iterator

from tests.vectors import written_curve as curve
from tests.vectors import written_receipts as receipts
from tests.vectors.dealing.dealing_derivation import NO_KEY as ZEROS
from tests.vectors.dealing.dealing_derivation import Row, canonical, pae, round_id
from tests.vectors.written_chains import chain, content, course_hashes, histories, receipt_of, seat_chains
from tests.vectors.written_rows import FOLDER, HAND, PROTOCOL, SIGNER, media_type, read, row, text

SEAT_SEEDS = [b"the seed of a seat's key, no. %d.." % seat for seat in range(4)]
KEYS = [curve.public(seed).hex() for seed in SEAT_SEEDS]
TIME = 1_800_000_006_000
DECISIONS = ("CHECK", "PLAY_1X", "PLAY_2X", "PLAY_3X", "PLAY_4X", "FOLD", "LEAVE", "TIMEOUT")


GOOD_EVENTS = {
    "mau_binh": {
        "arrange": '{"back":[1,2,3,4,5],"front":[11,12,13],"kind":"ARRANGE","middle":[6,7,8,9,10],"seat":0}',
        "leave": '{"kind":"LEAVE","seat":3}',
        "leave-seen": '{"kind":"LEAVE","seat":3,"seen":0}',
        "commit-seen": '{"commitment":"' + ZEROS + '","kind":"COMMIT","seat":1,"seen":0}',
        "commit": '{"commitment":"' + ZEROS + '","kind":"COMMIT","seat":1}',
        "timeout": '{"kind":"TIMEOUT","seat":1}',
        "open": '{"back":[1,2,3,4,5],"front":[11,12,13],"kind":"ARRANGE","middle":[6,7,8,9,10],"nonce":"'
        + ZEROS
        + '","seat":0}',
    },
    "tien_len": {
        "play": '{"cards":[5,6],"kind":"PLAY","seat":0}',
        "pass": '{"kind":"PASS","seat":1}',
        "play-seen": '{"cards":[5,6],"kind":"PLAY","seat":0,"seen":0}',
        "pass-seen": '{"kind":"PASS","seat":1,"seen":199}',
        "leave": '{"kind":"LEAVE","seat":2}',
        "timeout": '{"kind":"TIMEOUT","seat":3}',
    },
    "ultimate_texas": {
        f"decide-{code.lower()}": '{"decision":"' + code + '","kind":"DECIDE","seat":0}' for code in DECISIONS
    }
    | {"decide-seen": '{"decision":"CHECK","kind":"DECIDE","seat":0,"seen":3}'},
}
BAD_EVENTS: dict[str, dict[str, tuple[str, str]]] = {
    "mau_binh": {
        "no-kind": ("it has a kind", '{"seat":3}'),
        "order": ("members are sorted", '{"seat":3,"kind":"LEAVE"}'),
        "space": ("no white space", '{"kind":"LEAVE", "seat":3}'),
        "extra": ("no other members", '{"kind":"LEAVE","seat":3,"time":1}'),
        "card-53": ("no such card", '{"back":[53,2,3,4,5],"front":[],"kind":"ARRANGE","middle":[],"seat":0}'),
        "short-nonce": ("32 bytes", '{"back":[],"front":[],"kind":"ARRANGE","middle":[],"nonce":"00","seat":0}'),
        "short-commitment": ("32 bytes", '{"commitment":"00","kind":"COMMIT","seat":1}'),
        "capital-commitment": ("lowercase", '{"commitment":"' + "AA" * 32 + '","kind":"COMMIT","seat":1}'),
        "another-game": ("an event of another game", '{"kind":"PASS","seat":1}'),
        "timeout-seen": ("others report it, so nobody has seen", '{"kind":"TIMEOUT","seat":1,"seen":0}'),
    },
    "tien_len": {
        "card-0": ("no such card", '{"cards":[0],"kind":"PLAY","seat":0}'),
        "card-true": ("true is no card", '{"cards":[true],"kind":"PLAY","seat":0}'),
        "pass-with-cards": ("a pass has no cards", '{"cards":[5],"kind":"PASS","seat":0}'),
        "no-seat": ("it has a seat", '{"kind":"PASS"}'),
        "negative-seen": ("0 is the deal", '{"kind":"PASS","seat":1,"seen":-1}'),
        "text-seen": ("it is a number", '{"kind":"PASS","seat":1,"seen":"0"}'),
        "timeout-seen": ("others report it, so nobody has seen", '{"kind":"TIMEOUT","seat":1,"seen":0}'),
        "twice": ("no member twice", '{"kind":"PASS","kind":"PASS","seat":1}'),
    },
    "ultimate_texas": {
        "play-5x": ("no such decision", '{"decision":"PLAY_5X","kind":"DECIDE","seat":0}'),
        "lowercase": ("codes are capitals", '{"decision":"check","kind":"DECIDE","seat":0}'),
        "no-decision": ("it has a decision", '{"kind":"DECIDE","seat":0}'),
        "timeout-seen": ("others report it", '{"decision":"TIMEOUT","kind":"DECIDE","seat":0,"seen":0}'),
        "null": ("null is nothing", '{"decision":"CHECK","kind":"DECIDE","seat":null}'),
    },
}


def event_rows() -> Iterator[Row]:
    for game, events in GOOD_EVENTS.items():
        for id_, event in events.items():
            yield row(f"{game}.{id_}", "its bytes", HAND, game=game, event=event, is_event=True)
    for game, refused in BAD_EVENTS.items():
        for id_, (why, event) in refused.items():
            yield row(f"{game}.refused.{id_}", why, HAND, game=game, event=event, is_event=False)


def _deal(id_: str) -> tuple[str, str]:
    deal = next(one for one in read("dealing/deals") if one["id"] == id_)
    return round_id(deal["header"]).hex(), deal["deck_root"]


def _entry(event: str, time: int, received: int) -> Row:
    return {"event": json.loads(event), "received": received, "time": TIME + time}


PLAY, PASS = GOOD_EVENTS["tien_len"]["play"], GOOD_EVENTS["tien_len"]["pass"]
LAPSED = '{"kind":"TIMEOUT","seat":2}'


def chain_rows() -> Iterator[Row]:
    rid, root = _deal("tien_len_four")
    one, two = _entry(PLAY, 0, 1), _entry(PASS, 900, 0)
    chains: dict[str, tuple[str, list[Row]]] = {
        "empty": ("a round without events has h_0 and r_0, which are one", []),
        "one": ("one event", [one]),
        "two": ("two events", [one, two]),
        "other-order": ("the same events in another order hash otherwise", [two, one]),
        "twice": ("one event twice", [one, one]),
        "other-time": ("another time: another history of the same events", [one, two | {"time": TIME + 901}]),
        "other-flag": ("another clock gave the time: another history", [one, two | {"received": 1}]),
        "latest": ("a time of eight bytes", [one | {"time": 2**53 - 1}]),
    }
    for id_, (why, entries) in chains.items():
        made = chain(bytes.fromhex(rid), bytes.fromhex(root), [canonical(entry["event"]) for entry in entries])
        members = {"round_id": rid, "deck_root": root, "events": entries, "hashes": [one.hex() for one in made]}
        yield row(id_, why, PROTOCOL, **members, histories=[one.hex() for one in histories(made, entries)])


def content_rows() -> Iterator[Row]:
    whole = next(one["certificate"] for one in read("dealing/certificates") if not one["fault"]).encode()
    one, two, receipt, signature = b"certificate one", b"certificate two", b"a receipt", bytes(range(64))
    by_seat = [b"", signature]
    contents: dict[str, tuple[str, list[bytes], bytes, list[bytes]]] = {
        "dealt": ("before the first event: a certificate, no receipt, no signature", [whole], b"", []),
        "signatures-empty": ("a list that is left out is one empty signature a seat", [whole], b"", [b"", b""]),
        "other-certificate": ("another certificate is other content", [one], b"", []),
        "two": ("certificates as they are sent", [one, two], b"", []),
        "other-order": ("the same certificates in another order are other content", [two, one], b"", []),
        "joined": ("certificates are counted, each with its length", [one + two], b"", []),
        "receipt": ("the newest receipt follows the certificates", [one], receipt, []),
        "receipt-as-certificate": ("their number says where the certificates end", [one, receipt], b"", []),
        "signature": ("the newest signature of seat 1", [one], receipt, by_seat),
        "other-seat": ("the same bytes as the signature of seat 0", [one], receipt, by_seat[::-1]),
        "no-certificate": ("a message without certificates has content too", [], b"", []),
    }
    for id_, (why, certificates, newest, signatures) in contents.items():
        yield row(
            id_,
            why,
            PROTOCOL,
            seats=2,
            certificates=[data.hex() for data in certificates],
            receipt=newest.hex(),
            signatures=[data.hex() for data in signatures],
            content=content(certificates, newest, signatures, seats=2).hex(),
        )


def seat_chain_rows() -> Iterator[Row]:
    rid, root = _deal("tien_len_four")
    keys = [KEYS[0], ZEROS, KEYS[2], KEYS[3]]
    play, seen = '{"cards":[5,6],"kind":"PLAY","seat":0,"seen":0}', '{"kind":"PASS","seat":2,"seen":%d}'
    again = '{"kind":"PASS","seat":0,"seen":3}'
    chains: dict[str, tuple[str, list[str]]] = {
        "empty": ("a seat that has not moved has g_i,0 alone, and signs nothing", []),
        "one": ("what seat 0 saw is the deal", [play]),
        "others": ("events of other seats are in a chain by what its seat had seen alone", [play, PASS, seen % 2]),
        "late": ("the same event, signed before its player had seen the one before it", [play, PASS, seen % 1]),
        "timeout": ("TIMEOUT is in no chain", [play, PASS, LAPSED]),
        "second": ("its second event continues its first", [play, PASS, seen % 2, again]),
    }
    for id_, (why, texts) in chains.items():
        events = [json.loads(one) for one in texts]
        hashes = chain(bytes.fromhex(rid), bytes.fromhex(root), [canonical(event) for event in events])
        made = seat_chains(hashes, events, keys)
        yield row(
            id_,
            why,
            PROTOCOL,
            round_id=rid,
            deck_root=root,
            seat_keys=keys,
            events=events,
            chains=[[one.hex() for one in links] for links in made],
            signatures=_signatures(made),
        )


def _signatures(chains: list[list[bytes]]) -> list[str]:
    return ["" if len(one) == 1 else curve.sign(SEAT_SEEDS[seat], one[-1]).hex() for seat, one in enumerate(chains)]


def refused_seat_chain_rows() -> Iterator[Row]:
    rid, root = _deal("tien_len_four")
    keys = [KEYS[0], ZEROS, KEYS[2], KEYS[3]]
    refused: dict[str, tuple[str, list[str]]] = {
        "no-seen": ("an event of a seat with a key says what was seen", [PLAY]),
        "own-number": ("it was seen before it was made", ['{"cards":[5,6],"kind":"PLAY","seat":0,"seen":1}']),
        "no-key": ("a seat without a key has no chain", [PLAY.replace('"seat":0', '"seat":1,"seen":0')]),
        "timeout": ("nobody had seen anything", ['{"kind":"TIMEOUT","seat":2,"seen":0}']),
    }
    for id_, (why, texts) in refused.items():
        events = [json.loads(one) for one in texts]
        yield row(id_, why, HAND, round_id=rid, deck_root=root, seat_keys=keys, events=events)


def _honest_course() -> Row:
    """Make a course of three seats, of which 0 and 2 have keys, with the newest receipt at event 4 of 5."""
    rid, root = _deal("tien_len_three")
    keys = [KEYS[0], ZEROS, KEYS[2]]
    entries = [
        _entry('{"cards":[5,6],"kind":"PLAY","seat":0,"seen":0}', 0, 1),
        _entry('{"cards":[9,10],"kind":"PLAY","seat":1}', 800, 1),
        _entry('{"kind":"TIMEOUT","seat":2}', 31_000, 1),
        _entry('{"kind":"PASS","seat":0,"seen":3}', 32_000, 1),
        _entry('{"cards":[13],"kind":"PLAY","seat":1}', 33_000, 0),
    ]
    return _signed({"round_id": rid, "deck_root": root, "seat_keys": keys, "events": entries})


def _signed(course: Row, newest: int = 4, opens: int | None = None) -> Row:
    """Sign a course as referee and seats would."""
    hashes = course_hashes(course)
    events = [entry["event"] for entry in course["events"]]
    course["events_hash"] = hashes[-1].hex()
    course["signatures"] = _signatures(seat_chains(hashes, events, course["seat_keys"]))
    if newest:
        message = pae(media_type("event"), canonical(receipt_of(course, newest, opens)))
        receipt = {"number": newest, "signature": curve.sign(SIGNER, message).hex()}
        course["receipt"] = receipt if opens is None else receipt | {"opens_section": opens}
    return course | {"public_key": curve.public(SIGNER).hex()}


def _put(place: int, **members: object) -> Callable[[Row], None]:
    return lambda course: course["events"][place].update(members)


def _edit(place: int, **members: object) -> Callable[[Row], None]:
    return lambda course: course["events"][place]["event"].update(members)


def _drop(*names: str) -> Callable[[Row], None]:
    def change(course: Row) -> None:
        for name in names:
            del course[name]

    return change


def _sign(seat: int, signature: str) -> Callable[[Row], None]:
    return lambda course: course["signatures"].__setitem__(seat, signature)


def _of_another_seat(course: Row) -> None:
    course["signatures"][2] = course["signatures"][0]


def _receipt(**members: object) -> Callable[[Row], None]:
    return lambda course: course["receipt"].update(members)


def _older_receipt(course: Row) -> None:
    course["receipt"] = _signed(copy.deepcopy(course), 3)["receipt"]


def _older_signature(course: Row) -> None:
    first = _signed({**copy.deepcopy(course), "events": copy.deepcopy(course["events"][:1])}, 1)
    course["signatures"][0] = first["signatures"][0]


def _swap(course: Row) -> None:
    course["events"][0], course["events"][1] = course["events"][1], course["events"][0]


def _rehash(course: Row) -> None:
    """Change a keyed seat's card and find the result from that."""
    course["events"][0]["event"]["cards"] = [5, 7]
    hashes = course_hashes(course)
    course["events_hash"] = hashes[-1].hex()


ALTERED: dict[str, tuple[str, str, Callable[[Row], None]]] = {
    "time": ("HISTORY_ALTERED", "a time below the newest receipt", _put(1, time=TIME + 801)),
    "flag": ("HISTORY_ALTERED", "a flag below the newest receipt", _put(1, received=0)),
    "last_flag": ("HISTORY_ALTERED", "a received event above the newest receipt", _put(4, received=1)),
    "receipt_flag": ("HISTORY_ALTERED", "the newest receipt is of a reported event", _put(3, received=0)),
    "receipt_missing": ("HISTORY_ALTERED", "received events without a receipt", _drop("receipt")),
    "receipt_older": ("HISTORY_ALTERED", "a receipt of an event before the last received", _older_receipt),
    "receipt_opens": ("HISTORY_ALTERED", "it opened no section", _receipt(opens_section=1)),
    "receipt_forged": ("HISTORY_ALTERED", "the referee did not sign it", _receipt(signature="00" * 64)),
    "receipt_beyond": ("EVENTS_ALTERED", "a receipt of an event that is not there", _receipt(number=6)),
    "event": ("EVENTS_ALTERED", "an event below the receipt", _edit(1, cards=[9, 11])),
    "order": ("EVENTS_ALTERED", "two events changed places", _swap),
    "dropped": ("EVENTS_ALTERED", "an event is missing", lambda course: course["events"].pop(2)),
    "rehashed": ("HISTORY_ALTERED", "another event, and the result found from it", _rehash),
    "unsigned": ("EVENT_UNSIGNED", "a seat with a key has not signed", _sign(0, "")),
    "signature_older": ("EVENT_UNSIGNED", "its newest signature covers its first event alone", _older_signature),
    "signature_forged": ("EVENT_UNSIGNED", "another's signature", _sign(0, "00" * 64)),
    "signature_without_key": ("EVENT_UNSIGNED", "a seat without a key signs nothing", _sign(1, "00" * 64)),
    "signature_idle": ("EVENT_UNSIGNED", "a seat that has not moved signs nothing", _of_another_seat),
    "signatures_few": ("EVENT_UNSIGNED", "a place for each seat", lambda course: course["signatures"].pop()),
}  # fmt: skip


def course_rows() -> Iterator[Row]:
    yield row("honest", "all that was received is under the newest receipt", PROTOCOL, **_honest_course(),
              fault="", level="E0")  # fmt: skip
    reported = _honest_course()
    reported["events"] = [entry | {"received": 0} for entry in reported["events"]]
    del reported["receipt"]
    yield row("reported", "nothing was received, so there is no receipt", PROTOCOL, **_signed(reported, 0),
              fault="", level="E0")  # fmt: skip
    received = _honest_course()
    received["events"].pop()
    yield row("received", "a seat without a key is the referee's word", PROTOCOL, **_signed(received), fault="",
              level="E1")  # fmt: skip
    signed = _honest_course()
    signed["events"] = [signed["events"][0], signed["events"][2]]
    yield row("signed", "a TIMEOUT of a seat with a key is received", PROTOCOL, **_signed(signed, 2), fault="",
              level="E2")  # fmt: skip
    opening = _honest_course()
    yield row("opening", "the newest receipt opened a section", PROTOCOL, **_signed(opening, 4, 2), fault="",
              level="E0")  # fmt: skip
    nothing = _honest_course() | {"events": []}
    del nothing["receipt"]
    yield row("empty", "no event", PROTOCOL, **_signed(nothing, 0), fault="", level="NONE")
    for id_, (fault, why, change) in ALTERED.items():
        course = _honest_course()
        change(course)
        yield row(f"altered.{id_}", why, PROTOCOL, **course, fault=fault)
    unseen = _honest_course()
    del unseen["events"][3]["event"]["seen"]
    made = _unchained(unseen)
    yield row("altered.unseen", "what a seat with a key had seen is missing", PROTOCOL, **made, fault="EVENT_UNSIGNED")


def _unchained(course: Row) -> Row:
    """Sign the receipt of a course of which no chain of a seat can be made."""
    hashes = course_hashes(course)
    message = pae(media_type("event"), canonical(receipt_of(course, 4, None)))
    course["receipt"]["signature"] = curve.sign(SIGNER, message).hex()
    return course | {"events_hash": hashes[-1].hex()}


TOPICS = {
    "transcript/events": event_rows,
    "transcript/chains": chain_rows,
    "transcript/contents": content_rows,
    "transcript/seat_chains": seat_chain_rows,
    "transcript/refused_seat_chains": refused_seat_chain_rows,
    "transcript/courses": course_rows,
    "transcript/receipts": receipts.receipt_rows,
    "transcript/receipted_events": receipts.receipted_event_rows,
}
"""What writes each file."""


if __name__ == "__main__":
    for name, made in TOPICS.items():
        path = FOLDER / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(made()), encoding="ascii")
