"""The reader finds planted thieves and nobody else, and its result depends on neither earlier scores nor processes."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from referee.advice.mau_binh.card_tables import CardTables
from referee.advice.mau_binh.populations import Populations
from referee.answered.reader import Answered
from referee.answered.settings import AnsweredSettings
from referee.answered.stakes import Stakes, wary, worth
from referee.audit.report import Report
from referee.audit.round_leaves import ExaminedRound
from referee.finding import Code, Severity
from referee.suspicion.answers import AnswerKind, Answers
from tests.answered.seen_rounds import advised, answering, key, seen
from tests.randomness import random_from

HONEST = (advised,) * 4
ROUNDS = 170


def answers(rounds: list[ExaminedRound], settings: AnsweredSettings | None = None, **options: Any) -> Answers:  # noqa: ANN401 - of several types
    with Answered(settings, **options) as reader:
        for one in rounds:
            reader.on_round(one)
        findings = tuple(reader.close(Report.empty(origin="log.example/1", now=0)))
        assert findings == reader.answers.findings
        return reader.answers


def name(number: int) -> str:
    return f"key {key(number).hex()}"


@pytest.fixture(scope="module")
def rounds() -> list[ExaminedRound]:
    """Play rounds of a pair with two friends, and of a triple whose fourth seat is another player each time."""
    luck, played = random_from("planted"), []
    pair = (answering(1), answering(0), advised, advised)
    triple = (*[answering(3, by_hands=True)] * 3, advised)
    for number in range(ROUNDS):
        played.append(seen(2 * number, luck, (1, 2, 3, 4), pair))
        if number < 60:
            played.append(seen(2 * number + 1, luck, (11, 12, 13, 14 + number), triple, table="other"))
    return played


def test_planted_pair_and_triple_are_found_and_their_friends_are_not(rounds):
    found = answers(rounds)
    assert found.rounds == len(rounds)
    assert found.asked == {AnswerKind.ANSWERED: 18, AnswerKind.LEFT_OUT: 5}
    failed = {(one.code, one.detail.partition(":")[0]) for one in found.findings if one.severity is Severity.FAIL}
    assert failed == {
        (Code.ANSWERED, f"{name(1)} arranged as if it knew the cards of {name(2)}"),
        (Code.ANSWERED, f"{name(2)} arranged as if it knew the cards of {name(1)}"),
        (Code.ANSWERED, f"{name(1)} and {name(2)} arranged as if each knew the cards of the other"),
        (Code.LEFT_OUT, f"{name(11)}, {name(12)} and {name(13)} arranged as if they knew the cards of the fourth seat"),
    }


def test_answer_names_its_rounds_its_money_and_its_path(rounds):
    first = answers(rounds).answers[0]
    assert first.rounds == ROUNDS
    assert abs(first.won["CHIP"]) == 5 * ROUNDS
    assert len(set(first.leaves)) == 10
    assert all(leaf % 2 == 0 for leaf in first.leaves)
    assert first.path[-1] == pytest.approx(first.log10_e, abs=0.5)


def test_nothing_is_asked_where_a_house_allows_it(rounds):
    together = AnsweredSettings(together=((key(1).hex(), key(2).hex()), tuple(key(one).hex() for one in (11, 12, 13))))
    found = answers(rounds, together)
    assert found.asked == {AnswerKind.ANSWERED: 15, AnswerKind.LEFT_OUT: 2}
    assert not found.findings
    assert not answers(rounds, AnsweredSettings(table_talk=("felt", "other"))).rounds


def test_scores_of_an_earlier_audit_give_the_same_answers(rounds, tmp_path: Path):
    file = tmp_path / "scores"
    whole = answers(rounds)
    with Answered() as reader:
        for one in rounds[:100]:
            reader.on_round(one)
        list(reader.close(Report.empty(origin="log.example/1", now=0)))
        reader.scored.keep(file)
    with Answered(earlier=file) as reader:
        for one in rounds:
            reader.on_round(one)
        list(reader.close(Report.empty(origin="log.example/1", now=0)))
        assert reader.scored.reused == 100
        assert reader.answers == whole
    assert answers(rounds[1:], earlier=file) == answers(rounds[1:])


def test_scores_by_other_tables_are_not_used_again(rounds, tmp_path: Path):
    """A house learned its tables anew: rounds that were scored by the former ones are scored again."""
    file, played, ruleset = tmp_path / "scores", rounds[:20], rounds[0].ruleset
    population = Populations.builtin().population_for(ruleset.rules, digest=ruleset.digest)
    tables = CardTables.learn(ruleset.rules, population, rounds=40)
    (tmp_path / f"{ruleset.id}.cards").write_bytes(tables.to_bytes())
    with Answered() as reader:
        for one in played:
            reader.on_round(one)
        list(reader.close(Report.empty(origin="log.example/1", now=0)))
        reader.scored.keep(file)
    for folder, reused in ((None, 20), (tmp_path, 0)):
        with Answered(earlier=file, folder=folder) as reader:
            for one in played:
                reader.on_round(one)
            assert reader.scored.reused == reused


def test_rounds_scored_by_an_executor_give_the_same_answers(rounds):
    with ThreadPoolExecutor(2) as executor:
        assert answers(rounds[:100], executor=executor) == answers(rounds[:100])


def test_round_given_up_or_of_an_unknown_deck_raises_no_stake():
    luck = random_from("given up")
    pair = (answering(1, by_hands=True), answering(0, by_hands=True))
    for known, unknown in ((True, 0), (False, 150)):
        given_up = [seen(number, luck, (1, 2), pair, is_given_up=True, is_deck_known=known) for number in range(150)]
        found = answers(given_up)
        assert found.unknown == unknown
        assert found.asked == {AnswerKind.ANSWERED: 3}
        assert {one.log10_e for one in found.answers} == {0.0}


def test_owner_that_knows_all_hands_is_asked_only_where_it_is_named():
    luck = random_from("superuser")
    played = [seen(number, luck, (1, 2), (answering(1, by_hands=True), advised)) for number in range(60)]
    named = AnsweredSettings(alone=(key(1).hex(), key(2).hex()))
    found = answers(played, named)
    assert found.asked == {AnswerKind.SUPERUSER: 2}
    assert found.answers[0].who == (name(1),)
    assert found.answers[0].log10_e > 5
    assert found.answers[1].log10_e < 1
    assert not answers(played).asked


def test_pairs_beyond_the_memory_are_counted():
    stakes = Stakes(1, most=2)
    for number in (1, 2, 3, 3, 1):
        stakes.add(number, (0.5,))
    assert stakes.crowded_out == 2
    ((number, rounds, peaks),) = stakes.asked(2)
    assert (number, rounds) == (1, 2)
    assert peaks == pytest.approx((worth(1.0, 2 * wary(0.5)),))


def test_honest_players_are_not_noted():
    luck = random_from("honest")
    played = [seen(number, luck, (1, 2, 3, 4), HONEST) for number in range(ROUNDS)]
    found = answers(played)
    assert len(list(combinations(range(4), 2))) * 3 == found.asked[AnswerKind.ANSWERED]
    assert not found.findings
