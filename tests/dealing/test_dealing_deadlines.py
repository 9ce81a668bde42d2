"""Deadlines of headers and aborts of rounds, against a second writing of the rules."""

import itertools
from typing import Final, get_args

import msgspec
import pytest

from referee.dealing.abort import AbortFault, AbortReason, abort_faults, blamed_seats, overdue_reason
from referee.dealing.deadlines import deadline_fault, default_round_deadline
from referee.dealing.header import Header
from referee.games.game import RoundBounds

OPENED: Final = 1_700_000_000_000
MINUTE: Final = 60_000
BOUNDS: Final = RoundBounds(5 * MINUTE, 60 * MINUTE)
DUE: Final = 500
SEEDS: Final = [("", ""), ("aa", ""), ("", "bb"), ("aa", "bb")]
COMMITMENTS: Final = [("", ""), ("cc", ""), ("cc", "dd")]
CASES: Final = list(itertools.product(get_args(AbortReason), (False, True), SEEDS, COMMITMENTS, (DUE, DUE + 1)))


def is_lawful(
    reason: str, *, is_dealt: bool, seeds: tuple[str, str], commitments: tuple[str, str], is_late: bool
) -> bool:
    """Return whether a round may be aborted, reason by reason as section 9 of ``tests/vectors/README.md`` words it."""
    some, missing = seeds != ("", ""), "" in seeds
    match reason:
        case "OPERATOR":
            return not is_dealt and not some
        case "VOID":
            return not is_dealt and not missing
        case "SEED_MISSING":
            return not is_dealt and is_late and missing and (some or commitments != ("", ""))
        case _:
            return is_late and (is_dealt or (not some and commitments == ("", "")))


@pytest.mark.parametrize(("reason", "is_dealt", "seeds", "commitments", "time"), CASES)
def test_abort_without_fault_is_one_that_the_text_allows(
    reason: AbortReason, *, is_dealt: bool, seeds: tuple[str, str], commitments: tuple[str, str], time: int
) -> None:
    faults = abort_faults(reason, is_dealt=is_dealt, seeds=seeds, commitments=commitments, deadline=DUE, time=time)
    is_late = time > DUE
    expected = is_lawful(reason, is_dealt=is_dealt, seeds=seeds, commitments=commitments, is_late=is_late)
    assert expected == (not faults)


def test_overdue_round_that_has_all_its_seeds_should_have_been_dealt() -> None:
    seeds, commitments = ("aa", "bb"), ("cc", "dd")
    reason = overdue_reason(is_dealt=False, seeds=seeds, commitments=commitments)
    assert reason == "DEADLINE"
    assert abort_faults(reason, is_dealt=False, seeds=seeds, commitments=commitments, deadline=DUE, time=DUE + 1) == (
        AbortFault.NOT_DEALT,
    )


@pytest.mark.parametrize(
    ("reason", "seeds", "blamed"),
    [("SEED_MISSING", ("", "aa", ""), (0, 2)), ("DEADLINE", ("", "", ""), ()), ("OPERATOR", ("", ""), ())],
)
def test_only_a_missing_seed_blames_seats(reason: AbortReason, seeds: tuple[str, ...], blamed: tuple[int, ...]) -> None:
    assert blamed_seats(reason, seeds) == blamed


@pytest.mark.parametrize(
    ("deal_after", "round_after", "field"),
    [
        (1, 5 * MINUTE, None),
        (10 * MINUTE, 60 * MINUTE, None),
        (0, 5 * MINUTE, "deal_deadline"),
        (10 * MINUTE + 1, 60 * MINUTE, "deal_deadline"),
        (2 * MINUTE, 5 * MINUTE - 1, "round_deadline"),
        (2 * MINUTE, 60 * MINUTE + 1, "round_deadline"),
        (0, 0, "deal_deadline"),
    ],
)
def test_deadlines_are_bounded_on_both_sides(
    header: Header, deal_after: int, round_after: int, field: str | None
) -> None:
    due = OPENED + deal_after
    changed = msgspec.structs.replace(header, deal_deadline=due, round_deadline=due + round_after)
    fault = deadline_fault(changed, BOUNDS, opened_time=OPENED)
    assert (None if fault is None else fault.field) == field
    if fault is not None:
        assert fault.found == getattr(changed, fault.field)
        assert not fault.earliest <= fault.found <= fault.latest


@pytest.mark.parametrize(("shortest", "expected"), [(5 * MINUTE, 15 * MINUTE), (30 * MINUTE, 30 * MINUTE)])
def test_round_lasts_a_quarter_of_an_hour_unless_its_ruleset_needs_longer(shortest: int, expected: int) -> None:
    assert default_round_deadline(OPENED, RoundBounds(shortest, 60 * MINUTE)) == OPENED + expected
