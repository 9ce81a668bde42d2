"""Statistics over many rounds: sound logs are quiet, chosen ones are found, each at the rate that is stated.

Rounds are made without leaves here, which allows thousands of logs; what the audit makes of leaves is in the fixtures.
Every log is drawn from a fixed seed.
"""

import itertools
import math
from collections.abc import Iterator

import pytest

from referee.audit.report import TableCounts
from referee.finding import Code, Finding, Severity
from referee.suspicion.owners import Owners
from referee.suspicion.population import LogCounts, RoundSample
from referee.suspicion.questions import points_of_hands, questions
from referee.suspicion.score import FAIL_RATE, KEPT, NOTE_RATE, Measure, Question, QuestionKind, Score, Subject, judge
from referee.suspicion.tables import thrown_away
from tests.budget import examples
from tests.suspicion.shuffled_rounds import Luck, answers, log_of, played

BUILTIN = ("mau_binh", "tien_len", "ultimate_texas")
"""Games, one with a house."""


def judged(rounds: Iterator[RoundSample] | list[RoundSample]) -> tuple[Finding, ...]:
    return judge(asked(rounds)).suspicions


def asked(rounds: Iterator[RoundSample] | list[RoundSample]) -> list[Question]:
    population, owners = LogCounts(), Owners()
    for drawn in rounds:
        population.add(drawn)
        owners.add(drawn)
    return list(questions(population, owners, {}, repeated=()))


def codes(rounds: Iterator[RoundSample] | list[RoundSample]) -> set[Code]:
    return {suspicion.code for suspicion in judged(rounds)}


def test_sound_logs_fail_never_and_are_noted_once_in_a_thousand():
    """Of logs of 30 rounds at each of 3 tables none fails, and at most one in a hundred has a note."""
    noted, logs = 0, examples(100)
    for number in range(logs):
        luck = Luck(number)
        rounds = [played(luck, game, table=f"table-{game}", aborts=0.5) for game in BUILTIN for _ in range(30)]
        suspicions = judged(rounds)
        assert all(suspicion.severity is Severity.NOTE for suspicion in suspicions)
        noted += bool(suspicions)
    assert noted <= logs // 100


@pytest.mark.parametrize("game", BUILTIN)
def test_long_sound_log_is_quiet(game: str):
    """A round at each of 20 tables in turn, a tenth of all aborted after the deal."""
    luck = Luck(game)
    rounds = (played(luck, game, table=f"table-{number % 20}", aborts=0.1) for number in range(examples(5_000)))
    assert judged(rounds) == ()


@pytest.mark.parametrize(
    ("game", "worst", "times", "least"),
    [
        ("mau_binh", 0.2, 45, 0.95),
        ("tien_len", 0.2, 45, 0.95),
        ("mau_binh", 0.5, 150, 0.95),
        ("mau_binh", 0.5, 25, 0.0),
    ],
)
def test_aborts_of_a_seats_worst_hands_are_found(game: str, worst: float, times: int, least: float):
    """An operator who aborts all rounds in which a seat's hand is among its worst is found, in that part of the logs.

    Aborting the worst fifth is found after 45 aborts, the worse half after 150, and not after 25.
    """
    limit = quantile(game, worst)
    found, logs = 0, examples(25)
    for number in range(logs):
        luck = Luck(game, number)
        chosen = log_of(luck, game, lambda drawn: drawn.points[1] <= limit)
        aborted = list(itertools.islice((drawn for drawn in chosen if drawn.is_aborted), times))
        found += Code.ABORTED_BY_QUALITY in codes(aborted)
    assert found >= least * logs
    assert least or not found


@pytest.mark.parametrize(("game", "rounds"), [("mau_binh", examples(1_500)), ("tien_len", 5_000)])
def test_rounds_that_end_by_their_cards_accuse_nobody(game: str, rounds: int):
    """Strong hands settle at once, and long rounds of weak ones run out of time: at every seat alike.

    Thousands of rounds are aborted, each because its best hand is among the weaker half; all hands together are then
    noted to be unlike what is dealt, and no seat is found.
    """
    luck, middle = Luck("alike", game), quantile(game, 0.84)  # of four hands the best is below it in half the rounds
    weak = (drawn for drawn in log_of(luck, game, lambda drawn: max(drawn.points) <= middle) if drawn.is_aborted)
    suspicions = judged(itertools.islice(weak, rounds))
    assert suspicions
    assert all(suspicion.severity is Severity.NOTE for suspicion in suspicions)
    assert 39 in {suspicion.number for suspicion in suspicions}


def quantile(game: str, part: float) -> int:
    """Return the points that so great a part of all hands do not exceed."""
    distribution = points_of_hands(game)
    reached = 0
    for value, weight in distribution.weights.items():
        reached += weight
        if reached >= part * distribution.total:
            return value
    raise AssertionError


def test_aborts_of_rounds_the_house_would_lose_are_found():
    """In every log after 60 aborts, and nobody is accused by the rounds that were settled."""
    for number in range(examples(25)):
        luck = Luck("house", number)
        every = log_of(luck, "ultimate_texas", lambda drawn: drawn.leads[0] > 0)
        rounds = list(itertools.islice(every, 200))
        aborted = [drawn for drawn in rounds if drawn.is_aborted]
        assert len(aborted) > 60
        assert Code.ABORTED_BY_QUALITY in codes(rounds)


def test_aborts_whatever_the_cards_are_quiet():
    """Every second dealt round is aborted by the clock alone, in each log of 100 rounds."""
    for number in range(examples(50)):
        luck = Luck("clock", number)
        assert judged([played(luck, "tien_len", aborts=0.5) for _ in range(100)]) == ()


def test_seat_that_withholds_is_found_and_many_that_do_are_not():
    """One seat of four to blame for every second abort is found after 120; each for its part is not after 4,000."""
    found, logs = 0, examples(25)
    for number in range(logs):
        luck = Luck("blame", number)
        blamed = (2 if luck.random() < 0.5 else luck.randrange(4) for _ in range(120))
        found += Code.WITHHELD_BY_SEAT in codes([withheld(seat) for seat in blamed])
    assert found >= 0.95 * logs
    luck = Luck("fair")
    assert judged([withheld(luck.randrange(4)) for _ in range(4_000)]) == ()


def withheld(seat: int) -> RoundSample:
    return RoundSample(
        table_id="felt", game="tien_len", seat_count=4, leaf_index=0, is_ended=True, is_aborted=True, blamed=(seat,)
    )


def test_shuffle_that_leaves_a_card_where_it_was_is_found():
    """One card in fifty is left at its place: too little for any cell, and enough for the decks before."""

    def rounds() -> Iterator[RoundSample]:
        luck, before = Luck("stays"), list(range(1, 53))
        for _ in range(4_000):
            deck = list(before)
            luck.shuffle(deck)
            if luck.random() < 0.5:
                card = luck.choice(before)
                place, at = before.index(card), deck.index(card)
                deck[place], deck[at] = deck[at], deck[place]
            before = deck
            yield RoundSample(table_id="felt", game="tien_len", seat_count=4, leaf_index=0, deck=bytes(deck))

    assert codes(rounds()) == {Code.DECKS_CORRELATED}


@pytest.mark.parametrize(
    ("shuffle", "decks", "code"),
    [
        ("remainders", 60_000, Code.CARDS_BY_PLACE_UNEVEN),
        ("any card", 20_000, Code.CARDS_BY_PLACE_UNEVEN),
        ("riffles", 1_000, Code.DECKS_CORRELATED),
    ],
)
def test_shuffles_known_to_be_bad_are_found(shuffle: str, decks: int, code: Code):
    """The remainder of a byte, a swap with any card of all, and three riffles of the deck before."""
    luck = Luck(shuffle)
    made = {"remainders": by_remainders, "any card": by_any_card, "riffles": riffled}[shuffle]

    def rounds() -> Iterator[RoundSample]:
        deck = list(range(1, 53))
        for _ in range(decks):
            deck = made(luck, deck)
            yield RoundSample(table_id="felt", game="tien_len", seat_count=4, leaf_index=0, deck=bytes(deck))

    assert code in codes(rounds())


def by_remainders(luck: Luck, _: list[int]) -> list[int]:
    deck = list(range(1, 53))
    for place, byte in zip(range(51, 0, -1), luck.randbytes(51), strict=True):
        other = byte % (place + 1)
        deck[place], deck[other] = deck[other], deck[place]
    return deck


def by_any_card(luck: Luck, _: list[int]) -> list[int]:
    deck = list(range(1, 53))
    for place in range(52):
        other = luck.randrange(52)
        deck[place], deck[other] = deck[other], deck[place]
    return deck


def riffled(luck: Luck, before: list[int]) -> list[int]:
    deck = before
    for _ in range(3):
        at = sum(luck.random() < 0.5 for _ in deck)
        left, right = deck[:at], deck[at:]
        deck = []
        while left or right:
            deck.append((left if luck.random() * (len(left) + len(right)) < len(left) else right).pop(0))
    return deck


def test_seat_that_is_dealt_the_best_hand_too_often_is_found():
    """Of decks in which seat 0 of 2 is not ahead three in ten are dealt again: found after 5,000 rounds, every time."""
    for number in range(examples(3)):
        luck = Luck("best", number)

        def rounds(luck: Luck = luck) -> Iterator[RoundSample]:
            for _ in range(5_000):
                drawn = played(luck, "mau_binh", seats=2)
                while luck.random() < 0.3 and drawn.points[0] <= drawn.points[1]:
                    drawn = played(luck, "mau_binh", seats=2)
                yield drawn

        assert Code.WINS_BEYOND_CHANCE in codes(rounds())


def test_one_seat_against_the_house_is_even():
    """The seat of a single-seat table has no share to be unlike, but it has a house to beat."""
    luck = Luck("alone")
    rounds = [played(luck, "ultimate_texas", seats=1) for _ in range(300)]
    measures = [question.subject.measure for question in asked(rounds)]
    assert Measure.AHEAD in measures
    assert Measure.BEST_HAND not in measures


def test_winning_by_skill_is_noted_and_no_failure():
    luck = Luck("skill")
    rounds = [
        RoundSample(
            table_id="felt", game="tien_len", seat_count=4, leaf_index=0, winner=luck.choice((0, 0, 0, 1, 2, 3))
        )
        for _ in range(1_000)
    ]
    assert [one.code for one in judged(rounds)] == [Code.WIN_RATE_UNUSUAL]
    assert Code.WIN_RATE_UNUSUAL.severity is Severity.NOTE


def counts_of(*, bad: int, good: int, longer: int = 0, failing: int = 0) -> dict[str, TableCounts]:
    """Tables of one round, aborted or settled, and one long table with so many rounds, some aborted."""
    tables = {f"bad-{n}": TableCounts(opened=1, dealt=1, aborted_after_deal={"NOBODY": 1}) for n in range(bad)}
    tables |= {f"good-{n}": TableCounts(opened=1, dealt=1, settled=1) for n in range(good)}
    if longer:
        long = TableCounts(opened=longer, dealt=longer, settled=longer - failing)
        long.aborted_before_deal["NOBODY"] = failing
        tables["long"] = long
    return tables


@pytest.mark.parametrize(
    ("tables", "is_found"),
    [
        (counts_of(bad=12, good=0), True),
        (counts_of(bad=5, good=0), False),
        (counts_of(bad=10, good=90), False),
        (counts_of(bad=60, good=40), True),
        (counts_of(bad=60, good=40, longer=1_000, failing=10), True),
        (counts_of(bad=60, good=40, longer=1_000, failing=600), False),
        (counts_of(bad=0, good=100, longer=1_000, failing=600), False),
        ({}, False),
    ],
)
def test_tables_given_up_after_one_bad_round_are_found(tables: dict[str, TableCounts], *, is_found: bool):
    """Unless they are few, or as many as rounds that fail anywhere in the log."""
    question = thrown_away(tables)
    assert (question.log + math.log(len(QuestionKind)) <= math.log(FAIL_RATE)) == is_found


def test_unrevealed_rounds_count_as_thrown_away_and_running_ones_do_not():
    tables = {f"hidden-{n}": TableCounts(opened=1, dealt=1, settled=1, unrevealed=1) for n in range(12)}
    tables |= {f"running-{n}": TableCounts(opened=1, dealt=1, running=1) for n in range(50)}
    question = thrown_away(tables)
    assert (question.observed, question.trials) == (12, 12)


def test_tables_of_sound_operators_are_quiet():
    """Operators with 300 tables, of which each gives up 1 in 20 after a bad first round."""
    luck = Luck("operators")
    for _ in range(examples(250)):
        bad = sum(luck.random() < 0.05 for _ in range(300))
        assert thrown_away(counts_of(bad=bad, good=300 - bad)).log > math.log(NOTE_RATE / len(QuestionKind))


def question(log: float, measure: Measure = Measure.AHEAD) -> Question:
    return Question(subject=Subject(measure), trials=9, observed=9, expected=1.0, deviation=9.0, log=log)


@pytest.mark.parametrize(
    ("log10", "asked", "code"),
    [
        (-12.0, 1, Code.WINS_BEYOND_CHANCE),
        (-12.0, 1_000, Code.UNLIKELY_BY_CHANCE),
        (-9.5, 1, Code.UNLIKELY_BY_CHANCE),
        (-5.0, 1, Code.UNLIKELY_BY_CHANCE),
        (-3.5, 1, None),
        (-5.0, 1_000, None),
    ],
)
def test_chances_are_judged_with_all_that_was_asked(log10: float, asked: int, code: Code | None):
    """10^-12 fails alone and is a note among a thousand questions of its kind; there are eight kinds."""
    found = judge([question(log10 * math.log(10)), *[question(0.0) for _ in range(asked - 1)]])
    assert [suspicion.code for suspicion in found.suspicions] == ([] if code is None else [code])
    assert found.asked == asked
    assert {suspicion.number for suspicion in found.suspicions} <= {54}


def test_only_the_least_likely_answers_are_kept():
    found = judge([question(-float(number)) for number in range(100)])
    assert [score.log10_chance for score in found.scores] == [
        round(-number / math.log(10), 2) for number in range(99, 99 - KEPT, -1)
    ]


def test_every_measure_has_words_and_a_kind_and_every_kind_a_measure():
    assert {Subject(measure).kind for measure in Measure} == set(QuestionKind)
    assert len({Subject(measure).text for measure in Measure}) == len(Measure)


def test_scores_do_not_depend_on_the_order_of_questions():
    put = [question(-float(number), list(Measure)[number % 5]) for number in range(60)]
    assert judge(put).scores == judge(put[::-1]).scores
    assert all(isinstance(score, Score) for score in judge(put).scores)


def test_counts_of_a_population_are_those_of_its_rounds():
    """Kept places and neighbours counted card by card."""
    luck = Luck("counts")
    rounds = [played(luck, "tien_len", table=f"table-{number % 3}") for number in range(60)]
    population = LogCounts()
    for drawn in rounds:
        population.add(drawn)
    places = neighbours = new = 0
    last: dict[str, bytes] = {}
    for drawn in rounds:
        deck, before = drawn.deck, last.get(drawn.table_id)
        new += sum(deck[i + 1] == deck[i] + 1 for i in range(51))
        if before is not None:
            places += sum(deck[i] == before[i] for i in range(52))
            follows = {before[i]: before[i + 1] for i in range(51)}
            neighbours += sum(follows.get(deck[i]) == deck[i + 1] for i in range(51))
        last[drawn.table_id] = deck
    assert (population.kept_places.total, population.kept_places.draws) == (places, 57)
    assert (population.kept_neighbours.total, population.kept_neighbours.draws) == (neighbours, 57)
    assert (population.new_neighbours.total, population.new_neighbours.draws) == (new, 60)
    assert sum(map(sum, population.cells)) == 52 * 60
    assert all(answers(drawn.deck, "tien_len", seats=4)["points"] == drawn.points for drawn in rounds)
