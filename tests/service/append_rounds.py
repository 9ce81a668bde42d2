"""Calls that would append a leaf of a round which an audit refuses, beside those of ``refused_rounds``."""

from collections.abc import Callable
from typing import Final

from referee.audit import Code
from referee.v1 import shuffler_pb2
from tests.service.house import House
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
