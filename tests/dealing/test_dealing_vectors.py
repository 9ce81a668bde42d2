"""Every dealing vector, which the second derivation wrote, holds for this project; and they are what it writes."""

import json
from typing import Any

import pytest

from referee.cards import Seat
from referee.dealing import certificate, leaf, seal
from referee.dealing.certificate import CertificateError
from referee.dealing.commitment import client_commitment
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError, shuffle
from referee.dealing.lead import Winner, dealt_leader, encode_winner
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer, is_signature
from referee.games import LeaderBy
from referee.log.listing_statement import listing_statement
from tests.dealing.derived import header_from
from tests.evidence.envelopes import open_envelope
from tests.vectors.dealing import dealing_derivation as second
from tests.vectors.reading import read

Vector = dict[str, Any]
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


def deal_of(terms: Vector) -> Deal:
    """Deal the round of a header with the seeds of its vector."""
    vector = next(vector for vector in read("dealing/deals") if vector["header"] == terms)
    server, *clients = unhexed(vector["server_seed"], *vector["client_seeds"])
    return Deal.derive(header_from(terms), server_seed=server, client_seeds=clients)


def test_header_vectors():
    for vector in read("dealing/headers"):
        assert header_from(vector["header"]).round_id.hex() == vector["round_id"], vector["id"]


def test_deal_vectors():
    for vector in read("dealing/deals"):
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


def test_lead_vectors():
    for vector in read("dealing/leads"):
        winner = Winner.of_results(header_from(vector["before"]), json.dumps(vector["results"]).encode())
        kept = None if winner is None else Winner.of_bytes(encode_winner(winner))
        assert kept == winner
        seat = None if winner is None else winner.seat_in(header_from(vector["header"]))
        assert seat == vector["seat"], vector["id"]


def test_shuffle_vectors():
    for vector in read("dealing/shuffles"):
        stream = bytes.fromhex(vector["stream"])
        if vector["deck"]:
            assert [card.number for card in shuffle(stream)] == vector["deck"], vector["id"]
        else:
            with pytest.raises(StreamUsedUpError):
                shuffle(stream)


def test_list_request_vectors():
    for vector in read("dealing/list_requests"):
        key, signature = unhexed(vector["public_key"], vector["signature"])
        times = {name: vector[name] for name in ("start_time", "end_time", "signed_time")}
        statement = listing_statement(origin=vector["origin"], seat_key=key, **times)
        assert statement.hex() == vector["statement"]
        assert is_signature(signature, statement, key) == vector["holds"]


def test_sealed_certificate_vectors(shuffler: Signer):
    """Each says that its table is sealed, and is what is issued; the member has one spelling."""
    for vector in read("dealing/sealed_certificates"):
        header, data = header_from(vector["header"]), vector["certificate"].encode()
        keys = unhexed(vector["public_key"])
        if vector["fault"]:
            with pytest.raises(CertificateError) as caught:
                certificate.read(data, keys=keys, header=header)
            assert caught.value.fault == vector["fault"], vector["id"]
            continue
        shown = certificate.read(data, keys=keys, header=header)
        assert shown.is_sealed
        cards = {str(index): [card.number for card in section] for index, section in shown.cards.items()}
        assert cards == vector["sections"]
        sections, time, deal = list(map(int, vector["sections"])), vector["dealt_time"], deal_of(vector["header"])
        issued = certificate.issue(deal, header, sections=sections, dealt_time=time, signer=shuffler, is_sealed=True)
        assert issued == data


def test_certificate_vectors():
    faults = set()
    for vector in read("dealing/certificates"):
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
        cards = {str(index): [card.number for card in section] for index, section in shown.cards.items()}
        assert cards == vector["sections"]
        assert shown.deck_root == vector["deck_root"]
        assert shown.dealt_time == vector["dealt_time"]
    assert faults == set(certificate.CertificateFault) - {"EXPIRED"}


def test_issued_certificates_are_those_of_the_vectors(shuffler: Signer):
    """Ed25519 signatures are a function of key and message, so the bytes are equal."""
    for vector in read("dealing/certificates"):
        if vector["fault"]:
            continue
        header = header_from(vector["header"])
        issued = certificate.issue(
            deal_of(vector["header"]),
            header,
            sections=map(int, vector["sections"]),
            dealt_time=vector["dealt_time"],
            signer=shuffler,
            lead=None if "leader" not in vector else (vector["leader"], LeaderBy(vector["leader_by"])),
            unsealed_times={int(section): time for section, time in vector.get("unsealed", {}).items()},
        )
        assert issued.decode() == vector["certificate"]


def test_sealed_seed_vectors():
    for vector in read("dealing/sealed_seeds"):
        seed, key, round_id, commitment, nonce, sealed = unhexed(
            *(vector[name] for name in vector if name not in {"id", "why", "source"})
        )
        context = {"sealing_key": key, "round_id": round_id, "commitment": commitment}
        assert seal.encrypt_seed(seed, **context, nonce=nonce) == sealed
        assert seal.decrypt_seed(sealed, **context) == seed


def test_second_derivation_has_the_published_hchacha20():
    """draft-irtf-cfrg-xchacha-03, section 2.2.1."""
    nonce = bytes.fromhex("000000090000004a0000000031415927")
    expected = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"
    assert second.hchacha20(bytes(range(32)), nonce).hex() == expected


@pytest.mark.parametrize("topic", ["leaves", "seat_leaves"])
def test_leaf_vectors(topic: str, shuffler: Signer):
    for vector in read(f"dealing/{topic}"):
        kind = LEAVES[vector["kind"]]
        payload = vector["payload"].encode()
        parsed = leaf.parse(payload, kind)
        assert leaf.encode(parsed) == payload
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
