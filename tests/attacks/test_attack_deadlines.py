"""Deadlines without end, or too short to play: no deal waits for ever, and none that is disliked lapses unplayed."""

import pytest

from tests.service.house import House

FAR = 2**53 - 1
TABLES = [("mau_binh", False, 90_000, 3_600_000), ("mau_binh", True, 90_000, 3_600_000)]
TABLES += [("tien_len", False, 1_800_000, 10_800_000)]


@pytest.mark.parametrize(("game", "sealed", "least", "most"), TABLES)
def test_round_lasts_as_long_as_its_ruleset_says(house: House, game: str, sealed: bool, least: int, most: int) -> None:  # noqa: FBT001 - a case
    """From the last moment to deal: long enough to be played to its end, and not without end."""
    soon, terms = house.clock.now + 60_000, {"seats": 2, "sealed": sealed}
    for late in (FAR, house.clock.now + 600_001):
        refusal = house.refusal_of(house.table, game, **terms, deal_deadline_time=late, round_deadline_time=FAR)
        assert refusal.reason == "DEADLINE_OUT_OF_BOUNDS"
    for length in (0, least - 1, most + 1, FAR - soon):
        end = soon + length
        refusal = house.refusal_of(house.table, game, **terms, deal_deadline_time=soon, round_deadline_time=end)
        assert refusal.reason_and_field == ("DEADLINE_OUT_OF_BOUNDS", "terms.round_deadline_time")
        assert refusal.facts == {"found": str(end), "earliest": str(soon + least), "latest": str(soon + most)}
    for length in (least, most):
        table = house.table(game, **terms, deal_deadline_time=soon, round_deadline_time=soon + length).open()
        assert table.header.round_deadline_time == soon + length
