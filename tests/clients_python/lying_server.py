"""A server whose answers and leaves are altered on the way to a client, the leaves under its own keys.

The real server answers; what it answers is bent on the way. A lie that the operator signs is made with the server's own
keys and logged in a tree of one leaf, so that nothing but the lie itself is wrong.
"""

import json
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from referee_client import Client, MauBinhRound, SeatSecrets
from referee_client.line import Answer, BlockingLine
from referee_client.messages import round_pb2
from referee_client.session import Session
from referee_harness import Harness

from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.log import Checkpoint, CheckpointSigner
from tests.clients_python.playing import binh, play_binh

Bend = Callable[[Any], None]


class BendingLine(BlockingLine):
    """The line to a real server, on which questions and answers of some methods are bent."""

    def __init__(self, client: Client) -> None:
        super().__init__(client.channel)
        self.answers: dict[str, Bend] = {}
        self.questions: dict[str, Bend] = {}

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Return the altered answer to the altered request."""
        name = method.partition("/")[2]
        if name in self.questions:
            copy = type(request)()
            copy.CopyFrom(request)
            self.questions[name](copy)
            request = copy
        answer = await super().ask(method, request, kind, seconds=seconds)
        if name in self.answers:
            self.answers[name](answer)
        return answer


class Liar:
    """A server whose operator lies, and a client of it."""

    def __init__(self, harness: Harness, client: Client, table: str) -> None:
        self.keys = harness.application.keys
        self.origin = harness.application.origin
        self.harness, self.client, self.table = harness, client, table
        self.line = BendingLine(client)
        client._session = Session(self.line, None)  # noqa: SLF001 - the client is given a bent line

    def binh(self, *, keyed: bool = False, commits: bool = True) -> Any:  # noqa: ANN401 - a round, watched or not
        """Prepare a round of Mậu Binh for two."""
        game = self.client.mau_binh(
            binh(self.table), secrets=[SeatSecrets.make(seat, keyed=keyed) for seat in range(2)]
        )
        game.prepare()
        if not commits:
            self.line.questions["OpenRound"] = lambda request: request.ClearField("client_commitments")
        return game

    def played(self) -> MauBinhRound:
        """Such a round, opened, dealt and laid out."""
        played: MauBinhRound = play_binh(self.binh())
        return played

    def logged(self, leaf: bytes) -> round_pb2.LogReceipt:
        """Make a receipt for any leaf, signed by the log's own key, in a tree of that leaf alone."""
        root = leaf_hash(leaf)
        log = self.keys.signer("log")
        note = CheckpointSigner(log, key_name=log.name).sign(Checkpoint(self.origin, 1, root))
        return round_pb2.LogReceipt(leaf_index=0, leaf_hash=root, leaf=leaf, checkpoint=note.decode())

    def resigned(self, receipt: round_pb2.LogReceipt, role: str, bend: Bend) -> None:
        """Replace the receipt's leaf by another payload, signed by the role and proved to be in a log."""
        receipt.CopyFrom(self.logged(self.signed_again(receipt.leaf, role, bend)))

    def signed_again(self, envelope: bytes, role: str, bend: Bend) -> bytes:
        """Replace an envelope's payload under a role's signature, or under none where no role is given."""
        old = Envelope.parse(envelope)
        payload = json.loads(old.payload)
        bend(payload)
        data = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
        made = (
            Envelope.signed(old.payload_type, data, self.keys.signer(role))
            if role
            else Envelope(old.payload_type, data)
        )
        return made.to_bytes()
