"""A server process killed in the middle of its work, asked to stop in the middle of it, and what its logs never say."""

import base64
import hashlib
import itertools
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import pytest

from referee.cards import Card, spell
from referee.evidence.merkle import root
from referee.evidence.note import Note
from referee.log import Checkpoint
from referee.v1 import log_pb2, mau_binh_pb2, shuffler_pb2
from tests.driver.opening import open_round, terms_of

Process: TypeAlias = Any
Table: TypeAlias = Any  # both are made by fixtures, and have their classes in conftest
Serve: TypeAlias = Callable[..., Process]


def leaves_of(process: Process) -> list[bytes]:
    """All leaves, once their root was found to be the checkpoint's."""
    note = process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
    head = Checkpoint.parse(Note.parse(note.encode()).text)
    leaves: list[bytes] = []
    while len(leaves) < head.size:
        leaves += process.log.ListEntries(log_pb2.ListEntriesRequest(start=len(leaves))).leaves
    assert root(leaves[: head.size]) == head.root
    return leaves


def find(process: Process, table: str) -> log_pb2.GetTableRoundResponse:
    """State of the table's round."""
    found: log_pb2.GetTableRoundResponse = process.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=table))
    return found


@pytest.mark.parametrize(
    "enough",
    [9, *(pytest.param(count, marks=pytest.mark.slow("kills processes again and again")) for count in (1, 25))],
)
def test_killed_while_settling_no_answered_settlement_is_lost(serve: Serve, enough: int) -> None:
    """Eight threads settle until the process is killed; after a restart every answer is in the log and more settle."""
    process = serve("--quiet")
    tables = {f"k-{number}": process.play(f"k-{number}") for number in range(48)}
    answered: dict[str, Any] = {}
    reached = threading.Event()

    def settle(item: tuple[str, Table]) -> None:
        name, table = item
        try:
            answered[name] = process.referee.SettleRound(table.request).log_receipt
        except grpc.RpcError:
            return
        if len(answered) >= enough:
            reached.set()

    with ThreadPoolExecutor(8) as threads:
        for item in tables.items():
            threads.submit(settle, item)
        assert reached.wait(20)
        process.kill()
    assert enough <= len(answered) < len(tables)

    again = serve("--quiet")
    leaves = leaves_of(again)
    assert [leaves[receipt.leaf_index] for receipt in answered.values()] == [
        receipt.leaf for receipt in answered.values()
    ]
    assert len(leaves) >= 3 + 2 * len(tables) + len(answered)
    for name, table in tables.items():
        receipt = again.referee.SettleRound(table.request).log_receipt
        assert name not in answered or receipt.leaf == answered[name].leaf
    end = time.monotonic() + 10
    while any(find(again, name).stage != log_pb2.ROUND_STAGE_REVEALED for name in tables):
        assert time.monotonic() < end, "a seed was not revealed"
    assert len(leaves_of(again)) == 4 + 4 * len(tables)


@pytest.mark.slow("starts many processes")
def test_killed_before_the_reveal_the_next_start_reveals(serve: Serve) -> None:
    """Without the shuffler nobody reveals; a process that has it does, without being asked."""
    process = serve("--quiet")
    table = process.play("t")
    process.kill()
    judge = serve("--quiet", "--services", "referee,log")
    judge.referee.SettleRound(table.request)
    assert find(judge, "t").stage == log_pb2.ROUND_STAGE_SETTLED
    judge.kill()
    again = serve("--quiet")
    end = time.monotonic() + 10
    while find(again, "t").stage != log_pb2.ROUND_STAGE_REVEALED:
        assert time.monotonic() < end


def test_seed_of_a_round_that_another_process_settles_is_revealed(serve: Serve) -> None:
    """One process deals, another judges, both on one folder: the dealing one notices."""
    dealer, judge = serve("--quiet"), serve("--quiet", "--services", "referee,log")
    table = dealer.play("t")
    judge.referee.SettleRound(table.request)
    end = time.monotonic() + 10
    while find(dealer, "t").stage != log_pb2.ROUND_STAGE_REVEALED:
        assert time.monotonic() < end


def test_asked_to_stop_it_answers_what_it_has_accepted(serve: Serve) -> None:
    """SIGTERM while eight threads settle: exit code 0, and the log holds what was answered."""
    process = serve("--quiet")
    tables = {f"s-{number}": process.play(f"s-{number}") for number in range(32)}
    answered: dict[str, bytes] = {}

    def settle(item: tuple[str, Table]) -> str:
        name, table = item
        try:
            answered[name] = process.referee.SettleRound(table.request).log_receipt.leaf
        except grpc.RpcError as error:
            return str(error.code().name)
        if len(answered) == 4:
            process.terminate()
        return "OK"

    with ThreadPoolExecutor(8) as threads:
        message = list(threads.map(settle, tables.items()))
    assert process.stop() == 0
    assert set(message) <= {"OK", "UNAVAILABLE", "CANCELLED"}
    again = serve("--quiet")
    assert set(answered.values()) <= set(leaves_of(again))
    assert all(find(again, name).stage == log_pb2.ROUND_STAGE_REVEALED for name in answered)


def test_logs_hold_no_card_seed_or_key(serve: Serve, tmp_path: Path) -> None:
    """A whole round, refused calls and a fault of the server: a line for each call, and none of it says a secret."""
    process = serve()
    tables = (process.play(f"a-table-{number}", seats=4) for number in range(1000))
    table = next(one for one in tables if one.request.round.events)  # one that no hand wins at the deal
    message = mau_binh_pb2.MauBinhRound(header=table.opened.header, certificates=[table.dealt.certificate])
    event = mau_binh_pb2.MauBinhEvent(seat=1, arrange=table.request.round.events[1].arrange)
    accept = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=message, event=event)
    receipt = process.referee.AcceptEvent(accept).receipt
    settled = process.referee.SettleRound(table.request)
    seed = process.shuffler.RevealRound(
        shuffler_pb2.RevealRoundRequest(table_id=message.header.table_id, round_number=1)
    ).server_seed
    open_round(process.shuffler, terms_of("b-table", seat_count=4))  # left undealt
    accept.round.certificates[0] = accept.round.certificates[0].replace(b'"payload":"', b'"payload":"A', 1)
    refuse(lambda: process.referee.AcceptEvent(accept), process)
    edited = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=accept.round)
    refuse(lambda: process.referee.SettleRound(edited), process)
    refuse(lambda: process.channel.unary_unary("/referee.v1.ShufflerService/DealRound")(b"\xff" + seed), process)
    assert process.stop() == 0
    sealing = tmp_path / "data" / "keys" / "sealing.key"
    secret_files = [
        path.read_text(encoding="ascii") for path in (tmp_path / "data" / "keys").iterdir() if path.name != "log.head"
    ]
    other_key = hashlib.sha256(b"another sealing key").digest()
    sealing.write_text(other_key.hex() + "\n", encoding="ascii")
    broken = serve()
    again = shuffler_pb2.DealRoundRequest(table_id="b-table", round_number=1, client_seeds=table.seeds)
    refuse(lambda: broken.shuffler.DealRound(again), broken)
    broken.stop()

    printed = (tmp_path / "errors.log").read_bytes() + process.printed + broken.printed
    lines = [json.loads(line) for line in (tmp_path / "errors.log").read_text(encoding="utf-8").splitlines()]
    methods = [line["method"].rpartition("/")[2] for line in lines if "method" in line]
    assert {"OpenRound", "DealRound", "AcceptEvent", "SettleRound", "RevealRound"} <= set(methods)
    assert [line["event"] for line in lines if line["event"] == "failed"] == ["failed"]
    secrets = {
        **{f"client seed {seat}": one for seat, one in enumerate(table.seeds)},
        "server seed": seed,
        "certificate": table.dealt.certificate[20:60],
        "receipt": receipt[20:60],
        "transcript": settled.log_receipt.leaf[200:240],
        "sealing key": other_key,
    }
    for what, secret in secrets.items():
        for spelled in spellings(secret):
            assert spelled not in printed, what
    for text in secret_files:
        encoded = text.strip().split("+", 4 if text.startswith("PRIVATE") else 2)[-1]  # base64 has + too
        assert len(encoded) >= 44
        assert encoded.encode() not in printed
    for hand in table.dealt.hands:
        for cards in itertools.pairwise(hand.cards):
            assert spell([Card(card) for card in cards]).encode() not in printed
            assert ", ".join(map(str, cards)).encode() not in printed
            assert ",".join(map(str, cards)).encode() not in printed


def refuse(call: Callable[[], object], process: Process) -> None:
    """Assert that the call is refused and the server goes on."""
    with pytest.raises(grpc.RpcError):
        call()
    assert process.is_running


def spellings(secret: bytes) -> list[bytes]:
    """How bytes could stand in a log: as they are, in hex, in base64 either way, and as Python shows them."""
    return [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret).rstrip(b"=")[:-1],
        base64.urlsafe_b64encode(secret).rstrip(b"=")[:-1],
        repr(secret)[2:-1].encode(),
        json.dumps(repr(secret))[4:-3].encode(),
    ]
