"""Deadlines without end, or too short to play: no deal waits for ever, and none that is disliked lapses unplayed."""

from typing import Any, TypeAlias

import pytest

House: TypeAlias = Any  # made by a fixture, with its class in another room
FAR = 2**53 - 1


@pytest.mark.parametrize("game", ["mau_binh.classic", "tien_len.mien_nam"])
def test_round_that_is_never_to_end_is_refused(house: House, game: str) -> None:
    soon = house.clock.now + 60_000
    for wish in (
        {"deal_deadline_time": FAR, "round_deadline_time": FAR},
        {"deal_deadline_time": soon, "round_deadline_time": FAR},
        {"deal_deadline_time": house.clock.now + 600_001},
    ):
        refusal = house.refusal_of(lambda wish=wish: house.open(ruleset_id=game, **wish))
        assert refusal.reason == "DEADLINE_OUT_OF_BOUNDS"
        assert int(refusal.facts["latest"]) < int(refusal.facts["found"])


@pytest.mark.parametrize(("game", "least"), [("mau_binh.classic", 90_000), ("tien_len.mien_nam", 1_800_000)])
def test_round_that_lapses_before_it_can_be_played_is_refused(house: House, game: str, least: int) -> None:
    """A frontend that sees the hands cannot let a round of no length lapse."""
    soon = house.clock.now + 60_000
    for length in (0, least - 1):
        wish = {"deal_deadline_time": soon, "round_deadline_time": soon + length}
        refusal = house.refusal_of(lambda wish=wish: house.open(ruleset_id=game, **wish))
        assert refusal.reason == "DEADLINE_OUT_OF_BOUNDS"
    opened = house.open(ruleset_id=game, deal_deadline_time=soon, round_deadline_time=soon + least)
    assert opened.header.round_deadline_time == soon + least
