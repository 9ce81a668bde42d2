"""Secrets in what was handed out: seeds, section keys and salts that open more than they were given for.

The law: while a round is played, whoever is handed a certificate, a bundle or a proof may learn the cards it opens and
nothing that leads to others. So it must not hold the server's seed unless it holds REVEAL too; nor the key of a section
that no certificate in it opens; nor the salt of a card whose section is not open in it and that was not played. Nothing
ever opens the stock but the seed. Keys must be random, and open one section of one round. Secrets are looked for as
bytes, as hexadecimal digits in either case and as base64, in the text and in whatever base64 stands in it.

It refuses to know who was handed what, and when; before REVEAL it recognises a seed by what it commits to.
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
from referee.dealing.section import card_salts

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
            docket.add(Code.SALTS_WEAK, detail, leaf_index=leaf_index)
        elif seen.setdefault(key, section) != section:
            detail = f"sections {seen[key]} and {section} have the same key"
            docket.add(Code.SALTS_WEAK, detail, leaf_index=leaf_index)


def examine_exports(gathered: GatheredRound, again: Deal | None, docket: Docket) -> None:
    """What was handed out of the round holds none of its secrets; ``again`` is the deal where it was dealt again."""
    played = _played(gathered)
    for number, data in enumerate(gathered.exhibits.exports):
        layers = layers_of(data)
        if gathered.reveal is not None and gathered.reveal.envelope.payload in layers:
            continue
        for what in _exposed(gathered, again, layers, played=played):
            detail = f"what was handed out as {number} holds {what}"
            docket.add(Code.SECRET_EXPOSED, detail, leaf_index=gathered.open.index)


def _exposed(
    gathered: GatheredRound, again: Deal | None, layers: Sequence[bytes], *, played: frozenset[int]
) -> Iterator[str]:
    """The secrets that stand in some bytes."""
    if _holds_seed(gathered, layers):
        yield "the server's seed"
    if again is None:
        return
    opened = frozenset(index for layer in layers for index in _opened_in(layer, gathered.round_id))
    for section, (key, cards) in enumerate(zip(again.keys, again.sections, strict=True)):
        if section in opened:
            continue
        if _is_in(key, layers):
            yield f"the key of section {section}, which nothing in it opens"
        salts = card_salts(key=key, round_id=again.round_id, section=section, size=len(cards))
        places = [
            place
            for place, (card, salt) in enumerate(zip(cards, salts, strict=True))
            if card.number not in played and _is_in(salt, layers)
        ]
        if places:
            yield f"the salts of cards {places} of section {section}, which were not played"


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


class _Cards(msgspec.Struct, frozen=True):
    cards: tuple[int, ...] = ()


def _played(gathered: GatheredRound) -> frozenset[int]:
    """The numbers of the cards that the events of the settlement name."""
    events = () if gathered.settle is None else gathered.settle.leaf.told.events
    numbers: set[int] = set()
    for event in events:
        try:
            numbers.update(msgspec.json.decode(event.event, type=_Cards).cards)
        except (msgspec.DecodeError, RecursionError):
            continue
    return frozenset(numbers)


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
