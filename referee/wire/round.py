"""Messages of every round: headers, rulesets, slots and certificates."""

from collections.abc import Sequence
from typing import Final

from referee.dealing.certificate import CertificateError, CertificateFault, CertificateReason
from referee.dealing.header import NO_KEY, Header, HeaderError
from referee.dealing.leaf import OpenLeaf, read_leaf
from referee.games import StakeFault
from referee.log import FIRST_ROUND, NO_LEAF, SlotError, SlotKey, SlotReason
from referee.rulesets import Catalogue, Language, Ruleset, Texts, UnknownRulesetError
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.log_pb2 import GetTableRoundRequest
from referee.v1.money_pb2 import SeatStake
from referee.v1.round_pb2 import RandomnessSuite, RoundHeader, RoundRef
from referee.v1.shuffler_pb2 import RoundTerms
from referee.verdict import Violation
from referee.wire.refusal import RefusedError, invalid_field, missing_field


def read_header(message: RoundHeader, *, field: str) -> Header:
    """Read all fields of a header as they were sent; refuse a header that breaks the protocol."""
    header = Header(
        protocol=message.protocol,
        origin=message.origin,
        randomness_suite=message.randomness_suite,
        table_id=message.round.table_id,
        round_number=message.round.round_number,
        ruleset_id=message.ruleset_id,
        ruleset_version=message.ruleset_version,
        ruleset_digest_hex=message.ruleset_digest.hex(),
        layout=tuple(message.layout),
        currency=message.currency,
        stake=message.stake_minor,
        seat_stakes=tuple([(stake.bet_minor, stake.side_bet_minor) for stake in message.seat_stakes]),
        seat_keys_hex=read_seat_keys(message.seat_keys),
        previous_leaf_hex=(message.previous_leaf_hash or NO_LEAF).hex(),
        deal_deadline=message.deal_deadline_time,
        round_deadline=message.round_deadline_time,
    )
    try:
        _ = header.round_id  # computed once and kept; raises HeaderError if the header breaks the protocol
    except HeaderError as error:
        raise header_refusal(error, field=field) from None
    return header


def read_seat_keys(keys: Sequence[bytes]) -> tuple[str, ...]:
    """Read the seats' keys, by seat, as a header has them: hexadecimal, and ``NO_KEY`` for an absent one."""
    return tuple([(key or NO_KEY).hex() for key in keys])


def write_seat_keys(keys: Sequence[bytes]) -> list[bytes]:
    """Write the seats' keys, by seat; empty for a seat without one."""
    return [b"" if key == NO_KEY else key for key in keys]


_HEADER_FIELDS: Final = {
    "table_id": "round.table_id",
    "round_number": "round.round_number",
    "stake": "stake_minor",
    "previous_leaf": "previous_leaf_hash",
    "deal_deadline": "deal_deadline_time",
    "round_deadline": "round_deadline_time",
}


def header_refusal(error: HeaderError, *, field: str) -> RefusedError:
    """Return the refusal of a header that breaks the protocol."""
    name = _HEADER_FIELDS.get(error.field, error.field)
    is_stake = error.field == "stake"
    reason = ErrorReason.ERROR_REASON_INVALID_STAKE if is_stake else ErrorReason.ERROR_REASON_INVALID_HEADER
    return RefusedError(reason, str(error), field=f"{field}.{name}")


def write_header(header: Header) -> RoundHeader:
    """Write a header."""
    return RoundHeader(
        protocol=header.protocol,
        origin=header.origin,
        randomness_suite=RandomnessSuite.Name(header.randomness_suite),
        round=RoundRef(table_id=header.table_id, round_number=header.round_number),
        ruleset_id=header.ruleset_id,
        ruleset_version=header.ruleset_version,
        ruleset_digest=header.ruleset_digest,
        layout=header.layout,
        currency=header.currency,
        stake_minor=header.stake,
        seat_stakes=[SeatStake(bet_minor=bet, side_bet_minor=side_bet or None) for bet, side_bet in header.seat_stakes],
        seat_keys=write_seat_keys(header.seat_keys),
        previous_leaf_hash=None if header.previous_leaf == NO_LEAF else header.previous_leaf,
        deal_deadline_time=header.deal_deadline,
        round_deadline_time=header.round_deadline,
    )


def header_of_open(leaf: bytes) -> RoundHeader:
    """Return the header in the bytes of an OPEN leaf, as a message."""
    opened = read_leaf(leaf, OpenLeaf)
    return write_header(opened.header)


def find_ruleset(
    catalogue: Catalogue, ruleset_id: str, version: str, *, field: str, version_field: str = "ruleset_version"
) -> Ruleset:
    """Find a ruleset by id and version (empty for the newest); refuse an unknown one.

    ``field`` is the path of the id; the version's field is beside it.
    """
    try:
        return catalogue.get(ruleset_id, version or None)
    except UnknownRulesetError as error:
        is_known = any(ruleset.id == ruleset_id for ruleset in catalogue)
        raise RefusedError(
            ErrorReason.ERROR_REASON_UNKNOWN_RULESET,
            f"{error}; RulesetService.ListRulesets lists those there are",
            field=field.removesuffix("ruleset_id") + version_field if is_known else field,
        ) from None


_CERTIFICATE_REASONS: Final = {
    CertificateReason.MALFORMED: ErrorReason.ERROR_REASON_MALFORMED,
    CertificateReason.FORGED: ErrorReason.ERROR_REASON_FORGED,
    CertificateReason.FOREIGN: ErrorReason.ERROR_REASON_FOREIGN,
    CertificateReason.EXPIRED: ErrorReason.ERROR_REASON_EXPIRED,
}


_ALTERED: Final = {CertificateReason.MALFORMED, CertificateReason.FORGED}


def certificate_refusal(error: CertificateError, *, field: str) -> RefusedError:
    """Return the refusal of a certificate that was found malformed, forged, of another log or expired."""
    is_double = error.fault is CertificateFault.DUPLICATE_CARD
    reason = ErrorReason.ERROR_REASON_DUPLICATE_CARD if is_double else _CERTIFICATE_REASONS[error.reason]
    advice = "; send each certificate byte for byte as the shuffler answered it" if error.reason in _ALTERED else ""
    return RefusedError(reason, f"{error}{advice}", field=field)


_SLOT_REASONS: Final = {
    SlotReason.NOT_OPENED: ErrorReason.ERROR_REASON_NOT_OPENED,
    SlotReason.NOT_DEALT: ErrorReason.ERROR_REASON_NOT_DEALT,
    SlotReason.NOT_TERMINAL: ErrorReason.ERROR_REASON_NOT_TERMINAL,
    SlotReason.ALREADY_OPENED: ErrorReason.ERROR_REASON_ALREADY_OPENED,
    SlotReason.ALREADY_DEALT: ErrorReason.ERROR_REASON_ALREADY_DEALT,
    SlotReason.ALREADY_SETTLED: ErrorReason.ERROR_REASON_ALREADY_SETTLED,
    SlotReason.ALREADY_REVEALED: ErrorReason.ERROR_REASON_ALREADY_SETTLED,
    SlotReason.ABORTED: ErrorReason.ERROR_REASON_ABORTED,
    SlotReason.PREVIOUS_ROUND_OPEN: ErrorReason.ERROR_REASON_PREVIOUS_ROUND_OPEN,
    SlotReason.WRONG_PREVIOUS: ErrorReason.ERROR_REASON_WRONG_PREVIOUS,
    SlotReason.ROUND_MISMATCH: ErrorReason.ERROR_REASON_DEAL_MISMATCH,
    SlotReason.DECK_ROOT_MISMATCH: ErrorReason.ERROR_REASON_DEAL_MISMATCH,
    SlotReason.COURSE_FORKED: ErrorReason.ERROR_REASON_COURSE_FORKED,
}


_SLOT_ADVICE: Final = {
    SlotReason.NOT_OPENED: "open it with ShufflerService.OpenRound first",
    SlotReason.NOT_DEALT: "deal it with ShufflerService.DealRound first",
    SlotReason.ALREADY_SETTLED: "this differs from the settlement on record, which LogService.GetTableRound returns",
    SlotReason.ABORTED: "LogService.GetTableRound returns the leaf that aborted it",
    SlotReason.PREVIOUS_ROUND_OPEN: "settle or abort the table's round before it first",
    SlotReason.WRONG_PREVIOUS: "leave the header's number and previous leaf to ShufflerService.PrepareRound",
    SlotReason.ROUND_MISMATCH: "send the header that ShufflerService.OpenRound answered",
    SlotReason.DECK_ROOT_MISMATCH: "send the certificates that ShufflerService.DealRound answered",
}
"""Advice to the caller for the reasons for which a round's slot refuses a step."""


def read_table(table_id: str, *, field: str) -> str:
    """Read a table id; refuse a missing or malformed one. ``field`` is its path."""
    if not table_id:
        raise missing_field("name the table", field=field)
    try:
        return SlotKey(table_id, FIRST_ROUND).table_id
    except ValueError as error:
        raise invalid_field(str(error), field=field) from None


def read_slot(message: RoundRef, *, field: str = "round") -> SlotKey:
    """Read the table and number of a round; refuse impossible ones. ``field`` is the path of the message."""
    table_id = read_table(message.table_id, field=f"{field}.table_id")
    try:
        return SlotKey(table_id, message.round_number)
    except ValueError as error:
        raise invalid_field(str(error), field=f"{field}.round_number") from None


def read_which_round(message: RoundTerms | GetTableRoundRequest, *, field: str = "") -> tuple[str, int | None]:
    """Read the table that a message names, and the round's number if it names a round; refuse impossible ones.

    Refuse a message that names a round and a table. ``field`` is its path; empty for the request itself.
    """
    prefix = f"{field}." if field else ""
    if message.HasField("round"):
        if message.table_id:
            raise invalid_field("name the round or the table, not both", field=f"{prefix}table_id")
        key = read_slot(message.round, field=f"{prefix}round")
        return key.table_id, key.round_number
    return read_table(message.table_id, field=f"{prefix}table_id"), None


def write_slot(key: SlotKey) -> RoundRef:
    """Write the table and number of a round."""
    return RoundRef(table_id=key.table_id, round_number=key.round_number)


def slot_refusal(error: SlotError) -> RefusedError:
    """Return the refusal of a step that the state of the round's slot does not allow."""
    key = error.key
    message = f"round {key.round_number} of table {key.table_id} {error.detail}"
    if error.reason in _SLOT_ADVICE:
        message = f"{message}; {_SLOT_ADVICE[error.reason]}"
    refusal = RefusedError(_SLOT_REASONS[error.reason], message, table_id=key.table_id, round_number=key.round_number)
    if error.unseal is not None:
        refusal.facts |= {"number": str(error.unseal.number), "history": error.unseal.history.hex()}
    return refusal


def stakes_refusal(faults: Sequence[Violation], texts: Texts, *, names: Sequence[str], field: str) -> RefusedError:
    """Return the refusal of a header's stakes by the first fault; ``field`` is the header's path.

    ``names`` are the game's names of a seat's stakes. A fault's code begins with the name of the stake at fault.
    """
    fault = faults[0]
    facts = {"expected": fault.expected, "found": fault.found}
    if fault.seat is not None:
        members = zip(names, ("bet_minor", "side_bet_minor"), strict=False)
        member = next((member for name, member in members if fault.code.startswith(f"{name.upper()}_")), None)
        path = f"seat_stakes[{fault.seat}]" + (f".{member}" if member else "")
    else:
        is_table = fault.code in set(StakeFault) - {StakeFault.SEAT_STAKES_NOT_TAKEN}
        path = "stake_minor" if is_table else "seat_stakes"
    return RefusedError(
        ErrorReason.ERROR_REASON_INVALID_STAKE,
        texts.say(fault, Language.EN),
        field=f"{field}.{path}",
        code=fault.code,
        **{fact: value for fact, value in facts.items() if value is not None},
    )
