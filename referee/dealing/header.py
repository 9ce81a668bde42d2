"""A round's header: every term that is fixed before any card exists. Its hash is the round's id.

``round_id = TH("round", fields)`` over the sixteen fields in the order of ``Header``, encoded as

==================  ==================================================================================
field               bytes
==================  ==================================================================================
protocol            u8, 1
origin              ASCII, 1-255
randomness_suite    u8: 1 commitment, 250 fixture
table_id            ASCII, 1-64 of ``A-Z a-z 0-9 . _ -``: the frontend's name, not a hash
round_number        u64, from 1
ruleset_id          ASCII
ruleset_version     ASCII
ruleset_digest      32 bytes
layout              one u8 a section
currency            ASCII, 1-16
stake               u64
seat_stakes         u64 bet, u64 side bet, seat after seat; empty where seats do not bet on their own
seat_keys           32 bytes a seat, zeros for none; their number is the number of seats
previous_leaf       32 bytes, zeros for the table's first round
deal_deadline       u64, ms since 1970 UTC
round_deadline      u64, ms since 1970 UTC
==================  ==================================================================================

A header that breaks the protocol has no id. Whether layout and stakes fit the ruleset is not checked here.

>>> header = Header(
...     protocol=1, origin="log.example/1", randomness_suite=1, table_id="t-1", round_number=1,
...     ruleset_id="mau_binh.classic", ruleset_version="1.0.0", ruleset_digest_hex="00" * 32, layout=(13, 13, 26),
...     currency="VND", stake=1000, seat_stakes=(), seat_keys_hex=("00" * 32,) * 2, previous_leaf_hex="00" * 32,
...     deal_deadline=1_800_000_000_000, round_deadline=1_800_000_900_000,
... )
>>> header.round_id.hex()[:16]
'0963b86e62023e17'
"""

import re
from functools import cached_property
from typing import Final, NoReturn, Self

import msgspec

from referee.evidence.canonical import CanonicalError, check_hex
from referee.evidence.ed25519 import PublicKeyError, check_public_key
from referee.evidence.encoding import ascii_field, tagged_hash, u8, u64

PROTOCOL: Final = 1
SUITE_COMMITMENT: Final = 1
SUITE_FIXTURE: Final = 250
SUITES: Final = (SUITE_COMMITMENT, SUITE_FIXTURE)
NO_KEY: Final = bytes(32)
NO_LEAF: Final = bytes(32)
MAX_SEATS: Final = 6
MAX_INTEGER: Final = 2**53 - 1
DECK_SIZE: Final = 52

TABLE_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
RULESET_ID: Final = re.compile(r"[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}")
VERSION: Final = re.compile(r"[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}")
_ORIGIN: Final = re.compile(r"[!-*,-~]{1,255}")
_CURRENCY: Final = re.compile(r"[!-~]{1,16}")
_HASH_SIZE: Final = 32


class HeaderError(ValueError):
    """A header that breaks the protocol; ``field`` is the name of the field at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    def __reduce__(self) -> tuple[type["HeaderError"], tuple[str, str]]:
        return type(self), (self.field, str(self))


class Header(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """The terms of a round, in the order they are hashed; the module's docstring gives each field's bytes.

    An OPEN leaf and a transcript have it as this record: hashes and keys are lowercase hex, under the table's names.
    """

    protocol: int
    origin: str
    randomness_suite: int
    table_id: str
    round_number: int
    ruleset_id: str
    ruleset_version: str
    ruleset_digest_hex: str = msgspec.field(name="ruleset_digest")
    layout: tuple[int, ...]
    currency: str
    stake: int
    seat_stakes: tuple[tuple[int, int], ...]
    seat_keys_hex: tuple[str, ...] = msgspec.field(name="seat_keys")
    previous_leaf_hex: str = msgspec.field(name="previous_leaf")
    deal_deadline: int
    round_deadline: int

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return len(self.seat_keys_hex)

    @cached_property
    def ruleset_digest(self) -> bytes:
        """SHA-256 of the ruleset's file; this and the next two raise ValueError if their text is not hexadecimal."""
        return bytes.fromhex(self.ruleset_digest_hex)

    @cached_property
    def seat_keys(self) -> tuple[bytes, ...]:
        """Public key of each seat, ``NO_KEY`` for a seat without one."""
        return tuple([bytes.fromhex(key) for key in self.seat_keys_hex])

    @cached_property
    def previous_leaf(self) -> bytes:
        """Hash of the leaf that ended the table's round before, ``NO_LEAF`` for the first round."""
        return bytes.fromhex(self.previous_leaf_hex)

    @cached_property
    def round_id(self) -> bytes:
        """Hash of the header, 32 bytes; HeaderError if the header breaks the protocol."""
        self.validate()
        return tagged_hash(
            "round",
            u8(self.protocol),
            ascii_field(self.origin),
            u8(self.randomness_suite),
            ascii_field(self.table_id),
            u64(self.round_number),
            ascii_field(self.ruleset_id),
            ascii_field(self.ruleset_version),
            self.ruleset_digest,
            bytes(self.layout),
            ascii_field(self.currency),
            u64(self.stake),
            b"".join([u64(bet) + u64(side_bet) for bet, side_bet in self.seat_stakes]),
            b"".join(self.seat_keys),
            self.previous_leaf,
            u64(self.deal_deadline),
            u64(self.round_deadline),
        )

    def checked(self) -> Self:
        """Return this header, which was read from a record, if it keeps the protocol.

        Raise HeaderError otherwise, and for a hash or key that is not the lowercase hex of 32 bytes.
        """
        try:
            check_hex((self.ruleset_digest_hex, *self.seat_keys_hex, self.previous_leaf_hex))
        except CanonicalError as error:
            _refuse("header", str(error))
        _ = self.round_id  # computed once; raises where the header breaks the protocol
        return self

    def validate(self) -> None:
        """Raise HeaderError, naming the first field that breaks the protocol."""
        self._validate_slot()
        self._validate_number()
        self._validate_ruleset()
        self._validate_seats()
        self._validate_order()

    def _validate_order(self) -> None:
        if len(self.previous_leaf) != _HASH_SIZE:
            _refuse("previous_leaf", "a leaf hash has 32 bytes")
        if (self.round_number == 1) != (self.previous_leaf == NO_LEAF):
            _refuse("previous_leaf", "it is 32 zero bytes for round 1 and for no other round")
        if not 0 < self.deal_deadline <= MAX_INTEGER:
            _refuse("deal_deadline", "a time is 1 to 2^53-1 ms since 1970 UTC")
        if not self.deal_deadline <= self.round_deadline <= MAX_INTEGER:
            _refuse("round_deadline", "the round's deadline lies before the deal's, or beyond 2^53-1")

    def _validate_slot(self) -> None:
        if self.protocol != PROTOCOL:
            _refuse("protocol", f"the protocol is {PROTOCOL}, not {self.protocol}")
        _check_text(_ORIGIN, self.origin, "origin")
        if self.randomness_suite not in SUITES:
            _refuse("randomness_suite", f"no suite has number {self.randomness_suite}")
        _check_text(TABLE_ID, self.table_id, "table_id")

    def _validate_number(self) -> None:
        if not 1 <= self.round_number <= MAX_INTEGER:
            _refuse("round_number", "rounds are numbered from 1 to 2^53-1")

    def _validate_ruleset(self) -> None:
        _check_text(RULESET_ID, self.ruleset_id, "ruleset_id")
        _check_text(VERSION, self.ruleset_version, "ruleset_version")
        if len(self.ruleset_digest) != _HASH_SIZE:
            _refuse("ruleset_digest", "a digest has 32 bytes")
        if sum(self.layout) != DECK_SIZE or not 0 < min(self.layout) <= max(self.layout) <= DECK_SIZE:
            _refuse("layout", f"the sections hold 52 cards and none is empty; these hold {sum(self.layout)}")
        _check_text(_CURRENCY, self.currency, "currency")
        if not 1 <= self.stake <= MAX_INTEGER:
            _refuse("stake", f"a stake is 1 to 2^53-1 minor units, not {self.stake}")

    def _validate_seats(self) -> None:
        if not 1 <= self.seat_count <= MAX_SEATS:
            _refuse("seat_keys", f"a round has 1 to {MAX_SEATS} seats, not {self.seat_count}")
        for seat, key in enumerate(self.seat_keys):
            try:
                if key != NO_KEY:
                    check_public_key(key)
            except PublicKeyError as error:
                _refuse(f"seat_keys[{seat}]", str(error))
        if len(self.seat_stakes) not in (0, self.seat_count):
            _refuse("seat_stakes", f"{self.seat_count} seats have {len(self.seat_stakes)} stakes")
        for seat, (bet, side_bet) in enumerate(self.seat_stakes):
            if not (1 <= bet <= MAX_INTEGER and 0 <= side_bet <= MAX_INTEGER):
                _refuse(f"seat_stakes[{seat}]", "a bet is 1 to 2^53-1 minor units, a side bet 0 to 2^53-1")


def is_past(deadline: int, *, time: int) -> bool:
    """Return whether a time is after a deadline.

    >>> is_past(1_000, time=1_000), is_past(1_000, time=1_001)
    (False, True)
    """
    return time > deadline


def _check_text(pattern: re.Pattern[str], text: str, field: str) -> None:
    if pattern.fullmatch(text) is None:
        _refuse(field, f"{text[:80]!r} is no {field}; it must match {pattern.pattern}")


def _refuse(field: str, message: str) -> NoReturn:
    raise HeaderError(field, message) from None


def tenant_of(table_id: str) -> str:
    """Return the tenant of a table: its id before the first dot.

    >>> tenant_of("club.felt.7"), tenant_of("felt")
    ('club', 'felt')
    """
    return table_id.partition(".")[0]
