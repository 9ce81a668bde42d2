"""A round of each game played by the client's own advice, until the client says that the round is over."""

import pytest
from referee_client import Arrangement, AsyncClient, Bet, Card, Client, SeatSecrets, Terms, TienLenRound
from referee_client.messages import advice_pb2, ultimate_texas_pb2
from referee_harness import Harness

from tests.clients_python.playing import bet, binh, dealt


def best_of(answer: advice_pb2.SuggestArrangementResponse) -> Arrangement:
    """Return the arrangement that is worth most."""
    best = answer.suggestions[0].arrangement
    return Arrangement(*(tuple(map(Card, chi)) for chi in (best.back, best.middle, best.front)))


def play_suggested(game: TienLenRound) -> None:
    """Make the best move of the seat on turn."""
    answer = game.suggest(count=1)
    best = answer.suggestions[0]
    cards = [Card(number) for number in best.play.cards]
    assert (game.play(answer.turn, cards) if cards else game.pass_turn(answer.turn)).event_number


def test_mau_binh_is_suggested_until_it_is_over(harness: Harness, client: Client, table: str) -> None:
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    game = client.mau_binh(binh(table))
    game.open()
    over = []
    for seat in game.deal():
        over.append(game.is_over())
        game.arrange(seat, best_of(game.suggest(seat)))
    assert [*over, game.is_over()] == [False, False, True]
    assert game.settle().is_replayed


def test_mau_binh_that_is_won_at_the_deal_is_over(harness: Harness, client: Client, table: str) -> None:
    harness.script({"wins": {"0": "sanh rong"}}, table_id=table)
    game = dealt(client.mau_binh(binh(table)))
    assert game.is_over()
    answer = game.suggest(0)
    assert (answer.instant_win.pattern, len(answer.suggestions)) == ("DRAGON", 0)


def test_mau_binh_is_over_when_its_time_is_up(harness: Harness, client: Client, table: str) -> None:
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    game = dealt(client.mau_binh(binh(table)))
    assert not game.is_over()
    harness.clock.advance(61_000)
    assert game.is_over()
    assert game.settle().is_replayed


def test_tien_len_is_suggested_until_it_is_over(harness: Harness, client: Client, table: str) -> None:
    harness.script({"leader": 1}, table_id=table)
    game = dealt(client.tien_len(Terms(table=table, ruleset="tien_len.mien_nam", seats=2, stake=100)))
    played = 0
    while not game.is_over():
        play_suggested(game)
        played += 1
        assert played < 100
    assert played
    assert game.settle().is_replayed


def test_ultimate_texas_is_advised_until_it_is_over(client: Client, table: str) -> None:
    game = dealt(client.ultimate_texas(bet(table, Bet(20, 4))))
    decided = 0
    while not game.is_over():
        answer = game.suggest(0)
        assert answer.best in {option.decision for option in answer.options}
        game.decide(0, answer.best)
        decided += 1
    assert 1 <= decided <= 3
    assert game.settle().is_replayed


@pytest.mark.parametrize("street", ["PREFLOP", "FLOP", "RIVER"])
def test_a_seat_of_a_sealed_table_of_texas_is_advised_from_its_own_hand(
    client: Client, table: str, street: str
) -> None:
    game = dealt(client.ultimate_texas(bet(table), secrets=[SeatSecrets.make(0, keyed=True)]), sealed=True)
    game.open_hand(0)
    while (answer := game.suggest(0)).state.street != street:
        game.decide(0, "CHECK")
    assert ultimate_texas_pb2.DECISION_LEAVE not in {option.decision for option in answer.options}
    assert len(answer.options) >= 2
    assert not game.is_over()


async def test_the_asyncio_client_advises_too(harness: Harness, table: str) -> None:
    async with AsyncClient(harness.grpc, timeout=60) as client:
        game = client.ultimate_texas(bet(table))
        await game.open()
        await game.deal()
        assert not await game.is_over()
        assert (await game.suggest(0)).options
        await game.decide(0, "PLAY_4X")
        assert await game.is_over()
