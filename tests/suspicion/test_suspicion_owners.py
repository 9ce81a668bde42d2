"""Statistics by owner: a key whose decks are chosen is found wherever it sits, and nobody else is."""

import itertools

import pytest
from msgspec.structs import replace

from referee.finding import Code, Severity
from referee.suspicion.bets import GIVEN_UP, Bets, growth
from referee.suspicion.owners import YOUNG, Owner, Owners
from referee.suspicion.population import LogCounts, RoundSample
from tests.budget import examples, sample
from tests.suspicion.abort_power import (
    ACCOMPLICE,
    count_clean,
    limit,
    merit,
    player,
    rounds_to_finding,
    suspicions_of,
    vetoed,
)
from tests.suspicion.shuffled_rounds import Luck, ended, played

KEY = player(1)


def records(*rounds: RoundSample) -> dict[str, int]:
    """Return by owner how many rounds the questions are asked about."""
    owners = Owners()
    for one in rounds:
        owners.add(one)
    return {owner.text: record.rounds for owner, record in owners.asked()}


def sat(seat: int, *, table: str = "felt", key: bytes = KEY, is_ended: bool = True) -> RoundSample:
    keys = tuple(key if one == seat else b"" for one in range(2))
    return RoundSample(table_id=table, game="tien_len", seat_count=2, leaf_index=0, is_ended=is_ended, keys=keys)


def test_owner_is_the_key_where_there_is_one():
    asked = records(*[sat(number % 2, table=f"table {number % 3}") for number in range(30)])
    assert asked[Owner(key=KEY.hex()).text] == 30
    assert sum(count for name, count in asked.items() if name.startswith("table ")) == 30


def test_keys_of_a_few_rounds_are_one_owner():
    rounds = [sat(0, key=player(number)) for number in range(1, 8) for _ in range(YOUNG - 1)]
    asked = records(*rounds)
    assert asked[Owner().text] == len(rounds)
    assert not [name for name in asked if name.startswith("key ")]


def test_round_that_has_not_ended_is_not_counted():
    assert records(sat(0, is_ended=False)) == {}


def test_place_at_all_tables_is_asked_about_where_there_are_several():
    one, two = sat(0, key=b""), sat(0, key=b"", table="other")
    assert Owner(seat=0).text not in records(one, one)
    assert records(one, one, two)[Owner(seat=0).text] == 3


@pytest.mark.parametrize(("game", "seats"), [("mau_binh", 4), ("mau_binh", 2), ("tien_len", 4)])
def test_key_that_changes_tables_and_seats_is_found(game: str, seats: int):
    """Where the worst tenth of its decks is given up: within 1,500 rounds, in each log."""
    for number in range(examples(1)):
        rounds = vetoed(Luck("changes", game, number), game, seats=seats, share=0.1)
        found = rounds_to_finding(rounds, most=1_500)
        assert found is not None
        assert found > YOUNG


def test_new_key_for_every_few_rounds_hides_nobody():
    """The accomplice has a new key every 15 rounds, and plays with keys that everybody knows."""
    luck, owners, population = Luck("new keys"), Owners(), LogCounts()
    worst = limit("mau_binh", 4, 0.2)
    veterans = [player(number) for number in range(1, 9)]
    for number in range(900):
        keys = [player(1_000 + number // 15), *luck.sample(veterans, 3)]
        drawn = played(luck, "mau_binh", table=f"table {number % 5}", keys=tuple(keys))
        drawn = ended(drawn, is_aborted=merit(drawn, 0) < worst)
        keys_moved = luck.sample(range(4), 4)
        drawn = replace(
            drawn,
            keys=tuple(keys[one] for one in keys_moved),
            points=tuple(drawn.points[one] for one in keys_moved),
            outcomes=tuple(drawn.outcomes[one] for one in keys_moved) if drawn.outcomes else (),
            deck=b"",
        )
        owners.add(drawn)
    failed = [one for one in suspicions_of(population, owners) if one.severity is Severity.FAIL]
    assert [one.code for one in failed] == [Code.ABORTED_FOR_KEY]
    assert Owner().text in failed[0].detail


def test_decks_that_are_kept_show_the_choice_when_no_other_is_known():
    """The accomplice withholds its own seed when its hand is in the worse half, and no such deck is ever known."""
    owners, population = Owners(), LogCounts()
    for drawn in itertools.islice(vetoed(Luck("hidden"), "tien_len", seats=4, share=0.5), 2_500):
        hidden = replace(drawn, deck=b"", points=(), outcomes=(), blamed=(drawn.keys.index(ACCOMPLICE),))
        owners.add(hidden if drawn.is_aborted else drawn)
    codes = {one.code for one in suspicions_of(population, owners) if one.severity is Severity.FAIL}
    assert Code.ABORTED_FOR_KEY in codes
    assert Code.WITHHELD_BY_SEAT in codes
    assert next(iter(owners.blamed())) == Owner(key=ACCOMPLICE.hex()).text


def test_decks_given_up_are_scored_with_the_seeds_that_are_handed_in():
    """The operator drops another seat's seed where the accomplice's hand is bad, and that seat hands in all of them."""
    owners, population = Owners(are_seeds_handed_in=True), LogCounts()
    for drawn in itertools.islice(vetoed(Luck("dropped"), "mau_binh", seats=4, share=0.1), 1_500):
        other = (drawn.keys.index(ACCOMPLICE) + 1) % 4
        handed_in = replace(drawn, deck=b"", blamed=(other,), handed_in=(other,))
        owners.add(handed_in if drawn.is_aborted else drawn)
    failed = [one for one in suspicions_of(population, owners) if one.severity is Severity.FAIL]
    assert [one.code for one in failed] == [Code.ABORTED_FOR_KEY]
    assert ACCOMPLICE.hex() in failed[0].detail


def test_seeds_that_are_chosen_by_the_cards_accuse_nobody():
    """A rival withholds seeds, and hands in those alone that make another key's fate look chosen: in each log."""
    rival, victim = player(1), player(2)
    for number in range(examples(2)):
        luck = Luck("rival", number)
        owners, population = Owners(are_seeds_handed_in=True), LogCounts()
        for _ in range(400):
            drawn = played(luck, "mau_binh", keys=(rival, victim, player(3), player(4)))
            drawn = ended(drawn, is_aborted=luck.random() < 0.5)
            if drawn.is_aborted:
                drawn = replace(drawn, deck=b"", blamed=(0,), handed_in=(0,))
                if merit(drawn, 1)[0] >= -6:
                    drawn = replace(drawn, points=(), outcomes=(), handed_in=())
            owners.add(drawn)
        codes = {one.code for one in suspicions_of(population, owners)}
        assert codes == {Code.WITHHELD_BY_SEAT}


def test_stakes_on_a_deck_that_somebody_could_choose_are_half():
    """So that a deck which is not handed in costs at most half of the stakes, whatever it holds."""
    points, bets = (40, 60, 90, 100), Bets()
    bets.add_handed_in(*[growth(points, GIVEN_UP)[0]] * 2)
    owners = Owners(are_seeds_handed_in=True)
    owners.add(
        RoundSample(
            table_id="felt",
            game="tien_len",
            seat_count=4,
            leaf_index=0,
            is_ended=True,
            is_aborted=True,
            blamed=(1,),
            handed_in=(1,),
            points=points,
        )
    )
    found = {owner: record.bets.log_favoured for owner, record in owners.asked()}
    assert found[Owner(table_id="felt", seat=0)] == pytest.approx(bets.log_favoured)


def test_healthy_logs_are_clean():
    logs = examples(12)
    clean, noted = count_clean(logs, rounds=150)
    assert clean == logs
    assert noted <= 1


@pytest.mark.exhaustive("counts over many logs of 300 rounds")
@pytest.mark.smaller("100 logs instead of 1,000")
@pytest.mark.timeout(1800)
def test_many_healthy_logs_are_clean():
    logs = sample(100, whole=1_000)
    clean, noted = count_clean(logs, rounds=300)
    assert clean == logs
    assert noted <= max(1, logs // 200)
