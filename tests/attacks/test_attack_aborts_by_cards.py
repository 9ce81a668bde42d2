"""Aborts by the cards: an operator gives up the worst tenth of one key's decks, on a real server with a moved clock.

The key changes tables and seats each round. The audit of the log finds it within 1,500 rounds, by its statistics alone.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
import structlog
from nacl.signing import SigningKey

from referee.audit import Code, Documents, MemoryLog, Report, audit_log
from referee.audit.documents import HeldSeed
from referee.audit.finding import Severity
from referee.cards import Seat
from referee.dealing.commitment import client_commitment, seed_statement
from referee.dealing.deal import Deal
from referee.dealing.leaf import OpenLeaf, parse
from referee.dealing.seal import unseal
from referee.evidence.dsse import Envelope
from referee.games.mau_binh.game import QUESTIONS
from referee.log import Checkpoint
from referee.rulesets import get, load_builtin
from referee.server.process.app import Application
from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2, mau_binh_pb2_grpc, shuffler_pb2, shuffler_pb2_grpc
from referee.wire.round import read_header
from tests.driver.opening import open_round, terms_of
from tests.server.options import server_options
from tests.suspicion.abort_power import limit
from tests.suspicion.shuffled_rounds import Luck

MOST: Final = 1_500
STEP: Final = 250
"""Rounds between two audits."""
SEATS: Final = 4
TABLES: Final = 6
ARRANGING_MS: Final = 60_000
NAMES: Final = ("accomplice", *[f"player {number}" for number in range(9)])
KEYS: Final = {name: SigningKey(Luck("key", name).randbytes(32)) for name in NAMES}
RULES: Final = get("mau_binh.classic").rules


class Operator:
    """An operator with its server, and the frontend of all tables, who work together for the accomplice."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_800_000_000_000
        self.luck = Luck("operator")
        options = server_options(
            data=folder,
            entropy=self.luck.randbytes,
            clock=lambda: self.now,
            origin="log.example/1",
            listen="127.0.0.1:0",
            sweep=False,
        )
        self.app = Application(options).start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.app.port}")
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(self.channel)
        self.referee = mau_binh_pb2_grpc.MauBinhServiceStub(self.channel)
        self.log = log_pb2_grpc.LogServiceStub(self.channel)
        self.dropped: list[HeldSeed] = []
        self.worst = limit("mau_binh", SEATS, 0.1)[:2]

    def close(self) -> None:
        """Stop the server."""
        self.channel.close()
        self.app.close()

    def play(self, *, drops_seeds: bool) -> None:
        """Play a round of the accomplice, and give it up if its hand is among the worst."""
        names = ["accomplice", *self.luck.sample(NAMES[1:], SEATS - 1)]
        self.luck.shuffle(names)
        seeds = [self.luck.randbytes(32) for _ in names]
        opened = self._open(names, seeds)
        slot: dict[str, Any] = {"table_id": opened.header.table_id, "round_number": opened.header.round_number}
        statements = [
            seed_statement(
                round_id=opened.round_id,
                commitment=opened.server_commitment,
                seat=Seat(seat),
                token_hash=b"",
                seed=seed,
            )
            for seat, seed in enumerate(seeds)
        ]
        signed = [KEYS[name].sign(statement).signature for name, statement in zip(names, statements, strict=True)]
        if drops_seeds and self._is_worst(self._foresee(opened, seeds), names):
            self._drop(opened, slot, seeds, signed, other=(names.index("accomplice") + 1) % SEATS)
            return
        dealt = self.shuffler.DealRound(
            shuffler_pb2.DealRoundRequest(**slot, client_seeds=seeds, seed_signatures=signed)
        )
        if not drops_seeds and self._is_worst([bytes(hand.cards) for hand in dealt.hands], names):
            self.now = opened.header.round_deadline_time + 1
            reason = shuffler_pb2.ABORT_REASON_DEADLINE
            self.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**slot, reason=reason))
            return
        self.now += ARRANGING_MS
        played = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
        answer = self.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=played))
        assert not answer.violations

    def audit(self) -> Report:
        """Audit the whole log with every seed that the players hand in, right after its last round."""
        keys = self.log.GetKeys(log_pb2.GetKeysRequest())
        checkpoint = self.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
        size = Checkpoint.parse(checkpoint.partition("\n\n")[0] + "\n").size
        return audit_log(
            MemoryLog(checkpoint=checkpoint.encode(), entries=tuple(self._leaves(size))),
            origin=keys.origin,
            log_key=keys.log_key,
            root_key=keys.root_key,
            catalogue=load_builtin(),
            now=self.now,
            documents=Documents(seeds=tuple(self.dropped)),
        )

    def _open(self, names: list[str], seeds: list[bytes]) -> shuffler_pb2.OpenRoundResponse:
        terms = terms_of(
            f"table-{self.luck.randrange(TABLES)}",
            seat_count=SEATS,
            currency="VND",
            stake_minor=1000,
            seat_keys=[bytes(KEYS[name].verify_key) for name in names],
        )
        prepared = self.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
        committed = [
            client_commitment(round_id=prepared.round_id, seat=Seat(seat), seed=seed) for seat, seed in enumerate(seeds)
        ]
        return open_round(self.shuffler, prepared.header, commitments=committed)

    def _foresee(self, opened: shuffler_pb2.OpenRoundResponse, seeds: list[bytes]) -> list[bytes]:
        """Compute the hands before the deal, with the server's seed that the operator can unseal."""
        leaf = parse(Envelope.parse(opened.log_receipt.leaf).payload, OpenLeaf)
        seed = unseal(
            bytes.fromhex(leaf.sealed_seed),
            sealing_key=self.app.keys.sealing,
            round_id=opened.round_id,
            commitment=opened.server_commitment,
        )
        deal = Deal.derive(read_header(opened.header, field="header"), server_seed=seed, client_seeds=seeds)
        return [bytes([card.number for card in hand]) for hand in deal.sections[:SEATS]]

    def _is_worst(self, hands: list[bytes], names: list[str]) -> bool:
        assert QUESTIONS.outcomes is not None
        seat = names.index("accomplice")
        return (QUESTIONS.outcomes(RULES, hands)[seat], QUESTIONS.points(hands[seat])) < self.worst

    def _drop(
        self,
        opened: shuffler_pb2.OpenRoundResponse,
        slot: dict[str, Any],
        seeds: list[bytes],
        signed: list[bytes],
        *,
        other: int,
    ) -> None:
        """Contribute all seeds but another seat's, and blame that seat once the deadline has passed."""
        for seat, (seed, signature) in enumerate(zip(seeds, signed, strict=True)):
            if seat != other:
                request = shuffler_pb2.ContributeSeedRequest(**slot, seat=seat, seed=seed, signature=signature)
                self.shuffler.ContributeSeed(request)
        self.dropped.append(HeldSeed(round_id=opened.round_id.hex(), seat=other, seed=seeds[other].hex()))
        self.now = opened.header.deal_deadline_time + 1
        reason = shuffler_pb2.ABORT_REASON_SEED_MISSING
        self.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**slot, reason=reason))

    def _leaves(self, size: int) -> list[bytes]:
        found: list[bytes] = []
        while len(found) < size:
            found += self.log.ListEntries(log_pb2.ListEntriesRequest(start=len(found))).leaves
        return found


@pytest.fixture(autouse=True)
def _quiet_calls() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.reset_defaults()


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
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
    assert bytes(KEYS["accomplice"].verify_key).hex() in failed[0].detail
