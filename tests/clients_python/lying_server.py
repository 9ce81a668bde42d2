"""A server whose answers and leaves are altered on the way to a client, the leaves under its own keys.

The real server answers; what it answers is bent on the way. A lie that the operator signs is made with the server's own
keys and logged in a tree of one leaf, so that nothing but the lie itself is wrong.
"""

import json
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from referee_client import Arrangement, Client, SeatSecrets, Terms
from referee_client.line import Answer, BlockingLine
from referee_client.messages import round_pb2
from referee_client.session import Session
from referee_harness import Harness

from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.log import Checkpoint, CheckpointSigner

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
        terms = Terms(table=self.table, ruleset="mau_binh.classic", seats=2, stake=100)
        game = self.client.mau_binh(terms, secrets=[SeatSecrets.make(seat, keyed=keyed) for seat in range(2)])
        game.prepare()
        if not commits:
            self.line.questions["OpenRound"] = lambda request: request.ClearField("client_commitments")
        return game

    def played(self) -> Any:  # noqa: ANN401 - a round
        """Such a round, opened, dealt and laid out."""
        game = self.binh()
        game.open()
        for seat, hand in game.deal().items():
            game.arrange(seat, Arrangement(hand[:5], hand[5:10], hand[10:]))
        return game

    def logged(self, leaf: bytes) -> round_pb2.LogReceipt:
        """Make a receipt for any leaf, signed by the log's own key, in a tree of that leaf alone."""
        root = leaf_hash(leaf)
        log = self.keys.signer("log")
        note = CheckpointSigner(log, key_name=log.name).sign(Checkpoint(self.origin, 1, root))
        return round_pb2.LogReceipt(leaf_index=0, leaf_hash=root, leaf=leaf, checkpoint=note.decode())

    def resigned(self, receipt: round_pb2.LogReceipt, role: str, bend: Callable[[dict[str, Any]], None]) -> None:
        """Replace the receipt's leaf by another payload, signed by the role and proved to be in a log."""
        old = Envelope.parse(receipt.leaf)
        payload = json.loads(old.payload)
        bend(payload)
        data = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
        made = (
            Envelope.signed(old.payload_type, data, self.keys.signer(role))
            if role
            else Envelope(old.payload_type, data)
        )
        receipt.CopyFrom(self.logged(made.to_bytes()))

    def certified(self, certificate: bytes, bend: Callable[[dict[str, Any]], None]) -> bytes:
        """Replace the certificate's payload under the shuffler's signature."""
        return self.signed_again(certificate, "shuffler", bend)

    def signed_again(self, envelope: bytes, role: str, bend: Callable[[dict[str, Any]], None]) -> bytes:
        """Replace an envelope's payload under a role's signature."""
        old = Envelope.parse(envelope)
        payload = json.loads(old.payload)
        bend(payload)
        data = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
        return Envelope.signed(old.payload_type, data, self.keys.signer(role)).to_bytes()
