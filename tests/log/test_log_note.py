"""Keys, notes, checkpoints and receipts as text: the published ones, what is refused, and the way there and back."""

import base64
import hashlib
import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.ed25519 import Signer
from referee.evidence.merkle import LeafIndex, leaf_hash, root
from referee.evidence.note import Note, NoteError, NoteSignature, cosign_note
from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey
from referee.log import Checkpoint, CheckpointError, CheckpointSigner, LogReceipt, ReceiptError, open_checkpoint
from tests.log.rfc9162 import inclusion_proof
from tests.log.signed_note import sign_note
from tests.vectors.reading import each

ORIGIN = "log.example/1"
LEAVES = [f"leaf {n}".encode() for n in range(11)]

MakeSigner = Callable[[str], Signer]

key_names = st.text([c for c in string.printable[:94] if c != "+"], min_size=1, max_size=40)
texts = st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=30), max_size=5)


@each("log/vkey", argument="vector")
def test_key_texts(vector: dict[str, Any]):
    if vector["is_key"]:
        assert VerifierKey.parse(vector["text"]).text == vector["text"]
    else:
        with pytest.raises(KeyTextError):
            VerifierKey.parse(vector["text"])


def test_no_part_of_a_key_text_and_no_change_of_a_letter_is_a_key():
    """The manglings that the reference implementation's own test tries."""
    text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    mangled = [text[i:j] for i in range(len(text) + 1) for j in range(i + 1, len(text) + 1) if (i, j) != (0, len(text))]
    mangled += [text[:i] + chr(ord(text[i]) + 1) + text[i + 1 :] for i in range(len(text))]
    for bad in mangled:
        with pytest.raises(KeyTextError):
            VerifierKey.parse(bad)


@given(name=key_names, algorithm=st.sampled_from(Algorithm))
def test_key_text_goes_there_and_back(make_signer: MakeSigner, name: str, algorithm: Algorithm):
    """The hint is the one that the specification's formula gives."""
    key = VerifierKey(name, make_signer(name).public_key, algorithm)
    assert VerifierKey.parse(key.text) == key
    hashed = hashlib.sha256(name.encode() + b"\n" + bytes([algorithm]) + key.public_key).hexdigest()
    assert key.text.split("+")[1] == hashed[:8]


@each("log/note", argument="vector")
def test_notes(vector: dict[str, Any]):
    keys = [VerifierKey.parse(text) for text in vector["keys"]]
    data = vector["note"].encode()
    if vector["refused_at"] == "PARSE":
        with pytest.raises(NoteError):
            Note.parse(data)
        return
    note = Note.parse(data)
    assert note.format() == data
    if vector["refused_at"] == "VERIFY":
        with pytest.raises(NoteError):
            note.verify(keys)
    else:
        assert [key.name for key in note.verify(keys)] == vector["signers"]


def test_bytes_that_are_no_text_or_too_many_are_no_note(make_signer: MakeSigner):
    data = sign_note("text\n", name="a", signer=make_signer("a")).format()
    assert Note.parse(data).text == "text\n"
    for bad in (b"\xff" + data, b"x" * 65_536 + data, b""):
        with pytest.raises(NoteError):
            Note.parse(bad)


@given(lines=texts, names=st.lists(key_names, min_size=1, max_size=4, unique=True))
def test_signed_note_goes_there_and_back(make_signer: MakeSigner, lines: list[str], names: list[str]):
    """Also where the text itself has empty lines."""
    text = "".join(line + "\n" for line in lines) or "\n"
    note = sign_note(text, name=names[0], signer=make_signer(names[0]))
    for name in names[1:]:
        note = note.with_signature(sign_note(text, name=name, signer=make_signer(name)).signatures[0])
    assert Note.parse(note.format()) == note
    keys = [VerifierKey(name, make_signer(name).public_key) for name in names]
    assert list(note.verify(reversed(keys))) == keys


def test_every_flipped_bit_of_a_signed_note_is_noticed(make_signer: MakeSigner):
    """One key is known, so a note changed anywhere is malformed, unsigned or badly signed."""
    signer = make_signer("log")
    data = sign_note("one\ntwo\n", name="log", signer=signer).format()
    key = VerifierKey("log", signer.public_key)
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(NoteError):
            Note.parse(bytes(changed)).verify([key])


def test_two_keys_of_one_name_and_hint_are_refused(make_signer: MakeSigner):
    """A hint may collide; then nobody can say whose signature it is."""
    signer = make_signer("a")
    key, other = VerifierKey("a", signer.public_key), VerifierKey("a", make_signer("b").public_key)
    object.__setattr__(other, "key_id", key.key_id)
    note = sign_note("text\n", name="a", signer=signer)
    assert note.verify([key, key]) == (key,)
    with pytest.raises(NoteError):
        note.verify([key, other])


def test_cosignature_vouches_for_checkpoint_and_time(make_signer: MakeSigner):
    """The signed bytes are those of the specification's example of a message."""
    witness = make_signer("witness.example/w1")
    body = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    log = make_signer("log")
    note = cosign_note(
        sign_note(body, name="log", signer=log), name="witness.example/w1", signer=witness, time=1_679_315_147
    )
    log_key = VerifierKey("log", log.public_key)
    key = VerifierKey("witness.example/w1", witness.public_key, Algorithm.COSIGNATURE_V1)
    assert Note.parse(note.format()).verify([log_key, key]) == (log_key, key)
    assert note.cosignature_times(key) == (1_679_315_147,)
    assert note.cosignature_times(log_key) == ()
    signed = witness.sign(f"cosignature/v1\ntime 1679315147\n{body}".encode())
    assert note.signatures[1].signature == (1_679_315_147).to_bytes(8, "big") + signed
    later = NoteSignature(key.name, key.key_id, (1_679_315_148).to_bytes(8, "big") + signed)
    for bad in (later, NoteSignature(key.name, key.key_id, signed), NoteSignature(key.name, key.key_id, b"\xff" * 72)):
        with pytest.raises(NoteError):
            Note(body, (bad,)).verify([key])


def test_log_signature_is_no_cosignature(make_signer: MakeSigner):
    """One key under two algorithms has two hints, and neither signature passes for the other."""
    signer = make_signer("a")
    note = sign_note("text\n", name="a", signer=signer)
    with pytest.raises(NoteError):
        note.verify([VerifierKey("a", signer.public_key, Algorithm.COSIGNATURE_V1)])


@each("log/checkpoint", argument="vector")
def test_checkpoint_bodies(vector: dict[str, Any]):
    if vector["is_checkpoint"]:
        assert Checkpoint.parse(vector["body"]).body == vector["body"]
    else:
        with pytest.raises(CheckpointError):
            Checkpoint.parse(vector["body"])


@given(size=st.integers(min_value=1, max_value=2**53 - 1), top=st.binary(min_size=32, max_size=32))
def test_checkpoint_goes_there_and_back(size: int, top: bytes):
    checkpoint = Checkpoint(ORIGIN, size, top)
    assert Checkpoint.parse(checkpoint.body) == checkpoint
    assert checkpoint.body == f"{ORIGIN}\n{size}\n{base64.b64encode(top).decode()}\n"


def test_checkpoint_of_another_log_or_key_is_refused(make_signer: MakeSigner):
    log = CheckpointSigner(make_signer("log"), key_name=ORIGIN)
    checkpoint = Checkpoint(ORIGIN, 11, root(LEAVES))
    note = log.sign(checkpoint)
    assert open_checkpoint(note, origin=ORIGIN, keys=[log.key]) == checkpoint
    with pytest.raises(CheckpointError):
        open_checkpoint(note, origin="log.example/2", keys=[log.key])
    stranger = CheckpointSigner(make_signer("stranger"), key_name=ORIGIN)
    for keys in ([], [stranger.key], [VerifierKey("other", log.key.public_key)]):
        with pytest.raises(NoteError):
            open_checkpoint(note, origin=ORIGIN, keys=keys)
    witness = VerifierKey(ORIGIN, log.key.public_key, Algorithm.COSIGNATURE_V1)
    with pytest.raises(NoteError):
        open_checkpoint(note, origin=ORIGIN, keys=[witness])


def _receipt(log: CheckpointSigner, index: int) -> LogReceipt:
    return LogReceipt(
        index=LeafIndex(index),
        leaf_hash=leaf_hash(LEAVES[index]),
        proof=inclusion_proof(LEAVES, index),
        checkpoint=log.sign(Checkpoint(ORIGIN, len(LEAVES), root(LEAVES))),
    )


def test_receipt_holds_for_its_leaf_only(make_signer: MakeSigner):
    log = CheckpointSigner(make_signer("log"), key_name=ORIGIN)
    for index, leaf in enumerate(LEAVES):
        receipt = _receipt(log, index)
        assert receipt.verify(leaf, origin=ORIGIN, keys=[log.key]).size == len(LEAVES)
        for other in LEAVES[:index] + LEAVES[index + 1 :]:
            with pytest.raises(ReceiptError):
                receipt.verify(other, origin=ORIGIN, keys=[log.key])
        with pytest.raises(ReceiptError):
            receipt.verify(leaf, origin="log.example/2", keys=[log.key])
        with pytest.raises(ReceiptError):
            receipt.verify(leaf, origin=ORIGIN, keys=[])


def test_receipt_with_anything_changed_does_not_hold(make_signer: MakeSigner):
    log = CheckpointSigner(make_signer("log"), key_name=ORIGIN)
    good = _receipt(log, 4)
    changed: dict[str, list[Any]] = {
        "index": [LeafIndex(5), LeafIndex(-1), LeafIndex(11)],
        "leaf_hash": [leaf_hash(LEAVES[5])],
        "proof": [good.proof[:-1], (*good.proof, bytes(32)), good.proof[::-1], ()],
        "checkpoint": [
            log.sign(Checkpoint(ORIGIN, 5, root(LEAVES))),
            log.sign(Checkpoint(ORIGIN, 11, root(LEAVES[:-1]))),
            log.sign(Checkpoint("log.example/2", 11, root(LEAVES))),
            CheckpointSigner(make_signer("stranger"), key_name=ORIGIN).sign(Checkpoint(ORIGIN, 11, root(LEAVES))),
            sign_note("no checkpoint\n", name=ORIGIN, signer=make_signer("log")).format(),
            b"no note",
        ],
    }
    fields = {name: getattr(good, name) for name in changed}
    for name, values in changed.items():
        for value in values:
            with pytest.raises(ReceiptError):
                LogReceipt(**(fields | {name: value})).verify(LEAVES[4], origin=ORIGIN, keys=[log.key])


def test_receipt_text_is_a_tlog_proof_and_goes_there_and_back(make_signer: MakeSigner):
    log = CheckpointSigner(make_signer("log"), key_name=ORIGIN)
    for index, leaf in enumerate(LEAVES):
        receipt = _receipt(log, index)
        lines = receipt.text.decode().split("\n")
        assert lines[:2] == ["c2sp.org/tlog-proof@v1", f"index {index}"]
        assert [base64.b64decode(line) for line in lines[2 : lines.index("")]] == list(inclusion_proof(LEAVES, index))
        assert LogReceipt.parse(receipt.text, leaf=leaf) == receipt


@each("log/receipt", argument="vector")
def test_receipts(vector: dict[str, Any]):
    """Made without this project's code."""
    leaf = bytes.fromhex(vector["leaf"])
    keys = [VerifierKey.parse(text) for text in vector["keys"]]

    def check() -> None:
        LogReceipt.parse(vector["receipt"].encode(), leaf=leaf).verify(leaf, origin=vector["origin"], keys=keys)

    if vector["holds"]:
        check()
    else:
        with pytest.raises(ReceiptError):
            check()


def test_text_that_is_no_receipt_is_refused(make_signer: MakeSigner):
    text = _receipt(CheckpointSigner(make_signer("log"), key_name=ORIGIN), 4).text
    node = text.split(b"\n")[2]
    bad = [
        b"",
        b"\xff" + text,
        text.replace(b"@v1", b"@v2"),
        text.replace(b"index 4", b"index 04"),
        text.replace(b"index 4", b"index -4"),
        text.replace(b"index 4\n", b""),
        text.replace(b"index 4", b"extra AAAA\nindex 4"),
        text.replace(node, node[:-2] + b"=="),
        text.replace(node, node[4:]),
        text.replace(node, b"\n".join([node] * 70)),
        text.partition(b"\n\n")[0],
    ]
    for data in bad:
        with pytest.raises(ReceiptError):
            LogReceipt.parse(data, leaf=LEAVES[4])
