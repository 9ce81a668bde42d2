"""Actions: a number means the same everywhere, the mask is the law's, and an observation shows no unseen card."""

import random
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from referee.advice.mau_binh.question import ArrangementTable, suggest
from referee.cards import DECK, Card, Seat
from referee.env import RoundEnv
from referee.env.mau_binh import SUGGESTIONS
from referee.env.tien_len import PASS, PLAY
from referee.env.ultimate_texas import DECISIONS
from referee.games import refusals
from referee.games.mau_binh import Arrangement
from referee.games.tien_len import Pass, Play, legal_plays, may_pass, set_of
from referee.games.ultimate_texas import Decision, Event
from tests.env.playing import play
from tests.randomness import number_from, random_from

TABLES = [("mau_binh.classic", 4), ("tien_len.mien_nam", 3), ("ultimate_texas.two_plus_three", 3)]


def parts(env: RoundEnv, agent: str) -> dict[str, list[int]]:
    """Return an agent's observation by feature."""
    features = env.actions.features
    ends = np.cumsum(list(features.values()))
    return {name: part.tolist() for name, part in zip(features, np.split(env.observe(agent), ends[:-1]), strict=True)}


def begin_again(env: RoundEnv, sections: list[tuple[Card, ...]]) -> None:
    """Put other cards under the episode that has just been dealt."""
    episode = env.episode
    episode.state = episode.game.begin(env.ruleset.rules, replace(episode.state.deal, sections=tuple(sections)))
    env._offer()  # noqa: SLF001 - the mask is of the cards now


def unseen_shuffled(env: RoundEnv, seat: int, *, shown: int, luck: random.Random) -> list[tuple[Card, ...]]:
    """Return the sections with all cards mixed but the seat's hand and the first ``shown`` sections after the house."""
    game, deal = env.episode.game, env.episode.state.deal
    layout = game.layout(deal.seat_count)
    house = layout.board("house") if layout.has_board else deal.seat_count
    seen = {seat, *range(house + 1, house + 1 + shown)}
    known = {card for section in seen if section < len(deal.sections) for card in deal.sections[section]}
    rest = [card for card in DECK if card not in known]
    luck.shuffle(rest)
    return [
        cards if section in seen else tuple([rest.pop() for _ in cards]) for section, cards in enumerate(deal.sections)
    ]


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_decks_that_differ_in_unseen_cards_give_equal_observations(ruleset, seats):
    """The same actions follow on both decks, as long as they show no card that differs."""
    compared = 0
    for seed in range(8):
        env, other = RoundEnv(ruleset, seats=seats), RoundEnv(ruleset, seats=seats)
        for one in (env, other):
            one.reset(seed=number_from(seed))
        seat = Seat(env.agents.index(env.agent_selection))
        sections = unseen_shuffled(env, seat, shown=0, luck=random_from(seed))
        begin_again(other, sections)
        if other.episode.state.is_over:
            continue
        agent = f"seat_{seat}"
        assert env.episode.state.deal.sections != other.episode.state.deal.sections
        assert env.observe(agent).tobytes() == other.observe(agent).tobytes()
        assert env.infos[agent]["action_mask"].tobytes() == other.infos[agent]["action_mask"].tobytes()
        compared += 1
    assert compared


def test_board_is_seen_street_by_street_and_nothing_else_opens():
    """After each street the open sections alone are equal, and so are the observations; another flop is another."""
    streets = 0
    for shown in (0, 1, 2):
        env, other = (RoundEnv("ultimate_texas.casino", seats=2) for _ in range(2))
        for one in (env, other):
            one.reset(seed=number_from(3))
        begin_again(other, unseen_shuffled(env, 0, shown=shown, luck=random_from(shown)))
        for _ in range(2 * shown):
            for one in (env, other):
                one.step(DECISIONS.index(Decision.CHECK))
        assert env.observe("seat_0").tobytes() == other.observe("seat_0").tobytes()
        if shown < 2:
            for one in (env, other):
                one.step(DECISIONS.index(Decision.CHECK))
                one.step(DECISIONS.index(Decision.CHECK))
            assert parts(env, "seat_0")["board"] != parts(other, "seat_0")["board"]
        streets += 1
    assert streets == 3


def test_arrangements_of_other_seats_stay_unseen():
    """A seat sees who has arranged, not how."""
    seen = []
    for action in (0, SUGGESTIONS):
        env = RoundEnv("mau_binh.classic", seats=3)
        env.reset(seed=number_from(4))
        env.step(action)
        seen.append(env.observe("seat_1").tobytes())
        assert parts(env, "seat_1")["arranged"] == [0, 0, 1]
    assert seen[0] == seen[1]


def test_cards_picked_are_seen_by_their_own_seat_alone():
    """What a seat has picked shows to others once it is played."""
    env = RoundEnv("tien_len.mien_nam", seats=2)
    env.reset(seed=number_from(5))
    mine, theirs = env.agent_selection, next(agent for agent in env.agents if agent != env.agent_selection)
    before = env.observe(theirs).tobytes()
    card = int(np.flatnonzero(env.infos[mine]["action_mask"])[0])
    env.step(card)
    assert env.agent_selection == mine
    assert parts(env, mine)["begun"][card] == 1
    assert env.observe(theirs).tobytes() == before
    env.step(PLAY)
    assert parts(env, theirs)["to_beat"][card] == 1
    assert parts(env, theirs)["played"][len(DECK) + card] == 1


def test_no_position_shows_which_cards_the_other_seats_hold():
    """In each position of a round the cards that a seat has not seen change places, and it observes the same."""
    env, luck = RoundEnv("tien_len.mien_nam", seats=3), random_from(6)
    changed = 0

    def check_position(agent: str) -> None:
        nonlocal changed
        state, seat, begun = env.episode.state, Seat(env.agents.index(agent)), env._begun  # noqa: SLF001 - what is picked
        played = [dealt ^ held for dealt, held in zip(state.dealt, state.held, strict=True)]
        unseen = [card for card in DECK if not set_of([card]) & (state.held[seat] | sum(played))]
        luck.shuffle(unseen)
        others = [
            own if place == seat else set_of([unseen.pop() for _ in range(own.bit_count())])
            for place, own in enumerate(state.held)
        ]
        dealt = tuple([gone | held for gone, held in zip(played, others, strict=True)])
        other = replace(state, held=tuple(others), dealt=dealt)
        changed += other.held != state.held
        assert env.actions.observe(other, seat, begun) == env.actions.observe(state, seat, begun)
        assert env.actions.offers(other, seat, begun).keys() == env.actions.offers(state, seat, begun).keys()

    for seed in range(2):
        play(env, seed=number_from(seed), before_each=check_position)
    assert changed > 50


def test_every_lawful_play_can_be_made_in_one_way_and_no_other():
    """In each position the sequences of actions that end with PLAY or PASS are the plays that the law lists."""
    env = RoundEnv("tien_len.mien_nam", seats=4)
    actions, positions = env.actions, 0

    def check_position(agent: str) -> None:
        nonlocal positions
        state, seat = env.episode.state, Seat(env.agents.index(agent))
        if env._begun:  # noqa: SLF001 - the plays of a position are counted once, at its beginning
            return
        found: list[Any] = []
        waiting: list[tuple[int, ...]] = [()]
        while waiting:
            begun = waiting.pop()
            for number, event in actions.offers(state, seat, begun).items():
                if event is None:
                    waiting.append((*begun, number))
                else:
                    found.append((number, event))
        plays = [event.cards for number, event in found if number == PLAY]
        assert sorted(map(str, plays)) == sorted(str(play.cards) for play in legal_plays(state))
        assert [event for number, event in found if number == PASS] == [Pass(seat, state.last_time)] * may_pass(state)
        assert all(isinstance(event, Play | Pass) for _, event in found)
        positions += 1

    for seed in range(2):
        play(env, seed=number_from(seed), before_each=check_position)
    assert positions > 50


def test_decision_has_the_same_number_on_every_street():
    """The mask is exactly the decisions of which the law refuses none, leaving and timeouts left out."""
    env, streets = RoundEnv("ultimate_texas.casino", seats=3), set()
    assert env.actions.labels == ("CHECK", "PLAY_4X", "PLAY_3X", "PLAY_2X", "PLAY_1X", "FOLD")

    def check_mask(agent: str) -> None:
        state, seat = env.episode.state, Seat(env.agents.index(agent))
        lawful = []
        for decision in DECISIONS:
            event = Event(seat, decision, state.last_time)
            lawful.append(not refusals(env.episode.game, env.episode.game.check(state, event)))
        assert env.infos[agent]["action_mask"].astype(bool).tolist() == lawful
        streets.add(state.street)

    for seed in range(5):
        play(env, seed=number_from(seed), before_each=check_mask)
    assert len(streets) == 3


def test_number_of_an_arrangement_is_its_place_in_the_advice():
    """The last number is the cards in the order dealt; the observation has the chi of each card by suggestion."""
    env = RoundEnv("mau_binh.classic", seats=2)
    assert env.actions.labels[0] == "SUGGESTION_1"
    assert env.actions.labels[-1] == "AS_DEALT"
    for seed in range(3):
        env.reset(seed=number_from(seed))
        hand = env.episode.state.hand(Seat(0))
        rules: Any = env.ruleset.rules
        table = ArrangementTable(rules, env.ruleset.digest, 2, None)
        advised = [one.arrangement for one in suggest(table, hand, count=SUGGESTIONS).suggestions]
        chi = parts(env, "seat_0")["suggestions"]
        for number, arrangement in (*enumerate(advised), (SUGGESTIONS, Arrangement.as_dealt(hand))):
            env.reset(seed=number_from(seed))
            if number < SUGGESTIONS:
                places = chi[number * len(hand) : (number + 1) * len(hand)]
                assert places == [
                    next(at for at, cards in enumerate(arrangement.chi, 1) if card in cards) for card in hand
                ]
            env.step(number)
            assert env.episode.state.arrangements[0] == arrangement
