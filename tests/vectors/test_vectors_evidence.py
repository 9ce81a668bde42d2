"""The package holds what the written vectors say, and they are what their scripts write."""

import ast
import json
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from google.protobuf.message import Message

from referee.audit.reading import read_payload
from referee.audit.receipted_moves import receipted_fault
from referee.cards import Seat, cards_of
from referee.dealing import leaf as leaves
from referee.dealing import seal
from referee.dealing.commitment import (
    client_commitment,
    seat_token_hash,
    section_root,
    seed_statement,
    server_commitment,
)
from referee.dealing.header import Header, HeaderError
from referee.evidence import canonical, encoding, merkle
from referee.evidence.canonical import Form
from referee.evidence.dsse import Envelope, EnvelopeError, pae
from referee.evidence.ed25519 import is_public_key, is_signature
from referee.evidence.hkdf import Prk
from referee.finding import FindingError
from referee.games import GAMES, EventBytesError
from referee.games.mau_binh import arrangement_commitment
from referee.rulesets import load_builtin
from referee.transcript.chain import (
    FORM,
    RECEIPT_TYPE,
    Course,
    EventReceipt,
    content_hash,
    first_hash,
    first_move,
    next_hash,
)
from referee.transcript.receipted import MAX_SIZE, read_receipted_event
from referee.transcript.round import repeat_key as settlement_key
from referee.v1 import shuffler_pb2
from referee.wire.repeat_key import canonical_text, repeat_key
from tests.evidence.envelopes import open_envelope
from tests.vectors import written_rows
from tests.vectors.reading import FOLDER, Row, each, read

HEADER = Form(Header)
KINDS: dict[str, Any] = {kind.__name__.removesuffix("Leaf").lower(): kind for kind in leaves.TYPES}
NOT_WHOLE = {"open.round_id", "open.commitments", "deal.missing_seed"}
"""Leaves that no server writes, and an audit reads to name what is wrong with the round."""


def unhexed(row: Row, *names: str) -> list[bytes]:
    return [bytes.fromhex(row[name]) for name in names]


def is_refused(check: Callable[[], object]) -> bool:
    try:
        check()
    except ValueError:
        return True
    return False


def test_writers_share_no_code_with_the_package() -> None:
    """They import one another, the standard library and ``cryptography``."""
    modules = [*FOLDER.glob("written_*.py"), *FOLDER.glob("dealing/dealing_*.py")]
    assert len(modules) == 4
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.partition(".")[0]
                assert name.startswith("tests.vectors") or top in {"cryptography", *sys.stdlib_module_names}, path


@pytest.mark.parametrize("name", written_rows.COMPUTED)
def test_computed_members_are_what_their_writer_writes(name: str) -> None:
    assert (FOLDER / f"{name}.jsonl").read_text(encoding="ascii") == written_rows.text(name)


@each("evidence/repeat_keys")
def test_repeat_key_vectors(row: Row) -> None:
    if row["kind"] == "SETTLE":
        assert row["key"] == settlement_key(msgspec.Raw(row["text"].encode())).hex()
    else:
        request = shuffler_pb2.OpenRoundRequest()
        fill(request, json.loads(row["text"]))
        assert row["text"].encode() == canonical_text(request)
        assert row["key"] == repeat_key(request).hex()


def fill(message: Message, members: Row) -> None:
    """Set the fields of a message from an object with bytes as hex."""
    for name, value in members.items():
        field = message.DESCRIPTOR.fields_by_name[name]
        values = value if field.is_repeated else [value]
        if field.message_type is not None:
            for one in values:
                part = getattr(message, name)
                inner = part.add() if field.is_repeated else part
                inner.SetInParent()
                fill(inner, one)
            continue
        read_values = [bytes.fromhex(one) if field.type == field.TYPE_BYTES else one for one in values]
        if field.is_repeated:
            getattr(message, name).extend(read_values)
        else:
            setattr(message, name, read_values[0])


@each("evidence/encoding")
def test_encoding_vectors(row: Row) -> None:
    fields = [bytes.fromhex(field) for field in row["fields"]]
    assert row["encoded"] == encoding.enc(row["tag"], *fields).hex()
    assert row["hash"] == encoding.tagged_hash(row["tag"], *fields).hex()


@each("evidence/fields")
def test_field_vectors(row: Row) -> None:
    encode: Any = {"U8": encoding.u8, "U32": encoding.u32, "U64": encoding.u64, "TEXT": encoding.ascii_field}[
        row["kind"]
    ]
    if row.get("refused"):
        assert is_refused(lambda: encode(row["value"]))
    else:
        assert row["encoded"] == encode(row["value"]).hex()


@each("evidence/hkdf")
def test_hkdf_vectors(row: Row) -> None:
    ikm, salt, info = unhexed(row, "ikm", "salt", "info")
    if row.get("refused"):
        assert is_refused(lambda: Prk.of(ikm, salt=salt).expand(info=info, length=row["length"]))
    else:
        assert row["key"] == Prk.of(ikm, salt=salt).expand(info=info, length=row["length"]).hex()


@each("evidence/canonical")
def test_canonical_vectors(row: Row) -> None:
    assert row["is_canonical"] != is_refused(lambda: canonical.decode(row["text"].encode()))


@each("evidence/ed25519_keys")
def test_key_vectors(row: Row) -> None:
    assert row["is_key"] == is_public_key(bytes.fromhex(row["public_key"]))


@each("evidence/ed25519_signatures")
def test_signature_vectors(row: Row) -> None:
    assert row["holds"] == is_signature(*unhexed(row, "signature", "message", "public_key"))


@each("evidence/dsse")
def test_envelope_vectors(row: Row) -> None:
    def opened() -> bytes:
        key = bytes.fromhex(row["public_key"])
        return open_envelope(row["envelope"].encode(), payload_type=row["payload_type"], public_key=key)

    if row["fault"]:
        with pytest.raises(EnvelopeError) as refused:
            opened()
        assert row["fault"] == refused.value.fault
    else:
        assert (row["payload"], row["pae"]) == (opened().hex(), pae(row["payload_type"], opened()).hex())


@each("dealing/refused_headers")
def test_refused_header_vectors(row: Row) -> None:
    text = json.dumps(row["header"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if not text.isascii():
        assert is_refused(lambda: HEADER.read(text))
        return
    with pytest.raises(HeaderError) as refused:
        HEADER.read(text).checked()
    assert row["field"] == refused.value.field


def opened(kind: str, row: Row) -> str:
    """Return what the package computes for the member that an opening opens."""
    data = {name: bytes.fromhex(row[name]) for name in row if name in HEX}
    rid, seat = data["round_id"], Seat(row.get("seat", 0))
    match kind:
        case "SERVER_COMMITMENT":
            return server_commitment(round_id=rid, seed=data["seed"]).hex()
        case "CLIENT_COMMITMENT":
            return client_commitment(round_id=rid, seat=seat, seed=data["seed"]).hex()
        case "SEAT_TOKEN":
            return seat_token_hash(round_id=rid, seat=seat, token=data["token"]).hex()
        case "ARRANGEMENT":
            cards = cards_of(row["cards"])
            return arrangement_commitment(round_id=rid, seat=seat, cards=cards, nonce=data["nonce"]).hex()
        case "SECTION":
            numbers = bytes(row["cards"])
            return section_root(key=data["key"], round_id=rid, section=row["section"], numbers=numbers).hex()
        case _:
            first = first_hash(round_id=rid, deck_root=data["deck_root"])
            return next_hash(first, number=row["number"], event=row["event"].encode()).hex()


def holds_seed(row: Row) -> bool:
    rid, commitment, token, seed, key, signature = unhexed(
        row, "round_id", "server_commitment", "token_hash", "seed", "public_key", "signature"
    )
    about = {"round_id": rid, "commitment": commitment, "token_hash": token, "seed": seed}
    return is_public_key(key) and is_signature(signature, seed_statement(seat=Seat(row["seat"]), **about), key)


def holds_sealed(row: Row) -> bool:
    sealed, key, rid, commitment = unhexed(row, "sealed_seed", "sealing_key", "round_id", "server_commitment")
    return not is_refused(lambda: seal.decrypt_seed(sealed, sealing_key=key, round_id=rid, commitment=commitment))


OPENED = {
    "SERVER_COMMITMENT": "commitment",
    "CLIENT_COMMITMENT": "commitment",
    "SEAT_TOKEN": "hash",
    "ARRANGEMENT": "commitment",
    "SECTION": "root",
    "EVENT": "hash",
}
"""The member that each kind of opening opens."""
HEX = ("round_id", "seed", "token", "nonce", "key", "deck_root")
HONEST = {
    "SEED_SIGNATURE": "seed_signatures",
    "SEAT_TOKEN": "seat_tokens",
    "ARRANGEMENT": "arrangements",
    "SECTION": "sections",
    "SEALED_SEED": "sealed_seeds",
}


def holds(kind: str, row: Row) -> bool:
    whole = {"SEED_SIGNATURE": holds_seed, "SEALED_SEED": holds_sealed}.get(kind)
    return whole(row) if whole is not None else opened(kind, row) == row[OPENED[kind]]


@each("dealing/refused_openings")
def test_refused_opening_vectors(row: Row) -> None:
    assert not holds(row["kind"], row)


@pytest.mark.parametrize("kind", HONEST)
def test_honest_openings_hold_and_refused_ones_differ_in_one_member(kind: str) -> None:
    honest = read(f"dealing/{HONEST[kind]}")
    assert all(holds(kind, row) for row in honest)
    refused = [row for row in read("dealing/refused_openings") if row["kind"] == kind]
    assert refused
    for row in refused:
        members = row.keys() - {"id", "why", "source", "kind"}
        assert min(sum(row[name] != one[name] for name in members) for one in honest) == 1, row["id"]


@each("dealing/refused_leaves")
def test_refused_leaf_vectors(row: Row) -> None:
    payload, kind = row["payload"].encode(), KINDS[row["kind"]]
    assert is_refused(lambda: leaves.parse(payload, kind))
    if row["id"] not in NOT_WHOLE:
        with pytest.raises(FindingError):
            read_payload(Envelope(leaves.TYPES[kind], payload))


@each("log/merkle_refused")
def test_refused_merkle_vectors(row: Row) -> None:
    proof = [bytes.fromhex(node) for node in row["proof"]]

    def check() -> None:
        if row["kind"] == "INCLUSION":
            leaf, root = unhexed(row, "leaf_hash", "root")
            merkle.verify_inclusion(leaf, index=row["index"], size=row["size"], proof=proof, root=root)
        else:
            old_root, new_root = unhexed(row, "old_root", "new_root")
            merkle.verify_consistency(
                old_size=row["old_size"], new_size=row["new_size"], old_root=old_root, new_root=new_root, proof=proof
            )

    assert is_refused(check)


@each("transcript/events")
def test_event_vectors(row: Row) -> None:
    data = row["event"].encode()
    game = GAMES[row["game"]]
    if row["is_event"]:
        assert game.events.decode(data, time=1, round_id=bytes(32)) is not None
    else:
        with pytest.raises(EventBytesError):
            game.events.decode(data, time=1, round_id=bytes(32))


def course_of(row: Row, entries: list[Row]) -> Course:
    rid, root = unhexed(row, "round_id", "deck_root")
    course = Course.begin(round_id=rid, deck_root=root)
    for entry in entries:
        event = entry["event"]
        course = course.append(
            json.dumps(event, sort_keys=True, separators=(",", ":")).encode(),
            time=entry["time"],
            received=bool(entry["received"]),
            seat=event["seat"],
            seen=event.get("seen"),
        )
    return course


@each("transcript/chains")
def test_chain_vectors(row: Row) -> None:
    course = course_of(row, row["events"])
    assert row["hashes"] == [course.hash_at(k).hex() for k in range(course.number + 1)]
    assert row["histories"][1:] == [one.hex() for one in course.histories]
    assert row["histories"][-1] == course.history.hex()


@each("transcript/contents")
def test_content_vectors(row: Row) -> None:
    certificates, signatures = (list(map(bytes.fromhex, row[name])) for name in ("certificates", "signatures"))
    by_seat = signatures or [b""] * row["seats"]
    content = content_hash(certificates, receipt=bytes.fromhex(row["receipt"]), signatures=by_seat)
    assert content.hex() == row["content"]


@each("transcript/seat_chains")
def test_seat_chain_vectors(row: Row) -> None:
    course = course_of(row, [{"event": event, "received": 0, "time": 1} for event in row["events"]])
    for seat, (chain, text) in enumerate(zip(row["chains"], row["signatures"], strict=True)):
        assert chain[-1] == course.moves.get(seat, first_move(course.start, seat=seat)).hex()
        key = bytes.fromhex(row["seat_keys"][seat])
        assert (text == "") == (len(chain) == 1)
        assert text == "" or is_signature(bytes.fromhex(text), bytes.fromhex(chain[-1]), key)


@each("transcript/receipts")
def test_receipt_vectors(row: Row) -> None:
    def opened() -> object:
        key = bytes.fromhex(row["public_key"])
        return FORM.read(open_envelope(row["receipt"].encode(), payload_type=RECEIPT_TYPE, public_key=key))

    if not row["holds"]:
        assert is_refused(opened)
        return
    members = {name: row[name] for name in row if name not in {"id", "why", "source", "public_key", "receipt", "holds"}}
    assert json.dumps(members, sort_keys=True, separators=(",", ":")).encode() == FORM.write(opened())  # type: ignore[arg-type] # it is what the form reads


def test_longer_file_is_no_receipted_event() -> None:
    event = '{"kind":"PASS","seat":2}'
    for receipt in ("x" * 60_000, "x" * MAX_SIZE):
        file = json.dumps({"events": [event], "receipt": receipt, "signature": ""}, separators=(",", ":")).encode()
        assert (read_receipted_event(file) is None) == (len(file) > MAX_SIZE)


@each("transcript/receipted_events")
def test_receipted_event_vectors(row: Row) -> None:
    kept = read_receipted_event(row["file"].encode())
    assert row["is_file"] == (kept is not None)
    if kept is None:
        return
    assert kept.to_bytes() == row["file"].encode()

    def opened() -> object:
        key = bytes.fromhex(row["public_key"])
        return FORM.read(open_envelope(kept.receipt.encode(), payload_type=RECEIPT_TYPE, public_key=key))

    if is_refused(opened):
        assert not row["holds"]
        return
    receipt = opened()
    assert isinstance(receipt, EventReceipt)
    deal = SimpleNamespace(deck_root=row["deck_root"], dealt_time=row["dealt_time"])
    inputs = SimpleNamespace(closed_time=row["closed_time"])
    leaves: Any = SimpleNamespace(
        round_id=bytes.fromhex(row["round_id"]),
        header=SimpleNamespace(seat_keys=[bytes.fromhex(key) for key in row["seat_keys"]]),
        deal=SimpleNamespace(leaf=deal),
        settle=SimpleNamespace(leaf=SimpleNamespace(inputs=inputs)),
    )
    assert row["holds"] == (receipted_fault(kept, receipt, leaves, None) is None)
    if row["holds"]:
        assert (row["number"], row["event_hash"]) == (receipt.number, receipt.event_hash)


def test_ruleset_vectors_are_the_rulesets_at_hand() -> None:
    names = ("ruleset_id", "version", "digest", "game", "bet_unit", "shortest_ms", "longest_ms")
    listed = {tuple(row[name] for name in names) for row in read("rulesets/rulesets")}
    assert listed == {
        (one.id, one.version, one.digest.hex(), one.game, one.bet_unit, *one.rules.round.bounds)
        for one in load_builtin()
    }
