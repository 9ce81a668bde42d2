"""A server that lies, in its answers and with its own keys, is found out by the client at the step where it does."""

from typing import Any

import pytest
from referee_client import Client, Trust, VerificationError
from referee_client.messages import log_pb2, log_pb2_grpc, round_pb2, shuffler_pb2
from referee_client.trust import Believed
from referee_harness import Harness

from referee.dealing.leaf import KEY_TYPE, OPEN_TYPE, REVEAL_TYPE, KeyLeaf, encode
from referee.evidence.dsse import Envelope
from referee.log import Checkpoint, CheckpointSigner
from referee.transcript.inputs import MEDIA_TYPE
from tests.clients_python.lying_server import Bend, Liar
from tests.clients_python.playing import dealt


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
        (lambda answer: setattr(answer.header.round, "table_id", "another"), "table_id"),
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
    leaf = answer.log_receipt.leaf
    answer.log_receipt.leaf = leaf[:50] + bytes([leaf[50] ^ 1]) + leaf[51:]


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


def overpay(answer: Any) -> None:  # noqa: ANN401 - a settled round
    answer.outcome.transfers[0].amount_minor += 1


@pytest.mark.parametrize(
    ("method", "bend", "found"),
    [
        ("OpenRound", lambda answer: setattr(answer, "server_commitment", bytes(32)), "the server's commitment"),
        ("DealRound", swap_hands, "the hand of seat"),
        ("DealRound", lambda answer: setattr(answer, "dealt_time", answer.dealt_time + 1), "the time of the deal"),
        ("DealRound", lambda answer: setattr(answer, "leader", 1), "the leader"),
        ("DealRound", lambda answer: setattr(answer, "leader_by", 2), "why it leads"),
        ("DealRound", lambda answer: setattr(answer, "certificate", b"{}"), "a certificate does not hold"),
        ("SettleRound", overpay, "the transfers"),
        ("RevealRound", lambda answer: setattr(answer, "server_seed", b"\x11" * 32), "the revealed seed"),
    ],
)
def test_an_answer_other_than_logged_is_found(liar: Liar, method: str, bend: Bend, found: str):
    liar.line.answers[method] = bend
    with pytest.raises(VerificationError, match=found):
        settle_and_reveal(liar)


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
def test_a_certificate_that_the_shuffler_signed_falsely_is_found(liar: Liar, bend: Bend):
    def forge(answer: shuffler_pb2.DealRoundResponse) -> None:
        answer.certificate = liar.signed_again(answer.certificate, "shuffler", bend)

    liar.line.answers["DealRound"] = forge
    with pytest.raises(VerificationError):
        dealt(liar.binh())


def pay_more(payload: dict[str, Any]) -> None:
    payload["results"]["transfers"][0]["amount"] += 1


def drop_event(payload: dict[str, Any]) -> None:
    payload["inputs"]["events"].pop()


def open_unopened(payload: dict[str, Any]) -> None:
    payload["inputs"]["unsealed"].append({"number": 2, "sections": [1], "time": payload["inputs"]["closed_time"]})


def swap_sections(payload: dict[str, Any]) -> None:
    payload["inputs"]["sections"].reverse()


@pytest.mark.parametrize(
    ("method", "bend", "found"),
    [
        ("DealRound", lambda leaf: leaf.update(mix="00" * 32), "the mix"),
        ("DealRound", lambda leaf: leaf["client_seeds"].reverse(), "the seed of seat 0"),
        ("DealRound", lambda leaf: leaf["client_seeds"].pop(), "the number of seeds"),
        ("DealRound", lambda leaf: leaf.update(deck_root="00" * 32), "the certificate's deal"),
        ("DealRound", lambda leaf: leaf.update(round_id="00" * 32), "the dealt round"),
        ("DealRound", lambda leaf: leaf.update(leader=0, leader_by="DRAW"), "whether DEAL names a leader"),
        ("DealRound", lambda leaf: leaf.update(leader=0), "none of its type"),
        ("DealRound", lambda leaf: leaf.update(nonsense=0), "none of its type"),
        ("SettleRound", lambda payload: payload["results"]["seats"][0].update(net=0), "the transcript made again"),
        ("SettleRound", pay_more, "the transcript made again"),
        ("SettleRound", drop_event, "the events settled"),
        ("SettleRound", swap_sections, "the settled section"),
        ("SettleRound", lambda payload: payload["inputs"]["events"][0].update(time=1), "the events settled"),
        ("SettleRound", lambda payload: payload["inputs"]["events"][0].update(received=0), "the events settled"),
        (
            "SettleRound",
            lambda payload: payload["inputs"]["receipt"].update(number=1),
            "the number of the settled receipt",
        ),
        ("SettleRound", lambda payload: payload["inputs"].update(signatures=["00" * 64, ""]), "the settled signatures"),
        ("SettleRound", open_unopened, "the settled openings"),
        ("SettleRound", lambda payload: payload["inputs"]["header"].update(stake=1), "the settled header"),
        ("SettleRound", lambda payload: payload["inputs"].update(dealt_time=1), "the settled deal"),
        ("SettleRound", lambda payload: payload.update(round_id="00" * 32), "the settled round"),
        ("SettleRound", lambda payload: payload.update(format=2), "format 2"),
    ],
)
def test_a_leaf_that_the_operator_signed_falsely_is_found(liar: Liar, method: str, bend: Bend, found: str):
    role = "shuffler" if method == "DealRound" else "referee"
    liar.line.answers[method] = lambda answer: liar.resigned(answer.log_receipt, role, bend)
    with pytest.raises(VerificationError, match=found):
        settle_and_reveal(liar)


def test_another_seed_than_the_one_committed_to_is_found(liar: Liar):
    game = liar.played()
    game.settle()

    def bend(answer: shuffler_pb2.RevealRoundResponse) -> None:
        liar.resigned(answer.log_receipt, "", lambda payload: payload.update(server_seed="11" * 32))
        answer.server_seed = b"\x11" * 32

    liar.line.answers["RevealRound"] = bend
    with pytest.raises(VerificationError, match="what the revealed seed commits to"):
        game.reveal()


def test_a_leaf_of_another_kind_is_not_taken_for_a_reveal(liar: Liar):
    game = liar.played()
    receipt = game.settle().receipt
    assert receipt is not None
    liar.line.answers["RevealRound"] = lambda answer: answer.log_receipt.CopyFrom(liar.logged(receipt.leaf))
    with pytest.raises(VerificationError, match=f"{MEDIA_TYPE}, not {REVEAL_TYPE}".replace("+", r"\+")):
        game.reveal()


def test_a_hand_that_another_seat_was_dealt_is_found(liar: Liar):
    game = dealt(liar.binh(keyed=True), sealed=True)
    liar.line.answers["OpenHand"] = lambda answer: answer.hand.cards.reverse()
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
    liar.line.answers["GetCheckpoint"] = lambda answer: setattr(answer, "checkpoint", note)
    with pytest.raises(VerificationError, match="does not continue"):
        liar.client.checkpoint()


def test_a_key_that_the_root_did_not_sign_is_not_believed(liar: Liar):
    """The KEY leaves that the log shows are signed by the shuffler, so nobody may sign."""

    def bend(answer: log_pb2.GetKeysResponse) -> None:
        assert answer.key_leaves
        for one in answer.key_leaves:
            one.leaf = liar.signed_again(one.leaf, "shuffler", lambda _: None)

    liar.line.answers["GetKeys"] = bend
    with pytest.raises(VerificationError, match="not signed by a key"):
        liar.binh().open()


def test_keys_are_learned_once_in_the_log_s_order(harness: Harness):
    """Calls at the same time may both have asked for them, and a newer answer has what the former lacked."""
    with Client(harness.grpc) as client:
        keys = log_pb2_grpc.LogServiceStub(client.channel).GetKeys(log_pb2.GetKeysRequest()).key_leaves
    believed = Believed(Trust(log_key=harness.keys["log"], root_key=harness.keys["root"]))
    assert believed.learn(keys[:1])
    assert believed.learn(list(reversed(keys)))
    assert not believed.learn(keys)
    assert all(len(believed.keys(role, since=0)) == 1 for role in ("log", "shuffler", "referee"))


def test_a_revoked_key_counts_for_what_it_signed_before(liar: Liar):
    """For leaves before the one that revokes it, and for no leaf after it."""
    trusted = {role: key.text for role, key in liar.keys.public.items()}
    believed = Believed(Trust(log_key=trusted["log"], root_key=trusted["root"]))
    for index, action in enumerate(("ADD", "REVOKE"), 7):
        named = encode(KeyLeaf(action=action, key=trusted["referee"], role="referee"))  # type: ignore[arg-type] # both are actions
        leaf = Envelope.signed(KEY_TYPE, named, liar.keys.signer("root")).to_bytes()
        believed.learn([round_pb2.LogReceipt(leaf_index=index, leaf=leaf)])
    assert believed.keys("referee", since=7) == (liar.keys.public["referee"].public_key,)
    assert believed.keys("referee", since=8) == ()


def test_keys_are_read_from_every_page(liar: Liar, monkeypatch: pytest.MonkeyPatch):
    """One leaf a page: the keys that sign the round are named on later ones."""
    monkeypatch.setattr("referee.service.log.MAX_KEY_LEAVES", 1)
    pages: list[Any] = []
    liar.line.answers["GetKeys"] = pages.append
    assert liar.played().settle().is_replayed
    assert len(pages) >= 3


def test_keys_on_pages_without_an_end_are_refused(liar: Liar):
    liar.line.answers["GetKeys"] = lambda answer: setattr(answer, "next_page_token", "1")
    liar.line.questions["GetKeys"] = lambda request: request.ClearField("page_token")
    with pytest.raises(VerificationError, match="more than 1000 pages"):
        liar.played()
