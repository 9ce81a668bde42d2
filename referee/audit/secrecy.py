"""Secrets in exports: seeds and section keys that open more than the export was made for.

An export must not hold the server's seed unless it holds REVEAL too, nor the key of a section that no certificate in it
opens; nothing but the seed ever opens the stock. Keys must be random, and each opens one section of one round. Secrets
are searched for as bytes, hexadecimal digits in either case and base64, also within nested base64. Before REVEAL a seed
is recognised by its commitment.
"""

import base64
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from referee.audit.deal import is_trivial
from referee.audit.documents import hex_values, layers_of
from referee.audit.finding import Code, RoundFindings
from referee.audit.round_leaves import RoundLeaves
from referee.dealing.certificate import CertificateJson
from referee.dealing.commitment import SEED_SIZE, server_commitment
from referee.dealing.deal import Deal


def examine_opened(
    opened: Sequence[tuple[int, bytes]], findings: RoundFindings, *, stock: int | None, leaf_index: int
) -> None:
    """Check the sections that a certificate opens, each with its key: they may be opened, and the keys hide them."""
    seen: dict[bytes, int] = {}
    for section, key in opened:
        if section == stock:
            detail = f"a certificate opens section {section}, the stock, which is not dealt"
            findings.add(Code.SECRET_EXPOSED, detail, leaf_index=leaf_index)
        if is_trivial(key):
            detail = f"the key of section {section} is hardly random"
            findings.add(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf_index)
        elif seen.setdefault(key, section) != section:
            detail = f"sections {seen[key]} and {section} have the same key"
            findings.add(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf_index)


def examine_exports(leaves: RoundLeaves, again: Deal | None, findings: RoundFindings) -> None:
    """Check that exports of the round hold none of its secrets; ``again`` is the deal if it was dealt again."""
    for number, data in enumerate(leaves.documents.exports):
        layers = layers_of(data)
        if leaves.reveal is not None and leaves.reveal.envelope.payload in layers:
            continue
        for what in _exposed(leaves, again, layers):
            detail = f"export {number} holds {what}"
            findings.add(Code.SECRET_EXPOSED, detail, leaf_index=leaves.open.index)


def _exposed(leaves: RoundLeaves, again: Deal | None, layers: Sequence[bytes]) -> Iterator[str]:
    """Name the secrets that some bytes hold."""
    if _holds_seed(leaves, layers):
        yield "the server's seed"
    if again is None:
        return
    opened = frozenset(index for layer in layers for index in _opened_in(layer, leaves.round_id))
    for section, key in enumerate(again.keys):
        if section not in opened and _is_in(key, layers):
            yield f"the key of section {section}, which nothing in it opens"


def _holds_seed(leaves: RoundLeaves, layers: Sequence[bytes]) -> bool:
    if leaves.reveal is not None:
        return _is_in(bytes.fromhex(leaves.reveal.leaf.server_seed), layers)
    commitment = bytes.fromhex(leaves.open.leaf.server_commitment)
    return any(
        server_commitment(round_id=leaves.round_id, seed=value) == commitment
        for layer in layers
        for value in (*hex_values(layer), *([layer] if len(layer) == SEED_SIZE else []))
    )


def _opened_in(layer: bytes, round_id: bytes) -> tuple[int, ...]:
    """Return the sections that the bytes open, if they are the payload of a certificate of the round."""
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
