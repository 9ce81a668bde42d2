"""Calls that would append a leaf of a round which an audit refuses, beside those of ``refused_rounds``."""

from collections.abc import Callable
from typing import Any, Final

from referee.audit import Code
from referee.v1 import shuffler_pb2
from tests.service.house import House, Played
from tests.service.opening import open_round
from tests.service.refused_rounds import CASES as REFUSED
from tests.service.refused_rounds import Call, Case

Reason = shuffler_pb2.AbortReason

SLACK_MS: Final = 10_000
CASES: Final = [case for case in REFUSED if case.finding is not None]
"""Calls whose leaf an audit would find; in those added here, the reason may be the code of a violation."""


def instead_of(code: Code, reason: str) -> Callable[[Callable[[House], Call]], Callable[[House], Call]]:
    """Register a case; the reason is that of the error, or the code of the violation that is answered."""

    def register(prepare: Callable[[House], Call]) -> Callable[[House], Call]:
        CASES.append(Case(reason, "", prepare, code))
        return prepare

    return register


def opening(house: House, **changes: Any) -> Call:  # noqa: ANN401 - fields of a header
    """Open a round with a header that was changed after it was prepared."""
    header = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms())).header
    for name, value in changes.items():
        setattr(header, name, value)
    return lambda: open_round(house.shuffler, header)


def aborting(house: House, slot: dict[str, Any], reason: shuffler_pb2.AbortReason) -> Call:
    request = shuffler_pb2.AbortRoundRequest(**slot, reason=reason)
    return lambda: house.shuffler.AbortRound(request)


def settled(house: House) -> Played:
    """Settle a round, and wait until its seed is revealed."""
    played = house.play().report_all()
    house.clock.now += house.ARRANGING_MS
    played.settle()
    played.reveal()
    return played


@instead_of(Code.HEADER_REFUSED, "INVALID_HEADER")
def protocol_of_another_number(house: House) -> Call:
    return opening(house, protocol=2)


@instead_of(Code.WRONG_RULESET, "INVALID_HEADER")
def ruleset_of_another_digest(house: House) -> Call:
    return opening(house, ruleset_digest=bytes(32))


@instead_of(Code.DEADLINE_OUT_OF_BOUNDS, "DEADLINE_OUT_OF_BOUNDS")
def round_without_an_end(house: House) -> Call:
    return opening(house, round_deadline_time=2**53 - 1)


@instead_of(Code.SEAT_KEY_SHARED, "INVALID_HEADER")
def one_key_in_two_seats(house: House) -> Call:
    key = house.table().players[0].public_key
    return lambda: house.open(seat_keys=[key, key])


@instead_of(Code.UNSOUND_KEY, "INVALID_HEADER")
def key_of_small_order(house: House) -> Call:
    return lambda: house.open(seat_keys=[b"\1" + bytes(31), bytes(32)])


@instead_of(Code.LEAF_OF_NO_ROUND, "NOT_OPENED")
def abort_of_a_round_that_is_not_there(house: House) -> Call:
    return aborting(house, {"round": {"table_id": "nowhere", "round_number": 1}}, Reason.ABORT_REASON_OPERATOR)


@instead_of(Code.FOREIGN_COMMITMENT, "SEED_MISMATCH")
def seed_committed_to_in_another_round(house: House) -> Call:
    table, other = house.table(keyed=False), house.table(keyed=False)
    table.request.client_commitments[0] = other.request.client_commitments[0]
    table.open()
    return lambda: house.shuffler.ContributeSeed(table.contribution(0, seed=other.players[0].seed))


@instead_of(Code.SEAT_TOKEN_MISMATCH, "BAD_SIGNATURE")
def seed_signed_under_another_token(house: House) -> Call:
    table = house.table(sealed=True).open()
    signature = table.players[0].sign_seed(table.round_id, table.opened.server_commitment, is_sealed=False)
    return lambda: house.shuffler.ContributeSeed(table.contribution(0, signature=signature))


@instead_of(Code.ENDED_TWICE, "ALREADY_SETTLED")
def abort_of_a_settled_round(house: House) -> Call:
    return aborting(house, settled(house).name, Reason.ABORT_REASON_DEADLINE)


@instead_of(Code.SETTLED_LATE, "EXPIRED")
def settlement_after_the_deadline(house: House) -> Call:
    played = house.play().report_all()
    house.clock.now = played.header.round_deadline_time + 1
    return played.settle


@instead_of(Code.ABORT_MISMATCH, "INVALID_FIELD")
def abort_that_blames_a_seat_whose_seed_was_not_expected(house: House) -> Call:
    header = house.open().header
    house.clock.now = header.deal_deadline_time + 1
    return aborting(house, {"round": header.round}, Reason.ABORT_REASON_SEED_MISSING)


@instead_of(Code.TIME_AHEAD, "CLOCK_BEHIND")
def opening_by_a_clock_ahead_of_the_logs(house: House) -> Call:
    """Have the log's own clock show a time that the server's is far ahead of."""
    house.open()
    logs_time = house.clock.now

    def ask() -> object:
        writer = house.app.log.writer
        assert writer is not None
        before = writer._clock  # noqa: SLF001 - the clock of another machine's log
        writer._clock = lambda: logs_time  # type: ignore[misc]  # noqa: SLF001
        house.clock.now += SLACK_MS + 1
        try:
            return house.open()
        finally:
            writer._clock = before  # type: ignore[misc]  # noqa: SLF001

    return ask
