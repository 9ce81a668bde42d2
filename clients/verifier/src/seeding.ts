/**
 * Seeds and their seats: who signed them, and whether they truly give no deck. Where a seat has a
 * key in the header, its seed in DEAL bears that key's signature over a statement that cannot be
 * made before C is known. A seed that was not signed proves less; one that is signed by another
 * key proves foul play. A round that is said to be void has all its seeds, and they give no deck.
 *
 * Seeds of seats that people hold: each opens its seat's commitment, and one that the log gave a
 * deck up for is noted. So a deck that was given up is dealt again with it by those who score decks.
 */

import { attempt } from "./attempt.js";
import { hex, SpellingError, unhex } from "./bytes.js";
import type { Report } from "./check.js";
import { clientCommitment, seedStatement } from "./commitment.js";
import { deriveDeal, StreamUsedUpError } from "./deal.js";
import { isSignature } from "./ed25519.js";
import { NO_KEY } from "./header.js";
import type { Placed } from "./reading.js";
import type { HeldSeed, RoundLeaves } from "./round-leaves.js";

/** Every signature in a DEAL that has a seed for each seat is its seat's. */
export function examineSeedSignatures(
  { header, roundId, open }: RoundLeaves,
  deal: Placed<"DEAL">,
  report: Report,
): void {
  const { seed_signatures: signatures = [], client_seeds: seeds } = deal.value;
  if (signatures.length === 0 && header.seat_keys.every((key) => key === NO_KEY)) {
    report.skip("no seat has a key", "SEED_SIGNATURES");
    return;
  }
  report.begin("SEED_SIGNATURES");
  const commitment = unhex(open.value.server_commitment);
  for (const [seat, text] of signatures.entries()) {
    if (text === "") {
      continue;
    }
    const key = header.seat_keys[seat] ?? NO_KEY;
    const seed = unhex(seeds[seat] ?? "");
    const token = open.value.seat_tokens?.[seat];
    const tokenHash = token === undefined ? new Uint8Array() : unhex(token);
    const statement = seedStatement(unhex(roundId), commitment, { seat, tokenHash, seed });
    if (key === NO_KEY || !isSignature(unhex(text, 64), statement, unhex(key))) {
      const [code, what] =
        token === undefined
          ? (["SEED_SIGNATURE_FORGED", "the server's commitment"] as const)
          : (["SEAT_TOKEN_MISMATCH", "the server's commitment and its token's hash in OPEN"] as const);
      const detail = `the signature of seat ${seat} is not of its seed under ${what}`;
      report.find("SEED_SIGNATURES", code, detail, { leaf_index: deal.index });
    }
  }
}

/** The seats of a dealt round that have keys and did not sign their seeds. */
export function unsignedSeats({ header, deal }: RoundLeaves): number[] {
  if (deal === undefined) {
    return [];
  }
  const signatures = deal.value.seed_signatures ?? header.seat_keys.map(() => "");
  return header.seat_keys.flatMap((key, seat) => (key !== NO_KEY && signatures[seat] === "" ? [seat] : []));
}

/** Whether a round's seeds give no deck; true as well while the server's seed is not shown. */
export function isVoid({ header, deal, reveal }: RoundLeaves, abort: Placed<"ABORT">): boolean {
  const seeds = abort.value.client_seeds.filter(Boolean);
  if (deal !== undefined || seeds.length !== header.seat_keys.length) {
    return false;
  }
  if (reveal === undefined) {
    return true;
  }
  const clientSeeds = seeds.map((seed) => unhex(seed));
  const all = { serverSeed: unhex(reveal.value.server_seed), clientSeeds };
  return attempt(() => deriveDeal(header, all), StreamUsedUpError) instanceof StreamUsedUpError;
}

/** Seeds of a file, one JSON object a line with round_id, seat and seed. */
export function parseHeldSeeds(text: string): HeldSeed[] {
  const lines = [...text.split("\n").entries()].filter(([, line]) => line.trim() !== "");
  return lines.map(([index, line]) => {
    try {
      const { round_id: roundId, seat, seed } = JSON.parse(line) as Record<string, unknown>;
      const [id, bytes] = [unhex(String(roundId), 32), unhex(String(seed), 32)];
      if (typeof seat !== "number" || !Number.isSafeInteger(seat) || seat < 0) {
        throw new SpellingError(`seat is ${String(seat)}`);
      }
      return { roundId: hex(id), seat, seed: bytes };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new SpellingError(`line ${index + 1} is no seed: ${message}`);
    }
  });
}

export function examineHeldSeeds(leaves: RoundLeaves, report: Report): void {
  const { abort, deal, open, exhibits } = leaves;
  const noted = new Set<number>();
  for (const held of exhibits.seeds ?? []) {
    if (!opens(leaves, held)) {
      const detail = `a seed handed in for seat ${held.seat} does not open its commitment`;
      report.find("CLIENT_SEEDS", "HELD_SEED_REFUSED", detail, { leaf_index: open.index });
    } else if (abort !== undefined && deal === undefined && !noted.has(held.seat)) {
      noted.add(held.seat);
      if ((abort.value.client_seeds[held.seat] ?? "") === "") {
        const detail = `the deck was given up without the seed of seat ${held.seat}, which somebody holds`;
        report.find("CLIENT_SEEDS", "SEED_HELD", detail, { leaf_index: abort.index });
      }
    }
  }
}

function opens({ roundId, open }: RoundLeaves, { seat, seed }: HeldSeed): boolean {
  const claimed = open.value.client_commitments[seat] ?? "";
  return claimed !== "" && hex(clientCommitment(unhex(roundId), seat, seed)) === claimed;
}
