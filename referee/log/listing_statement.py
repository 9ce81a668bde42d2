"""The statement that a seat signs to list the rounds of its own key.

It is ``TH("list-rounds", origin, seat_key, u64 start_time, u64 end_time, u64 signed_time)``. Times are in ms since 1970
UTC, 0 for an absent one. The statement has the log's origin, so that it is of no use in another log.
"""

from typing import Final

from referee.evidence.encoding import ascii_field, tagged_hash, u64

LONGEST_AGE_MS: Final = 60_000
"""Largest difference of ``signed_time`` from the server's clock, in either direction, at which a list is returned."""


def listing_statement(*, origin: str, seat_key: bytes, start_time: int, end_time: int, signed_time: int) -> bytes:
    """Return the bytes that a seat signs to list its rounds that were opened in a period."""
    return tagged_hash("list-rounds", ascii_field(origin), seat_key, u64(start_time), u64(end_time), u64(signed_time))
