"""Decks that were given up before they were dealt, dealt from the seeds that are known.

Seeds come from REVEAL, from ABORT, and from people who hold one that the log lacks: it counts if it opens its seat's
commitment, so nobody can make one up afterwards.
"""

from referee.audit.finding import Code, RoundFindings
from referee.audit.reading import Placed
from referee.audit.round_leaves import RoundLeaves
from referee.cards import Seat
from referee.dealing.commitment import client_commitment
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import HeaderError
from referee.dealing.leaf import RevealLeaf


def examine_handed_in(leaves: RoundLeaves, findings: RoundFindings) -> dict[int, bytes]:
    """Check the seeds that people hold; return those that a round given up before its deal lacks, by seat."""
    abort = leaves.abort
    lacking: dict[int, bytes] = {}
    for held in leaves.documents.seeds:
        seed = bytes.fromhex(held.seed)
        fault = _fault(leaves, seat=held.seat, seed=seed)
        if fault is not None:
            findings.add(Code.HELD_SEED_REFUSED, fault, leaf_index=leaves.open.index)
        elif abort is not None and leaves.deal is None and not _given(abort.leaf.client_seeds, held.seat):
            if held.seat not in lacking:
                detail = f"the deck was given up without the seed of seat {held.seat}, which somebody holds"
                findings.add(Code.SEED_HELD, detail, leaf_index=abort.index)
            lacking[held.seat] = seed
    return lacking


def deal_given_up(leaves: RoundLeaves, reveal: Placed[RevealLeaf], handed_in: dict[int, bytes]) -> Deal | None:
    """Deal a deck that was given up before the deal; None if a seed is unknown or the seeds give no deck.

    The revealed seed is known to open the server's commitment.
    """
    header, abort = leaves.header, leaves.abort
    if abort is None or leaves.deal is not None or header.round_id != leaves.round_id:
        return None
    given = {seat: bytes.fromhex(seed) for seat, seed in enumerate(abort.leaf.client_seeds) if seed}
    seeds = handed_in | given
    if sorted(seeds) != list(range(header.seat_count)):
        return None
    if any(_fault(leaves, seat=seat, seed=seed) for seat, seed in given.items() if _is_committed(leaves, seat)):
        return None
    try:
        return Deal.derive(
            header,
            server_seed=bytes.fromhex(reveal.leaf.server_seed),
            client_seeds=[seeds[seat] for seat in range(header.seat_count)],
        )
    except (HeaderError, StreamUsedUpError):
        return None


def _fault(leaves: RoundLeaves, *, seat: int, seed: bytes) -> str | None:
    """Return what is wrong with a seat's seed; None if it opens the seat's commitment."""
    count = leaves.header.seat_count
    if seat >= count:
        return f"a seed was handed in for seat {seat} of a round of {count} seats"
    if not _is_committed(leaves, seat):
        return f"a seed was handed in for seat {seat}, which committed to none"
    found = client_commitment(round_id=leaves.round_id, seat=Seat(seat), seed=seed).hex()
    if found != leaves.open.leaf.client_commitments[seat]:
        return f"a seed handed in for seat {seat} does not open its commitment"
    return None


def _is_committed(leaves: RoundLeaves, seat: int) -> bool:
    commitments = leaves.open.leaf.client_commitments
    return seat < len(commitments) and bool(commitments[seat])


def _given(seeds: tuple[str, ...], seat: int) -> bool:
    return seat < len(seeds) and bool(seeds[seat])
