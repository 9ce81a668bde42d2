"""Messages of every round: headers, rulesets, slots, certificates and log receipts."""

from collections.abc import Sequence
from typing import Final

from referee.dealing.certificate import CertificateError, CertificateFault, CertificateReason
from referee.dealing.header import Header, HeaderError
from referee.dealing.leaf import OpenLeaf, parse
from referee.evidence.dsse import Envelope
from referee.games import StakeFault
from referee.log import FIRST_ROUND, SlotError, SlotKey, SlotReason
from referee.rulesets import Catalogue, Language, Ruleset, Texts, UnknownRulesetError
from referee.storage import Logged
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.money_pb2 import SeatStake
from referee.v1.round_pb2 import LogReceipt, RandomnessSuite, RoundHeader
from referee.verdict import Violation
from referee.wire.refusal import RefusedError, invalid_field, missing_field


def read_header(message: RoundHeader, *, field: str) -> Header:
    """Read all fields of a header as they were sent; refuse a header that breaks the protocol."""
    header = Header(
        protocol=message.protocol,
        origin=message.origin,
        randomness_suite=message.randomness_suite,
        table_id=message.table_id,
        round_number=message.round_number,
        ruleset_id=message.ruleset_id,
        ruleset_version=message.ruleset_version,
        ruleset_digest=message.ruleset_digest,
        layout=tuple(message.layout),
        currency=message.currency,
        stake=message.stake_minor,
        seat_stakes=tuple([(stake.bet_minor, stake.side_bet_minor) for stake in message.seat_stakes]),
        seat_keys=tuple(message.seat_keys),
        previous_leaf=message.previous_leaf_hash,
        deal_deadline=message.deal_deadline_time,
        round_deadline=message.round_deadline_time,
    )
    try:
        _ = header.round_id  # computed once and kept; raises HeaderError if the header breaks the protocol
    except HeaderError as error:
        raise header_refusal(error, field=field) from None
    return header


_HEADER_FIELDS: Final = {
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
        table_id=header.table_id,
        round_number=header.round_number,
        ruleset_id=header.ruleset_id,
        ruleset_version=header.ruleset_version,
        ruleset_digest=header.ruleset_digest,
        layout=header.layout,
        currency=header.currency,
        stake_minor=header.stake,
        seat_stakes=[SeatStake(bet_minor=bet, side_bet_minor=side_bet) for bet, side_bet in header.seat_stakes],
        seat_keys=header.seat_keys,
        previous_leaf_hash=header.previous_leaf,
        deal_deadline_time=header.deal_deadline,
        round_deadline_time=header.round_deadline,
    )


def header_of_open(leaf: bytes) -> RoundHeader:
    """Return the header in the bytes of an OPEN leaf, as a message."""
    opened = parse(Envelope.parse(leaf).payload, OpenLeaf)
    return write_header(opened.header.to_header())


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


def read_slot(table_id: str, round_number: int, *, field: str = "") -> SlotKey:
    """Read a table id and a round number; refuse impossible ones. ``field`` is the path of the message with both."""
    prefix = f"{field}." if field else ""
    if not table_id:
        raise missing_field("name the table", field=f"{prefix}table_id")
    try:
        SlotKey(table_id, FIRST_ROUND)
    except ValueError as error:
        raise invalid_field(str(error), field=f"{prefix}table_id") from None
    try:
        return SlotKey(table_id, round_number)
    except ValueError as error:
        raise invalid_field(str(error), field=f"{prefix}round_number") from None


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


def fill_receipt(message: LogReceipt, logged: Logged) -> None:
    """Fill an empty message with a leaf's receipt: the leaf, its index, its inclusion proof and the checkpoint."""
    receipt = logged.receipt
    message.leaf_index = receipt.index
    message.leaf_hash = receipt.leaf_hash
    message.leaf = logged.leaf
    message.inclusion_proof.extend(receipt.proof)
    message.checkpoint = receipt.checkpoint.decode()


def write_receipt(logged: Logged) -> LogReceipt:
    """Return the message of a leaf's receipt: the leaf, its index, its inclusion proof and the checkpoint."""
    message = LogReceipt()
    fill_receipt(message, logged)
    return message


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
