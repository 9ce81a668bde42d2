"""Test of a game as it is served: rounds that the SDK plays on a real server, their log, and its audit.

It needs ``referee[server]`` and ``referee-client``.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from referee_client import Client, Terms

from referee.cards import Seat
from referee.games import DealtRound, Event, refusals
from referee.rulesets import get
from referee.server.keys.folder import read_public_keys
from referee.service.game_service import GameService

SECONDS = 60
"""Time within which a call is answered and a command ends."""
ROUNDS = 3


class ServedTests:
    """Properties of a game as it is served, for games whose cards are all open from the deal on.

    A subclass whose name begins with ``Test`` names the service, a ruleset, choices and how events are written. The
    package must be installed, so that a server finds it. The choices must lead to the end of a round.
    """

    service: ClassVar[GameService]
    ruleset_id: ClassVar[str]

    def choices(self, state: Any, time: int) -> Sequence[Event]:
        """Return events that players may choose at a time, as for ``LawTests``."""
        raise NotImplementedError

    def write_event(self, event: Any) -> Any:
        """Write an event as a message of the game."""
        raise NotImplementedError

    def test_round_is_served_settled_logged_and_audited(self, tmp_path: Path) -> None:
        """The SDK verifies each step, a repeated settlement has the same leaf, and an audit finds nothing."""
        data = tmp_path / "data"
        with _serving(data) as address, Client(address, timeout=SECONDS) as client:
            for number in range(ROUNDS):
                self._play(client, random.Random(number))  # noqa: S311 - the same choices each time
        public = read_public_keys(data / "keys")
        keys = ["--log-key", public["log"], "--root-key", public["root"]]
        report = json.loads(_run("audit", "--data", str(data), *keys, "--json"))
        assert report.get("findings", []) == []
        assert report["rounds"]["settled"] == ROUNDS
        assert report["checked"]["replayed"] == report["checked"]["redealt"] == ROUNDS

    def _play(self, client: Client, luck: random.Random) -> None:
        law, ruleset = self.service.game, get(self.ruleset_id)
        assert not law.layout(ruleset.rules.seats.minimum).has_board, "ServedTests is for games without later cards"
        seat_count = luck.randint(ruleset.rules.seats.minimum, ruleset.rules.seats.maximum)
        terms = Terms(table="kit", ruleset=self.ruleset_id, seats=seat_count, stake=ruleset.bet_unit)
        game = client.game(law.name, terms)
        game.open()
        hands = game.deal()
        deal = DealtRound(
            seat_count=seat_count,
            stake=ruleset.bet_unit,
            bet_unit=ruleset.bet_unit,
            sections=tuple(hands.values()),
            dealt_time=game.dealt_time,
            leader=None if game.leader is None else Seat(game.leader),
            leader_by=game.leader_by,
        )
        state = law.begin(ruleset.rules, deal)
        while not state.is_over:
            choices = self.choices(state, state.last_time)
            lawful = [event for event in choices if not refusals(law, law.check(state, event))]
            assert lawful, "no choice was lawful, and the round is not over"
            accepted = game.accept_event(self.write_event(luck.choice(lawful)))
            assert accepted.event_number, accepted
            link = game.course.links[-1]
            state = law.apply(state, law.events.decode(link.event, time=link.time, round_id=game.round_id))
        previewed, settled = game.preview(), game.settle()
        assert settled.is_replayed
        assert settled.result == previewed.outcome
        again = game.settle()
        assert again.receipt is not None
        assert settled.receipt is not None
        assert again.receipt.index == settled.receipt.index
        game.reveal()


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "referee", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True)  # noqa: S603 - this very program
    return done.stdout


@contextmanager
def _serving(data: Path) -> Iterator[str]:
    """Start ``referee serve`` on loopback and yield its address; stop it at the end."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--quiet", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as process:  # noqa: S603 - this very program
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()
            assert process.wait(SECONDS) == 0
