"""Write the logs of a release: ``python -m tests.corpus.generate_corpus NAME`` plays them through the real services.

A log's clock moves by the steps here alone, its keys and seeds come from the log's own name, so a run of the same
code writes the same deals. The folder of a release is written once; the command refuses to write over one.
"""

import hashlib
import itertools
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from referee_client import Arrangement, Bet, Card, Client, SeatSecrets, Terms
from referee_client.messages import shuffler_pb2
from referee_harness import Clock

from referee.cli.stored_log import public_keys, stored_log
from referee.rulesets import load_builtin
from referee.server.process.app import Application
from tests.corpus.corpus import FOLDER, verdict_of
from tests.server.options import server_options

START: Final = 1_760_000_000_000
ORIGIN: Final = "corpus.example/log"
STEP_MS: Final = 1_000
ROUNDS: Final = 2
RULESETS: Final = Path(__file__).parents[2] / "referee" / "rulesets"


class Playing:
    """A table of one log, its clock, and the secrets of its seats."""

    def __init__(  # noqa: PLR0913 - what a log chooses
        self, client: Client, clock: Clock, *, name: str, ruleset: str, is_sealed: bool, is_keyed: bool
    ) -> None:
        self.client, self.clock, self.name, self.ruleset = client, clock, name, ruleset
        self.is_sealed, self.is_keyed = is_sealed, is_keyed
        self.number = 0

    def play(self, *, aborts: bool = False) -> None:
        """Play the next round, or open and abort it."""
        self.number += 1
        game: Any = getattr(self.client, self.ruleset.partition(".")[0])(self._terms(), secrets=self._secrets())
        game.open(sealed=self.is_sealed)
        self.clock.advance(STEP_MS)
        if aborts:
            game.abort(reason=shuffler_pb2.ABORT_REASON_OPERATOR)
        else:
            game.deal()
            PLAYERS[self.ruleset.partition(".")[0]](self, game)
            self.clock.advance(STEP_MS)
            game.settle()
        game.reveal()
        self.clock.advance(STEP_MS)

    def hand(self, game: Any, seat: int) -> tuple[Card, ...]:  # noqa: ANN401 - a round of any game
        """Return a seat's hand, by its own token on a sealed table."""
        return tuple(game.open_hand(seat) if self.is_sealed and seat not in game.hands else game.hands[seat])

    def _terms(self) -> Terms:
        bets = [Bet(20, 4), Bet(40)] if self.ruleset.startswith("ultimate_texas") else ()
        return Terms(table="corpus", ruleset=self.ruleset, seats=2, stake=2 if bets else 100, bets=bets)

    def _secrets(self) -> list[SeatSecrets]:
        draw = entropy_of(f"{self.name}/{self.number}")
        keys = entropy_of(f"{self.name}/keys")
        return [
            SeatSecrets(
                seat=seat, seed=draw(32), token=draw(32), nonce=draw(32), private_key=keys(32) if self.is_keyed else b""
            )
            for seat in range(2)
        ]


def entropy_of(name: str) -> Callable[[int], bytes]:
    """Return a source of bytes that follow from a name alone."""
    numbers = itertools.count()
    return lambda size: hashlib.shake_256(f"referee corpus/{name}/{next(numbers)}".encode()).digest(size)


def play_mau_binh(table: Playing, game: Any) -> None:  # noqa: ANN401 - a round of any game
    """Arrange the hands as dealt, behind commitments on a sealed table, unless one wins at the deal."""
    if not game.preview().violations:
        return
    laid = {}
    for seat in range(2):
        hand = table.hand(game, seat)
        laid[seat] = Arrangement(hand[:5], hand[5:10], hand[10:])
        table.clock.advance(STEP_MS)
        (game.commit if table.is_sealed else game.arrange)(seat, laid[seat])
    for seat, arrangement in laid.items() if table.is_sealed else ():
        table.clock.advance(STEP_MS)
        game.arrange(seat, arrangement)


def play_tien_len(table: Playing, game: Any) -> None:  # noqa: ANN401 - a round of any game
    """Play the weakest play there is, or pass, and once let the time run out."""
    for number in itertools.count():
        options = game.plays()
        if not options.HasField("turn"):
            return
        if number == 1:
            table.clock.advance(30 * STEP_MS)
            game.time_out(options.turn)
            continue
        table.clock.advance(STEP_MS)
        cards = [Card(one) for one in options.plays[0].cards] if options.plays else []
        if cards:
            game.play(options.turn, cards)
        else:
            game.pass_turn(options.turn)


def play_ultimate_texas(table: Playing, game: Any) -> None:  # noqa: ANN401 - a round of any game
    """Decide late or at once, by the parity of the round."""
    for seat in range(2):
        table.hand(game, seat)
    choices = [
        [(0, "CHECK"), (1, "PLAY_4X"), (0, "PLAY_2X")],
        [(0, "PLAY_4X"), (1, "CHECK"), (1, "CHECK"), (1, "FOLD")],
    ]
    for seat, decision in choices[table.number % 2]:
        table.clock.advance(STEP_MS)
        game.decide(seat, decision)


PLAYERS: Final = {"mau_binh": play_mau_binh, "tien_len": play_tien_len, "ultimate_texas": play_ultimate_texas}


def logs() -> Iterator[tuple[str, str, bool, bool, bool]]:
    """Yield name, ruleset and whether it is sealed, has keys, and has an aborted round, of each log."""
    for ruleset in load_builtin():
        yield ruleset.id, ruleset.id, False, False, False
        if ruleset.game != "tien_len":
            yield f"{ruleset.id}.sealed", ruleset.id, True, True, False
    yield "tien_len.mien_nam.keyed", "tien_len.mien_nam", False, True, True


def row_of(name: str, ruleset: str, *, is_sealed: bool, is_keyed: bool, has_abort: bool) -> dict[str, Any]:
    """Play a log and return it as a row of ``tests/vectors/audit``."""
    clock = Clock(start=START, is_running=False)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        options = server_options(data=data, origin=ORIGIN, clock=clock, entropy=entropy_of(name), sweep=False)
        with Application(options) as application, Client(f"127.0.0.1:{application.port}", timeout=120) as client:
            table = Playing(client, clock, name=name, ruleset=ruleset, is_sealed=is_sealed, is_keyed=is_keyed)
            table.play()
            if has_abort:
                table.play(aborts=True)
            table.play()
        keys = public_keys(data)
        with stored_log(data) as reader:
            head = reader.head()
            leaves = [leaf.decode() for leaf in reader.iterate(0, head.size)]
    return {
        "id": name,
        "now": clock(),
        "origin": ORIGIN,
        "log_key": keys["log"],
        "root_key": keys["root"],
        "checkpoint": head.checkpoint.decode(),
        "leaves": leaves,
    }


def main(release: str) -> int:
    """Write the logs of a release, its rulesets, and what the audit says of each log."""
    folder = FOLDER / release
    if (folder / "logs").exists():
        sys.stderr.write(f"{folder} is written once, and never again\n")
        return 1
    (folder / "logs").mkdir(parents=True)
    shutil.copytree(
        RULESETS, folder / "rulesets", ignore=lambda _, names: [n for n in names if not n.endswith(".toml")]
    )
    verdicts = {}
    for name, ruleset, is_sealed, is_keyed, has_abort in logs():
        row = row_of(name, ruleset, is_sealed=is_sealed, is_keyed=is_keyed, has_abort=has_abort)
        text = json.dumps(row, indent=1) + "\n"
        (folder / "logs" / f"{name}.json").write_text(text, encoding="utf-8")
        verdicts[name] = verdict_of(row, release)
        sys.stdout.write(f"{name}: {len(text)} bytes\n")
    (folder / "verdicts.json").write_text(json.dumps(verdicts, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
