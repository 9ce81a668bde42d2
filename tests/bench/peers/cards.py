"""Hands, rounds and decks beside libraries for poker and card games."""

import hashlib
import hmac
import importlib
import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from referee.cards import DECK, Card, Seat
from referee.dealing.deck import deal_order
from referee.games import DealtRound
from referee.games.tien_len import Event, Pass, Play, TienLenRules, legal_plays, may_pass
from referee.games.tien_len import apply as apply_tien_len
from referee.games.tien_len import begin as begin_tien_len
from referee.games.tien_len import settle as settle_tien_len
from referee.games.ultimate_texas import Decision, UltimateTexasRules
from referee.games.ultimate_texas import Event as Decided
from referee.games.ultimate_texas import apply as apply_texas
from referee.games.ultimate_texas import begin as begin_texas
from referee.games.ultimate_texas import settle as settle_texas
from referee.hands import AceLowStraight, Category, Ranking, RankingRules
from referee.rulesets import get
from tests.bench.peers.rows import Row, compared

HANDS: Final = 500
SEATS: Final = 6
OPEN_SPIEL: Final = {
    "betting": "nolimit",
    "numPlayers": SEATS,
    "numRounds": 4,
    "blind": "1 2 0 0 0 0",
    "firstPlayer": "3 1 1 1",
    "numSuits": 4,
    "numRanks": 13,
    "numHoleCards": 2,
    "numBoardCards": "0 3 1 1",
    "stack": "200 200 200 200 200 200",
}


def hands() -> list[Row]:
    """Measure five and seven cards beside eval7."""
    eval7 = importlib.import_module("eval7")
    rules = RankingRules(tuple(Category)[:9], (), AceLowStraight.LOWEST)
    ranking, dice = Ranking.of(rules), random.Random(5)  # noqa: S311 - a fixed sample
    cards = {card: eval7.Card(card.text[0] + card.text[1].lower()) for card in DECK}
    rows = []
    for count, value in ((5, ranking.five_strength), (7, ranking.seven_strength)):
        dealt: list[list[Card]] = [dice.sample(DECK, count) for _ in range(HANDS)]
        theirs: list[list[Any]] = [[cards[card] for card in hand] for hand in dealt]
        rows.append(
            compared(
                f"{'five' if count == 5 else 'seven'} cards, a hand",
                "eval7 (C)",
                theirs=lambda theirs=theirs: len([eval7.evaluate(hand) for hand in theirs]),  # type: ignore[misc] # bound now
                ours=lambda dealt=dealt, value=value: len([value(hand) for hand in dealt]),  # type: ignore[misc] # as above
                ours_more="any order of categories, by ruleset",
            )
        )
    return rows


def beside_pokerkit() -> list[Row]:
    """Measure a round of six seats beside a hand of limit hold'em that everybody checks or calls."""
    pokerkit = importlib.import_module("pokerkit")
    automations = tuple(pokerkit.Automation)

    def theirs() -> int:
        state = pokerkit.FixedLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, 4, 200, SEATS)  # noqa: FBT003 - its own signature
        while state.status:
            state.check_or_call()
        return 1

    return [_texas_row("PokerKit", theirs)]


def beside_open_spiel() -> list[Row]:
    """Measure a round of six seats beside a hand of no-limit hold'em that everybody checks or calls."""
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("universal_poker", OPEN_SPIEL)
    dice = random.Random(10)  # noqa: S311 - a fixed sample
    call = 1

    def theirs() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()) if state.is_chance_node() else call)
        state.returns()
        return 1

    return [_texas_row("OpenSpiel (C++)", theirs)]


def _texas_row(peer: str, theirs: Callable[[], int]) -> Row:
    rules = get("ultimate_texas.casino").rules
    assert isinstance(rules, UltimateTexasRules)
    dice = random.Random(6)  # noqa: S311 - a fixed sample
    decisions = (Decision.CHECK, Decision.CHECK, Decision.PLAY_1X)
    events = [Decided(Seat(seat), decision, 0) for decision in decisions for seat in range(SEATS)]

    def ours() -> int:
        state = begin_texas(rules, _texas_deal(dice))
        for event in events:
            state = apply_texas(state, event)
        settle_texas(state)
        return 1

    return compared(
        "Ultimate Texas, a round of six",
        peer,
        theirs=theirs,
        ours=ours,
        theirs_more="blinds, stacks and 24 actions",
        ours_more="dealer's hand, Blind and Trips by their pay tables, clocks; 18 decisions",
    )


def _texas_deal(dice: random.Random) -> DealtRound:
    cards = dice.sample(DECK, 2 * SEATS + 7)
    holes = [tuple(cards[2 * seat : 2 * seat + 2]) for seat in range(SEATS + 1)]
    board = cards[2 * SEATS + 2 :]
    sections = (*holes[:SEATS], holes[SEATS], tuple(board[:3]), tuple(board[3:]))
    return DealtRound(
        seat_count=SEATS, stake=1, sections=sections, leader=None, dealt_time=0, seat_stakes=((10, 5),) * SEATS
    )


def tien_len() -> list[Row]:
    """Measure a round with the plays of each turn listed, beside doudizhu in RLCard."""
    doudizhu = importlib.import_module("rlcard.games.doudizhu").Game()
    dice = random.Random(7)  # noqa: S311 - as above
    rules = get("tien_len.mien_nam").rules
    assert isinstance(rules, TienLenRules)

    def theirs() -> int:
        state, _ = doudizhu.init_game()
        turns = 0
        while not doudizhu.is_over():
            state, _ = doudizhu.step(dice.choice(state["actions"]))
            turns += 1
        return turns

    def ours() -> int:
        cards = dice.sample(DECK, 52)
        sections = tuple(tuple(cards[seat::4]) for seat in range(4))
        deal = DealtRound(seat_count=4, stake=100, sections=sections, leader=Seat(0), dealt_time=0)
        state, turns = begin_tien_len(rules, deal), 0
        while not state.is_over:
            plays: Sequence[Any] = legal_plays(state)
            event: Event = Pass(state.turn, 0)
            choice = dice.randrange(len(plays) + may_pass(state))  # a pass is one of the actions there, too
            if choice < len(plays):
                event = Play(state.turn, plays[choice].cards, 0)
            state = apply_tien_len(state, event)
            turns += 1
        settle_tien_len(state)
        return turns

    return [
        compared(
            "Tiến Lên with plays listed, a turn",
            "RLCard, doudizhu",
            theirs=theirs,
            ours=ours,
            theirs_more="an observation for learning; longer patterns, of ranks alone",
            ours_more="plays by suit, chops, payments",
        )
    ]


def deck() -> list[Row]:
    """Measure a deck beside the floats of HMAC-SHA256 that Stake describes, written here."""
    dice = random.Random(8)  # noqa: S311 - as above
    seed, mixed, round_id = (dice.randbytes(32) for _ in range(3))
    nonces = iter(range(10**9))

    def theirs() -> int:
        stake_deck(seed.hex(), "client", next(nonces))
        return 1

    def ours() -> int:
        deal_order(seed=seed, mixed=mixed, round_id=round_id)
        return 1

    return [
        compared(
            "a deck of 52",
            "Stake's way, in Python",
            theirs=theirs,
            ours=ours,
            ours_more="HKDF, and bytes that would favour a card are drawn again",
        )
    ]


def stake_deck(server_seed: str, client_seed: str, nonce: int) -> list[Card]:
    """Order 52 cards as Stake publishes it: eight floats of four bytes from each HMAC, one float a card drawn."""
    rest, drawn = list(DECK), []
    stream = b"".join(
        hmac.digest(server_seed.encode(), f"{client_seed}:{nonce}:{cursor}".encode(), hashlib.sha256)
        for cursor in range(7)
    )
    for number in range(len(DECK)):
        value = 0.0
        for place, byte in enumerate(stream[4 * number : 4 * number + 4], start=1):
            value += byte / 256**place
        drawn.append(rest.pop(int(value * len(rest))))
    return drawn
