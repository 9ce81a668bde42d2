/**
 * Levels: how much a round's dealing and events are proved, beyond that nothing in it is broken.
 *
 *     L0  no commitment, or the suite for tests        E0  the frontend reported an event
 *     L1  the server's commitment alone                E1  the referee received every event
 *     L2  every seat committed to a seed of its own    E2  and every seat signed its own
 *
 *     L3  L2, and a quorum of witnesses cosigned OPEN before the seats' seeds were shown
 *
 * A seat that has a key signs its seed, or the round is L1. One player alone against the house needs no commitment.
 *
 * Seeds that were used twice, and the levels that this lowers. 16 bytes of each seed are kept, so
 * two different seeds pass for one with a chance below 2^-80 in a log of ten million rounds.
 */

import { hex } from "./bytes.js";
import { type Header, SUITE_COMMITMENT } from "./header.js";
import type { OpenLeaf } from "./leaf.js";
import { NO_LEAF } from "./slot.js";

export type DealingLevel = "L0" | "L1" | "L2" | "L3";
export type EventLevel = "E0" | "E1" | "E2" | "NONE";

/** A random seed has fewer different bytes than this with a chance below 2^-110. */
const FEWEST_VALUES = 9;

/** Whether a seed was hardly drawn at random: zeros, a counter, a default of few different bytes. */
export function isTrivial(seed: Uint8Array): boolean {
  return new Set(seed).size < FEWEST_VALUES;
}

/** The level of a dealt round by its own leaves, seed signatures aside; never L3. */
export function dealingLevel(header: Header, opened: OpenLeaf, clientSeeds: Uint8Array[]): DealingLevel {
  if (header.randomness_suite !== SUITE_COMMITMENT || opened.server_commitment === NO_LEAF) {
    return "L0";
  }
  const isDistinct = new Set(clientSeeds.map(hex)).size === clientSeeds.length;
  const isCommitted = header.seat_keys.length === 1 || opened.client_commitments.every(Boolean);
  return isDistinct && isCommitted && !clientSeeds.some(isTrivial) ? "L2" : "L1";
}

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
