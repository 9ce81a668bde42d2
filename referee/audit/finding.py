"""A finding: one thing in a log that does not hold, by a stable code, with the place and the facts that show it.

The law: a code never changes its meaning. ``number`` is its place in the list of what an audit must catch; several
codes may share one. A FAIL is a broken promise; a NOTE says only that less is proved than could be. Words for people
stand in ``explanation``.

It refuses to know how a fault was found.

>>> fault = Finding.of(Code.ROOT_MISMATCH, "the leaves hash to another root")
>>> fault.number, fault.severity.value
(42, 'FAIL')
"""

import enum
from types import MappingProxyType
from typing import Final, Self

import msgspec

MAX_DETAIL: Final = 600
"""Characters of a detail; what a log's author wrote into it cannot flood a report."""


class Severity(enum.StrEnum):
    """How much a finding weighs."""

    FAIL = "FAIL"
    """Somebody broke a promise, or the evidence was tampered with."""
    NOTE = "NOTE"
    """Nothing is broken, but less is proved."""


class Code(enum.StrEnum):
    """Everything that can be found; ``explanation`` says what each means and what to do."""

    CHECKPOINT_REFUSED = "CHECKPOINT_REFUSED"
    WRONG_ORIGIN = "WRONG_ORIGIN"
    LOG_KEY_UNREGISTERED = "LOG_KEY_UNREGISTERED"
    ROOT_MISMATCH = "ROOT_MISMATCH"
    LOG_TRUNCATED = "LOG_TRUNCATED"
    HISTORY_REWRITTEN = "HISTORY_REWRITTEN"
    SPLIT_VIEW = "SPLIT_VIEW"
    LOG_RECEIPT_REFUSED = "LOG_RECEIPT_REFUSED"
    PROMISED_LEAF_ABSENT = "PROMISED_LEAF_ABSENT"
    TILE_MISMATCH = "TILE_MISMATCH"
    COSIGNATURE_REFUSED = "COSIGNATURE_REFUSED"
    QUORUM_UNMET = "QUORUM_UNMET"
    WITNESS_DOUBLED = "WITNESS_DOUBLED"
    HEAD_FROZEN = "HEAD_FROZEN"

    LEAF_TOO_LONG = "LEAF_TOO_LONG"
    NOT_CANONICAL = "NOT_CANONICAL"
    TYPE_CONFUSION = "TYPE_CONFUSION"
    SIGNATURE_MALFORMED = "SIGNATURE_MALFORMED"
    SIGNATURE_FORGED = "SIGNATURE_FORGED"
    WRONG_ROLE = "WRONG_ROLE"
    KEY_NOT_VALID = "KEY_NOT_VALID"
    KEY_REUSED = "KEY_REUSED"
    UNSOUND_KEY = "UNSOUND_KEY"

    DEAL_BEFORE_OPEN = "DEAL_BEFORE_OPEN"
    OPENED_TWICE = "OPENED_TWICE"
    DEALT_TWICE = "DEALT_TWICE"
    NEXT_ROUND_EARLY = "NEXT_ROUND_EARLY"
    WRONG_PREVIOUS_LEAF = "WRONG_PREVIOUS_LEAF"
    SETTLED_UNDEALT = "SETTLED_UNDEALT"
    ENDED_TWICE = "ENDED_TWICE"
    LEAF_OF_NO_ROUND = "LEAF_OF_NO_ROUND"
    ABORT_MISTOLD = "ABORT_MISTOLD"
    REVEALED_EARLY = "REVEALED_EARLY"
    NEVER_REVEALED = "NEVER_REVEALED"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    DEALT_LATE = "DEALT_LATE"
    SETTLED_LATE = "SETTLED_LATE"

    HEADER_REFUSED = "HEADER_REFUSED"
    ROUND_ID_MISMATCH = "ROUND_ID_MISMATCH"
    WRONG_RULESET = "WRONG_RULESET"
    CLIENT_SEED_MISMATCH = "CLIENT_SEED_MISMATCH"
    FOREIGN_COMMITMENT = "FOREIGN_COMMITMENT"
    CLIENT_SEED_TRIVIAL = "CLIENT_SEED_TRIVIAL"
    CLIENT_SEEDS_EQUAL = "CLIENT_SEEDS_EQUAL"
    CLIENT_SEED_REPEATED = "CLIENT_SEED_REPEATED"
    CLIENT_SEED_UNSIGNED = "CLIENT_SEED_UNSIGNED"
    SEED_SIGNATURE_FORGED = "SEED_SIGNATURE_FORGED"
    SEAL_BROKEN = "SEAL_BROKEN"
    MIX_MISMATCH = "MIX_MISMATCH"
    LEADER_MISMATCH = "LEADER_MISMATCH"
    COMMITMENT_SWAPPED = "COMMITMENT_SWAPPED"
    SERVER_SEED_MISMATCH = "SERVER_SEED_MISMATCH"
    SERVER_SEED_REPEATED = "SERVER_SEED_REPEATED"
    CARDS_MISMATCH = "CARDS_MISMATCH"
    DECK_NOT_FROM_SEEDS = "DECK_NOT_FROM_SEEDS"
    HIDDEN_CARDS_DIFFER = "HIDDEN_CARDS_DIFFER"
    DUPLICATE_CARD = "DUPLICATE_CARD"
    DECK_ROOT_MISMATCH = "DECK_ROOT_MISMATCH"
    DEAL_MISTOLD = "DEAL_MISTOLD"
    SECTION_WRONG_SIZE = "SECTION_WRONG_SIZE"
    CERTIFICATE_REFUSED = "CERTIFICATE_REFUSED"
    CERTIFICATES_DISAGREE = "CERTIFICATES_DISAGREE"

    STAKE_MISMATCH = "STAKE_MISMATCH"
    HEADER_MISMATCH = "HEADER_MISMATCH"
    SETTLED_OTHER_ROUND = "SETTLED_OTHER_ROUND"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    ILLEGAL_EVENT = "ILLEGAL_EVENT"
    WRONG_RESULT = "WRONG_RESULT"
    EVENTS_ALTERED = "EVENTS_ALTERED"
    RECEIPT_REFUSED = "RECEIPT_REFUSED"
    FORKED_RECEIPTS = "FORKED_RECEIPTS"

    SECRET_EXPOSED = "SECRET_EXPOSED"  # noqa: S105 - a code
    SECTION_KEY_WEAK = "SECTION_KEY_WEAK"
    STREET_OPENED_EARLY = "STREET_OPENED_EARLY"
    STREET_UNRECEIPTED = "STREET_UNRECEIPTED"

    TABLES_THROWN_AWAY = "TABLES_THROWN_AWAY"
    ABORTED_BY_QUALITY = "ABORTED_BY_QUALITY"
    WITHHELD_BY_SEAT = "WITHHELD_BY_SEAT"
    CARDS_BY_PLACE_UNEVEN = "CARDS_BY_PLACE_UNEVEN"
    DECKS_CORRELATED = "DECKS_CORRELATED"
    DECK_REPEATED = "DECK_REPEATED"
    WINS_BEYOND_CHANCE = "WINS_BEYOND_CHANCE"
    WIN_RATE_UNUSUAL = "WIN_RATE_UNUSUAL"
    UNLIKELY_BY_CHANCE = "UNLIKELY_BY_CHANCE"

    @property
    def number(self) -> int:
        """The place in the list of what an audit must catch."""
        return NUMBERS[self]

    @property
    def severity(self) -> Severity:
        """NOTE for what lowers a level only."""
        return Severity.NOTE if self in _NOTES else Severity.FAIL


NUMBERS: Final = MappingProxyType(
    {
        Code.SERVER_SEED_MISMATCH: 1,
        Code.COMMITMENT_SWAPPED: 2,
        Code.DEAL_BEFORE_OPEN: 3,
        Code.OPENED_TWICE: 4,
        Code.CLIENT_SEED_MISMATCH: 5,
        Code.CLIENT_SEED_TRIVIAL: 6,
        Code.CLIENT_SEEDS_EQUAL: 6,
        Code.CLIENT_SEED_REPEATED: 6,
        Code.CLIENT_SEED_UNSIGNED: 6,
        Code.SEED_SIGNATURE_FORGED: 5,
        Code.SEAL_BROKEN: 25,
        Code.FOREIGN_COMMITMENT: 7,
        Code.SERVER_SEED_REPEATED: 8,
        Code.NEVER_REVEALED: 9,
        Code.STAKE_MISMATCH: 10,
        Code.MIX_MISMATCH: 11,
        Code.LEADER_MISMATCH: 11,
        Code.HEADER_REFUSED: 11,
        Code.HEADER_MISMATCH: 11,
        Code.ROUND_ID_MISMATCH: 11,
        Code.CARDS_MISMATCH: 13,
        Code.DECK_NOT_FROM_SEEDS: 14,
        Code.HIDDEN_CARDS_DIFFER: 15,
        Code.DUPLICATE_CARD: 15,
        Code.DECK_ROOT_MISMATCH: 16,
        Code.DEAL_MISTOLD: 16,
        Code.CERTIFICATE_REFUSED: 17,
        Code.CERTIFICATES_DISAGREE: 18,
        Code.CARD_NOT_IN_HAND: 19,
        Code.SECTION_WRONG_SIZE: 20,
        Code.LOG_RECEIPT_REFUSED: 21,
        Code.SECRET_EXPOSED: 22,
        Code.SECTION_KEY_WEAK: 23,
        Code.REVEALED_EARLY: 24,
        Code.STREET_OPENED_EARLY: 25,
        Code.STREET_UNRECEIPTED: 25,
        Code.ILLEGAL_EVENT: 26,
        Code.WRONG_RESULT: 26,
        Code.WRONG_RULESET: 26,
        Code.EVENTS_ALTERED: 27,
        Code.RECEIPT_REFUSED: 27,
        Code.FORKED_RECEIPTS: 28,
        Code.ENDED_TWICE: 29,
        Code.SETTLED_UNDEALT: 29,
        Code.SETTLED_OTHER_ROUND: 29,
        Code.SIGNATURE_FORGED: 30,
        Code.WRONG_ROLE: 30,
        Code.KEY_NOT_VALID: 30,
        Code.KEY_REUSED: 30,
        Code.TYPE_CONFUSION: 31,
        Code.NOT_CANONICAL: 32,
        Code.SIGNATURE_MALFORMED: 33,
        Code.LEAF_TOO_LONG: 33,
        Code.UNSOUND_KEY: 34,
        Code.DEALT_TWICE: 35,
        Code.NEXT_ROUND_EARLY: 36,
        Code.WRONG_PREVIOUS_LEAF: 37,
        Code.LEAF_OF_NO_ROUND: 37,
        Code.TABLES_THROWN_AWAY: 38,
        Code.ABORTED_BY_QUALITY: 39,
        Code.WITHHELD_BY_SEAT: 40,
        Code.DEADLINE_PASSED: 41,
        Code.DEALT_LATE: 41,
        Code.SETTLED_LATE: 41,
        Code.ABORT_MISTOLD: 41,
        Code.ROOT_MISMATCH: 42,
        Code.HISTORY_REWRITTEN: 43,
        Code.SPLIT_VIEW: 44,
        Code.LOG_TRUNCATED: 45,
        Code.HEAD_FROZEN: 46,
        Code.PROMISED_LEAF_ABSENT: 47,
        Code.CHECKPOINT_REFUSED: 48,
        Code.WRONG_ORIGIN: 48,
        Code.LOG_KEY_UNREGISTERED: 48,
        Code.COSIGNATURE_REFUSED: 49,
        Code.QUORUM_UNMET: 49,
        Code.WITNESS_DOUBLED: 49,
        Code.TILE_MISMATCH: 50,
        Code.CARDS_BY_PLACE_UNEVEN: 53,
        Code.DECKS_CORRELATED: 53,
        Code.DECK_REPEATED: 53,
        Code.UNLIKELY_BY_CHANCE: 53,
        Code.WINS_BEYOND_CHANCE: 54,
        Code.WIN_RATE_UNUSUAL: 54,
    }
)
"""For each code its place in the list of what an audit must catch."""

_NOTES: Final = frozenset(
    {
        Code.CLIENT_SEED_TRIVIAL,
        Code.CLIENT_SEEDS_EQUAL,
        Code.CLIENT_SEED_REPEATED,
        Code.CLIENT_SEED_UNSIGNED,
        Code.STREET_UNRECEIPTED,
        Code.WIN_RATE_UNUSUAL,
        Code.UNLIKELY_BY_CHANCE,
    }
)


class Difference(msgspec.Struct, frozen=True):
    """Where two things first differ: the member's path, what the log tells, what was found instead; both as text."""

    path: str
    told: str
    found: str


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that does not hold; ``leaf_index`` is where it shows, left out where it concerns the whole log."""

    code: Code
    number: int
    severity: Severity
    detail: str
    leaf_index: int | None = None
    table_id: str | None = None
    round_number: int | None = None
    difference: Difference | None = None

    @classmethod
    def of(  # noqa: PLR0913 - a finding names its place by these
        cls,
        code: Code,
        detail: str,
        *,
        number: int | None = None,
        leaf_index: int | None = None,
        table_id: str | None = None,
        round_number: int | None = None,
        difference: Difference | None = None,
    ) -> Self:
        """The finding of a code, with the code's own number, unless another is given, and severity."""
        return cls(
            code=code,
            number=code.number if number is None else number,
            severity=code.severity,
            detail=detail if len(detail) <= MAX_DETAIL else detail[: MAX_DETAIL - 3] + "...",
            leaf_index=leaf_index,
            table_id=table_id,
            round_number=round_number,
            difference=difference,
        )

    @property
    def order(self) -> tuple[bool, int]:
        """Sorts failures before notes, the whole log before its leaves, leaves by index."""
        return self.severity is Severity.NOTE, -1 if self.leaf_index is None else self.leaf_index
