"""Attacks on signatures: roles, types, texts and keys."""

import base64
import hashlib

import msgspec

from referee.audit import Code
from referee.dealing import leaf as leaves
from referee.evidence.dsse import Envelope
from tests.audit.audit_attack import GROUP_ORDER, TABLE, Attacked, attack, begun, certified, ended, log_attack, mutation
from tests.audit.audit_builder import (
    LOG,
    REFEREE,
    ROOT,
    SHUFFLER,
    STRANGER,
    LogBuilder,
    NamedSigner,
    Parts,
    key_leaf,
    plain,
    sign,
)

FOUNDERS = ((LOG, "log"), (SHUFFLER, "shuffler"), (REFEREE, "referee"))


@attack(Code.WRONG_ROLE, "the shuffler signs a settlement")
def settled_by_the_shuffler(parts: Parts) -> None:
    parts.judge = SHUFFLER


@attack(Code.WRONG_ROLE, "the referee signs a deal")
def dealt_by_the_referee(parts: Parts) -> None:
    parts.dealer = REFEREE


@attack(Code.SIGNATURE_FORGED, "a stranger signs a settlement")
def settled_by_a_stranger(parts: Parts) -> None:
    parts.judge = STRANGER


@log_attack(Code.KEY_NOT_VALID, "a revoked key signs on")
def settled_with_a_revoked_key(log: LogBuilder, _parts: Parts) -> None:
    log.entries += [key_leaf(REFEREE, "referee", action="REVOKE"), key_leaf(NamedSigner("referee/2"), "referee")]


@mutation(Code.ROOT_KEY_MISMATCH, "another root named all keys of the log, so the root key is not the log's")
def founded_by_another_root() -> Attacked:
    log = LogBuilder([key_leaf(key, role, by=STRANGER) for key, role in FOUNDERS])
    log.play(TABLE)
    return ended(log)


@log_attack(Code.SIGNATURE_FORGED, "a key is added that the root never named")
def key_added_by_a_stranger(log: LogBuilder, _parts: Parts) -> None:
    log.entries.append(key_leaf(STRANGER, "referee", by=STRANGER))


@log_attack(Code.TYPE_CONFUSION, "a deal is signed as an opening", steps="")
def deal_signed_as_open(log: LogBuilder, parts: Parts) -> None:
    log.entries += [parts.open_leaf, sign(leaves.OPEN_TYPE, plain(parts.dealt), SHUFFLER)]


@log_attack(Code.TYPE_CONFUSION, "a certificate is appended to the log as a leaf", steps="")
def certificate_as_a_leaf(log: LogBuilder, parts: Parts) -> None:
    log.append(parts)
    log.entries.append(certified(parts))


@log_attack(Code.NOT_CANONICAL, "white space in a payload gives one meaning two texts", steps="")
def payload_with_white_space(log: LogBuilder, parts: Parts) -> None:
    log.entries += [parts.open_leaf, sign(leaves.DEAL_TYPE, plain(parts.dealt).replace(b",", b", ", 1), SHUFFLER)]


@attack(Code.NOT_CANONICAL, "a transcript is written with its members in another order")
def transcript_out_of_order(parts: Parts) -> None:
    whole = msgspec.json.decode(parts.transcript)
    parts.transcript = msgspec.json.encode({name: whole[name] for name in sorted(whole, reverse=True)})


@attack(Code.NOT_CANONICAL, "upper-case digits give one hash two texts")
def hash_in_capitals(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, mix=parts.dealt.mix.upper())


@log_attack(Code.NOT_CANONICAL, "white space in an envelope gives one leaf two hashes", steps="")
def envelope_with_white_space(log: LogBuilder, parts: Parts) -> None:
    log.entries += [parts.open_leaf, parts.deal_leaf.replace(b",", b", ", 1)]


@log_attack(Code.SIGNATURE_MALFORMED, "adding the group order to S gives a second signature of one message", steps="")
def signature_with_s_too_large(log: LogBuilder, parts: Parts) -> None:
    envelope = Envelope.parse(parts.ended)
    signature = envelope.signature or b""
    larger = int.from_bytes(signature[32:], "little") + GROUP_ORDER
    forged = msgspec.structs.replace(envelope, signature=signature[:32] + larger.to_bytes(32, "little"))
    log.entries += [parts.open_leaf, parts.deal_leaf, forged.to_bytes(), parts.reveal_leaf]


@log_attack(Code.SIGNATURE_MALFORMED, "a signature of another length", steps="")
def signature_too_short(log: LogBuilder, parts: Parts) -> None:
    log.entries += [parts.open_leaf, parts.deal_leaf.replace(b'=="}]}', b'"}]}')]


@mutation(Code.UNSOUND_KEY, "a key of small order verifies forged signatures")
def small_order_key_added() -> Attacked:
    log, parts = begun()
    material = b"\x01" + b"\x01" + bytes(31)
    return ended_with_key(log, parts, material)


@mutation(Code.UNSOUND_KEY, "a key that is not the canonical encoding of its point has a second name")
def non_canonical_key_added() -> Attacked:
    log, parts = begun()
    return ended_with_key(log, parts, b"\x01" + (2**255 - 19 + 1).to_bytes(32, "little"))


def ended_with_key(log: LogBuilder, parts: Parts, material: bytes) -> Attacked:
    """Add a referee's key to the log, in verifier key text that no library would write."""
    name = "weak"
    hint = hashlib.sha256(name.encode() + b"\n" + material).hexdigest()[:8]
    text = f"{name}+{hint}+{base64.b64encode(material).decode()}"
    payload = msgspec.json.encode({"action": "ADD", "key": text, "role": "referee"}, order="sorted")
    log.entries.append(sign(leaves.KEY_TYPE, payload, ROOT))
    return ended(log, parts)


@log_attack(Code.KEY_REUSED, "one key in two roles lets the shuffler settle")
def key_in_two_roles(log: LogBuilder, _parts: Parts) -> None:
    log.entries.append(key_leaf(SHUFFLER, "referee"))


@log_attack(Code.KEY_NOT_VALID, "a key is revoked that the role never had")
def revoked_without_being_added(log: LogBuilder, _parts: Parts) -> None:
    log.entries.append(key_leaf(STRANGER, "referee", action="REVOKE"))


@mutation(Code.LOG_KEY_UNREGISTERED, "the checkpoint is signed by a key that the root did not name for the log")
def log_key_never_named() -> Attacked:
    log = LogBuilder([key_leaf(STRANGER, "log"), key_leaf(SHUFFLER, "shuffler"), key_leaf(REFEREE, "referee")])
    log.play(TABLE)
    return ended(log)


@log_attack(Code.UNSOUND_KEY, "a seat's key has small order, so anyone could sign for the seat", steps="")
def small_order_seat_key(log: LogBuilder, parts: Parts) -> None:
    weak = msgspec.structs.replace(parts.opened.header, seat_keys_hex=("01" + "00" * 31, "00" * 32))
    log.entries.append(sign(leaves.OPEN_TYPE, plain(msgspec.structs.replace(parts.opened, header=weak)), SHUFFLER))
