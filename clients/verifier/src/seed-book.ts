/**
 * Seeds that were used twice, and the levels that this lowers. 16 bytes of each seed are kept, so
 * two different seeds pass for one with a chance below 2^-80 in a log of ten million rounds.
 */

import type { DealingLevel } from "./level.js";

export type Owner = "server" | "client";

export class SeedBook {
  readonly levels: Record<DealingLevel, number> = { L0: 0, L1: 0, L2: 0, L3: 0 };
  readonly #first = new Map<string, number>();
  readonly #independent = new Map<number, "L2" | "L3">();

  /** A dealt round, by the index of its DEAL, is of this level; of L2 or L3 while its seeds are used once. */
  rate(level: DealingLevel, dealt: number): void {
    this.levels[level] += 1;
    if (level === "L2" || level === "L3") {
      this.#independent.set(dealt, level);
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
    const level = this.#independent.get(leaf);
    if (level !== undefined) {
      this.#independent.delete(leaf);
      this.levels[level] -= 1;
      this.levels.L1 += 1;
    }
  }
}
