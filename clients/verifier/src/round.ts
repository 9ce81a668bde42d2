/**
 * One round examined, leaf by leaf: OPEN has the shuffler's signature and a header that hashes to
 * the round id; DEAL's seeds open the commitments given before, and the mix is over exactly these;
 * ABORT says what happened; SETTLE is looked at in `settlement`, REVEAL deals the cards again in
 * `redeal`, and what people hold agrees (`exhibit`). A fault is named once: what only follows from
 * it is not looked at.
 */

import { type Bytes, hex, isHex, unhex } from "./bytes.js";
import type { Docket } from "./check.js";
import { clientCommitment, mix, serverCommitment } from "./commitment.js";
import { type Deal, drawsLeader } from "./deal.js";
import { drawLeader } from "./deck.js";
import { differ, unlike } from "./difference.js";
import { examineExhibits } from "./exhibit.js";
import type { GatheredRound, Law } from "./gathered.js";
import { gameOf, layoutOf, roundIdOf, SUITE_FIXTURE } from "./header.js";
import { SIGNERS } from "./leaf.js";
import {
  type DealingLevel,
  dealingLevel,
  type EventLevel,
  eventLevel,
  isTrivial,
} from "./level.js";
import type { Placed } from "./reading.js";
import { examineCards, opensCommitment } from "./redeal.js";
import { examineExports, type Opened } from "./secrecy.js";
import { examineSeedSignatures, isVoid, unsignedSeats } from "./seeding.js";
import { examineSettlement } from "./settlement.js";

/** What came of a round besides findings; levels are null where there is nothing to be proved. */
export interface Examined {
  readonly dealingLevel: DealingLevel | null;
  readonly eventLevel: EventLevel | null;
  /** The sections that certificates open, each with its key as lowercase hex. */
  readonly opened: readonly Opened[];
}

/** Everything that its own leaves say about a round; the docket takes it. */
export function examine(gathered: GatheredRound, law: Law, docket: Docket): Examined {
  const { deal, settle, abort, reveal } = gathered;
  examineSignatures(gathered, docket);
  examineOpen(gathered, law, docket);
  docket.begin("TIMES");
  const isSound = deal !== undefined && examineDeal(gathered, deal, docket);
  if (abort !== undefined) {
    examineAbort(gathered, abort, docket);
  }
  const settled =
    settle === undefined
      ? { sections: [], hashes: [] }
      : examineSettlement(gathered, settle, docket);
  const certified = examineExhibits(gathered, settled.hashes, docket);
  let again: Deal | null = null;
  if (reveal === undefined) {
    docket.skip("the server's seed is not shown yet", "SERVER_SEED", "DECK", "CARDS");
  } else if (opensCommitment(gathered, reveal, docket) && deal !== undefined && isSound) {
    if (!docket.has("ROUND_ID_MISMATCH")) {
      const shown = { sections: settled.sections, roots: certified.roots };
      again = examineCards(gathered, { deal, reveal }, shown, docket);
    }
  }
  docket.skip("the round was not dealt, or not under this header and these seeds", "DECK", "CARDS");
  examineExports(gathered, again, docket);
  const seeds = deal === undefined ? [] : clientSeedsOf(deal);
  const unsigned = unsignedSeats(gathered);
  examineSeeds(seeds, unsigned, deal, docket);
  return {
    dealingLevel: deal === undefined ? null : levelOf(gathered, seeds, unsigned),
    eventLevel: settle === undefined ? null : eventLevel(settle.value.inputs.events),
    opened: certified.opened,
  };
}

function levelOf(
  { header, open }: GatheredRound,
  seeds: Bytes[],
  unsigned: number[],
): DealingLevel {
  const level = dealingLevel(header, open.value, seeds);
  return level === "L2" && unsigned.length > 0 ? "L1" : level;
}

/** The seats' seeds that a DEAL shows. */
export function clientSeedsOf(deal: Placed<"DEAL">): Bytes[] {
  return deal.value.client_seeds.filter((seed) => isHex(seed)).map((seed) => unhex(seed));
}

function examineSignatures(gathered: GatheredRound, docket: Docket): void {
  docket.begin("SIGNATURES");
  const { open, deal, settle, abort, reveal } = gathered;
  for (const placed of [open, deal, settle, abort, reveal]) {
    if (placed === undefined) {
      continue;
    }
    const role = SIGNERS[placed.kind];
    const where = { leaf_index: placed.index };
    if (role === null) {
      if (placed.envelope.signature !== null) {
        const detail = "it is signed, and nobody signs a REVEAL";
        docket.find("SIGNATURES", "WRONG_ROLE", detail, where);
      }
      continue;
    }
    const fault = placed.ring.faultOf(placed.envelope, role);
    if (fault !== null) {
      docket.find("SIGNATURES", fault.code, fault.detail, where);
    }
  }
}

function examineOpen(gathered: GatheredRound, law: Law, docket: Docket): void {
  const { header, roundId } = gathered;
  const where = { leaf_index: gathered.open.index };
  docket.begin("ROUND_ID");
  const found = hex(roundIdOf(header));
  if (found !== roundId) {
    const detail = "the header does not hash to the round id";
    const difference = unlike("round_id", roundId, found);
    docket.find("ROUND_ID", "ROUND_ID_MISMATCH", detail, { ...where, ...difference });
  }
  if (header.origin !== law.origin) {
    const detail = "the round is of another log";
    const difference = unlike("header.origin", header.origin, law.origin);
    docket.find("ROUND_ID", "WRONG_ORIGIN", detail, { ...where, ...difference });
  }
  examineRuleset(gathered, law, docket);
  const game = gameOf(header);
  const sizes = layoutOf(game, header.seat_keys.length);
  if (sizes === null) {
    docket.skip(`how ${game} cuts the deck is not known here`, "LAYOUT");
    return;
  }
  docket.begin("LAYOUT");
  if (sizes.join() !== header.layout.join()) {
    const detail = `the layout is not that of ${game} for ${header.seat_keys.length} seats`;
    const difference = differ("header.layout", header.layout, sizes);
    docket.find("LAYOUT", "SECTION_WRONG_SIZE", detail, { ...where, ...difference });
  }
}

function examineRuleset({ header, open }: GatheredRound, law: Law, docket: Docket): void {
  if (law.rulesets === null) {
    docket.skip("no rulesets were given", "RULESET");
    return;
  }
  docket.begin("RULESET");
  const where = { leaf_index: open.index };
  const named = `${header.ruleset_id} ${header.ruleset_version}`;
  const held = law.rulesets.find((ruleset) => ruleset.digest === header.ruleset_digest);
  if (held === undefined) {
    const detail = `the header names ${named}, whose digest is no ruleset's at hand`;
    const difference = unlike("header.ruleset_digest", header.ruleset_digest, "none such");
    docket.find("RULESET", "WRONG_RULESET", detail, { ...where, ...difference });
  } else if (named !== `${held.id} ${held.version}`) {
    const difference = unlike("header.ruleset_id", named, `${held.id} ${held.version}`);
    const detail = "the digest is another ruleset's";
    docket.find("RULESET", "WRONG_RULESET", detail, { ...where, ...difference });
  }
}

/** Whether the deal's seeds and mix are those that the round was committed to. */
function examineDeal(gathered: GatheredRound, deal: Placed<"DEAL">, docket: Docket): boolean {
  const { header, roundId, open } = gathered;
  const where = { leaf_index: deal.index };
  if (deal.value.dealt_time > header.deal_deadline) {
    const detail = `it was dealt at ${deal.value.dealt_time}, after the deal's deadline ${header.deal_deadline}`;
    docket.find("TIMES", "DEALT_LATE", detail, where);
  }
  docket.begin("CLIENT_SEEDS");
  const seeds = clientSeedsOf(deal);
  const seats = header.seat_keys.length;
  if (seeds.length !== seats || deal.value.client_seeds.length !== seats) {
    const detail = `${seats} seats have ${seeds.length} seeds`;
    docket.find("CLIENT_SEEDS", "CLIENT_SEED_MISMATCH", detail, where);
    return false;
  }
  const opening = seeds.map((seed, seat) => opens(gathered, { seat, seed }, deal.index, docket));
  examineSeedSignatures(gathered, deal, docket);
  docket.begin("MIX");
  const mixed = mix(unhex(roundId), unhex(open.value.server_commitment), seeds);
  if (hex(mixed) !== deal.value.mix) {
    explainMix(gathered, deal, { seeds, mixed }, docket);
    return false;
  }
  return examineLeader(gathered, deal, mixed, docket) && opening.every(Boolean);
}

/** Whether a seat's seed opens what the seat committed to, where it did. */
function opens(
  { roundId, open, previousRoundId }: GatheredRound,
  { seat, seed }: { seat: number; seed: Bytes },
  leaf: number,
  docket: Docket,
): boolean {
  const told = open.value.client_commitments[seat] ?? "";
  const found = hex(clientCommitment(unhex(roundId), seat, seed));
  if (told === "" || told === found) {
    return true;
  }
  const isForeign =
    previousRoundId !== null && hex(clientCommitment(unhex(previousRoundId), seat, seed)) === told;
  const where = { leaf_index: leaf, ...unlike(`client_commitments[${seat}]`, told, found) };
  if (isForeign) {
    const detail = `the seed of seat ${seat} opens a commitment to another round`;
    docket.find("CLIENT_SEEDS", "FOREIGN_COMMITMENT", detail, where);
  } else {
    const detail = `the seed of seat ${seat} is not the one it committed to`;
    docket.find("CLIENT_SEEDS", "CLIENT_SEED_MISMATCH", detail, where);
  }
  return false;
}

function explainMix(
  { roundId, open, reveal }: GatheredRound,
  deal: Placed<"DEAL">,
  { seeds, mixed }: { seeds: Bytes[]; mixed: Bytes },
  docket: Docket,
): void {
  if (reveal !== undefined) {
    const commitment = serverCommitment(unhex(roundId), unhex(reveal.value.server_seed));
    if (hex(mix(unhex(roundId), commitment, seeds)) === deal.value.mix) {
      const difference = unlike("server_commitment", open.value.server_commitment, hex(commitment));
      const detail = "the deal was made under another commitment than the one in OPEN";
      const where = { leaf_index: open.index, ...difference };
      docket.find("SERVER_SEED", "COMMITMENT_SWAPPED", detail, where);
      return;
    }
  }
  const detail = "the mix is not over the round, its commitment and its seeds";
  const where = { leaf_index: deal.index, ...unlike("mix", deal.value.mix, hex(mixed)) };
  docket.find("MIX", "MIX_MISMATCH", detail, where);
}

function examineLeader(
  { header, roundId, open }: GatheredRound,
  deal: Placed<"DEAL">,
  mixed: Bytes,
  docket: Docket,
): boolean {
  const told = deal.value.leader;
  const isTold = header.randomness_suite === SUITE_FIXTURE;
  const source = isTold ? unhex(open.value.server_commitment) : mixed;
  const found = drawsLeader(header)
    ? drawLeader(source, unhex(roundId), header.seat_keys.length)
    : undefined;
  if (found !== undefined || told !== undefined) {
    docket.begin("LEADER");
  }
  if (told === found) {
    return true;
  }
  const detail = "the leader is not the one the mix draws";
  const where = { leaf_index: deal.index, ...differ("leader", told, found) };
  docket.find("LEADER", "LEADER_MISMATCH", detail, where);
  return false;
}

function examineAbort(gathered: GatheredRound, abort: Placed<"ABORT">, docket: Docket): void {
  const { header, deal } = gathered;
  const { client_seeds: seeds, culprit, reason, stage, aborted_time: time } = abort.value;
  const where = { leaf_index: abort.index };
  const mistold = (detail: string): void => docket.find("ABORT", "ABORT_MISTOLD", detail, where);
  docket.begin("ABORT", "CLIENT_SEEDS");
  const seats = header.seat_keys.length;
  if (seeds.length !== seats) {
    mistold(`${seats} seats have ${seeds.length} places for seeds`);
    return;
  }
  for (const [seat, seed] of seeds.entries()) {
    const dealt = deal?.value.client_seeds[seat];
    if (seed !== "" && dealt !== undefined && seed !== dealt) {
      const detail = `the seed of seat ${seat} is not the one it was dealt with`;
      docket.find("CLIENT_SEEDS", "CLIENT_SEED_MISMATCH", detail, where);
    } else if (seed !== "") {
      opens(gathered, { seat, seed: unhex(seed) }, abort.index, docket);
    }
  }
  if (culprit !== undefined && culprit >= seats) {
    mistold(`a round of ${seats} seats has no seat ${culprit} to blame`);
  } else if (culprit !== undefined && reason === "SEED_MISSING" && seeds[culprit] !== "") {
    mistold(`seat ${culprit} is blamed for a missing seed, and its seed is there`);
  } else if (reason === "VOID" && !isVoid(gathered, abort)) {
    mistold("it is told to be void, and its seeds give a deck");
  }
  const deadline = stage === "OPENED" ? header.deal_deadline : header.round_deadline;
  if ((reason === "DEADLINE" || stage === "DEALT") && time < deadline) {
    mistold(`it was aborted at ${time}, before the deadline ${deadline}; no dealt round may be`);
  }
}

/** A note for each seed that lowers the round's level. */
function examineSeeds(
  seeds: Bytes[],
  unsigned: number[],
  deal: Placed<"DEAL"> | undefined,
  docket: Docket,
): void {
  if (deal === undefined) {
    return;
  }
  docket.begin("SEED_QUALITY");
  const where = { leaf_index: deal.index };
  const texts = seeds.map(hex);
  for (const [seat, seed] of seeds.entries()) {
    const first = texts.indexOf(texts[seat] ?? "");
    if (isTrivial(seed)) {
      const detail = `the seed of seat ${seat} was hardly drawn at random`;
      docket.find("SEED_QUALITY", "CLIENT_SEED_TRIVIAL", detail, where);
    } else if (first < seat) {
      const detail = `seats ${first} and ${seat} have the same seed`;
      docket.find("SEED_QUALITY", "CLIENT_SEEDS_EQUAL", detail, where);
    }
  }
  for (const seat of unsigned) {
    const detail = `seat ${seat} has a key and did not sign its seed`;
    docket.find("SEED_QUALITY", "CLIENT_SEED_UNSIGNED", detail, where);
  }
}
