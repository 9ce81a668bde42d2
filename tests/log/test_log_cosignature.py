"""Cosignatures and quorums: what is signed, who counts, and what a log and a witness write to one another."""

import base64
import hashlib
import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.evidence.ed25519 import Signer
from referee.evidence.note import Note, NoteError, NoteSignature
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.log import Checkpoint, CheckpointError, CheckpointSigner, open_checkpoint
from referee.log.cosignature import Quorum, QuorumError, cosign, merged, quorum_of, read_cosignatures
from referee.log.submission import (
    MAX_PROOF,
    AddCheckpoint,
    SubmissionError,
    format_size,
    monitoring_path,
    parse_size,
)

ORIGIN = "log.example/1"
HEAD = Checkpoint(ORIGIN, 3, hashlib.sha256(b"root").digest())
VECTORS = Path(__file__).parents[1] / "vectors" / "log"

MakeSigner = Callable[[str], Signer]


def key_of(signer: Signer, name: str) -> VerifierKey:
    return VerifierKey(name, signer.public_key, Algorithm.COSIGNATURE_V1)


def note_of(make_signer: MakeSigner, *cosigners: tuple[str, str, int]) -> Note:
    """Return the head's note with a line for each key, name and time."""
    note = Note.parse(CheckpointSigner(make_signer("log"), key_name=ORIGIN).sign(HEAD))
    for key, name, time in cosigners:
        note = merged(note, [cosign(note, name=name, signer=make_signer(key), time=time)])
    return note


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(json.loads(line), id=json.loads(line)["id"])
        for line in (VECTORS / "cosignature.jsonl").read_text(encoding="utf-8").splitlines()
    ],
)
def test_cosignatures_of_a_second_implementation_are_judged_alike(vector: dict[str, Any]):
    quorum = quorum_of(vector["witnesses"], needed=vector["needed"])
    said = quorum.attest(Note.parse(vector["note"].encode()))
    assert [[key.text, time] for key, time in said.times] == vector["times"]
    assert [key.text for key in said.forged] == vector["forged"]
    assert said.is_quorate == vector["is_quorate"]
    assert [key.text for key in quorum.doubled] == vector["doubled"]


def test_vectors_are_what_their_script_writes():
    written = runpy.run_path(str(Path(__file__).parent / "generate_cosignatures.py"))["lines"]()
    assert list(written) == (VECTORS / "cosignature.jsonl").read_text(encoding="utf-8").splitlines()


def test_signed_are_header_time_and_the_whole_text(make_signer: MakeSigner):
    """The bytes as the specification puts them, checked with a second implementation's verification."""
    note = note_of(make_signer, ("w1", "witness.example/w1", 1_679_315_147))
    line = note.signatures[-1]
    time, signature = line.signature[:8], line.signature[8:]
    assert (line.name, int.from_bytes(time, "big"), len(signature)) == ("witness.example/w1", 1_679_315_147, 64)
    material = b"witness.example/w1\n\x04" + make_signer("w1").public_key
    assert line.key_id == hashlib.sha256(material).digest()[:4]
    message = b"cosignature/v1\ntime 1679315147\n" + HEAD.body.encode()
    assert make_signer("w1").sign(message) == signature  # Ed25519 is deterministic


def test_nothing_but_a_checkpoint_is_cosigned(make_signer: MakeSigner):
    with pytest.raises(CheckpointError):
        cosign(Note("any text\n", ()), name="w", signer=make_signer("w"), time=1)


def test_quorum_counts_witnesses_that_signed(make_signer: MakeSigner):
    names = ["a", "b", "c"]
    quorum = Quorum(tuple(key_of(make_signer(name), name) for name in names), needed=2)
    for signed in (["a"], ["a", "b"], ["c", "a"], ["a", "b", "c"], []):
        said = quorum.attest(note_of(make_signer, *[(name, name, 10) for name in signed]))
        assert said.is_quorate == (len(signed) >= 2)
        assert list(said.missing) == [name for name in names if name not in signed]


def test_one_key_under_two_names_counts_once(make_signer: MakeSigner):
    quorum = Quorum((key_of(make_signer("a"), "one"), key_of(make_signer("a"), "two")), needed=2)
    note = note_of(make_signer, ("a", "one", 10), ("a", "two", 11))
    assert [key.name for key in quorum.doubled] == ["two"]
    said = quorum.attest(note)
    assert [(key.name, time) for key, time in said.times] == [("one", 11)]
    assert not said.is_quorate


def test_key_that_is_named_first_counts_and_is_not_doubled(make_signer: MakeSigner):
    quorum = Quorum(tuple(key_of(make_signer(name), name) for name in "abc"), needed=3)
    assert (quorum.counted, quorum.doubled) == (quorum.witnesses, ())


def test_forged_line_is_named_and_counts_for_nothing(make_signer: MakeSigner):
    good, other = key_of(make_signer("a"), "a"), key_of(make_signer("b"), "b")
    note = note_of(make_signer, ("a", "a", 10), ("b", "b", 10))
    broken = NoteSignature("b", other.key_id, bytes(72))
    said = Quorum((good, other), needed=2).attest(replace(note, signatures=(*note.signatures[:-1], broken)))
    assert (said.forged, said.missing, said.is_quorate) == ((other,), ("b",), False)


@pytest.mark.parametrize("change", ["time", "text"])
def test_cosignature_is_of_its_time_and_text_alone(make_signer: MakeSigner, change: str):
    quorum = Quorum((key_of(make_signer("a"), "a"),), needed=1)
    note = note_of(make_signer, ("a", "a", 10))
    assert quorum.attest(note).is_quorate
    if change == "time":
        line = note.signatures[-1]
        later = NoteSignature(line.name, line.key_id, (11).to_bytes(8, "big") + line.signature[8:])
        note = replace(note, signatures=(later,))
    else:
        note = replace(note, text=Checkpoint(ORIGIN, 4, HEAD.root).body)
    assert quorum.attest(note).forged == quorum.witnesses


def test_time_of_a_quorum_is_that_of_its_slowest_needed_witness(make_signer: MakeSigner):
    quorum = Quorum(tuple(key_of(make_signer(name), name) for name in "abc"), needed=2)
    said = quorum.attest(note_of(make_signer, ("a", "a", 10), ("b", "b", 30), ("c", "c", 20)))
    assert said.time == 20
    assert said.until(20).time == 10
    assert said.until(19).is_quorate is False
    assert said.until(9).time == 0


def test_newest_of_a_witness_lines_counts(make_signer: MakeSigner):
    """A witness may cosign again; a merged note keeps its newest line alone."""
    note = note_of(make_signer, ("a", "a", 10), ("a", "a", 20))
    assert len(note.signatures) == 2
    assert Quorum((key_of(make_signer("a"), "a"),), needed=1).attest(note).time == 20


@pytest.mark.parametrize(("count", "needed"), [(0, 0), (0, 1), (1, 0), (1, 2), (33, 1)])
def test_numbers_that_make_no_quorum_are_refused(make_signer: MakeSigner, count: int, needed: int):
    keys = tuple(key_of(make_signer(str(number)), str(number)) for number in range(count))
    with pytest.raises(QuorumError):
        Quorum(keys, needed)


def test_logs_key_is_no_witness(make_signer: MakeSigner):
    with pytest.raises(QuorumError):
        Quorum((VerifierKey("log", make_signer("log").public_key),), needed=1)


def test_answer_of_a_witness_is_read_by_its_own_lines_alone(make_signer: MakeSigner):
    note = note_of(make_signer)
    mine, other = (cosign(note, name=name, signer=make_signer(name), time=5) for name in ("a", "b"))
    answer = (other.format() + mine.format()).encode()
    assert read_cosignatures(answer, note, key_of(make_signer("a"), "a")) == (mine,)
    for bad in (b"", other.format().encode(), b"not a line\n", mine.format().encode()[:-1]):
        with pytest.raises(NoteError):
            read_cosignatures(bad, note, key_of(make_signer("a"), "a"))


def test_cosigned_note_is_still_the_logs_checkpoint(make_signer: MakeSigner):
    note = note_of(make_signer, ("a", "a", 10))
    key = VerifierKey(ORIGIN, make_signer("log").public_key)
    assert open_checkpoint(note.format(), origin=ORIGIN, keys=[key]) == HEAD


def test_checkpoint_of_a_log_that_changes_its_key_holds_under_either(make_signer: MakeSigner):
    note = CheckpointSigner(make_signer("new"), key_name=ORIGIN, also=[make_signer("old")]).sign(HEAD)
    for name in ("new", "old"):
        assert open_checkpoint(note, origin=ORIGIN, keys=[VerifierKey(ORIGIN, make_signer(name).public_key)]) == HEAD
    with pytest.raises(NoteError):
        open_checkpoint(note, origin=ORIGIN, keys=[VerifierKey(ORIGIN, make_signer("third").public_key)])


hashes = st.lists(st.binary(min_size=32, max_size=32), max_size=MAX_PROOF).map(tuple)


@given(old=st.integers(0, 2**53 - 1), proof=hashes, checkpoint=st.binary(max_size=300))
def test_submission_goes_there_and_back(old: int, proof: tuple[bytes, ...], checkpoint: bytes):
    asked = AddCheckpoint(old_size=old, proof=proof, checkpoint=checkpoint)
    assert AddCheckpoint.parse(asked.format()) == asked


def test_submission_of_the_specification_is_read():
    """The example of c2sp.org/tlog-witness, its two signatures included."""
    text = (
        "old 20852014\n"
        "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n"
        "jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n"
        "5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n"
        "/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n"
        "\n"
        "example.com/behind-the-sofa\n"
        "20852163\n"
        "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
        "\n"
        "— example.com/behind-the-sofa "
        "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
        "— example.com/behind-the-sofa "
        "opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=\n"
    ).encode()
    asked = AddCheckpoint.parse(text)
    assert (asked.old_size, len(asked.proof)) == (20_852_014, 4)
    assert asked.proof[0] == base64.b64decode("PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=")
    assert Checkpoint.parse(Note.parse(asked.checkpoint).text).size == 20_852_163


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"old 1\n",
        b"old 1\ncheckpoint",
        b"old\n\nc",
        b"old 01\n\nc",
        b"old -1\n\nc",
        b"old +1\n\nc",
        b"old 1 \n\nc",
        b"Old 1\n\nc",
        b"old 9007199254740992\n\nc",
        b"old 99999999999999999999999999\n\nc",
        b"old 1\nAAAA\n\nc",
        b"old 1\n" + b"A" * 42 + b"B=\n\nc",
        b"old 1\n" + b"A" * 43 + b"=\r\n\nc",
        b"old 1\n" + (b"A" * 43 + b"=\n") * 64 + b"\nc",
    ],
)
def test_text_that_is_no_submission_is_refused(text: bytes):
    with pytest.raises(SubmissionError):
        AddCheckpoint.parse(text)


@given(st.integers(0, 2**53 - 1))
def test_size_goes_there_and_back(size: int):
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize("text", [b"", b"1", b"01\n", b"-1\n", b"1\n\n", b" 1\n", b"9007199254740992\n", b"9" * 40])
def test_text_that_is_no_size_is_refused(text: bytes):
    with pytest.raises(SubmissionError):
        parse_size(text)


def test_witness_is_monitored_below_the_origins_hash():
    assert monitoring_path(ORIGIN) == f"/{hashlib.sha256(ORIGIN.encode()).hexdigest()}/checkpoint"
