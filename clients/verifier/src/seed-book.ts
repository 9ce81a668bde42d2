/**
 * Seeds that were used twice, and the levels that this lowers. 16 bytes of each seed are kept, so
 * two different seeds pass for one with a chance below 2^-80 in a log of ten million rounds.
 */

import type { DealingLevel } from "./level.js";

export type Owner = "server" | "client";

export class SeedBook {
  readonly levels: Record<DealingLevel, number> = { L0: 0, L1: 0, L2: 0, L3: 0 };
  readonly #first = new Map<string, number>();
  readonly #independent = new Map<number, number>();

  /** A dealt round, by the indexes of its OPEN and DEAL, is of this level by its own leaves. */
  rate(level: DealingLevel, { opened, dealt }: { opened: number; dealt: number }): void {
    this.levels[level] += 1;
    if (level === "L2") {
      this.#independent.set(dealt, opened);
    }
  }

  /** Rounds of level L2 that were witnessed between these two leaves are of level L3. */
  raise(isWitnessed: (leaves: { opened: number; dealt: number }) => boolean): void {
    for (const [dealt, opened] of this.#independent) {
      if (isWitnessed({ opened, dealt })) {
        this.levels.L2 -= 1;
        this.levels.L3 += 1;
      }
    }
  }

  /** The earlier leaf that shows this seed, lowercase hex; null where none does. */
  use(owner: Owner, seed: string, leaf: number): number | null {
    const name = `${owner[0]}${seed.slice(0, 32)}`;
    const first = this.#first.get(name);
    if (first === undefined || first === leaf) {
      this.#first.set(name, leaf);
      return null;
    }
    if (owner === "client") {
      this.#lower(first);
      this.#lower(leaf);
    }
    return first;
  }

  #lower(leaf: number): void {
    if (this.#independent.delete(leaf)) {
      this.levels.L2 -= 1;
      this.levels.L1 += 1;
    }
  }
}
