"""The one way to play a round in tests: by the SDK, in every registered game.

What the seats do is in ``scripts``. A server on bare stubs is for the raw suite and for attackers alone.
"""

from collections import Counter
from typing import Any, TypeAlias

from referee_client import Client, Proved, Round, SeatSecrets, Terms

from tests.driver.scripts import SCRIPTS
from tests.randomness import random_from

AnyRound: TypeAlias = Round[Any, Any]


class Driver:
    """Plays rounds on the server that a client reaches.

    The seats' secrets follow from the table and from how many of its rounds were prepared before; drivers of one log
    share these counts.
    """

    def __init__(self, client: Client, prepared: Counter[str] | None = None) -> None:
        self.client = client
        self._rounds: Counter[str] = Counter() if prepared is None else prepared

    def prepare(
        self,
        table: str = "t",
        game: str = "",
        *,
        seats: int = 2,
        keyed: bool = False,
        **terms: Any,  # noqa: ANN401 - any field of Terms
    ) -> AnyRound:
        """Return a table's next round, not opened yet, by the game's usual terms with these changes."""
        game = game or str(terms.get("ruleset", "mau_binh")).partition(".")[0]
        script = SCRIPTS[game]
        self._rounds[table] += 1
        secrets = [secrets_of(table, seat, number=self._rounds[table], keyed=keyed) for seat in range(seats)]
        usual: dict[str, Any] = {"ruleset": script.ruleset, "stake": script.stake}
        usual["bets"] = [script.bet] * seats if script.bet else []
        return self.client.game(game, Terms(table=table, seats=seats, **usual | terms), secrets=secrets)

    def open(self, table: str = "t", game: str = "", *, sealed: bool = False, **how: Any) -> AnyRound:  # noqa: ANN401 - what ``prepare`` takes
        """Open a table's next round."""
        opened = self.prepare(table, game, **how)
        opened.open(sealed=sealed)
        return opened

    def deal(self, table: str = "t", game: str = "", **how: Any) -> AnyRound:  # noqa: ANN401 - what ``open`` takes
        """Open and deal a table's next round."""
        dealt = self.open(table, game, **how)
        dealt.deal()
        return dealt

    def deal_playable(self, table: str = "t", game: str = "", **how: Any) -> AnyRound:  # noqa: ANN401 - what ``open`` takes
        """Deal rounds, at tables whose names begin so, until no hand wins at the deal; return that round."""
        dealt = (self.deal(f"{table}-{number}", game, **how) for number in range(1000))
        return next(one for one in dealt if not one.is_over())

    def play(self, table: str = "t", game: str = "", **how: Any) -> AnyRound:  # noqa: ANN401 - what ``open`` takes
        """Open, deal and play a table's next round until it can be settled."""
        return play(self.deal(table, game, **how))

    def take(self, played: AnyRound) -> AnyRound:
        """Let the further calls of a round go to this driver's server; return the round."""
        played._core._session = self.client._session  # noqa: SLF001 - a frontend's own way balances calls over servers
        return played


def secrets_of(table: str, seat: int, *, number: int = 1, keyed: bool = False) -> SeatSecrets:
    """Return the secrets of a seat in a table's round of this number."""
    seed, token, nonce, key = (random_from(f"{table}/{number}/{seat}/{what}").randbytes(32) for what in range(4))
    return SeatSecrets(seat=seat, seed=seed, token=token, nonce=nonce, private_key=key if keyed else b"")


def play(played: AnyRound, *, events: int = 1000) -> AnyRound:
    """Play a dealt round to its end, or for so many events, each with a receipt; return it."""
    script = SCRIPTS[played.header.ruleset_id.partition(".")[0]]
    for _ in range(events):
        event = script.event(played)
        if event is None:
            break
        answer = played.accept_event(event)
        assert answer.event_number, answer
    return played


def settle(played: AnyRound) -> Proved:
    """Settle a round that is over; return its SETTLE leaf, which is proved to be in the log."""
    receipt = played.settle().receipt
    assert receipt is not None, "the round is not over"
    return receipt
