"""The statement that a seat signs to list the rounds of its own key.

``TH("list-rounds", origin, seat_key, u64 start_time, u64 end_time, u64 signed_time)``, times in ms since 1970 UTC and 0
for none. It names the log, so that another one cannot use it.
"""

from typing import Final

from referee.evidence.encoding import ascii_field, tagged_hash, u64

LONGEST_AGE_MS: Final = 60_000
"""Difference of ``signed_time`` from the server's clock that is allowed."""


def listing_statement(*, origin: str, seat_key: bytes, start_time: int, end_time: int, signed_time: int) -> bytes:
    """Return the bytes that a seat signs to list its rounds that were opened in a period."""
    return tagged_hash("list-rounds", ascii_field(origin), seat_key, u64(start_time), u64(end_time), u64(signed_time))
