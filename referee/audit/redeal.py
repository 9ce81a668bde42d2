"""Check of a REVEAL leaf: ``redeal(OPEN, DEAL, REVEAL)`` gives the cards of the settlement.

If the seed does not open the server's commitment, the cards are not compared. If the deck root is not the one that the
seeds give, the most specific explanation is reported: an unopened section whose root in a certificate differs, or a
deck that was committed to but not dealt as the protocol deals it.

A deck that was given up before the deal is dealt here if all its seeds are known: from REVEAL, from ABORT, or from
people who hold a seed that the log lacks. A seed of theirs counts only if it opens its seat's commitment, so nobody can
make one up afterwards.
"""

from collections.abc import Sequence

from referee.audit.reading import Placed
from referee.audit.round_leaves import RoundLeaves
from referee.cards import Seat
from referee.dealing.commitment import client_commitment, deck_root, section_root, server_commitment
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import HeaderError
from referee.dealing.leaf import DealLeaf, RevealLeaf
from referee.finding import Code, Difference, RoundFindings, shown


def opens_commitment(leaves: RoundLeaves, reveal: Placed[RevealLeaf], findings: RoundFindings) -> bool:
    """Return whether the revealed seed opens the commitment in OPEN; add a finding if it does not."""
    seed = bytes.fromhex(reveal.leaf.server_seed)
    found = server_commitment(round_id=leaves.round_id, seed=seed).hex()
    claimed = leaves.open.leaf.server_commitment
    if found == claimed:
        return True
    if not findings.has(Code.COMMITMENT_SWAPPED):
        findings.add(
            Code.SERVER_SEED_MISMATCH,
            "the revealed seed does not open the server's commitment",
            reveal.index,
            difference=Difference("server_commitment", claimed, found),
        )
    return False


def examine_cards(  # noqa: PLR0913 - all that the cards follow from
    leaves: RoundLeaves,
    deal: Placed[DealLeaf],
    reveal: Placed[RevealLeaf],
    findings: RoundFindings,
    *,
    sections: Sequence[Sequence[int]],
    roots: Sequence[bytes],
) -> Deal | None:
    """Deal the cards again and compare the settlement with them.

    Return the new deal if its deck root is the one in DEAL, even if the settlement's cards differ; else None.

    The caller must have checked that the revealed seed opens the commitment, and that the mix follows from the round's
    commitment and seeds. ``sections`` are the card numbers of the settlement, from section 0 on. ``roots`` are the
    section roots in certificates. Both are empty if there are none.
    """
    try:
        again = Deal.from_mix(
            leaves.header,
            server_seed=bytes.fromhex(reveal.leaf.server_seed),
            commitment=bytes.fromhex(leaves.open.leaf.server_commitment),
            mixed=bytes.fromhex(deal.leaf.mix),
        )
    except StreamUsedUpError as error:
        findings.add(Code.DECK_NOT_FROM_SEEDS, str(error), deal.index)
        return None
    difference = cards_differ(sections, again)
    if again.deck_root.hex() != deal.leaf.deck_root:
        _explain_root(again, deal, findings, sections=sections, roots=roots, cards=difference)
        return None
    if difference is not None and leaves.settle is not None:
        findings.add(
            Code.CARDS_MISMATCH,
            "the cards of the settlement are not the cards that were dealt",
            leaves.settle.index,
            difference=difference,
        )
    return again


def cards_differ(sections: Sequence[Sequence[int]], again: Deal) -> Difference | None:
    """Return the first section whose settled cards differ from the deal's; None if no section differs."""
    claims = tuple(map(bytes, sections))
    if claims == again.numbers[: len(claims)]:
        return None
    for index, (claimed, dealt) in enumerate(zip(sections, again.numbers, strict=False)):
        if bytes(claimed) != dealt:
            return Difference(f"inputs.sections[{index}]", shown(list(claimed)), shown(list(dealt)))
    return None


def _explain_root(  # noqa: PLR0913 - all that explains a root
    again: Deal,
    deal: Placed[DealLeaf],
    findings: RoundFindings,
    *,
    sections: Sequence[Sequence[int]],
    roots: Sequence[bytes],
    cards: Difference | None,
) -> None:
    hidden = [index for index, (one, other) in enumerate(zip(roots, again.roots, strict=False)) if one != other]
    if hidden and hidden[0] >= len(sections):
        index = hidden[0]
        findings.add(
            Code.HIDDEN_CARDS_DIFFER,
            f"section {index}, which was never opened, holds other cards than the seeds give",
            deal.index,
            difference=Difference(f"section_roots[{index}]", roots[index].hex(), again.roots[index].hex()),
        )
        return
    settled_root = _root_of(again, sections)
    if cards is not None and (hidden or settled_root == deal.leaf.deck_root):
        findings.add(
            Code.DECK_NOT_FROM_SEEDS,
            "the deck that was dealt and committed to is not the one that the seeds give",
            deal.index,
            difference=cards,
        )
        return
    findings.add(
        Code.DECK_ROOT_MISMATCH,
        "the deck root is not the one that the seeds give",
        deal.index,
        difference=Difference("deck_root", deal.leaf.deck_root, again.deck_root.hex()),
    )


def _root_of(again: Deal, sections: Sequence[Sequence[int]]) -> str:
    """Return the deck root of a deal whose first sections hold these cards instead, under the deal's own keys."""
    roots = list(again.roots)
    for index, numbers in enumerate(sections[: len(roots)]):
        key, round_id = again.keys[index], again.round_id
        roots[index] = section_root(key=key, round_id=round_id, section=index, numbers=bytes(numbers))
    layout = [len(section) for section in again.sections]
    root = deck_root(
        round_id=again.round_id, commitment=again.commitment, mixed=again.mixed, layout=layout, roots=roots
    )
    return root.hex()


def examine_handed_in(leaves: RoundLeaves, findings: RoundFindings) -> dict[int, bytes]:
    """Check the seeds that people handed in.

    Return by seat the valid ones that the log lacks, if the round was given up before its deal; else none.
    """
    abort = leaves.abort
    lacking: dict[int, bytes] = {}
    for held in leaves.documents.seeds:
        seed = bytes.fromhex(held.seed)
        fault = _fault(leaves, seat=held.seat, seed=seed)
        if fault is not None:
            findings.add(Code.HELD_SEED_REFUSED, fault, leaves.open.index)
        elif abort is not None and leaves.deal is None and not _given(abort.leaf.client_seeds, held.seat):
            if held.seat not in lacking:
                detail = f"the deck was given up without the seed of seat {held.seat}, which somebody holds"
                findings.add(Code.SEED_HELD, detail, abort.index)
            lacking[held.seat] = seed
    return lacking


def deal_given_up(leaves: RoundLeaves, reveal: Placed[RevealLeaf], handed_in: dict[int, bytes]) -> Deal | None:
    """Deal the deck of a round that was aborted before its deal; None if a seed is unknown or the seeds give no deck.

    None, too, for any other round. The caller must have checked that the revealed seed opens the server's commitment.
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
    """Return the fault of a seed that was handed in for a seat; None if it opens the seat's commitment."""
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
