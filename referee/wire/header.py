"""A round's header on the wire to the header that is hashed, and back. Every field is copied; nothing is defaulted."""

from referee.dealing.header import Header, HeaderError
from referee.dealing.leaf import OpenLeaf, parse
from referee.evidence.dsse import Envelope
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.money_pb2 import SeatStake
from referee.v1.round_pb2 import RandomnessSuite, RoundHeader
from referee.wire.refusal import RefusedError


def read_header(message: RoundHeader, *, field: str) -> Header:
    """The header that the message holds; refuses one that breaks the protocol, naming the field."""
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
        seat_stakes=tuple([(stake.ante_minor, stake.trips_minor) for stake in message.seat_stakes]),
        seat_keys=tuple(message.seat_keys),
        previous_leaf=message.previous_leaf_hash,
        deal_deadline=message.deal_deadline_time,
        round_deadline=message.round_deadline_time,
    )
    try:
        header.validate()
    except HeaderError as error:
        raise header_refusal(error, field=field) from None
    return header


_WIRE_NAMES = {
    "stake": "stake_minor",
    "previous_leaf": "previous_leaf_hash",
    "deal_deadline": "deal_deadline_time",
    "round_deadline": "round_deadline_time",
}


def header_refusal(error: HeaderError, *, field: str) -> RefusedError:
    """The refusal of a header that breaks the protocol, with the field's path on the wire."""
    name = _WIRE_NAMES.get(error.field, error.field)
    is_stake = error.field == "stake"
    reason = ErrorReason.ERROR_REASON_INVALID_STAKE if is_stake else ErrorReason.ERROR_REASON_INVALID_HEADER
    return RefusedError(reason, str(error), field=f"{field}.{name}")


def write_header(header: Header) -> RoundHeader:
    """The message that holds the header."""
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
        seat_stakes=[SeatStake(ante_minor=ante, trips_minor=trips) for ante, trips in header.seat_stakes],
        seat_keys=header.seat_keys,
        previous_leaf_hash=header.previous_leaf,
        deal_deadline_time=header.deal_deadline,
        round_deadline_time=header.round_deadline,
    )


def header_of_open(leaf: bytes) -> RoundHeader:
    """The header that an OPEN leaf of our own log holds."""
    opened = parse(Envelope.parse(leaf).payload, OpenLeaf)
    return write_header(opened.header.to_header())
