"""Every dealing vector, which the second derivation wrote, holds for this project; and they are what it writes."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from referee.cards import Card, Seat
from referee.dealing import certificate, leaf, seal
from referee.dealing.certificate import CertificateError
from referee.dealing.commitment import (
    client_commitment,
    seat_token_hash,
    section_root,
    seed_statement,
)
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError, shuffle
from referee.dealing.header import Header
from referee.dealing.lead import Lead, Winner, dealt_leader, encode_winner
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer, is_signature
from referee.games import LeaderBy
from referee.games.mau_binh import arrangement_commitment
from referee.log.listing import listing_statement
from tests.evidence.envelopes import open_envelope

Vector = dict[str, Any]
Read = Callable[[str], list[Vector]]
ReadHeader = Callable[[Vector], Header]
LEAVES: dict[str, type[Any]] = {
    "open": leaf.OpenLeaf,
    "deal": leaf.DealLeaf,
    "unseal": leaf.UnsealLeaf,
    "abort": leaf.AbortLeaf,
    "reveal": leaf.RevealLeaf,
    "key": leaf.KeyLeaf,
    "start": leaf.StartLeaf,
}


def unhexed(*texts: str) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def test_vectors_are_what_the_second_derivation_writes(rows: ModuleType):
    for topic in rows.TOPICS:
        assert rows.path(topic).read_text(encoding="ascii") == rows.text(topic), topic


def test_every_vector_says_why_and_whence(rows: ModuleType, vectors_of: Read):
    for topic in rows.TOPICS:
        vectors = vectors_of(topic)
        assert len({vector["id"] for vector in vectors}) == len(vectors) > 0
        assert all(vector["why"] and vector["source"] for vector in vectors)


def test_header_vectors(vectors_of: Read, header_from: ReadHeader):
    for vector in vectors_of("headers"):
        assert header_from(vector["header"]).round_id.hex() == vector["round_id"], vector["id"]


def test_deal_vectors(vectors_of: Read, header_from: ReadHeader):
    for vector in vectors_of("deals"):
        header = header_from(vector["header"])
        seeds = unhexed(*vector["client_seeds"])
        deal = Deal.derive(header, server_seed=bytes.fromhex(vector["server_seed"]), client_seeds=seeds)
        assert deal.round_id == header.round_id
        assert deal.commitment.hex() == vector["server_commitment"]
        assert deal.mixed.hex() == vector["mix"]
        assert [card.number for section in deal.sections for card in section] == vector["deck"]
        assert deal.deck_root.hex() == vector["deck_root"]
        for index, (section, cards) in enumerate(zip(vector["sections"], deal.sections, strict=True)):
            assert [card.number for card in cards] == section["cards"]
            assert deal.keys[index].hex() == section["key"]
            assert deal.roots[index].hex() == section["root"]
        leads = vector["header"]["ruleset_id"].startswith("tien_len")
        assert deal.drawn == (vector["drawn"] if leads else None)
        if leads:
            found = {by: dealt_leader(header, deal, by) for by in (LeaderBy.DRAW, LeaderBy.LOWEST_CARD)}
            assert found == {LeaderBy.DRAW: vector["drawn"], LeaderBy.LOWEST_CARD: vector["lowest"]}
        commitments = [
            client_commitment(round_id=deal.round_id, seat=Seat(seat), seed=seed).hex()
            for seat, seed in enumerate(seeds)
        ]
        assert commitments == vector["client_commitments"]


def test_lead_vectors(vectors_of: Read, header_from: ReadHeader):
    for vector in vectors_of("leads"):
        winner = Winner.of_results(header_from(vector["before"]), json.dumps(vector["results"]).encode())
        kept = None if winner is None else Winner.of_bytes(encode_winner(winner))
        assert kept == winner
        seat = None if winner is None else winner.seat_in(header_from(vector["header"]))
        assert seat == vector["seat"], vector["id"]


def test_shuffle_vectors(vectors_of: Read):
    for vector in vectors_of("shuffles"):
        stream = bytes.fromhex(vector["stream"])
        if vector["deck"]:
            assert [card.number for card in shuffle(stream)] == vector["deck"], vector["id"]
        else:
            with pytest.raises(StreamUsedUpError):
                shuffle(stream)


def test_section_vectors(vectors_of: Read):
    vectors = vectors_of("sections")
    assert vectors
    for vector in vectors:
        round_id, key = unhexed(vector["round_id"], vector["key"])
        root = section_root(key=key, round_id=round_id, section=vector["section"], numbers=bytes(vector["cards"]))
        assert root.hex() == vector["root"], vector["id"]


def test_seed_signature_vectors(vectors_of: Read):
    for vector in vectors_of("seed_signatures"):
        round_id, commitment, seed, key, signature = unhexed(
            *(vector[name] for name in ("round_id", "server_commitment", "seed", "public_key", "signature"))
        )
        token_hash = bytes.fromhex(vector["token_hash"])
        statement = seed_statement(
            round_id=round_id, commitment=commitment, seat=Seat(vector["seat"]), token_hash=token_hash, seed=seed
        )
        assert statement.hex() == vector["statement"]
        assert is_signature(signature, statement, key)


def test_list_request_vectors(vectors_of: Read):
    for vector in vectors_of("list_requests"):
        key, signature = unhexed(vector["public_key"], vector["signature"])
        times = {name: vector[name] for name in ("start_time", "end_time", "signed_time")}
        statement = listing_statement(origin=vector["origin"], seat_key=key, **times)
        assert statement.hex() == vector["statement"]
        assert is_signature(signature, statement, key) == vector["holds"]


def test_seat_token_vectors(vectors_of: Read):
    for vector in vectors_of("seat_tokens"):
        round_id, token = unhexed(vector["round_id"], vector["token"])
        assert seat_token_hash(round_id=round_id, seat=Seat(vector["seat"]), token=token).hex() == vector["hash"]


def test_sealed_certificate_vectors(vectors_of: Read, header_from: ReadHeader, second: ModuleType, shuffler: Signer):
    """Each says that its table is sealed, and is what is issued; the member has one spelling."""
    for vector in vectors_of("sealed_certificates"):
        header, data = header_from(vector["header"]), vector["certificate"].encode()
        keys = unhexed(vector["public_key"])
        if vector["fault"]:
            with pytest.raises(CertificateError) as caught:
                certificate.read(data, keys=keys, header=header)
            assert caught.value.fault == vector["fault"], vector["id"]
            continue
        shown = certificate.read(data, keys=keys, header=header)
        assert shown.is_sealed
        cards = {str(index): [card.number for card in section] for index, section in shown.sections.items()}
        assert cards == vector["sections"]
        server, clients = second.seeds_of(vector["id"], vector["header"])
        deal = Deal.derive(header, server_seed=server, client_seeds=clients)
        sections, time = list(map(int, vector["sections"])), second.DEALT_TIME
        issued = certificate.issue(deal, header, sections=sections, dealt_time=time, signer=shuffler, is_sealed=True)
        assert issued == data


def test_certificate_vectors(vectors_of: Read, header_from: ReadHeader):
    faults = set()
    for vector in vectors_of("certificates"):
        header = header_from(vector["header"])
        data = vector["certificate"].encode()
        keys = unhexed(vector["public_key"])
        if vector["fault"]:
            faults.add(vector["fault"])
            with pytest.raises(CertificateError) as caught:
                certificate.read(data, keys=keys, header=header)
            assert caught.value.fault == vector["fault"], vector["id"]
            continue
        shown = certificate.verify(data, keys=keys, header=header, now=header.round_deadline)
        cards = {str(index): [card.number for card in section] for index, section in shown.sections.items()}
        assert cards == vector["sections"]
        assert shown.deck_root.hex() == vector["deck_root"]
        assert shown.dealt_time == vector["dealt_time"]
    assert faults == set(certificate.CertificateFault) - {"EXPIRED"}


def test_issued_certificates_are_those_of_the_vectors(
    vectors_of: Read, header_from: ReadHeader, second: ModuleType, shuffler: Signer
):
    """Ed25519 signatures are a function of key and message, so the bytes are equal."""
    for vector in vectors_of("certificates"):
        if vector["fault"]:
            continue
        header = header_from(vector["header"])
        name = next(name for name, (_, terms) in second.HEADERS.items() if terms == vector["header"])
        server, clients = second.seeds_of(name, vector["header"])
        deal = Deal.derive(header, server_seed=server, client_seeds=clients)
        issued = certificate.issue(
            deal,
            header,
            sections=map(int, vector["sections"]),
            dealt_time=second.DEALT_TIME,
            signer=shuffler,
            lead=None if "leader" not in vector else Lead(vector["leader"], LeaderBy(vector["leader_by"])),
            unsealed_times={int(section): time for section, time in vector.get("unsealed", {}).items()},
        )
        assert issued.decode() == vector["certificate"]


def test_sealed_seed_vectors(vectors_of: Read):
    for vector in vectors_of("sealed_seeds"):
        seed, key, round_id, commitment, nonce, sealed = unhexed(
            *(vector[name] for name in vector if name not in {"id", "why", "source"})
        )
        context = {"sealing_key": key, "round_id": round_id, "commitment": commitment}
        assert seal.seal(seed, **context, nonce=nonce) == sealed
        assert seal.unseal(sealed, **context) == seed


def test_second_derivation_has_the_published_hchacha20(second: ModuleType):
    """draft-irtf-cfrg-xchacha-03, section 2.2.1."""
    nonce = bytes.fromhex("000000090000004a0000000031415927")
    expected = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"
    assert second.hchacha20(bytes(range(32)), nonce).hex() == expected


def test_arrangement_vectors(vectors_of: Read):
    for vector in vectors_of("arrangements"):
        commitment = arrangement_commitment(
            round_id=bytes.fromhex(vector["round_id"]),
            seat=Seat(vector["seat"]),
            cards=[Card(number) for number in vector["cards"]],
            nonce=bytes.fromhex(vector["nonce"]),
        )
        assert commitment.hex() == vector["commitment"]


@pytest.mark.parametrize("topic", ["leaves", "seat_leaves"])
def test_leaf_vectors(topic: str, vectors_of: Read, shuffler: Signer):
    for vector in vectors_of(topic):
        kind = LEAVES[vector["kind"]]
        payload = vector["payload"].encode()
        read = leaf.parse(payload, kind)
        assert leaf.encode(read) == payload
        if vector["public_key"]:
            opened = open_envelope(
                vector["envelope"].encode(),
                payload_type=leaf.TYPES[kind],
                public_key=bytes.fromhex(vector["public_key"]),
            )
            assert opened == payload
            written = Envelope.signed(leaf.TYPES[kind], payload, shuffler)
        else:
            written = Envelope(leaf.TYPES[kind], payload)
        assert written.to_bytes().decode() == vector["envelope"]
