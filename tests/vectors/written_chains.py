"""Chains of events, histories and receipts of a course, for ``written_rows.py``."""

from collections.abc import Sequence

from tests.vectors.dealing.dealing_derivation import NO_KEY, Row, canonical, number, tagged


def chain_of(course: Row, events: Sequence[bytes]) -> list[bytes]:
    """h_0 to h_n of events in the round, with the deck root, of a course."""
    hashes = [tagged("transcript", bytes.fromhex(course["round_id"]), bytes.fromhex(course["deck_root"]))]
    for k, event in enumerate(events, 1):
        hashes.append(tagged("event", hashes[-1], number(k, 4), event))
    return hashes


def histories(hashes: Sequence[bytes], entries: Sequence[Row]) -> list[bytes]:
    """r_0 to r_n of entries that have ``time`` and ``received``."""
    made = [hashes[0]]
    for hashed, entry in zip(hashes[1:], entries, strict=True):
        made.append(tagged("history", made[-1], hashed, number(entry["time"], 8), number(entry["received"], 1)))
    return made


def content(certificates: Sequence[bytes], receipt: bytes, signatures: Sequence[bytes], *, seats: int) -> bytes:
    """Hash what a round message says beside its header and events."""
    return tagged("content", number(len(certificates), 1), *certificates, receipt, *(signatures or [b""] * seats))


def seat_chains(hashes: Sequence[bytes], events: Sequence[Row], keys: Sequence[str]) -> list[list[bytes]]:
    """g_i,0 and on by seat."""
    chains = [[tagged("seat", hashes[0], number(seat, 1))] for seat in range(len(keys))]
    for event in events:
        seat = event["seat"]
        if keys[seat] != NO_KEY and "seen" in event:
            chains[seat].append(tagged("move", chains[seat][-1], hashes[event["seen"]], canonical(event)))
    return chains


def receipt_of(course: Row, newest: int, opens: int | None) -> Row:
    """Return the payload of the receipt of an event of a course."""
    hashes = chain_of(course, [canonical(entry["event"]) for entry in course["events"]])
    said: Row = {
        "event_hash": hashes[newest].hex(),
        "history": histories(hashes, course["events"])[newest].hex(),
        "number": newest,
        "received_time": course["events"][newest - 1]["time"],
        "round_id": course["round_id"],
    }
    return said if opens is None else said | {"opens_section": opens}
