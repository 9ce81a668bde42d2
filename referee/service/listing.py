"""Pages of rounds, newest first, for people who look for a round of theirs.

A page is read from one scope of the store's index, the narrowest that has all that is asked for. What else is asked for
is compared round by round, of some ``_EXAMINED`` rounds a page. Of a round before its REVEAL a page has table, number
and stage alone: neither its terms nor its result are read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

import msgspec

from referee.dealing.header import tenant_of
from referee.dealing.leaf import AbortLeaf, parse
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import is_signature
from referee.log import Slot, Stage, StepKind
from referee.log.listing_statement import LONGEST_AGE_MS, listing_statement
from referee.log.slot import LAST_TIME
from referee.money import Transfer, net_amounts
from referee.storage import DataLossError, Listed, Reader
from referee.storage.round_index import EVERY, of_seat, of_table, of_tenant
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.log_pb2 import (
    ListedRound,
    ListRoundsRequest,
    ListRoundsResponse,
    ListSeatRoundsRequest,
    ListSeatRoundsResponse,
    RevealedRound,
    RoundStage,
)
from referee.wire.page import read_page_size, refuse_token
from referee.wire.refusal import RefusedError, check_milliseconds, invalid_field
from referee.wire.round import header_of_open, read_table, write_slot

MAX_PAGE: Final = 100
_EXAMINED: Final = 5_000
"""Rounds of a scope that are compared for one page."""
_CHUNK: Final = 500
_KEY_SIZE: Final = 32
_TOKEN: Final = re.compile(r"([0-9]{1,16})-([0-9]{1,16})")
_PREFIX: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


class _Inputs(msgspec.Struct):
    dealt_time: int
    closed_time: int


class _Results(msgspec.Struct):
    transfers: list[Transfer]


class _Transcript(msgspec.Struct):
    """The part of a transcript that a list shows."""

    inputs: _Inputs
    results: _Results


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundList:
    """Lists the rounds of a log; ``clock`` gives the time in ms since 1970 UTC."""

    reader: Reader
    clock: Callable[[], int]
    stage_of: Callable[[Slot], RoundStage]

    def page(self, request: ListRoundsRequest) -> ListRoundsResponse:
        """Return a page of the rounds that a request asks for."""
        if request.HasField("table_id"):
            read_table(request.table_id, field="table_id")
        if request.HasField("table_prefix"):
            if request.HasField("table_id"):
                _refuse("table_prefix", "name a table or the beginning of table ids, not both")
            if _PREFIX.fullmatch(request.table_prefix) is None:
                _refuse(
                    "table_prefix", "table ids begin with 1 to 64 of A-Z a-z 0-9 . _ -; leave it out for all tables"
                )
        if request.HasField("seat_key"):
            _check_key(request.seat_key)
        rounds, token = self._page(_scope(request), request, _matching(request))
        return ListRoundsResponse(rounds=rounds, next_page_token=token)

    def page_of_seat(self, request: ListSeatRoundsRequest) -> ListSeatRoundsResponse:
        """Return a page of the rounds of a key; refuse a request that this key has not signed, or not just now."""
        _check_key(request.seat_key)
        now = self.clock()
        if abs(now - request.signed_time) > LONGEST_AGE_MS:
            raise RefusedError(
                ErrorReason.ERROR_REASON_SIGNATURE_EXPIRED,
                f"the request was signed at {request.signed_time}, more than {LONGEST_AGE_MS // 1000} s from this "
                f"server's clock, which shows {now}; sign it anew",
                field="signed_time",
                signed_time=request.signed_time,
                now=now,
            )
        statement = listing_statement(
            origin=self.reader.origin,
            seat_key=request.seat_key,
            start_time=request.start_time,
            end_time=request.end_time,
            signed_time=request.signed_time,
        )
        if not is_signature(request.signature, statement, request.seat_key):
            raise RefusedError(
                ErrorReason.ERROR_REASON_BAD_SIGNATURE,
                f"this is not the signature of seat_key over the origin {self.reader.origin}, the period and the time",
                field="signature",
            )
        rounds, token = self._page(of_seat(request.seat_key), request, None)
        return ListSeatRoundsResponse(rounds=rounds, next_page_token=token)

    def _page(
        self, scope: bytes, request: ListRoundsRequest | ListSeatRoundsRequest, matches: Callable[[str], bool] | None
    ) -> tuple[list[ListedRound], str | None]:
        """Return a page of the rounds of a scope whose table matches, and the token of the next page."""
        for name in ("start_time", "end_time"):
            check_milliseconds(getattr(request, name), field=name)
        end = request.end_time if request.HasField("end_time") else LAST_TIME
        if not request.start_time < end <= LAST_TIME:
            _refuse("end_time", f"a period ends after its start {request.start_time} and by 2^53-1, not at {end}")
        count = read_page_size(request, most=MAX_PAGE)
        before = min((end, 0), _before(request.page_token) if request.HasField("page_token") else (end, 0))
        found, following = self._find(scope, matches, since=request.start_time, before=before, count=count)
        token = None if following is None else f"{following[0]}-{following[1]}"
        return [self._show(listed) for listed in found], token

    def _find(
        self, scope: bytes, matches: Callable[[str], bool] | None, *, since: int, before: tuple[int, int], count: int
    ) -> tuple[list[Listed], tuple[int, int] | None]:
        """Return at most ``count`` matching rounds, and the round after which the next page begins, if any."""
        found: list[Listed] = []
        size = count + 1 if matches is None else _CHUNK
        for _ in range(0, _EXAMINED, size):
            rows = self.reader.listed(scope, since=since, before=before, count=size)
            for listed in rows:
                if matches is None or matches(listed.key.table_id):
                    if len(found) == count:
                        return found, before
                    found.append(listed)
                before = listed.opened_time, listed.index
            if len(rows) < size:
                return found, None
        return found, before

    def _show(self, listed: Listed) -> ListedRound:
        slot = self.reader.round(listed.key)
        if slot is None:
            raise DataLossError(
                f"round {listed.key.round_number} of table {listed.key.table_id} is listed and not there"
            )
        return ListedRound(
            round=write_slot(listed.key),
            stage=self.stage_of(slot),
            revealed=self._revealed(listed, slot) if slot.is_revealed else None,
        )

    def _revealed(self, listed: Listed, slot: Slot) -> RevealedRound:
        marks = self.reader.marks(listed.key)
        ends = [self.reader.leaf(mark.index) for mark in marks if mark.kind in (StepKind.SETTLE, StepKind.ABORT)]
        header, payload = header_of_open(self.reader.leaf(listed.index)), Envelope.parse(ends[0]).payload
        revealed = RevealedRound(
            header=header,
            round_id=slot.round_id,
            opened_time=listed.opened_time,
            is_settled=slot.stage is Stage.SETTLED,
            leaf_indexes=[mark.index for mark in marks],
        )
        if revealed.is_settled:
            transcript = msgspec.json.decode(payload, type=_Transcript)
            revealed.dealt_time, revealed.ended_time = transcript.inputs.dealt_time, transcript.inputs.closed_time
            revealed.net_minor.extend(net_amounts(transcript.results.transfers, seat_count=len(header.seat_keys)))
        else:
            revealed.ended_time = parse(payload, AbortLeaf).aborted_time
        return revealed


def _scope(request: ListRoundsRequest) -> bytes:
    """Return the narrowest scope of the index that has all rounds that a request asks for."""
    if request.HasField("seat_key"):
        return of_seat(request.seat_key)
    if request.HasField("table_id"):
        return of_table(request.table_id)
    return of_tenant(tenant_of(request.table_prefix)) if "." in request.table_prefix else EVERY


def _matching(request: ListRoundsRequest) -> Callable[[str], bool] | None:
    """Return what compares tables with a request; None where its scope has no others."""
    if request.HasField("table_prefix"):
        return lambda table: table.startswith(request.table_prefix)
    if request.HasField("table_id") and request.HasField("seat_key"):
        return lambda table: table == request.table_id
    return None


def _check_key(key: bytes) -> None:
    if len(key) != _KEY_SIZE:
        _refuse("seat_key", f"a key has {_KEY_SIZE} bytes, not {len(key)}")


def _before(token: str) -> tuple[int, int]:
    """Return the opening time and OPEN leaf after which a page begins; refuse a token that no page has."""
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        refuse_token()
    return int(parts[1]), int(parts[2])


def _refuse(field: str, message: str) -> NoReturn:
    raise invalid_field(message, field=field)
