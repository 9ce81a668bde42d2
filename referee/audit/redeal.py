"""``redeal(OPEN, DEAL, REVEAL) == the cards told``: with the seed shown, every card is dealt again.

The law: the seed opens the server's commitment or nothing else is looked at. Where the deck root is not the one that
the seeds give, the most telling explanation is looked for: an unopened section that a certificate's roots show to
differ, or a deck that was committed to truly but not drawn as the protocol draws it.

It refuses to know which game the cards are for.
"""

from collections.abc import Sequence

from referee.audit.difference import shown
from referee.audit.docket import Docket
from referee.audit.finding import Code, Difference
from referee.audit.gathered import GatheredRound
from referee.audit.reading import Placed
from referee.cards import DECK
from referee.dealing.commitment import server_commitment
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.leaf import DealLeaf, RevealLeaf
from referee.dealing.section import deck_root, section_root


def opens_commitment(gathered: GatheredRound, reveal: Placed[RevealLeaf], docket: Docket) -> bool:
    """Whether the seed that was shown opens the commitment in OPEN; told to the docket where it does not."""
    seed = bytes.fromhex(reveal.leaf.server_seed)
    found = server_commitment(round_id=gathered.round_id, seed=seed).hex()
    told = gathered.open.leaf.server_commitment
    if found == told:
        return True
    if not docket.has(Code.COMMITMENT_SWAPPED):
        docket.add(
            Code.SERVER_SEED_MISMATCH,
            "the seed that was shown does not open the server's commitment",
            leaf_index=reveal.index,
            difference=Difference("server_commitment", told, found),
        )
    return False


def examine_cards(  # noqa: PLR0913 - all that the cards follow from
    gathered: GatheredRound,
    deal: Placed[DealLeaf],
    reveal: Placed[RevealLeaf],
    docket: Docket,
    *,
    sections: Sequence[Sequence[int]],
    roots: Sequence[bytes],
) -> Deal | None:
    """The deal that header and seeds give, where DEAL committed to it and the cards told are its cards; else None.

    The commitment has been opened by the seed, and the mix found to be over the round's commitment and seeds.
    ``sections`` are the cards told, from section 0 on, in numbers that cards have; ``roots`` the section roots as
    certificates show them. Both are empty where there are none.
    """
    try:
        again = Deal.from_mix(
            gathered.header,
            server_seed=bytes.fromhex(reveal.leaf.server_seed),
            commitment=bytes.fromhex(gathered.open.leaf.server_commitment),
            mixed=bytes.fromhex(deal.leaf.mix),
        )
    except StreamUsedUpError as error:
        docket.add(Code.DECK_NOT_FROM_SEEDS, str(error), leaf_index=deal.index)
        return None
    difference = _cards_differ(sections, again)
    if again.deck_root.hex() != deal.leaf.deck_root:
        _explain_root(again, deal, docket, sections=sections, roots=roots, cards=difference)
        return None
    if difference is not None and gathered.settle is not None:
        docket.add(
            Code.CARDS_MISMATCH,
            "the cards told are not the cards that were dealt",
            leaf_index=gathered.settle.index,
            difference=difference,
        )
        return None
    return again


def _cards_differ(sections: Sequence[Sequence[int]], again: Deal) -> Difference | None:
    for index, (told, dealt) in enumerate(zip(sections, again.sections, strict=False)):
        found = [card.number for card in dealt]
        if list(told) != found:
            return Difference(f"told.sections[{index}]", shown(list(told)), shown(found))
    return None


def _explain_root(  # noqa: PLR0913 - all that explains a root
    again: Deal,
    deal: Placed[DealLeaf],
    docket: Docket,
    *,
    sections: Sequence[Sequence[int]],
    roots: Sequence[bytes],
    cards: Difference | None,
) -> None:
    hidden = [index for index, (one, other) in enumerate(zip(roots, again.roots, strict=False)) if one != other]
    if hidden and hidden[0] >= len(sections):
        index = hidden[0]
        docket.add(
            Code.HIDDEN_CARDS_DIFFER,
            f"section {index}, which nobody opened, holds other cards than the seeds give",
            leaf_index=deal.index,
            difference=Difference(f"section_roots[{index}]", roots[index].hex(), again.roots[index].hex()),
        )
        return
    told_root = _root_of_told(again, sections)
    if cards is not None and (hidden or told_root == deal.leaf.deck_root):
        docket.add(
            Code.DECK_NOT_FROM_SEEDS,
            "the deck that was dealt and committed to is not the one that the seeds give",
            leaf_index=deal.index,
            difference=cards,
        )
        return
    docket.add(
        Code.DECK_ROOT_MISMATCH,
        "the deck root is not the one that the seeds give",
        leaf_index=deal.index,
        difference=Difference("deck_root", deal.leaf.deck_root, again.deck_root.hex()),
    )


def _root_of_told(again: Deal, sections: Sequence[Sequence[int]]) -> str:
    """The deck root over the cards told, under the deal's own keys, with the deal's other sections as they are."""
    roots = list(again.roots)
    for index, numbers in enumerate(sections[: len(roots)]):
        cards = [DECK[number - 1] for number in numbers]
        roots[index] = section_root(key=again.keys[index], round_id=again.round_id, section=index, cards=cards)
    layout = [len(section) for section in again.sections]
    root = deck_root(
        round_id=again.round_id, commitment=again.commitment, mixed=again.mixed, layout=layout, roots=roots
    )
    return root.hex()
