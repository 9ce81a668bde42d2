/**
 * Seeds of seats that people hold: each opens its seat's commitment, and one that the log gave a
 * deck up for is noted. So a deck that was given up is dealt again with it by those who score decks.
 */

import { hex, SpellingError, unhex } from "./bytes.js";
import { clientCommitment } from "./commitment.js";
import type { Report } from "./check.js";
import type { HeldSeed, RoundLeaves } from "./round-leaves.js";

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
