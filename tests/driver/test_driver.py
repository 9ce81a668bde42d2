"""The driver of the tests plays every registered game to its end, and what it plays passes the audit."""

import pytest

from referee.games import GAMES
from tests.driver.running import Running
from tests.driver.scripts import SCRIPTS


def test_every_registered_game_has_a_script() -> None:
    assert set(SCRIPTS) == set(GAMES)


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize(("keyed", "sealed"), [(False, False), (True, False), (True, True)])
def test_round_of_every_game_is_played_to_its_end(running: Running, game: str, *, keyed: bool, sealed: bool) -> None:
    """Twice at one table, the second by a server that is started again."""
    sealed = sealed and GAMES[game].later.can_be_sealed
    for _ in range(2):
        played = running.driver.play("table", game, keyed=keyed, sealed=sealed, seats=3)
        running.restart()
        assert running.driver.take(played).settle().is_replayed
        played.reveal()
    assert running.audit().findings == ()
