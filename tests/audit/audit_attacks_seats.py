"""Attacks on what seats hold themselves: signatures of seeds, sealed hands, and rounds claimed to be void."""

from dataclasses import replace

import msgspec

from referee.audit import Code
from referee.cards import Seat
from referee.dealing.commitment import seed_statement
from tests.audit.audit_attack import TABLE, Attacked, begun, changed, ended, mutation, revised
from tests.audit.audit_builder import LogBuilder, Parts, Table, abort, digest

FILE = "seats.jsonl"
KEYED = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2, keyed=True)
SEALED = replace(KEYED, sealed=True)


def signed(parts: Parts, seat: int, **changes: object) -> str:
    """Sign the statement of a seat's seed with its own key, with some members changed."""
    changed = {
        "round_id": parts.header.round_id,
        "commitment": bytes.fromhex(parts.opened.server_commitment),
        "seat": Seat(seat),
        "token_hash": parts.opened.token_hash(seat),
        "seed": parts.client_seeds[seat],
    }
    return parts.table.seat_key(seat).sign(seed_statement(**changed | changes)).hex()  # type: ignore[arg-type] # as in the statement


def with_signatures(parts: Parts, *signatures: str) -> None:
    """Put these signatures into the deal."""
    parts.dealt = msgspec.structs.replace(parts.dealt, seed_signatures=signatures)


@mutation(
    Code.SEED_SIGNATURE_FORGED, "the seats' signatures change places, as if each had given the other's seed", FILE
)
def seed_signatures_swapped() -> Attacked:
    log, parts = begun(KEYED)
    with_signatures(parts, signed(parts, 1), signed(parts, 0))
    return ended(log, parts)


@mutation(Code.SEED_SIGNATURE_FORGED, "a signature that was given before the server was bound to its seed", FILE)
def seed_signed_before_open() -> Attacked:
    log, parts = begun(KEYED)
    with_signatures(parts, signed(parts, 0, commitment=bytes(32)), signed(parts, 1))
    return ended(log, parts)


@mutation(Code.SEED_SIGNATURE_FORGED, "a signature of another seed, kept from another round", FILE)
def seed_signature_kept_from_another_round() -> Attacked:
    log, parts = begun(KEYED)
    with_signatures(parts, signed(parts, 0), signed(parts, 1, round_id=digest("another")))
    return ended(log, parts)


@mutation(Code.SEED_SIGNATURE_FORGED, "a seed of a seat without a key has a signature, which proves nothing", FILE)
def seed_signed_without_a_key() -> Attacked:
    log, parts = begun(TABLE)
    with_signatures(parts, signed(parts, 0), "")
    return ended(log, parts)


@mutation(
    Code.CLIENT_SEED_UNSIGNED, "seats with keys did not sign their seeds, so the operator may have chosen them", FILE
)
def seeds_unsigned() -> Attacked:
    return ended(*begun(replace(KEYED, signs_seeds=False)))


@mutation(Code.CLIENT_SEED_UNSIGNED, "one seat with a key did not sign its seed", FILE)
def one_seed_unsigned() -> Attacked:
    log, parts = begun(KEYED)
    with_signatures(parts, signed(parts, 0), "")
    return ended(log, parts)


@mutation(Code.SEAL_BROKEN, "a round that was opened as sealed is played and settled as an open one", FILE)
def sealed_round_played_openly() -> Attacked:
    log, parts = begun(KEYED)
    sealed = LogBuilder.founded()
    sealed.play(SEALED)
    parts.opened = msgspec.structs.replace(
        sealed.lay_out(SEALED).opened,
        header=parts.opened.header,
        round_id=parts.opened.round_id,
        opened_time=parts.opened.opened_time,
        server_commitment=parts.opened.server_commitment,
        client_commitments=parts.opened.client_commitments,
    )
    with_signatures(parts, signed(parts, 0), signed(parts, 1))
    parts.dealt = msgspec.structs.replace(parts.dealt, opened_sections=())
    return ended(log, parts)


@mutation(Code.SEAL_BROKEN, "an arrangement is accepted from a seat that did not commit to one", FILE)
def arranged_without_a_commitment() -> Attacked:
    log, parts = begun(SEALED)
    assert parts.inputs is not None
    (opening,) = parts.inputs.unsealed
    parts.opens = {1: parts.opens[2]}
    left = [changed(event, seen=number) for number, event in enumerate(parts.inputs.events[1:])]
    revised(parts, tuple(left), unsealed=(msgspec.structs.replace(opening, number=1),))
    return ended(log, parts)


@mutation(Code.SEAL_BROKEN, "a seat opens another arrangement than it committed to", FILE)
def another_arrangement_opened() -> Attacked:
    log, parts = begun(SEALED)
    assert parts.inputs is not None
    *events, last = parts.inputs.events
    front = msgspec.json.decode(last.event)["front"]
    revised(parts, (*events, changed(last, front=front[::-1])))
    return ended(log, parts)


@mutation(Code.ABORT_MISMATCH, "the shuffler claims that a deck it dislikes cannot be drawn", FILE)
def void_round_that_gives_a_deck() -> Attacked:
    log, parts = begun(TABLE)
    abort(parts, stage="OPENED", reason="VOID", time=parts.header.deal_deadline - 1)
    assert parts.aborted is not None
    parts.aborted = msgspec.structs.replace(parts.aborted, client_seeds=parts.dealt.client_seeds)
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.ABORT_MISMATCH, "a round is declared void without the seeds that would prove it", FILE)
def void_round_without_its_seeds() -> Attacked:
    log, parts = begun(TABLE)
    abort(parts, stage="OPENED", reason="VOID", time=parts.header.deal_deadline - 1)
    log.append(parts, steps="OER")
    return ended(log)
