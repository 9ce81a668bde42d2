"""A server that lies, in its answers and with its own keys, is found out by the client at the step where it does.

The real server answers; what it answers is bent on the way. A lie that the operator signs is made with the server's own
keys and logged in a tree of one leaf, so that nothing but the lie itself is wrong.
"""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message
from referee_client import Arrangement, Client, SeatSecrets, Terms, Trust, VerificationError
from referee_client.line import Answer, BlockingLine
from referee_client.messages import log_pb2, log_pb2_grpc, round_pb2, shuffler_pb2
from referee_client.session import Session
from referee_client.trust import Believed
from referee_harness import Harness

from referee.dealing.leaf import OPEN_TYPE, REVEAL_TYPE
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.log import Checkpoint, CheckpointSigner
from referee.transcript.inputs import MEDIA_TYPE

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
        self.client, self.table = client, table
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
        old = Envelope.parse(certificate)
        payload = json.loads(old.payload)
        bend(payload)
        data = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
        return Envelope.signed(old.payload_type, data, self.keys.signer("shuffler")).to_bytes()


@pytest.fixture
def liar(harness: Harness, client: Client, table: str) -> Liar:
    """One whose table is dealt hands that stand as they are, and pay."""
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    return Liar(harness, client, table)


def test_an_honest_answer_passes_the_same_line(liar: Liar):
    """So that what the other tests find is the lie."""
    game = liar.played()
    assert game.settle().is_replayed
    assert len(game.reveal().sections) == 3


def test_a_lie_that_changes_nothing_is_none(liar: Liar):
    """The operator's own keys and a tree of one leaf are not what is found wrong elsewhere."""
    liar.line.answers["SettleRound"] = lambda answer: liar.resigned(answer.log_receipt, "referee", lambda _: None)
    assert liar.played().settle().is_replayed


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda answer: setattr(answer.header, "stake_minor", 1000), "stake_minor"),
        (lambda answer: setattr(answer.header, "table_id", "another"), "table_id"),
        (lambda answer: setattr(answer.header, "origin", "elsewhere"), "origin"),
        (lambda answer: setattr(answer.header, "currency", "VND"), "currency"),
        (lambda answer: setattr(answer, "round_id", bytes(32)), "round id"),
        (lambda answer: setattr(answer.header, "protocol", 2), "protocol"),
        (lambda answer: answer.header.seat_keys.append(bytes(32)), "seat_keys"),
    ],
)
def test_a_header_of_other_terms_is_not_opened(liar: Liar, bend: Bend, found: str):
    liar.line.answers["PrepareRound"] = bend
    with pytest.raises(VerificationError, match=found):
        liar.binh()


def settle_and_reveal(liar: Liar) -> None:
    game = liar.played()
    game.settle()
    game.reveal()


def bend_leaf(answer: Any) -> None:  # noqa: ANN401 - any answer with a receipt
    answer.log_receipt.leaf = answer.log_receipt.leaf.replace(b"A", b"B", 1)


def other_leaf(answer: Any) -> None:  # noqa: ANN401 - any answer with a receipt
    answer.log_receipt.leaf_index += 1


@pytest.mark.parametrize(
    "bend",
    [
        bend_leaf,
        other_leaf,
        lambda answer: answer.log_receipt.ClearField("inclusion_proof"),
        lambda answer: setattr(answer.log_receipt, "checkpoint", answer.log_receipt.checkpoint.replace("\n", "\n1", 1)),
        lambda answer: setattr(answer.log_receipt, "checkpoint", ""),
    ],
)
@pytest.mark.parametrize("method", ["OpenRound", "DealRound", "SettleRound", "RevealRound"])
def test_a_receipt_that_does_not_hold_is_found(liar: Liar, method: str, bend: Bend):
    liar.line.answers[method] = bend
    with pytest.raises(VerificationError):
        settle_and_reveal(liar)


def test_another_commitment_than_the_one_in_the_log_is_found(liar: Liar):
    liar.line.answers["OpenRound"] = lambda answer: setattr(answer, "server_commitment", bytes(32))
    with pytest.raises(VerificationError, match="the server's commitment"):
        liar.binh().open()


def test_commitments_that_were_kept_out_of_the_log_are_missed(liar: Liar):
    with pytest.raises(VerificationError, match="the seats' commitments in OPEN"):
        liar.binh(commits=False).open()


def test_an_open_leaf_that_another_role_signed_is_found(liar: Liar):
    liar.line.answers["OpenRound"] = lambda answer: liar.resigned(answer.log_receipt, "referee", lambda _: None)
    with pytest.raises(VerificationError, match=OPEN_TYPE.replace("+", r"\+")):
        liar.binh().open()


def swap_hands(answer: shuffler_pb2.DealRoundResponse) -> None:
    first, second = (list(hand.cards) for hand in answer.hands)
    answer.hands[0].cards[:], answer.hands[1].cards[:] = second, first


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (swap_hands, "the hand of seat"),
        (lambda answer: setattr(answer, "dealt_time", answer.dealt_time + 1), "the time of the deal"),
        (lambda answer: setattr(answer, "leader", 1), "the leader"),
        (lambda answer: setattr(answer, "certificate", b"{}"), "a certificate does not hold"),
    ],
)
def test_a_deal_other_than_logged_is_found(liar: Liar, bend: Bend, found: str):
    game = liar.binh()
    game.open()
    liar.line.answers["DealRound"] = bend
    with pytest.raises(VerificationError, match=found):
        game.deal()


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda leaf: leaf.update(mix="00" * 32), "the mix"),
        (lambda leaf: leaf["client_seeds"].reverse(), "the seed of seat 0"),
        (lambda leaf: leaf["client_seeds"].pop(), "the number of seeds"),
        (lambda leaf: leaf.update(deck_root="00" * 32), "the certificate's deal"),
        (lambda leaf: leaf.update(round_id="00" * 32), "the dealt round"),
        (lambda leaf: leaf.update(leader=0), "the leader in DEAL"),
        (lambda leaf: leaf.update(nonsense=0), "none of its type"),
    ],
)
def test_a_deal_that_the_operator_logged_falsely_is_found(
    liar: Liar, bend: Callable[[dict[str, Any]], None], found: str
):
    game = liar.binh()
    game.open()
    liar.line.answers["DealRound"] = lambda answer: liar.resigned(answer.log_receipt, "shuffler", bend)
    with pytest.raises(VerificationError, match=found):
        game.deal()


def swap_cards(payload: dict[str, Any]) -> None:
    cards = payload["sections"][0]["cards"]
    cards[0], cards[1] = cards[1], cards[0]


@pytest.mark.parametrize(
    "bend",
    [
        swap_cards,
        lambda payload: payload.update(dealt_time=payload["dealt_time"] + 1),
        lambda payload: payload.update(sealed=1),
        lambda payload: payload.update(mix="00" * 32),
        lambda payload: payload.update(expires_time=payload["expires_time"] + 1),
    ],
)
def test_a_certificate_that_the_shuffler_signed_falsely_is_found(liar: Liar, bend: Callable[[dict[str, Any]], None]):
    game = liar.binh()
    game.open()

    def forge(answer: shuffler_pb2.DealRoundResponse) -> None:
        answer.certificate = liar.certified(answer.certificate, bend)

    liar.line.answers["DealRound"] = forge
    with pytest.raises(VerificationError):
        game.deal()


def another_receipt(answer: Any) -> None:  # noqa: ANN401 - an accepted event
    receipt = json.loads(answer.event.receipt)
    payload = json.loads(base64.b64decode(receipt["payload"]))
    payload["number"] += 1
    receipt["payload"] = base64.b64encode(json.dumps(payload, separators=(",", ":")).encode()).decode()
    answer.event.receipt = json.dumps(receipt, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda answer: answer.event.arrange.back.reverse(), "the accepted event"),
        (lambda answer: setattr(answer.event, "seat", 1), "the accepted event"),
        (lambda answer: setattr(answer, "event_number", 7), "the event's number"),
        (lambda answer: setattr(answer.event, "time", answer.event.time + 1), "the event's receipt"),
        (lambda answer: setattr(answer, "opens_section", 1), "the event's receipt"),
        (another_receipt, "does not hold"),
        (lambda answer: setattr(answer.event, "receipt", b""), "does not hold"),
    ],
)
def test_an_event_that_was_not_the_seats_is_not_kept(liar: Liar, bend: Bend, found: str):
    game = liar.binh()
    game.open()
    hand = game.deal()[0]
    liar.line.answers["AcceptEvent"] = bend
    with pytest.raises(VerificationError, match=found):
        game.arrange(0, Arrangement(hand[:5], hand[5:10], hand[10:]))
    assert not game.message.events


def pay_more(payload: dict[str, Any]) -> None:
    payload["results"]["transfers"][0]["amount"] += 1


def drop_event(payload: dict[str, Any]) -> None:
    payload["inputs"]["events"].pop()


def swap_sections(payload: dict[str, Any]) -> None:
    payload["inputs"]["sections"].reverse()


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda payload: payload["results"]["seats"][0].update(net=0), "the transcript made again"),
        (pay_more, "the transcript made again"),
        (drop_event, "the events settled"),
        (swap_sections, "the settled section"),
        (lambda payload: payload["inputs"]["events"][0].update(time=1), "the times of the events"),
        (lambda payload: payload["inputs"]["header"].update(stake=1), "the settled header"),
        (lambda payload: payload["inputs"].update(dealt_time=1), "the settled deal"),
        (lambda payload: payload.update(round_id="00" * 32), "the settled round"),
        (lambda payload: payload.update(format=2), "format 2"),
    ],
)
def test_a_settlement_that_the_referee_signed_falsely_is_found(
    liar: Liar, bend: Callable[[dict[str, Any]], None], found: str
):
    game = liar.played()
    liar.line.answers["SettleRound"] = lambda answer: liar.resigned(answer.log_receipt, "referee", bend)
    with pytest.raises(VerificationError, match=found):
        game.settle()


def test_payments_other_than_settled_are_found(liar: Liar):
    game = liar.played()

    def bend(answer: Any) -> None:  # noqa: ANN401 - a settled round
        answer.outcome.transfers[0].amount_minor += 1

    liar.line.answers["SettleRound"] = bend
    with pytest.raises(VerificationError, match="the transfers"):
        game.settle()


def test_another_seed_than_the_one_committed_to_is_found(liar: Liar):
    game = liar.played()
    game.settle()

    def bend(answer: shuffler_pb2.RevealRoundResponse) -> None:
        liar.resigned(answer.log_receipt, "", lambda payload: payload.update(server_seed="11" * 32))
        answer.server_seed = b"\x11" * 32

    liar.line.answers["RevealRound"] = bend
    with pytest.raises(VerificationError, match="what the revealed seed commits to"):
        game.reveal()
    liar.line.answers["RevealRound"] = lambda answer: setattr(answer, "server_seed", b"\x11" * 32)
    with pytest.raises(VerificationError, match="the revealed seed"):
        game.reveal()


def test_a_leaf_of_another_kind_is_not_taken_for_a_reveal(liar: Liar):
    game = liar.played()
    settled = game.settle()

    def bend(answer: shuffler_pb2.RevealRoundResponse) -> None:
        answer.log_receipt.CopyFrom(liar.logged(settled.receipt.leaf))

    liar.line.answers["RevealRound"] = bend
    with pytest.raises(VerificationError, match=f"{MEDIA_TYPE}, not {REVEAL_TYPE}".replace("+", r"\+")):
        game.reveal()


def test_a_hand_that_another_seat_was_dealt_is_found(liar: Liar):
    game = liar.binh(keyed=True)
    game.open(sealed=True)
    game.deal()

    def bend(answer: shuffler_pb2.OpenHandResponse) -> None:
        answer.hand.cards.reverse()

    liar.line.answers["OpenHand"] = bend
    with pytest.raises(VerificationError, match="the hand of seat 0"):
        game.open_hand(0)


def test_a_log_that_was_rewritten_is_found(liar: Liar):
    """Its newest head is signed by the log's own key, and continues nothing."""
    liar.played()
    before = liar.client.checkpoint()
    log = liar.keys.signer("log")
    rewritten = Checkpoint(liar.origin, before.size + 1, bytes(32))
    note = CheckpointSigner(log, key_name=log.name).sign(rewritten).decode()
    liar.line.questions["GetConsistencyProof"] = lambda request: setattr(request, "second_size", before.size)

    def bend(answer: log_pb2.GetCheckpointResponse) -> None:
        answer.checkpoint = note

    liar.line.answers["GetCheckpoint"] = bend
    with pytest.raises(VerificationError, match="does not continue"):
        liar.client.checkpoint()


def test_a_key_that_the_root_did_not_sign_is_not_believed(liar: Liar):
    """The KEY leaves are left out of what the log shows, so nobody may sign."""

    def bend(answer: log_pb2.ListEntriesResponse) -> None:
        kept = [
            leaf if b"vnd.referee.key" not in leaf else leaf.replace(b'"sig":"', b'"sig":"A')[:-1]
            for leaf in answer.leaves
        ]
        answer.leaves[:] = kept

    liar.line.answers["ListEntries"] = bend
    with pytest.raises(VerificationError, match="not signed by a key"):
        liar.binh().open()


def test_leaves_that_two_calls_asked_for_at_once_are_learned_once(harness: Harness):
    """Otherwise what follows them would be passed over, and with it a new key."""
    with Client(harness.grpc) as client:
        asked = log_pb2.ListEntriesRequest(count=3)
        keys = list(log_pb2_grpc.LogServiceStub(client.channel).ListEntries(asked).leaves)
    believed = Believed(Trust(log_key=harness.keys["log"], root_key=harness.keys["root"]))
    believed.learn(keys[:1], start=0)
    believed.learn(keys[:2], start=0)
    assert believed.seen == 2
    believed.learn(keys[1:], start=1)
    assert believed.seen == 3
    assert all(len(believed.keys(role)) == 1 for role in ("log", "shuffler", "referee"))
