"""Record of a round in a journal: the data that another process needs to continue it and that the log lacks.

It is JSON with bytes as base64; CRASHES.md lists its members. OPEN, DEAL and the cards are read from the log again and
verified as they were the first time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, Literal

import msgspec

from referee.evidence.outside import MessageT, OutsideError, read_json, read_message
from referee.transcript.receipted import ReceiptedEvent
from referee.v1.round_pb2 import RoundHeader
from referee_client.clock import ClockDifference
from referee_client.errors import VerificationError
from referee_client.seat import SeatSecrets
from referee_client.seat_chain import SeatChain
from referee_client.state import RoundState, Unanswered
from referee_client.terms import Terms, read_header

_REMEDY: Final = "restore the journal, or forget the round and resume it from the log and the players' courses"


class RecordError(ValueError):
    """Error for a journal's record that cannot be read, or is of a round of another log."""


class KeptEvent(msgspec.Struct, kw_only=True):
    """A receipted event without its first ``same`` events, which are those of the receipted event before it."""

    same: int
    events: Sequence[str]
    receipt: str
    signature: str


class Record(msgspec.Struct, kw_only=True):
    """An unfinished round. ``header`` and ``message`` are messages as bytes of protobuf."""

    format: Literal[1] = 1
    terms: Terms
    header: bytes
    seat_keys: Sequence[bytes]
    secrets: Sequence[SeatSecrets]
    commitments: Sequence[bytes]
    tokens: Sequence[bytes]
    seeds: Sequence[bytes]
    seed_signatures: Sequence[bytes]
    message: bytes
    chains: Mapping[int, msgspec.Raw]
    opened_hands: Sequence[int]
    arrangements: Mapping[int, Sequence[int]]
    unanswered: Unanswered | None
    lapses: str
    is_partial: bool
    clock_differences: Sequence[ClockDifference]
    receipted_events: Sequence[KeptEvent]


def encode_record(state: RoundState[Any]) -> bytes:
    """Encode the record of a round, which must be prepared."""
    record = Record(
        terms=state.terms,
        header=state.header_message.SerializeToString(),
        seat_keys=state.seat_keys,
        secrets=[state.secrets[seat] for seat in sorted(state.secrets)],
        commitments=state.commitments,
        tokens=state.tokens,
        seeds=state.seeds,
        seed_signatures=state.seed_signatures,
        message=state.message.SerializeToString(),
        chains={seat: msgspec.Raw(chain.save()) for seat, chain in state.chains.items()},
        opened_hands=sorted(state.private),
        arrangements=state.arrangements,
        unanswered=state.unanswered,
        lapses=state.lapses,
        is_partial=state.is_partial,
        clock_differences=state.clock_differences,
        receipted_events=list(_shortened(state.receipted_events)),
    )
    return msgspec.json.encode(record)


def read_record(data: bytes) -> Record:
    """Read a record; raise RecordError if the bytes are no record."""
    try:
        return read_json(data, Record)
    except OutsideError as error:
        raise RecordError(f"the journal's record cannot be read: {error}; {_REMEDY}") from None


def read_recorded(kind: type[MessageT], data: bytes, what: str) -> MessageT:
    """Read a message that a record has; raise RecordError if it is none."""
    try:
        return read_message(kind, data)
    except OutsideError as error:
        raise RecordError(f"{what} of the journal's record cannot be read: {error}; {_REMEDY}") from None


def state_of(record: Record, message: Any) -> RoundState[Any]:  # noqa: ANN401 - the game's own message
    """Return the state of a round with the record's data; data from the log and the course are still missing.

    ``message`` must be an empty message of the game; the state keeps it, with its header set. Raise RecordError if the
    record's parts cannot be read or do not fit together.
    """
    header_message = read_recorded(RoundHeader, record.header, "the header")
    read_recorded(type(message), record.message, "the course")
    try:
        return _state_of(record, message, header_message)
    except (ValueError, LookupError, VerificationError) as error:
        raise RecordError(f"the journal's record contradicts itself: {error}; {_REMEDY}") from None


def _state_of(record: Record, message: Any, header_message: RoundHeader) -> RoundState[Any]:  # noqa: ANN401 - as above
    secrets = {one.seat: one for one in record.secrets}
    message.header.CopyFrom(header_message)
    return RoundState(
        terms=record.terms,
        secrets=secrets,
        seat_keys=record.seat_keys,
        message=message,
        header=read_header(header_message),
        header_message=header_message,
        commitments=record.commitments,
        tokens=record.tokens,
        seeds=record.seeds,
        seed_signatures=record.seed_signatures,
        chains={seat: SeatChain.restore(secrets[seat], bytes(saved)) for seat, saved in record.chains.items()},
        arrangements={seat: tuple(cards) for seat, cards in record.arrangements.items()},
        unanswered=record.unanswered,
        lapses=record.lapses,
        is_partial=record.is_partial,
        clock_differences=list(record.clock_differences),
        receipted_events=list(_lengthened(record.receipted_events)),
    )


def _shortened(receipted: Iterable[ReceiptedEvent]) -> Iterator[KeptEvent]:
    """Yield the receipted events as they are recorded, so that a record does not grow with the square of a course."""
    before: Sequence[str] = ()
    for one in receipted:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, one.events, strict=False)))
        yield KeptEvent(same=same, events=one.events[same:], receipt=one.receipt, signature=one.signature)
        before = one.events


def _lengthened(kept: Iterable[KeptEvent]) -> Iterator[ReceiptedEvent]:
    """Yield the receipted events that were recorded."""
    events: tuple[str, ...] = ()
    for one in kept:
        events = (*events[: one.same], *one.events)
        yield ReceiptedEvent(events=events, receipt=one.receipt, signature=one.signature)
