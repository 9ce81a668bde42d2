"""What a server's log lines say of calls, and what they never say, over a run of every game and ruleset."""

import base64
import itertools
import json
import re
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from rich.console import Console

from referee.cards import DECK
from referee.cli.demo import DEMOS
from referee.cli.demo_table import DemoTable
from referee.rulesets import load_builtin
from referee.v1 import log_pb2, round_pb2, shuffler_pb2
from tests.driver.client_over import client_over
from tests.driver.driver import AnyRound, play, settle
from tests.driver.messages import method_of, opening
from tests.driver.refusal import ending_of
from tests.server.processes import Caller, Process, Serve, servers_in
from tests.server.reference import LOG_LINE

PUBLIC: Final = frozenset({"round_id"})
"""Bytes that a line may name: what is no secret and shows an operator which round it was."""
SHORTEST: Final = 16
FIELDS: Final = {
    "event",
    "method",
    "code",
    "ms",
    "waited_ms",
    "request_bytes",
    "response_bytes",
    "caller",
    "request_id",
    "level",
    "timestamp",
}


class Recorder(grpc.UnaryUnaryClientInterceptor):
    """Keeps every request and answer of a channel."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.calls = 0

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Make the call and record its messages."""
        self.calls += 1
        self.messages.append(request)
        call = continuation(details, request)
        if call.code() is grpc.StatusCode.OK:
            self.messages.append(call.result())
        return call


def bytes_of(message: Message) -> Iterator[bytes]:
    """Every long value of a bytes field in the message, but for those that may be named."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for one in values:
                yield from bytes_of(one)
        elif field.type == FieldDescriptor.TYPE_BYTES and field.name not in PUBLIC:
            yield from (one for one in values if len(one) >= SHORTEST)


def spellings(part: bytes) -> list[bytes]:
    """Yield the encodings of a piece of a secret that a log line could contain: hex, base64, raw, Python and JSON."""
    text = part.decode("latin-1")
    encoded = base64.b64encode(part)[: len(part)]
    return [
        part.hex().encode(),
        part.hex().upper().encode(),
        encoded,
        encoded.translate(bytes.maketrans(b"+/", b"-_")),
        part,
        repr(part)[2:-1].encode(),
        json.dumps(text)[1:-1].encode(),
        json.dumps(repr(part)[2:-1])[1:-1].encode(),
    ]


def said(secret: bytes, printed: bytes) -> bool:
    """Whether what was printed holds a piece of the secret: its beginning, or one from within if it is long."""
    parts = [secret[:48], *(part for part in (secret[20:60], secret[200:240]) if len(part) == 40)]
    return any(spelled in printed for part in parts for spelled in spellings(part))


def play_everything(channel: grpc.Channel) -> None:
    """Play a round under every ruleset, and one more with instant wins."""
    for ruleset in load_builtin():
        game = DEMOS[ruleset.game]
        console = Console(file=StringIO())
        client = client_over(channel)
        table = DemoTable(client=client, ruleset=ruleset, seat_count=game.seat_counts[0], console=console)
        for _ in range(2):
            game.play(table, stronger=False)


def be_refused(process: Process, caller: Caller, serve: Serve) -> tuple[Process, AnyRound]:
    """Make calls with secrets that are refused, and one that fails: by a server with another sealing key, returned."""
    table = play(caller.driver.deal_playable("a-table", seats=4))
    leaf = settle(table).leaf
    left = caller.driver.open("b-table", seats=4)
    (certificate,) = table.message.certificates
    table.message.certificates[0] = certificate.replace(b'"payload":"', b'"payload":"A', 1)
    again = table.event(seat=0, arrange=table.message.events[0].arrange)
    assert "OK" not in {ending_of(table.settle)[0], ending_of(table.accept_event, again)[0]}
    raw: Any = process.channel.unary_unary("/referee.v1.ShufflerService/DealRound")
    assert ending_of(raw, b"\xff" + leaf[200:240])[0] != "OK"
    assert process.stop() == 0
    (process.data / "keys" / "sealing.key").write_text(bytes(range(1, 33)).hex() + "\n", encoding="ascii")
    broken = serve()
    assert ending_of(broken.driver.take(left).deal)[0] != "OK"
    assert broken.is_running
    assert broken.stop() == 0
    return broken, table


def keys_in(data: Path) -> list[str]:
    """Return the words in a data folder's files of keys that could be keys."""
    texts = [path.read_text(encoding="ascii") for path in (data / "keys").iterdir() if path.name != "log.head"]
    return [word for text in texts for word in re.findall(r"[0-9A-Za-z+/=]{32,}", text)]


def test_a_run_of_all_games_leaves_a_line_a_call_and_no_secret(serve: Serve, tmp_path: Path) -> None:
    """Every seed, signature, receipt, certificate and leaf that went over the wire, every card and private key.

    Among the calls are refused ones and a fault of the server.
    """
    process = serve("--metrics", "127.0.0.1:0", "--set", "advice.seconds=300")
    recorder = Recorder()
    channel = grpc.intercept_channel(process.channel, recorder)
    play_everything(channel)
    leaves, keys = process.leaves(), keys_in(process.data)
    broken, table = be_refused(process, Caller(channel), serve)
    asked = 5  # by the lines before: a checkpoint, one page of leaves, and the three that were sent past the recorder
    printed = (tmp_path / "errors.log").read_bytes() + (process.printed + broken.printed).encode()
    lines = [json.loads(line) for line in printed.splitlines()]
    calls = [line for line in lines if "method" in line and line["event"] != "failed"]
    assert [line["event"] for line in lines].count("failed") == 1
    assert len(calls) == recorder.calls + asked > 50
    games = {line["method"].split(".")[2].split("/")[0] for line in calls}
    assert {"MauBinhService", "TienLenService", "UltimateTexasService", "ShufflerService"} <= games
    assert all(line.keys() >= FIELDS and line.keys() - FIELDS <= {"reason", "leaves"} for line in calls)
    assert {member for line in calls for member in line} <= LOG_LINE.keys()

    secrets = {one for message in recorder.messages for one in bytes_of(message)} | set(leaves)
    secrets |= {one.seed for one in table.secrets.values()}
    assert len(secrets) > 200
    assert [secret for secret in secrets if said(secret, printed)] == []
    cards = "|".join(card.text for card in DECK)
    assert re.findall(rf"(?<![A-Za-z0-9])(?:{cards})(?![A-Za-z0-9])", printed.decode()) == []
    hands = [[str(card.number) for card in hand] for hand in table.hands.values()]
    pairs = [pair for hand in hands for pair in itertools.pairwise(hand)]
    assert [pair for pair in pairs for comma in (", ", ",") if comma.join(pair).encode() in printed] == []
    keys += keys_in(process.data)
    assert len(keys) >= 8
    assert [word for word in keys if word.encode() in printed] == []
    assert said(next(iter(secrets)), printed + next(iter(secrets)).hex().encode()), "the search finds what is there"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Return a server for calls whose lines are found by their request's id."""
    with servers_in(tmp_path_factory.mktemp("server")) as serve:
        yield serve()


def lines_of(server: Process, request_id: str) -> list[dict[str, Any]]:
    """Return the lines of a request, which are written soon after its answer."""
    deadline = time.monotonic() + 60
    while True:
        printed = (server.data.parent / "errors.log").read_text(encoding="utf-8").splitlines()
        found = [line for line in map(json.loads, printed) if line.get("request_id") == request_id]
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.01)


def test_request_id_leads_from_the_caller_to_the_leaf(server: Process) -> None:
    """It comes back with the answer, and its line names the leaf that the call put into the log."""
    request = opening("t")
    open_round = method_of(server.channel, "ShufflerService/OpenRound")
    opened, call = open_round.with_call(request, metadata=(("x-request-id", "from-the-table"),))
    assert dict(call.trailing_metadata())["x-request-id"] == "from-the-table"
    (line,) = lines_of(server, "from-the-table")
    assert line["leaves"] == [opened.log_receipt.leaf_index]
    assert (line["code"], line["event"], line["request_bytes"]) == (
        "OK",
        "answered",
        request.ByteSize(),
    )
    assert line["response_bytes"] == len(opened.SerializeToString())
    assert line["caller"].startswith("ipv4:127.0.0.1:")


def test_refusal_has_its_request_id_and_reason(server: Process) -> None:
    """One line with the code and the reason; the trailers hold the id beside the error's details."""
    with pytest.raises(grpc.RpcError) as caught:
        server.log.GetTableRound(
            log_pb2.GetTableRoundRequest(round={"table_id": "nobody", "round_number": 1}),
            metadata=(("x-request-id", "r/1"),),
        )
    trailers = {one.key: one.value for one in caught.value.trailing_metadata()}
    assert str(trailers["x-request-id"]) == "r/1"
    assert trailers["grpc-status-details-bin"]
    (line,) = lines_of(server, "r/1")
    assert (line["event"], line["code"], line["reason"]) == ("refused", "FAILED_PRECONDITION", "NOT_OPENED")


@pytest.mark.parametrize("bad", ["", "x" * 129])
def test_request_id_that_is_none_is_replaced(server: Process, bad: str) -> None:
    """A line is always to be found by the id that comes back, and nobody writes pages into the log."""
    _, call = server.log.GetKeys.with_call(log_pb2.GetKeysRequest(), metadata=(("x-request-id", bad),))
    made = str(dict(call.trailing_metadata())["x-request-id"])
    assert re.fullmatch(r"[0-9a-f]{16}", made)
    assert len(lines_of(server, made)) == 1


def test_bytes_fields_of_messages_are_all_searched() -> None:
    """The search goes down into messages within messages."""
    inner = round_pb2.LogReceipt(leaf=b"a" * 20, inclusion_proof=[b"b" * 32, b"c" * 32])
    outer = shuffler_pb2.OpenRoundResponse(log_receipt=inner, round_id=b"d" * 32)
    assert set(bytes_of(outer)) == {b"a" * 20, b"b" * 32, b"c" * 32}
