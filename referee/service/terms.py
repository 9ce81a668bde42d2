"""Terms of a new round, and the header made from them; bad terms are refused before anything is written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.dealing.commitment import SEED_SIZE
from referee.dealing.deadlines import DEAL_MS, deadline_fault, default_round_deadline
from referee.dealing.header import NO_KEY, PROTOCOL, SUITE_COMMITMENT, Header, HeaderError
from referee.games import GAMES, under_ruleset
from referee.log import FIRST_ROUND, NO_LEAF, Slot
from referee.log.times import SLACK_MS, is_behind
from referee.rulesets import Catalogue, Ruleset
from referee.service.game_service import GameService
from referee.service.registry import game_service
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.shuffler_pb2 import RoundTerms
from referee.wire.refusal import (
    RefusedError,
    check_milliseconds,
    deadline_refusal,
    invalid_field,
    invalid_header,
    missing_field,
    round_refusal,
)
from referee.wire.round import find_ruleset, header_refusal, read_seat_keys, read_which_round, stakes_refusal


def leaf_time(now: int, *, floor: int) -> int:
    """Return the time of a leaf: ``now``, or ``floor`` if that is later. Refuse a clock that is far behind ``floor``.

    ``floor`` is the time of the table's last leaf. Times are in ms since 1970 UTC.
    """
    if is_behind(now, newest=floor):
        raise RefusedError(
            ErrorReason.ERROR_REASON_CLOCK_BEHIND,
            f"the server's clock shows {now}, and the table's last leaf is of {floor}; ask again once it is right",
            retry_seconds=(floor - SLACK_MS - now) / 1000,
            expected=floor,
            found=now,
        )
    return max(now, floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderMaker:
    """Maker of headers from terms; it adds the ruleset's digest, the log's origin, the round's number and deadlines.

    ``own_keys`` are the log's own public keys; none of them may be the key of a seat. ``is_closed`` returns whether the
    operator lets no further round be opened under a ruleset.
    """

    catalogue: Catalogue
    origin: str
    clock: Callable[[], int]
    own_keys: frozenset[bytes]
    suite: int = SUITE_COMMITMENT
    is_closed: Callable[[Ruleset], bool] = lambda _ruleset: False

    def header_of(self, terms: RoundTerms, latest: Slot | None, *, field: str) -> tuple[Header, int]:
        """Return the header that the terms give now, and the time of now in ms; refuse terms that no round can have.

        ``latest`` is the table's last round, None before its first. ``field`` is the terms' field in the request.
        """
        table_id, wanted = read_which_round(terms, field=field)
        ruleset = find_ruleset(self.catalogue, terms.ruleset_id, terms.ruleset_version, field=f"{field}.ruleset_id")
        _check_seat_count(ruleset, terms.seat_count, field=f"{field}.seat_count")
        if len(terms.seat_keys) not in (0, terms.seat_count):
            raise invalid_field(
                f"{terms.seat_count} seats have {len(terms.seat_keys)} keys; give one a seat, empty for none",
                field=f"{field}.seat_keys",
            )
        for name in ("deal_deadline_time", "round_deadline_time"):
            check_milliseconds(getattr(terms, name), field=f"{field}.{name}")
        number, previous = _next_round(latest, wanted, field=field)
        now = self.opened_time_of(latest)
        deal_deadline = terms.deal_deadline_time or now + DEAL_MS
        bounds = ruleset.rules.round.bounds
        header = Header(
            protocol=PROTOCOL,
            origin=self.origin,
            randomness_suite=self.suite,
            table_id=table_id,
            round_number=number,
            ruleset_id=ruleset.id,
            ruleset_version=ruleset.version,
            ruleset_digest_hex=ruleset.digest.hex(),
            layout=GAMES[ruleset.game].layout(terms.seat_count).sizes,
            currency=terms.currency,
            stake=terms.stake_minor,
            seat_stakes=tuple([(stake.bet_minor, stake.side_bet_minor) for stake in terms.seat_stakes]),
            seat_keys_hex=read_seat_keys(terms.seat_keys) or (NO_KEY.hex(),) * terms.seat_count,
            previous_leaf_hex=previous.hex(),
            deal_deadline=deal_deadline,
            round_deadline=terms.round_deadline_time or default_round_deadline(deal_deadline, bounds),
        )
        self.check_terms(header, ruleset, opened_time=now, field=field)
        return header, now

    def opened_time_of(self, latest: Slot | None) -> int:
        """Return the time that the OPEN of a table's next round gets now; ``latest`` is the table's last round."""
        return leaf_time(self.clock(), floor=0 if latest is None else latest.newest_time)

    def check_terms(self, header: Header, ruleset: Ruleset, *, opened_time: int, field: str) -> None:
        """Refuse a header that breaks the protocol, the ruleset's limits, or the bounds of deadlines.

        Refuse every header of a ruleset that the operator has closed.
        """
        if self.is_closed(ruleset):
            raise RefusedError(
                ErrorReason.ERROR_REASON_RULESET_CLOSED,
                f"no round of {ruleset.id} is opened now: the operator has closed it; rounds that are open go on",
                field=field,
                ruleset_id=ruleset.id,
                ruleset_version=ruleset.version,
            )
        try:
            _ = header.round_id  # computed once; raises HeaderError if the header breaks the protocol
        except HeaderError as error:
            raise header_refusal(error, field=field) from None
        _check_terms(header, ruleset, field=field)
        _check_deadlines(header, ruleset, opened_time=opened_time, field=field)
        for seat, key in enumerate(header.seat_keys):
            if key != NO_KEY and (key in header.seat_keys[:seat] or key in self.own_keys):
                whose = "the log's own" if key in self.own_keys else f"that of seat {header.seat_keys.index(key)} too"
                message = f"the key of seat {seat} is {whose}; each seat has a key of its own"
                raise invalid_header(message, field=f"{field}.seat_keys[{seat}]")


def _check_terms(header: Header, ruleset: Ruleset, *, field: str) -> None:
    _check_seat_count(ruleset, header.seat_count, field=f"{field}.seat_keys")
    service = game_service(ruleset, field=f"{field}.ruleset_id")
    _check_stakes(header, ruleset, service, field=field)


def _check_deadlines(header: Header, ruleset: Ruleset, *, opened_time: int, field: str) -> None:
    """Refuse deadlines that have passed or are outside the bounds of the ruleset; the refusal names the bounds."""
    if header.deal_deadline <= opened_time:
        raise deadline_refusal(
            ErrorReason.ERROR_REASON_DEADLINE_PASSED,
            f"the deal's deadline {header.deal_deadline} has passed, it is {opened_time}",
            deadline=header.deal_deadline,
            now=opened_time,
            field=f"{field}.deal_deadline_time",
        )
    fault = deadline_fault(header, ruleset.rules.round.bounds, opened_time=opened_time)
    if fault is not None:
        name = f"{fault.field}_time"
        raise RefusedError(
            ErrorReason.ERROR_REASON_DEADLINE_OUT_OF_BOUNDS,
            f"{name} is {fault.found}; {ruleset.id} allows {fault.earliest} to {fault.latest}",
            field=f"{field}.{name}",
            found=fault.found,
            earliest=fault.earliest,
            latest=fault.latest,
        )


def check_seat_tokens(tokens: Sequence[bytes], ruleset: Ruleset, *, seat_count: int) -> None:
    """Refuse seat tokens unless there is one of 32 bytes for each seat, and the game can be played on a sealed table.

    Accept no tokens at all: the table is then an open one.
    """
    if not tokens:
        return
    message, field = "", "seat_tokens"
    if not GAMES[ruleset.game].later.can_be_sealed:
        message = f"a table of {ruleset.game} cannot be sealed: each play would have to be proved card by card"
    elif len(tokens) != seat_count:
        message = f"{seat_count} seats have {len(tokens)} tokens; give one a seat, or none at all for an open table"
    else:
        for seat, one in enumerate(tokens):
            if len(one) != SEED_SIZE:
                message, field = f"a token's hash has {SEED_SIZE} bytes, not {len(one)}", f"seat_tokens[{seat}]"
                break
    if message:
        raise invalid_field(message, field=field)


def _check_seat_count(ruleset: Ruleset, seat_count: int, *, field: str) -> None:
    seats = ruleset.rules.seats
    if not seats.minimum <= seat_count <= seats.maximum:
        raise invalid_field(
            f"{ruleset.id} is played by {seats.minimum} to {seats.maximum} seats, not {seat_count}",
            field=field,
            found=seat_count,
        )


def _check_stakes(header: Header, ruleset: Ruleset, service: GameService, *, field: str) -> None:
    game = service.game
    if game.seat_stake_names and not header.seat_stakes:
        raise missing_field(
            f"give the {' and '.join(game.seat_stake_names)} of each seat", field=f"{field}.seat_stakes"
        )
    with under_ruleset(ruleset.id, ruleset.version):
        faults = game.check_stakes(
            ruleset.rules,
            seat_count=header.seat_count,
            stake=header.stake,
            seat_stakes=header.seat_stakes,
            bet_unit=ruleset.bet_unit,
        )
    if faults:
        raise stakes_refusal(faults, service.texts, names=game.seat_stake_names, field=field)


def _next_round(latest: Slot | None, wanted: int | None, *, field: str) -> tuple[int, bytes]:
    """Return the number of the table's next round, and the hash of the leaf that it follows.

    Refuse while the last round has not ended, and if ``wanted`` is another number; None wants any.
    """
    number, previous = FIRST_ROUND, NO_LEAF
    if latest is not None:
        if latest.terminal_leaf is None:
            table_id, open_number = latest.key.table_id, latest.key.round_number
            message = f"round {open_number} of table {table_id} is {latest.stage.name}; settle or abort it first"
            reason = ErrorReason.ERROR_REASON_PREVIOUS_ROUND_OPEN
            raise round_refusal(reason, message, table_id=table_id, round_number=open_number)
        number, previous = latest.key.round_number + 1, latest.terminal_leaf
    if wanted not in (None, number):
        raise RefusedError(
            ErrorReason.ERROR_REASON_ALREADY_OPENED if wanted < number else ErrorReason.ERROR_REASON_NOT_OPENED,
            f"the table's next round is {number}, not {wanted}",
            field=f"{field}.round.round_number",
            expected=number,
            found=wanted,
        )
    return number, previous
