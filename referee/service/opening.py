"""Terms to a header: what the shuffler fills in, and what it refuses before anything is written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from referee.dealing.commitment import SEED_SIZE
from referee.dealing.header import NO_KEY, PROTOCOL, SUITE_COMMITMENT, Header, HeaderError
from referee.dealing.layout import layout_of
from referee.games import GAMES, StakeFault
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.sealing import OPENING_MS
from referee.log import FIRST_ROUND, NO_LEAF, Round
from referee.rulesets import Catalogue, Ruleset
from referee.storage import Reader
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.shuffler_pb2 import RoundTerms
from referee.wire.header import header_refusal
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import find_ruleset
from referee.wire.slot import read_slot
from referee.wire.ultimate_texas import stakes_refusal

DEAL_MS: Final = 2 * 60 * 1000
ROUND_MS: Final = 15 * 60 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """Knows the rulesets, this log's origin, its tables and the time."""

    catalogue: Catalogue
    origin: str
    reader: Reader
    clock: Callable[[], int]
    suite: int = SUITE_COMMITMENT

    def header_of(self, terms: RoundTerms, *, field: str) -> tuple[Header, Ruleset]:
        """The header that these terms have as the table stands now, and its ruleset; refuses terms that cannot be."""
        read_slot(terms.table_id, terms.round_number or FIRST_ROUND, field=field)
        ruleset = find_ruleset(self.catalogue, terms.ruleset_id, terms.ruleset_version, field=f"{field}.ruleset_id")
        check_seat_count(ruleset, terms.seat_count, field=f"{field}.seat_count")
        if len(terms.seat_keys) not in (0, terms.seat_count):
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                f"{terms.seat_count} seats have {len(terms.seat_keys)} keys; give one a seat, zeros for none",
                field=f"{field}.seat_keys",
            )
        latest = self.reader.latest_round(terms.table_id)
        number, previous = _next_round(latest, terms.round_number, field=field)
        now = self.clock()
        header = Header(
            protocol=PROTOCOL,
            origin=self.origin,
            randomness_suite=self.suite,
            table_id=terms.table_id,
            round_number=number,
            ruleset_id=ruleset.id,
            ruleset_version=ruleset.version,
            ruleset_digest=ruleset.digest,
            layout=layout_of(ruleset.game, seat_count=terms.seat_count).sizes,
            currency=terms.currency,
            stake=terms.stake_minor,
            seat_stakes=tuple([(stake.ante_minor, stake.trips_minor) for stake in terms.seat_stakes]),
            seat_keys=tuple(terms.seat_keys) or (NO_KEY,) * terms.seat_count,
            previous_leaf=previous,
            deal_deadline=terms.deal_deadline_time or now + DEAL_MS,
            round_deadline=terms.round_deadline_time or max(terms.deal_deadline_time, now) + ROUND_MS,
        )
        check_terms(header, ruleset, now=now, field=field)
        return header, ruleset


def check_terms(header: Header, ruleset: Ruleset, *, now: int, field: str, is_sealed: bool = False) -> None:
    """Refuses a header that breaks the protocol, the ruleset's limits on seats and stakes, or the clock.

    A round must last long enough to be played when it is dealt at the last moment.
    """
    try:
        header.validate()
    except HeaderError as error:
        raise header_refusal(error, field=field) from None
    check_seat_count(ruleset, header.seat_count, field=f"{field}.seat_keys")
    _check_stakes(header, ruleset, field=field)
    if header.deal_deadline <= now:
        raise RefusedError(
            ErrorReason.ERROR_REASON_DEADLINE_PASSED,
            f"the deal's deadline {header.deal_deadline} has passed, it is {now}",
            field=f"{field}.deal_deadline_time",
            deadline_time=header.deal_deadline,
            received_time=now,
        )
    least = header.deal_deadline + _least_ms(ruleset, is_sealed=is_sealed)
    if header.round_deadline < least:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_HEADER,
            f"dealt by its deadline the round could not be played to its end before {least}",
            field=f"{field}.round_deadline_time",
            expected=least,
            found=header.round_deadline,
        )


def check_seat_tokens(tokens: Sequence[bytes], ruleset: Ruleset, *, seat_count: int) -> None:
    """Refuses hashes of seat tokens that are not one of 32 bytes a seat, or of a game that cannot be sealed."""
    if not tokens:
        return
    message, field = "", "seat_tokens"
    if not GAMES[ruleset.game].can_be_sealed:
        message = f"a table of {ruleset.game} cannot be sealed: each play would have to be proved card by card"
    elif len(tokens) != seat_count:
        message = f"{seat_count} seats have {len(tokens)} tokens; give one a seat, or none at all for an open table"
    else:
        for seat, one in enumerate(tokens):
            if len(one) != SEED_SIZE:
                message, field = f"a token's hash has {SEED_SIZE} bytes, not {len(one)}", f"seat_tokens[{seat}]"
                break
    if message:
        raise RefusedError(ErrorReason.ERROR_REASON_INVALID_FIELD, message, field=field)


def _least_ms(ruleset: Ruleset, *, is_sealed: bool) -> int:
    """How long a round may take from its deal to its showdown."""
    if not isinstance(ruleset.rules, MauBinhRules):
        return 0
    return ruleset.rules.arranging_ms + (OPENING_MS if is_sealed else 0)


def check_seat_count(ruleset: Ruleset, seat_count: int, *, field: str) -> None:
    """Refuses a number of seats that the ruleset does not have."""
    seats = ruleset.rules.seats
    if not seats.minimum <= seat_count <= seats.maximum:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"{ruleset.id} is played by {seats.minimum} to {seats.maximum} seats, not {seat_count}",
            field=field,
            found=seat_count,
        )


_STAKE_WORDS: Final = {
    StakeFault.STAKE_TOO_LOW: "{found} is less than the bet unit; stake at least {expected}",
    StakeFault.STAKE_NOT_A_MULTIPLE: "{found} is no multiple of the bet unit {expected}",
    StakeFault.STAKE_TOO_HIGH: "a payout could pass 2^53-1 at a stake of {found}; stake at most {expected}",
    StakeFault.STAKE_NOT_THE_BET_UNIT: "seats bet on their own here, so stake the bet unit {expected}, not {found}",
}


def _check_stakes(header: Header, ruleset: Ruleset, *, field: str) -> None:
    """Refuse stakes that no round of the ruleset can be opened with."""
    game = GAMES[ruleset.game]
    faults = game.check_stakes(
        ruleset.rules,
        seat_count=header.seat_count,
        stake=header.stake,
        seat_stakes=header.seat_stakes,
        bet_unit=ruleset.bet_unit,
    )
    for fault in faults:
        if fault.code == StakeFault.SEAT_STAKES_NOT_TAKEN:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_STAKE,
                f"seats have no bets of their own in {ruleset.game}; the stake is the table's",
                field=f"{field}.seat_stakes",
            )
        if words := _STAKE_WORDS.get(StakeFault(fault.code)) if fault.code in set(StakeFault) else None:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_STAKE,
                words.format(found=fault.found, expected=fault.expected),
                field=f"{field}.stake_minor",
                code=fault.code,
                expected=fault.expected,
                found=fault.found,
            )
    if game.seat_stake_names and not header.seat_stakes:
        raise RefusedError(
            ErrorReason.ERROR_REASON_MISSING_FIELD, "give the Ante and Trips of each seat", field=f"{field}.seat_stakes"
        )
    if faults:
        raise stakes_refusal(faults, field=field)


def _next_round(latest: Round | None, wanted: int, *, field: str) -> tuple[int, bytes]:
    """The number of the table's next round and the leaf it follows; refuses another number, or while one is open."""
    number, previous = FIRST_ROUND, NO_LEAF
    if latest is not None:
        if latest.terminal_leaf is None:
            raise RefusedError(
                ErrorReason.ERROR_REASON_PREVIOUS_ROUND_OPEN,
                f"round {latest.key.round_number} of table {latest.key.table_id} is {latest.stage.name}; "
                "settle or abort it first",
                table_id=latest.key.table_id,
                round_number=latest.key.round_number,
            )
        number, previous = latest.key.round_number + 1, latest.terminal_leaf
    if wanted not in (0, number):
        raise RefusedError(
            ErrorReason.ERROR_REASON_ALREADY_OPENED if wanted < number else ErrorReason.ERROR_REASON_NOT_OPENED,
            f"the table's next round is {number}, not {wanted}",
            field=f"{field}.round_number",
            expected=number,
            found=wanted,
        )
    return number, previous
