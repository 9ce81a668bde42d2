"""One registration makes a game: built-in ones and those that installed packages name."""

import dataclasses
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest

from referee.cards import DECK, Card, Seat
from referee.games import (
    GAMES,
    AnyGame,
    DealError,
    DealtRound,
    EventBytesError,
    LeaderBy,
    Registry,
    StakesError,
    UnlawfulEventError,
    game_of,
    play,
    refusals,
    registry,
)
from referee.games.fault import FaultKind
from referee.games.groups import CardGroup, Shown, groups_of
from referee.games.lead import Leading
from referee.games.registry import RegistryError
from referee.rulesets import get, load_builtin, load_texts
from referee.verdict import Violation

SHIPPED = ("mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino")
RULESETS = {ruleset.game: ruleset for ruleset in (*load_builtin(), *map(get, SHIPPED))}
DEALT_TIME = 1_000
CLOCKS = {"mau_binh": 60_000, "tien_len": 30_000, "ultimate_texas": 30_000}
BOUNDS = {"mau_binh": (90_000, 3_600_000), "tien_len": (1_800_000, 10_800_000), "ultimate_texas": (90_000, 3_600_000)}


def deal_of(game: AnyGame, *, is_sealed: bool = False) -> DealtRound:
    """Make a deal of three seats from one deck in which no hand wins at once."""
    bet_unit = RULESETS[game.name].bet_unit
    layout = game.layout(3)
    cards = iter([*DECK[0:52:3], *DECK[1:52:3], *DECK[2:52:3]])
    sections = tuple(tuple(next(cards) for _ in range(layout.sizes[section])) for section in layout.shown)
    return DealtRound(
        seat_count=3,
        stake=bet_unit,
        seat_stakes=tuple([(bet_unit,) + (0,) * (len(game.seat_stake_names) - 1)] * 3) if game.seat_stake_names else (),
        bet_unit=bet_unit,
        sections=sections,
        leader=Seat(1) if game.lead is not None else None,
        dealt_time=DEALT_TIME,
        is_sealed=is_sealed,
    )


def leaving(game: AnyGame, seat: int, time: int) -> Any:  # noqa: ANN401 - an event of whichever game
    """Make the game's own event of a seat that leaves."""
    texts = (b'{"kind":"LEAVE","seat":%d}', b'{"decision":"LEAVE","kind":"DECIDE","seat":%d}')
    for text in texts:
        try:
            return game.events.decode(text % seat, time=time, round_id=bytes(32))
        except EventBytesError:
            continue
    raise AssertionError(f"{game.name} has no event of leaving")


@pytest.fixture(params=list(GAMES))
def game(request: pytest.FixtureRequest) -> AnyGame:
    return GAMES[request.param]


def test_game_is_found_by_the_id_of_a_ruleset() -> None:
    for ruleset in load_builtin():
        assert game_of(ruleset.id) is GAMES[ruleset.game]
        assert isinstance(ruleset.rules, GAMES[ruleset.game].rules_type)
    with pytest.raises(KeyError):
        game_of("whist.club")


def test_round_of_a_game_goes_from_its_deal_to_its_settlement(game: AnyGame) -> None:
    """Every field of ``Game`` takes part; two of three seats leave, which ends a round of any game by its time."""
    rules, deal = RULESETS[game.name].rules, deal_of(game)
    assert {field.name for field in dataclasses.fields(game)} <= set(dir(game))
    state = game.begin(rules, deal)
    assert (state.rules, state.deal, state.event_count, state.last_time) == (rules, deal, 0, DEALT_TIME)
    clock = game.clock(state)
    assert clock is not None
    assert clock.start == DEALT_TIME
    events = [leaving(game, seat, DEALT_TIME + 1 + seat) for seat in (0, 2, 1)[: 3 if game.lead is None else 2]]
    events.sort(key=lambda event: event.time)
    for event in events:
        assert game.events.decode(game.events.encode(event), time=event.time, round_id=bytes(32)) == event
        assert game.check(state, event) == ()
        assert game.later.needs(state, event) == ()
        assert game.minimum_seen(state, event) == 0
        assert not event.is_imposed
        assert not event.needs_received
    played = play(game, state, events)
    assert (played.violations, played.refused_event) == ((), 0)
    assert played.state.event_count == len(events) <= game.max_events
    closed_time = clock.start + clock.limit * 3
    assert game.check_closing(played.state, closed_time) == ()
    assert [fault.code for fault in game.check_closing(played.state, DEALT_TIME - 1)]
    outcome = game.settle(played.state)
    assert len(outcome.net) == 3
    assert set(outcome.winners) <= {0, 1, 2}
    results = game.encode_results(played.state, outcome)
    assert results["transfers"] == outcome.transfers
    assert [seat["net"] for seat in results["seats"]] == list(outcome.net)  # type: ignore[index, union-attr, call-overload] # any game's seats are records
    assert game.later.opens_at_deal(rules, [hand or () for hand in deal.hands]) is False
    shortest, longest = rules.round.bounds
    assert clock.limit <= shortest < longest


@pytest.mark.parametrize("name", list(CLOCKS))
def test_clock_and_bounds_are_those_of_the_ruleset(name: str) -> None:
    game, rules = GAMES[name], RULESETS[name].rules
    clock = game.clock(game.begin(rules, deal_of(game)))
    assert clock is not None
    assert clock.limit == CLOCKS[name]
    assert rules.round.bounds == BOUNDS[name]


def test_unlawful_event_stops_a_round(game: AnyGame) -> None:
    state = game.begin(RULESETS[game.name].rules, deal_of(game))
    stray = leaving(game, 9, DEALT_TIME)
    faults = game.check(state, stray)
    assert [fault.code for fault in refusals(game, faults)] == ["UNKNOWN_SEAT"]
    with pytest.raises(UnlawfulEventError) as caught:
        game.apply(state, stray)
    assert (caught.value.violations, str(caught.value)) == (faults, "UNKNOWN_SEAT")
    played = play(game, state, [leaving(game, 0, DEALT_TIME), stray, leaving(game, 1, DEALT_TIME)])
    assert (played.refused_event, played.violations) == (2, faults)


def test_warnings_alone_refuse_nothing() -> None:
    fouled, late = Violation(code="FOULED_MIDDLE"), Violation(code="DEADLINE_PASSED")
    assert refusals(GAMES["mau_binh"], (fouled,)) == ()
    assert refusals(GAMES["mau_binh"], (fouled, late)) == (late,)
    assert refusals(GAMES["tien_len"], (fouled, late)) == (fouled, late)
    assert refusals(GAMES["mau_binh"], ()) == ()


def test_each_game_names_the_kinds_of_its_faults() -> None:
    kinds = {
        (name, kind.name): {code for code in load_texts(name).violations if GAMES[name].fault_kind(code) is kind}
        for name in BOUNDS
        for kind in FaultKind
        if kind is not FaultKind.RULE
    }
    assert {key: codes for key, codes in kinds.items() if codes} == {
        ("mau_binh", "WARNING"): {"FOULED_MIDDLE", "FOULED_FRONT", "NOT_OPENED"},
        ("mau_binh", "CARD"): {"CARD_NOT_DEALT", "CARD_TWICE", "CARD_MISSING"},
        ("mau_binh", "TIMEOUT"): {"NOT_OUT_OF_TIME"},
        ("mau_binh", "SEAL"): {"NOT_COMMITTED", "STILL_SEALED", "WRONG_OPENING"},
        ("tien_len", "CARD"): {"CARD_TWICE", "CARD_PLAYED_BEFORE", "CARD_NOT_HELD"},
        ("tien_len", "TIMEOUT"): {"NOT_OUT_OF_TIME"},
        ("ultimate_texas", "TIMEOUT"): {"NOT_OUT_OF_TIME"},
    }


@pytest.mark.parametrize("name", GAMES)
def test_label_of_every_group_has_words(name: str) -> None:
    record = {"arrangement": [[1], [2], [3]], "back": [1], "best": [1], "cards": [1], "left": [4]}
    labels = {group.label for group in GAMES[name].groups(record)} - {""}
    assert labels == set(load_texts(name).groups)


@pytest.mark.parametrize("hostile", [None, 7, "cards", {}, [None], ["1", 0, 53, 1.0], [[], [], []]])
def test_groups_of_a_hostile_record_are_none(hostile: object) -> None:
    record = dict.fromkeys(("arrangement", "hands", "back", "best", "category", "cards", "left"), hostile)
    assert [group for game in GAMES.values() for group in game.groups(record)] == []


def test_groups_have_the_cards_and_the_names_of_their_labels() -> None:
    show = groups_of(Shown("rows", ("BACK", "FRONT"), names="made"), Shown("best", names="category"), Shown("left"))
    record = {"rows": [[1, 52], []], "made": ["PAIR", 3], "best": [0, 51, 53], "category": "FLUSH", "left": [7]}
    shown = (CardGroup("BACK", (1, 52), "PAIR"), CardGroup("", (51,), "FLUSH"), CardGroup("", (7,)))
    assert show(record) == shown
    assert show(record | {"made": ["PAIR"], "category": None}) == (
        *(CardGroup("BACK", (1, 52)), CardGroup("", (51,))),
        CardGroup("", (7,)),
    )
    assert show({"rows": [[1], [2], [3]], "made": ["PAIR", "FLUSH"]}) == ()


def test_game_that_says_nothing_more_is_open_and_shows_all_at_the_deal() -> None:
    fields = dataclasses.fields(GAMES["tien_len"])
    own = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    assert (own["minimum_seen"](None, None), own["fault_kind"]("CARD_TWICE")) == (0, FaultKind.RULE)
    assert own["groups"]({"cards": [1]}) == ()
    assert [own[name] for name in ("lead", "seat_stake_names", "questions")] == [None, (), None]
    later = own["later"]
    assert (later.can_be_sealed, later.opens_at_deal(None, []), later.unseal("state", 5)) == (False, False, "state")
    assert (later.needs(None, None), later.opens(None, None)) == ((), ())
    assert Leading().first_leader(None) is LeaderBy.DRAW


def test_impossible_deal_and_stake_begin_no_round(game: AnyGame) -> None:
    rules, deal = RULESETS[game.name].rules, deal_of(game)
    first: tuple[Card, ...] = deal.sections[0] or ()
    with pytest.raises(DealError, match="more than once"):
        game.begin(rules, replaced(deal, sections=(first, first, *deal.sections[2:])))
    with pytest.raises(DealError, match=f"section 0 has {len(first)} cards, not {len(first) - 1}"):
        game.begin(rules, replaced(deal, sections=(first[1:], *deal.sections[1:])))
    with pytest.raises(StakesError) as caught:
        game.begin(rules, replaced(deal, stake=-1))
    faults = game.check_stakes(rules, seat_count=3, stake=-1, seat_stakes=deal.seat_stakes, bet_unit=deal.bet_unit)
    assert (caught.value.violations, str(caught.value)) == (faults, ", ".join(fault.code for fault in faults))
    with pytest.raises(ValueError, match="cannot be dealt"):
        game.layout(27)


def test_closed_hand_is_needed_only_where_the_game_says_so(game: AnyGame) -> None:
    rules, deal = RULESETS[game.name].rules, deal_of(game)
    closed = replaced(deal, sections=(None, *deal.sections[1:]))
    if game.layout(3).needs_hands:
        with pytest.raises(DealError, match="not open"):
            game.begin(rules, closed)
    else:
        game.begin(rules, closed)
    if game.later.can_be_sealed:
        assert game.begin(rules, replaced(closed, is_sealed=True)).deal.sections[0] is None
    else:
        with pytest.raises(DealError, match="sealed"):
            game.begin(rules, replaced(deal, is_sealed=True))


def test_installed_package_adds_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", points(("whist", SimpleNamespace(name="whist"))))
    games: Registry[Any] = Registry("referee.games", lambda: (SimpleNamespace(name="tien_len"),))
    assert list(games) == ["tien_len", "whist"]
    assert len(games) == 2
    assert games["whist"].name == "whist"


def test_name_that_is_registered_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", points(("tien_len", SimpleNamespace(name="tien_len"))))
    games: Registry[Any] = Registry("referee.games", lambda: (SimpleNamespace(name="tien_len"),))
    with pytest.raises(RegistryError, match=r"'tien_len' is registered by referee and by a package \(tests:0\)"):
        list(games)


def test_game_under_another_name_than_its_own_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", points(("bridge", SimpleNamespace(name="whist"))))
    games: Registry[Any] = Registry("referee.games", tuple)
    with pytest.raises(RegistryError, match="registered as 'bridge' and calls itself 'whist'"):
        list(games)


def points(*registered: tuple[str, object]) -> Any:  # noqa: ANN401 - in place of importlib's own
    """Entry points that load these values."""

    class Point(EntryPoint):
        def load(self) -> object:
            return registered[int(self.value.partition(":")[2])][1]

    made = [Point(name, f"tests:{number}", "referee.games") for number, (name, _) in enumerate(registered)]
    return lambda *, group: [point for point in made if point.group == group]


def replaced(deal: DealtRound, **changed: Any) -> DealtRound:  # noqa: ANN401 - members of DealtRound
    """Return the deal with some members changed."""
    return type(deal)(**{name: getattr(deal, name) for name in deal.__struct_fields__} | changed)
