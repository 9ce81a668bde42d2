"""Calls that would append a leaf of a round which an audit refuses: openings, deals, ends and times."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from referee.audit import Code
from referee.v1 import mau_binh_pb2, shuffler_pb2
from tests.driver.house import House, Played
from tests.driver.opening import open_round

Call: TypeAlias = Callable[[], Any]
Reason = shuffler_pb2.AbortReason

SLACK_MS: Final = 10_000


@dataclass(frozen=True)
class Case:
    """A call whose leaf would be found: the finding, why the call is refused, and how it is prepared."""

    code: Code
    reason: str
    prepare: Callable[[House], Call]


CASES: list[Case] = []


def instead_of(code: Code, reason: str) -> Callable[[Callable[[House], Call]], Callable[[House], Call]]:
    """Register a case; the reason is that of the error, or the code of the violation that is answered."""

    def register(prepare: Callable[[House], Call]) -> Callable[[House], Call]:
        CASES.append(Case(code, reason, prepare))
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


@instead_of(Code.TERMS_FORBIDDEN, "INVALID_STAKE")
def stake_too_high(house: House) -> Call:
    return opening(house, stake_minor=2**53 - 1)


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


@instead_of(Code.OPENED_TWICE, "ALREADY_OPENED")
def opening_of_other_terms(house: House) -> Call:
    header = house.open().header
    header.stake_minor += 1
    return lambda: open_round(house.shuffler, header)


@instead_of(Code.NEXT_ROUND_EARLY, "PREVIOUS_ROUND_OPEN")
def next_round_while_one_is_dealt(house: House) -> Call:
    table = house.play().header.table_id
    return lambda: house.open(table, stake_minor=1)


@instead_of(Code.WRONG_PREVIOUS_LEAF, "WRONG_PREVIOUS")
def header_that_follows_another_leaf(house: House) -> Call:
    played = settled(house)
    terms = house.terms(played.header.table_id)
    header = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms)).header
    header.previous_leaf_hash = b"p" * 32
    return lambda: open_round(house.shuffler, header)


@instead_of(Code.LEAF_OF_NO_ROUND, "NOT_OPENED")
def abort_of_a_round_that_is_not_there(house: House) -> Call:
    return aborting(house, {"table_id": "nowhere", "round_number": 1}, Reason.ABORT_REASON_OPERATOR)


@instead_of(Code.DEAL_BEFORE_OPEN, "NOT_OPENED")
def deal_of_a_round_that_is_not_there(house: House) -> Call:
    request = shuffler_pb2.DealRoundRequest(table_id="nowhere", round_number=1, client_seeds=house.seeds_of(2))
    return lambda: house.shuffler.DealRound(request)


@instead_of(Code.DEALT_TWICE, "ALREADY_DEALT")
def deal_from_other_seeds(house: House) -> Call:
    played = house.play()
    return lambda: played.deal_again(name="better luck")


@instead_of(Code.DEALT_LATE, "DEADLINE_PASSED")
def deal_after_the_deadline(house: House) -> Call:
    opened = house.open()
    house.clock.now = opened.header.deal_deadline_time + 1
    return lambda: house.deal(opened)


@instead_of(Code.CLIENT_SEED_MISMATCH, "SEED_MISMATCH")
def seed_that_opens_no_commitment(house: House) -> Call:
    table = house.table(keyed=False).open()
    return lambda: house.shuffler.ContributeSeed(table.contribution(0, seed=bytes(range(32))))


@instead_of(Code.FOREIGN_COMMITMENT, "SEED_MISMATCH")
def seed_committed_to_in_another_round(house: House) -> Call:
    table, other = house.table(keyed=False), house.table(keyed=False)
    table.request.client_commitments[0] = other.request.client_commitments[0]
    table.open()
    return lambda: house.shuffler.ContributeSeed(table.contribution(0, seed=other.players[0].seed))


@instead_of(Code.SEED_SIGNATURE_FORGED, "BAD_SIGNATURE")
def seed_signed_by_another_seat(house: House) -> Call:
    table = house.table().open()
    signature = table.players[1].sign_seed(table.round_id, table.opened.server_commitment)
    return lambda: house.shuffler.ContributeSeed(table.contribution(0, signature=signature))


@instead_of(Code.SEAT_TOKEN_MISMATCH, "BAD_SIGNATURE")
def seed_signed_under_another_token(house: House) -> Call:
    table = house.table(sealed=True).open()
    signature = table.players[0].sign_seed(table.round_id, table.opened.server_commitment, is_sealed=False)
    return lambda: house.shuffler.ContributeSeed(table.contribution(0, signature=signature))


@instead_of(Code.SETTLED_UNDEALT, "NOT_DEALT")
def settlement_of_a_deal_that_is_not_logged(house: House) -> Call:
    header = house.open().header
    return settling_made_up_deal(house, header)


@instead_of(Code.DECK_ROOT_MISMATCH, "DEAL_MISMATCH")
def settlement_over_another_deck(house: House) -> Call:
    return settling_made_up_deal(house, house.play().header)


def settling_made_up_deal(house: House, header: Any) -> Call:  # noqa: ANN401 - a header message
    """Have the shuffler certify a deal of its own for a round, and settle that."""
    message = mau_binh_pb2.MauBinhRound(header=header, certificates=[house.certify(header, house.derive(header))])
    house.clock.now += house.ARRANGING_MS
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@instead_of(Code.ENDED_TWICE, "ALREADY_SETTLED")
def settlement_with_other_events(house: House) -> Call:
    played = settled(house)
    played.message.events[1].time += 1
    return played.settle


@instead_of(Code.ENDED_TWICE, "ALREADY_SETTLED")
def abort_of_a_settled_round(house: House) -> Call:
    return aborting(house, settled(house).name, Reason.ABORT_REASON_DEADLINE)


@instead_of(Code.ENDED_TWICE, "ABORTED")
def settlement_of_an_aborted_round(house: House) -> Call:
    played = house.play().report_all()
    played.abort()
    played.reveal()
    return played.settle


@instead_of(Code.SETTLED_LATE, "EXPIRED")
def settlement_after_the_deadline(house: House) -> Call:
    played = house.play().report_all()
    house.clock.now = played.header.round_deadline_time + 1
    return played.settle


@instead_of(Code.ABORT_MISMATCH, "DEADLINE_NOT_PASSED")
def abort_before_the_deadline(house: House) -> Call:
    return aborting(house, house.play().name, Reason.ABORT_REASON_DEADLINE)


@instead_of(Code.ABORT_MISMATCH, "INVALID_FIELD")
def abort_that_blames_a_seat_whose_seed_was_not_expected(house: House) -> Call:
    header = house.open().header
    house.clock.now = header.deal_deadline_time + 1
    slot = {"table_id": header.table_id, "round_number": header.round_number}
    return aborting(house, slot, Reason.ABORT_REASON_SEED_MISSING)


@instead_of(Code.ABORTED_AFTER_SEED, "SEEDS_RECEIVED")
def round_given_up_after_a_seed(house: House) -> Call:
    table = house.table().open()
    table.contribute(0)
    return aborting(house, table.slot, Reason.ABORT_REASON_OPERATOR)


@instead_of(Code.REVEALED_EARLY, "NOT_TERMINAL")
def seed_before_the_end(house: House) -> Call:
    return house.play().reveal


@instead_of(Code.TIME_OUT_OF_ORDER, "CLOCK_BEHIND")
def deal_by_a_clock_set_back(house: House) -> Call:
    opened = house.open()
    house.clock.now -= SLACK_MS + 1
    return lambda: house.deal(opened)


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
