"""Seeds and their seats: who signed them, and whether they truly give no deck.

The law: where a seat has a key in the header, its seed in DEAL bears that key's signature over TH("client-seed",
round_id, C, u8 seat, seed), which cannot be made before C is known. A seed that was not signed proves less; one that is
signed by anybody else proves foul play. A round that is told to be void has all its seeds, and they give no deck.

It refuses to know what a seat committed to.
"""

import msgspec

from referee.audit.docket import Docket
from referee.audit.finding import Code
from referee.audit.gathered import GatheredRound
from referee.audit.reading import Placed
from referee.cards import Seat
from referee.dealing.commitment import seed_statement
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import NO_KEY
from referee.dealing.leaf import AbortLeaf, DealLeaf
from referee.evidence.ed25519 import is_signature


def examine_seed_signatures(gathered: GatheredRound, deal: Placed[DealLeaf], docket: Docket) -> None:
    """Every signature in DEAL is its seat's, under the key in the header; its faults stand in the docket."""
    commitment = bytes.fromhex(gathered.open.leaf.server_commitment)
    for seat, text in enumerate(_signatures(deal.leaf)):
        if not text:
            continue
        key, seed = gathered.header.seat_keys[seat], bytes.fromhex(deal.leaf.client_seeds[seat])
        statement = seed_statement(round_id=gathered.round_id, commitment=commitment, seat=Seat(seat), seed=seed)
        if key == NO_KEY or not is_signature(bytes.fromhex(text), statement, key):
            detail = f"the signature of seat {seat} is not of its seed under the server's commitment"
            docket.add(Code.SEED_SIGNATURE_FORGED, detail, leaf_index=deal.index)


def unsigned_seats(gathered: GatheredRound) -> list[int]:
    """The seats of a dealt round that have keys and did not sign their seeds, ascending."""
    keys = gathered.header.seat_keys
    signatures = () if gathered.deal is None else _signatures(gathered.deal.leaf)
    signed = signatures or ("",) * len(keys)
    return [seat for seat, (key, text) in enumerate(zip(keys, signed, strict=False)) if key != NO_KEY and not text]


def is_void(gathered: GatheredRound, abort: Placed[AbortLeaf]) -> bool:
    """Whether a round's seeds give no deck; True as well while the server's seed is not shown."""
    seeds = [bytes.fromhex(text) for text in abort.leaf.client_seeds if text]
    if gathered.deal is not None or len(seeds) != gathered.header.seat_count:
        return False
    if gathered.reveal is None:
        return True
    try:
        Deal.derive(gathered.header, server_seed=bytes.fromhex(gathered.reveal.leaf.server_seed), client_seeds=seeds)
    except StreamUsedUpError:
        return True
    return False


def _signatures(deal: DealLeaf) -> tuple[str, ...]:
    return () if isinstance(deal.seed_signatures, msgspec.UnsetType) else deal.seed_signatures
