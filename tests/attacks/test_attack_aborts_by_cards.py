"""Aborts by the cards: an operator gives up the worst tenth of one key's decks, on a real server with a moved clock.

The key changes tables and seats each round. The audit of the log finds it within 1,500 rounds, by its statistics alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.audit import Code, Documents, Report
from referee.audit.documents import HeldSeed
from referee.dealing.deal import Deal
from referee.dealing.leaf import OpenLeaf, parse
from referee.dealing.seal import decrypt_seed
from referee.evidence.dsse import Envelope
from referee.finding import Severity
from referee.games.mau_binh.game import QUESTIONS
from referee.rulesets import get
from referee.v1 import shuffler_pb2
from referee.wire.round import read_header
from tests.driver.player import Player
from tests.service.house import House
from tests.service.table import Table
from tests.suspicion.abort_power import limit
from tests.suspicion.shuffled_rounds import Luck

MOST: Final = 1_500
STEP: Final = 250
"""Rounds between two audits."""
SEATS: Final = 4
TABLES: Final = 6
ARRANGING_MS: Final = 60_000
NAMES: Final = ("accomplice", *[f"player {number}" for number in range(9)])
KEYS: Final = {name: Ed25519PrivateKey.from_private_bytes(Luck("key", name).randbytes(32)) for name in NAMES}
RULES: Final = get("mau_binh.classic").rules


@dataclass(frozen=True)
class Roamer(Player):
    """A player whose key goes from table to table, and whose seed is new in each round."""

    own_key: Ed25519PrivateKey
    own_seed: bytes

    @property
    def key(self) -> Ed25519PrivateKey:
        """The player's key."""
        return self.own_key

    @property
    def seed(self) -> bytes:
        """The seed of this round."""
        return self.own_seed


class Operator:
    """An operator with its server, and the frontend of all tables, who work together for the accomplice."""

    def __init__(self, folder: Path) -> None:
        self.luck = Luck("operator")
        self.house = House(folder, entropy=self.luck.randbytes)
        self.dropped: list[HeldSeed] = []
        self.worst = limit("mau_binh", SEATS, 0.1)[:2]

    def close(self) -> None:
        """Stop the server."""
        self.house.close()

    def play(self, *, drops_seeds: bool) -> None:
        """Play a round of the accomplice, and give it up if its hand is among the worst."""
        names = ["accomplice", *self.luck.sample(NAMES[1:], SEATS - 1)]
        self.luck.shuffle(names)
        seeds, clock = [self.luck.randbytes(32) for _ in names], self.house.clock
        name = f"table-{self.luck.randrange(TABLES)}"
        players = [Roamer(name, seat, KEYS[names[seat]], seed) for seat, seed in enumerate(seeds)]
        table = self.house.table(name=name, players=players).open()
        if drops_seeds and self._is_worst(self._foresee(table), names):
            self._drop(table, other=(names.index("accomplice") + 1) % SEATS)
            return
        hands = table.deal(table.deal_request()).dealt.hands
        if not drops_seeds and self._is_worst([bytes(hand.cards) for hand in hands], names):
            clock.now = table.header.round_deadline_time + 1
            table.abort()
            return
        clock.now += ARRANGING_MS
        assert not table.settle().violations

    def audit(self) -> Report:
        """Audit the whole log with every seed that the players hand in, right after its last round."""
        return self.house.audit(Documents(seeds=tuple(self.dropped)))

    def _foresee(self, table: Table) -> list[bytes]:
        """Compute the hands before the deal, with the server's seed that the operator can decrypt."""
        commitment, seeds = table.opened.server_commitment, [player.seed for player in table.players]
        leaf = parse(Envelope.parse(table.opened.log_receipt.leaf).payload, OpenLeaf)
        seed = decrypt_seed(
            bytes.fromhex(leaf.sealed_seed),
            sealing_key=self.house.app.keys.sealing,
            round_id=table.round_id,
            commitment=commitment,
        )
        deal = Deal.derive(read_header(table.header, field="header"), server_seed=seed, client_seeds=seeds)
        return [bytes([card.number for card in hand]) for hand in deal.sections[:SEATS]]

    def _is_worst(self, hands: list[bytes], names: list[str]) -> bool:
        assert QUESTIONS.outcomes is not None
        seat = names.index("accomplice")
        return (QUESTIONS.outcomes(RULES, hands)[seat], QUESTIONS.points(hands[seat])) < self.worst

    def _drop(self, table: Table, *, other: int) -> None:
        """Contribute all seeds but another seat's, and blame that seat once the deadline has passed."""
        table.contribute(*[seat for seat in range(SEATS) if seat != other])
        self.dropped.append(HeldSeed(round_id=table.round_id.hex(), seat=other, seed=table.players[other].seed.hex()))
        self.house.clock.now = table.header.deal_deadline_time + 1
        table.abort(shuffler_pb2.ABORT_REASON_SEED_MISSING)


@pytest.fixture
def operator(tmp_path: Path, quiet_calls: None) -> Iterator[Operator]:  # noqa: ARG001 - no lines of calls
    running = Operator(tmp_path / "data")
    yield running
    running.close()


@pytest.mark.parametrize(
    "drops_seeds",
    [
        pytest.param(False, id="never settles"),
        pytest.param(True, id="drops a seat's seed", marks=pytest.mark.slow("plays thousands of rounds")),
    ],
)
def test_aborts_for_one_key_are_found_by_their_cards(operator: Operator, *, drops_seeds: bool):
    """Nothing else in the log is at fault, and no other key is accused."""
    failed = []
    for _ in range(0, MOST, STEP):
        for _ in range(STEP):
            operator.play(drops_seeds=drops_seeds)
        report = operator.audit()
        failed = [one for one in report.findings if one.severity is Severity.FAIL]
        if failed:
            break
    assert [one.code for one in failed] == [Code.ABORTED_FOR_KEY]
    assert KEYS["accomplice"].public_key().public_bytes_raw().hex() in failed[0].detail
