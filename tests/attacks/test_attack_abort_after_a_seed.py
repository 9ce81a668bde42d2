"""Aborts by an operator who could know the cards: refused from the first seed on, and the last seed deals by itself."""

from typing import Any, TypeAlias

from referee.v1 import shuffler_pb2

House: TypeAlias = Any  # made by a fixture, with its class in another room


def test_operator_cannot_give_a_round_up_once_it_could_know_the_deck(house: House) -> None:
    """All seeds but one are its own; it gets the last and would rather have another deck."""
    table = house.table(seats=4).open()
    table.contribute(0, 1, 2)
    request = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
    assert house.refusal_of(lambda: table.shuffler.AbortRound(request)).reason == "SEEDS_RECEIVED"
    dealt = table.shuffler.ContributeSeed(table.contribution(3)).log_receipt.leaf
    assert house.refusal_of(lambda: table.shuffler.AbortRound(request)).reason == "DEADLINE_NOT_PASSED"
    house.clock.now = table.header.round_deadline_time + 1
    assert house.refusal_of(lambda: table.shuffler.AbortRound(request)).reason == "SEEDS_RECEIVED"
    assert table.shuffler.ContributeSeed(table.contribution(0)).log_receipt.leaf == dealt
