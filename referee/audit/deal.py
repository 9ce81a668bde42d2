"""Checks of a DEAL leaf: its seeds, their signatures, the mix, the level of proof, and who leads.

A seat that has a key in the header signs TH("client-seed", round_id, C, u8 seat, token hash or empty, seed), which
cannot be made before C is known. An unsigned seed proves less; a wrong signature proves cheating.

A DEAL names the leader and the reason why it leads, and the transcript repeats both. It is the last winner as the log
names it, or else the seat that the deal, made again, gives by draw or lowest card, as the ruleset says.
"""

from typing import Final

import msgspec

from referee.audit.cosignatures import carried_checkpoint
from referee.audit.reading import Placed
from referee.audit.report import DealingLevel
from referee.audit.round_leaves import RoundLeaves
from referee.cards import Seat
from referee.dealing.commitment import client_commitment, client_commitments, mix, seed_statement, server_commitment
from referee.dealing.deal import Deal, has_leader
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import NO_KEY, SUITE_COMMITMENT, is_past
from referee.dealing.lead import Lead, dealt_leader, read_lead, winners_lead
from referee.dealing.leaf import AbortLeaf, DealLeaf
from referee.evidence.ed25519 import is_signature
from referee.finding import Code, Difference, FindingError, RoundFindings, shown
from referee.games import GAMES, LawError, LeaderBy, under_ruleset
from referee.rulesets import Ruleset
from referee.transcript.inputs import Transcript

_FEWEST_VALUES: Final = 9
"""A random seed of 32 bytes has fewer different bytes than this with a chance below 2^-110."""
_NO_COMMITMENT: Final = "00" * 32


def examine_deal(
    leaves: RoundLeaves, deal: Placed[DealLeaf], seeds: tuple[bytes, ...], findings: RoundFindings
) -> bool:
    """Check a deal against the round's OPEN; return whether seeds, mix and round id agree with it.

    ``seeds`` are those of ``client_seeds(deal)``.
    """
    header, opened = leaves.header, leaves.open.leaf
    if is_past(header.deal_deadline, time=deal.leaf.dealt_time):
        detail = f"it was dealt at {deal.leaf.dealt_time}, after the deal's deadline {header.deal_deadline}"
        findings.add(Code.DEALT_LATE, detail, deal.index)
    _examine_opened_sections(leaves, deal, findings)
    try:
        carried_checkpoint(leaves.open, deal)
    except FindingError as error:
        findings.add(error.code, error.detail, deal.index)
    if not len(seeds) == len(deal.leaf.client_seeds) == header.seat_count:
        findings.add(Code.CLIENT_SEED_MISMATCH, f"{header.seat_count} seats have {len(seeds)} seeds", deal.index)
        return False
    found = client_commitments(round_id=leaves.round_id, seeds=seeds)
    are_opened = opened.client_commitments == tuple([commitment.hex() for commitment in found])
    if not are_opened:
        results = [opens(leaves, Seat(seat), seed, findings, leaf_index=deal.index) for seat, seed in enumerate(seeds)]
        are_opened = all(results)
    _examine_seed_signatures(leaves, deal, findings)
    commitment = bytes.fromhex(opened.server_commitment)
    mixed = mix(round_id=leaves.round_id, commitment=commitment, client_seeds=seeds)
    if mixed.hex() != deal.leaf.mix:
        _explain_mix(leaves, deal, seeds, mixed, findings)
        return False
    is_named = header.round_id == leaves.round_id
    return are_opened and is_named


def client_seeds(deal: Placed[DealLeaf]) -> tuple[bytes, ...]:
    """Return the seats' seeds in a deal, in the order of seats; a missing seed is left out."""
    return tuple([bytes.fromhex(seed) for seed in deal.leaf.client_seeds if seed])


def opens(leaves: RoundLeaves, seat: Seat, seed: bytes, findings: RoundFindings, *, leaf_index: int) -> bool:
    """Return whether a seat's seed opens its commitment, True if it made none; add a finding if it does not."""
    claimed = leaves.open.leaf.client_commitments[seat]
    if not claimed:
        return True
    found = client_commitment(round_id=leaves.round_id, seat=seat, seed=seed).hex()
    if found == claimed:
        return True
    before = leaves.previous_round_id
    is_foreign = before is not None and client_commitment(round_id=before, seat=seat, seed=seed).hex() == claimed
    findings.add(
        Code.FOREIGN_COMMITMENT if is_foreign else Code.CLIENT_SEED_MISMATCH,
        f"the seed of seat {seat} opens a commitment to another round"
        if is_foreign
        else f"the seed of seat {seat} is not the one it committed to",
        leaf_index,
        difference=Difference(f"client_commitments[{seat}]", claimed, found),
    )
    return False


def dealing_level(
    leaves: RoundLeaves, deal: Placed[DealLeaf], seeds: tuple[bytes, ...], findings: RoundFindings
) -> DealingLevel:
    """Return the level of a dealt round as far as its own leaves show it; add a note for each weak or unsigned seed."""
    weak: list[tuple[Code, str]] = []
    for seat, seed in enumerate(seeds):
        if is_trivial(seed):
            weak.append((Code.CLIENT_SEED_TRIVIAL, f"the seed of seat {seat} is hardly random"))
        elif seed in seeds[:seat]:
            weak.append((Code.CLIENT_SEEDS_EQUAL, f"seats {seeds.index(seed)} and {seat} have the same seed"))
    keys = leaves.header.seat_keys
    signatures = _signatures(deal.leaf) or ("",) * len(keys)
    for seat, (key, signature) in enumerate(zip(keys, signatures, strict=False)):
        if key != NO_KEY and not signature:
            weak.append((Code.CLIENT_SEED_UNSIGNED, f"seat {seat} has a key and did not sign its seed"))
    for code, detail in weak:
        findings.add(code, detail, deal.index)
    header, opened = leaves.header, leaves.open.leaf
    if header.randomness_suite != SUITE_COMMITMENT or opened.server_commitment == _NO_COMMITMENT:
        return DealingLevel.L0
    if weak or (header.seat_count > 1 and not all(opened.client_commitments)):
        return DealingLevel.L1
    return DealingLevel.L2


def is_trivial(seed: bytes) -> bool:
    """Return whether 32 bytes are hardly random: zeros, a counter, a default of few different bytes.

    >>> is_trivial(bytes(31) + b"a"), is_trivial(bytes(range(32)))
    (True, False)
    """
    few = seed[:_FEWEST_VALUES]  # of a random seed these nearly always differ, which settles it
    return len(set(few)) < _FEWEST_VALUES and len(set(seed)) < _FEWEST_VALUES


def is_void(leaves: RoundLeaves, abort: Placed[AbortLeaf]) -> bool:
    """Return whether the seeds of an ABORT, one of each seat, give no deck. True while the server's seed is unknown."""
    seeds = [bytes.fromhex(text) for text in abort.leaf.client_seeds]
    if leaves.reveal is None:
        return True
    try:
        Deal.derive(leaves.header, server_seed=bytes.fromhex(leaves.reveal.leaf.server_seed), client_seeds=seeds)
    except StreamUsedUpError:
        return True
    return False


def _examine_seed_signatures(leaves: RoundLeaves, deal: Placed[DealLeaf], findings: RoundFindings) -> None:
    opened = leaves.open.leaf
    commitment = bytes.fromhex(opened.server_commitment)
    for seat, text in enumerate(_signatures(deal.leaf)):
        if not text:
            continue
        key, seed = leaves.header.seat_keys[seat], bytes.fromhex(deal.leaf.client_seeds[seat])
        statement = seed_statement(
            round_id=leaves.round_id,
            commitment=commitment,
            seat=Seat(seat),
            token_hash=opened.token_hash(seat),
            seed=seed,
        )
        if key == NO_KEY or not is_signature(bytes.fromhex(text), statement, key):
            code, what = Code.SEED_SIGNATURE_FORGED, "under the server's commitment"
            if opened.is_sealed:
                code, what = Code.SEAT_TOKEN_MISMATCH, "under the server's commitment and its token's hash in OPEN"
            findings.add(code, f"the signature of seat {seat} is not of its seed {what}", deal.index)


def _examine_opened_sections(leaves: RoundLeaves, deal: Placed[DealLeaf], findings: RoundFindings) -> None:
    """Check the sections that a DEAL opens: all hands on an open table; all hands or none on a sealed table."""
    hands = tuple(range(leaves.header.seat_count))
    claimed, is_sealed = deal.leaf.opened_sections, leaves.open.leaf.is_sealed
    if claimed != hands and not (is_sealed and not claimed):
        findings.add(
            Code.STREET_OPENED_EARLY,
            "the sections open at the deal are not the hands, or none of them on a sealed table",
            deal.index,
            difference=Difference("opened_sections", shown(list(claimed)), shown([] if is_sealed else list(hands))),
        )


def _signatures(deal: DealLeaf) -> tuple[str, ...]:
    return () if isinstance(deal.seed_signatures, msgspec.UnsetType) else deal.seed_signatures


def _explain_mix(
    leaves: RoundLeaves, deal: Placed[DealLeaf], seeds: tuple[bytes, ...], mixed: bytes, findings: RoundFindings
) -> None:
    reveal = leaves.reveal
    if reveal is not None:
        seed = bytes.fromhex(reveal.leaf.server_seed)
        commitment = server_commitment(round_id=leaves.round_id, seed=seed)
        if mix(round_id=leaves.round_id, commitment=commitment, client_seeds=seeds).hex() == deal.leaf.mix:
            claimed = leaves.open.leaf.server_commitment
            findings.add(
                Code.COMMITMENT_SWAPPED,
                "the deal was made under another commitment than the one in OPEN",
                leaves.open.index,
                difference=Difference("server_commitment", claimed, commitment.hex()),
            )
            return
    findings.add(
        Code.MIX_MISMATCH,
        "the mix is not computed from the round, its commitment and its seeds",
        deal.index,
        difference=Difference("mix", deal.leaf.mix, mixed.hex()),
    )


def examine_leader(
    leaves: RoundLeaves, deal: Placed[DealLeaf], ruleset: Ruleset | None, findings: RoundFindings
) -> None:
    """Check the leader that a DEAL names against the log's last winner, and its reason against the ruleset."""
    lead = read_lead(deal.leaf.leader, deal.leaf.leader_by)
    if lead is None or not has_leader(leaves.header):
        if has_leader(leaves.header) != (lead is not None):
            detail = "it names a leader, and this game has none" if lead else "it names no leader"
            findings.add(Code.LEADER_MISMATCH, detail, deal.index)
        return
    if leaves.is_winner_known:
        try:
            fault = _lead_fault(lead, winners_lead(leaves.header, leaves.last_winner), ruleset)
        except LawError as error:
            findings.add(Code.LAW_FAILED, str(error), deal.index)
            return
        if fault:
            findings.add(Code.LEADER_MISMATCH, fault, deal.index)


def examine_dealt_leader(leaves: RoundLeaves, deal: Placed[DealLeaf], again: Deal, findings: RoundFindings) -> None:
    """Check a leader by draw or lowest card against the deal that was made again from the seeds."""
    lead = read_lead(deal.leaf.leader, deal.leaf.leader_by)
    if lead is None or findings.has(Code.LEADER_MISMATCH):
        return
    leader, by = lead
    if by is not LeaderBy.WINNER and leader != (seat := dealt_leader(leaves.header, again, by)):
        detail = f"seat {leader} leads by {by}, and the seeds give seat {seat}"
        difference = Difference("leader", shown(leader), shown(seat))
        findings.add(Code.LEADER_MISMATCH, detail, deal.index, difference=difference)


def examine_settled_leader(deal: Placed[DealLeaf], settle: Placed[Transcript], findings: RoundFindings) -> None:
    """Check that a transcript has the leader of its DEAL, for the same reason."""
    inputs = settle.leaf.inputs
    for name in ("leader", "leader_by"):
        claimed, dealt = getattr(inputs, name), getattr(deal.leaf, name)
        if claimed != dealt:
            findings.add(
                Code.LEADER_MISMATCH,
                "the transcript has another leader than DEAL, or another reason",
                settle.index,
                difference=Difference(f"inputs.{name}", _text(claimed), _text(dealt)),
            )
            return


def _lead_fault(lead: Lead, required: Lead | None, ruleset: Ruleset | None) -> str:
    """Describe the fault of a lead; an empty text if it is right.

    ``required`` is the lead of the last winner, None if no last winner leads.
    """
    leader, by = lead
    if required is not None:
        detail = f"seat {leader} leads by {by}, and the last winner sits at {required[0]}"
        return "" if lead == required else detail
    if by is LeaderBy.WINNER:
        return f"seat {leader} leads as the last winner, and no winner leads this round"
    first = by if ruleset is None else _first_leader(ruleset)
    return "" if by is first else f"seat {leader} leads by {by}, and the ruleset says {first}"


def _first_leader(ruleset: Ruleset) -> LeaderBy | None:
    with under_ruleset(ruleset.id, ruleset.version):
        lead = GAMES[ruleset.game].lead
        return None if lead is None else lead.first_leader(ruleset.rules)


def _text(value: object) -> str:
    return shown("" if value is msgspec.UNSET else value)
