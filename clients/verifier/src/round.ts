/**
 * One round examined, leaf by leaf: OPEN has the shuffler's signature and a header that hashes to the round id; DEAL's
 * seeds open the commitments given before, and the mix is over exactly these; ABORT says what happened; UNSEALs are
 * looked at in `opening`, SETTLE is looked at in `settlement`, REVEAL deals the cards again in `redeal`, and what
 * people hold agrees (`exhibit`). A fault is named once: what only follows from it is not looked at.
 */

import { type Bytes, hex, isHex, unhex } from "./bytes.js";
import type { Report } from "./check.js";
import { clientCommitment, mix, serverCommitment } from "./commitment.js";
import { carriedCheckpoint } from "./cosigned.js";
import type { Deal } from "./deal.js";
import { examineExhibits } from "./exhibit.js";
import { differ, unlike } from "./finding.js";
import { gameOf, layoutOf, NO_KEY, roundIdOf } from "./header.js";
import { examineDealtLeader, examineLeader } from "./lead.js";
import { type DealingLevel, dealingLevel, type EventLevel, isTrivial } from "./level.js";
import { examineUnseals } from "./opening.js";
import { type Placed, signatureFault } from "./reading.js";
import { examineCards, opensCommitment } from "./redeal.js";
import type { Law, RoundLeaves } from "./round-leaves.js";
import { examineExports, type OpenedKey } from "./secrecy.js";
import { examineHeldSeeds, examineSeedSignatures, isVoid, unsignedSeats } from "./seeding.js";
import { examineSettlement, NOTHING_SETTLED } from "./settlement.js";

/** What came of a round besides findings; levels are null where there is nothing to be proved. */
export interface Examined {
  readonly dealingLevel: DealingLevel | null;
  readonly eventLevel: EventLevel | null;
  /** The sections that certificates open, each with its key as lowercase hex. */
  readonly opened: readonly OpenedKey[];
}

/** Everything that its own leaves say about a round; the report takes it. */
export function examine(leaves: RoundLeaves, law: Law, report: Report): Examined {
  const { deal, settle, abort, reveal } = leaves;
  examineSignatures(leaves, report);
  examineOpen(leaves, law, report);
  report.begin("TIMES");
  const isSound = deal !== undefined && examineDeal(leaves, deal, report);
  if (deal !== undefined) {
    examineLeader(leaves, deal, report);
  }
  if (abort !== undefined) {
    examineAbort(leaves, abort, report);
  }
  const opened = examineUnseals(leaves, report);
  const settled = settle === undefined ? NOTHING_SETTLED : examineSettlement(leaves, settle, opened, report);
  const certified = examineExhibits(leaves, settled.course, opened, report);
  let again: Deal | null = null;
  if (reveal === undefined) {
    report.skip("the server's seed is not shown yet", "SERVER_SEED", "DECK", "CARDS");
  } else if (opensCommitment(leaves, reveal, report) && deal !== undefined && isSound) {
    if (!report.has("ROUND_ID_MISMATCH")) {
      const shown = { sections: settled.sections, roots: certified.roots };
      again = examineCards(leaves, { deal, reveal }, shown, report);
    }
  }
  if (deal !== undefined && again !== null) {
    examineDealtLeader(deal, again, report);
  }
  report.skip("the round was not dealt, or not under this header and these seeds", "DECK", "CARDS");
  examineExports(leaves, again, report);
  examineHeldSeeds(leaves, report);
  const seeds = deal === undefined ? [] : clientSeedsOf(deal);
  const unsigned = unsignedSeats(leaves);
  examineSeeds(seeds, unsigned, deal, report);
  return {
    dealingLevel: deal === undefined ? null : levelOf(leaves, seeds, unsigned),
    eventLevel: settled.course?.level(leaves.header.seat_keys) ?? null,
    opened: certified.opened,
  };
}

function levelOf({ header, open }: RoundLeaves, seeds: Bytes[], unsigned: number[]): DealingLevel {
  const level = dealingLevel(header, open.value, seeds);
  return level === "L2" && unsigned.length > 0 ? "L1" : level;
}

/** The seats' seeds that a DEAL shows. */
export function clientSeedsOf(deal: Placed<"DEAL">): Bytes[] {
  return deal.value.client_seeds.filter((seed) => isHex(seed)).map((seed) => unhex(seed));
}

function examineSignatures(leaves: RoundLeaves, report: Report): void {
  report.begin("SIGNATURES");
  const { open, deal, unseals, settle, abort, reveal } = leaves;
  for (const placed of [open, deal, ...unseals, settle, abort, reveal]) {
    if (placed === undefined) {
      continue;
    }
    const fault = signatureFault(placed.envelope, placed.kind, placed.ring);
    if (fault !== null) {
      report.find("SIGNATURES", fault.code, fault.detail, { leaf_index: placed.index });
    }
  }
}

function examineOpen(leaves: RoundLeaves, law: Law, report: Report): void {
  const { header, roundId } = leaves;
  const where = { leaf_index: leaves.open.index };
  report.begin("ROUND_ID");
  const found = hex(roundIdOf(header));
  if (found !== roundId) {
    const detail = "the header does not hash to the round id";
    report.find("ROUND_ID", "ROUND_ID_MISMATCH", detail, { ...where, ...unlike("round_id", roundId, found) });
  }
  if (header.origin !== law.origin) {
    const difference = unlike("header.origin", header.origin, law.origin);
    report.find("ROUND_ID", "WRONG_ORIGIN", "the round is of another log", { ...where, ...difference });
  }
  examineSeatKeys(leaves, report);
  examineDeadlines(leaves, law, report);
  examineRuleset(leaves, law, report);
  const game = gameOf(header);
  const sizes = layoutOf(game, header.seat_keys.length);
  if (sizes === null) {
    report.skip(`how ${game} cuts the deck is not known here`, "LAYOUT");
    return;
  }
  report.begin("LAYOUT");
  if (sizes.join() !== header.layout.join()) {
    const detail = `the layout is not that of ${game} for ${header.seat_keys.length} seats`;
    report.find("LAYOUT", "SECTION_WRONG_SIZE", detail, { ...where, ...differ("header.layout", header.layout, sizes) });
  }
}

/** No key sits in two seats, and none of the log's own in any. */
function examineSeatKeys(leaves: RoundLeaves, report: Report): void {
  report.begin("SEAT_KEYS");
  const { open, deal, settle, abort, reveal, header } = leaves;
  const own = new Map<string, string>();
  for (const placed of [open, deal, settle, abort, reveal]) {
    for (const [role, key] of placed?.ring.known ?? []) {
      own.set(hex(key), role);
    }
  }
  for (const [seat, key] of header.seat_keys.entries()) {
    const first = header.seat_keys.indexOf(key);
    if (key !== NO_KEY && (own.has(key) || first < seat)) {
      const whose = own.has(key) ? `the log's own ${own.get(key)}` : `seat ${first} too`;
      const detail = `the key of seat ${seat} is that of ${whose}`;
      report.find("SEAT_KEYS", "SEAT_KEY_SHARED", detail, { leaf_index: open.index });
    }
  }
}

/** How long after its opening, in ms, a round may be dealt. */
const LONGEST_DEAL = 600_000;
/** The bounds that any ruleset may have, for one that is not at hand. */
const ANY_BOUNDS = { shortest: 1_000, longest: 86_400_000 };

/** The deal's deadline is near its opening, and the round's within the ruleset's bounds after that. */
function examineDeadlines({ header, open }: RoundLeaves, law: Law, report: Report): void {
  report.begin("DEADLINES");
  const held = law.rulesets?.find((ruleset) => ruleset.digest === header.ruleset_digest);
  const { shortest, longest } = held ?? ANY_BOUNDS;
  const { deal_deadline: deal, round_deadline: round } = header;
  const bounds = [
    ["deal_deadline", deal, open.value.opened_time + 1, open.value.opened_time + LONGEST_DEAL],
    ["round_deadline", round, deal + shortest, deal + longest],
  ] as const;
  const broken = bounds.find(([, found, earliest, latest]) => found < earliest || found > latest);
  if (broken !== undefined) {
    const [name, found, earliest, latest] = broken;
    const detail = `the ${name} is ${found}, and ${earliest} to ${latest} is allowed`;
    report.find("DEADLINES", "DEADLINE_OUT_OF_BOUNDS", detail, { leaf_index: open.index });
  }
}

function examineRuleset({ header, open }: RoundLeaves, law: Law, report: Report): void {
  if (law.rulesets === null) {
    report.skip("no rulesets were given", "RULESET");
    return;
  }
  report.begin("RULESET");
  const where = { leaf_index: open.index };
  const named = `${header.ruleset_id} ${header.ruleset_version}`;
  const held = law.rulesets.find((ruleset) => ruleset.digest === header.ruleset_digest);
  if (held === undefined) {
    const known = law.rulesets.find(({ id, version }) => named === `${id} ${version}`);
    const code = known === undefined ? "RULESET_UNKNOWN" : "WRONG_RULESET";
    const detail = `the header names ${named}, whose digest is no ruleset's at hand`;
    const found = known?.digest ?? "none such";
    const difference = unlike("header.ruleset_digest", header.ruleset_digest, found);
    report.find("RULESET", code, detail, { ...where, ...difference });
  } else if (named !== `${held.id} ${held.version}`) {
    const difference = unlike("header.ruleset_id", named, `${held.id} ${held.version}`);
    report.find("RULESET", "WRONG_RULESET", "the digest is another ruleset's", { ...where, ...difference });
  }
}

/** Whether the deal's seeds and mix are those that the round was committed to. */
function examineDeal(leaves: RoundLeaves, deal: Placed<"DEAL">, report: Report): boolean {
  const { header, roundId, open } = leaves;
  const where = { leaf_index: deal.index };
  if (deal.value.dealt_time > header.deal_deadline) {
    const detail = `it was dealt at ${deal.value.dealt_time}, after the deal's deadline ${header.deal_deadline}`;
    report.find("TIMES", "DEALT_LATE", detail, where);
  }
  const carried = carriedCheckpoint(open, deal);
  if (carried !== null && "code" in carried) {
    report.find("WITNESSES", carried.code, carried.detail, where);
  }
  report.begin("CLIENT_SEEDS");
  const seeds = clientSeedsOf(deal);
  const seats = header.seat_keys.length;
  if (seeds.length !== seats || deal.value.client_seeds.length !== seats) {
    report.find("CLIENT_SEEDS", "CLIENT_SEED_MISMATCH", `${seats} seats have ${seeds.length} seeds`, where);
    return false;
  }
  const opening = seeds.map((seed, seat) => opens(leaves, { seat, seed }, deal.index, report));
  examineSeedSignatures(leaves, deal, report);
  report.begin("MIX");
  const mixed = mix(unhex(roundId), unhex(open.value.server_commitment), seeds);
  if (hex(mixed) !== deal.value.mix) {
    explainMix(leaves, deal, { seeds, mixed }, report);
    return false;
  }
  return opening.every(Boolean);
}

/** Whether a seat's seed opens what the seat committed to, where it did. */
function opens(
  { roundId, open, previousRoundId }: RoundLeaves,
  { seat, seed }: { seat: number; seed: Bytes },
  leaf: number,
  report: Report,
): boolean {
  const claimed = open.value.client_commitments[seat] ?? "";
  const found = hex(clientCommitment(unhex(roundId), seat, seed));
  if (claimed === "" || claimed === found) {
    return true;
  }
  const isForeign = previousRoundId !== null && hex(clientCommitment(unhex(previousRoundId), seat, seed)) === claimed;
  const where = { leaf_index: leaf, ...unlike(`client_commitments[${seat}]`, claimed, found) };
  if (isForeign) {
    const detail = `the seed of seat ${seat} opens a commitment to another round`;
    report.find("CLIENT_SEEDS", "FOREIGN_COMMITMENT", detail, where);
  } else {
    const detail = `the seed of seat ${seat} is not the one it committed to`;
    report.find("CLIENT_SEEDS", "CLIENT_SEED_MISMATCH", detail, where);
  }
  return false;
}

function explainMix(
  { roundId, open, reveal }: RoundLeaves,
  deal: Placed<"DEAL">,
  { seeds, mixed }: { seeds: Bytes[]; mixed: Bytes },
  report: Report,
): void {
  if (reveal !== undefined) {
    const commitment = serverCommitment(unhex(roundId), unhex(reveal.value.server_seed));
    if (hex(mix(unhex(roundId), commitment, seeds)) === deal.value.mix) {
      const difference = unlike("server_commitment", open.value.server_commitment, hex(commitment));
      const detail = "the deal was made under another commitment than the one in OPEN";
      report.find("SERVER_SEED", "COMMITMENT_SWAPPED", detail, { leaf_index: open.index, ...difference });
      return;
    }
  }
  const detail = "the mix is not over the round, its commitment and its seeds";
  report.find("MIX", "MIX_MISMATCH", detail, { leaf_index: deal.index, ...unlike("mix", deal.value.mix, hex(mixed)) });
}

function examineAbort(leaves: RoundLeaves, abort: Placed<"ABORT">, report: Report): void {
  const { header, deal } = leaves;
  const { client_seeds: seeds, reason, stage, aborted_time: time } = abort.value;
  const where = { leaf_index: abort.index };
  const contradicted = (detail: string): void => report.find("ABORT", "ABORT_MISMATCH", detail, where);
  report.begin("ABORT", "CLIENT_SEEDS");
  const seats = header.seat_keys.length;
  if (seeds.length !== seats) {
    contradicted(`${seats} seats have ${seeds.length} places for seeds`);
    return;
  }
  for (const [seat, seed] of seeds.entries()) {
    const dealt = deal?.value.client_seeds[seat];
    if (seed !== "" && dealt !== undefined && seed !== dealt) {
      const detail = `the seed of seat ${seat} is not the one it was dealt with`;
      report.find("CLIENT_SEEDS", "CLIENT_SEED_MISMATCH", detail, where);
    } else if (seed !== "") {
      opens(leaves, { seat, seed: unhex(seed) }, abort.index, report);
    }
  }
  if (reason === "OPERATOR" && (stage === "DEALT" || seeds.some(Boolean))) {
    const detail = "the operator gave it up although a seat's seed was there, so that somebody could know the cards";
    report.find("ABORT", "ABORTED_AFTER_SEED", detail, where);
  } else {
    const fault = reasonFault(leaves, abort);
    if (fault !== "") {
      contradicted(fault);
    } else if (stage === "OPENED" && reason === "DEADLINE" && seeds.every(Boolean)) {
      const detail = "all seats gave their seeds, so it was to be dealt, and it was ended instead";
      report.find("ABORT", "NEVER_DEALT", detail, where);
    }
  }
  const deadline = stage === "OPENED" ? header.deal_deadline : header.round_deadline;
  const isTimely = stage === "OPENED" && (reason === "OPERATOR" || reason === "VOID");
  if (!isTimely && time <= deadline) {
    contradicted(`it was aborted at ${time}, and for its reason that is lawful after ${deadline} only`);
  }
}

/** How an abort's reason contradicts its seeds; empty where it does not. */
function reasonFault(leaves: RoundLeaves, abort: Placed<"ABORT">): string {
  const { client_seeds: seeds, reason, stage } = abort.value;
  const isMissing = !seeds.every(Boolean);
  const isExpected = seeds.some(Boolean) || leaves.open.value.client_commitments.some(Boolean);
  if (stage === "DEALT") {
    const isRight = reason === "DEADLINE" && !isMissing;
    return isRight ? "" : `a dealt round has all its seeds, and ends by its deadline, not ${reason}`;
  }
  if (reason === "SEED_MISSING" && !(isMissing && isExpected)) {
    return "it blames seats for a missing seed, and none is missing or none was expected";
  }
  if (reason === "DEADLINE" && isExpected && isMissing) {
    return "its reason is DEADLINE, and seeds were expected: it was to name the seats without one";
  }
  return reason === "VOID" && !isVoid(leaves, abort) ? "its reason is VOID, and its seeds give a deck" : "";
}

/** A note for each seed that lowers the round's level. */
function examineSeeds(seeds: Bytes[], unsigned: number[], deal: Placed<"DEAL"> | undefined, report: Report): void {
  if (deal === undefined) {
    return;
  }
  report.begin("SEED_QUALITY");
  const where = { leaf_index: deal.index };
  const texts = seeds.map(hex);
  for (const [seat, seed] of seeds.entries()) {
    const first = texts.indexOf(texts[seat] ?? "");
    if (isTrivial(seed)) {
      report.find("SEED_QUALITY", "CLIENT_SEED_TRIVIAL", `the seed of seat ${seat} was hardly drawn at random`, where);
    } else if (first < seat) {
      report.find("SEED_QUALITY", "CLIENT_SEEDS_EQUAL", `seats ${first} and ${seat} have the same seed`, where);
    }
  }
  for (const seat of unsigned) {
    report.find("SEED_QUALITY", "CLIENT_SEED_UNSIGNED", `seat ${seat} has a key and did not sign its seed`, where);
  }
}
