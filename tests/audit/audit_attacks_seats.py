"""Attacks on what seats hold themselves: signatures of seeds, sealed hands, and rounds claimed to be void."""

from dataclasses import replace
from functools import partial

import msgspec

from referee.audit import Code
from referee.cards import Seat
from referee.dealing.commitment import seed_statement
from tests.audit import audit_attack
from tests.audit.audit_attack import TABLE, Attacked, begun, changed, ended, revised
from tests.audit.audit_builder import LogBuilder, Parts, Table, abort, digest

attack = partial(audit_attack.attack, file="seats.jsonl")
mutation = partial(audit_attack.mutation, file="seats.jsonl")
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


@attack(
    Code.SEED_SIGNATURE_FORGED, "the seats' signatures change places, as if each had given the other's seed", on=KEYED
)
def seed_signatures_swapped(parts: Parts) -> None:
    with_signatures(parts, signed(parts, 1), signed(parts, 0))


@attack(Code.SEED_SIGNATURE_FORGED, "a signature that was given before the server was bound to its seed", on=KEYED)
def seed_signed_before_open(parts: Parts) -> None:
    with_signatures(parts, signed(parts, 0, commitment=bytes(32)), signed(parts, 1))


@attack(Code.SEED_SIGNATURE_FORGED, "a signature of another seed, kept from another round", on=KEYED)
def seed_signature_kept_from_another_round(parts: Parts) -> None:
    with_signatures(parts, signed(parts, 0), signed(parts, 1, round_id=digest("another")))


@attack(Code.SEED_SIGNATURE_FORGED, "a seed of a seat without a key has a signature, which proves nothing", on=TABLE)
def seed_signed_without_a_key(parts: Parts) -> None:
    with_signatures(parts, signed(parts, 0), "")


@mutation(
    Code.CLIENT_SEED_UNSIGNED,
    "seats with keys did not sign their seeds, so the operator may have chosen them",
)
def seeds_unsigned() -> Attacked:
    return ended(*begun(replace(KEYED, signs_seeds=False)))


@attack(Code.CLIENT_SEED_UNSIGNED, "one seat with a key did not sign its seed", on=KEYED)
def one_seed_unsigned(parts: Parts) -> None:
    with_signatures(parts, signed(parts, 0), "")


@attack(Code.SEAL_BROKEN, "a round that was opened as sealed is played and settled as an open one", on=KEYED)
def sealed_round_played_openly(parts: Parts) -> None:
    sealed = LogBuilder.of(SEALED)
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


@attack(Code.SEAL_BROKEN, "an arrangement is accepted from a seat that did not commit to one", on=SEALED)
def arranged_without_a_commitment(parts: Parts) -> None:
    (opening,) = parts.inputs.unsealed
    parts.opens = {1: parts.opens[2]}
    left = [changed(event, seen=number) for number, event in enumerate(parts.inputs.events[1:])]
    revised(parts, tuple(left), unsealed=(msgspec.structs.replace(opening, number=1),))


@attack(Code.SEAL_BROKEN, "a seat opens another arrangement than it committed to", on=SEALED)
def another_arrangement_opened(parts: Parts) -> None:
    *events, last = parts.inputs.events
    front = msgspec.json.decode(last.event)["front"]
    revised(parts, (*events, changed(last, front=front[::-1])))


@attack(Code.ABORT_MISMATCH, "the shuffler claims that a deck it dislikes cannot be drawn", on=TABLE, steps="OER")
def void_round_that_gives_a_deck(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="VOID", time=parts.header.deal_deadline - 1)
    assert parts.aborted is not None
    parts.aborted = msgspec.structs.replace(parts.aborted, client_seeds=parts.dealt.client_seeds)


@attack(Code.ABORT_MISMATCH, "a round is declared void without the seeds that would prove it", on=TABLE, steps="OER")
def void_round_without_its_seeds(parts: Parts) -> None:
    abort(parts, stage="OPENED", reason="VOID", time=parts.header.deal_deadline - 1)
