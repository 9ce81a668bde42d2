"""Controls have the fault that they say, and a report finds every one of them, whatever the seed."""

from collections import Counter

import numpy as np
import pytest

from referee.lab.fairness.bounds import FEWEST_CONTROL_DECKS
from referee.lab.fairness.control import CONTROLS, LONGEST_STREAM, decks_needed, noncentrality, uneven_draws
from referee.lab.fairness.decks import as_array
from referee.lab.fairness.report import control_line
from referee.lab.fairness.rounds import small_seeds_of, stream_from, stream_of
from referee.lab.fairness.survey import survey_controls
from tests.randomness import number_from

BY_NAME = {control.name: control for control in CONTROLS}


def shuffled_by(name: str, stream: bytes) -> list[int]:
    return BY_NAME[name].shuffle(as_array([stream], length=len(stream))).cards[:, 0].tolist()


@pytest.mark.slow("counts what each report counts, with other seeds")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_control_is_found_with_the_fewest_decks_allowed(seed: int):
    surveys = survey_controls(bytes([seed]) * 32, decks=FEWEST_CONTROL_DECKS, workers=2)
    lines = [control_line(control, survey) for control, survey in zip(CONTROLS, surveys, strict=True)]
    assert [line.control for line in lines if not line.found] == []
    assert all(line.catches for line, control in zip(lines, CONTROLS, strict=True) if control.is_seen)


def test_u16_and_u32_modulo_pass_every_statistic_and_are_counted_out():
    """Honest: no statistic is asked to see them; 46 of their 51 draws are uneven all the same."""
    assert [control.name for control in CONTROLS if not control.is_seen] == ["u16 modulo", "u32 modulo"]
    for bits in (16, 32):
        uneven = [n for n in range(2, 53) if len(set(Counter(value % n for value in range(2**16)).values())) > 1]
        assert len(uneven) == uneven_draws(2**bits) == 46


@pytest.mark.parametrize("width", [1, 2, 4])
def test_modulo_controls_take_the_remainder_of_big_endian_numbers(width: int):
    stream = bytes(np.random.default_rng(number_from(width)).integers(0, 256, LONGEST_STREAM, dtype=np.uint8))
    deck = list(range(52))
    for draw, place in enumerate(range(51, 0, -1)):
        other = int.from_bytes(stream[width * draw : width * draw + width], "big") % (place + 1)
        deck[place], deck[other] = deck[other], deck[place]
    assert shuffled_by(f"u{8 * width} modulo", stream) == deck


def test_noncentrality_is_the_mean_of_many_faulty_decks():
    """Of u8 modulo: the exact chances against 200,000 decks; the statistic rises by this much a deck."""
    source = np.random.default_rng(number_from(8))
    decks = 200_000
    cards = BY_NAME["u8 modulo"].shuffle(source.integers(0, 256, (decks, 51), dtype=np.uint8)).cards
    found = np.stack([np.bincount(row, minlength=52) for row in cards])
    statistic = ((found - decks / 52) ** 2).sum() / (decks / 52) * 51 / 52
    assert (statistic - 2601) / decks == pytest.approx(noncentrality(2**8), rel=0.05)
    assert decks_needed(2**16) > 10_000_000


def test_sattolo_leaves_no_card_and_makes_one_cycle():
    for number in range(50):
        deck = shuffled_by("Sattolo", stream_of(bytes(32), number=number, length=256))
        assert all(card != place for place, card in enumerate(deck))
        place, steps = deck[0], 1
        while place:
            place, steps = deck[place], steps + 1
        assert steps == 52


def test_a_small_seed_space_has_2_to_the_20_streams():
    """And a birthday among 5,000 of them, of which about twelve are expected."""
    streams = [stream_from(small_seeds_of(bytes(32), number=number)) for number in range(5_000)]
    assert 1 <= 5_000 - len(set(streams)) <= 40


def test_the_favoured_seat_gets_the_two_of_hearts_where_the_stream_ends_low():
    stream = stream_of(bytes(32), number=1, length=256)
    favoured = shuffled_by("favours a seat", stream[:-1] + b"\x03")
    plain = shuffled_by("favours a seat", stream[:-1] + b"\x04")
    assert favoured[0] == 3
    assert sorted(favoured) == list(range(52))
    where = plain.index(3)
    assert favoured[where] == plain[0]


def test_the_comparison_turned_round_uses_up_every_stream():
    streams = as_array([stream_of(bytes(32), number=n, length=256) for n in range(100)], length=256)
    assert (BY_NAME["comparison turned round"].shuffle(streams).used > 256).all()
