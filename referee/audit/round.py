"""One round examined: every signature, commitment and rule of its leaves, from OPEN to REVEAL.

The law, leaf by leaf: OPEN has the shuffler's signature, a header that hashes to the round id, of this log and of a
ruleset at hand; DEAL's seeds open the commitments given before, and the mix is over exactly these; ABORT says what
happened; SETTLE follows from what it tells (``settlement``); REVEAL deals the same cards again (``redeal``); and what
people hold agrees (``exhibit``). A fault is named once: what only follows from it is not looked at.

It refuses to know the order of leaves in the log, other rounds, and the time.
"""

import msgspec

from referee.audit.difference import shown
from referee.audit.docket import Docket
from referee.audit.drawing import drawn_of
from referee.audit.exhibit import examine_exhibits
from referee.audit.finding import Code, Difference
from referee.audit.gathered import Examined, GatheredRound, Law
from referee.audit.level import DealingLevel, dealing_level, event_level, is_trivial
from referee.audit.reading import SIGNERS, Placed
from referee.audit.redeal import examine_cards, opens_commitment
from referee.audit.secrecy import examine_exports
from referee.audit.seeding import examine_seed_signatures, is_void, unsigned_seats
from referee.audit.settlement import Settled, examine_settlement
from referee.cards import Seat
from referee.dealing.commitment import client_commitment, mix, server_commitment
from referee.dealing.deal import leader_of
from referee.dealing.layout import layout_of
from referee.dealing.leaf import AbortLeaf, DealLeaf
from referee.rulesets import Ruleset, UnknownRulesetError


def examine(gathered: GatheredRound, law: Law) -> Examined:
    """Everything that its own leaves say about a round."""
    docket = Docket(gathered.header.table_id, gathered.header.round_number)
    signatures = _examine_signatures(gathered, docket)
    ruleset = _examine_open(gathered, law, docket)
    deal, settle, reveal = gathered.deal, gathered.settle, gathered.reveal
    is_sound = deal is not None and _examine_deal(gathered, deal, docket)
    if gathered.abort is not None:
        _examine_abort(gathered, gathered.abort, docket)
    settled = Settled() if settle is None else examine_settlement(gathered, settle, ruleset, docket)
    layout = None if ruleset is None else layout_of(ruleset.game, seat_count=gathered.header.seat_count)
    shown_cards = examine_exhibits(gathered, layout, settled.hashes, docket)
    again = None
    if reveal is not None and opens_commitment(gathered, reveal, docket) and deal is not None and is_sound:
        again = examine_cards(gathered, deal, reveal, docket, sections=settled.sections, roots=shown_cards.roots)
    examine_exports(gathered, again, docket)
    seeds = _client_seeds(deal) if deal is not None else ()
    level = _dealing_level(gathered, seeds, docket) if deal is not None else None
    return Examined(
        findings=tuple(docket.findings),
        dealing_level=level,
        event_level=event_level([event.attested for event in settle.leaf.told.events]) if settle is not None else None,
        client_seeds=seeds,
        client_seeds_leaf=-1 if deal is None else deal.index,
        open_leaf=gathered.open.index,
        server_seed=None if reveal is None else bytes.fromhex(reveal.leaf.server_seed),
        server_seed_leaf=-1 if reveal is None else reveal.index,
        signatures=signatures + settled.signatures,
        is_replayed=settled.is_replayed,
        is_redealt=again is not None,
        section_keys=shown_cards.opened,
        drawn=drawn_of(gathered, ruleset, again=again, told=settled.sections, is_replayed=settled.is_replayed),
    )


def _examine_signatures(gathered: GatheredRound, docket: Docket) -> int:
    """How many signatures of leaves hold."""
    verified = 0
    for placed in (gathered.open, gathered.deal, gathered.settle, gathered.abort, gathered.reveal):
        if placed is None:
            continue
        role = SIGNERS[placed.envelope.payload_type]
        if role is None:
            if placed.envelope.signature is not None:
                docket.add(Code.WRONG_ROLE, "it is signed, and nobody signs a REVEAL", leaf_index=placed.index)
            continue
        fault = placed.ring.fault_of(placed.envelope, role)
        if fault is None:
            verified += 1
        else:
            docket.add(fault[0], fault[1], leaf_index=placed.index)
    return verified


def _examine_open(gathered: GatheredRound, law: Law, docket: Docket) -> Ruleset | None:
    """The ruleset that the header names, None where it names none that is at hand."""
    header, index = gathered.header, gathered.open.index
    if header.round_id != gathered.round_id:
        docket.add(
            Code.ROUND_ID_MISMATCH,
            "the header does not hash to the round id",
            leaf_index=index,
            difference=Difference("round_id", gathered.round_id.hex(), header.round_id.hex()),
        )
    if header.origin != law.origin:
        difference = Difference("header.origin", header.origin, law.origin)
        docket.add(Code.WRONG_ORIGIN, "the round is of another log", leaf_index=index, difference=difference)
    named = f"{header.ruleset_id} {header.ruleset_version}"
    try:
        ruleset = law.catalogue.of_digest(header.ruleset_digest)
    except UnknownRulesetError as error:
        docket.add(Code.WRONG_RULESET, f"the header names {named}, but {error}", leaf_index=index)
        return None
    if (ruleset.id, ruleset.version) != (header.ruleset_id, header.ruleset_version):
        found = f"{ruleset.id} {ruleset.version}"
        difference = Difference("header.ruleset_id", named, found)
        docket.add(Code.WRONG_RULESET, "the digest is another ruleset's", leaf_index=index, difference=difference)
        return None
    try:
        sizes: tuple[int, ...] = layout_of(ruleset.game, seat_count=header.seat_count).sizes
    except ValueError:
        sizes = ()
    if header.layout != sizes:
        difference = Difference("header.layout", shown(list(header.layout)), shown(list(sizes)))
        detail = f"the layout is not that of {ruleset.game} for {header.seat_count} seats"
        docket.add(Code.SECTION_WRONG_SIZE, detail, leaf_index=index, difference=difference)
        return None
    return ruleset


def _examine_deal(gathered: GatheredRound, deal: Placed[DealLeaf], docket: Docket) -> bool:
    """Whether the deal's seeds and mix are those that the round was committed to."""
    header, opened = gathered.header, gathered.open.leaf
    if deal.leaf.dealt_time > header.deal_deadline:
        detail = f"it was dealt at {deal.leaf.dealt_time}, after the deal's deadline {header.deal_deadline}"
        docket.add(Code.DEALT_LATE, detail, leaf_index=deal.index)
    if len(deal.leaf.client_seeds) != header.seat_count or not all(deal.leaf.client_seeds):
        given = sum(1 for seed in deal.leaf.client_seeds if seed)
        detail = f"{header.seat_count} seats have {given} seeds"
        docket.add(Code.CLIENT_SEED_MISMATCH, detail, leaf_index=deal.index)
        return False
    seeds = _client_seeds(deal)
    opening = [_opens(gathered, Seat(seat), seed, docket, leaf_index=deal.index) for seat, seed in enumerate(seeds)]
    examine_seed_signatures(gathered, deal, docket)
    commitment = bytes.fromhex(opened.server_commitment)
    mixed = mix(round_id=gathered.round_id, commitment=commitment, client_seeds=seeds)
    if mixed.hex() != deal.leaf.mix:
        _explain_mix(gathered, deal, seeds, mixed, docket)
        return False
    is_named = header.round_id == gathered.round_id
    return _examine_leader(gathered, deal, mixed, docket) and all(opening) and is_named


def _opens(gathered: GatheredRound, seat: Seat, seed: bytes, docket: Docket, *, leaf_index: int) -> bool:
    """Whether a seat's seed opens what the seat committed to, where it did."""
    told = gathered.open.leaf.client_commitments[seat]
    if not told:
        return True
    found = client_commitment(round_id=gathered.round_id, seat=seat, seed=seed).hex()
    if found == told:
        return True
    before = gathered.previous_round_id
    is_foreign = before is not None and client_commitment(round_id=before, seat=seat, seed=seed).hex() == told
    docket.add(
        Code.FOREIGN_COMMITMENT if is_foreign else Code.CLIENT_SEED_MISMATCH,
        f"the seed of seat {seat} opens a commitment to another round"
        if is_foreign
        else f"the seed of seat {seat} is not the one it committed to",
        leaf_index=leaf_index,
        difference=Difference(f"client_commitments[{seat}]", told, found),
    )
    return False


def _explain_mix(
    gathered: GatheredRound, deal: Placed[DealLeaf], seeds: tuple[bytes, ...], mixed: bytes, docket: Docket
) -> None:
    reveal = gathered.reveal
    if reveal is not None:
        seed = bytes.fromhex(reveal.leaf.server_seed)
        commitment = server_commitment(round_id=gathered.round_id, seed=seed)
        if mix(round_id=gathered.round_id, commitment=commitment, client_seeds=seeds).hex() == deal.leaf.mix:
            told = gathered.open.leaf.server_commitment
            docket.add(
                Code.COMMITMENT_SWAPPED,
                "the deal was made under another commitment than the one in OPEN",
                leaf_index=gathered.open.index,
                difference=Difference("server_commitment", told, commitment.hex()),
            )
            return
    docket.add(
        Code.MIX_MISMATCH,
        "the mix is not over the round, its commitment and its seeds",
        leaf_index=deal.index,
        difference=Difference("mix", deal.leaf.mix, mixed.hex()),
    )


def _examine_leader(gathered: GatheredRound, deal: Placed[DealLeaf], mixed: bytes, docket: Docket) -> bool:
    commitment = bytes.fromhex(gathered.open.leaf.server_commitment)
    drawn = leader_of(gathered.header, round_id=gathered.round_id, commitment=commitment, mixed=mixed)
    found: int | str = "" if drawn is None else drawn
    told = "" if deal.leaf.leader is msgspec.UNSET else deal.leaf.leader
    if told == found:
        return True
    difference = Difference("leader", shown(told), shown(found))
    docket.add(
        Code.LEADER_MISMATCH, "the leader is not the one the mix draws", leaf_index=deal.index, difference=difference
    )
    return False


def _examine_abort(gathered: GatheredRound, abort: Placed[AbortLeaf], docket: Docket) -> None:
    header, leaf = gathered.header, abort.leaf
    if len(leaf.client_seeds) != header.seat_count:
        detail = f"{header.seat_count} seats have {len(leaf.client_seeds)} places for seeds"
        docket.add(Code.ABORT_MISTOLD, detail, leaf_index=abort.index)
        return
    dealt = () if gathered.deal is None else gathered.deal.leaf.client_seeds
    for seat, text in enumerate(leaf.client_seeds):
        if dealt and text and text != dealt[seat]:
            detail = f"the seed of seat {seat} is not the one it was dealt with"
            docket.add(Code.CLIENT_SEED_MISMATCH, detail, leaf_index=abort.index)
        elif text:
            _opens(gathered, Seat(seat), bytes.fromhex(text), docket, leaf_index=abort.index)
    if isinstance(leaf.culprit, int) and leaf.culprit >= header.seat_count:
        detail = f"a round of {header.seat_count} seats has no seat {leaf.culprit} to blame"
        docket.add(Code.ABORT_MISTOLD, detail, leaf_index=abort.index)
    elif leaf.reason == "SEED_MISSING" and isinstance(leaf.culprit, int) and leaf.client_seeds[leaf.culprit]:
        detail = f"seat {leaf.culprit} is blamed for a missing seed, and its seed is there"
        docket.add(Code.ABORT_MISTOLD, detail, leaf_index=abort.index)
    elif leaf.reason == "VOID" and not is_void(gathered, abort):
        detail = "it is told to be void, and its seeds give a deck"
        docket.add(Code.ABORT_MISTOLD, detail, leaf_index=abort.index)
    deadline = header.deal_deadline if leaf.stage == "OPENED" else header.round_deadline
    if (leaf.reason == "DEADLINE" or leaf.stage == "DEALT") and leaf.aborted_time < deadline:
        detail = f"it was aborted at {leaf.aborted_time}, before the deadline {deadline}; a dealt round may not be"
        docket.add(Code.ABORT_MISTOLD, detail, leaf_index=abort.index)


def _dealing_level(gathered: GatheredRound, seeds: tuple[bytes, ...], docket: Docket) -> DealingLevel:
    """The round's level, with a note for each seed that lowers it."""
    index = -1 if gathered.deal is None else gathered.deal.index
    has_weak_seeds = False
    for seat, seed in enumerate(seeds):
        if is_trivial(seed):
            code, detail = Code.CLIENT_SEED_TRIVIAL, f"the seed of seat {seat} was hardly drawn at random"
        elif seed in seeds[:seat]:
            code, detail = Code.CLIENT_SEEDS_EQUAL, f"seats {seeds.index(seed)} and {seat} have the same seed"
        else:
            continue
        has_weak_seeds = True
        docket.add(code, detail, leaf_index=index)
    for seat in unsigned_seats(gathered):
        has_weak_seeds = True
        docket.add(Code.CLIENT_SEED_UNSIGNED, f"seat {seat} has a key and did not sign its seed", leaf_index=index)
    return dealing_level(gathered.header, gathered.open.leaf, has_weak_seeds=has_weak_seeds)


def _client_seeds(deal: Placed[DealLeaf]) -> tuple[bytes, ...]:
    return tuple([bytes.fromhex(seed) for seed in deal.leaf.client_seeds if seed])
