"""What a server's log lines say of calls, and what they never say, over a run of every game and ruleset."""

import base64
import json
import re
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from rich.console import Console

from referee.cards import DECK
from referee.cli.demo import DEMOS
from referee.cli.table import Table
from referee.rulesets import load_builtin
from referee.server.reference import LOG_LINE
from referee.v1 import log_pb2, round_pb2, shuffler_pb2
from tests.driver.opening import opening, terms_of

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

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


def spellings(secret: bytes) -> list[bytes]:
    """Yield the encodings of a secret that a log line could contain: hex, base64, raw, Python and JSON."""
    part = secret[:48]
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
    """Whether what was printed holds a piece of the secret."""
    return any(spelled in printed for spelled in spellings(secret))


def play_everything(channel: grpc.Channel) -> None:
    """Play a round under every ruleset, and one more with instant wins."""
    for ruleset in load_builtin():
        game = DEMOS[ruleset.game]
        console = Console(file=StringIO())
        table = Table(channel=channel, ruleset=ruleset, seat_count=game.seat_counts[0], console=console)
        for _ in range(2):
            game.play(table, stronger=False)


def test_a_run_of_all_games_leaves_a_line_a_call_and_no_secret(serve: Serve, tmp_path: Path) -> None:
    """Every seed, signature, receipt, certificate and leaf that went over the wire, every card and private key."""
    process = serve("--metrics", "127.0.0.1:0", "--set", "advice.seconds=300")
    recorder = Recorder()
    play_everything(grpc.intercept_channel(process.channel, recorder))
    leaves = process.leaves()
    asked = 2  # by the line before: a checkpoint, and one page of leaves
    assert process.stop() == 0
    printed = (tmp_path / "errors.log").read_bytes()
    lines = [json.loads(line) for line in printed.splitlines()]
    calls = [line for line in lines if "method" in line]
    assert len(calls) == recorder.calls + asked > 50
    games = {line["method"].split(".")[2].split("/")[0] for line in calls}
    assert {"MauBinhService", "TienLenService", "UltimateTexasService", "ShufflerService"} <= games
    assert all(line.keys() >= FIELDS and line.keys() - FIELDS <= {"reason", "leaves"} for line in calls)
    assert {member for line in calls for member in line} <= LOG_LINE.keys()

    secrets = {one for message in recorder.messages for one in bytes_of(message)} | set(leaves)
    assert len(secrets) > 200
    assert [secret for secret in secrets if said(secret, printed)] == []
    cards = "|".join(card.text for card in DECK)
    assert re.findall(rf"(?<![A-Za-z0-9])(?:{cards})(?![A-Za-z0-9])", printed.decode()) == []
    keys = [
        path.read_text(encoding="ascii") for path in (tmp_path / "data" / "keys").iterdir() if path.name != "log.head"
    ]
    words = [word for text in keys for word in re.findall(r"[0-9A-Za-z+/=]{32,}", text)]
    assert len(words) >= 4
    assert [word for word in words if word.encode() in printed] == []
    assert said(next(iter(secrets)), printed + next(iter(secrets)).hex().encode()), "the search finds what is there"


@pytest.fixture(scope="module")
def server(servers_in: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
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
    terms = terms_of("t")
    opened, call = server.shuffler.OpenRound.with_call(opening(terms), metadata=[("x-request-id", "from-the-table")])
    assert dict(call.trailing_metadata())["x-request-id"] == "from-the-table"
    (line,) = lines_of(server, "from-the-table")
    assert line["leaves"] == [opened.log_receipt.leaf_index]
    assert (line["code"], line["event"], line["request_bytes"]) == (
        "OK",
        "answered",
        len(terms.SerializeToString()) + 2,
    )
    assert line["response_bytes"] == len(opened.SerializeToString())
    assert line["caller"].startswith("ipv4:127.0.0.1:")


def test_refusal_has_its_request_id_and_reason(server: Process) -> None:
    """One line with the code and the reason; the trailers hold the id beside the error's details."""
    with pytest.raises(grpc.RpcError) as caught:
        server.log.GetTableRound(
            log_pb2.GetTableRoundRequest(table_id="nobody", round_number=1), metadata=[("x-request-id", "r/1")]
        )
    trailers = {one.key: one.value for one in caught.value.trailing_metadata()}
    assert str(trailers["x-request-id"]) == "r/1"
    assert trailers["grpc-status-details-bin"]
    (line,) = lines_of(server, "r/1")
    assert (line["event"], line["code"], line["reason"]) == ("refused", "FAILED_PRECONDITION", "NOT_OPENED")


@pytest.mark.parametrize("bad", ["", "x" * 129])
def test_request_id_that_is_none_is_replaced(server: Process, bad: str) -> None:
    """A line is always to be found by the id that comes back, and nobody writes pages into the log."""
    _, call = server.log.GetKeys.with_call(log_pb2.GetKeysRequest(), metadata=[("x-request-id", bad)])
    made = dict(call.trailing_metadata())["x-request-id"]
    assert re.fullmatch(r"[0-9a-f]{16}", made)
    assert len(lines_of(server, made)) == 1


def test_bytes_fields_of_messages_are_all_searched() -> None:
    """The search goes down into messages within messages."""
    inner = round_pb2.LogReceipt(leaf=b"a" * 20, inclusion_proof=[b"b" * 32, b"c" * 32])
    outer = shuffler_pb2.OpenRoundResponse(log_receipt=inner, round_id=b"d" * 32)
    assert set(bytes_of(outer)) == {b"a" * 20, b"b" * 32, b"c" * 32}
