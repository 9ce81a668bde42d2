"""Findings: the faults that an audit reports about a log, each with a stable code, its place and the facts.

A code never changes its meaning. Texts for people are in ``findings.toml`` of ``audit``, which ``explanation`` reads.

>>> fault = Finding.of(Code.ROOT_MISMATCH, "the leaves hash to another root")
>>> fault.number, fault.severity.value
(42, 'FAIL')
>>> first_difference(b'{"net":[10,-10],"stake":5}', b'{"net":[10,-12],"stake":6}')
Difference(path='net[1]', claimed='-10', found='-12')
"""

import enum
import itertools
import json
from dataclasses import dataclass, field
from typing import Final, Self

import msgspec

from referee.evidence.outside import OutsideError, read_json
from referee.evidence.printable import printable

MAX_DETAIL: Final = 600
"""Most characters of a detail, so that the author of a log cannot flood a report."""
_MAX_SHOWN: Final = 240
_ABSENT: Final = object()


class Severity(enum.StrEnum):
    """Weight of a finding."""

    FAIL = "FAIL"
    """A promise was broken, or the evidence was tampered with."""
    NOTE = "NOTE"
    """No promise was broken, but less is proved than could be."""


class Code(enum.StrEnum):
    """Kind of a finding, with its number in the list that ``make findings`` prints; codes may share a number.

    Findings of one leaf are listed in the order of these codes.
    """

    _value_: str
    number: int
    severity: Severity

    def __new__(cls, value: str, number: int, severity: Severity = Severity.FAIL) -> Self:
        """Make a member with its number and severity."""
        code = str.__new__(cls, value)
        code._value_ = value
        code.number = number
        code.severity = severity
        return code

    CHECKPOINT_REFUSED = "CHECKPOINT_REFUSED", 48
    WRONG_ORIGIN = "WRONG_ORIGIN", 48
    ROOT_KEY_MISMATCH = "ROOT_KEY_MISMATCH", 30
    LOG_KEY_UNREGISTERED = "LOG_KEY_UNREGISTERED", 48
    ROOT_MISMATCH = "ROOT_MISMATCH", 42
    LOG_TRUNCATED = "LOG_TRUNCATED", 45
    HISTORY_REWRITTEN = "HISTORY_REWRITTEN", 43
    SPLIT_VIEW = "SPLIT_VIEW", 44
    LOG_RECEIPT_REFUSED = "LOG_RECEIPT_REFUSED", 21
    PROMISED_LEAF_ABSENT = "PROMISED_LEAF_ABSENT", 47
    TILE_MISMATCH = "TILE_MISMATCH", 50
    COSIGNATURE_REFUSED = "COSIGNATURE_REFUSED", 49
    QUORUM_UNMET = "QUORUM_UNMET", 49
    WITNESS_DOUBLED = "WITNESS_DOUBLED", 49
    HEAD_FROZEN = "HEAD_FROZEN", 46

    LEAF_TOO_LONG = "LEAF_TOO_LONG", 33
    NOT_CANONICAL = "NOT_CANONICAL", 32
    TYPE_CONFUSION = "TYPE_CONFUSION", 31
    SIGNATURE_MALFORMED = "SIGNATURE_MALFORMED", 33
    SIGNATURE_FORGED = "SIGNATURE_FORGED", 30
    WRONG_ROLE = "WRONG_ROLE", 30
    KEY_NOT_VALID = "KEY_NOT_VALID", 30
    KEY_REUSED = "KEY_REUSED", 30
    UNSOUND_KEY = "UNSOUND_KEY", 34

    DEAL_BEFORE_OPEN = "DEAL_BEFORE_OPEN", 3
    OPENED_TWICE = "OPENED_TWICE", 4
    DEALT_TWICE = "DEALT_TWICE", 35
    NEXT_ROUND_EARLY = "NEXT_ROUND_EARLY", 36
    WRONG_PREVIOUS_LEAF = "WRONG_PREVIOUS_LEAF", 37
    SETTLED_UNDEALT = "SETTLED_UNDEALT", 29
    ENDED_TWICE = "ENDED_TWICE", 29
    LEAF_OF_NO_ROUND = "LEAF_OF_NO_ROUND", 37
    ABORT_MISMATCH = "ABORT_MISMATCH", 41
    ABORTED_AFTER_SEED = "ABORTED_AFTER_SEED", 64
    NEVER_DEALT = "NEVER_DEALT", 41
    REVEALED_EARLY = "REVEALED_EARLY", 24
    NEVER_REVEALED = "NEVER_REVEALED", 9
    DEADLINE_PASSED = "DEADLINE_PASSED", 41
    UNFINISHED_IN_COPY = "UNFINISHED_IN_COPY", 41, Severity.NOTE
    DEALT_LATE = "DEALT_LATE", 41
    SETTLED_LATE = "SETTLED_LATE", 41

    DEADLINE_OUT_OF_BOUNDS = "DEADLINE_OUT_OF_BOUNDS", 62
    TIME_OUT_OF_ORDER = "TIME_OUT_OF_ORDER", 63
    TIME_AHEAD = "TIME_AHEAD", 63
    TIME_BACKDATED = "TIME_BACKDATED", 63, Severity.NOTE

    HEADER_REFUSED = "HEADER_REFUSED", 11
    SEAT_KEY_SHARED = "SEAT_KEY_SHARED", 67
    ROUND_ID_MISMATCH = "ROUND_ID_MISMATCH", 11
    WRONG_RULESET = "WRONG_RULESET", 26
    RULESET_UNKNOWN = "RULESET_UNKNOWN", 73, Severity.NOTE
    RULESET_NOT_STARTED = "RULESET_NOT_STARTED", 73, Severity.NOTE
    TERMS_FORBIDDEN = "TERMS_FORBIDDEN", 73
    CLIENT_SEED_MISMATCH = "CLIENT_SEED_MISMATCH", 5
    FOREIGN_COMMITMENT = "FOREIGN_COMMITMENT", 7
    CLIENT_SEED_TRIVIAL = "CLIENT_SEED_TRIVIAL", 6, Severity.NOTE
    CLIENT_SEEDS_EQUAL = "CLIENT_SEEDS_EQUAL", 6, Severity.NOTE
    CLIENT_SEED_REPEATED = "CLIENT_SEED_REPEATED", 6, Severity.NOTE
    CLIENT_SEED_UNSIGNED = "CLIENT_SEED_UNSIGNED", 6, Severity.NOTE
    SEED_SIGNATURE_FORGED = "SEED_SIGNATURE_FORGED", 5
    SEAT_TOKEN_MISMATCH = "SEAT_TOKEN_MISMATCH", 68
    SEAL_BROKEN = "SEAL_BROKEN", 25
    MIX_MISMATCH = "MIX_MISMATCH", 11
    LEADER_MISMATCH = "LEADER_MISMATCH", 70
    COMMITMENT_SWAPPED = "COMMITMENT_SWAPPED", 2
    SERVER_SEED_MISMATCH = "SERVER_SEED_MISMATCH", 1
    SERVER_SEED_REPEATED = "SERVER_SEED_REPEATED", 8
    DUPLICATE_CARD = "DUPLICATE_CARD", 15
    CARDS_MISMATCH = "CARDS_MISMATCH", 13
    DECK_NOT_FROM_SEEDS = "DECK_NOT_FROM_SEEDS", 14
    HIDDEN_CARDS_DIFFER = "HIDDEN_CARDS_DIFFER", 15
    DECK_ROOT_MISMATCH = "DECK_ROOT_MISMATCH", 16
    DEAL_MISMATCH = "DEAL_MISMATCH", 16
    SECTION_WRONG_SIZE = "SECTION_WRONG_SIZE", 20
    SEED_HELD = "SEED_HELD", 65, Severity.NOTE
    HELD_SEED_REFUSED = "HELD_SEED_REFUSED", 65
    CERTIFICATE_REFUSED = "CERTIFICATE_REFUSED", 17
    CERTIFICATES_DISAGREE = "CERTIFICATES_DISAGREE", 18

    STAKE_MISMATCH = "STAKE_MISMATCH", 10
    HEADER_MISMATCH = "HEADER_MISMATCH", 11
    SETTLED_OTHER_ROUND = "SETTLED_OTHER_ROUND", 29
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND", 19
    ILLEGAL_EVENT = "ILLEGAL_EVENT", 26
    WRONG_RESULT = "WRONG_RESULT", 26
    LAW_FAILED = "LAW_FAILED", 26
    EVENTS_ALTERED = "EVENTS_ALTERED", 27
    RECEIPT_REFUSED = "RECEIPT_REFUSED", 27, Severity.NOTE
    FORKED_RECEIPTS = "FORKED_RECEIPTS", 28, Severity.NOTE
    MOVE_DROPPED = "MOVE_DROPPED", 72
    STREET_OPENED_EARLY = "STREET_OPENED_EARLY", 25
    UNSEAL_NOT_IN_COURSE = "UNSEAL_NOT_IN_COURSE", 55
    OPENED_WITHOUT_UNSEAL = "OPENED_WITHOUT_UNSEAL", 56
    UNSEAL_REFUSED = "UNSEAL_REFUSED", 56
    EVENT_NOT_RECEIVED = "EVENT_NOT_RECEIVED", 57
    EVENT_UNSIGNED = "EVENT_UNSIGNED", 58
    SEEN_TOO_LOW = "SEEN_TOO_LOW", 59
    HISTORY_ALTERED = "HISTORY_ALTERED", 60
    TIMEOUT_TOO_EARLY = "TIMEOUT_TOO_EARLY", 61

    SECRET_EXPOSED = "SECRET_EXPOSED", 22
    SECTION_KEY_WEAK = "SECTION_KEY_WEAK", 23

    TABLES_THROWN_AWAY = "TABLES_THROWN_AWAY", 38
    GIVEN_UP_BY_YOUNG_KEYS = "GIVEN_UP_BY_YOUNG_KEYS", 71, Severity.NOTE
    ROUNDS_GIVEN_UP = "ROUNDS_GIVEN_UP", 71, Severity.NOTE
    INSTANT_WIN_GIVEN_UP = "INSTANT_WIN_GIVEN_UP", 71, Severity.NOTE
    TABLES_UNSEEDED = "TABLES_UNSEEDED", 38, Severity.NOTE
    ABORTED_BY_QUALITY = "ABORTED_BY_QUALITY", 39
    ABORTED_FOR_KEY = "ABORTED_FOR_KEY", 66
    WITHHELD_BY_SEAT = "WITHHELD_BY_SEAT", 40
    CARDS_BY_PLACE_UNEVEN = "CARDS_BY_PLACE_UNEVEN", 53
    DECKS_CORRELATED = "DECKS_CORRELATED", 53
    DECK_REPEATED = "DECK_REPEATED", 53
    WINS_BEYOND_CHANCE = "WINS_BEYOND_CHANCE", 54
    WIN_RATE_UNUSUAL = "WIN_RATE_UNUSUAL", 54, Severity.NOTE
    ANSWERED = "ANSWERED", 74
    LEFT_OUT = "LEFT_OUT", 74
    SUPERUSER = "SUPERUSER", 74
    UNLIKELY_BY_CHANCE = "UNLIKELY_BY_CHANCE", 53, Severity.NOTE


class FindingError(ValueError):
    """Error for bytes that an audit rejects, with the finding's code and a detail for people."""

    def __init__(self, code: Code, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Difference(msgspec.Struct, frozen=True):
    """First place where two values differ: its path, the value that was claimed there and the value found instead."""

    path: str
    claimed: str
    found: str


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fault of a log; ``leaf_index`` is absent where the fault concerns the whole log."""

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
        slot: tuple[str | None, int | None] = (None, None),
        difference: Difference | None = None,
    ) -> Self:
        """Make a finding with the code's severity and number; ``number`` replaces the latter.

        ``slot`` is the table's id and the round's number. Characters of the detail that are not printable ASCII are
        escaped, since it may quote the log.
        """
        detail, (table_id, round_number) = printable(detail), slot
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


@dataclass(frozen=True, slots=True)
class RoundFindings:
    """Findings of one round while it is examined, in the order in which they are made."""

    slot: tuple[str, int]
    """Table id and round number."""
    listed: list[Finding] = field(default_factory=list)

    def add(self, code: Code, detail: str, leaf_index: int, *, difference: Difference | None = None) -> None:
        """Add a finding at a leaf."""
        self.listed.append(Finding.of(code, detail, leaf_index=leaf_index, slot=self.slot, difference=difference))

    def has(self, *codes: Code) -> bool:
        """Return whether there is a finding of one of the codes."""
        return bool(self.listed) and any(finding.code in codes for finding in self.listed)


def first_difference(claimed: bytes, found: bytes) -> Difference | None:
    """Return the first difference of two JSON texts, members by name and items in order; None if they are equal.

    If a text is not JSON, compare both as bytes.
    """
    try:
        return _differ("", read_json(claimed), read_json(found))
    except OutsideError:
        return None if claimed == found else Difference("", _cut(repr(claimed)), _cut(repr(found)))


def shown(value: object) -> str:
    """Write a value as compact JSON of at most 240 characters; ``absent`` for a missing member or item."""
    return "absent" if value is _ABSENT else _cut(json.dumps(value, sort_keys=True, separators=(",", ":")))


def _differ(path: str, claimed: object, found: object) -> Difference | None:
    if type(claimed) is type(found) and claimed == found:
        return None
    inner = None
    if isinstance(claimed, dict) and isinstance(found, dict):
        for name in sorted(claimed.keys() | found.keys()):
            at = f"{path}.{name}".lstrip(".")
            inner = inner or _differ(at, claimed.get(name, _ABSENT), found.get(name, _ABSENT))
    elif isinstance(claimed, list) and isinstance(found, list):
        for place, (one, other) in enumerate(itertools.zip_longest(claimed, found, fillvalue=_ABSENT)):
            inner = inner or _differ(f"{path}[{place}]", one, other)
    return inner or Difference(path, shown(claimed), shown(found))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."


class Phrase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages."""

    vi: str
    en: str
