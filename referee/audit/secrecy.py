"""Secrets in exports: seeds and section keys that open more than the export was made for.

An export must not hold the server's seed unless it holds REVEAL too, nor the key of a section that no certificate in it
opens; nothing but the seed ever opens the stock. Keys must be random, and each opens one section of one round. Secrets
are searched for as bytes, hexadecimal digits in either case and base64, also within nested base64. Before REVEAL a seed
is recognised by its commitment.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from referee.audit.docket import Docket
from referee.audit.finding import Code
from referee.audit.gathered import GatheredRound
from referee.audit.level import is_trivial
from referee.dealing.certificate import CertificateJson
from referee.dealing.commitment import SEED_SIZE, server_commitment
from referee.dealing.deal import Deal

_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{64}")
_DEPTH: Final = 4
"""Base64 within base64 that is looked into."""


def layers_of(data: bytes) -> tuple[bytes, ...]:
    """The bytes, and all that base64 in them spells, and in that."""
    layers, fresh = [data], [data]
    for _ in range(_DEPTH):
        fresh = [inner for layer in fresh for inner in _decoded(layer)]
        layers += fresh
    return tuple(layers)


def round_ids_in(data: bytes) -> frozenset[bytes]:
    """Everything in the bytes that could be a round's id, spelled in lowercase hexadecimal digits."""
    return frozenset(value for layer in layers_of(data) for value in _values(layer))


def examine_opened(opened: Sequence[tuple[int, bytes]], docket: Docket, *, stock: int | None, leaf_index: int) -> None:
    """The sections that a certificate opens, each with its key, are some that may be opened, by keys that hide them."""
    seen: dict[bytes, int] = {}
    for section, key in opened:
        if section == stock:
            detail = f"a certificate opens section {section}, the stock, which nobody is dealt"
            docket.add(Code.SECRET_EXPOSED, detail, leaf_index=leaf_index)
        if is_trivial(key):
            detail = f"the key of section {section} was hardly drawn at random"
            docket.add(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf_index)
        elif seen.setdefault(key, section) != section:
            detail = f"sections {seen[key]} and {section} have the same key"
            docket.add(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf_index)


def examine_exports(gathered: GatheredRound, again: Deal | None, docket: Docket) -> None:
    """What was handed out of the round holds none of its secrets; ``again`` is the deal where it was dealt again."""
    for number, data in enumerate(gathered.exhibits.exports):
        layers = layers_of(data)
        if gathered.reveal is not None and gathered.reveal.envelope.payload in layers:
            continue
        for what in _exposed(gathered, again, layers):
            detail = f"what was handed out as {number} holds {what}"
            docket.add(Code.SECRET_EXPOSED, detail, leaf_index=gathered.open.index)


def _exposed(gathered: GatheredRound, again: Deal | None, layers: Sequence[bytes]) -> Iterator[str]:
    """Name the secrets that some bytes hold."""
    if _holds_seed(gathered, layers):
        yield "the server's seed"
    if again is None:
        return
    opened = frozenset(index for layer in layers for index in _opened_in(layer, gathered.round_id))
    for section, key in enumerate(again.keys):
        if section not in opened and _is_in(key, layers):
            yield f"the key of section {section}, which nothing in it opens"


def _holds_seed(gathered: GatheredRound, layers: Sequence[bytes]) -> bool:
    if gathered.reveal is not None:
        return _is_in(bytes.fromhex(gathered.reveal.leaf.server_seed), layers)
    commitment = bytes.fromhex(gathered.open.leaf.server_commitment)
    return any(
        server_commitment(round_id=gathered.round_id, seed=value) == commitment
        for layer in layers
        for value in (*_values(layer), *([layer] if len(layer) == SEED_SIZE else []))
    )


def _opened_in(layer: bytes, round_id: bytes) -> tuple[int, ...]:
    """The sections that a certificate of the round opens, where the bytes are one's payload."""
    try:
        certificate = msgspec.json.decode(layer, type=CertificateJson)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
    return tuple([one.index for one in certificate.sections]) if certificate.round_id == round_id.hex() else ()


def _is_in(secret: bytes, layers: Iterable[bytes]) -> bool:
    digits = secret.hex().encode()
    texts = (base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"="))
    spellings = (secret, digits, digits.upper(), *texts)
    return any(spelled in layer for layer in layers for spelled in spellings)


def _values(layer: bytes) -> Iterator[bytes]:
    """All 64 hexadecimal digits in a row, as bytes, wherever a row begins."""
    return (bytes.fromhex(match.group().decode()) for match in _HEX.finditer(layer))


def _decoded(layer: bytes) -> Iterator[bytes]:
    """What base64 in the bytes spells, wherever in a row of its characters it begins."""
    for match in _BASE64.finditer(layer):
        for start in range(4):
            text = match.group()[start:].rstrip(b"=")
            try:
                yield binascii.a2b_base64(text + b"=" * (-len(text) % 4))
            except binascii.Error:
                continue
