"""A broken rule is an answer: the violations of sealed tables, beside those of the vectors; nothing is written."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import pytest

from referee.evidence.dsse import Envelope
from referee.games.mau_binh.code import ViolationCode
from referee.transcript.inputs import MEDIA_TYPE
from referee.v1 import mau_binh_pb2
from tests.service.house import House
from tests.service.violations import facts_of
from tests.vectors.reading import read

Violations: TypeAlias = Sequence[Any]

PRODUCED: Final[dict[str, Callable[[House], Violations]]] = {}


def produces(code: str) -> Callable[[Callable[[House], Violations]], Callable[[House], Violations]]:
    """Register a function whose answer must have this code as its first violation."""

    def register(ask: Callable[[House], Violations]) -> Callable[[House], Violations]:
        PRODUCED[code] = ask
        return ask

    return register


def asked(table: Any, **choice: Any) -> Violations:  # noqa: ANN401 - a sealed table's event
    """Ask to accept a signed event of seat 0; return the violations."""
    return table.ask(table.event(0, **choice)).violations


def bound(table: Any) -> list[int]:  # noqa: ANN401 - a sealed table
    """Both seats of a sealed table have committed to their cards as dealt, and the hands are open; those of seat 0."""
    hands = [list(table.open_hand(seat).hand.cards) for seat in (0, 1)]
    for seat, hand in enumerate(hands):
        table.commit(seat, hand)
    table.open_section()
    return hands[0]


@produces("NOT_SEALED")
def commitment_at_an_open_table(house: House) -> Violations:
    while True:
        table = house.table().play()
        if table.preview().violations:
            return asked(table, commit=mau_binh_pb2.Commit(commitment=bytes(32)))


@produces("STILL_SEALED")
def arrangement_before_the_other_seat_committed(house: House) -> Violations:
    table = house.sealed()
    hand = list(table.open_hand(0).hand.cards)
    table.commit(0, hand)
    return asked(table, **table.arrangement(0, hand))


@produces("STILL_OPENING")
def departure_after_the_hands_opened(house: House) -> Violations:
    table = house.sealed()
    bound(table)
    return asked(table, leave=True)


@produces("COMMITTING_OVER")
def commitment_after_the_hands_opened(house: House) -> Violations:
    table = house.sealed()
    bound(table)
    return asked(table, commit=mau_binh_pb2.Commit(commitment=bytes(32)))


@produces("NOT_COMMITTED")
def arrangement_of_a_seat_that_ran_out_of_time(house: House) -> Violations:
    table = house.sealed()
    table.commit(1, list(table.open_hand(1).hand.cards))
    house.clock.now += house.ARRANGING_MS
    table.ask(table.event(0, timeout=True))
    opened = table.open_section()
    return asked(table, **table.arrangement(0, list(opened.hands[0].cards)))


@produces("WRONG_OPENING")
def another_arrangement_than_committed_to(house: House) -> Violations:
    """Open the cards in another order, under another nonce, and under none."""
    table = house.sealed()
    hand = bound(table)
    opened = table.arrangement(0, hand)
    for choice in (opened | {"nonce": b"n" * 32}, {"arrange": opened["arrange"]}):
        assert [one.code for one in asked(table, **choice)] == ["WRONG_OPENING"]
    return asked(table, **table.arrangement(0, hand[::-1]))


@produces("NOT_OPENED")
def arrangement_that_stays_shut(house: House) -> Violations:
    table = house.sealed()
    bound(table)
    house.clock.now += 30_000
    return asked(table, timeout=True)


@produces("ALREADY_OPENED")
def arrangement_opened_twice(house: House) -> Violations:
    table = house.sealed()
    opening = table.arrangement(0, bound(table))
    table.accept(0, **opening)
    return asked(table, **opening)


@produces("NOT_OUT_OF_TIME")
def timeout_before_the_time_is_up(house: House) -> Violations:
    return asked(house.sealed(), timeout=True)


def test_every_documented_code_is_produced() -> None:
    judged = [row for topic in ("refusal", "arrangement") for row in read(f"mau_binh/{topic}")]
    assert PRODUCED.keys() | {one["code"] for row in judged for one in row["violations"]} == set(ViolationCode)


@pytest.mark.parametrize("code", PRODUCED)
def test_violation_is_answered_in_words_and_nothing_is_written(house: House, code: str) -> None:
    """The code first, the same rule in both languages with its facts filled in; no violation reaches the log."""
    violations = PRODUCED[code](house)
    assert violations[0].code == code
    assert all(facts_of(one) for one in violations)
    assert MEDIA_TYPE not in [Envelope.parse(leaf).payload_type for leaf in house.leaves()]


def test_submission_a_moment_before_the_deadline_is_in_time(house: House) -> None:
    played = house.play()
    house.clock.now += house.ARRANGING_MS - 1
    assert played.accept(0, played.arrangement(0)).event_number == 1
