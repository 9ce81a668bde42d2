"""Attacks on chance: seeds, commitments, mix and header."""

from collections.abc import Callable

import msgspec

from referee.audit import Code
from referee.cards import Seat
from referee.dealing.commitment import client_commitment, server_commitment
from tests.audit.audit_attack import TABLE, Attacked, attack, begun, ended, log_attack, mutation, with_seeds, written_id
from tests.audit.audit_builder import FAR, LogBuilder, Parts, Table, abort, change_inputs, dealt_from, digest, settle


@attack(
    Code.SERVER_SEED_MISMATCH, "a seed that is not the one committed to lets the operator choose the deck afterwards"
)
def server_seed_swapped(parts: Parts) -> None:
    parts.revealed = msgspec.structs.replace(parts.revealed, server_seed=digest("another").hex())


@attack(Code.COMMITMENT_SWAPPED, "the commitment in OPEN is put in place of the one that was dealt under")
def commitment_swapped(parts: Parts) -> None:
    other = server_commitment(round_id=parts.header.round_id, seed=digest("another"))
    parts.opened = msgspec.structs.replace(parts.opened, server_commitment=other.hex())


@attack(Code.DEAL_BEFORE_OPEN, "cards are dealt before the terms and the commitment are in the log", steps="DOER")
def deal_before_open(_parts: Parts) -> None:
    """Change nothing but the steps."""


@log_attack(Code.OPENED_TWICE, "one slot is opened twice, so that the operator can take the better round")
def opened_twice(log: LogBuilder, parts: Parts) -> None:
    other = log.lay_out(TABLE, round_deadline=parts.header.round_deadline - 1)
    log.entries.append(other.open_leaf)


@mutation(Code.CLIENT_SEED_MISMATCH, "the operator deals with another seed than the seat committed to")
def client_seed_edited() -> Attacked:
    log, parts = begun()
    return ended(log, with_seeds(parts, (digest("another"), parts.client_seeds[1])))


@mutation(Code.CLIENT_SEED_MISMATCH, "two seats' seeds change places, which gives another deck to choose from")
def client_seeds_swapped() -> Attacked:
    log, parts = begun()
    return ended(log, with_seeds(parts, (parts.client_seeds[1], parts.client_seeds[0])))


@attack(Code.CLIENT_SEED_MISMATCH, "a seat's seed is dropped from the deal")
def client_seed_dropped(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, client_seeds=parts.dealt.client_seeds[:1])


@attack(Code.CLIENT_SEED_MISMATCH, "a deal lacks a seat's seed, and its abort has all of them", steps="ODER", now=FAR)
def client_seed_dropped_and_aborted(parts: Parts) -> None:
    abort(parts, stage="DEALT", reason="DEADLINE")
    parts.dealt = msgspec.structs.replace(parts.dealt, client_seeds=parts.dealt.client_seeds[:1])


def committed(seeds: Callable[[Parts], tuple[bytes, ...]]) -> Attacked:
    """Make a log whose last round has these seeds, with valid commitments to them."""
    log, parts = begun()
    other = dealt_from(parts.table, parts.header, server_seed=parts.server_seed, client_seeds=seeds(parts))
    settle(other)
    return ended(log, other)


@mutation(Code.CLIENT_SEED_TRIVIAL, "a seed of zeros adds no randomness, so the level drops")
def client_seed_zero() -> Attacked:
    return committed(lambda parts: (bytes(32), parts.client_seeds[1]))


@mutation(Code.CLIENT_SEED_TRIVIAL, "a counter as a seed can be guessed, so the level drops")
def client_seed_counter() -> Attacked:
    return committed(lambda parts: ((7).to_bytes(32, "big"), parts.client_seeds[1]))


@mutation(Code.CLIENT_SEEDS_EQUAL, "equal seeds were probably chosen by one person, so the level drops")
def client_seeds_equal() -> Attacked:
    return committed(lambda parts: (parts.client_seeds[0], parts.client_seeds[0]))


@mutation(Code.CLIENT_SEED_REPEATED, "a seed used before was known before, so the level drops")
def client_seed_repeated() -> Attacked:
    return committed(lambda parts: (digest("client", TABLE.name, 1, 0), parts.client_seeds[1]))


@mutation(Code.FOREIGN_COMMITMENT, "a commitment made for another round proves nothing in this one")
def commitment_of_another_round() -> Attacked:
    log = LogBuilder.founded()
    first = log.play(TABLE)
    parts = log.prepare(TABLE)
    foreign = client_commitment(round_id=first.header.round_id, seat=Seat(0), seed=parts.client_seeds[0])
    commitments = (foreign.hex(), parts.opened.client_commitments[1])
    parts.opened = msgspec.structs.replace(parts.opened, client_commitments=commitments)
    return ended(log, parts)


@mutation(Code.SERVER_SEED_REPEATED, "a server seed that was revealed before is public")
def server_seed_used_twice() -> Attacked:
    log, parts = begun()
    other = dealt_from(
        TABLE, parts.header, server_seed=digest("server", TABLE.name, 1), client_seeds=parts.client_seeds
    )
    settle(other)
    return ended(log, other)


@attack(Code.NEVER_REVEALED, "without the revealed seed the deck cannot be derived again", steps="ODE", now=FAR)
def never_revealed(_parts: Parts) -> None:
    """Change nothing but the steps."""


@attack(Code.STAKE_MISMATCH, "the stake is named after the cards were seen")
def stake_raised_at_settlement(parts: Parts) -> None:
    inputs = parts.inputs
    raised = msgspec.structs.replace(inputs.header, stake=2 * inputs.header.stake)
    change_inputs(parts, header=raised)
    parts.transcript = parts.transcript.replace(raised.round_id.hex().encode(), written_id(parts))


@attack(
    Code.STAKE_MISMATCH,
    "Trips is bet after the cards were seen",
    on=lambda: begun(Table(name=TABLE.name, ruleset_id="ultimate_texas.casino", seats=2, received=False)),
)
def trips_bet_at_settlement(parts: Parts) -> None:
    raised = msgspec.structs.replace(parts.inputs.header, seat_stakes=((20, 500), *parts.inputs.header.seat_stakes[1:]))
    change_inputs(parts, header=raised)
    parts.transcript = parts.transcript.replace(raised.round_id.hex().encode(), written_id(parts))


@attack(Code.MIX_MISMATCH, "the mix includes a seed that no seat gave")
def mix_over_other_seeds(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, mix=digest("another").hex())


@attack(Code.ROUND_ID_MISMATCH, "the header is edited after its hash was taken")
def header_edited_in_open(parts: Parts) -> None:
    edited = msgspec.structs.replace(parts.opened.header, stake=parts.opened.header.stake * 2)
    parts.opened = msgspec.structs.replace(parts.opened, header=edited)


@attack(Code.HEADER_MISMATCH, "the transcript was settled in another currency than the round was opened in")
def header_edited_in_transcript(parts: Parts) -> None:
    other = msgspec.structs.replace(parts.inputs.header, currency="GOLD")
    change_inputs(parts, header=other)
    parts.transcript = parts.transcript.replace(other.round_id.hex().encode(), written_id(parts))
